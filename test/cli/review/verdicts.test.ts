import { isAffected } from "../../../src/cli/review/judge/finding";
import { type PlannedStack, readPlan } from "../../../src/cli/review/plan/plan";
import { type Review, reviewPlans } from "../../../src/cli/review/judge/review";
import { reviewJson } from "../../../src/cli/review/render/formats";
import { SynthesizedStack } from "../../../src/cli/review/plan/synthesized-stack";
import { Platform } from "../../../src/constructs/platform";
import { Engine } from "../../../src/constructs/engine";
import { cluster, provider } from "../../support/capvs";
import { synthesize } from "../../support/synth";
import { declareSettings, gated, planDocument, reasonsOf, reviewDocument, reviewFixture } from "./plans";

/** All findings but unchanged objects, as verdict, risk, object, reasons. */
const found = (...names: string[]) => rows(reviewFixture(...names));

function rows({ findings }: Review) {
  return findings
    .filter(isAffected)
    .map(({ verdict, refused, risk, object, reasons }) =>
      [refused ? `${verdict}, refused` : verdict, risk, object, reasonsOf(reasons)].join(" | "),
    );
}

const notes = (...names: string[]) => reviewFixture(...names).notes.map(({ because }) => because);

describe("plans", () => {
  test.each([
    ["unchanged", []],
    [
      "create",
      [
        "CREATE | low | capvs/clusters/prod | NEW",
        "CREATE | low | capvs/clusters/stage | NEW",
        "CREATE | low | capvs/providers/vsphere | NEW",
      ],
    ],
    ["change", ["REPLACE | critical | capvs/clusters/prod | CHANGED"]],
    ["triggered", ["REPLACE | critical | capvs/clusters/prod | replace_triggered_by"]],
    ["unknown", ["REPLACE | critical | capvs/clusters/prod | CHANGED"]],
    ["provider-free", ["REPLACE | critical | capvs/providers/vsphere | CHANGED"]],
    ["remove", ["DESTROY | critical | capvs/clusters/stage | REMOVED"]],
    [
      "remove-all",
      [
        "DESTROY | critical | capvs/clusters/prod | REMOVED",
        "DESTROY | critical | capvs/clusters/stage | REMOVED",
        "DESTROY | critical | capvs/providers/vsphere | REMOVED",
      ],
    ],
    [
      "destroy",
      [
        "DESTROY | critical | capvs/clusters/prod | DESTROY_ALL",
        "DESTROY | critical | capvs/clusters/stage | DESTROY_ALL",
        "DESTROY | critical | capvs/providers/vsphere | DESTROY_ALL",
      ],
    ],
    ["allowed-removal", ["DESTROY | critical | capvs/clusters/stage | REMOVED, ALLOWED"]],
    ["protected-removal", ["DESTROY, refused | high | capvs/clusters/stage | REMOVED, protected"]],
    ["protected-change", ["REPLACE, refused | high | capvs/clusters/prod | CHANGED, protected"]],
    [
      "destroy-protected",
      [
        "DESTROY | critical | capvs/clusters/stage | DESTROY_ALL",
        "DESTROY, refused | high | capvs/clusters/prod | DESTROY_ALL, protected",
        "DESTROY, refused | high | capvs/providers/vsphere | DESTROY_ALL, in use",
      ],
    ],
    [
      "provider-in-use",
      [
        "DESTROY | critical | capvs/clusters/stage | REMOVED",
        "REPLACE, refused | high | capvs/providers/vsphere | CHANGED, in use",
      ],
    ],
    ["retain", ["LEAVE | medium | capvs/clusters/stage | REMOVED, retain"]],
    ["retain-change", ["LEAVE, refused | high | capvs/clusters/prod | CHANGED, retain, taken"]],
    ["retain-and-adopt", ["ADOPT | medium | capvs/clusters/prod | CHANGED, retain"]],
    ["adopt", ["ADOPT | medium | capvs/clusters/stage | NEW"]],
    ["tainted", ["CREATE | low | capvs/clusters/prod | TAINTED"]],
    ["tainted-removal", ["LEAVE | high | capvs/clusters/prod | REMOVED, TAINTED"]],
    ["create-before-destroy", ["REPLACE, refused | critical | capvs/clusters/prod | CHANGED, create_before_destroy"]],
    ["deposed", ["LEAVE | critical | capvs/clusters/prod | deposed copy, TAINTED"]],
    [
      "platform-removed",
      [
        "LEAVE | critical | capvs/clusters/prod | block removed",
        "LEAVE | critical | capvs/clusters/stage | block removed",
        "LEAVE | critical | capvs/providers/vsphere | block removed",
      ],
    ],
    [
      "platform-renamed",
      [
        "LEAVE, refused | critical | capvs/clusters/prod | block removed, declared at, taken",
        "LEAVE, refused | critical | capvs/clusters/stage | block removed, declared at, taken",
        "LEAVE, refused | critical | capvs/providers/vsphere | block removed, declared at, taken",
      ],
    ],
    [
      "platform-renamed-adopt",
      [
        "ADOPT | medium | capvs/clusters/prod | block removed, declared at",
        "ADOPT | medium | capvs/providers/vsphere | block removed, declared at",
      ],
    ],
    [
      "forgotten",
      [
        "LEAVE | critical | capvs/providers/vsphere | block removed",
        "LEAVE | medium | capvs/clusters/prod | destroy = false",
        "LEAVE | medium | capvs/clusters/stage | destroy = false",
      ],
    ],
    [
      "register-and-replace",
      ["REPLACE | critical | capvs/clusters/prod | CHANGED", "CREATE | low | capvs/providers/vsphere-2 | NEW"],
    ],
    ["targeted", ["REPLACE, refused | high | capvs/providers/vsphere | CHANGED, in use"]],
    ["sensitivity", ["UNCHANGED | medium | capvs/clusters/prod | CHANGED"]],
    [
      "renamed",
      [
        "DESTROY | critical | capvs/clusters/stage | declares, was at",
        "DESTROY | critical | capvs/providers/vsphere | declares, was at",
        "CREATE | low | capvs/clusters/stage-new | NEW",
        "CREATE | low | capvs/providers/vsphere-new | NEW",
      ],
    ],
    [
      "renamed-in-state",
      [
        "DESTROY | critical | capvs/clusters/dev | REMOVED",
        "DESTROY | critical | capvs/clusters/stage | declares",
        "CREATE | low | capvs/clusters/stage-new | NEW",
      ],
    ],
    [
      "moved-to-type",
      [
        "DESTROY | critical | capov/providers/vsphere | REMOVED, was at",
        "LEAVE | critical | capvs/providers/vsphere | moves to, was at",
      ],
    ],
    ["readiness-only", []],
    ["others", []],
    [
      "connected",
      [
        "DESTROY | critical | capvs/clusters/stage | REMOVED",
        "REPLACE, refused | high | capvs/clusters/prod | -replace, protected",
        "ADOPT | medium | capvs/clusters/old | NEW",
        "CREATE | low | capvs/clusters/dev | NEW",
      ],
    ],
    ["connection-changed", []],
    [
      "without-destroy-hooks",
      [
        "REPLACE, refused | critical | capvs/clusters/prod | CHANGED, no destroy hook",
        "LEAVE | critical | capvs/clusters/stage | REMOVED, no destroy hook",
        "CREATE | low | capvs/clusters/dev | NEW",
      ],
    ],
  ])("have the expected verdicts: %s", (name, expected) => {
    expect(found(name)).toEqual(expected);
  });

  test("no report reads what the fixtures lack", () => {
    const [whole, change] = ["whole", "change"].map((name) => {
      const review = reviewDocument(planDocument(name));
      return reviewJson(review, gated(review));
    });
    expect(change).toBe(whole);
  });

  test("a review names the clusters that keep a provider from being replaced, including those that a targeted plan leaves out", () => {
    const inUse = (name: string) =>
      reviewFixture(name)
        .findings.find(({ refused }) => refused)
        ?.reasons.at(-1);
    expect(inUse("provider-in-use")).toEqual({ code: "REFUSED", because: "in use", clusters: ["prod"] });
    expect(inUse("targeted")).toEqual({ code: "REFUSED", because: "in use", clusters: ["prod", "stage"] });
  });

  test("a review warns of a registration between the deletion and the re-creation of a cluster of its type", () => {
    expect(reviewFixture("register-and-replace").notes[0]).toEqual({
      code: "STAYS_DELETED",
      because: "registration in between",
      risk: "high",
      stack: "register-and-replace",
      type: "capvs",
      providers: ["vsphere-2"],
      clusters: ["prod"],
    });
  });

  test.each([["provider-in-use-and-replace", ["capvs/clusters/prod"], ["capvs/providers/vsphere"]]])(
    "a review warns of objects that stay deleted because the apply is refused before it creates them again: %s",
    (name, objects, refused) => {
      expect(reviewFixture(name).notes[0]).toEqual({
        code: "STAYS_DELETED",
        because: "refused in between",
        risk: "critical",
        stack: name,
        objects,
        refused,
      });
    },
  );

  test.each([
    ["protected-removal-and-replace", "protected", ["capvs/clusters/stage"], 'allowDeletion: ["stage"]'],
    ["protected-and-replace", "protected", ["capvs/clusters/stage"], 'allowDeletion: ["stage"]'],
    ["protected-removal", "protected", ["capvs/clusters/stage"], 'allowDeletion: ["stage"]'],
    ["destroy-protected", "protected", ["capvs/clusters/prod"], "deletionProtection: false"],
    ["retain-unknown", "retain matches nothing", ["nobody"], undefined],
  ])("a review says that the deletion guard refuses before anything is deleted: %s", (name, because, names, allowedBy) => {
    const { notes: all } = reviewFixture(name);
    const note = { code: "REFUSED", risk: "high", stack: name, platform: "", because, names, allowedBy };
    expect(all.filter(({ risk }) => risk !== "none")).toEqual([note]);
  });

  test("a review says that a plan is incomplete, that checks failed, and that outputs change", () => {
    expect(notes("targeted")).toContain("part of the stack");
    expect(notes("errored")).toEqual(["plan failed", "checks failed"]);
    expect(notes("others")).toEqual(expect.arrayContaining(["checks failed"]));
    expect(notes("change")).toEqual([]);
  });

  test("a review counts other resources by type, and never the Platform's own among them", () => {
    expect(reviewFixture("others").others).toEqual([
      {
        stack: "others",
        type: "terraform_data",
        create: 1,
        update: 1,
        delete: 1,
        read: 0,
        other: 0,
        unchanged: 1,
        deleted: ["terraform_data.gone"],
        created: ["terraform_data.new"],
        provisioned: [],
      },
    ]);
    expect(reviewFixture("change").others).toEqual([]);
    expect(reviewFixture("platform-renamed").others).toEqual([]);
  });

  test("a review lists the secrets for the creations, from the synthesized stack", () => {
    const synthesized = new SynthesizedStack(
      synthesize((stack) => {
        const platform = new Platform(stack, "platform", { engine: Engine.NULL_RESOURCE, deletionProtection: false });
        const on = provider(platform);
        cluster(platform, "prod", on);
        cluster(platform, "stage", on);
      }) as never,
    );
    const secrets = (name: string) =>
      reviewPlans([{ name, plan: readPlan(planDocument(name), name), synthesized }]).notes.find(
        ({ because }) => because === "secrets",
      );
    expect(secrets("create")).toEqual({
      code: "NEEDS",
      because: "secrets",
      risk: "none",
      stack: "create",
      variables: ["VSPHERE_PASSWORD", "VSPHERE_USERNAME"],
      files: [],
    });
    expect(secrets("change")).toBeUndefined();
    expect(secrets("destroy")).toBeUndefined();
  });

  test("a review recognizes an object that moves to another stack, and one that two stacks would create", () => {
    const between = (...names: string[]) =>
      reviewFixture(...names).notes.filter(({ because }) =>
        /^(handed over|(declared|created) twice|taken elsewhere)$/.test(because),
      );
    const [prod, stage, vsphere] = ["capvs/clusters/prod", "capvs/clusters/stage", "capvs/providers/vsphere"];
    expect(between("handover-from", "handover-to")).toEqual([
      { code: "HINT", because: "handed over", risk: "low", object: prod, from: "handover-from", to: "handover-to" },
    ]);
    // The other stack forgets to adopt.
    const taken = { code: "REFUSED", because: "taken elsewhere", risk: "high", stack: "create", stacks: ["handover-from"] };
    expect(between("handover-from", "create")).toEqual(
      expect.arrayContaining([prod, stage, vsphere].map((object) => ({ ...taken, object }))),
    );
    expect(between("handover-from", "create")).toHaveLength(3);
    expect(gated(reviewFixture("handover-from", "create"), "critical").denials).toHaveLength(3);

    const twice = { code: "HINT", because: "declared twice", object: prod };
    expect(between("create", "handover-to")).toEqual([{ ...twice, risk: "low", stacks: ["create", "handover-to"] }]);
    const both = reviewFixture("create", "provider/create");
    const created = { code: "REFUSED", because: "created twice", object: prod };
    expect(both.notes).toContainEqual({ ...created, risk: "high", stacks: ["create", "provider/create"] });
    expect(gated(both, "critical").passed).toBe(false);
    // `lost` has left the service already.
    const again = JSON.stringify(planDocument("provider/create")).replaceAll("prod", "lost");
    const stacks = [planDocument("provider/gone-from-code"), JSON.parse(again) as object];
    const { notes: noted } = reviewPlans(stacks.map((plan, index) => ({ name: `${index}`, plan: readPlan(plan, "plan.json") })));
    expect(noted.flatMap((note) => (note.because === "taken elsewhere" ? [note.object] : []))).toEqual([vsphere]);
  });

  test("an object of the same name on another service is another object", () => {
    const at = (name: string, url: string) => {
      const document = planDocument(name);
      declareSettings(document, { connection: { url } });
      return { name: `${name} at ${url}`, plan: readPlan(document, name) };
    };
    const codes = (...stacks: PlannedStack[]) => new Set(reviewPlans(stacks).notes.map(({ because }) => because));
    const [one, other] = ["https://platform.example.com", "https://other.example.com"];
    expect(codes(at("unchanged", one), at("create", `${one}/`))).toContain("taken elsewhere");
    expect(codes(at("unchanged", one), at("create", other))).not.toContain("taken elsewhere");
    expect(codes(at("create", one), at("create", other))).not.toContain("created twice");
    const byProvider = { name: "provider", plan: readPlan(planDocument("provider/unchanged"), "plan.json") };
    expect(codes(byProvider, at("create", one))).not.toContain("taken elsewhere");
    expect(codes(byProvider, at("create", "http://127.0.0.1:7070"))).toContain("taken elsewhere");
    expect(codes(at("provider-free", one), at("unchanged", `${one}/`))).toContain("used elsewhere");
    expect(codes(at("provider-free", one), at("unchanged", other))).not.toContain("used elsewhere");
  });

  test("a review recognizes a deleted provider that clusters of another stack use, and what stays deleted then", () => {
    const used = reviewFixture("provider-free", "unchanged").notes.filter(({ because }) => because === "used elsewhere");
    expect(used).toEqual([
      {
        code: "REFUSED",
        because: "used elsewhere",
        risk: "high",
        stack: "provider-free",
        object: "capvs/providers/vsphere",
        clusters: ["prod", "stage"],
        stacks: ["unchanged"],
      },
    ]);
    expect(notes("provider-free", "remove-all")).not.toContain("used elsewhere");
    expect(notes("provider-free", "create")).not.toContain("used elsewhere");
    expect(notes("unchanged", "change")).not.toContain("used elsewhere");
  });

  test("a review recognizes a removed Platform and protected objects even without the plan's configuration", () => {
    const stripped = (name: string) => {
      const { configuration: _, prior_state: __, ...document } = planDocument(name);
      return reviewDocument(document).findings.filter(isAffected);
    };
    expect(stripped("platform-removed").map(({ verdict }) => verdict)).toEqual(["LEAVE", "LEAVE", "LEAVE"]);
    expect(stripped("protected-change").map(({ verdict }) => verdict)).toEqual(["REPLACE"]);
    expect(stripped("provider-in-use").map(({ verdict }) => verdict)).toEqual(["DESTROY", "REPLACE"]);
  });

  test("a review recognizes the same Platform inside of a module, and keeps it apart from another one", () => {
    const document = planDocument("protected-change");
    const resources = document.configuration!.root_module.resources;
    document.configuration!.root_module = { resources: [], module_calls: { fleet: { module: { resources } } } };
    for (const change of document.resource_changes) {
      change.module_address = 'module.fleet["eu"]';
      change.address = `module.fleet["eu"].${change.address}`;
    }
    const [worst] = reviewDocument(document).findings;
    expect(worst).toMatchObject({ verdict: "REPLACE", refused: true, platform: 'module.fleet["eu"]', name: "prod" });
    delete document.configuration;
    document.resource_changes.find(({ name }) => name === "cluster_platform_protection")!.module_address = "module.other";
    const unknown = reviewDocument(document);
    expect(unknown.findings[0]).toMatchObject({ verdict: "REPLACE", protected: null });
    expect(unknown.notes.map(({ because }) => because)).toContain("settings unknown");
  });
});

