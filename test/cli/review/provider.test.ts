import { isAffected } from "../../../src/cli/review/judge/finding";
import { reviewJson } from "../../../src/cli/review/render/formats";
import { hasChanges, type Review } from "../../../src/cli/review/judge/review";
import { gated, planDocument, type PlanDocument, reasonsOf, reviewDocument, reviewFixture } from "./plans";

const rows = ({ findings }: Review) =>
  findings
    .filter(isAffected)
    .map(({ verdict, refused, risk, object, reasons }) =>
      [refused ? `${verdict}, refused` : verdict, risk, object, reasonsOf(reasons)].join(" | "),
    );
const settings = (review: Review) =>
  review.settings.map(({ risk, platform, setting, before, after }) =>
    `${risk} ${platform} ${setting} ${before?.join() ?? "?"} > ${after!.join()}`.replace("  ", " "),
  );
const notes = (review: Review) => review.notes.map(({ because }) => because);
const changes = ({ findings }: Review, name: string) =>
  findings
    .find((finding) => finding.name === name)!
    .changes()
    .map(({ field, before, after }) => `${field} ${before} > ${after}`);

const EVERYTHING = [
  "REPLACE | critical | capvs/clusters/prod | CHANGED, ALLOWED",
  "DESTROY | critical | capvs/clusters/dev | REMOVED",
  "LEAVE | medium | capvs/clusters/old | REMOVED, retain",
  "LEAVE | medium | capvs/clusters/qa | destroy = false",
  "UNCHANGED | medium | capvs/clusters/wide | imported",
  "CREATE | low | capvs/clusters/fresh | NEW",
  "CREATE | low | capvs/clusters/lost | GONE",
  "UNCHANGED | low | capvs/clusters/grown | CHANGED",
  "UNCHANGED | low | capvs/clusters/stage | CHANGED",
  "UNCHANGED | low | capvs/clusters/web | was at",
];

