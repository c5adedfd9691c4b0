import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { secrets } from "../support/capvs";
import { isAtLeast } from "../support/tools";
import { cluster, controlPlane, provider, ready, testOnPrograms } from "./plugin-fixture";

/** Waiting for clusters, with a token that changes during the run and with secrets. */

testOnPrograms(
  "a resource of its own waits for clusters, continues after a timeout, and sees a cluster that is no longer ready",
  async (stack) => {
    const list = () =>
      fetch(`${stack.simulator.url}/api/v1/clusters`, { headers: { authorization: `Bearer ${stack.simulator.token}` } });
    stack.simulator.timing.provisionSeconds = 3_600;
    const declared = [
      provider(),
      cluster("prod"),
      cluster("test"),
      ready(["prod", "test"]),
      ready(["test"], [], "test_only"),
      'output "endpoint" {\n  value = clusterplatform_ready.test_only.endpoints["capvs/clusters/test"]\n}\n',
      'resource "terraform_data" "add_on" {\n  triggers_replace = clusterplatform_ready.ready.endpoints["capvs/clusters/test"]\n}\n',
    ];
    const impatient = "timeouts = { ready_seconds = 1 }\n  # ";
    const short = (text: string) => text.replace(/timeouts {4} = .*/, impatient);
    stack.write(declared);
    const file = join(stack.folder, "main.tf");
    const configuration = stack.configuration();
    writeFileSync(file, short(configuration));
    const late = await stack.failed();
    expect(late).toMatch(
      /\[READY_TIMEOUT\].*2 of 2 clusters not ready after \ds \(timeouts\.readySeconds\).* with clusterplatform_ready\.ready/,
    );
    expect(late).toContain("The next apply waits again, and creates nothing again.");
    expect(stack.attributes("clusterplatform_ready.test_only")).toMatchObject({
      endpoints: { "capvs/clusters/test": expect.any(String) },
    });

    stack.simulator.timing.provisionSeconds = 0;
    writeFileSync(file, configuration);
    expect(await stack.applied()).toContain("2 added, 0 changed, 0 destroyed");
    expect(await stack.changes()).toEqual([]);

    const { items } = (await (await list()).json()) as { items: object[] };
    const body = { items: items.map((item) => ({ ...item, phase: "Provisioning" })), count: items.length };
    const relapse = stack.simulator.inject({ kind: "status", status: 200, body, method: "GET", path: "/api/v1/clusters" });
    expect(await stack.changes()).toEqual(["update clusterplatform_ready.ready"]);
    relapse.cancel();

    // A new cluster changes only itself and the resource that waits for all clusters, and nothing that uses another endpoint.
    stack.write([...declared.slice(0, 3), cluster("third"), ready(["prod", "test", "third"]), ...declared.slice(4)]);
    expect((await stack.changes()).sort()).toEqual([
      "create clusterplatform_capvs_cluster.third",
      "update clusterplatform_ready.ready",
    ]);
    await stack.applied();
    expect(await stack.changes()).toEqual([]);

    // A cluster that is gone keeps its endpoint in the state, and changes what uses it only when it is created again.
    await stack.deleteByHand("/api/v1/clusters/test");
    await stack.applied({ args: ["-refresh-only"] });
    expect(await stack.applied()).toContain("2 added, 2 changed, 1 destroyed");
    expect(await stack.changes()).toEqual([]);
  },
);

testOnPrograms("a token is renewed during a run, and secrets are not in state, plan, output and log", async (stack) => {
  const token = join(stack.folder, "token");
  writeFileSync(token, stack.simulator.token);
  stack.env = { ...stack.env, CLUSTER_PLATFORM_TOKEN: undefined, CLUSTER_PLATFORM_TOKEN_FILE: token };
  stack.simulator.onRequest = ({ method, path }) => {
    if (method !== "POST" || path.endsWith("/providers/capvs")) return;
    stack.simulator.onRequest = undefined;
    stack.simulator.token = "the-second-token-of-this-service";
    writeFileSync(token, stack.simulator.token);
  };
  const shown = [stack.simulator.token, secrets.VSPHERE_PASSWORD, "written-only-once", "plain-in-overrides"];
  stack.write([provider("vsphere", { username: '{ env = "VSPHERE_USERNAME" }' }), cluster("prod"), ready(["prod"])]);
  const { output } = await stack.plan({ env: { TF_LOG_PROVIDER: "trace" } });
  const applied = await stack.applied({ env: { TF_LOG_PROVIDER: "trace" } });
  expect(stack.simulator.clusters).toHaveLength(1);
  expect(await stack.changes()).toEqual([]);
  expect(stack.simulator.providers[0]).toMatchObject({ name: "vsphere" });

  // A write-only value, which no state or plan holds, reaches the service. Older programs refuse it.
  const overrides = '{ storagePolicyName = "plain-in-overrides" }';
  const written = provider("written", { password: '{ value_wo = "written-only-once" }', body_overrides_wo: overrides });
  const before = [provider(), cluster("prod"), ready(["prod"])];
  stack.write([...before, written]);
  let refused = "";
  if (isAtLeast(stack.binary, { terraform: 11, openTofu: 11 })) {
    await stack.applied({ env: { TF_LOG_PROVIDER: "trace" } });
    const sent = stack.simulator.requests.filter(({ method }) => method === "POST").at(-1)!;
    expect(sent.body).toMatchObject({
      identityName: "written",
      connectInfo: { passwd: "written-only-once" },
      storagePolicyName: "plain-in-overrides",
    });
    expect(await stack.changes()).toEqual([]);

    // The service quotes what it refuses.
    const body = { error: { code: "INVALID", message: "plain-in-overrides is too long" } };
    const refusal = stack.simulator.inject({ kind: "status", status: 422, body, method: "POST" });
    stack.write([...before, written, provider("overridden", { body_overrides_wo: '{ folder = "plain-in-overrides" }' })]);
    refused = await stack.failed({ env: { TF_LOG_PROVIDER: "trace" } });
    expect(refused).toContain("[hidden] is too long");
    refusal.cancel();
  } else {
    expect(await stack.refused()).toContain("Write-only arguments need Terraform 1.11 or OpenTofu 1.11");
    stack.write(before);
  }

  // Nothing is sent if the machine lacks a secret.
  const writes = stack.writes().length;
  const now = isAtLeast(stack.binary, { terraform: 11, openTofu: 11 }) ? [...before, written] : before;
  stack.write([...now, provider("other", { password: '{ env = "MISSING_ONE" }' })]);
  expect(await stack.failed()).toMatch(
    /\[MISSING_SECRET\].*clusterplatform_capvs_provider\.other: a secret cannot be resolved; nothing was sent/,
  );
  expect(stack.writes()).toHaveLength(writes);

  // A value that is known only at apply breaks a rule. Nothing is sent.
  const late = 'resource "terraform_data" "late" {\n  input = 0\n}\n';
  const unknown = cluster("late", {
    control_plane: controlPlane("terraform_data.late.output"),
    // Terraform knows the beginning of this value.
    ingress: '"late-${terraform_data.late.id}.example.com"',
  });
  stack.write([...now, late, unknown]);
  expect(await stack.failed()).toMatch(
    /\[INVALID_PROP\].*'control_plane\.count' must be a whole number of nodes, at least 1, got 0/,
  );
  expect(stack.writes()).toHaveLength(writes);
  for (const secret of [...shown, stack.simulator.token]) {
    expect(
      [stack.state(), output, applied, refused].some(
        (text) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)),
      ),
    ).toBe(false);
  }
});
