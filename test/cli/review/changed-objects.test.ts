import { isAffected } from "../../../src/cli/review/judge/finding";
import { declareObjects, declareSettings, gated, planDocument, type PlanDocument, reasonsOf, reviewDocument } from "./plans";

/**
 * Plans in which an instance's key, the names in its triggers and its previous address disagree. All but the first are edited
 * plans of the real Terraform.
 */

const plan = planDocument;
const changeOf = ({ resource_changes: changes }: PlanDocument, key: string) => changes.find(({ index }) => index === key)!;
const found = (document: PlanDocument) =>
  reviewDocument(document)
    .findings.filter(isAffected)
    .map(({ verdict, refused, risk, object, reasons }) =>
      [refused ? `${verdict}, refused` : verdict, risk, object, reasonsOf(reasons)].join(" | "),
    );
const edited = (name: string, key: string, edit: (change: ReturnType<typeof changeOf>, document: PlanDocument) => void) => {
  const document = plan(name);
  edit(changeOf(document, key), document);
  return found(document);
};
const CLUSTER = (key: string) => `null_resource.capvs_clusters["${key}"]`;

test("a renamed object is denied as the deletion that it is: by its risk, by a rule and by a limit", () => {
  const review = reviewDocument(plan("renamed"));
  expect(gated(review).denials.map((denial) => "object" in denial && denial.object)).toEqual([
    "capvs/clusters/stage",
    "capvs/providers/vsphere",
  ]);
  const rules = [
    { rule: "forbid-destroy", objects: ["stage"] },
    { rule: "max-clusters-deleted", count: 0 },
  ];
  expect(gated(review, "none", { rules }).denials.map(({ code }) => code)).toEqual(["FORBID_DESTROY", "MAX_CLUSTERS_DELETED"]);
});

describe("a renamed object is subject to the settings for its old name", () => {
  const settings = (said: Record<string, string[]>) => (document: PlanDocument) => declareSettings(document, said);
  test.each<[string, (document: PlanDocument) => void, string]>([
    [
      "protection",
      settings({ deletionProtection: ["stage"] }),
      "DESTROY, refused | high | capvs/clusters/stage | declares, protected",
    ],
    ["retention", settings({ retain: ["stage"] }), "LEAVE | medium | capvs/clusters/stage | declares, retain"],
    [
      "a taint",
      (document) => (changeOf(document, "stage-new").action_reason = "replace_because_tainted"),
      "LEAVE | high | capvs/clusters/stage | declares, TAINTED",
    ],
    [
      "create_before_destroy",
      (document) => (changeOf(document, "stage-new").change.actions = ["create", "delete"]),
      "LEAVE | critical | capvs/clusters/stage | create_before_destroy, declares",
    ],
  ])("%s", (_, edit, expected) => {
    const document = plan("renamed");
    edit(document);
    expect(found(document)).toEqual(
      expect.arrayContaining([`${expected}, was at`, "CREATE | low | capvs/clusters/stage-new | NEW"]),
    );
  });

  test("and its hook refuses if the code declares it, wherever", () => {
    const document = plan("renamed");
    declareObjects(document, "capvs_clusters", ["stage"]);
    expect(found(document)).toContain("DESTROY, refused | high | capvs/clusters/stage | declares, was at");
  });

  test("and still uses its old provider", () => {
    const document = plan("renamed");
    const { resources } = document.prior_state!.values.root_module;
    // A plan with -target lists only some resources.
    document.resource_changes = document.resource_changes.filter(({ index }) => index !== "stage-new");
    expect(resources.map(({ address }) => address)).toContain(CLUSTER("stage-new"));
    expect(reviewDocument(document).findings.find(({ refused }) => refused)).toMatchObject({
      object: "capvs/providers/vsphere",
      reasons: [{ because: "declares" }, { because: "in use", clusters: ["stage"] }, { because: "was at" }],
    });
  });
});

const MOVED = ["clusters/stage", "providers/vsphere"].map((object) => `UNCHANGED | low | capvs/${object} | was at`);

