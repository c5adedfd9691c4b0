import { isDeepStrictEqual } from "node:util";
import { parsePluginResourceType, PLUGIN_NAME, PLUGIN_SOURCE, triggersAttribute } from "../../../contract/addresses";
import { schemaOf } from "../../../declarations/terraform/declaration-schema";
import { objectTypeOf } from "../../../declarations/types";
import { ClusterPlatformError } from "../../../model/errors";
import { isPlainObject } from "../../../util/prop-path";
import type { JsonObject } from "../../../model/provider-type";
import { blocksOf } from "../../../recognition/configuration-blocks";
import { templatesIn } from "../../../terraform/template-text";
import { parseAddress } from "../../report/instance";
import { objectsIn, textsIn } from "../../report/json-values";
import { plannedProvisioners, provisionersIn } from "../plan/configuration";
import { type PlannedStack, readPlan } from "../plan/plan";
import { referencesIn } from "../plan/references";
import { ChangedValues, elementsIn } from "./changed-values";
import { argumentsOf, hasExpression, type Instance, instancesIn, resourcesIn } from "./program";

type Stack = Readonly<JsonObject>;

/**
 * @param before the parsed `cdk.tf.json` of the first program; undefined if it does not have the stack
 * @param after of the second program
 * @param where the programs come from, for errors
 * @throws INVALID_DOCUMENT
 */
export function comparedStack(
  before: Stack | undefined,
  after: Stack | undefined,
  where: string,
): Pick<PlannedStack, "plan" | "programs"> {
  const stackIn = before === undefined ? "head" : after === undefined ? "base" : "both";
  let compared: Comparison;
  try {
    compared = comparisonOf(before, after);
  } catch (error) {
    throw new ClusterPlatformError(
      "INVALID_DOCUMENT",
      `${where} cannot be compared (${(error as Error).message}); synthesize both programs again with the version of cdktf-cluster-platform that reviews`,
      { cause: error },
    );
  }
  return { plan: readPlan(compared.document, where), programs: { stackIn, open: compared.open } };
}

interface Comparison {
  /** In the form of `terraform show -json`. */
  readonly document: JsonObject;
  readonly open: ReadonlyMap<string, readonly string[]>;
}

/**
 * What changes from `base` to `head`. An object is replaced if a literal of its declaration is another one.
 * @param base the parsed `cdk.tf.json`; undefined for a new stack
 * @param head undefined if the stack has left the program. Then nothing deletes what it has
 */
export function comparisonOf(base: Stack = {}, head?: Stack): Comparison {
  const values = new ChangedValues(elementsIn(base), elementsIn(head ?? {}));
  const stored = moved(instancesIn(base), objectsIn(head?.moved));
  const coming = instancesIn(head ?? {}).map((instance) => compared(stored.get(instance.address), instance, values));
  const staying = new Set(coming.map(({ address }) => address));
  const forgotten = objectsIn(head?.removed).filter(({ lifecycle }) =>
    objectsIn(lifecycle).some((each) => each.destroy === false),
  );
  const kept = new Set(forgotten.map(({ from }) => from));
  const isForgotten = (address: string) => head === undefined || kept.has(address) || kept.has(blockAt(address));
  const leaving = [...stored].filter(([address]) => !staying.has(address));
  const gone = leaving.map(([address, { address: from, values: before }]) => ({
    ...named(address),
    previous_address: from,
    action_reason: "delete_because_no_resource_config",
    change: { actions: [isForgotten(address) ? "forget" : "delete"], before, after: null },
  }));
  return {
    document: {
      format_version: "1.2",
      resource_changes: [...coming.map(({ open: _, ...change }) => change), ...gone],
      configuration: configurationOf(head ?? base),
    },
    open: new Map(coming.flatMap(({ address, open }) => (open.length > 0 ? [[address, open]] : []))),
  };
}

