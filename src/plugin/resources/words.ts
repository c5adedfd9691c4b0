import { pluginResourceId, pluginResourceType, platformPrefix } from "../../contract/addresses";
import type { ProviderSettings } from "../../contract/provider-settings";
import { acceptingGone, applyReplacing, commonWords, it, type Words } from "../../lifecycle/remedy-words";
import { describeObject, enumerated } from "../../lifecycle/wording";
import { idOf, type ObjectRef } from "../../model/object-ref";

export function pluginWords(settings: ProviderSettings): Words {
  const common = commonWords({
    settings,
    platform: settings.platform,
    replacing: (objects) => applyReplacing(objects.map((object) => addressOf(settings, object))),
  });
  return {
    ...common,
    // A plan sees what is missing, and creates it.
    RECREATE_MISSING: ({ objects, all }) =>
      `To create ${it(objects)} again: ${all ? `${acceptingGone(objects)} ` : ""}terraform apply`,
    ADOPT: (remedy) => {
      const [object, ...others] = remedy.objects;
      if (others.length > 0) return `${common.ADOPT(remedy)}, or import them with importFrom() on their constructs`;
      return `${common.ADOPT(remedy)}, or import it with importFrom() on its construct, or without cdktf with this block:\n${importBlock(settings, object!)}`;
    },
    // Terraform plans what is declared before it plans a destroy.
    REMOVE_USERS: (remedy) =>
      `${common.REMOVE_USERS(remedy)}. If this is a destroy and the code changes ${enumerated(remedy.objects.map(describeObject))}, first undo that change`,
    ALLOW_DELETION: (remedy) => `${common.ALLOW_DELETION(remedy)} (allow_deletion in the provider block)`,
  };
}

/** The address of an object that a Platform declares. A resource block that is written by hand may have another address. */
export function addressOf({ platform }: Pick<ProviderSettings, "platform">, { type, kind, name }: ObjectRef): string {
  return `${pluginResourceType(type, kind)}.${pluginResourceId(platformPrefix(platform), name)}`;
}

function importBlock(settings: Pick<ProviderSettings, "platform">, object: ObjectRef): string {
  return `import {\n  to = ${addressOf(settings, object)}\n  id = ${JSON.stringify(idOf(object))}\n}`;
}