test.each<[string, string, Parameters<typeof edited>[2], string[]]>([
  [
    "the name in the state for an instance that Terraform forgets at another key",
    "unchanged",
    ({ change }) => Object.assign(change, { actions: ["forget"], after: null, before: named(change.before, "old") }),
    ["LEAVE | medium | capvs/clusters/old | destroy = false"],
  ],
  [
    "the name in the state for a deposed copy from before a rename",
    "remove",
    (prod, { resource_changes: changes }) =>
      changes.push({
        ...prod,
        deposed: "1",
        change: { ...prod.change, actions: ["delete"], before: named(prod.change.before, "old") },
      }),
    ["DESTROY | critical | capvs/clusters/stage | REMOVED", "LEAVE | critical | capvs/clusters/old | deposed copy"],
  ],
  [
    "both objects for an instance that moves into a block for another type and stays",
    "unchanged",
    (prod) => move(prod, { name: "capov_clusters", index: "prod" }),
    ["LEAVE | critical | capvs/clusters/prod | moves to, was at", "UNKNOWN | high | capov/clusters/prod | was at"],
  ],
  [
    "the same object for an instance that moves between modules",
    "unchanged",
    (prod) => Object.assign(prod, { previous_address: `module.a["x.y[\\"0\\"]"].module.b[0].${CLUSTER("prod")}` }),
    ["UNCHANGED | low | capvs/clusters/prod | was at"],
  ],
  [
    "the old object for an instance that moves out of a module and leaves the blocks",
    "unchanged",
    (prod) => Object.assign(move(prod, { name: "attic" }), { previous_address: `module.a["x.y"].${CLUSTER("prod")}` }),
    ["LEAVE | critical | capvs/clusters/prod | moves to, was at"],
  ],
  [
    "the old key for an instance that moves to a resource without triggers",
    "unchanged",
    (prod) => Object.assign(move(prod, { name: "attic" }), { change: { actions: ["no-op"], before: {}, after: {} } }),
    ["LEAVE | critical | capvs/clusters/prod | moves to, was at"],
  ],
  [
    "the old object for an instance that moves away and is forgotten",
    "unchanged",
    (prod) => {
      move(prod, { name: "attic" });
      Object.assign(prod.change, { actions: ["forget"], after: null });
    },
    ["LEAVE | medium | capvs/clusters/prod | destroy = false, was at"],
  ],
  [
    "a taken name for an instance that moves away and is declared again at its old address",
    "unchanged",
    (prod, { resource_changes: changes }) => {
      changes.push({ ...prod, change: { actions: ["create"], before: null, after: prod.change.after } });
      move(prod, { name: "attic" });
    },
    ["LEAVE, refused | critical | capvs/clusters/prod | moves to, was at, declared at, taken"],
  ],
  [
    "an orphan for an instance that moves to a block without hooks with the name of a Platform's block",
    "unchanged",
    (prod, { configuration }) => {
      move(prod, { name: "attic_capvs_clusters", index: "prod" });
      configuration!.root_module.resources.push({ type: "null_resource", name: "attic_capvs_clusters" });
    },
    ["LEAVE | critical | capvs/clusters/prod | no destroy hook, was at"],
  ],
  [
    "refused replacements of both objects for instances that have swapped their keys in the state",
    "change",
    (prod, document) => {
      const stage = changeOf(document, "stage");
      [prod.change.before, stage.change.before] = [stage.change.before, prod.change.before];
      stage.change.actions = prod.change.actions;
      declareObjects(document, "capvs_clusters", ["prod", "stage"]);
    },
    ["prod", "stage"].map((name) => `REPLACE, refused | high | capvs/clusters/${name} | declares, declared at`),
  ],
  [
    "a refused replacement of an imported instance, whatever the settings say",
    "change",
    ({ change }, document) => {
      declareSettings(document, { retain: ["prod"] });
      Object.assign(change, { before: { id: "x", triggers: null } });
    },
    ["REPLACE, refused | high | capvs/clusters/prod | CHANGED, no declaration"],
  ],
  [
    "a refused deletion of an imported instance without a key, by the name of its block",
    "remove",
    (_, document) => importWithoutKey(changeOf(document, "stage")),
    ["DESTROY, refused | high | capvs/clusters/capvs_clusters | REMOVED, no declaration"],
  ],
  [
    "a refused deletion of an instance that lacks the provider of its cluster",
    "remove",
    (_, document) => delete changeOf(document, "stage").change.before!.triggers!.provider,
    ["DESTROY, refused | high | capvs/clusters/stage | REMOVED, no declaration"],
  ],
  [
    "a change of the state only for a tainted instance that cannot move",
    "moved",
    (prod, document) => (leaveBehind(prod, document).action_reason = "replace_because_tainted"),
    ["UNCHANGED | medium | capvs/clusters/prod | REMOVED, TAINTED, declared at", ...MOVED],
  ],
  [
    "a change of the state only for a tainted instance if a plan with -target leaves out the one that keeps the object",
    "moved",
    (prod, document) => {
      leaveBehind(prod, document).action_reason = "replace_because_tainted";
      document.resource_changes = document.resource_changes.filter((each) => each !== prod);
      document.prior_state!.values.root_module.resources.push({ ...prod, values: prod.change.before! });
    },
    ["UNCHANGED | medium | capvs/clusters/prod | REMOVED, TAINTED, declared at", ...MOVED],
  ],
  [
    "an orphan for a tainted instance that cannot move, because another tainted one is at its new address",
    "moved",
    (prod, document) => {
      leaveBehind(prod, document).action_reason = "replace_because_tainted";
      Object.assign(prod, { action_reason: "replace_because_tainted" });
      prod.change.actions = ["delete", "create"];
    },
    ["LEAVE | critical | capvs/clusters/prod | REMOVED, TAINTED", "CREATE | low | capvs/clusters/prod | TAINTED", ...MOVED],
  ],
  [
    "UNKNOWN for an instance that would stay under another key",
    "unchanged",
    ({ change }) => Object.assign(change, { before: named(change.before, "x"), after: named(change.after, "x") }),
    ["UNKNOWN | high | capvs/clusters/x | declares"],
  ],
  [
    "UNKNOWN for a creation whose name is not its key",
    "create",
    ({ change }) => Object.assign(change, { after: named(change.after, "x") }),
    expect.arrayContaining(["UNKNOWN | high | capvs/clusters/prod | declares"]) as never,
  ],
  [
    "both objects for a replacement of another object with a name of its own",
    "change",
    ({ change }) => Object.assign(change, { before: named(change.before, "x"), after: named(change.after, "x") }),
    ["DESTROY | critical | capvs/clusters/x | declares", "UNKNOWN | high | capvs/clusters/prod | declares"],
  ],
  [
    "the name in the state and the key for a replacement whose name is known only after apply",
    "change",
    ({ change }) => Object.assign(change, { before: named(change.before, "x"), after: {}, after_unknown: { triggers: true } }),
    ["DESTROY | critical | capvs/clusters/x | declares", "CREATE | low | capvs/clusters/prod | NEW"],
  ],
])("a review reports %s", (_, name, edit, expected) => {
  expect(edited(name, "prod", edit)).toEqual(expected);
});

