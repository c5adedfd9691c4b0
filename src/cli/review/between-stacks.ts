import type { Finding } from "./finding";
import type { Note } from "./note";

/** What is to be seen only of several plans at once. */
export function betweenStacks(findings: readonly Finding[]): Note[] {
  const byObject = new Map<string, Finding[]>();
  for (const finding of findings) {
    const group = byObject.get(finding.object);
    if (group) group.push(finding);
    else byObject.set(finding.object, [finding]);
  }
  return [...byObject.values()].flatMap((group): Note[] => {
    const stacks = [...new Set(group.map(({ stack }) => stack))];
    if (stacks.length < 2) return [];
    const { object } = group[0]!;
    const from = group.find(({ verdict }) => verdict === "RETAIN");
    const to = group.find(({ verdict }) => verdict === "ADOPT");
    if (from && to && group.length === 2) return [{ code: "HANDED_OVER", risk: "low", object, from: from.stack, to: to.stack }];
    const declaring = group.filter(({ declared }) => declared).map(({ stack }) => stack);
    const isNew = group.some(({ verdict }) => verdict === "CREATE" || verdict === "ADOPT");
    return isNew && declaring.length > 1 ? [{ code: "DECLARED_TWICE", risk: "low", object, stacks: declaring }] : [];
  });
}
