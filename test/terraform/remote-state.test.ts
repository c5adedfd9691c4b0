import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, HttpBackend, PgBackend, TerraformStack } from "cdktf";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import { type Simulator, startSimulator } from "../../src/simulator";
import { cluster, provider, secrets } from "../support/capvs";
import { accessTo, happenedOn } from "../support/service";
import { notRun } from "../support/not-run";
import { hasPostgres, Postgres } from "../support/postgres";
import { StateServer } from "../support/state-server";
import { terraform } from "../support/tools";
import { testOnceInRest } from "./test-on-backends";
import { execute, type Outcome } from "./workspace";

/** Two simultaneous applies of one stack on two machines, with a locking state. */

interface Backend {
  /** Configures the stack's backend. */
  readonly use: (stack: TerraformStack) => void;
  readonly close: () => Promise<void>;
}

const backends: Record<string, () => Promise<Backend>> = {
  http: async () => {
    const server = await StateServer.start();
    const address = `${server.url}/test`;
    const lock = { lockAddress: `${address}/lock`, lockMethod: "POST", unlockAddress: `${address}/lock`, unlockMethod: "DELETE" };
    return { use: (stack) => void new HttpBackend(stack, { address, ...lock }), close: () => server.close() };
  },
  ...(hasPostgres && {
    pg: async () => {
      const database = await Postgres.start();
      return { use: (stack) => void new PgBackend(stack, { connStr: database.url }), close: () => database.close() };
    },
  }),
};
if (!hasPostgres) notRun("the pg backend", "PostgreSQL's server is not installed", { couldBeHad: false });

describe.each(Object.entries(backends))("with the %s backend", (_, start) => {
  let simulator: Simulator;
  let backend: Backend;
  let folder: string;

  beforeEach(async () => {
    simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
    backend = await start();
    folder = mkdtempSync(join(tmpdir(), "cluster-platform-remote-"));
    const app = new App({ outdir: join(folder, "cdktf.out") });
    const stack = new TerraformStack(app, "test");
    backend.use(stack);
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
    await Promise.all([simulator.close(), backend.close()]);
  });

  const run = (machine: string, args: readonly string[]): Promise<Outcome> =>
    execute(terraform, args, join(folder, machine), { ...accessTo(simulator), ...secrets }, {});
  const apply = (machine: string, ...args: string[]) => run(machine, ["apply", "-auto-approve", "-input=false", ...args]);
  const happened = () => happenedOn(simulator);

  /** Holds an apply in its first create while `meanwhile` runs, and then lets it end. */
  async function whileCreating<T>(meanwhile: () => Promise<T>): Promise<{ first: Outcome; second: T }> {
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
    const second = meanwhile();
    await Promise.race([second, new Promise((wake) => setTimeout(wake, 3_000))]);
    goOn();
    return { first: await first, second: await second };
  }

  test("the second apply fails at once, names the holder of the lock, and does nothing", async () => {
    const { first, second } = await whileCreating(() => apply("other"));
    expect(first).toMatchObject({ status: 0 });
    expect(second.status).toBe(1);
    expect(second.output).toContain("Error acquiring the state lock");
    expect(second.output).toContain("OperationTypeApply");
    expect(happened()).toEqual(["+vsphere", "+prod"]);
  });

  testOnceInRest("-lock-timeout makes the second apply wait for the first, and it finds nothing left to do", async () => {
    const { first, second } = await whileCreating(() => apply("other", "-lock-timeout=60s"));
    expect(first).toMatchObject({ status: 0 });
    expect(second).toMatchObject({ status: 0, output: expect.stringContaining("0 added, 0 changed, 0 destroyed") });
    expect(happened()).toEqual(["+vsphere", "+prod"]);
  });
});
