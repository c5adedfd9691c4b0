import { rmSync } from "node:fs";
import { join } from "node:path";
import { TerraformVariable } from "cdktf";
import { startSimulator } from "../../src/simulator";
import { cluster, provider } from "../support/capvs";
import { writesTo } from "../support/service";
import { backends } from "../support/tools";
import { failed, inOneLine, type StackFixture } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";

/** A Platform's support resources in a plan, and their knowledge in sequences of applies and destroys. */

const onePerProgram = backends.filter(({ binary }, index) => backends.findIndex((other) => other.binary === binary) === index);
const testOnPrograms = testOn(onePerProgram);
const testOnProgramsInRest = testOn(inRest(onePerProgram));

const six = ["a1", "a2", "a3", "a4", "a5", "a6"];
const SUPPORT = ["orphan_check", "orphan_check_on_destroy", "ready", "protection"];

/** Lines of a plan about the resources that change with the objects, for any number of these. */
const few = { orphan_check: 5, ready: 5 };

/** A create that the service carries out and does not answer, so that Terraform marks the instance tainted. */
function interruptNextCreate({ simulator }: StackFixture): void {
  simulator.inject({ kind: "drop", when: "after", method: "POST", path: "/api/v1/platform/providers/clusters" });
  simulator.inject({ kind: "html", method: "GET", path: "/api/v1/clusters", skip: 1 });
}

async function savedDestroy({ workspace }: StackFixture) {
  await workspace.run(["plan", "-destroy", "-input=false", "-out=plan"]);
  return workspace.run(["apply", "plan"]);
}

/** The output of a plan, and its number of lines for each support resource. */
async function printedPlan({ workspace }: StackFixture) {
  const { output } = await workspace.run(["plan", "-input=false"]);
  const plan = /^(?:Terraform|OpenTofu) used the selected[^]*^Plan: .*$/m.exec(output)?.[0] ?? output;
  const lines = SUPPORT.flatMap((name) => {
    const block = new RegExp(`^  # terraform_data\\.cluster_platform_${name} [^]*?^    }$`, "m").exec(plan)?.[0];
    return block === undefined ? [] : [[name, block.split("\n").length] as const];
  });
  return { lines: plan.split("\n").length, summary: plan.split("\n").at(-1), ofSupport: Object.fromEntries(lines) };
}

testOnPrograms("a plan shows the objects, and the output of hooks is visible", async (fixture) => {
  fixture.declare(six);
  // `protection` shows the settings, for any number of objects.
  expect((await printedPlan(fixture)).ofSupport).toMatchObject({ ...few, orphan_check_on_destroy: 4 });
  await fixture.applied();

  fixture.declare([...six, "prod"]);
  const { lines, ...added } = await printedPlan(fixture);
  expect(added).toMatchObject({ summary: "Plan: 3 to add, 1 to change, 2 to destroy.", ofSupport: few });
  expect(lines).toBeLessThanOrEqual(90);

  fixture.declare(six.slice(1), { retain: ["a1"] });
  const output = await fixture.applied();
  expect(output).toContain(`${fixture.address("a1")} (local-exec): cluster a1: left on the service (retain)`);
  for (const name of ["orphan_check", "ready"])
    expect(output).toContain(`terraform_data.cluster_platform_${name} (local-exec): local-exec: Executing`);
  expect(output).not.toContain("suppressed");
});

testOnProgramsInRest("a plan of a thousand objects has as many lines about a Platform's support resources", async (fixture) => {
  fixture.workspace.synth((stack) => {
    fixture.platform(stack);
    const on = provider(stack);
    for (let n = 0; n < 1_000; n++) cluster(stack, `c${n}`, on, { apiEndpoint: `10.1.${n >> 8}.${n & 255}` });
  });
  expect((await printedPlan(fixture)).ofSupport).toMatchObject(few);
});

