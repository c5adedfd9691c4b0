import { resolve } from "node:path";
import { type Simulator, startSimulator } from "../../src/simulator";
import { Project } from "../cdktf-cli/project";
import { secrets } from "../support/capvs";
import { accessTo, happenedOn } from "../support/service";
import { StateServer } from "../support/state-server";
import { engines } from "../support/tools";
import { Engine } from "../../src/constructs/engine";
import { Consumer, Tarball, TSX } from "./consumer";
import { before, clusters, noClusters } from "./existing-project";

/** The packed package in a CDKTF project that is deployed already, with the real cdktf command line. */

let tarball: Tarball;
let consumer: Consumer;
let simulator: Simulator;
let states: StateServer;
let project: Project;

const cdktf = async (command: string, ...options: string[]) => {
  // Checksums of other systems, which would need the registry, do not matter here.
  const { status, output } = await project.cdktf([command, "--skip-provider-lock", ...options]);
  expect({ status, output }).toEqual({ status: 0, output: expect.anything() });
  return output;
};
const happened = () => happenedOn(simulator);

const withNullResource = engines.includes(Engine.NULL_RESOURCE) ? describe : describe.skip;

withNullResource("a project that was deployed before", () => {
  beforeAll(async () => {
    tarball = new Tarball();
    simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
    states = await StateServer.start();
    consumer = new Consumer({ dependencies: { "@cdktf/provider-null": "^11.0.0", cdktf: "^0.21.0", constructs: "~10.6.0" } })
      .write({
        "cdktf.json": JSON.stringify({
          language: "typescript",
          app: `node ${resolve("node_modules", TSX)} main.ts`,
          sendCrashReports: "false",
        }),
        "main.ts": before,
        "clusters.ts": noClusters,
      })
      .install();
    project = new Project(
      {
        STATE_ADDRESS: `${states.url}/shop`,
        ...accessTo(simulator),
        ...secrets,
      },
      consumer.folder,
    );
    await cdktf("deploy", "--auto-approve");
  });

  afterAll(async () => {
    consumer.remove();
    tarball.remove();
    await states.close();
    await simulator.close();
  });

  test("the project gets clusters, and keeps its resources", async () => {
    expect(states.states.get("/state/shop")).toContain('"legacy"');
    consumer.install(tarball.path).write({ "clusters.ts": clusters });

    expect(await cdktf("diff")).toMatch(/[1-9]\d* to add, 0 to change, 0 to destroy/);
    expect(happened()).toEqual([]);

    const deployed = await cdktf("deploy", "--auto-approve");
    expect(deployed).toContain("cluster prod is ready");
    expect(deployed).toMatch(/[1-9]\d* added, 0 changed, 0 destroyed/);
    expect(happened()).toEqual(["+vsphere", "+prod"]);
    expect(states.instances("shop").sort()).toEqual(['capvs_clusters["prod"]', 'capvs_providers["vsphere"]']);
  });

  test("the project has one configuration of the null provider, its own", () => {
    const { provider } = JSON.parse(project.read("cdktf.out/stacks/shop/cdk.tf.json")) as { provider: { null: unknown[] } };
    expect(provider.null).toHaveLength(1);
  });

  test("the project shows its outputs beside those of the clusters", async () => {
    const output = await cdktf("output");
    expect(output).toMatch(/cluster = "?prod/);
    expect(output).toMatch(/domain = "?shop\.example\.com/);
  });

  test("the project is destroyed with its clusters, and no lock is left", async () => {
    await cdktf("destroy", "--auto-approve");
    expect(happened().slice(2)).toEqual(["-prod", "-vsphere"]);
    expect(states.instances("shop")).toEqual([]);
    expect(states.states.get("/state/shop")).not.toContain('"legacy"');
    expect(states.locks.size).toBe(0);
  });
});
