import { CapvsProvider } from "../../src/constructs/types/capvs";
import { cluster, provider } from "../support/capvs";
import { inOneLine } from "./stack-fixture";
import { testInRest, testOnBackends } from "./test-on-backends";

const POST_CLUSTER = { method: "POST", path: "/api/v1/platform/providers/clusters" } as const;

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
    cluster(stack, "prod", on, { controlPlane: { count: 5, cpus: 4, memoryMib: 8192, diskGib: 60 } });
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

testInRest("an object that another Terraform workspace was creating is not taken over", async (fixture) => {
  fixture.workspace.synth((stack) => {
    fixture.platform(stack);
    cluster(stack, "prod", CapvsProvider.fromName("elsewhere"));
  });
  fixture.simulator.inject({ kind: "status", status: 500, ...POST_CLUSTER });
  await fixture.failed();
  fixture.simulator.heal();
  fixture.foreigners.add("prod", "elsewhere");

  await fixture.workspace.run(["workspace", "new", "another"]);
  expect(await fixture.failed()).toContain("the service already has cluster prod");
  await fixture.workspace.run(["workspace", "select", "default"]);
  fixture.foreigners.adopted("prod");
  expect(await fixture.applied()).toContain("created by an earlier apply that was interrupted");
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
