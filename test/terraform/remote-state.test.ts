import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, HttpBackend, TerraformStack } from "cdktf";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import { type Simulator, startSimulator } from "../../src/simulator";
import { cluster, provider, secrets } from "../support/capvs";
import { accessTo, happenedOn } from "../support/service";
import { StateServer } from "../support/state-server";
import { terraform } from "../support/tools";
import { execute, type Outcome } from "./workspace";

/** Two simultaneous applies of one stack on two machines, with a locking state. */

let simulator: Simulator;
let server: StateServer;
let folder: string;

beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  server = await StateServer.start();
  folder = mkdtempSync(join(tmpdir(), "cluster-platform-remote-"));
  const app = new App({ outdir: join(folder, "cdktf.out") });
  const stack = new TerraformStack(app, "test");
  const address = `${server.url}/test`;
  const lock = { lockAddress: `${address}/lock`, lockMethod: "POST", unlockAddress: `${address}/lock`, unlockMethod: "DELETE" };
  new HttpBackend(stack, { address, ...lock });
  new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA, pollSeconds: 0.2 });
  cluster(stack, "prod", provider(stack));
  app.synth();
  for (const machine of ["one", "other"]) {
    cpSync(join(folder, "cdktf.out/stacks/test"), join(folder, machine), { recursive: true });
    expect(await run(machine, ["init", "-input=false"])).toMatchObject({ status: 0 });
  }
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([simulator.close(), server.close()]);
});

const run = (machine: string, args: readonly string[]): Promise<Outcome> =>
  execute(terraform, args, join(folder, machine), { ...accessTo(simulator), ...secrets }, {});
const apply = (machine: string) => run(machine, ["apply", "-auto-approve", "-input=false"]);

test("the second apply fails at once, names the holder of the lock, and does nothing", async () => {
  let goOn = () => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const arrived = new Promise<void>((resolve) => {
    simulator.onRequest = ({ method }) => {
      if (method !== "POST") return;
      resolve();
      return held;
    };
  });
  const first = apply("one");
  await Promise.race([arrived, first.then(({ output }) => Promise.reject(new Error(output)))]);
  const second = await apply("other");
  goOn();
  expect(await first).toMatchObject({ status: 0 });
  expect(second.status).toBe(1);
  expect(second.output).toContain("Error acquiring the state lock");
  expect(second.output).toContain("OperationTypeApply");
  expect(happenedOn(simulator)).toEqual(["+vsphere", "+prod"]);
});
