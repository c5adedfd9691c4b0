import { platformOfPrefix } from "../../../contract/addresses";

export function theirVerb(items: readonly unknown[], verb: "is" | "lives" | "has"): string {
  const plural = { is: "are", lives: "live", has: "have" };
  return items.length === 1 ? verb : plural[verb];
}

export function called(prefix: string): string {
  return prefix === "" ? "the Platform" : `the Platform ${platformOfPrefix(prefix)}`;
}
