import { platformOfPrefix } from "../../../contract/addresses";

export function theirVerb(items: readonly unknown[], verb: "is" | "lives" | "has"): string {
  const plural = { is: "are", lives: "live", has: "have" };
  return items.length === 1 ? verb : plural[verb];
}

export function called(prefix: string): string {
  return prefix === "" ? "the Platform" : `the Platform ${platformOfPrefix(prefix)}`;
}

export function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
