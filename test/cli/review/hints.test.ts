import { written } from "../../../src/cli/report/phrase";
import { renames } from "../../../src/cli/review/judge/hints";
import { notePhrase } from "../../../src/cli/review/render/wording";
import { declareSettings, planDocument, reviewDocument, reviewFixture, type PlanDocument } from "./plans";

const said = ({ notes }: ReturnType<typeof reviewFixture>, ...codes: string[]) =>
  notes.filter(({ because }) => codes.includes(because)).map((note) => written(notePhrase(note, false), String));
const at = ({ resource_changes: changes }: PlanDocument, index: string) => changes.find((change) => change.index === index)!;

test("a removal and a creation with one endpoint look like a rename", () => {
  const document = planDocument("connected");
  const [stage, dev] = [at(document, "stage"), at(document, "dev")];
  const renamed = () => said(reviewDocument(document), "looks renamed");
  expect(renamed()).toEqual([]);
  dev.change.after!.triggers!.apiEndpoint = stage.change.before!.triggers!.apiEndpoint!;
  expect(renamed()).toEqual([
    "capvs/clusters/stage leaves, and capvs/clusters/dev comes with the same apiEndpoint: this looks like a rename, " +
      "and the service has none. To keep the object, keep its name",
  ]);
  stage.change.before_sensitive = { triggers: { apiEndpoint: true } };
  expect(renamed()).toEqual([]);
});

test("an object that comes on another Platform under its own name looks like no rename", () => {
  const finding = (verdict: string, name: string) => ({
    verdict,
    declared: verdict === "CREATE",
    type: "capvs",
    kind: "cluster",
    object: `capvs/clusters/${name}`,
    endpoint: () => ["apiEndpoint", "10.0.0.9"],
  });
  const noted = (name: string) => renames([finding("DESTROY", "prod"), finding("CREATE", name)] as never);
  expect(noted("next")).toHaveLength(1);
  expect(noted("prod")).toEqual([]);
});

test("a replacement for another version names the way without downtime", () => {
  const document = planDocument("change");
  expect(said(reviewDocument(document), "new version")).toEqual([]);
  at(document, "prod").change.after!.triggers!.productVersion = "2.6.0";
  expect(said(reviewDocument(document), "new version")).toEqual([
    'capvs/clusters/prod: another version. The way without downtime is a second cluster beside it: see "Change a field" in docs/day-2.md',
  ]);
});

test.each([
  ["create", undefined],
  ["provider/create", "http://127.0.0.1:7070"],
  ["connected", "http://127.0.0.1:7070"],
])("a finding has the URL of its service if the plan shows it: %s", (name, url) => {
  const { findings } = reviewFixture(name);
  expect(new Set(findings.map(({ service }) => service()))).toEqual(new Set([url]));
});

describe("a setting for one apply whose work is done is a reminder", () => {
  const left = (settings: Record<string, readonly string[]>, name = "unchanged") => {
    const document = planDocument(name);
    declareSettings(document, settings);
    const protection = document.resource_changes.find((change) => change.name === "cluster_platform_protection")!;
    Object.assign(protection.change.before!.input!, settings);
    return said(reviewDocument(document), "leftover");
  };

  test.each(["allowDeletion", "retain", "adopt"])("%s", (setting) => {
    const reminder = `reminder: ${setting} has done its work for capvs/clusters/prod. Remove it from the code`;
    expect(left({ [setting]: ["capvs/clusters/prod"] })).toEqual([reminder]);
  });

  test("unless this plan needs it or adds it", () => {
    expect(left({ allowDeletion: ["prod"] }, "change")).toEqual([]);
    expect(left({ retain: ["stage"] }, "retain")).toEqual([]);
    expect(said(reviewFixture("allowed-removal"), "LEFTOVER")).toEqual([]);
    expect(said(reviewFixture("weakened"), "LEFTOVER")).toEqual([]);
  });

  test("of the provider", () => {
    const document = planDocument("provider/unchanged");
    const { provider_config: providers } = document.configuration as unknown as { provider_config: Providers };
    providers.clusterplatform!.expressions!.allow_deletion = { constant_value: ["gone"] };
    providers.clusterplatform!.expressions!.retain = { constant_value: ["gone"] };
    const prod = document.resource_changes.find(({ name }) => name === "prod")!;
    for (const values of [prod.change.before, prod.change.after]) Object.assign(values!, { adopt: true });
    const retained = "reminder: retain has done its work for gone. Remove it from the code";
    expect(said(reviewDocument(document), "leftover")).toEqual([
      "reminder: allowDeletion has done its work for gone. Remove it from the code",
      retained,
      "reminder: adopt has done its work for capvs/clusters/prod. Remove it from the code",
    ]);
    // The apply may let go of what an interrupted one has created.
    document.resource_changes.find(({ type }) => type === "clusterplatform_ready")!.change.actions = ["update"];
    expect(said(reviewDocument(document), "leftover")).not.toContain(retained);
  });
});

type Providers = Record<string, { expressions?: Record<string, { constant_value?: unknown }> }>;
