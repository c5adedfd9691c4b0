import type { HookSettings } from "./hook-protocol";
import { isName } from "./object-name";
import { isKind, isTypeCode, KINDS, TYPE_CODES } from "./provider-type";

/** Whether the stack forbids the deletion of an object, given as `type/kind/name`. */
export function isProtected(
  { deletionProtection, allowDeletion }: Pick<HookSettings, "deletionProtection" | "allowDeletion">,
  id: string,
): boolean {
  const forbidden = deletionProtection === true || deletionProtection.some((pattern) => isUnder(pattern, id));
  return forbidden && !allowDeletion.some((exact) => isNamed(exact, id));
}

/** Whether the stack wants the object left on the service when Terraform lets go of it. */
export function isRetained({ retain }: Pick<HookSettings, "retain">, id: string): boolean {
  return retain.some((exact) => isNamed(exact, id));
}

export const EXACT_RULE = "be an exact name or type/kind/name, as in capvs/clusters/prod, without '*'";
export const PATTERN_RULE = "be a name or type/kind/name, as in capvs/clusters/prod, with '*' for any characters";

/** Whether a text is an exact name or a `type/kind/name` that can exist: one that cannot would never say anything. */
export function isExact(text: string): boolean {
  const [type, kind, name, ...rest] = text.split("/");
  return kind === undefined ? isName(text) : isTypeCode(type) && isKind(kind) && isName(name ?? "") && rest.length === 0;
}

/** The same, with `*` for any characters of a part. */
export function isPattern(text: string): boolean {
  const parts = text.split("/");
  if (!parts.every((part) => /^[A-Za-z0-9._*-]+$/.test(part))) return false;
  const [type, kind] = parts as [string, string?];
  if (kind === undefined) return true;
  return parts.length === 3 && TYPE_CODES.some((code) => matches(type, code)) && KINDS.some((one) => matches(kind, one));
}

/** Which of the exact names are those of none of the objects. */
export function matchingNone(names: readonly string[], ids: readonly string[]): string[] {
  return names.filter((exact) => !ids.some((id) => isNamed(exact, id)));
}

const nameOf = (id: string) => id.slice(id.lastIndexOf("/") + 1);
const isNamed = (exact: string, id: string) => exact === id || exact === nameOf(id);
const isUnder = (pattern: string, id: string) => matches(pattern, pattern.includes("/") ? id : nameOf(id));

function matches(pattern: string, text: string): boolean {
  const literals = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literals.join(".*")}$`).test(text);
}

/** How a protected object may be deleted after all. */
export const WAY_PAST_PROTECTION =
  "declare the deletion in the same change with allowDeletion: [name] on the Platform, or keep the object on the service with retain: [name]";
