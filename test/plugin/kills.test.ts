import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { RecordedRequest } from "../../src/simulator";
import { Foreigners, violations } from "../terraform/invariants";
import type { Backend } from "../support/tools";
import { isAlive, killTerraform, pluginsOf } from "../terraform/processes";
import { inRest } from "../terraform/test-on-backends";
import {
  cluster,
  controlPlane,
  inOneLine,
  type PluginFixture,
  programs,
  provider,
  ready,
  testOnPrograms,
} from "./plugin-fixture";

/**
 * A run is stopped or killed at many points at once. The next runs complete it, and the log of the service shows that nothing
 * was done twice or lost.
 */

type Process = "core" | "plugin";

interface Blow {
  readonly signal: NodeJS.Signals;
  readonly whom: readonly Process[];
}

type Titled = readonly [title: string, blow: Blow];

/** Requests that the service holds until they are let go. */
class Held {
  private readonly holds: {
    readonly when: When;
    readonly isMeant: Meant;
    readonly arrived: () => void;
    readonly gate: Promise<void>;
  }[] = [];
  private readonly gates = new Map<string, () => void>();

  constructor(private readonly simulator: PluginFixture["simulator"]) {
    for (const when of ["onRequest", "onResponse"] as const) {
      simulator[when] = async (request) => {
        for (const hold of this.holds) {
          if (hold.when !== when || !hold.isMeant(request)) continue;
          hold.arrived();
          await hold.gate;
        }
      };
    }
  }

  /** Holds requests from now on. Resolves when the first one has arrived. */
  hold(key: string, when: When, isMeant: Meant): Promise<void> {
    return new Promise((arrived) => {
      const gate = new Promise<void>((open) => this.gates.set(key, open));
      this.holds.push({ when, isMeant, arrived, gate });
    });
  }

  letGo(key: string): void {
    this.gates.get(key)!();
  }

  /** Lets everything go, and holds nothing any more. */
  end(): void {
    this.simulator.onRequest = this.simulator.onResponse = undefined;
    for (const open of this.gates.values()) open();
  }
}

/** Before or after the service carries out a request. */
type When = "onRequest" | "onResponse";
type Meant = (request: Readonly<RecordedRequest>) => boolean;

const creates =
  (name: string): Meant =>
  ({ method, body }) => {
    if (method !== "POST") return false;
    const { cluster, identityName } = body as { cluster?: { clusterName: string }; identityName?: string };
    return (cluster?.clusterName ?? identityName) === name;
  };
const deletes =
  (name: string): Meant =>
  ({ method, path }) =>
    method === "DELETE" && path.endsWith(`/${name}`);
const looks: Meant = ({ method, path }) => method === "GET" && path === "/api/v1/clusters";

const someAlive = async (pids: readonly number[]) => (await Promise.all(pids.map(isAlive))).some(Boolean);

/**
 * Applies until `reached` resolves, strikes, and waits until all processes have ended.
 *
 * @param isAnswered whether the service answers before that. A look ends without an answer, a write does not.
 */
async function strike(
  stack: PluginFixture,
  { signal, whom }: Blow,
  reached: (held: Held, core: ChildProcess) => Promise<void>,
  isAnswered = false,
): Promise<string> {
  const held = new Held(stack.simulator);
  let core: ChildProcess | undefined;
  const run = stack.apply({ args: ["-lock=false"], started: (child) => (core = child) });
  const ended = run.then(({ output }) => {
    throw new Error(`the run ended before the blow:\n${output}`);
  });
  ended.catch(() => {});
  await Promise.race([reached(held, core!), ended]);
  const plugins = await pluginsOf(core!);
  if (whom.includes("core")) {
    if (signal === "SIGKILL") await killTerraform(core!, () => stack.hasIntactState());
    else core!.kill(signal);
  }
  if (whom.includes("plugin")) for (const pid of plugins) process.kill(pid, signal);
  if (isAnswered) {
    // But not before the processes that are killed are dead.
    const isStruck = async () => (whom.includes("plugin") ? !(await someAlive(plugins)) : (await pluginsOf(core!)).length === 0);
    if (signal === "SIGKILL") while (!(await isStruck())) await delay(20);
    held.end();
  }
  const { status, output } = await run;
  if (signal === "SIGKILL") expect(status).not.toBe(0);
  while (await someAlive(plugins)) await delay(50);
  held.end();
  return inOneLine(output);
}

const importBlock = 'import {\n  to = clusterplatform_capvs_cluster.imported\n  id = "imported"\n}\n';
const old = ["x", "y", "z", "r", "imported", "adopted"];
const kept = ["r", "imported", "adopted", "a", "b", "c", "d"];
const before = [provider(), ...old.map((name) => cluster(name))];
const after = [
  provider(),
  provider("other", {}, "other"),
  cluster("r", { control_plane: controlPlane(5) }),
  cluster("imported"),
  importBlock,
  cluster("adopted", { adopt: "true" }),
  ...["a", "b", "c"].map((name) => cluster(name)),
  cluster("d", { depends_on: "[clusterplatform_capvs_cluster.c]" }),
  ready(kept),
];

