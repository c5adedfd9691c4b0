import { createHash } from "node:crypto";
import { isPlainObject } from "../../../util/prop-path";
import type { JsonObject } from "../../../model/provider-type";
import type { ForeignPlace } from "../../../recognition/recognize";
import { refuseSensitiveName } from "../../report/declared-fields";
import { invalidDocument, refuseOtherFormat, setFields } from "../../report/document";
import { objectsIn, textsIn } from "../../report/json-values";
import { type NamedResource, parseAddress } from "../../report/instance";
import { stateResources, type StateResource } from "../../report/state-values";
import { Configuration, withoutKeys } from "./configuration";
import type { Look } from "./look";
import type { SynthesizedStack } from "./synthesized-stack";

export const PLAN_DOCUMENT = "a plan as JSON, as 'terraform show -json PLAN' prints it";

/** The fields of a `resource_changes` entry that the review reads. */
export interface ResourceChange {
  readonly address: string;
  readonly module_address?: string;
  readonly previous_address?: string;
  readonly mode?: string;
  readonly type: string;
  readonly name: string;
  readonly index?: unknown;
  readonly deposed?: string;
  readonly action_reason?: string;
  /** The source address of the provider. */
  readonly provider_name?: string;
  readonly change: {
    readonly actions: readonly string[];
    readonly before?: unknown;
    readonly after?: unknown;
    readonly after_unknown?: unknown;
    readonly before_sensitive?: unknown;
    readonly after_sensitive?: unknown;
    readonly importing?: unknown;
  };
}

/** The earlier address of a moved instance. */
export function movedFrom({ address, previous_address: from }: ResourceChange): string | undefined {
  return from === address ? undefined : from;
}

/** The same as a resource. Undefined if the instance has not moved. */
export function originOf(change: ResourceChange): NamedResource | undefined {
  const from = movedFrom(change);
  return from === undefined ? undefined : parseAddress(from);
}

/** The block of a change, as in `module.eu.aws_instance.web`. */
export function blockAddressOf({
  module_address: module = "",
  type,
  name,
}: Pick<ResourceChange, "module_address" | "type" | "name">): string {
  return module === "" ? `${type}.${name}` : `${withoutKeys(module)}.${type}.${name}`;
}

/** The parts of a plan document that the review reads. */
export interface Plan {
  readonly terraformVersion: string | undefined;
  /** When it was made, in RFC 3339, to the second. */
  readonly timestamp: string | undefined;
  /** Whether the plan failed. Terraform and OpenTofu refuse to apply it, and it lacks what comes after the error. */
  readonly errored: boolean;
  /**
   * False if the plan covers only a part of the configuration, because it failed, or as with `-target`. OpenTofu's plans do not say
   * the latter.
   */
  readonly complete: boolean;
  readonly changes: readonly ResourceChange[];
  /** Changes outside of Terraform that the refresh before the plan found. */
  readonly drift: readonly ResourceChange[];
  /** Invocations of actions, with all that the plan shows of them. */
  readonly actions: readonly { readonly address: string; readonly content: JsonObject }[];
  /** Names of fields of the document that this version does not know. */
  readonly unknownParts: readonly string[];
  readonly outputChanges: number;
  readonly failedChecks: number;
  readonly configuration: Configuration;
  /** The state before the apply. */
  readonly state: readonly StateResource[];
}

/**
 * What may be missing from a plan that failed: blocks and instances without an entry in it. A block without instances has none
 * either.
 */
export function withoutEntry({ changes, configuration, state }: Plan): readonly string[] {
  const blocks = new Set(changes.map(blockAddressOf));
  const ofCode = [...configuration.blocks]
    .map(({ module, type, name }) => blockAddressOf({ module_address: module, type, name }))
    .filter((block) => !blocks.has(block));
  const instances = new Set(changes.map(({ address }) => address));
  const named = new Set(ofCode);
  const ofState = state.filter((each) => !instances.has(each.address) && !named.has(blockAddressOf(each)));
  return [...new Set([...ofCode, ...ofState.map(({ address }) => address)])];
}

/** Two programs instead of a plan. */
export interface ComparedPrograms {
  /** Which of the two has the stack. */
  readonly stackIn: "both" | "base" | "head";
  /** By address: fields of an object that may change, because an expression in them does. */
  readonly open: ReadonlyMap<string, readonly string[]>;
}

export interface PlannedStack {
  readonly name: string;
  readonly plan: Plan;
  /** Set if the plan follows from two programs. */
  readonly programs?: ComparedPrograms;
  /** Computed on demand, because that takes as long as the reading of the plan, and not all formats show it. */
  readonly digest?: () => string;
  readonly synthesized?: SynthesizedStack;
  /** What the package would not have written in the configuration. Undefined if the configuration is unknown. */
  readonly foreign?: readonly ForeignPlace[];
  /** The version that reviews, and the one that has synthesized the stack. */
  readonly packageVersion?: { readonly own: string; readonly ofStack: string; readonly isOlder: boolean };
  /** Undefined if the review does not look at the service. */
  readonly look?: Look;
  /** Digests of foreign parts that a policy allows. */
  readonly allowedForeign?: ReadonlyMap<string, { readonly why?: string }>;
}

