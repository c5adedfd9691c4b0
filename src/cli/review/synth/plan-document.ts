import { PLUGIN_NAME, PLUGIN_READY_TYPE } from "../../../contract/addresses";
import { toJson } from "../../../declarations/terraform/json";
import { ClusterPlatformError } from "../../../model/errors";
import { oncePerText } from "../../../model/once-per";
import { isPlainObject } from "../../../model/prop-path";
import type { JsonObject } from "../../../model/provider-type";
import { isTemplate } from "../../../terraform/template-text";
import { Unknown, type Value } from "../../../terraform/value";
import { objectsIn } from "../../report/json-values";
import { plannedProvisioners, provisionersIn } from "../plan/configuration";
import { type OpenFields, type PlannedStack, readPlan } from "../plan/plan";
import { COMPUTED, isLiteral, META, own, Program } from "./program";
import { ProgramChanges, type ProgramChange } from "./program-changes";
import { referencesIn } from "../plan/references";

/**
 * @param before the parsed `cdk.tf.json` of the first program; undefined if it does not have the stack
 * @param after of the second program
 * @param where the programs come from, for errors
 * @throws INVALID_DOCUMENT
 */
export function comparedStack(
  before: Readonly<JsonObject> | undefined,
  after: Readonly<JsonObject> | undefined,
  where: string,
): Pick<PlannedStack, "plan" | "programs"> {
  const stackIn = before === undefined ? "head" : after === undefined ? "base" : "both";
  let planned: PlannedProgram;
  try {
    planned = planOfPrograms(before, after);
  } catch (error) {
    throw new ClusterPlatformError(
      "INVALID_DOCUMENT",
      `${where} cannot be compared (${(error as Error).message}); synthesize both programs again with the version of cdktf-cluster-platform that reviews`,
      { cause: error },
    );
  }
  return { plan: readPlan(planned.document, where), programs: { stackIn, open: planned.open } };
}

interface PlannedProgram {
  /** In the form of `terraform show -json`. */
  readonly document: JsonObject;
  /** By address. */
  readonly open: ReadonlyMap<string, OpenFields>;
}

/**
 * The plan of `head` if `base` is applied, and nobody has changed anything since.
 * @param base the parsed `cdk.tf.json`; undefined for a new stack
 * @param head undefined if the stack has left the program. Then it is the plan that destroys `base`
 */
export function planOfPrograms(base: Readonly<JsonObject> | undefined, head: Readonly<JsonObject> | undefined): PlannedProgram {
  const before = new Program(base ?? {});
  const after = head === undefined ? new Program({}) : new Program(head);
  const program = head === undefined ? before : after;
  const changes = new ProgramChanges(before, after);
  const all = changes.all();
  const isDestroy = head === undefined;
  const resource_changes = all.map((change) => changeOf(change, program, changes, isDestroy));
  const leaving = all.filter((change) => change.after === null);
  const dependencies = oncePerText((block) => [...before.dependenciesOf([block])].filter((each) => each !== block));
  return {
    document: {
      format_version: "1.2",
      resource_changes,
      output_changes: Object.fromEntries(
        Array.from({ length: changes.outputs() }, (_, index) => [`${index}`, { actions: ["update"] }]),
      ),
      prior_state: { values: { root_module: { resources: leaving.map((change) => stateOf(change, dependencies)) } } },
      configuration: configurationOf(program),
    },
    open: new Map(
      all.flatMap(({ address, open, isOtherExpression }) =>
        open.length > 0 ? [[address, { fields: open, isOtherExpression }] as const] : [],
      ),
    ),
  };
}

function changeOf(change: ProgramChange, program: Program, changes: ProgramChanges, isDestroy: boolean): JsonObject {
  const { address, from, block, key, actions, reason, importing, before, after } = change;
  const { type, name, body } = block;
  const isNew = actions.includes("create");
  const marks = after && marksOf(before, after, isNew, changes);
  return {
    address,
    ...(from !== undefined && { previous_address: from }),
    mode: "managed",
    type,
    name,
    ...(key !== undefined && { index: key }),
    provider_name: sourceOf(String(body.provider ?? localNameOf(type)), program),
    ...(reason !== undefined && !isDestroy && { action_reason: reason }),
    change: {
      actions,
      before: before && knownOf(before),
      after: after && { ...(knownOf(after) as object), ...handedOver(change, program) },
      after_unknown: marks ?? {},
      ...(importing && { importing: {} }),
    },
  };
}

/** The provider names the objects that hooks take over. */
function handedOver({ block: { type, body }, before }: ProgramChange, program: Program): JsonObject {
  if (type !== PLUGIN_READY_TYPE) return {};
  const provider = program.providers.get(`provider.${String(body.provider)}`);
  if (!isPlainObject(provider) || provider.hand_over === undefined) return {};
  return { handed_over: Object.keys(isPlainObject(before?.objects) ? before.objects : {}).sort() };
}

