import type { ObjectFinding } from "./finding";
import type { Note } from "./note";

interface Stack {
  readonly name: string;
  readonly findings: readonly ObjectFinding[];
  /** Names of clusters by `type provider`. */
  clustersOn(): ReadonlyMap<string, readonly string[]>;
}

/** Providers that one plan deletes while clusters of other stacks use them. The apply refuses these deletions. */
export function usedElsewhere(stacks: readonly Stack[]): Extract<Note, { code: "USED_ELSEWHERE" }>[] {
  if (stacks.length < 2 || !stacks.some(({ findings }) => findings.some(isDeletedProvider))) return [];
  const clustersOn = new Map(stacks.map((stack) => [stack, stack.clustersOn()]));
  return stacks.flatMap((stack) =>
    stack.findings.filter(isDeletedProvider).flatMap(({ type, name, object }) => {
      const users = stacks
        .filter((other) => other !== stack)
        .map((other) => ({ stack: other.name, clusters: clustersOn.get(other)!.get(`${type} ${name}`) ?? [] }))
        .filter(({ clusters }) => clusters.length > 0);
      if (users.length === 0) return [];
      const clusters = users.flatMap((user) => user.clusters);
      return [
        { code: "USED_ELSEWHERE", risk: "high", stack: stack.name, object, clusters, stacks: users.map((user) => user.stack) },
      ];
    }),
  );
}

function isDeletedProvider({ kind, verdict }: ObjectFinding): boolean {
  return kind === "provider" && (verdict === "DESTROY" || verdict === "REPLACE");
}

export function inSeveralStacks(findings: readonly ObjectFinding[]): Note[] {
  const byObject = new Map<string, ObjectFinding[]>();
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