/** @returns `open`: the fields of an object that may change. */
function compared(one: Instance | undefined, other: Instance, values: ChangedValues) {
  const change = (actions: string[], unknown: readonly string[] = [], open: readonly string[] = []) => ({
    ...named(other.address),
    previous_address: one?.address,
    change: { actions, before: one?.values ?? null, after: other.values, after_unknown: marks(other, unknown) },
    open,
  });
  const [before = {}, after = {}] = [one?.fields, other.fields];
  const isOpen = (field: string) => hasExpression([own(before, field), own(after, field)]);
  if (!one) return change(["create"], Object.keys(after).filter(isOpen));
  if (!one.fields || !other.fields) return change(actionsOf(one.body, other, values));
  const differing = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((field) =>
    values.mayDiffer(own(before, field), own(after, field)),
  );
  const open = differing.filter(isOpen);
  if (open.length < differing.length) return change(["delete", "create"], open);
  const [{ replace_triggered_by: causes } = {}] = objectsIn(other.body.lifecycle);
  if (textsIn(causes).some((cause) => values.mayChange(cause))) open.push("lifecycle.replace_triggered_by");
  const isSame = isDeepStrictEqual(withoutPath(one.values), withoutPath(other.values));
  return change([open.length > 0 || isSame ? "no-op" : "update"], [], open);
}

const own = (fields: Stack, field: string) => (Object.hasOwn(fields, field) ? fields[field] : undefined);

/** With the provider, a construct that moves in the tree changes nothing. */
function withoutPath({ declared_at: _, ...values }: Stack): JsonObject {
  return values;
}

/** Of a resource that is no object. */
function actionsOf(one: Stack, { type, body: other }: Instance, values: ChangedValues): string[] {
  const trigger = triggersAttribute(type) ?? "";
  if (values.mayDiffer(one[trigger], other[trigger])) return ["delete", "create"];
  return [values.mayDiffer(argumentsOf(one), argumentsOf(other)) ? "update" : "no-op"];
}

function named(address: string) {
  const { type, name, index } = parseAddress(address)!;
  return { address, mode: "managed", type, name, index };
}

/** In the form of `after_unknown`. */
function marks({ type }: Instance, fields: readonly string[]): JsonObject {
  const object = parsePluginResourceType(type);
  const marked = (names: readonly string[]) => Object.fromEntries(names.map((each) => [each, true]));
  if (!object) return { [triggersAttribute(type)]: marked(fields) };
  const schema = schemaOf(objectTypeOf(object.type, object.kind));
  return marked(fields.map((field) => String(schema.pathOf(field)[0])));
}

/** By their addresses after the moves. A move does nothing if its target is there already. */
function moved(instances: readonly Instance[], moves: readonly JsonObject[]): Map<string, Instance> {
  const targets = new Map(moves.map(({ from, to }) => [String(from), String(to)]));
  const taken = new Set(instances.map(({ address }) => address));
  const next = (address: string): string => {
    const from = targets.has(address) ? address : blockAt(address);
    const to = targets.has(from) ? targets.get(from)! + address.slice(from.length) : address;
    return taken.has(to) ? address : to;
  };
  const target = (address: string) => Array.from({ length: MOST_MOVES }).reduce<string>(next, address);
  return new Map(instances.map((instance) => [target(instance.address), instance]));
}

/** Moves of one instance through several addresses. */
const MOST_MOVES = 10;
const blockAt = (address: string) => address.split("[", 1)[0]!;

function configurationOf(stack: Stack): JsonObject {
  const providers = blocksOf({ provider: stack.provider }).map(({ address, body }) => {
    const key = address.slice("provider.".length);
    const name = key.split(".")[0]!;
    const { alias: _, ...rest } = isPlainObject(body) ? body : {};
    return [key, { name, full_name: name === PLUGIN_NAME ? PLUGIN_SOURCE : name, expressions: expressionsIn(rest) }] as const;
  });
  const resources = resourcesIn(stack).map(({ address, type, name, body }) => ({
    address,
    mode: "managed",
    type,
    name,
    provider_config_key: String(body.provider ?? type.split("_")[0]),
    provisioners: plannedProvisioners(provisionersIn(body)).map(({ type: of, settings }) => ({
      type: of,
      expressions: expressionsIn(settings),
    })),
    expressions: expressionsIn(argumentsOf(body)),
    ...(body.for_each !== undefined && { for_each_expression: expressionOf(body.for_each) }),
    depends_on: body.depends_on,
  }));
  return { provider_config: Object.fromEntries(providers), root_module: { resources } };
}

function expressionsIn(given: Stack): JsonObject {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, expressionOf(value)]));
}

/** A reference to an instance is there a second time without its key, as in a plan. */
function expressionOf(value: unknown): JsonObject {
  const found = templatesIn(value)
    .flatMap(referencesIn)
    .flatMap(({ block, key }) => (key === undefined ? [block] : [`${block}["${key}"]`, block]));
  return { constant_value: value, ...(found.length > 0 && { references: [...new Set(found)] }) };
}
