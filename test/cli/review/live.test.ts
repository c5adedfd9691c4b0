import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClusterList, ProviderList } from "../../../src/api/lists";
import { type Review, reviewPlans } from "../../../src/cli/review/judge/review";
import type { Look } from "../../../src/cli/review/plan/look";
import { readPlan } from "../../../src/cli/review/plan/plan";
import { SynthesizedStack } from "../../../src/cli/review/plan/synthesized-stack";
import { NOTES_FOLDER, notesFolder } from "../../../src/host/notes-folder";
import { Journal } from "../../../src/lifecycle/journal";
import { comparisonOf } from "../../../src/cli/review/synth/comparison";
import { startSimulator, type Simulator } from "../../../src/simulator";
import { addCluster, addClusterOn, addProvider } from "../../support/live-objects";
import { PAUSES_SKIPPED } from "../../support/pauses";
import { accessTo, writesTo } from "../../support/service";
import { built } from "../built";
import { inProcess } from "../in-process";
import { planDocument, programsOf, reasonsOf } from "./plans";
import { scenariosIn } from "./scenarios";

let simulator: Simulator;
let folder: string;

beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  folder = mkdtempSync(join(tmpdir(), "cluster-platform-live-"));
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  await simulator.close();
});

/** The review of a scenario in a process, whose pauses take no time. */
async function review(
  scenario: string,
  { args = ["--live", "--outdated"], env = {} }: { args?: string[]; env?: NodeJS.ProcessEnv } = {},
) {
  const plan = join(folder, "plan.json");
  writeFileSync(plan, JSON.stringify(planDocument(scenario)));
  const ran = await built(["review", plan, ...args, "--format", "json"], { ...accessTo(simulator), ...PAUSES_SKIPPED, ...env });
  const { findings, notes } = JSON.parse(ran.stdout) as Review;
  return {
    ...{ status: ran.status, stderr: ran.stderr, notes },
    rows: findings
      .filter(({ verdict, reasons }) => verdict !== "UNCHANGED" || reasons.length > 0)
      .map(({ verdict, refused, name, seen, reasons }) => {
        return `${name} ${verdict}${refused ? ", refused" : ""}${seen ? "" : ", unseen"}: ${reasonsOf(reasons)}`;
      }),
  };
}

/** The plan lies in the folder of its stack, which is newer. */
function inStack(scenario: string): void {
  writeFileSync(join(folder, "cdk.tf.json"), JSON.stringify(programsOf(scenariosIn("")[scenario]!).head, undefined, 2));
}

const populate = () => {
  addProvider(simulator);
  for (const name of ["prod", "stage"]) addCluster(simulator, name);
};

test("a protected cluster that is gone and changes passes, and is denied without a look", async () => {
  addProvider(simulator);
  addCluster(simulator, "stage");
  expect(await review("protected-change", { args: [] })).toMatchObject({
    status: 2,
    rows: ["prod REPLACE, refused, unseen: CHANGED, protected"],
  });
  const live = await review("protected-change");
  expect(live.rows).toEqual(["prod CREATE: CHANGED, GONE"]);
  expect(live.notes.map(({ because }) => because)).not.toContain("REFUSED");
  expect(live.stderr).not.toContain("prod REPLACE");
  expect(writesTo(simulator)).toEqual([]);
});

test("a protected cluster that lives is refused for certain", async () => {
  populate();
  expect((await review("protected-change")).rows).toEqual(["prod REPLACE, refused: CHANGED, protected"]);
});