function stateOf({ address, block, key, before }: ProgramChange, dependenciesOf: (block: string) => string[]): JsonObject {
  const { type, name } = block;
  const index = key === undefined ? {} : { index: key };
  return { address, mode: "managed", type, name, ...index, values: knownOf(before), depends_on: dependenciesOf(block.address) };
}

/** Terraform's JSON leaves out values that are not known. */
function knownOf(value: unknown): unknown {
  if (value instanceof Unknown) return undefined;
  if (isLiteral(value)) return value;
  if (Array.isArray(value)) return value.map((item) => knownOf(item) ?? null);
  if (!isPlainObject(value)) return toJson(value as Value);
  if (Object.getPrototypeOf(value) !== Object.prototype) return toJson(value as Value);
  const known = Object.entries(value).map(([key, item]) => [key, knownOf(item)] as const);
  return Object.fromEntries(known.filter(([, item]) => item !== undefined));
}

/** In the form of `after_unknown`. */
function marksOf(before: unknown, after: unknown, isNew: boolean, changes: ProgramChanges): unknown {
  if (after === COMPUTED) return isNew ? true : undefined;
  if (isLiteral(after)) return {};
  if (after instanceof Unknown) return changes.difference(before, after) === "same" ? undefined : true;
  if (Array.isArray(after))
    return after.map((item, index) => marksOf(Array.isArray(before) ? before[index] : undefined, item, isNew, changes) ?? false);
  if (!isPlainObject(after) || Object.getPrototypeOf(after) !== Object.prototype) return undefined;
  const marks = Object.entries(after).map(
    ([key, item]) => [key, marksOf(isPlainObject(before) ? own(before, key) : undefined, item, isNew, changes)] as const,
  );
  return Object.fromEntries(marks.filter(([, mark]) => mark !== undefined));
}

function configurationOf(program: Program): JsonObject {
  const providers = [...program.providers].map(([address, body]) => {
    const key = address.slice("provider.".length);
    const name = key.split(".")[0]!;
    const { alias: _, ...rest } = (isPlainObject(body) ? body : {}) as JsonObject;
    return [key, { name, full_name: sourceOf(name, program), expressions: expressionsIn(rest) }] as const;
  });
  const resources = [...program.blocks.values()].map(({ address, type, name, body }) => ({
    address,
    mode: "managed",
    type,
    name,
    provider_config_key: String(body.provider ?? localNameOf(type)),
    provisioners: plannedProvisioners(provisionersIn(body)).map(({ type: of, settings }) => ({
      type: of,
      expressions: expressionsIn(settings),
    })),
    expressions: expressionsIn(Object.fromEntries(Object.entries(body).filter(([key]) => !META.has(key)))),
    ...(body.for_each !== undefined && { for_each_expression: expressionOf(body.for_each) }),
    ...(body.count !== undefined && { count_expression: expressionOf(body.count) }),
    depends_on: body.depends_on,
  }));
  return { provider_config: Object.fromEntries(providers), root_module: { resources } };
}

function expressionsIn(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, expressionOf(value)]));
}

/** A plan lists the templates of Terraform's JSON syntax as literals. */
function expressionOf(value: unknown): JsonObject {
  const text = JSON.stringify(value) ?? "";
  const references = isTemplate(text) ? namesIn(text) : [];
  return { constant_value: value, ...(references.length > 0 && { references }) };
}

/** A reference to an instance is there a second time without its key, as in a plan. */
function namesIn(json: string): string[] {
  const found = referencesIn(json.replaceAll('\\"', '"')).flatMap(({ block, key }) =>
    key === undefined ? [block] : [`${block}["${key}"]`, block],
  );
  return [...new Set(found)];
}

function localNameOf(type: string): string {
  return type === "terraform_data" ? "terraform" : type.split("_")[0]!;
}

/** As in `registry.terraform.io/hashicorp/null`. */
function sourceOf(provider: string, { json }: Program): string {
  const name = provider.split(".")[0]!;
  if (name === "terraform") return "terraform.io/builtin/terraform";
  const required = objectsIn(json.terraform).flatMap(({ required_providers: given }) => objectsIn(given));
  const [source] = required.flatMap((each) => objectsIn(own(each, name)).map((one) => one.source));
  const text = typeof source === "string" ? source : name === PLUGIN_NAME ? name : `hashicorp/${name}`;
  const parts = text.split("/");
  return ["registry.terraform.io", "hashicorp"]
    .slice(0, Math.max(0, 3 - parts.length))
    .concat(parts)
    .join("/");
}
