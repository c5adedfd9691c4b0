import type { InstanceChange } from "../../../src/cli/review/judge/changed-objects";
import type { DestroyHook, PlanContext } from "../../../src/cli/review/judge/plan-context";
import { UNSEEN } from "../../../src/decision/possible";
import { judge } from "../../../src/cli/review/judge/verdict";

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
      isMissing: () => false,
      misplacedAs: () => undefined,
    } as Partial<PlanContext> as PlanContext,
  );
  return [refused ? `${verdict}, refused` : verdict, risk, reasons.map(({ code }) => code).join(" ")].join(" | ");
}

const removed = { action_reason: "delete_because_each_key" };

test.each<[actions: string, around: Around, change: object, expected: string]>([
  ["create,forget", {}, {}, "LEAVE, refused | high | FORGOTTEN NAME_TAKEN"],
  ["create,forget", { adopt: [self] }, {}, "ADOPT | medium | FORGOTTEN ADOPTS"],
  ["forget,create", {}, {}, "LEAVE, refused | high | FORGOTTEN NAME_TAKEN"],
  ["no-op", {}, {}, "UNCHANGED | none | "],
  ["read", {}, {}, "UNCHANGED | none | "],
  ["no-op", {}, { previous_address: 'null_resource.capvs_clusters["prod"]' }, "UNCHANGED | none | "],
  ["no-op", {}, { change: { actions: ["no-op"], importing: null } }, "UNCHANGED | none | "],
  ["no-op", {}, { change: { actions: ["no-op"], importing: { id: "x" } } }, "UNCHANGED | medium | IMPORTED"],

  ["create", { known: false }, {}, "CREATE | low | NEW"],
  ["create", { adopt: ["capvs/clusters/other"] }, {}, "CREATE | low | NEW"],
  ["create", { adopt: [self] }, {}, "ADOPT | medium | NEW ADOPTS"],

  ["forget", {}, {}, "LEAVE | medium | FORGOTTEN"],
  ["forget", { known: false }, {}, "LEAVE | medium | FORGOTTEN"],
  ["forget", { retain: ["prod"] }, {}, "LEAVE | medium | FORGOTTEN"],

  ["delete", {}, { ...removed, deposed: "1234" }, "LEAVE | critical | DEPOSED"],
  ["delete", { retain: ["prod"] }, { ...removed, deposed: "1234" }, "LEAVE | critical | DEPOSED"],
  ["delete", { tainted: true }, removed, "LEAVE | high | REMOVED TAINTED LOOKED_FOR"],
  ["delete", { tainted: true, orphanCheck: false }, removed, "LEAVE | critical | REMOVED TAINTED"],
  ["delete", { tainted: true, retain: ["prod"] }, removed, "LEAVE | medium | REMOVED RETAINED"],
  ["delete", { tainted: true, deletionProtection: ["prod"] }, removed, "LEAVE | high | REMOVED TAINTED LOOKED_FOR"],
  ["delete", { hook: "none", deletionProtection: ["prod"] }, removed, "LEAVE | critical | REMOVED NO_DESTROY_HOOK"],
  ["delete", { hook: "block is gone", retain: ["prod"] }, removed, "LEAVE | critical | BLOCK_REMOVED"],
  ["delete", { deletionProtection: ["p*"], retain: ["prod"] }, removed, "LEAVE | medium | REMOVED RETAINED"],
  ["delete", { deletionProtection: ["p*"], users: ["a"] }, removed, "DESTROY, refused | high | REMOVED PROTECTED"],
  ["delete", { users: ["a"] }, {}, "DESTROY, refused | high | DESTROY_ALL IN_USE"],
  ["delete", { retain: ["prod"] }, removed, "LEAVE | medium | REMOVED RETAINED"],
  ["delete", { deletionProtection: ["p*"] }, removed, "DESTROY, refused | high | REMOVED PROTECTED"],
  ["delete", { known: false }, {}, "DESTROY | critical | DESTROY_ALL"],

  [
    "create,delete",
    { retain: ["prod"], tainted: true },
    {},
    "REPLACE, refused | critical | FIELDS_CHANGED CREATE_BEFORE_DESTROY",
  ],
  ["delete,create", { hook: "none" }, {}, "REPLACE, refused | critical | FIELDS_CHANGED NO_DESTROY_HOOK"],
  ["delete,create", { hook: "none", retain: ["prod"] }, {}, "REPLACE, refused | critical | FIELDS_CHANGED NO_DESTROY_HOOK"],
  ["delete,create", { tainted: true, hook: "none" }, {}, "CREATE | low | TAINTED"],
  ["delete,create", {}, { action_reason: "replace_by_request" }, "REPLACE | critical | REPLACE_REQUESTED"],
  ["delete,create", { tainted: true, adopt: [self] }, {}, "ADOPT | medium | TAINTED ADOPTS"],
  ["delete,create", { users: ["a"] }, {}, "REPLACE, refused | high | FIELDS_CHANGED IN_USE"],
  ["delete,create", { known: false }, {}, "REPLACE | critical | FIELDS_CHANGED"],

  ["delete,forget", {}, {}, "UNKNOWN | high | ACTIONS"],
  ["", {}, {}, "UNKNOWN | high | ACTIONS"],
])("%s with %j of %j is judged %s", (actions, around, change, expected) => {
  expect(judged(actions, around, change)).toBe(expected);
});
