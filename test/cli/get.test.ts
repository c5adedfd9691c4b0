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

test("says that there is nothing, rather than nothing", async () => {
  expect(await clusterPlatform(["get", "clusters"], env)).toEqual({ status: 0, output: "no clusters\n" });
});

test("shows clusters as a table, one line each", async () => {
  simulator.add("clusters", "capvs", body);
  const { status, output } = await clusterPlatform(["get", "clusters"], env);
  const [head, row] = output.trimEnd().split("\n");
  expect(status).toBe(0);
  expect(head).toMatch(/^TYPE +NAME +PROVIDER +PHASE +CONTROL PLANE +WORKERS +API ENDPOINT +CONDITIONS$/);
  expect(row).toMatch(new RegExp(`^capvs +${body.cluster.clusterName} +${body.provider.identityName} +Provisioned `));
});

test("shows one by its name as JSON", async () => {
  simulator.add("clusters", "capvs", body);
  simulator.add("clusters", "capvs", { ...body, cluster: { ...body.cluster, clusterName: "another" } });
  const { output } = await clusterPlatform(["get", "clusters", "another", "-o", "json"], env);
  expect(JSON.parse(output)).toMatchObject([{ name: "another", type: "capvs", phase: "Provisioned" }]);
});

test("fails for a name that is not there", async () => {
  expect(await clusterPlatform(["get", "clusters", "absent"], env)).toEqual({
    status: 1,
    output: "error: there is no cluster 'absent' on the service [NOT_FOUND]\n",
  });
});

test("says what is missing to reach the service", async () => {
  const { status, output } = await clusterPlatform(["get", "providers"]);
  expect(status).toBe(1);
  expect(output).toContain("[MISSING_URL]");
});