/** @throws INVALID_DOCUMENT if it is not a plan, or has another format than 1.x */
export function readPlan(json: unknown, file: string): Plan {
  if (!isPlainObject(json)) throw invalidDocument(file, PLAN_DOCUMENT, "but 'the document' is malformed");
  if (typeof json.format_version === "string") refuseOtherFormat(json.format_version, file, PLAN_DOCUMENT);
  const plan = setFields(json);
  if ("format_version" in plan && !["resource_changes", "planned_values", "configuration"].some((key) => key in plan)) {
    throw invalidDocument(file, PLAN_DOCUMENT, "got a state; name the plan file in 'terraform show -json PLAN'");
  }
  const malformed = malformedField(plan);
  if (malformed !== undefined) throw invalidDocument(file, PLAN_DOCUMENT, `but '${malformed}' is malformed`);
  const changes = changesIn(plan.resource_changes);
  const drift = changesIn(plan.resource_drift);
  for (const { address, type, change } of [...changes, ...drift]) {
    refuseSensitiveName(file, { address, type }, change.before, change.before_sensitive);
    refuseSensitiveName(file, { address, type }, change.after, change.after_sensitive, change.after_unknown);
  }
  const outputs = Object.values((plan.output_changes ?? {}) as Record<string, { actions?: unknown } | null>);
  const checks = (plan.checks ?? []) as ({ status?: unknown } | null)[];
  const prior = plan.prior_state as JsonObject | undefined | null;
  const errored = plan.errored === true;
  let state: readonly StateResource[] | undefined;
  return {
    terraformVersion: plan.terraform_version as string | undefined,
    timestamp: (plan.timestamp ?? undefined) as string | undefined,
    errored,
    complete: plan.complete !== false && !errored,
    changes,
    drift,
    actions: [plan.action_invocations, plan.deferred_action_invocations].flatMap(invocations),
    unknownParts: Object.keys(plan)
      .filter((key) => !KNOWN_PARTS.has(key))
      .sort(),
    outputChanges: outputs.filter((change) => textsIn(change?.actions).join() !== "no-op").length,
    failedChecks: checks.filter((check) => check?.status === "fail" || check?.status === "error").length,
    configuration: new Configuration(plan.configuration, plan.variables),
    get state() {
      return (state ??= stateResources(prior?.values));
    },
  };
}

const KNOWN_PARTS: ReadonlySet<string> = new Set([
  "format_version",
  "terraform_version",
  "variables",
  "planned_values",
  "resource_drift",
  "resource_changes",
  "deferred_changes",
  "output_changes",
  "action_invocations",
  "deferred_action_invocations",
  "prior_state",
  "configuration",
  "relevant_attributes",
  "checks",
  "timestamp",
  "applyable",
  "complete",
  "errored",
]);

/** A deferred invocation has the action in a field of its own. */
function invocations(list: unknown): Plan["actions"] {
  if (!Array.isArray(list)) return [];
  return list.filter(isPlainObject).map((content) => {
    const { address } = isPlainObject(content.action_invocation) ? content.action_invocation : content;
    return { address: isText(address) ? address : "an action", content };
  });
}

/**
 * SHA-256 of a plan without its timestamp, so that the same plan, made again, has the same digest.
 * `jq -cjS 'del(.timestamp)' plan.json | sha256sum` prints it.
 * @param json a plan that {@link readPlan} accepts
 */
export function planDigest(json: unknown): string {
  const { timestamp: _, ...plan } = json as JsonObject;
  return createHash("sha256").update(sortedJson(plan)).digest("hex");
}

/** JSON.stringify writes the keys that are numbers first, and cannot sort them as text. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join()}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sortedJson(value[key])}`).join()}}`;
}

/** Written by hand for speed, for thousands of changes. The values of a change are read later, and only for objects. */
function malformedField(plan: JsonObject): string | undefined {
  if (typeof plan.format_version !== "string") return "format_version";
  if (!isAbsentOr(plan.terraform_version, (value) => typeof value === "string")) return "terraform_version";
  if (!isAbsentOr(plan.timestamp, (value) => typeof value === "string")) return "timestamp";
  if (!isAbsentOr(plan.output_changes, isPlainObject)) return "output_changes";
  if (!isAbsentOr(plan.checks, Array.isArray)) return "checks";
  return malformedChange(plan, "resource_changes") ?? malformedChange(plan, "resource_drift");
}

/** Of a valid plan. */
function changesIn(list: unknown): ResourceChange[] {
  return objectsIn(list ?? []).map((entry) => {
    const { change, ...set } = setFields(entry);
    return { ...set, change: setFields(change as JsonObject) } as unknown as ResourceChange;
  });
}

function malformedChange(plan: JsonObject, field: "resource_changes" | "resource_drift"): string | undefined {
  const changes = plan[field] ?? [];
  if (!Array.isArray(changes)) return field;
  const index = changes.findIndex((change) => !isResourceChange(change));
  return index === -1 ? undefined : `${field}[${index}]`;
}

function isResourceChange(value: unknown): value is ResourceChange {
  if (!isPlainObject(value)) return false;
  const { address, type, name, change } = value;
  const isNamed = [address, type, name].every((each) => isText(each) && each !== "");
  const hasTexts = isNamed && OPTIONAL_TEXTS.every((field) => isAbsentOr(value[field], isText));
  return hasTexts && isPlainObject(change) && Array.isArray(change.actions) && change.actions.every(isText);
}

const OPTIONAL_TEXTS: readonly (keyof ResourceChange)[] = [
  "previous_address",
  "module_address",
  "mode",
  "deposed",
  "action_reason",
  "provider_name",
];

function isAbsentOr(value: unknown, test: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || test(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