const blow: Titled = ["the plugin is killed", { signal: "SIGKILL", whom: ["plugin"] }];
const otherBlows: readonly Titled[] = [
  ["Terraform is killed", { signal: "SIGKILL", whom: ["core"] }],
  ["Ctrl-C in a terminal stops a run", { signal: "SIGINT", whom: ["core", "plugin"] }],
  ["Terraform and the plugin are killed", { signal: "SIGKILL", whom: ["core", "plugin"] }],
  ["SIGINT stops Terraform", { signal: "SIGINT", whom: ["core"] }],
  ["SIGTERM stops Terraform", { signal: "SIGTERM", whom: ["core"] }],
  ["SIGTERM stops Terraform and the plugin", { signal: "SIGTERM", whom: ["core", "plugin"] }],
  ["SIGTERM stops the plugin", { signal: "SIGTERM", whom: ["plugin"] }],
];

async function survives(stack: PluginFixture, blow: Blow): Promise<void> {
  const { simulator } = stack;
  const foreigners = new Foreigners(simulator);
  foreigners.add("theirs", "their-provider");
  stack.write(before);
  await stack.applied();
  const addresses = ["imported", "adopted"].map((name) => `clusterplatform_capvs_cluster.${name}`);
  expect(await stack.run(["state", "rm", ...addresses])).toMatchObject({ status: 0 });
  const [writes, state] = [stack.writes(), stack.state()];

  // During refresh, import and plan. Terraform stops the plan of an apply only when it is complete.
  stack.write(after);
  await strike(stack, blow, (held) => held.hold("look", "onRequest", looks), true);
  expect(stack.writes()).toEqual(writes);
  expect(stack.state()).toBe(state);

  // Before the first write of an apply: creates, an adoption and deletions have looked and have no answer. The plan needs two lists.
  let seen = 0;
  await strike(stack, blow, (held) => held.hold("look", "onResponse", ({ method }) => method === "GET" && ++seen > 2));

  await strike(
    stack,
    blow,
    async (held, core) => {
      const answered = held.hold("c", "onResponse", creates("c"));
      const deletion = held.hold("z", "onRequest", deletes("z"));
      await Promise.all([
        answered,
        deletion,
        held.hold("a", "onRequest", creates("a")),
        held.hold("b", "onResponse", creates("b")),
        held.hold("other", "onResponse", creates("other")),
        held.hold("x", "onRequest", deletes("x")),
        held.hold("y", "onResponse", deletes("y")),
        // The old object is gone by then.
        held.hold("r", "onRequest", creates("r")),
      ]);
      // The service has accepted the deletion, and the object is still in the list.
      simulator.timing.deleteSeconds = 3_600;
      const confirmation = held.hold("look", "onRequest", looks);
      held.letGo("z");
      await confirmation;
      simulator.timing.deleteSeconds = 0;
      // The plugin has answered, and Terraform has not saved it.
      if (blow.signal === "SIGKILL" && blow.whom.includes("core")) await pause(stack, core);
      held.letGo("c");
      await delay(500);
    },
    true,
  );
  if (simulator.clusters.some(({ name }) => name === "z")) simulator.remove("clusters", "capvs", "z");

  // While the next apply waits for clusters.
  simulator.timing.provisionSeconds = 3_600;
  const next = await strike(stack, blow, async (held, core) => {
    await prints(core, "clusterplatform_ready.ready: Creating");
    await held.hold("look", "onRequest", looks);
  });
  simulator.timing.provisionSeconds = 0;
  await stack.applied({ args: ["-lock=false"] });
  expect(await stack.changes({ args: ["-lock=false"] })).toEqual([]);
  const byNote = (name: string) => `cluster ${name}: created by an earlier apply that was interrupted at`;
  // What Terraform says when it is killed itself is lost.
  if (blow.signal === "SIGKILL" && !blow.whom.includes("core")) expect(next).toContain(byNote("b"));
  expect(violations(simulator, foreigners)).toEqual([]);
  const events = stack.happened();
  expect(events.slice(0, 8).sort()).toEqual(["+theirs", "+vsphere", ...old.map((name) => `+${name}`)].sort());
  expect(events.slice(8).sort()).toEqual(["+a", "+b", "+c", "+d", "+other", "+r", "-r", "-x", "-y", "-z"].sort());
}

/** Resolves when the process has printed the text. */
function prints({ stdout }: ChildProcess, text: string): Promise<void> {
  let printed = "";
  return new Promise((resolve) => {
    stdout!.on("data", (data: Buffer) => {
      printed += data.toString();
      if (printed.includes(text)) resolve();
    });
  });
}

/** Stops Terraform for a while, but not while it writes its state. */
async function pause(stack: PluginFixture, { pid }: ChildProcess): Promise<void> {
  do {
    process.kill(pid!, "SIGCONT");
    await delay(20);
    process.kill(pid!, "SIGSTOP");
    await delay(20);
  } while (!stack.hasIntactState());
}

const testBlow = ([what, blow]: Titled, some: readonly Backend[]) =>
  testOnPrograms(`${what} at any point, and the next runs complete it`, (stack) => survives(stack, blow), {
    some: inRest(some),
    pausesAreReal: true,
  });
testBlow(blow, programs);
for (const other of otherBlows) testBlow(other, programs.slice(0, 1));
