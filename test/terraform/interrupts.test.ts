import type { ChildProcess } from "node:child_process";
import { CapvsProvider } from "../../src/constructs/types/capvs";
import type { RecordedRequest } from "../../src/simulator";
import { cluster, provider } from "../support/capvs";
import { addProvider } from "../support/live-objects";
import { type Backend, backends } from "../support/tools";
import { hooksAt, isAlive, killTerraform } from "./processes";
import { inOneLine, type StackFixture } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";

/** Longer than any test, so that only the signal can end the run. */
const ENDLESS = { requestSeconds: 3_600, createSeconds: 3_600, deleteSeconds: 3_600, readySeconds: 3_600 };

/** The hook's progress when the signal arrives. */
const points = {
  "before the POST": { request: "GET", when: "onRequest", declared: true },
  "with the POST under way": { request: "POST", when: "onRequest", declared: true },
  "with the POST carried out and not answered": { request: "POST", when: "onResponse", declared: true },
  "while it waits for the cluster": { request: "GET", when: "onRequest", declared: true, waiting: true },
  "with the DELETE under way": { request: "DELETE", when: "onRequest", declared: false },
  "with the DELETE carried out and not answered": { request: "DELETE", when: "onResponse", declared: false },
} as const;

type Point = keyof typeof points;
type Whom = "Terraform" | "the hook" | "Terraform and the hook";

/** Holds the request at a point until `letGo`. `reached` resolves when the request is there. */
function hold(fixture: StackFixture, point: Point): { reached: Promise<void>; letGo: () => void } {
  const { request, when } = points[point];
  const waiting = "waiting" in points[point];
  let letGo = () => {};
  const gate = new Promise<void>((open) => (letGo = open));
  const reached = new Promise<void>((arrived) => {
    fixture.simulator[when] = async ({ method }: Readonly<RecordedRequest>) => {
      if (method !== request || (waiting && fixture.simulator.clusters.length === 0)) return;
      arrived();
      await gate;
    };
  });
  return { reached, letGo };
}

/** Applies until a hook is at a point, sends the signal, and waits until everything has ended. */
async function interrupt(fixture: StackFixture, point: Point, signal: NodeJS.Signals, whom: Whom): Promise<string> {
  const { reached, letGo } = hold(fixture, point);
  let terraform: ChildProcess | undefined;
  const run = fixture.workspace.apply({ started: (child) => (terraform = child) });
  await reached;
  const hooks = await hooksAt(fixture.simulator);
  expect(hooks.length).toBeGreaterThan(0);
  // Terraform must not see its hooks die, so it dies first.
  if (whom !== "the hook") {
    if (signal === "SIGKILL") await killTerraform(terraform!, () => fixture.workspace.hasIntactState());
    else terraform!.kill(signal);
  }
  if (whom !== "Terraform") for (const { pid } of hooks) process.kill(pid, signal);
  // Nobody answers a request that is under way.
  while ((await Promise.all(hooks.map(({ pid }) => isAlive(pid)))).some(Boolean)) {
    await new Promise((wake) => setTimeout(wake, 50));
  }
  const { output } = await run;
  fixture.simulator.onRequest = undefined;
  fixture.simulator.onResponse = undefined;
  letGo();
  return inOneLine(output);
}

type Case = readonly [Point, NodeJS.Signals, Whom];
/** Each signal once. */
const cases: readonly Case[] = [
  ["with the POST carried out and not answered", "SIGKILL", "Terraform and the hook"],
  ["while it waits for the cluster", "SIGINT", "Terraform"],
  ["with the DELETE under way", "SIGTERM", "Terraform"],
];
/** The other points, and other signals that end a hook. */
const otherCases: readonly Case[] = [
  ["before the POST", "SIGINT", "Terraform"],
  ["with the POST under way", "SIGKILL", "Terraform"],
  ["with the DELETE carried out and not answered", "SIGTERM", "the hook"],
  ["while it waits for the cluster", "SIGINT", "the hook"],
  ["with the POST carried out and not answered", "SIGHUP", "the hook"],
];

/** Whether a surviving process can print the outcome. */
const speaks = (signal: NodeJS.Signals, whom: Whom) => signal !== "SIGKILL" || whom === "the hook";

/** The next apply completes the object, or its message says how to create it, and doing that completes it. */
async function completes(fixture: StackFixture, whom: Whom): Promise<void> {
  const { status, output } = await fixture.workspace.apply();
  if (status !== 0) {
    const [, replace] =
      /Create it again: CLUSTER_PLATFORM_ACCEPT_GONE=\S+ terraform apply -replace='([^']+)' /.exec(inOneLine(output)) ?? [];
    expect({ whom, replace, output }).toEqual({ whom: "Terraform and the hook", replace: fixture.address("prod"), output });
    await fixture.applied({ args: [`-replace=${replace}`] });
  }
  expect(await fixture.workspace.plan()).toEqual([]);
}

const testInterrupt = (some: readonly Backend[], [point, signal, whom]: Case) =>
  testOn(inRest(some), { pausesAreReal: true, timeouts: ENDLESS })(
    `${point}: ${signal} to ${whom} ends all, and the next apply completes it`,
    async (fixture) => {
      const { declared } = points[point];
      if (declared) addProvider(fixture.simulator);
      else await fixture.declare(["prod"]).applied();
      fixture.workspace.synth((stack) => {
        fixture.platform(stack);
        const on = declared ? CapvsProvider.fromName("vsphere") : provider(stack);
        if (declared) cluster(stack, "prod", on);
      });
      if ("waiting" in points[point]) fixture.simulator.timing.provisionSeconds = 1_000;
      const output = await interrupt(fixture, point, signal, whom);
      // Before its request a hook has nothing to warn of.
      if (speaks(signal, whom) && point !== "before the POST") {
        expect(output).toMatch(
          /if (this run is )?interrupted, the service (may still (create|delete) the object|continues), and the next apply|The next apply/,
        );
      }
      fixture.simulator.timing.provisionSeconds = 0;
      await completes(fixture, whom);
      expect(fixture.live()).toEqual(declared ? ["prod", "vsphere"] : ["vsphere"]);
      expect(fixture.happened()).toEqual(declared ? ["+vsphere", "+prod"] : ["+vsphere", "+prod", "-prod"]);
    },
  );

for (const each of cases) testInterrupt(backends, each);
for (const each of otherCases) testInterrupt(backends.slice(0, 1), each);
