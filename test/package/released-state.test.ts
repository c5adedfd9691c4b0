import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../src/simulator";
import { accessTo } from "../support/service";
import { type Backend, backends, providerBackend } from "../support/tools";
import { Workspace } from "../terraform/workspace";
import { type Declared, declareAll, secretsOf } from "./released-state";

/**
 * States of released versions, with every field of every type. An upgrade must plan no changes on them, because any change
 * would delete live clusters.
 */
const RELEASED = join("test/package/released");
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const versions = readdirSync(RELEASED);

let simulator: Simulator;
let workspace: Workspace;

/** Restores the state, objects and declarations of a version, and synthesizes them with today's code. */
async function resume(from: string, { binary, engine }: Backend): Promise<void> {
  const folder = join(RELEASED, from);
  workspace = new Workspace({}, binary);
  const stateFile = join(workspace.folder, "service.json");
  copyFileSync(join(folder, "service.json"), stateFile);
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0, acceptUnknownFields: true, stateFile });
  // The provider refuses a state that names another service.
  const state = readFileSync(join(folder, `${engine}.json`), "utf8").replace(/http:\/\/127\.0\.0\.1:\d+/g, simulator.url);
  writeFileSync(join(workspace.folder, "terraform.tfstate"), state);

  const declared = JSON.parse(readFileSync(join(folder, "declared.json"), "utf8")) as Declared[];
  Object.assign(workspace.env, {
    ...accessTo(simulator),
    ...secretsOf(declared),
  });
  workspace.synth((stack) => declareAll(stack, engine, declared));
}

test("the state of this version is kept", () => {
  expect(versions).toContain(version);
});

describe.each(versions)("the state of version %s", (from) => {
  afterEach(async () => {
    await simulator.close();
    workspace.remove();
  });

  // Terraform wrote the state of the provider. OpenTofu 1.6 plans an update of every object in it, in place and without a
  // change, because Terraform 1.11 marks sensitive attributes in the state.
  test.each([...backends, providerBackend])("on $title gives an empty plan, and can be destroyed", async (backend) => {
    await resume(from, backend);
    expect(simulator.clusters.length).toBeGreaterThanOrEqual(14);
    expect(await workspace.plan()).toEqual([]);

    expect(await workspace.destroy()).toMatchObject({ status: 0 });
    expect([...simulator.clusters, ...simulator.providers]).toEqual([]);
  });
});
