import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DataResource } from "cdktf";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import { type Simulator, startSimulator } from "../../src/simulator";
import { goldens } from "../goldens";
import { declare } from "../support/declare";
import { secrets } from "../support/capvs";
import { accessTo } from "../support/service";
import { Workspace } from "./workspace";

/** The steps of docs/migration.md from a resource that calls curl. */

let simulator: Simulator;
let workspace: Workspace;

beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  workspace = new Workspace({ ...accessTo(simulator), ...secrets });
});

afterEach(async () => {
  workspace.remove();
  await simulator.close();
});

const { minimal } = goldens.capvs.cluster;
const name = minimal.declaration.name as string;

test("a cluster that curl created is adopted, and is neither deleted nor created again", async () => {
  simulator.add("providers", "capvs", {
    ...goldens.capvs.provider.minimal.body,
    identityName: minimal.declaration.provider as string,
  });
  writeFileSync(join(workspace.folder, "cluster.json"), JSON.stringify(minimal.body));
  const curl = `curl --fail --silent --show-error --header "Authorization: Bearer $CLUSTER_PLATFORM_TOKEN"`;
  workspace.synth((stack) => {
    new DataResource(stack, "prod", {
      provisioners: [
        {
          type: "local-exec",
          command: `${curl} "$CLUSTER_PLATFORM_URL/api/v1/platform/providers/clusters/capvs" --header "content-type: application/json" --data @${workspace.folder}/cluster.json`,
        },
        {
          type: "local-exec",
          when: "destroy",
          command: `${curl} --request DELETE "$CLUSTER_PLATFORM_URL/api/v1/clusters/${name}"`,
        },
      ],
    });
  });
  expect(await workspace.apply()).toMatchObject({ status: 0 });
  expect(simulator.clusters.map((cluster) => cluster.name)).toEqual([name]);
  const before = simulator.events.length;

  expect(await workspace.run(["state", "rm", "terraform_data.prod"])).toMatchObject({ status: 0 });
  const migrated = (adopt: boolean) =>
    workspace.synth((stack) => {
      new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA, deletionProtection: true });
      declare(stack, "capvs", "cluster", { ...minimal.declaration, ...(adopt && { adopt }) });
    });
  migrated(true);
  expect((await workspace.plan()).filter(({ actions }) => actions.includes("delete"))).toEqual([]);
  expect(await workspace.apply()).toMatchObject({
    status: 0,
    output: expect.stringContaining("adopted; "),
  });
  migrated(false);
  const plan = await workspace.plan();
  expect(plan.filter(({ address }) => address.includes("capvs_"))).toEqual([]);
  expect(simulator.events.slice(before)).toEqual([]);
});