testOnProgramsInRest("an edit that was not applied hides nothing from a destroy, even if it is taken back", async (fixture) => {
  const settings = { deletionProtection: ["prod"] };
  fixture.declare(["prod", "stage"], settings);
  await fixture.applied();
  const sent = fixture.writes();
  for (const names of [["stage", "next"], ["stage"], ["prod", "stage"], []]) {
    fixture.declare(names, settings);
    const { output } = names.length === 2 ? await savedDestroy(fixture) : await fixture.workspace.destroy();
    expect({ names, output }).toMatchObject({ output: expect.stringContaining("capvs/clusters/prod is protected") });
  }
  expect(fixture.writes()).toEqual(sent);
  fixture.declareNothing();
  const { output } = await fixture.workspace.apply({ args: ["-replace=terraform_data.cluster_platform_ready"] });
  expect(output).toContain("Apply complete!");
  expect(fixture.writes().slice(sent.length)).toHaveLength(3);
  expect(fixture.live()).toEqual([]);
});

testOnProgramsInRest("a destroy with an edit that must not be applied keeps its guard", async (fixture) => {
  const declare = (server: string, deletionProtection: string[] | false = false) =>
    fixture.workspace.synth((stack) => {
      fixture.platform(stack, { deletionProtection });
      const on = provider(stack, "vsphere", { server });
      for (const name of ["prod", "stage"]) cluster(stack, name, on);
    });
  declare("one.example.com:443");
  await fixture.applied();
  const sent = fixture.writes();
  declare("two.example.com:443");
  for (const output of [await fixture.failed(), failed(await fixture.workspace.destroy())])
    expect(output).toContain("[PROVIDER_IN_USE]");
  declare("one.example.com:443", ["prod"]);
  expect(failed(await fixture.workspace.destroy())).toContain("capvs/clusters/prod is protected; nothing was deleted");
  expect(fixture.writes()).toEqual(sent);
  declare("one.example.com:443");
  expect(await fixture.workspace.destroy()).toMatchObject({ status: 0 });
  expect(fixture.live()).toEqual([]);
});

testOnProgramsInRest("-replace of a support resource does not disturb a removal", async (fixture) => {
  const names = ["a1", "a2", "a3"];
  fixture.declare(names);
  await fixture.applied();
  for (const resource of ["protection", "orphan_check", "ready"]) {
    names.pop();
    fixture.declare(names);
    // It is for plans only, and changes nothing in this apply.
    const env = { TF_CLI_ARGS_plan: "-destroy" };
    await fixture.applied({ args: [`-replace=terraform_data.cluster_platform_${resource}`], env });
  }
  expect(fixture.live()).toEqual(["vsphere"]);
});

testOnProgramsInRest("a destroy names the object of an interrupted create, whatever the code has by then", async (fixture) => {
  fixture.declare(["stage"]);
  await fixture.applied();
  fixture.declare(["stage", "prod"]);
  interruptNextCreate(fixture);
  await fixture.failed();
  fixture.simulator.heal();
  const kept = { retain: ["vsphere"] };
  for (const names of [["stage"], ["stage", "prod"], []]) {
    fixture.declare(names, kept);
    const { status, output } = await fixture.workspace.destroy();
    expect({ names, status, output: inOneLine(output) }).toMatchObject({
      status: 1,
      output: expect.stringContaining("still on the service: capvs/clusters/prod"),
    });
  }
  expect(fixture.live()).toEqual(["prod", "vsphere"]);
});

testOnProgramsInRest("an object of an interrupted create that leaves the code is named on any machine", async (fixture) => {
  fixture.declare(["stage"]);
  await fixture.applied();
  fixture.declare(["stage", "prod"]);
  interruptNextCreate(fixture);
  await fixture.failed();
  fixture.simulator.heal();
  rmSync(join(fixture.workspace.stackFolder, ".cluster-platform"), { recursive: true });
  const sent = fixture.writes();
  fixture.declare(["stage", "next"]);
  expect(await fixture.failed()).toContain("still on the service: capvs/clusters/prod");
  expect(fixture.writes()).toEqual(sent);
  fixture.simulator.remove("clusters", "capvs", "prod");
  await fixture.converges();
  expect(fixture.live()).toEqual(["next", "stage", "vsphere"]);
});