describe("of plans of the real Terraform and OpenTofu", () => {
  test.each<[string, string[], string[], string[]]>([
    [
      "provider/create",
      [
        "ADOPT | medium | capvs/clusters/stage | NEW",
        "CREATE | low | capvs/clusters/prod | NEW",
        "CREATE | low | capvs/providers/vsphere | NEW",
      ],
      [],
      ["secrets"],
    ],
    [
      "provider/everything",
      EVERYTHING,
      ["high deletionProtection capvs/clusters/stage > prod,lost", "high allowDeletion ? > web"],
      ["drift"],
    ],
    [
      "opentofu-1.12/provider/everything",
      EVERYTHING,
      ["high deletionProtection capvs/clusters/stage > prod,lost", "high allowDeletion ? > web"],
      ["drift"],
    ],
    ["provider/unchanged", [], [], []],
    [
      "provider/refused",
      [
        "DESTROY | critical | capvs/clusters/dev | REMOVED, ALLOWED",
        "DESTROY, refused | high | capvs/providers/spare | REMOVED, in use",
        "CREATE | low | capvs/clusters/fresh | NEW",
      ],
      [],
      ["plan failed"],
    ],
    [
      "provider/destroy",
      ["clusters/prod", "clusters/stage", "providers/vsphere"].map((id) => `DESTROY | critical | capvs/${id} | DESTROY_ALL`),
      [],
      [],
    ],
    [
      "provider/switched",
      [
        "LEAVE | critical | capvs/clusters/dev | block removed",
        "ADOPT | medium | capvs/clusters/prod | block removed, declared at",
        "ADOPT | medium | capvs/clusters/stage | block removed, declared at",
        "ADOPT | medium | capvs/providers/vsphere | block removed, declared at",
      ],
      [],
      [],
    ],
    [
      "provider/two-platforms",
      ["REPLACE | critical | capvs/clusters/euro | CHANGED, ALLOWED", "REPLACE | critical | capvs/clusters/prod | CHANGED"],
      ["high eu insecureSkipVerify ? > true"],
      [],
    ],
    ["provider/refresh-only", ["UNCHANGED | medium | capvs/clusters/lost | GONE"], [], []],
    ["opentofu-1.12/provider/refresh-only", ["UNCHANGED | medium | capvs/clusters/lost | GONE"], [], []],
    ["provider/gone-from-code", ["UNCHANGED | medium | capvs/clusters/lost | GONE"], [], []],
    ["opentofu-1.12/provider/gone-from-code", ["UNCHANGED | medium | capvs/clusters/lost | GONE"], [], []],
    [
      "provider/service-moved",
      ["UNCHANGED | low | capvs/clusters/prod | CHANGED", "UNCHANGED | low | capvs/providers/vsphere | CHANGED"],
      ["high url http://127.0.0.1:7070 > http://localhost:7070"],
      [],
    ],
  ])("%s", (name, expected, changed, said) => {
    const review = reviewFixture(name);
    expect(rows(review)).toEqual(expected);
    expect(settings(review)).toEqual(changed);
    expect(notes(review)).toEqual(said);
    expect(review.others.filter(({ type }) => type !== "terraform_data")).toEqual([]);
  });

  test("fields, protection, engine and Platform of each object", () => {
    const review = reviewFixture("provider/everything");
    expect(changes(review, "prod")).toEqual(["controlPlane.count 3 > 5", "podSubnet 10.244.0.0/16 > 10.200.0.0/16"]);
    expect(changes(review, "grown")).toEqual(["controlPlane.count 3 > 5"]);
    const isProtected = review.findings.filter((finding) => finding.protected).map(({ name }) => name);
    expect(isProtected.sort()).toEqual(["lost", "prod"]);
    expect(review.findings.find(({ name }) => name === "prod")).toMatchObject({
      engine: "provider",
      platform: "",
      provider: "vsphere",
      before: { nodes: 5, version: "product 2.5.0" },
      after: { nodes: 7 },
    });
    const both = reviewFixture("provider/two-platforms").findings;
    expect(both.map(({ name, platform, engine }) => [name, platform, engine].join(" "))).toEqual([
      "euro eu provider",
      "prod  terraform_data",
      "vsphere  terraform_data",
      "vsphere-eu eu provider",
    ]);
  });

  test("policies and limits hold as for hooks, and a migration is no loss", () => {
    const rules = [
      { rule: "forbid-destroy", objects: ["dev"] },
      { rule: "max-clusters-deleted", count: 1 },
      { rule: "require-deletion-protection", objects: ["stage"] },
      { rule: "forbid-weakened-settings" },
    ];
    const denied = (name: string) => gated(reviewFixture(name), "none", { rules }).denials.map(({ code }) => code);
    expect(denied("provider/everything")).toEqual([
      "FORBID_DESTROY",
      "MAX_CLUSTERS_DELETED",
      "DELETION_PROTECTION_REQUIRED",
      "WEAKENED_SETTING",
      "WEAKENED_SETTING",
    ]);
    const allow = [{ object: "capvs/clusters/dev", verdict: "LEAVE" }];
    expect(gated(reviewFixture("provider/switched"), "high", { allow }).passed).toBe(true);
  });

  test("shows no secret", () => {
    const review = reviewFixture("provider/secrets");
    expect(reviewJson(review, gated(review))).not.toMatch(/OLD-(KEY|TOKEN)|NEW-(KEY|TOKEN)|10\.200\.0\.0/);
    expect(changes(review, "prod")).toEqual([
      "bodyOverrides.cluster.acmeToken null > null",
      "bodyOverrides.cluster.cakey null > null",
      'bodyOverrides.cluster.note "shown" > "shown too"',
      "podSubnet null > null",
    ]);
    expect(review.findings.find(({ name }) => name === "stage")!.changes()).toEqual([
      { field: "podSubnet", before: "10.244.0.0/16", after: null, unknown: true },
    ]);
  });
});

type Change = PlanDocument["resource_changes"][number];
interface ProviderBlock {
  full_name: string;
  module_address?: string;
  expressions?: Record<string, unknown>;
}
type Edited = PlanDocument & {
  resource_drift: Change[];
  variables: unknown;
  configuration: { provider_config: Record<string, ProviderBlock>; root_module: { variables: unknown } };
};

function edited(name: string, edit: (of: (object: string) => Change, document: Edited) => void) {
  const document = planDocument(name) as Edited;
  edit((object) => document.resource_changes.find((change) => change.name === object)!, document);
  return reviewDocument(document);
}

