import { pluginResourceId, pluginResourceType, platformPrefix } from "../../contract/addresses";
import type { Remedies } from "../../lifecycle/context";
import { idOf, type ObjectRef } from "../../model/object-ref";
import { allowDeletionLine, isProtected } from "../../model/protection";
import type { Settings } from "../../contract/provider-settings";

/** The maximum number of objects in a command. */
const NAMED = 10;

export function pluginRemedies(settings: Settings): Remedies {
  return {
    adopt: (objects) => `apply once with CLUSTER_PLATFORM_ADOPT=${objects.slice(0, NAMED).map(idOf).join(",")}`,
    retain: (objects) => `list ${objects.length === 1 ? "this name" : "these names"} in the Platform's retain`,
    recreate: (objects) =>
      `terraform apply${objects
        .slice(0, NAMED)
        .map((object) => ` -replace='${addressOf(settings, object)}'`)
        .join("")}`,
    allowDeletion: (objects) => {
      const kept = objects.slice(0, NAMED).filter((object) => isProtected(settings, idOf(object)));
      return kept.length > 0 ? `${allowing(kept)} on the Platform` : undefined;
    },
    acceptGone: "run once with CLUSTER_PLATFORM_ACCEPT_GONE=1",
  };
}

/** An imperative clause without a full stop. */
export function withFormerUrl(service: string): string {
  return `plan and apply once with CLUSTER_PLATFORM_FORMER_URL=${service}`;
}

/** The address of an object that a Platform declares. A resource block that is written by hand may have another address. */
export function addressOf({ platform }: Pick<Settings, "platform">, { type, kind, name }: ObjectRef): string {
  return `${pluginResourceType(type, kind)}.${pluginResourceId(platformPrefix(platform), name)}`;
}

export function allowing(objects: readonly ObjectRef[]): string {
  const ids = objects.map(idOf);
  return allowDeletionLine({ allowDeletion: [] }, ids, ids);
}

export function importBlock(settings: Pick<Settings, "platform">, object: ObjectRef): string {
  return `import {\n  to = ${addressOf(settings, object)}\n  id = ${JSON.stringify(object.name)}\n}`;
}
