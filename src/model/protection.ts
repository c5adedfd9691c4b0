import { isName } from "./object-name";
import { objectMatcher } from "./object-pattern";
import { isKind, isTypeCode } from "./provider-type";

/** The default of `deletionProtection`. The deletion of a cluster deletes everything that runs on it. */
export const DEFAULT_PROTECTION: readonly string[] = ["*/clusters/*"];

export interface ProtectionSettings {
  /** Names or patterns that no destroy hook may delete; true for all. */
  readonly deletionProtection: true | readonly string[];
  /** Names of protected objects that may be deleted anyway. */
  readonly allowDeletion: readonly string[];
  /** Names of objects that stay on the service when Terraform removes them from the state. */
  readonly retain: readonly string[];
}

/** @param id `type/kind/name` */
export function isProtected(
  { deletionProtection, allowDeletion }: Pick<ProtectionSettings, "deletionProtection" | "allowDeletion">,
  id: string,
): boolean {
  const forbidden = deletionProtection === true || deletionProtection.some((pattern) => isUnder(pattern, id));
  return forbidden && !allowDeletion.some((exact) => isNamed(exact, id));
}

/** What the state of an object says. `allowDeletion` is temporary, so it does not count. */
export function isProtectedInState({ deletionProtection }: Pick<ProtectionSettings, "deletionProtection">, id: string): boolean {
  return isProtected({ deletionProtection, allowDeletion: [] }, id);
}

export function isRetained({ retain }: Pick<ProtectionSettings, "retain">, id: string): boolean {
  return retain.some((exact) => isNamed(exact, id));
}

export const EXACT_RULE = "be an exact name or type/kind/name, as in capvs/clusters/prod, without '*'";

/** Whether a text is a possible name or a possible `type/kind/name`. An impossible one would never match an object. */
export function isExact(text: string): boolean {
  const [type, kind, name, ...rest] = text.split("/");
  return kind === undefined ? isName(text) : isTypeCode(type) && isKind(kind) && isName(name ?? "") && rest.length === 0;
}

/** Objects that the state declares and the code does not. */
export function withdrawn(before: readonly string[], after: readonly string[]): string[] {
  const staying = new Set(after);
  return before.filter((id) => !staying.has(id));
}

/**
 * Objects that Terraform deletes or replaces and that `retain` does not name.
 * @param before objects that the state declares
 * @param after objects that the code declares
 * @param replaced objects in both whose declarations differ
 */
export function goingObjects(
  settings: Pick<ProtectionSettings, "retain">,
  before: readonly string[],
  after: readonly string[],
  replaced: readonly string[] = [],
): readonly string[] {
  return [...withdrawn(before, after), ...replaced].filter((id) => !isRetained(settings, id));
}

export function matchingNone(names: readonly string[], ids: readonly string[]): string[] {
  if (names.length === 0) return [];
  const known = new Set(ids.flatMap((id) => [id, nameOf(id)]));
  return names.filter((exact) => !known.has(exact));
}

const nameOf = (id: string) => id.slice(id.lastIndexOf("/") + 1);
const isNamed = (exact: string, id: string) => exact === id || exact === nameOf(id);

const matchers = new Map<string, ReturnType<typeof objectMatcher>>();

function isUnder(pattern: string, id: string): boolean {
  const matches = matchers.get(pattern) ?? objectMatcher(pattern);
  matchers.set(pattern, matches);
  return matches({ name: nameOf(id), object: id });
}

/** The Platform's setting that allows the deletion of protected objects, as in `allowDeletion: ["prod"]`. */
export function allowDeletionLine(
  { allowDeletion }: Pick<ProtectionSettings, "allowDeletion">,
  ids: readonly string[],
  known?: readonly string[],
): string {
  return settingLine("allowDeletion", allowDeletion, ids, known);
}

/** The Platform's setting that leaves objects on the service, as in `retain: ["prod"]`. */
export function retainLine(
  { retain }: Pick<ProtectionSettings, "retain">,
  ids: readonly string[],
  known?: readonly string[],
): string {
  return settingLine("retain", retain, ids, known);
}

const NAMED = 10;

/**
 * @param current the present names of the setting. Names that match nothing are left out.
 * @param known all objects of the Platform. A name that is unique among them is written without type and kind. Without `known`,
 * every object is written as `type/kind/name`.
 */
function settingLine(setting: string, current: readonly string[], ids: readonly string[], known?: readonly string[]): string {
  const isOnly = (name: string) => known?.filter((id) => nameOf(id) === name).length === 1;
  const idle = known ? matchingNone(current, known) : [];
  const kept = current.filter((exact) => !idle.includes(exact));
  const lacking = ids.filter((id) => !kept.some((exact) => isNamed(exact, id)));
  const added = lacking.slice(0, NAMED).map((id) => (isOnly(nameOf(id)) ? nameOf(id) : id));
  const names = [...new Set([...kept, ...added])].map((exact) => JSON.stringify(exact));
  const more = lacking.length - added.length;
  return `${setting}: [${names.join(", ")}]${more > 0 ? ` and the ${more} other names` : ""}`;
}