test("a provider block shows the variables of the root module that are not sensitive", () => {
  const withVariables = (module_address?: string) =>
    edited("provider/unchanged", (_, document) => {
      document.variables = {
        url: { value: "https://${elsewhere}.example.com" },
        name: { value: "prod" },
        token: { value: "https://s3cret.example.com" },
        broken: null,
      };
      document.configuration.root_module.variables = { url: {}, name: {}, token: { sensitive: true }, broken: {} };
      const { clusterplatform: block } = document.configuration.provider_config;
      Object.assign(block!, { module_address });
      Object.assign(block!.expressions!, {
        url: { constant_value: "${var.url}", references: ["var.url"] },
        allow_deletion: { constant_value: ["${ var.name }"], references: ["var.name"] },
      });
    });
  expect(settings(withVariables())).toEqual([
    "high url http://127.0.0.1:7070 > http://127.0.0.1:7070,https://${elsewhere}.example.com",
    "high allowDeletion ? > prod",
  ]);
  expect(settings(withVariables("module.eu"))).toEqual([]);

  const withUrl = (constant_value: string) =>
    edited("provider/unchanged", (_, document) => {
      document.variables = { token: { value: "https://s3cret.example.com" } };
      document.configuration.root_module.variables = { token: { sensitive: true } };
      document.configuration.provider_config.clusterplatform!.expressions!.url = { constant_value };
    });
  expect(settings(withUrl("${var.token}"))).toEqual([]);
  expect(settings(withUrl("${var.undeclared}"))).toEqual([]);
});

const values = (side: unknown) => side as Record<string, unknown>;

