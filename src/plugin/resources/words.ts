import { pluginResourceId, pluginResourceType, platformPrefix } from "../../contract/addresses";
import type { ProviderSettings } from "../../contract/provider-settings";
import { acceptingGone, applyReplacing, commonWords, it, type Words } from "../../lifecycle/remedy-words";
import { describeObject, enumerated } from "../../lifecycle/wording";
import type { ObjectRef } from "../../model/object-ref";

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
      `${all ? `Really gone: create ${it(objects)} again with ${acceptingGone(objects)} ` : `Create ${it(objects)} again: `}terraform apply`,
    // Terraform plans what is declared before it plans a destroy.
    REMOVE_USERS: (remedy) =>
      `${common.REMOVE_USERS(remedy)}. Destroying: first undo the change of ${enumerated(remedy.objects.map(describeObject))} in the code`,
  };
}

/** The address of an object that a Platform declares. A resource block that is written by hand may have another address. */
export function addressOf({ platform }: Pick<ProviderSettings, "platform">, { type, kind, name }: ObjectRef): string {
  return `${pluginResourceType(type, kind)}.${pluginResourceId(platformPrefix(platform), name)}`;
}
