import type { HookSettings } from "./hook-protocol";

/** Whether the stack forbids the deletion of an object, given as `type/kind/name`. */
export function isProtected(
  { deletionProtection, allowDeletion }: Pick<HookSettings, "deletionProtection" | "allowDeletion">,
  id: string,
): boolean {
  const forbidden = deletionProtection === true || deletionProtection.some((pattern) => matches(pattern, id));
  return forbidden && !allowDeletion.some((exact) => isNamed(exact, id));
}

/** Whether the stack wants the object left on the service when Terraform lets go of it. */
export function isRetained({ retain }: Pick<HookSettings, "retain">, id: string): boolean {
  return retain.some((exact) => isNamed(exact, id));
}

const nameOf = (id: string) => id.slice(id.lastIndexOf("/") + 1);
const isNamed = (exact: string, id: string) => exact === id || exact === nameOf(id);

function matches(pattern: string, id: string): boolean {
  const text = pattern.includes("/") ? id : nameOf(id);
  const expression = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${expression.join(".*")}$`).test(text);
}

/** How a protected object may be deleted after all. */
export const WAY_PAST_PROTECTION =
  "declare the deletion in the same change with allowDeletion: [name] on the Platform, or keep the object on the service with retain: [name]";
