import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { type Simulator, startSimulator } from "../../src/simulator";
import { accessTo } from "../support/service";
import { capvs } from "../goldens/capvs";
import { clusterPlatform } from "./command";

let simulator: Simulator;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0 });
  env = accessTo(simulator);
});
afterEach(() => simulator.close());

const { body } = capvs.cluster.minimal as unknown as {
  body: { cluster: { clusterName: string }; provider: { identityName: string } };
};

test("get prints that there is nothing", async () => {
  expect(await clusterPlatform(["get", "clusters"], env)).toEqual({ status: 0, output: "no clusters\n" });
});

test("get prints clusters as a table with one line each", async () => {
  simulator.add("clusters", "capvs", body);
  const { status, output } = await clusterPlatform(["get", "clusters"], env);
  const [head, row] = output.trimEnd().split("\n");
  expect(status).toBe(0);
  expect(head).toMatch(/^TYPE +NAME +PROVIDER +PHASE +CONTROL PLANE +WORKERS +API ENDPOINT +CONDITIONS$/);
  expect(row).toMatch(new RegExp(`^capvs +${body.cluster.clusterName} +${body.provider.identityName} +Provisioned `));
});

test("get prints one cluster by its name as JSON", async () => {
  simulator.add("clusters", "capvs", body);
  simulator.add("clusters", "capvs", { ...body, cluster: { ...body.cluster, clusterName: "another" } });
  const { output } = await clusterPlatform(["get", "clusters", "another", "-o", "json"], env);
  expect(JSON.parse(output)).toMatchObject([{ name: "another", type: "capvs", phase: "Provisioned" }]);
});

test("get fails for an unknown name", async () => {
  expect(await clusterPlatform(["get", "clusters", "absent"], env)).toEqual({
    status: 1,
    output: "error: there is no cluster 'absent' on the service [NOT_FOUND]\n",
  });
});

test("get says what is missing to reach the service", async () => {
  const { status, output } = await clusterPlatform(["get", "providers"]);
  expect(status).toBe(1);
  expect(output).toContain("[MISSING_URL]");
});

test("get prints any text of the service without characters that control a terminal or are invisible", async () => {
  const odd = "a\u202eb\u009b31m\u200f";
  const service = createServer((_request, reply) =>
    reply.end(JSON.stringify({ items: [{ clusterName: odd, providerType: "constructor", phase: "\u001b[31m" }], count: 1 })),
  );
  await once(service.listen(0, "127.0.0.1"), "listening");
  const there = { ...env, CLUSTER_PLATFORM_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}` };
  const table = await clusterPlatform(["get", "clusters"], there);
  const json = await clusterPlatform(["get", "clusters", "-o", "json"], there);
  const absent = await clusterPlatform(["get", "clusters", odd.slice(1)], there);
  service.close();
  expect(table.output).toContain("constructor  a\\u{202e}b\\u{9b}31m\\u{200f}");
  expect(JSON.parse(json.output)).toMatchObject([{ name: odd, type: "constructor" }]);
  for (const { output } of [table, json, absent]) expect(output).toMatch(/^[ -~\n]*$/);
});

test.each([
  ["table", [/^ADDED +capvs +first /, /^ADDED +capvs +second /, /^DELETED +capvs +first /]],
  ["json", [/^\{"event":"ADDED","object":\{"name":"first",.*\}\}$/, /"ADDED".*"second"/, /"DELETED".*"first"/]],
])("get follows changes until it is interrupted, also through an outage, as %s", async (format, lines) => {
  const named = (clusterName: string) => ({ ...body, cluster: { ...body.cluster, clusterName } });
  const changes = (text: string) => text.match(/^.*(ADDED|MODIFIED|DELETED).*$/gm) ?? [];
  simulator.add("clusters", "capvs", named("first"));
  const then = [
    () => {
      simulator.inject({ kind: "status", status: 503, retryAfterSeconds: 0, times: 6 });
      simulator.add("clusters", "capvs", named("second"));
    },
    () => simulator.remove("clusters", "capvs", "first"),
  ];
  const args = ["get", "clusters", "--watch", "--interval", "0.1", "-o", format];
  const { status, output } = await clusterPlatform(args, env, (process) => {
    let text = "";
    process.stdout!.on("data", (data: Buffer) => {
      text += data.toString();
      const { length } = changes(text);
      if (length === lines.length) process.kill("SIGINT");
      else if (lines.length - length === then.length) then.shift()!();
    });
  });
  expect(status).toBe(0);
  expect(changes(output)).toEqual(lines.map((line) => expect.stringMatching(line) as string));
  expect(output.match(/^warning: .* 503.*; looking again$/gm)).toHaveLength(1);
});
