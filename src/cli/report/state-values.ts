import type { JsonObject } from "../../model/provider-type";
import { setFields } from "./document";
import type { NamedResource } from "./instance";
import { objectsIn, textsIn } from "./json-values";

/** A resource instance in a state, or in the prior state of a plan. */
export interface StateResource extends NamedResource {
  readonly values: JsonObject;
  readonly sensitiveValues: unknown;
  readonly tainted: boolean;
  readonly deposed: boolean;
  /** The blocks that it depends on, also by others, as in `null_resource.capvs_clusters`. */
  readonly dependsOn: readonly string[];
}

const isText = (value: unknown) => typeof value === "string";

/** Entries of another form are skipped. */
export function stateResources(values: unknown): StateResource[] {
  const root = (values as JsonObject | undefined | null)?.root_module;
  return root === undefined || root === null ? [] : ofModule(root as JsonObject, "");
}

function ofModule(module: JsonObject, address: string): StateResource[] {
  const own: StateResource[] = objectsIn(module.resources)
    .map(setFields)
    .filter(({ mode, ...named }) => mode !== "data" && [named.address, named.type, named.name].every(isText))
    .map((resource) => ({
      address: resource.address as string,
      ...(address && { module_address: address }),
      type: resource.type as string,
      name: resource.name as string,
      index: resource.index,
      values: (resource.values ?? {}) as JsonObject,
      sensitiveValues: resource.sensitive_values,
      tainted: resource.tainted === true,
      deposed: typeof resource.deposed_key === "string",
      dependsOn: textsIn(resource.depends_on),
    }));
  return own.concat(objectsIn(module.child_modules).flatMap((child) => ofModule(child, String(child.address ?? ""))));
}
