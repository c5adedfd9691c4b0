import { Engine } from "../../src/constructs/engine";
import { RetiredPlatform } from "../../src/constructs/retired-platform";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { Platform } from "../../src/constructs/platform";
import { cluster, provider } from "../support/capvs";
import { type Backend, allBackends, isAtLeast, providerBackends } from "../support/tools";
import { inRest, testOn } from "./test-on-backends";
import { inOneLine, type StackFixture } from "./stack-fixture";

const readsIt = ({ binary }: Backend) => isAtLeast(binary, { terraform: 9, openTofu: 10 });
const testRetired = testOn(inRest(allBackends.filter(readsIt)));
const testWhereUnreadable = testOn(inRest(allBackends.filter((backend) => !readsIt(backend))));

/** Protects nothing by default. */
function retire(fixture: StackFixture, props: PlatformProps = {}): void {
  fixture.workspace.synth((stack) => {
    // The stack has no provider block for null_resource, so Terraform takes the plugin from the state.
    new RetiredPlatform(stack, "platform", { engine: fixture.engine, pollSeconds: 0.2, deletionProtection: false, ...props });
  });
}

testRetired("a RetiredPlatform replaces a Platform and deletes all its objects, clusters first", async (fixture) => {
  fixture.declare(["prod", "stage"]);
  await fixture.applied();
  retire(fixture);
  await fixture.converges();
  expect(fixture.live()).toEqual([]);
  expect(fixture.happened().at(-1)).toBe("-vsphere");
  fixture.workspace.synth(() => undefined);
  await fixture.converges();
});

testRetired(
  "a RetiredPlatform refuses protected objects before anything is deleted, and keeps retained ones",
  async (fixture) => {
    fixture.declare(["prod", "stage"]);
    await fixture.applied();
    // By default, clusters are protected.
    retire(fixture, { deletionProtection: undefined });
    const output = await fixture.failed();
    expect(output).toContain("capvs/clusters/prod, capvs/clusters/stage are protected from deletion; nothing was deleted");
    expect(output).toContain('write allowDeletion: ["prod", "stage"] on the Platform');
    expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
    retire(fixture, { allowDeletion: ["stage"], deletionProtection: undefined, retain: ["prod", "vsphere"] });
    await fixture.converges();
    expect(fixture.live()).toEqual(["prod", "vsphere"]);
  },
);

testRetired("a RetiredPlatform names the object of an interrupted create", async (fixture) => {
  fixture.declare(["prod"]);
  fixture.simulator.inject({ kind: "drop", when: "after", method: "POST", path: "/api/v1/platform/providers/clusters" });
  fixture.simulator.inject({ kind: "html", method: "GET", path: "/api/v1/clusters", skip: 1 });
  await fixture.failed();
  fixture.simulator.heal();
  retire(fixture, { retain: ["vsphere"] });
  expect(await fixture.failed()).toContain("still on the service: capvs/clusters/prod");
  expect(fixture.live()).toEqual(["prod", "vsphere"]);
});

testRetired(
  "a RetiredPlatform names the object of an interrupted create also when the Platform is back and destroyed",
  async (fixture) => {
    const keepingProvider = { retain: ["vsphere"] };
    fixture.declare(["prod"], keepingProvider);
    fixture.simulator.inject({ kind: "drop", when: "after", method: "POST", path: "/api/v1/platform/providers/clusters" });
    fixture.simulator.inject({ kind: "html", method: "GET", path: "/api/v1/clusters", skip: 1 });
    await fixture.failed();
    fixture.simulator.heal();
    retire(fixture, keepingProvider);
    expect(await fixture.failed()).toContain("still on the service: capvs/clusters/prod");
    fixture.declare(["prod"], keepingProvider);
    const { status, output } = await fixture.workspace.destroy();
    expect(inOneLine(output)).toContain("still on the service: capvs/clusters/prod");
    expect(status).toBe(1);
  },
);

testRetired("a RetiredPlatform refuses protected objects also when the Platform is back and destroyed", async (fixture) => {
  fixture.declare(["prod", "stage"]);
  await fixture.applied();
  retire(fixture, { deletionProtection: ["prod"] });
  expect(await fixture.failed()).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
  fixture.declare(["prod", "stage"], { deletionProtection: ["prod"] });
  const { status, output } = await fixture.workspace.destroy();
  expect(inOneLine(output)).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
  expect(status).toBe(1);
  expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
});

testRetired("a RetiredPlatform with another engine is refused, and with the engine in the state deletes all", async (fixture) => {
  fixture.declare(["prod"]);
  await fixture.applied();
  const { NULL_RESOURCE, TERRAFORM_DATA } = Engine;
  retire(fixture, { engine: fixture.engine === TERRAFORM_DATA ? NULL_RESOURCE : TERRAFORM_DATA });
  const name = fixture.engine === TERRAFORM_DATA ? "TERRAFORM_DATA" : "NULL_RESOURCE";
  expect(await fixture.failed()).toContain(`Nothing was changed. Set engine: Engine.${name} again`);
  expect(fixture.live()).toEqual(["prod", "vsphere"]);
  retire(fixture);
  await fixture.converges();
  expect(fixture.live()).toEqual([]);
});

testOn(inRest(providerBackends.filter(readsIt)))(
  "a provider leaves together with the clusters that a RetiredPlatform beside its Platform deletes",
  async (fixture) => {
    const declare = (isLeft: boolean, deletionProtection = false) =>
      fixture.workspace.synth((stack) => {
        const platform = fixture.platform(stack);
        const own = provider(stack);
        cluster(stack, "prod", own);
        const spare = isLeft ? undefined : provider(stack, "spare");
        const tenant = { name: "tenant", engine: fixture.engine, pollSeconds: 0.2, deletionProtection };
        if (spare) cluster(stack, "stage", spare, { platform: new Platform(stack, "tenant", tenant) });
        else new RetiredPlatform(stack, "tenant", tenant);
        return platform;
      });
    declare(false);
    await fixture.converges();
    declare(true);
    const plan = inOneLine((await fixture.workspace.run(["plan", "-input=false"])).output);
    expect(plan).toContain("Warning: capvs provider spare is used by stage");
    await fixture.converges();
    expect(fixture.happened().slice(-2)).toEqual(["-stage", "-spare"]);
  },
);

testWhereUnreadable(
  "a RetiredPlatform is refused before anything is touched; a Platform without constructs may be removed",
  async (fixture) => {
    fixture.declare(["prod"]);
    await fixture.applied();
    const before = fixture.simulator.requests.length;
    retire(fixture);
    expect(await fixture.failed()).toContain("Extraneous JSON object property");
    expect(fixture.simulator.requests.length).toBe(before);
    fixture.workspace.synth((stack) => void fixture.platform(stack));
    await fixture.converges();
    fixture.workspace.synth(() => undefined);
    await fixture.converges();
    expect(fixture.happened()).toEqual(["+vsphere", "+prod", "-prod", "-vsphere"]);
  },
);