test.each([
  ["change", ["REPLACE | critical | capvs/clusters/prod | CHANGED"]],
  ["unknown", ["REPLACE | critical | capvs/clusters/prod | CHANGED"]],
  ["secrets", ["REPLACE | critical | capvs/clusters/prod | CHANGED"]],
])("the findings are the same with the other engine: %s", (name, expected) => {
  expect(found(`terraform_data/${name}`)).toEqual(expected);
  expect(found(name)).toEqual(expected);
});

test.each(["switched", "terraform_data/switched"])("%s: another engine drops the objects, and adopt takes them over", (name) => {
  expect(found(name)[0]).toBe("LEAVE, refused | critical | capvs/clusters/prod | block removed, declared at, taken");
  const document = planDocument(name);
  const settings = document.resource_changes.find((change) => change.name === "cluster_platform_protection")!.change;
  for (const values of [settings.before, settings.after]) {
    Object.assign((values as { input: object }).input, { adopt: ["capvs/clusters/prod", "capvs/providers/vsphere"] });
  }
  const isComing = ({ change, index }: (typeof document.resource_changes)[number]) =>
    change.actions.join() === "create" && index === "stage";
  document.resource_changes = document.resource_changes.filter((change) => !isComing(change));
  expect(rows(reviewDocument(document))).toEqual([
    "LEAVE | critical | capvs/clusters/stage | block removed",
    "ADOPT | medium | capvs/clusters/prod | block removed, declared at",
    "ADOPT | medium | capvs/providers/vsphere | block removed, declared at",
  ]);
});

