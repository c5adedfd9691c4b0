import type { InstanceChange } from "../../../src/cli/review/judge/changed-objects";
import type { DestroyHook, PlanContext } from "../../../src/cli/review/judge/plan-context";
import { UNSEEN } from "../../../src/decision/possible";
import { judge } from "../../../src/cli/review/judge/verdict";
import { reasonsOf } from "./plans";

/** Rules for verdicts that no plan in the fixtures has. */

interface Around {
  readonly deletionProtection?: readonly string[];
  readonly retain?: readonly string[];
  readonly adopt?: readonly string[];
  readonly tainted?: boolean;
  readonly hook?: DestroyHook;
  readonly orphanCheck?: boolean;
  readonly users?: readonly string[];
  readonly problem?: string;
  /** Whether the plan shows the Platform's settings. @default true */
  readonly known?: boolean;
}

const self = "capvs/clusters/prod";
const UNSEEN_CREATION = { live: UNSEEN, claim: UNSEEN, isImported: false, isTemporary: false } as const;

function judged(actions: string, around: Around = {}, change: object = {}): string {
  const { deletionProtection = [], retain = [], adopt = [], known = true } = around;
  const platform = { module: "", prefix: "" };
  const block = "null_resource.capvs_clusters";
  const address = `${block}["prod"]`;
  const instance = {
    id: { platform, kind: "clusters", type: "capvs", block, byProvider: false, name: "prod", id: self },
    change: {
      ...{ address, type: "null_resource", name: "capvs_clusters", index: "prod" },
      change: { actions: actions.split(","), before: { triggers: { name: "prod", provider: "vsphere" } } },
    },
  } as const;
  Object.assign(instance.change, change);
  const { verdict, refused, risk, reasons } = judge(
    instance as InstanceChange,
    {
      settingsOf: () => (known ? { deletionProtection, allowDeletion: [], retain, adopt: new Set(), connection: {} } : undefined),
      isTainted: () => around.tainted ?? false,
      destroyHookOf: () => around.hook ?? "runs",
      isLookedFor: () => around.orphanCheck ?? true,
      usersOf: () => around.users ?? [],
      leavesService: () => false,
      hookProblemOf: () => around.problem,
      creationFacts: () => ({ ...UNSEEN_CREATION, isAdopted: adopt.includes(self) }),
      deletionFacts: () => ({
        ...{ hasUnknownRetained: UNSEEN, isSaidGone: UNSEEN, live: UNSEEN },
        isUsed: (around.users ?? []).length > 0,
      }),
      foreignProviderOf: () => undefined,
      isGone: () => false,
      openFieldsOf: () => undefined,
      twinOf: () => undefined,
      unready: () => undefined,
      isLeaving: () => false,
      misplacedAs: () => undefined,
    } as Partial<PlanContext> as PlanContext,
  );
  return [refused ? `${verdict}, refused` : verdict, risk, reasonsOf(reasons)].join(" | ");
}

const removed = { action_reason: "delete_because_each_key" };

test.each<[actions: string, around: Around, change: object, expected: string]>([
  ["create,forget", {}, {}, "LEAVE, refused | high | destroy = false, taken"],
  ["create,forget", { adopt: [self] }, {}, "ADOPT | medium | destroy = false"],
  ["forget,create", {}, {}, "LEAVE, refused | high | destroy = false, taken"],
  ["no-op", {}, {}, "UNCHANGED | none | "],
  ["read", {}, {}, "UNCHANGED | none | "],
  ["no-op", {}, { previous_address: 'null_resource.capvs_clusters["prod"]' }, "UNCHANGED | none | "],
  ["no-op", {}, { change: { actions: ["no-op"], importing: null } }, "UNCHANGED | none | "],
  ["no-op", {}, { change: { actions: ["no-op"], importing: { id: "x" } } }, "UNCHANGED | medium | imported"],

  ["create", { known: false }, {}, "CREATE | low | NEW"],
  ["create", { adopt: ["capvs/clusters/other"] }, {}, "CREATE | low | NEW"],
  ["create", { adopt: [self] }, {}, "ADOPT | medium | NEW"],

  ["forget", {}, {}, "LEAVE | medium | destroy = false"],
  ["forget", { known: false }, {}, "LEAVE | medium | destroy = false"],
  ["forget", { retain: ["prod"] }, {}, "LEAVE | medium | destroy = false"],

  ["delete", {}, { ...removed, deposed: "1234" }, "LEAVE | critical | deposed copy"],
  ["delete", { retain: ["prod"] }, { ...removed, deposed: "1234" }, "LEAVE | critical | deposed copy"],
  ["delete", { tainted: true }, removed, "LEAVE | high | REMOVED, TAINTED"],
  ["delete", { tainted: true, orphanCheck: false }, removed, "LEAVE | critical | REMOVED, TAINTED"],
  ["delete", { tainted: true, retain: ["prod"] }, removed, "LEAVE | medium | REMOVED, retain"],
  ["delete", { tainted: true, deletionProtection: ["prod"] }, removed, "LEAVE | high | REMOVED, TAINTED"],
  ["delete", { hook: "none", deletionProtection: ["prod"] }, removed, "LEAVE | critical | REMOVED, no destroy hook"],
  ["delete", { hook: "block is gone", retain: ["prod"] }, removed, "LEAVE | critical | block removed"],
  ["delete", { deletionProtection: ["p*"], retain: ["prod"] }, removed, "LEAVE | medium | REMOVED, retain"],
  ["delete", { deletionProtection: ["p*"], users: ["a"] }, removed, "DESTROY, refused | high | REMOVED, protected"],
  ["delete", { users: ["a"] }, {}, "DESTROY, refused | high | DESTROY_ALL, in use"],
  ["delete", { retain: ["prod"] }, removed, "LEAVE | medium | REMOVED, retain"],
  ["delete", { deletionProtection: ["p*"] }, removed, "DESTROY, refused | high | REMOVED, protected"],
  ["delete", { known: false }, {}, "DESTROY | critical | DESTROY_ALL"],

  ["create,delete", { retain: ["prod"], tainted: true }, {}, "REPLACE, refused | critical | CHANGED, create_before_destroy"],
  ["delete,create", { hook: "none" }, {}, "REPLACE, refused | critical | CHANGED, no destroy hook"],
  ["delete,create", { hook: "none", retain: ["prod"] }, {}, "REPLACE, refused | critical | CHANGED, no destroy hook"],
  ["delete,create", { tainted: true, hook: "none" }, {}, "CREATE | low | TAINTED"],
  ["delete,create", {}, { action_reason: "replace_by_request" }, "REPLACE | critical | -replace"],
  ["delete,create", { tainted: true, adopt: [self] }, {}, "ADOPT | medium | TAINTED"],
  ["delete,create", { users: ["a"] }, {}, "REPLACE, refused | high | CHANGED, in use"],
  ["delete,create", { known: false }, {}, "REPLACE | critical | CHANGED"],

  ["delete,forget", {}, {}, "UNKNOWN | high | actions"],
  ["", {}, {}, "UNKNOWN | high | actions"],
])("%s with %j of %j is judged %s", (actions, around, change, expected) => {
  expect(judged(actions, around, change)).toBe(expected);
});
