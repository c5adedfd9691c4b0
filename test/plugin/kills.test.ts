import type { ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, pluginsOf } from "../terraform/processes";
import { cluster, inOneLine, type PluginFixture, provider, testOnPrograms } from "./plugin-fixture";

/** What a stopped or killed run leaves, and what the next apply does with it. */

interface Strike {
  /** GET is the look of a create before it writes. The plan has already looked once. */
  readonly method: "GET" | "POST" | "DELETE";
  /** Whether the service has carried out the request before the signal. */
  readonly done: boolean;
  readonly whom: readonly ("core" | "plugin")[];
  readonly signal: NodeJS.Signals;
}

/** Applies until the service has the request, sends the signal, and then lets the service answer. */
async function strike(stack: PluginFixture, { method, done, whom, signal }: Strike) {
  let letGo = () => {};
  const gate = new Promise<void>((open) => (letGo = open));
  const hook = done ? "onResponse" : "onRequest";
  let looks = 0;
  const reached = new Promise<void>((arrived) => {
    stack.simulator[hook] = async (request) => {
      if (request.method !== method) return;
      if (method === "GET" && (request.path !== "/api/v1/clusters" || ++looks < 2)) return;
      arrived();
      await gate;
    };
  });
  let terraform: ChildProcess | undefined;
  const run = stack.apply({ started: (child) => (terraform = child) });
  await reached;
  const children = await pluginsOf(terraform!);
  if (whom.includes("core")) terraform!.kill(signal);
  if (whom.includes("plugin")) for (const pid of children) process.kill(pid, signal);
  if (whom.includes("plugin")) {
    // All processes are dead, so nobody waits for the answer.
    while ((await Promise.all(children.map(isAlive))).some(Boolean)) await sleep(50);
  }
  // `ps` may show Terraform as ended before all its threads are. Until then the plugin has its parent, and counts on it.
  if (signal === "SIGKILL") while (whom.includes("core") && (await pluginsOf(terraform!)).length > 0) await sleep(10);
  letGo();
  const { status, output } = await run;
  stack.simulator[hook] = undefined;
  return { status, output: inOneLine(output) };
}

const declare = (stack: PluginFixture, ...names: string[]) => stack.write([provider(), ...names.map((name) => cluster(name))]);

const created = (stack: PluginFixture, name: string) => stack.happened().filter((event) => event === `+${name}`).length;

testOnPrograms("a stopped or killed create makes one object, and the next apply has it", async (stack) => {
  declare(stack);
  await stack.applied();

  declare(stack, "a");
  const stopped = await strike(stack, { method: "POST", done: true, whom: ["core"], signal: "SIGINT" });
  // Terraform waited for the answer, so the state has the object.
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

  // The run dies before the service handles the request. In the end there is one object, with or without the request.
  for (const method of ["GET", "POST"] as const) {
    const name = `before-${method.toLowerCase()}`;
    names = [...names, name];
    declare(stack, ...names);
    const killed = await strike(stack, { method, done: false, whom: ["core", "plugin"], signal: "SIGKILL" });
    expect(killed.status).not.toBe(0);
    await stack.applied({ args: ["-lock=false"] });
    expect([name, created(stack, name)]).toEqual([name, 1]);
  }

  // Without the note, the plan reports the name as taken, and one run adopts the object.
  declare(stack, ...names, "lost");
  await strike(stack, { method: "POST", done: true, whom: ["core", "plugin"], signal: "SIGKILL" });
  rmSync(join(stack.folder, ".cluster-platform"), { recursive: true });
  expect(await stack.refused("-lock=false")).toContain("apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/lost");
  const adopted = await stack.applied({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/lost" }, args: ["-lock=false"] });
  expect(adopted).toContain("Warning: cluster lost: adopted; it is already on the service and matches the declaration");
  expect(created(stack, "lost")).toBe(1);
  expect(await stack.changes()).toEqual([]);
});

testOnPrograms("a stopped or killed deletion is completed by the next apply", async (stack) => {
  declare(stack, "a", "b");
  await stack.applied();
  declare(stack, "b");
  const stopped = await strike(stack, { method: "DELETE", done: true, whom: ["core"], signal: "SIGTERM" });
  expect(stopped.output).toMatch(
    /stopped \(Terraform has sent StopProvider\).*The service may still be deleting cluster a|Destruction complete/,
  );
  await stack.applied();
  expect(stack.state()).not.toContain('"a"');

  // The provider is the only other object of the stack. It proves that the service is the right one.
  declare(stack);
  await strike(stack, { method: "DELETE", done: true, whom: ["plugin"], signal: "SIGKILL" });
  await stack.applied({ args: ["-lock=false"] });
  expect(stack.state()).not.toContain('"b"');

  // No other object is left. The note of the deletion is the proof.
  stack.write([]);
  await strike(stack, { method: "DELETE", done: true, whom: ["core", "plugin"], signal: "SIGKILL" });
  await stack.applied({ args: ["-lock=false"] });
  expect(stack.state()).not.toContain('"vsphere"');
  expect(stack.happened().filter((event) => event.startsWith("-"))).toEqual(["-a", "-b", "-vsphere"]);
});
