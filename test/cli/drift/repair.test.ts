import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TerraformStack } from "cdktf";
import type { DriftFinding, DriftReport } from "../../../src/cli/drift/finding";
import { Engine } from "../../../src/constructs/engine";
import { Platform } from "../../../src/constructs/platform";
import type { PlatformProps } from "../../../src/constructs/platform-props";
import { startSimulator, type Simulator } from "../../../src/simulator";
import { cluster, clusterBody, provider, secrets } from "../../support/capvs";
import { PAUSES_SKIPPED } from "../../support/pauses";
import { accessTo, happenedOn } from "../../support/service";
import { terraform, terraformBackends } from "../../support/tools";
import { backendsFor, inRest } from "../../terraform/test-on-backends";
import { execute, Workspace } from "../../terraform/workspace";
import { built } from "../built";
import { addCluster, addProvider } from "../../support/live-objects";

let simulator: Simulator;
let workspace: Workspace;
let engine: Engine;

beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  workspace = new Workspace({ ...accessTo(simulator), ...secrets, ...PAUSES_SKIPPED });
});

afterEach(async () => {
  workspace.remove();
  await simulator.close();
});

type Clusters = Record<string, Parameters<typeof cluster>[3]>;
const declare = (clusters: Clusters, props: PlatformProps = {}) =>
  workspace.synth((stack: TerraformStack) => {
    new Platform(stack, "platform", { engine, pollSeconds: 0.1, deletionProtection: false, ...props });
    const on = provider(stack);
    for (const [name, declared] of Object.entries(clusters)) cluster(stack, name, on, declared);
  });
const applied = async (clusters: Clusters, props: PlatformProps = {}) => {
  declare(clusters, props);
  expect(await workspace.apply()).toMatchObject({ status: 0 });
};
const report = async (folder = workspace.folder): Promise<DriftReport> => {
  const { output } = await workspace.run(["show", "-json"], { quiet: true });
  const state = join(folder, "state.json");
  writeFileSync(state, output);
  const { stdout, stderr } = await built(["drift", state, "--unmanaged", "--format", "json"], accessTo(simulator));
  if (stderr) throw new Error(stderr);
  return JSON.parse(stdout) as DriftReport;
};
const drift = async (): Promise<readonly DriftFinding[]> => (await report()).findings;
const run = async (...commands: readonly string[]) => {
  for (const command of commands) {
    const line = command.replace(/(^| )terraform /, `$1"${terraform}" `);
    const env = { ...workspace.env, TF_CLI_ARGS_apply: "-auto-approve -input=false" };
    const { status, output } = await execute("sh", ["-c", line], workspace.stackFolder, env, {});
    expect({ status, output }).toEqual({ status: 0, output });
  }
};
const recreating = (notes: DriftReport["notes"]) =>
  notes.flatMap((note) => (note.because === "several missing" ? [note.command] : []));
const repair = (findings: readonly DriftFinding[], code: string) =>
  run(...findings.flatMap(({ repairs }) => repairs.filter((each) => each.code === code)).flatMap(({ commands }) => commands));
const happened = () => happenedOn(simulator);