describe("does not believe a plan that", () => {
  test("has the objects with a provider of another source", () => {
    const elsewhere = "registry.example.com/evil/clusterplatform";
    const review = edited("provider/everything", (_, { resource_changes: all }) =>
      all.forEach((change) => Object.assign(change, { provider_name: elsewhere })),
    );
    expect(rows(review).filter((row) => !row.endsWith(", provider"))).toEqual([EVERYTHING[9]]);
    expect(rows(review)).toEqual(
      expect.arrayContaining([
        "DESTROY | critical | capvs/clusters/dev | REMOVED, provider",
        "UNKNOWN | high | capvs/clusters/stage | CHANGED, provider",
        "UNKNOWN | high | capvs/clusters/fresh | NEW, provider",
      ]),
    );
    expect(notes(review)).toContain("another provider");
    const rules = [{ rule: "forbid-destroy", objects: ["stage"] }];
    expect(gated(review, "none", { rules }).denials).toMatchObject([{ code: "FORBID_DESTROY", verdict: "UNKNOWN" }]);

    const required = edited("provider/unchanged", (_, { configuration }) => {
      configuration.provider_config.clusterplatform!.full_name = elsewhere;
    });
    expect(required.notes).toMatchObject([
      { code: "FOREIGN", because: "another provider", risk: "high", addresses: ["provider clusterplatform"] },
    ]);
  });

  test("says nothing certain of what the provider block protects", () => {
    const withBlock = (expressions: Record<string, unknown>) =>
      edited("provider/everything", (_, { configuration }) =>
        Object.assign(configuration.provider_config.clusterplatform!.expressions!, expressions),
      );
    // The apply refuses an object that the state protects, whatever the plan says.
    const refused = withBlock({ allow_deletion: { constant_value: [] } });
    expect(rows(refused)[0]).toBe("DESTROY | critical | capvs/clusters/dev | REMOVED");
    expect(rows(refused)).toContain("REPLACE, refused | high | capvs/clusters/prod | CHANGED, protected");
    const ofAnother = withBlock({ allow_deletion: { constant_value: ["dev"] } });
    const prod = ofAnother.findings.find(({ object }) => object === "capvs/clusters/prod")!;
    expect(prod.reasons).toContainEqual({
      code: "REFUSED",
      because: "protected",
      allowedBy: 'allowDeletion: ["dev", "capvs/clusters/prod"]',
    });
    for (const unclear of [
      { constant_value: '${split(",", "prod,web")}' },
      { constant_value: ["${var.allowed}"], references: ["var.allowed"] },
      { references: ["var.allowed"] },
    ]) {
      const review = withBlock({ allow_deletion: unclear });
      expect(rows(review)[0]).toBe("REPLACE | critical | capvs/clusters/prod | CHANGED");
      expect(notes(review)).toContain("settings unknown");
      const known = Object.fromEntries(review.findings.map((finding) => [finding.name, finding.protected]));
      expect(known).toMatchObject({ prod: true, lost: true, dev: null, fresh: null });
    }
    const stripped = edited("provider/everything", (_, document) => delete (document as Partial<Edited>).configuration);
    expect(notes(stripped)).toContain("settings unknown");
    expect(stripped.findings.find(({ name }) => name === "prod")!.protected).toBe(true);
  });

  test("takes another provider block than the id of the object says", () => {
    // The block of the Platform `eu` would allow the deletion, but the object belongs to the other block.
    const review = edited("provider/two-platforms", (_, { configuration }) => {
      const block = configuration.root_module.resources.find(({ name }) => name === "eu_euro")!;
      Object.assign(block, { provider_config_key: "clusterplatform" });
    });
    expect(rows(review)).toContain("REPLACE, refused | high | capvs/clusters/euro | CHANGED, protected");
  });

  test("reaches another service", () => {
    const url = (text: string) =>
      edited("provider/unchanged", (_, { configuration }) => {
        configuration.provider_config.clusterplatform!.expressions!.url = { constant_value: text };
      });
    expect(settings(url("https://elsewhere.example.com"))).toEqual([
      "high url http://127.0.0.1:7070 > http://127.0.0.1:7070,https://elsewhere.example.com",
    ]);
    expect(settings(url("http://127.0.0.1:7070/"))).toEqual([]);
    const created = edited("provider/everything", (of) => {
      values(of("fresh").change.after).service = "https://elsewhere.example.com";
    });
    expect(settings(created)[0]).toBe("high url http://127.0.0.1:7070 > http://127.0.0.1:7070,https://elsewhere.example.com");
  });

  test("replaces an object by one of another name", () => {
    const review = edited("provider/everything", (of) => {
      values(of("prod").change.after).name = "prod-2";
    });
    expect(rows(review)).toEqual(
      expect.arrayContaining([
        "DESTROY | critical | capvs/clusters/prod | declares, ALLOWED",
        "CREATE | low | capvs/clusters/prod-2 | NEW",
      ]),
    );
    const inPlace = edited("provider/everything", (of) => {
      values(of("stage").change.after).name = "stage-2";
    });
    expect(rows(inPlace)).toContain("UNKNOWN | high | capvs/clusters/stage | declares");
  });

  test("deletes an object that a person has moved to the address of another one", () => {
    const moved = (plan: string, change: string, name: string) =>
      edited(plan, (of) => {
        const { change: of_, ...block } = of(change);
        const actions = { actions: ["delete"], after: null };
        Object.assign(of(change), {
          ...block,
          name,
          address: `clusterplatform_capvs_cluster.${name}`,
          change: { ...of_, ...actions },
        });
      });
    const deleted = (review: Review) =>
      review.findings
        .filter(({ name }) => name === "dev" || name === "euro")
        .map((each) => [each.verdict, each.platform].join(" "));
    expect(deleted(moved("provider/everything", "dev", "gone"))).toEqual(["DESTROY "]);
    expect(deleted(moved("provider/everything", "dev", "lab_dev-2"))).toEqual(["UNKNOWN ?"]);
    const gone = moved("provider/two-platforms", "eu_euro", "eu_gone");
    expect(deleted(gone)).toEqual(["UNKNOWN ?"]);
    expect(rows(gone)).toContain("UNKNOWN | critical | capvs/clusters/euro | platform");
    const rules = [{ rule: "forbid-destroy", objects: ["euro"] }];
    expect(gated(gone, "none", { rules }).denials).toEqual([expect.objectContaining({ code: "FORBID_DESTROY" })]);
  });

  test("hides a name, or a field", () => {
    const hidden = () => edited("provider/everything", (of) => (of("dev").change.before_sensitive = { name: true }));
    expect(hidden).toThrow(/plan\.json: the name of clusterplatform_capvs_cluster\.dev is marked as sensitive.*nonsensitive/);
    const review = edited("provider/everything", (of) => {
      of("prod").change.after_sensitive = { control_plane: { count: true } };
    });
    expect(changes(review, "prod")).toEqual(["controlPlane.count null > null", "podSubnet 10.244.0.0/16 > 10.200.0.0/16"]);
    expect(review.findings.find(({ name }) => name === "prod")!.after!.nodes).toBeNull();
  });

  test("has actions, which are critical if they are for an object of a Platform, and fields that are not known here", () => {
    const address = "action.aws_lambda_invoke.drain";
    const invokedBy = (trigger: string) => ({
      address,
      lifecycle_action_trigger: { triggering_resource_address: trigger, action_trigger_event: "BeforeCreate" },
    });
    const document = Object.assign(planDocument("provider/everything"), {
      action_invocations: [{ address, invoke_action_trigger: {} }, invokedBy("clusterplatform_capvs_cluster.dev"), {}],
      deferred_action_invocations: [{ reason: "unknown", action_invocation: invokedBy("clusterplatform_ready.ready") }],
      resource_wishes: [],
    });
    document.resource_changes.push({
      ...document.resource_changes[0]!,
      address: "null_resource.x",
      type: "null_resource",
      name: "x",
    });
    document.resource_changes.at(-1)!.change.actions = ["create"];
    document.action_invocations.push(invokedBy("null_resource.x"));
    const review = reviewDocument(document);
    expect(
      review.notes.filter(({ because }) => because === "not from this package" || because === "unknown parts"),
    ).toMatchObject([
      {
        code: "FOREIGN",
        because: "not from this package",
        addresses: [address, "an action"],
        problem: "is an action that the apply invokes",
      },
      { code: "INCOMPLETE", because: "unknown parts", risk: "low", stack: "stack", parts: ["resource_wishes"] },
    ]);
    expect(gated(review).denials).toContainEqual(
      expect.objectContaining({
        code: "NOTE",
        note: expect.objectContaining({ code: "FOREIGN", because: "not from this package" }) as unknown,
      }),
    );
  });

  test("has types, actions, moves and shapes that are not known here", () => {
    const review = edited("provider/everything", (of, { resource_changes: all }) => {
      Object.assign(of("dev"), { type: "clusterplatform_capxy_cluster", address: "clusterplatform_capxy_cluster.dev" });
      Object.assign(of("qa"), { mode: "data" });
      of("prod").change.actions = ["create", "delete"];
      of("stage").change.actions = ["sublimate"];
      Object.assign(of("frontend"), { previous_address: "clusterplatform_capov_cluster.web" });
      values(of("fresh").change.after).control_plane = "five";
      const { name: _, ...unnamed } = values(of("lost").change.after);
      of("lost").change.after = unnamed as never;
      all.push({ ...of("old"), deposed: "00000001" });
    });
    expect(review.notes).toContainEqual({
      code: "FOREIGN",
      because: "unknown resources",
      risk: "high",
      stack: "stack",
      addresses: ["clusterplatform_capxy_cluster.dev"],
    });
    expect(rows(review)).toEqual([
      "LEAVE | critical | capov/clusters/web | moves to, was at",
      "REPLACE, refused | high | capvs/clusters/prod | CHANGED, create_before_destroy",
      "UNKNOWN | high | capvs/clusters/lost | name",
      "UNKNOWN | high | capvs/clusters/stage | actions",
      "UNKNOWN | high | capvs/clusters/web | was at",
      EVERYTHING[2],
      EVERYTHING[2],
      EVERYTHING[4],
      EVERYTHING[5],
      EVERYTHING[7],
    ]);
  });
});

