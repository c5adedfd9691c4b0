import { pluginResourceId, pluginResourceType, platformPrefix } from "../../contract/addresses";
import type { Remedies } from "../../lifecycle/context";
import { idOf, type ObjectRef } from "../../model/object-ref";
import { allowDeletionLine, isProtected } from "../../model/protection";
import type { Settings } from "../../contract/provider-settings";

/** How many objects a command names. */
const NAMED = 10;

/** What a person can do where the package's own provider carries the objects. */
export function pluginRemedies(settings: Settings): Remedies {
  return {
    adopt: (objects) => `apply once with CLUSTER_PLATFORM_ADOPT=${objects.slice(0, NAMED).map(idOf).join(",")}`,
    retain: (objects) => `list ${objects.length === 1 ? "this name" : "these names"} in the Platform's retain`,
    recreate: (objects) => {
      const shown = objects.slice(0, NAMED);
      const kept = shown.filter((object) => isProtected(settings, idOf(object)));
      const allow = kept.length > 0 ? `write ${allowing(kept)} on the Platform, and then ` : "";
      return `${allow}terraform apply${shown.map((object) => ` -replace='${addressOf(settings, object)}'`).join("")}`;
    },
    acceptGone: "run it once with CLUSTER_PLATFORM_ACCEPT_GONE=1",
  };
}

/** Where a Platform's construct declares an object. A block that is written by hand may have another address. */
export function addressOf({ platform }: Pick<Settings, "platform">, { type, kind, name }: ObjectRef): string {
  return `${pluginResourceType(type, kind)}.${pluginResourceId(platformPrefix(platform), name)}`;
}

/** What a Platform has to say so that protected objects may be deleted. */
export function allowing(objects: readonly ObjectRef[]): string {
  const ids = objects.map(idOf);
  return allowDeletionLine({ allowDeletion: [] }, ids, ids);
}

/** The block that imports an object. */
export function importBlock(settings: Pick<Settings, "platform">, object: ObjectRef): string {
  return `import {\n  to = ${addressOf(settings, object)}\n  id = ${JSON.stringify(object.name)}\n}`;
}