/** Runs the commands that drift prints, with the real Terraform and a shell. */
describe.each(backendsFor("repairs", inRest(terraformBackends)))("on $title", (backend) => {
  beforeEach(() => {
    engine = backend.engine;
  });

  test("a missing cluster is created again, and nothing else happens", async () => {
    await applied({ prod: {}, stage: {} });
    simulator.remove("clusters", "capvs", "prod");
    const before = happened().length;
    const findings = await drift();
    expect(findings.map(({ verdict: kind, name }) => `${kind} ${name}`)).toEqual(["MISSING prod"]);
    await repair(findings, "RECREATE_MISSING");
    expect(happened().slice(before)).toEqual(["+prod"]);
    expect(await drift()).toEqual([]);
    expect(await workspace.plan()).toEqual([]);
  });

  test("a missing provider and its missing clusters are created again by one command", async () => {
    await applied({ prod: {}, stage: {} });
    for (const name of ["prod", "stage"]) simulator.remove("clusters", "capvs", name);
    simulator.remove("providers", "capvs", "vsphere");
    const before = happened().length;
    const { findings, notes } = await report();
    expect(findings).toHaveLength(3);
    await run(...recreating(notes));
    expect(happened().slice(before).sort()).toEqual(["+prod", "+stage", "+vsphere"]);
    expect(happened()[before]).toBe("+vsphere");
    expect(await drift()).toEqual([]);
  });

  test("a missing protected cluster is created again too", async () => {
    await applied({ prod: {}, stage: {} }, { deletionProtection: ["prod"] });
    simulator.remove("clusters", "capvs", "prod");
    const before = happened().length;
    await repair(await drift(), "RECREATE_MISSING");
    expect(happened().slice(before)).toEqual(["+prod"]);
    expect(await drift()).toEqual([]);
    expect(await workspace.plan()).toEqual([]);
  });

  test("a missing protected cluster stays away without a permission if the run says that it is gone", async () => {
    const protection = { deletionProtection: ["prod"] };
    await applied({ prod: {}, stage: {} }, protection);
    simulator.remove("clusters", "capvs", "prod");
    const before = happened().length;
    const findings = await drift();
    declare({ stage: {} }, protection);
    expect(await workspace.apply()).toMatchObject({ status: 1, output: expect.stringContaining("PROTECTED") as string });
    await repair(findings, "REMOVE_DECLARATION");
    expect(happened().slice(before)).toEqual([]);
    expect(await drift()).toEqual([]);
  });

  test("a protected object with live changes gets a new declaration, or is replaced if the Platform allows it", async () => {
    const protection = { deletionProtection: ["prod"] };
    await applied({ prod: {} }, protection);
    const otherwise = (props: Clusters[string]) => {
      simulator.remove("clusters", "capvs", "prod");
      addCluster(simulator, "prod", props);
      return happened().length;
    };
    const live = { podSubnet: "10.9.0.0/16" };
    let before = otherwise(live);
    const findings = await drift();
    expect(findings[0]!.repairs.map(({ code }) => code)).toEqual(["DECLARE_LIVE", "REPLACE"]);
    declare({ prod: { ...live, adopt: true } }, { ...protection, retain: [findings[0]!.object] });
    await repair(findings, "DECLARE_LIVE");
    await applied({ prod: live }, protection);
    expect(happened().slice(before)).toEqual([]);

    before = otherwise({});
    declare({ prod: live }, { ...protection, allowDeletion: [findings[0]!.object] });
    await repair(await drift(), "REPLACE");
    expect(happened().slice(before)).toEqual(["-prod", "+prod"]);
    await applied({ prod: live }, protection);
    expect(await drift()).toEqual([]);
  });

  test("a protected object is released while another object has its name", async () => {
    const protection = { deletionProtection: ["prod"] };
    await applied({ prod: {} }, protection);
    simulator.remove("clusters", "capvs", "prod");
    addProvider(simulator, "other");
    simulator.add("clusters", "capvs", clusterBody("prod", "other"));
    const before = happened().length;
    const [finding] = await drift();
    expect(finding).toMatchObject({ verdict: "CHANGED", repairs: [{ code: "LET_GO" }] });
    await applied({}, { ...protection, retain: [finding!.object] });
    expect(happened().slice(before)).toEqual([]);
  });

  test("an object with live changes gets a new declaration without being touched, or is replaced on request", async () => {
    await applied({ prod: {} });
    simulator.remove("clusters", "capvs", "prod");
    addCluster(simulator, "prod", { podSubnet: "10.9.0.0/16" });
    const before = happened().length;
    const findings = await drift();
    expect(findings).toMatchObject([{ verdict: "CHANGED", changes: [{ field: "podSubnet" }] }]);

    const live = { podSubnet: "10.9.0.0/16" };
    declare({ prod: { ...live, adopt: true } }, { retain: [findings[0]!.object] });
    await repair(findings, "DECLARE_LIVE");
    await applied({ prod: live });
    expect(happened().slice(before)).toEqual([]);
    expect(await drift()).toEqual([]);

    simulator.remove("clusters", "capvs", "prod");
    addCluster(simulator, "prod");
    const again = happened().length;
    await repair(await drift(), "REPLACE");
    expect(happened().slice(again)).toEqual(["-prod", "+prod"]);
    expect(await drift()).toEqual([]);
  });

  test("an unmanaged object is adopted when it is declared", async () => {
    await applied({});
    addCluster(simulator, "prod");
    const findings = await drift();
    expect(findings).toMatchObject([{ verdict: "UNMANAGED", name: "prod" }]);
    declare({ prod: {} });
    const before = happened().length;
    await repair(findings, "ADOPT");
    expect(happened().slice(before)).toEqual([]);
    expect(await drift()).toEqual([]);
  });

  test("a cluster that is not ready is waited for, and not created again, if the code waits for it", async () => {
    await applied({ prod: { waitForReady: false } });
    simulator.timing.provisionSeconds = 3600;
    expect(await report(workspace.stackFolder)).toMatchObject({
      findings: [],
      notes: [{ because: "not waited for", objects: ["capvs/clusters/prod"] }],
    });
    // Without the stack, the wait is not known.
    const unknown = await drift();
    expect(unknown[0]!.repairs.map(({ code }) => code)).toEqual(["WAIT", "PUT_IN_STACK"]);

    declare({ prod: {} });
    const { findings } = await report(workspace.stackFolder);
    expect(findings).toMatchObject([{ verdict: "NOT-READY", repairs: [{ code: "WAIT" }] }]);
    const before = happened().length;
    setTimeout(() => (simulator.timing.provisionSeconds = 0), 1_000);
    await repair(findings, "WAIT");
    expect(happened().slice(before)).toEqual([]);
    expect(await drift()).toEqual([]);
  });
});