test("a name that is taken is refused, unless this run adopts it or a note says that the stack has made the object", async () => {
  populate();
  const taken = ["prod CREATE, refused: NEW, taken", "stage CREATE, refused: NEW, taken", "vsphere CREATE, refused: NEW, taken"];
  expect(await review("create")).toMatchObject({ status: 2, rows: taken });
  const adopt = { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod,capvs/clusters/stage" };
  expect((await review("create", { env: adopt })).rows).toEqual([taken[2], "prod ADOPT: NEW", "stage ADOPT: NEW"]);
  const { resource_changes: changes } = planDocument("create");
  const { after } = changes.find(({ index }) => index === "prod")!.change;
  inStack("create");
  const own = { notes: notesFolder(join(folder, NOTES_FOLDER)), url: simulator.url, workspace: "default", run: "earlier" };
  const clock = { now: Date.now, pause: () => Promise.resolve(), after: () => () => {} };
  new Journal(own, clock).createSent({ type: "capvs", kind: "clusters", name: "prod" }, { declared: after!.triggers! });
  // The hooks of the fixture are not those of the stack.
  expect((await review("create")).rows).toEqual(
    ["prod UNKNOWN: NEW", "stage UNKNOWN: NEW, taken", "vsphere UNKNOWN: NEW, taken"].map((row) => `${row}, hook`),
  );
});

test("what is declared with adopt and lives otherwise is refused", async () => {
  populate();
  expect((await review("adopt")).rows).toEqual(["stage ADOPT: NEW"]);
  simulator.remove("clusters", "capvs", "stage");
  expect((await review("adopt")).rows).toEqual(["stage CREATE: NEW"]);
  addCluster(simulator, "stage", { controlPlane: { count: 5, cpus: 4, memoryMib: 8192, diskGib: 60 } });
  expect((await review("adopt")).rows).toEqual(["stage ADOPT, refused: NEW, differs"]);
});

test("a provider in use is refused for what lives, and not for what only the state has", async () => {
  addProvider(simulator);
  addCluster(simulator, "stage");
  expect((await review("provider-in-use")).rows).toEqual([
    "vsphere REPLACE: CHANGED",
    "stage DESTROY: REMOVED",
    // The apply would wait for it.
    "prod UNCHANGED, refused: GONE",
  ]);
  addCluster(simulator, "others");
  expect((await review("provider-in-use")).rows).toContain("vsphere REPLACE, refused: CHANGED, in use");
});

test("an object of another type or provider is somebody else's", async () => {
  populate();
  simulator.remove("clusters", "capvs", "stage");
  const [taken] = planDocument("remove").resource_changes.filter(({ index }) => index === "stage");
  expect(taken!.change.before!.triggers).toMatchObject({ provider: "vsphere" });
  addClusterOn(simulator, "stage", "other");
  expect((await review("remove")).rows).toEqual(["stage DESTROY, refused: REMOVED, another object"]);
});

test("a service without any object of the stack is doubtful", async () => {
  expect((await review("remove-all")).rows).toEqual([
    "prod DESTROY, refused: REMOVED, service is doubtful",
    "stage DESTROY, refused: REMOVED, service is doubtful",
    "vsphere DESTROY, refused: REMOVED, service is doubtful",
  ]);
});

test("a provider that is missing is said before its cluster is deleted", async () => {
  populate();
  simulator.remove("providers", "capvs", "vsphere");
  const problem = "cluster prod: there is no capvs provider vsphere on the service";
  expect((await review("change")).notes).toContainEqual(
    expect.objectContaining({ code: "NEEDS", because: "provider missing", risk: "high", object: "capvs/clusters/prod", problem }),
  );
});

describe("a look at an empty service", () => {
  const clock = { now: Date.now, pause: () => Promise.resolve(), after: () => () => {} };
  const look: Look = {
    url: "https://service.example.com",
    lists: {
      clusters: new ClusterList("", { items: [], count: 0 }),
      providers: new ProviderList("", []),
    },
    journal: new Journal({ notes: notesFolder("nowhere"), url: "", workspace: "default", run: "review" }, clock),
    clock,
    ofRun: { adoptions: new Set(), gone: new Set() },
    problemOf: ({ name }) => (name === "VSPHERE_PASSWORD" ? `${name} is not set` : undefined),
  };
  const reviewed = (plan: unknown, seen: Partial<Look> = {}, synthesized?: SynthesizedStack) =>
    reviewPlans([
      {
        name: "stack",
        plan: readPlan(plan, "plan"),
        foreign: [],
        look: { ...look, ...seen },
        ...(synthesized && { synthesized }),
      },
    ]);

  test("says which secrets this machine lacks", () => {
    const { head } = programsOf(scenariosIn("").create!);
    const { notes } = reviewed(comparisonOf(undefined, head).document, {}, new SynthesizedStack(head));
    expect(notes).toContainEqual(
      expect.objectContaining({ code: "NEEDS", because: "secrets", risk: "medium", missing: ["VSPHERE_PASSWORD is not set"] }),
    );
  });

  test("says that the service is deleting what retain would leave there", () => {
    const leaving = { clusterName: "stage", providerType: "vsphere", phase: "Deleting" };
    const lists = { ...look.lists, clusters: new ClusterList("", { items: [leaving], count: 1 }) };
    const { findings } = reviewed(planDocument("retain"), { lists });
    const row = findings.find(({ name }) => name === "stage")!;
    expect(row).toMatchObject({ verdict: "LEAVE", risk: "medium" });
    expect(row.reasons).toContainEqual({ code: "GONE", leaving: true });
  });

  test("says that the service may still create what the state has", () => {
    const journal = new Journal({ notes: notesFolder(folder), url: "", workspace: "default", run: "review" }, clock);
    journal.createSent({ type: "capvs", kind: "clusters", name: "stage" }, { declared: {} });
    const stage = ({ findings }: Review) => findings.find(({ name }) => name === "stage");
    expect(stage(reviewed(planDocument("change")))).toMatchObject({ refused: true, reasons: [{ code: "GONE" }] });
    const pending = { verdict: "UNCHANGED", refused: false, reasons: [{ code: "GONE", pending: true }] };
    expect(stage(reviewed(planDocument("change"), { journal }))).toMatchObject(pending);
  });

  test("says nothing of an object of another service", () => {
    const { findings } = reviewed(planDocument("provider/destroy"));
    expect(findings.map(({ seen }) => seen)).toEqual(findings.map(() => false));
    expect(findings.map(({ verdict }) => verdict)).toContain("DESTROY");
  });
});

test("a service that cannot be reached fails the command, and says the way out", async () => {
  const plan = join(folder, "plan.json");
  writeFileSync(plan, JSON.stringify(planDocument("change")));
  const closed = await inProcess(["review", plan, "--live"], { ...accessTo(simulator), CLUSTER_PLATFORM_TOKEN: "wrong" });
  expect(closed).toMatchObject({ status: 1, stdout: "" });
  expect(closed.stderr).toContain("Review without a look at the service: leave out --live");
});