test("a foreign resource without a key and a name counts with the other resources", () => {
  const document = plan("remove");
  importWithoutKey(changeOf(document, "stage"));
  for (const block of document.configuration!.root_module.resources) delete block.provisioners;
  expect(reviewDocument(document).others).toMatchObject([{ delete: 1, deleted: [CLUSTER("stage")] }]);
});

function importWithoutKey(change: ReturnType<typeof changeOf>) {
  Object.assign(change, { index: undefined });
  delete change.change.before!.triggers!.name;
}

function move(change: ReturnType<typeof changeOf>, { name, index }: { name: string; index?: string }) {
  const address = `null_resource.${name}${index === undefined ? "" : `["${index}"]`}`;
  return Object.assign(change, { address, previous_address: change.address, name, index });
}

function named(values: PlanDocument["resource_changes"][0]["change"]["after"], name: string) {
  return { ...values, triggers: { ...values!.triggers, name } };
}

/** The state has the object at the address that its instance moves to, too. */
function leaveBehind(prod: ReturnType<typeof changeOf>, { resource_changes: changes, configuration }: PlanDocument) {
  const { previous_address: _, ...rest } = prod;
  const before = { triggers: prod.change.before!.triggers_replace! };
  const left = { ...rest, type: "null_resource", address: CLUSTER("prod"), action_reason: "delete_because_each_key" };
  changes.push({ ...left, change: { actions: ["delete"], before, after: null } });
  delete prod.previous_address;
  prod.change.actions = ["no-op"];
  const provisioners = [{ type: "local-exec", expressions: { command: { constant_value: "delete" } } }];
  configuration!.root_module.resources.push({ type: "null_resource", name: "capvs_clusters", provisioners });
  return changes.at(-1)!;
}
