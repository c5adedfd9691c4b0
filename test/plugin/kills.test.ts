import { execFileSync, type ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "../terraform/processes";
import { cluster, inOneLine, type PluginFixture, provider, testOnPrograms } from "./plugin-fixture";

/** What is left, and what the next apply makes of it, when a run is stopped or killed in the middle of a request. */

const plugins = (terraform: number) =>
  execFileSync("ps", ["-A", "-o", "ppid=,pid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([parent, pid]) => (parent === terraform ? [pid!] : []));

interface Strike {
  readonly method: "POST" | "DELETE";
  /** Whether the service has carried the request out by then. */
  readonly done: boolean;
  readonly whom: readonly ("core" | "plugin")[];
  readonly signal: NodeJS.Signals;
}

/** Applies until the service has the request, sends the signal, and lets the service answer. */
async function strike(stack: PluginFixture, { method, done, whom, signal }: Strike) {
  let letGo = () => {};
  const gate = new Promise<void>((open) => (letGo = open));
  const hook = done ? "onResponse" : "onRequest";
  const reached = new Promise<void>((arrived) => {
    stack.simulator[hook] = async (request) => {
      if (request.method !== method) return;
      arrived();
      await gate;
    };
  });
  let terraform: ChildProcess | undefined;
  const run = stack.apply({ started: (child) => (terraform = child) });
  await reached;
  const children = plugins(terraform!.pid!);
  if (whom.includes("core")) terraform!.kill(signal);
  if (whom.includes("plugin")) for (const pid of children) process.kill(pid, signal);
  if (whom.includes("plugin")) {
    // Nobody waits for the answer any more.
    while ((await Promise.all(children.map(isAlive))).some(Boolean)) await sleep(50);
  }
  // A Terraform that is dead is seen to be dead: the plugin has the answer, and nobody to give it to.
  if (signal === "SIGKILL") while (whom.includes("core") && (await isAlive(terraform!.pid!))) await sleep(10);
  letGo();
  const { status, output } = await run;
  stack.simulator[hook] = undefined;
  return { status, output: inOneLine(output) };
}

const declare = (stack: PluginFixture, ...names: string[]) => stack.write([provider(), ...names.map((name) => cluster(name))]);

const created = (stack: PluginFixture, name: string) => stack.happened().filter((event) => event === `+${name}`).length;

testOnPrograms("a create that is stopped or killed makes one object, which the next apply has", async (stack) => {
  declare(stack);
  await stack.applied();

  declare(stack, "a");
  const stopped = await strike(stack, { method: "POST", done: true, whom: ["core"], signal: "SIGINT" });
  // Terraform waits for the answer, so the state has the object and nothing is left to do.
  expect(stopped.output).toContain("clusterplatform_capvs_cluster.a: Creation complete");
  expect(await stack.changes()).toEqual([]);

  const byNote = "created by an earlier apply that was interrupted at";
  let names = ["a"];
  const kills: [name: string, strike: Omit<Strike, "method" | "signal">][] = [
    ["core", { done: true, whom: ["core"] }],
    ["plugin", { done: true, whom: ["plugin"] }],
    ["both", { done: true, whom: ["core", "plugin"] }],
  ];
  for (const [name, how] of kills) {
    names = [...names, name];
    declare(stack, ...names);
    const killed = await strike(stack, { method: "POST", signal: "SIGKILL", ...how });
    expect(killed.status).not.toBe(0);
    expect(stack.state()).not.toContain(`"${name}"`);
    const output = await stack.applied({ args: ["-lock=false"] });
    expect([name, output]).toEqual([name, expect.stringContaining(`cluster ${name}: ${byNote}`)]);
    expect(created(stack, name)).toBe(1);
  }
  expect(await stack.changes()).toEqual([]);

  // Before the service does its work: whatever became of the request, there is one object in the end.
  declare(stack, ...names, "early");
  await strike(stack, { method: "POST", done: false, whom: ["core", "plugin"], signal: "SIGKILL" });
  await stack.applied({ args: ["-lock=false"] });
  expect(created(stack, "early")).toBe(1);

  // Where the note is lost, the plan says that the name is taken, and one run adopts it.
  declare(stack, ...names, "early", "lost");
  await strike(stack, { method: "POST", done: true, whom: ["core", "plugin"], signal: "SIGKILL" });
  rmSync(join(stack.folder, ".cluster-platform"), { recursive: true });
  expect(await stack.refused("-lock=false")).toContain("apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/lost");
  const adopted = await stack.applied({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/lost" }, args: ["-lock=false"] });
  expect(adopted).toContain("Warning: cluster lost: adopted; it already lives on the service and matches the declaration");
  expect(created(stack, "lost")).toBe(1);
  expect(await stack.changes()).toEqual([]);
});

testOnPrograms("a deletion that is stopped or killed is carried through by the next apply", async (stack) => {
  declare(stack, "a", "b");
  await stack.applied();
  declare(stack, "b");
  const stopped = await strike(stack, { method: "DELETE", done: true, whom: ["core"], signal: "SIGINT" });
  expect(stopped.output).toMatch(
    /stopped \(Terraform asks for it\).*The service may still be deleting cluster a|Destruction complete/,
  );
  await stack.applied();
  expect(stack.state()).not.toContain('"a"');

  // Nothing of the stack but the provider is left, which is enough to believe that the cluster is gone.
  declare(stack);
  await strike(stack, { method: "DELETE", done: true, whom: ["plugin"], signal: "SIGKILL" });
  await stack.applied({ args: ["-lock=false"] });
  expect(stack.state()).not.toContain('"b"');

  // And of nothing at all a note that this stack has deleted it.
  stack.write([]);
  await strike(stack, { method: "DELETE", done: true, whom: ["core", "plugin"], signal: "SIGKILL" });
  await stack.applied({ args: ["-lock=false"] });
  expect(stack.state()).not.toContain('"vsphere"');
  expect(stack.happened().filter((event) => event.startsWith("-"))).toEqual(["-a", "-b", "-vsphere"]);
});
