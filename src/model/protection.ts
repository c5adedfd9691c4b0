import { isName } from "./object-name";
import { objectMatcher } from "./object-pattern";
import { isKind, isTypeCode } from "./provider-type";

/** What a Platform protects unless it says otherwise. A deleted cluster takes everything on it along. */
export const DEFAULT_PROTECTION: readonly string[] = ["*/clusters/*"];

/** What a Platform says about the deletion of its objects. */
export interface ProtectionSettings {
  /** Names or patterns that no destroy hook may delete; true for all. */
  readonly deletionProtection: true | readonly string[];
  /** Names whose deletion is declared although they are protected. */
  readonly allowDeletion: readonly string[];
  /** Names that are left on the service when Terraform lets go of them. */
  readonly retain: readonly string[];
}

/** Whether the stack forbids the deletion of an object, given as `type/kind/name`. */
export function isProtected(
  { deletionProtection, allowDeletion }: Pick<ProtectionSettings, "deletionProtection" | "allowDeletion">,
  id: string,
): boolean {
  const forbidden = deletionProtection === true || deletionProtection.some((pattern) => isUnder(pattern, id));
  return forbidden && !allowDeletion.some((exact) => isNamed(exact, id));
}

/** Whether the stack wants the object left on the service when Terraform lets go of it. */
export function isRetained({ retain }: Pick<ProtectionSettings, "retain">, id: string): boolean {
  return retain.some((exact) => isNamed(exact, id));
}

export const EXACT_RULE = "be an exact name or type/kind/name, as in capvs/clusters/prod, without '*'";

/** Whether a text is an exact name or a `type/kind/name` that can exist: one that cannot would never say anything. */
export function isExact(text: string): boolean {
  const [type, kind, name, ...rest] = text.split("/");
  return kind === undefined ? isName(text) : isTypeCode(type) && isKind(kind) && isName(name ?? "") && rest.length === 0;
}

/** What a Platform's deletion guard decides by, before anything is deleted. */
export interface PlannedRemovals {
  /** Objects, as `type/kind/name`, that Terraform deletes, also to create them anew, and nobody retains. */
  readonly going: readonly string[];
  /** Those of them that are not created anew. */
  readonly leaving: readonly string[];
  /** Those of `going` that are protected. */
  readonly refused: readonly string[];
  /** Names in `retain` that nothing has: were one misspelled, what it is to keep would leave. */
  readonly unknown: readonly string[];
}

/** Objects that the state declares and the code does not. */
export function withdrawn(before: readonly string[], after: readonly string[]): string[] {
  const staying = new Set(after);
  return before.filter((id) => !staying.has(id));
}

/**
 * @param before objects that the state declares
 * @param after those that the code does
 * @param replaced those in both that are declared otherwise
 */
export function plannedRemovals(
  settings: ProtectionSettings,
  before: readonly string[],
  after: readonly string[],
  replaced: readonly string[] = [],
): PlannedRemovals {
  const isGoing = (id: string) => !isRetained(settings, id);
  const leaving = withdrawn(before, after).filter(isGoing);
  const going = [...leaving, ...replaced.filter(isGoing)];
  return {
    going,
    leaving,
    refused: going.filter((id) => isProtected(settings, id)),
    unknown: matchingNone(settings.retain, [...before, ...after]),
  };
}

/** Which of the exact names are those of none of the objects. */
export function matchingNone(names: readonly string[], ids: readonly string[]): string[] {
  const known = new Set(ids.flatMap((id) => [id, nameOf(id)]));
  return names.filter((exact) => !known.has(exact));
}

/** Which of the patterns are those of none of the objects. One of any name is not about certain objects. */
export function patternsMatchingNone(patterns: readonly string[], ids: readonly string[]): string[] {
  return patterns.filter((pattern) => nameOf(pattern) !== "*" && !ids.some((id) => isUnder(pattern, id)));
}

const nameOf = (id: string) => id.slice(id.lastIndexOf("/") + 1);
const isNamed = (exact: string, id: string) => exact === id || exact === nameOf(id);

const matchers = new Map<string, ReturnType<typeof objectMatcher>>();

function isUnder(pattern: string, id: string): boolean {
  const matches = matchers.get(pattern) ?? objectMatcher(pattern);
  matchers.set(pattern, matches);
  return matches({ name: nameOf(id), object: id });
}

/** The line of a Platform that allows the deletion of protected objects, as in `allowDeletion: ["prod"]`: {@link settingLine}. */
export function allowDeletionLine(
  { allowDeletion }: Pick<ProtectionSettings, "allowDeletion">,
  ids: readonly string[],
  known?: readonly string[],
): string {
  return settingLine("allowDeletion", allowDeletion, ids, known);
}

/** The line of a Platform that leaves objects on the service, as in `retain: ["prod"]`: {@link settingLine}. */
export function retainLine(
  { retain }: Pick<ProtectionSettings, "retain">,
  ids: readonly string[],
  known?: readonly string[],
): string {
  return settingLine("retain", retain, ids, known);
}

/** How many objects a line names; the others are counted. */
const NAMED = 10;

/**
 * @param current what the setting has already; names in it that are those of nothing are left out
 * @param known all objects of the Platform. A name that only one of them has stands alone; without `known`, every
 * object is named by its `type/kind/name`
 */
function settingLine(setting: string, current: readonly string[], ids: readonly string[], known?: readonly string[]): string {
  const isOnly = (name: string) => known?.filter((id) => nameOf(id) === name).length === 1;
  const idle = known ? matchingNone(current, known) : [];
  const kept = current.filter((exact) => !idle.includes(exact));
  const added = ids.slice(0, NAMED).map((id) => (isOnly(nameOf(id)) ? nameOf(id) : id));
  const names = [...kept, ...added].map((exact) => JSON.stringify(exact));
  const more = ids.length - added.length;
  return `${setting}: [${names.join(", ")}]${more > 0 ? ` and the ${more} other names` : ""}`;
}