test("a replacement of a retained object is refused, also with adopt, because the provider plans an adoption as an update", () => {
  const review = edited("provider/everything", (of) => {
    const old = of("old");
    Object.assign(old, { action_reason: "replace_by_request" });
    Object.assign(old.change, { actions: ["delete", "create"], after: { ...values(old.change.before), adopt: true } });
  });
  expect(rows(review)).toContain("REPLACE, refused | high | capvs/clusters/old | -replace, retained");
});

describe("an object that the apply drops from the state", () => {
  test("is a change, and says whether the code still declares it", () => {
    const lost = (name: string) => reviewFixture(name).findings.find((finding) => finding.name === "lost");
    expect(hasChanges(reviewFixture("provider/refresh-only"))).toBe(true);
    expect(lost("provider/refresh-only")).toMatchObject({ declared: true, protected: true });
    expect(lost("provider/gone-from-code")).toMatchObject({ declared: false, protected: false });
  });

  test("is read from deletions in the drift only, and not if the plan has the object at another address", () => {
    const withDrift = (edit: (lost: Change, document: Edited) => void) =>
      rows(
        edited("provider/gone-from-code", (_, document) =>
          edit(
            document.resource_drift.find(({ name }) => name === "lost")!,
            document,
          ),
        ),
      );
    expect(withDrift(({ change }) => Object.assign(change, { actions: ["update"], after: change.before }))).toEqual([]);
    expect(withDrift((lost) => (lost.deposed = "00000001"))).toEqual([]);
    expect(withDrift((lost) => Object.assign(lost, { type: "terraform_data", name: "capvs_clusters", index: "lost" }))).toEqual(
      [],
    );
    const elsewhere = withDrift((lost, { resource_changes: all }) => {
      const change = { actions: ["create"], before: null, after: lost.change.before };
      all.push({ ...lost, address: "clusterplatform_capvs_cluster.other", name: "other", change });
    });
    expect(elsewhere).toEqual(["CREATE | low | capvs/clusters/lost | NEW"]);
    expect(withDrift((lost) => Object.assign(lost, { provider_name: "registry.example.com/evil/clusterplatform" }))).toEqual([
      "UNKNOWN | critical | capvs/clusters/lost | GONE, provider",
    ]);
  });

  test("is not shown in a plan that failed, which may lack its creation, if the code declares it", () => {
    const failed = (name: string) => {
      const { resource_changes: _, ...document } = planDocument(name);
      return rows(reviewDocument({ ...document, resource_changes: [], errored: true } as PlanDocument));
    };
    expect(failed("provider/refresh-only")).toEqual([]);
    expect(failed("provider/gone-from-code")).toEqual(["UNCHANGED | medium | capvs/clusters/lost | GONE"]);
  });

  test("is shown beside another URL of its service", () => {
    const review = edited("provider/refresh-only", (_, { configuration }) => {
      configuration.provider_config.clusterplatform!.expressions!.url = { constant_value: "https://elsewhere.example.com" };
    });
    expect(settings(review)).toEqual(["high url http://127.0.0.1:7070 > https://elsewhere.example.com"]);
  });
});

