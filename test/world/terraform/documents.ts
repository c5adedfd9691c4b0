import { PLUGIN_SOURCE } from "../../../src/contract/addresses";
import { toJson } from "../../../src/declarations/terraform/json";
import type { JsonObject } from "../../../src/model/provider-type";
import { Dynamic, Unknown, type Value } from "../../../src/terraform/value";
import type { Configuration } from "./configuration";
import type { Change } from "./core";
import type { Plan } from "./plan-walk";
import { instanceAddress, typeOfBlock, type Instance, type State } from "./state";
import { isEqual } from "./values";

/** A state as `terraform show -json` prints it. */
export function stateDocument(state: State): JsonObject {
  const resources = [...state.values()].map((instance) => {
    const { deposed, attributes, isTainted, schemaVersion, dependencies } = instance;
    return {
      ...resourceOf(instance),
      ...(deposed !== undefined && { deposed_key: deposed }),
      ...(isTainted && { tainted: true }),
      schema_version: schemaVersion,
      values: attributes,
      sensitive_values: {},
      ...(dependencies.length > 0 && { depends_on: dependencies }),
    };
  });
  return {
    format_version: "1.0",
    terraform_version: VERSION,
    ...(resources.length > 0 && { values: { root_module: { resources } } }),
  };
}

/**
 * A plan as `terraform show -json` prints it.
 * @param shown its `configuration`
 */
export function planDocument(plan: Plan, shown: unknown): JsonObject {
  const { changes, unchanged, state, options, isFailed } = plan;
  return {
    format_version: "1.2",
    terraform_version: VERSION,
    resource_changes: [...changes, ...unchanged].map((change) => changeOf(change, plan)),
    resource_drift: driftIn(plan),
    prior_state: stateDocument(state),
    configuration: shown,
    applyable: !isFailed && changes.length > 0,
    complete: !isFailed && options.target === undefined,
    errored: isFailed,
  };
}

const VERSION = "1.11.0";

const PROVIDERS: Readonly<Record<string, string>> = {
  null_resource: "registry.terraform.io/hashicorp/null",
  terraform_data: "terraform.io/builtin/terraform",
};

function resourceOf({ block, key }: Pick<Instance, "block" | "key">): JsonObject {
  const type = typeOfBlock(block);
  return {
    address: instanceAddress(block, key),
    mode: "managed",
    type,
    name: block.slice(type.length + 1),
    ...(key !== undefined && { index: key }),
    provider_name: PROVIDERS[type] ?? PLUGIN_SOURCE,
  };
}

function changeOf(change: Change, { options, origins, configuration }: Plan): JsonObject {
  const { prior, place, before, after } = change;
  const at = prior ?? { block: change.block, key: place!.key };
  const from = origins.get(instanceAddress(at.block, at.key));
  const reason = options.destroy ? undefined : reasonOf(change, options.replace, configuration);
  return {
    ...resourceOf(at),
    ...(from !== undefined && { previous_address: from }),
    ...(prior?.deposed !== undefined && { deposed: prior.deposed }),
    change: { actions: actionsOf(change), ...sides(before, after) },
    ...(reason !== undefined && { action_reason: reason }),
  };
}

function sides(before: Value, after: Value): JsonObject {
  return {
    before: knownOf(before) ?? null,
    after: knownOf(after) ?? null,
    after_unknown: unknownIn(after) ?? {},
    before_sensitive: {},
    after_sensitive: {},
  };
}

function actionsOf({ action, place }: Change): readonly string[] {
  if (action !== "replace") return [action];
  return place!.block.createBeforeDestroy ? ["create", "delete"] : ["delete", "create"];
}

function reasonOf(
  { action, prior, address, block }: Change,
  replace: readonly string[] = [],
  { blocks }: Configuration,
): string | undefined {
  if (action === "replace") {
    if (prior!.isTainted) return "replace_because_tainted";
    return replace.includes(address) ? "replace_by_request" : "replace_because_cannot_update";
  }
  if ((action !== "delete" && action !== "forget") || prior?.deposed !== undefined) return undefined;
  return blocks.has(block) ? "delete_because_each_key" : "delete_because_no_resource_config";
}

/** What the refresh has found. */
function driftIn({ unrefreshed, state }: Plan): JsonObject[] {
  return [...unrefreshed].flatMap(([address, instance]): JsonObject[] => {
    const refreshed = state.get(address);
    if (refreshed && isEqual(refreshed.attributes, instance.attributes)) return [];
    const actions = [refreshed ? "update" : "delete"];
    return [{ ...resourceOf(instance), change: { actions, ...sides(instance.attributes, refreshed?.attributes ?? null) } }];
  });
}

/** Terraform's JSON leaves out values that are not known. */
function knownOf(value: Value): unknown {
  if (value instanceof Unknown) return undefined;
  if (value instanceof Dynamic) return knownOf(value.value);
  if (Array.isArray(value)) return value.map((item: Value) => knownOf(item) ?? null);
  if (!isObject(value)) return toJson(value);
  const known = Object.entries(value).map(([key, item]) => [key, knownOf(item)] as const);
  return Object.fromEntries(known.filter(([, item]) => item !== undefined));
}

/** As in `after_unknown`. */
function unknownIn(value: Value): unknown {
  if (value instanceof Unknown) return true;
  if (value instanceof Dynamic) return unknownIn(value.value);
  if (Array.isArray(value)) return value.map((item: Value) => unknownIn(item) ?? false);
  if (!isObject(value)) return undefined;
  const marks = Object.entries(value).map(([key, item]) => [key, unknownIn(item)] as const);
  return Object.fromEntries(marks.filter(([, mark]) => mark !== undefined));
}

function isObject(value: Value): value is { readonly [key: string]: Value } {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
