import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Platform } from "../../src/constructs/platform";
import { CapvsProvider } from "../../src/constructs/types/capvs";
import { cluster, provider, size } from "../support/capvs";
import { backends } from "../support/tools";
import { inOneLine } from "./stack-fixture";
import { testInRest, testOn, testOnBackends } from "./test-on-backends";

testOnBackends("clusters are created, waited for, replaced, removed and destroyed", async (fixture) => {
  const { simulator, workspace } = fixture;
  // The clusters become ready only after a list has shown both, so the wait polls more than once.
  simulator.timing.provisionSeconds = 1_000;
  simulator.onResponse = ({ method }) => {
    if (method === "GET" && simulator.clusters.length === 2) simulator.timing.provisionSeconds = 0;
  };
  fixture.declare(["prod", "stage"]);
  const created = await fixture.converges();
  expect(created).toContain("cluster prod: created after");
  expect(created).toContain("all 2 clusters are ready after");
  expect(fixture.happened()[0]).toBe("+vsphere");
  expect(fixture.happened().sort()).toEqual(["+prod", "+stage", "+vsphere"]);

  workspace.synth((stack) => {
    fixture.platform(stack);
    const on = provider(stack);
    cluster(stack, "prod", on, { controlPlane: { count: 5, ...size } });
    cluster(stack, "stage", on);
  });
  const planned = await workspace.plan();
  expect(planned.find(({ address }) => address === fixture.address("prod"))!.actions).toEqual(["delete", "create"]);
  await fixture.converges();
  expect(fixture.happened().slice(3)).toEqual(["-prod", "+prod"]);

  fixture.declare(["stage"]);
  await fixture.converges();
  expect(fixture.happened().slice(5)).toEqual(["-prod"]);

  expect(await workspace.destroy()).toMatchObject({ status: 0 });
  expect(fixture.happened().slice(6)).toEqual(["-stage", "-vsphere"]);
});

testOnBackends("a wrong token, a dead server and a missing secret are reported once, and nothing is created", async (fixture) => {
  fixture.declare(["prod"]);
  const failedOnce = async (env: NodeJS.ProcessEnv) => {
    const { status, output } = await fixture.workspace.apply({ env });
    expect({ status, output }).toEqual({ status: 1, output });
    expect(output.match(/local-exec provisioner error/g)).toHaveLength(1);
    return inOneLine(output);
  };
  const wrongToken = await failedOnce({ CLUSTER_PLATFORM_TOKEN: "wrong" });
  expect(wrongToken).toContain("401");
  expect(wrongToken).toContain("the token was not accepted");
  expect(await failedOnce({ CLUSTER_PLATFORM_URL: "http://127.0.0.1:1" })).toContain("ECONNREFUSED");
  expect(await failedOnce({ VSPHERE_PASSWORD: "" })).toContain("the environment variable VSPHERE_PASSWORD is empty");
  expect(fixture.writes()).toEqual([]);
});

testOn(backends, { provisionSeconds: 1_000 })(
  "a wait that times out shows the last phases, conditions and the time, and the next apply continues to wait",
  async (fixture) => {
    // Keeps every cluster half-way through its provisioning.
    fixture.simulator.onRequest = () => {
      for (const { createdAt } of fixture.simulator.clusters) {
        fixture.simulator.timing.provisionSeconds = (2 * (Date.now() - createdAt)) / 1000;
      }
    };
    fixture.declare(["prod"], { pollSeconds: 5 });
    const output = await fixture.failed();
    expect(output).toMatch(/1 of 1 clusters not ready after \d+m? ?\d*s? \(timeouts\.readySeconds\)/);
    expect(output).toContain("cluster prod: Pending [InfrastructureReady] Nothing was undone");
    fixture.simulator.onRequest = undefined;
    fixture.simulator.timing.provisionSeconds = 0;
    fixture.declare(["prod"]);
    await fixture.converges();
    expect(fixture.happened()).toEqual(["+vsphere", "+prod"]);
  },
);

testOnBackends("a token that expires during an apply is read again from its file", async (fixture) => {
  const file = join(fixture.workspace.folder, "token");
  const env = { CLUSTER_PLATFORM_TOKEN: undefined, CLUSTER_PLATFORM_TOKEN_FILE: file };
  let rotations = 0;
  /** Rotates the token when a request arrives, which still has the old one. */
  const rotate = () => {
    fixture.simulator.token = `token-${++rotations}`;
    writeFileSync(file, fixture.simulator.token);
  };
  rotate();
  const struck = new Set<string>();
  fixture.simulator.onRequest = (request) => {
    const kind = `${request.method} ${request.path}`;
    if (struck.has(kind)) return;
    struck.add(kind);
    rotate();
    // The simulator has already checked the old token.
    (request as { authorized: boolean }).authorized = false;
  };
  fixture.declare(["prod"]);
  await fixture.applied({ env });
  fixture.declare([]);
  await fixture.applied({ env });
  expect(rotations).toBeGreaterThan(4);
  expect(fixture.happened()).toEqual(["+vsphere", "+prod", "-prod"]);
});

testInRest("a change that does not concern the service sends nothing, even if the service is down", async (fixture) => {
  fixture.declare(["prod", "stage"]);
  await fixture.applied();
  const before = fixture.simulator.requests.length;
  fixture.simulator.inject({ kind: "status", status: 500 });

  await fixture.applied();
  fixture.workspace.synth((stack) => {
    const renamed = new Platform(stack, "renamed", {
      engine: fixture.engine,
      deletionProtection: true,
      retain: ["prod"],
      timeouts: { createSeconds: 1 },
      pollSeconds: 1,
    });
    cluster(stack, "stage", CapvsProvider.fromName("vsphere"), { id: "moved-before-its-provider", platform: renamed });
    const on = provider(renamed, "vsphere", { id: "renamed" });
    cluster(renamed, "prod", on, { id: "moved-below-the-platform", adopt: true });
  });
  const [guard, ...rest] = await fixture.workspace.plan();
  expect(rest).toEqual([]);
  expect(guard).toMatchObject({
    address: "terraform_data.cluster_platform_protection",
    actions: ["update"],
    change: {
      before: { input: { deletionProtection: [], retain: [], adopt: [] } },
      after: { input: { deletionProtection: ["*"], retain: ["prod"], adopt: ["capvs/clusters/prod"] } },
    },
  });
  await fixture.applied();
  expect(await fixture.workspace.plan()).toEqual([]);
  expect(fixture.simulator.requests.length).toBe(before);
});

testInRest("taint deletes nothing: the create hook says that the name is taken, and untaint repairs it", async (fixture) => {
  fixture.declare(["prod"]);
  await fixture.applied();
  await fixture.workspace.run(["taint", fixture.address("prod")]);
  expect(await fixture.failed()).toContain("the service already has cluster prod");
  await fixture.workspace.run(["untaint", fixture.address("prod")]);
  await fixture.converges();
  expect(fixture.happened()).toEqual(["+vsphere", "+prod"]);
});
