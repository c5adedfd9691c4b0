import { groupedBy } from "../../report/grouped-by";
import { hasReason, isDeleted, isLetGo, type ObjectFinding } from "./finding";
import { type Note, noted } from "./note";
import type { ClustersByProvider } from "./plan-context";
import { mayBeOneService } from "../../../model/base-url";

interface Stack {
  readonly name: string;
  readonly findings: readonly ObjectFinding[];
  clustersOn(): ClustersByProvider;
}

type Used = Extract<Note, { readonly because: "used elsewhere" }>;

/** Providers that one plan deletes while clusters of other stacks use them. The apply refuses these deletions. */
export function usedElsewhere(stacks: readonly Stack[]): Used[] {
  if (stacks.length < 2 || !stacks.some(({ findings }) => findings.some(isDeletedProvider))) return [];
  const clustersOn = new Map(stacks.map((stack) => [stack, stack.clustersOn()]));
  return stacks.flatMap((stack) =>
    stack.findings.filter(isDeletedProvider).flatMap(({ type, name, object, service }) => {
      const users = stacks
        .filter((other) => other !== stack)
        .map((other) => {
          const named = clustersOn.get(other)!.get(`${type} ${name}`) ?? [];
          const here = named.filter((cluster) => mayBeOneService(service(), cluster.service));
          return { stack: other.name, clusters: here.map(({ id }) => id.name) };
        })
        .filter(({ clusters }) => clusters.length > 0);
      if (users.length === 0) return [];
      const clusters = users.flatMap((user) => user.clusters);
      return [
        noted({
          because: "used elsewhere" as const,
          risk: "high" as const,
          stack: stack.name,
          object,
          clusters,
          stacks: users.map((user) => user.stack),
        }),
      ];
    }),
  );
}

function isDeletedProvider(finding: ObjectFinding): boolean {
  return finding.kind === "provider" && isDeleted(finding);
}

export function inSeveralStacks(findings: readonly ObjectFinding[]): Note[] {
  return [...groupedBy(findings, ({ object }) => object).values()].flatMap((group) => {
    const mayBeOne = group.filter((one) => group.some((other) => isAlsoElsewhere(one, other)));
    return mayBeOne.length > 0 ? ofOneObject(mayBeOne) : [];
  });
}

function ofOneObject(findings: readonly ObjectFinding[]): Note[] {
  const { object } = findings[0]!;
  const from = findings.find(isLetGo);
  const to = findings.find(({ verdict }) => verdict === "ADOPT");
  if (from && to && findings.length === 2)
    return [noted({ because: "handed over", risk: "low", object, from: from.stack, to: to.stack })];

  const creating = findings.filter(({ verdict }) => verdict === "CREATE");
  const taken = creating.flatMap((one): Note[] => {
    const holding = findings.filter((other) => isAlsoElsewhere(one, other) && staysOnService(other));
    const stacks = holding.map(({ stack }) => stack);
    return stacks.length > 0 ? [noted({ because: "taken elsewhere", risk: "high", stack: one.stack, object, stacks })] : [];
  });
  const declaring = findings.filter(({ declared }) => declared).map(({ stack }) => stack);
  const isNew = creating.length > 0 || to !== undefined;
  if (taken.length > 0 || !isNew || declaring.length < 2) return taken;
  const isCreatedTwice = creating.some((one) => creating.some((other) => isAlsoElsewhere(one, other)));
  const twice = { object, stacks: declaring };
  return [
    noted(
      isCreatedTwice
        ? { because: "created twice", risk: "high", ...twice }
        : { because: "declared twice", risk: "low", ...twice },
    ),
  ];
}

/** Whether another stack may have the object on the same service. */
function isAlsoElsewhere(one: ObjectFinding, other: ObjectFinding): boolean {
  return one.stack !== other.stack && mayBeOneService(one.service(), other.service());
}

/** Whether the object exists before and after the apply of its plan. */
function staysOnService(finding: ObjectFinding): boolean {
  const { verdict, refused, risk } = finding;
  if (refused) return true;
  // The orphan check fails the apply if one of high risk lives.
  if (verdict === "LEAVE") return risk !== "high";
  return verdict === "REPLACE" || (verdict === "UNCHANGED" && !hasReason(finding, "GONE"));
}