test("a review reports an object with only a new address as moved, and says so for a replaced one", () => {
  expect(found("moved")).toEqual([
    "REPLACE | critical | capvs/clusters/prod | CHANGED, was at",
    "UNCHANGED | low | capvs/clusters/stage | was at",
    "UNCHANGED | low | capvs/providers/vsphere | was at",
  ]);
});

test.each(["terraform-1.5", "opentofu-1.6"])("a plan of %s does not say that it is a part, and has its verdicts", (program) => {
  const name = `${program}/targeted`;
  expect(notes(name)).not.toContain("part of the stack");
  expect(found(name)).toEqual(["REPLACE, refused | high | capvs/providers/vsphere | CHANGED, in use"]);
});

describe("what Terraform does not plan for these objects by itself", () => {
  const changed = (edit: (change: ReturnType<typeof prodOf>) => void) => {
    const document = planDocument("unchanged");
    edit(prodOf(document));
    return reviewDocument(document).findings[0]!;
  };
  const prodOf = (document: ReturnType<typeof planDocument>) => document.resource_changes.find(({ index }) => index === "prod")!;

  test("an update in place changes only the state, and so does an import", () => {
    expect(changed(({ change }) => (change.actions = ["update"]))).toMatchObject({ verdict: "UNCHANGED", risk: "medium" });
    expect(changed(({ change }) => (change.importing = { id: "x" }))).toMatchObject({ verdict: "UNCHANGED", risk: "medium" });
  });

  test("an unknown action is not treated as harmless", () => {
    expect(changed(({ change }) => (change.actions = ["create", "sublimate"]))).toMatchObject({
      verdict: "UNKNOWN",
      risk: "high",
      reasons: [{ code: "UNKNOWN", because: "actions", actions: ["create", "sublimate"] }],
    });
  });

  test("a block without a destroy hook orphans the objects that it drops", () => {
    const document = planDocument("remove");
    for (const block of document.configuration!.root_module.resources) block.provisioners = [];
    expect(reviewDocument(document).findings[0]).toMatchObject({ verdict: "LEAVE", risk: "critical" });
  });
});