testOnProgramsInRest(
  "a replacement of a protected object stops the whole apply, and a change that no digest shows stops only the object",
  async (fixture) => {
    const names = ["prod-core", "prod-a", "prod-b"];
    const settings = { deletionProtection: ["prod-core"] };
    const declare = (
      productVersion: string,
      { podSubnet = "10.1.0.0/16", ...more }: Parameters<typeof fixture.platform>[1] & { podSubnet?: string } = {},
    ) =>
      fixture.workspace.synth((stack) => {
        fixture.platform(stack, { ...settings, ...more });
        const on = provider(stack);
        const subnet = new TerraformVariable(stack, "subnet", { type: "string", default: podSubnet }).stringValue;
        for (const name of names) cluster(stack, name, on, { productVersion, podSubnet: subnet });
      });
    declare("2.5.0");
    await fixture.applied();
    const sent = fixture.writes();

    declare("2.6.0");
    const output = await fixture.failed();
    expect(output).toContain("capvs/clusters/prod-core is protected; nothing was deleted");
    expect(output).toContain("has changed, so the apply would delete it and create it again, empty");
    expect(fixture.writes()).toEqual(sent);
    declare("2.5.0");
    await fixture.converges();

    // A digest does not cover a token's value, so the hook of each object refuses.
    declare("2.5.0", { podSubnet: "10.2.0.0/16" });
    expect(await fixture.failed()).toContain(
      "cluster prod-core is protected; nothing was sent. The deletion guard did not stop the whole apply. Check the log above: other objects may be deleted already",
    );
    declare("2.5.0", { podSubnet: "10.2.0.0/16", allowDeletion: ["prod-core"] });
    await fixture.converges();
    expect(fixture.happened().filter((event) => event === "-prod-core")).toHaveLength(1);

    // After -target, the digest is that of an older declaration.
    const allowed = { podSubnet: "10.2.0.0/16", allowDeletion: ["prod-core"] };
    declare("2.6.0", allowed);
    await fixture.applied({ args: [`-target=${fixture.engine}.capvs_clusters`] });
    declare("2.6.0", { podSubnet: "10.2.0.0/16" });
    expect(await fixture.failed()).toContain("has changed, so the apply would delete it and create it again, empty");
    declare("2.6.0", allowed);
    await fixture.converges();
    declare("2.6.0", { podSubnet: "10.2.0.0/16" });
    await fixture.converges();
    expect(fixture.happened().filter((event) => event === "-prod-core")).toHaveLength(2);
  },
);

testOn(inRest(backends.slice(0, 1)))(
  "another URL in the code is compared with the state before anything is created",
  async (fixture) => {
    const at = (url: string, ...names: readonly string[]) => fixture.declare(["prod", ...names], { url });
    const { url } = fixture.simulator;
    const other = await startSimulator({ token: fixture.simulator.token });
    try {
      at(url);
      await fixture.applied();
      for (const owner of ["the state has", "the last apply declared"]) {
        if (owner !== "the state has") await fixture.workspace.run(["state", "rm", "terraform_data.cluster_platform_ready"]);
        at(other.url, "next");
        const output = await fixture.failed();
        expect(output).toContain(
          `none of the 2 objects that ${owner} (capvs/clusters/prod, capvs/providers/vsphere) is on the service at ${other.url}`,
        );
        expect(writesTo(other)).toEqual([]);
      }
      at(url.replace("127.0.0.1", "localhost"), "next");
      const [protection] = (await fixture.workspace.plan()).filter(
        ({ address }) => address === "terraform_data.cluster_platform_protection",
      );
      expect(protection!.change).toMatchObject({ before: { input: { connection: { url } } }, actions: ["update"] });
      await fixture.converges();
      expect(fixture.live()).toEqual(["next", "prod", "vsphere"]);
    } finally {
      await other.close();
    }
  },
);
