import type { InstanceChange } from "../../../src/cli/review/judge/changed-objects";
import type { DestroyHook, PlanContext } from "../../../src/cli/review/judge/plan-context";
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
  const { verdict, risk, reasons } = judge(
    instance as InstanceChange,
    {
      settingsOf: () => (known ? { deletionProtection, allowDeletion: [], retain, adopt: new Set(), connection: {} } : undefined),
      isTainted: () => around.tainted ?? false,
      destroyHookOf: () => around.hook ?? "runs",
      isLookedFor: () => around.orphanCheck ?? true,
      usersOf: () => around.users ?? [],
      leavesService: () => false,
      hookProblemOf: () => around.problem,
      adopts: () => adopt.includes(self),
      foreignProviderOf: () => undefined,
      isGone: () => false,
      openFieldsOf: () => undefined,
      twinOf: () => undefined,
    } as Partial<PlanContext> as PlanContext,
  );
  return [verdict, risk, reasons.map(({ code }) => code).join(" ")].join(" | ");
}

const removed = { action_reason: "delete_because_each_key" };

test.each<[actions: string, around: Around, change: object, expected: string]>([
  ["create,forget", {}, {}, "RETAIN | high | FORGOTTEN NAME_TAKEN"],
  ["create,forget", { adopt: [self] }, {}, "ADOPT | medium | FORGOTTEN ADOPTS"],
  ["forget,create", {}, {}, "RETAIN | high | FORGOTTEN NAME_TAKEN"],
  ["no-op", {}, {}, "UNCHANGED | none | "],
  ["read", {}, {}, "UNCHANGED | none | "],
  ["no-op", {}, { previous_address: 'null_resource.capvs_clusters["prod"]' }, "UNCHANGED | none | "],
  ["no-op", {}, { change: { actions: ["no-op"], importing: null } }, "UNCHANGED | none | "],
  ["no-op", {}, { change: { actions: ["no-op"], importing: { id: "x" } } }, "STATE-ONLY | medium | IMPORTED"],

  ["create", { known: false }, {}, "CREATE | low | NEW"],
  ["create", { adopt: ["capvs/clusters/other"] }, {}, "CREATE | low | NEW"],
  ["create", { adopt: [self] }, {}, "ADOPT | medium | NEW ADOPTS"],

  ["forget", {}, {}, "RETAIN | high | FORGOTTEN"],
  ["forget", { known: false }, {}, "RETAIN | high | FORGOTTEN"],
  ["forget", { retain: ["prod"] }, {}, "RETAIN | medium | FORGOTTEN"],

  ["delete", {}, { ...removed, deposed: "1234" }, "ORPHAN | critical | DEPOSED"],
  ["delete", { retain: ["prod"] }, { ...removed, deposed: "1234" }, "ORPHAN | critical | DEPOSED"],
  ["delete", { tainted: true }, removed, "ORPHAN | high | REMOVED TAINTED LOOKED_FOR"],
  ["delete", { tainted: true, orphanCheck: false }, removed, "ORPHAN | critical | REMOVED TAINTED"],
  ["delete", { tainted: true, retain: ["prod"] }, removed, "RETAIN | medium | REMOVED RETAINED"],
  ["delete", { tainted: true, deletionProtection: ["prod"] }, removed, "ORPHAN | high | REMOVED TAINTED LOOKED_FOR"],
  ["delete", { hook: "none", deletionProtection: ["prod"] }, removed, "ORPHAN | critical | REMOVED NO_DESTROY_HOOK"],
  ["delete", { hook: "block is gone", retain: ["prod"] }, removed, "ORPHAN | critical | BLOCK_REMOVED"],
  ["delete", { deletionProtection: ["p*"], retain: ["prod"] }, removed, "RETAIN | medium | REMOVED RETAINED"],
  ["delete", { deletionProtection: ["p*"], users: ["a"] }, removed, "PROTECTED | high | REMOVED PROTECTED"],
  ["delete", { users: ["a"] }, {}, "IN-USE | high | DESTROY_ALL IN_USE"],
  ["delete", { retain: ["prod"] }, removed, "RETAIN | medium | REMOVED RETAINED"],
  ["delete", { deletionProtection: ["p*"] }, removed, "PROTECTED | high | REMOVED PROTECTED"],
  ["delete", { known: false }, {}, "DESTROY | critical | DESTROY_ALL"],

  ["create,delete", { retain: ["prod"], tainted: true }, {}, "DUPLICATE | critical | FIELDS_CHANGED CREATE_BEFORE_DESTROY"],
  ["delete,create", { hook: "none" }, {}, "DUPLICATE | critical | FIELDS_CHANGED NO_DESTROY_HOOK"],
  ["delete,create", { hook: "none", retain: ["prod"] }, {}, "DUPLICATE | critical | FIELDS_CHANGED NO_DESTROY_HOOK"],
  ["delete,create", { tainted: true, hook: "none" }, {}, "DUPLICATE | high | TAINTED"],
  ["delete,create", {}, { action_reason: "replace_by_request" }, "REPLACE | critical | REPLACE_REQUESTED"],
  ["delete,create", { tainted: true, adopt: [self] }, {}, "ADOPT | medium | TAINTED ADOPTS"],
  ["delete,create", { users: ["a"] }, {}, "IN-USE | high | FIELDS_CHANGED IN_USE"],
  ["delete,create", { known: false }, {}, "REPLACE | critical | FIELDS_CHANGED"],

  ["delete,forget", {}, {}, "UNKNOWN | high | ACTIONS"],
  ["", {}, {}, "UNKNOWN | high | ACTIONS"],
])("%s with %j of %j is judged %s", (actions, around, change, expected) => {
  expect(judged(actions, around, change)).toBe(expected);
});
