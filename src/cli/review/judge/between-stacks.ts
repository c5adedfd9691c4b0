import type { ObjectFinding, Verdict } from "./finding";
import type { Note } from "./note";
import type { ClustersByProvider } from "./plan-context";
import { mayBeOneService } from "../../../model/base-url";

interface Stack {
  readonly name: string;
  readonly findings: readonly ObjectFinding[];
  clustersOn(): ClustersByProvider;
  /** The URL of the service. Undefined if the plan does not show it. */
  serviceOf(object: string): string | undefined;
}

/** Providers that one plan deletes while clusters of other stacks use them. The apply refuses these deletions. */
export function usedElsewhere(stacks: readonly Stack[]): Extract<Note, { code: "USED_ELSEWHERE" }>[] {
  if (stacks.length < 2 || !stacks.some(({ findings }) => findings.some(isDeletedProvider))) return [];
  const clustersOn = new Map(stacks.map((stack) => [stack, stack.clustersOn()]));
  return stacks.flatMap((stack) =>
    stack.findings.filter(isDeletedProvider).flatMap(({ type, name, object }) => {
      const service = stack.serviceOf(object);
      const users = stacks
        .filter((other) => other !== stack)
        .map((other) => {
          const named = clustersOn.get(other)!.get(`${type} ${name}`) ?? [];
          const here = named.filter((cluster) => mayBeOneService(service, cluster.service));
          return { stack: other.name, clusters: here.map(({ id }) => id.name) };
        })
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

interface Placed {
  readonly finding: ObjectFinding;
  readonly service: string | undefined;
}

export function inSeveralStacks(stacks: readonly Stack[]): Note[] {
  const byObject = new Map<string, Placed[]>();
  for (const { findings, serviceOf } of stacks) {
    for (const finding of findings) {
      const placed = { finding, service: serviceOf(finding.object) };
      const group = byObject.get(finding.object);
      if (group) group.push(placed);
      else byObject.set(finding.object, [placed]);
    }
  }
  return [...byObject.values()].flatMap((group) => {
    const mayBeOne = group.filter((one) => group.some((other) => isElsewhere(one, other) && mayShareService(one, other)));
    return mayBeOne.length > 0 ? ofOneObject(mayBeOne) : [];
  });
}

function ofOneObject(group: readonly Placed[]): Note[] {
  const findings = group.map(({ finding }) => finding);
  const { object } = findings[0]!;
  const from = findings.find(({ verdict }) => verdict === "RETAIN");
  const to = findings.find(({ verdict }) => verdict === "ADOPT");
  if (from && to && group.length === 2) return [{ code: "HANDED_OVER", risk: "low", object, from: from.stack, to: to.stack }];

  const creating = group.filter(({ finding }) => finding.verdict === "CREATE");
  const taken = creating.flatMap((one): Note[] => {
    const holding = group.filter((other) => isElsewhere(one, other) && mayShareService(one, other) && staysOnService(other));
    const stacks = holding.map(({ finding }) => finding.stack);
    return stacks.length > 0 ? [{ code: "TAKEN_ELSEWHERE", risk: "high", stack: one.finding.stack, object, stacks }] : [];
  });
  const declaring = findings.filter(({ declared }) => declared).map(({ stack }) => stack);
  const isNew = creating.length > 0 || to !== undefined;
  if (taken.length > 0 || !isNew || declaring.length < 2) return taken;
  const isCreatedTwice = creating.some((one) => creating.some((other) => isElsewhere(one, other) && mayShareService(one, other)));
  return [{ code: "DECLARED_TWICE", risk: isCreatedTwice ? "high" : "low", object, stacks: declaring }];
}

function isElsewhere(one: Placed, other: Placed): boolean {
  return one.finding.stack !== other.finding.stack;
}

function mayShareService(one: Pick<Placed, "service">, other: Pick<Placed, "service">): boolean {
  return mayBeOneService(one.service, other.service);
}

/** Whether the object exists before and after the apply of its plan. */
function staysOnService({ finding: { verdict, risk, reasons } }: Placed): boolean {
  if (verdict === "ORPHAN") return risk === "critical";
  return STAYING.has(verdict) && !reasons.some(({ code }) => code === "DROPPED");
}

const STAYING: ReadonlySet<Verdict> = new Set([
  "UNCHANGED",
  "MOVED",
  "STATE-ONLY",
  "RETAIN",
  "PROTECTED",
  "IN-USE",
  "REPLACE",
  "DUPLICATE",
]);