describe("the order of an apply is by object, not by block", () => {
  const registering = (provider: string) =>
    edited("provider/two-platforms", (of) => {
      Object.assign(of("eu_vsphere-eu").change, { actions: ["delete", "create"] });
      values(of("eu_euro").change.before).provider_name = provider;
      values(of("eu_euro").change.after).provider_name = provider;
    });

  test("a registration comes between deletion and creation of its own clusters only", () => {
    expect(registering("vsphere-eu").notes).toContainEqual(
      expect.objectContaining({
        code: "STAYS_DELETED",
        because: "registration in between",
        providers: ["vsphere-eu"],
        clusters: ["euro"],
      }),
    );
    expect(notes(registering("another"))).not.toContain("registration in between");
  });

  test("a provider that clusters use is not deleted", () => {
    const review = edited("provider/two-platforms", (of) => {
      Object.assign(of("eu_vsphere-eu").change, { actions: ["delete", "create"] });
      Object.assign(of("eu_euro").change, { actions: ["no-op"] });
    });
    expect(rows(review)).toContain("REPLACE, refused | high | capvs/providers/vsphere-eu | CHANGED, in use");
  });
});

test("the waiting resource of a Platform without objects is no other resource, as after a change of the Platform's name", () => {
  const document = planDocument("provider/unchanged");
  const ready = document.resource_changes.find(({ type }) => type === "clusterplatform_ready")!;
  Object.assign(ready.change, { actions: ["delete"], after: null });
  document.resource_changes = [ready];
  const review = reviewDocument(document);
  expect(review.others).toEqual([]);
  expect(review.stacks[0]!.supportResources).toBeGreaterThan(0);
  expect(gated(review, { failOnOtherDeletes: true }).passed).toBe(true);
});