test("with the package's own provider, each repair does what it says, and sends nothing else", async () => {
  engine = Engine.PROVIDER;
  await applied({ prod: {}, stage: {} });
  const codes = (findings: readonly DriftFinding[]) =>
    findings.map(({ verdict: kind, name, repairs }) => `${kind} ${name}: ${repairs.map(({ code }) => code).join()}`);
  const address = (name: string) => `clusterplatform_capvs_cluster.${name}`;

  // Somebody deletes prod, taints stage, and makes dev and vsphere-2.
  simulator.remove("clusters", "capvs", "prod");
  expect(await workspace.run(["taint", address("stage")])).toMatchObject({ status: 0 });
  addCluster(simulator, "dev");
  addProvider(simulator, "vsphere-2");
  let before = happened().length;
  const findings = await drift();
  expect(codes(findings)).toEqual([
    "MISSING prod: RECREATE_MISSING,REMOVE_DECLARATION",
    "UNFINISHED stage: UNTAINT",
    "UNMANAGED dev: ADOPT,IMPORT,IGNORE",
    "UNMANAGED vsphere-2: ADOPT,IMPORT,IGNORE",
  ]);
  await repair(findings, "UNTAINT");
  declare({ prod: {}, stage: {}, dev: {} });
  await repair(
    findings.filter(({ name }) => name === "dev"),
    "IMPORT",
  );
  await repair(findings, "RECREATE_MISSING");
  expect(happened().slice(before)).toEqual(["+prod"]);
  expect(codes(await drift())).toEqual(["UNMANAGED vsphere-2: ADOPT,IMPORT,IGNORE"]);

  // Somebody scales stage, and the code follows.
  const five = { controlPlane: { count: 5, cpus: 4, memoryMib: 8192, diskGib: 60 } };
  simulator.remove("clusters", "capvs", "stage");
  addCluster(simulator, "stage", five);
  before = happened().length;
  const changed = await drift();
  expect(codes(changed)[0]).toBe("CHANGED stage: ACCEPT_LIVE,REPLACE");
  expect(changed[0]).toMatchObject({
    engine: "provider",
    changes: [{ field: "controlPlane.count", before: "3", after: "5" }],
  });
  declare({ prod: {}, stage: five, dev: {} });
  await repair(changed, "ACCEPT_LIVE");
  expect(happened()).toHaveLength(before);

  // The registration is missing with everything on it, so nothing proves to Terraform that the service is the right one.
  for (const name of ["prod", "stage", "dev"]) simulator.remove("clusters", "capvs", name);
  simulator.remove("providers", "capvs", "vsphere");
  before = happened().length;
  const [all] = recreating((await report()).notes);
  expect(all).toMatch(/^CLUSTER_PLATFORM_ACCEPT_GONE=(capvs\/(clusters|providers)\/[a-z0-9]+,?){4} terraform apply$/);
  await run(all!);
  expect(happened().slice(before).sort()).toEqual(["+dev", "+prod", "+stage", "+vsphere"]);
  expect(await workspace.plan()).toEqual([]);
});

test("with the package's own provider, a missing protected cluster is removed from the code without a permission", async () => {
  engine = Engine.PROVIDER;
  const protection = { deletionProtection: ["prod"] };
  await applied({ prod: {}, stage: {} }, protection);
  simulator.remove("clusters", "capvs", "prod");
  const before = happened().length;
  const findings = await drift();
  expect(findings.flatMap(({ repairs }) => repairs).at(-1)).toEqual({
    code: "REMOVE_DECLARATION",
    commands: ["terraform apply"],
  });
  declare({ stage: {} }, protection);
  await repair(findings, "REMOVE_DECLARATION");
  expect(happened().slice(before)).toEqual([]);
  expect(await drift()).toEqual([]);
});
