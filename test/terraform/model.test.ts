import type { ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { Engine } from "../../src/constructs/engine";
import { type RecordedRequest, startSimulator } from "../../src/simulator";
import { cluster, provider } from "../support/capvs";
import { accessTo, freezeLists } from "../support/service";
import { type Backend, backends, providerBackend, providerBackends } from "../support/tools";
import { violations } from "./invariants";
import { hooksAt, killPlugins } from "./processes";
import { StackFixture, succeeded } from "./stack-fixture";

/**
 * Random edits of the code, applied under random failures. After any sequence, the invariants hold, one apply can bring all
 * live objects under Terraform again, and a destroy leaves nothing.
 *
 * `MODEL_RUNS=100 npx jest test/terraform/model` runs more sequences, and `MODEL_ENGINE=provider` uses that engine alone.
 * Sequences that failed are kept in `examples`.
 */
const RUNS = Number(process.env.MODEL_RUNS ?? 10);
const allOfThem = [...backends, ...providerBackends];
const chosen = allOfThem.filter(({ engine }) => engine === (process.env.MODEL_ENGINE ?? engine));

const NAMES = ["a", "b", "c"] as const;
const FAILURES = [
  "none",
  "refused",
  "answer lost",
  "deletion refused",
  "killed before",
  "killed after",
  "Terraform stopped",
  "created late",
  "lists lag",
  "wrong URL",
  "fresh machine",
] as const;
/** After other failures, a person may have to say who owns an object. */
const CALM: readonly Failure[] = ["none", "refused", "answer lost", "deletion refused"];
/** The lag of lists, and the delay of late creates, in milliseconds. */
const LAG_MS = 5_000;
const LATE_MS = 8_000;
type Name = (typeof NAMES)[number];
type Failure = (typeof FAILURES)[number];

/** One edit: the domain of each declared cluster, and the failure during its apply. */
interface Step {
  readonly code: Partial<Record<Name, "one" | "two">>;
  readonly failure: Failure;
}

const step: fc.Arbitrary<Step> = fc.record({
  code: fc.record(
    Object.fromEntries(NAMES.map((name) => [name, fc.constantFrom("one" as const, "two" as const)])) as Record<
      Name,
      fc.Arbitrary<"one" | "two">
    >,
    { requiredKeys: [], noNullPrototype: true },
  ),
  failure: fc.constantFrom(...FAILURES),
});

const examples: [Step[], Backend][] = [
  [
    [
      { code: { a: "one", b: "one" }, failure: "killed after" },
      { code: { b: "two" }, failure: "none" },
      { code: { a: "two", c: "one" }, failure: "Terraform stopped" },
    ],
    chosen[0]!,
  ],
  [
    [
      { code: { a: "one" }, failure: "none" },
      { code: { a: "one", b: "one" }, failure: "created late" },
      { code: { a: "two" }, failure: "lists lag" },
      { code: {}, failure: "wrong URL" },
      { code: { c: "one" }, failure: "fresh machine" },
    ],
    chosen[0]!,
  ],
  [
    [
      { code: { a: "one" }, failure: "answer lost" },
      { code: { a: "two", b: "one" }, failure: "killed after" },
      { code: { b: "one", c: "one" }, failure: "Terraform stopped" },
    ],
    providerBackend,
  ],
];

function declare(fixture: StackFixture, code: Step["code"]): void {
  fixture.workspace.synth((stack) => {
    fixture.platform(stack);
    const on = provider(stack);
    for (const [name, domain] of Object.entries(code)) cluster(stack, name, on, { ingress: `${domain}.example.com` });
  });
}

/** Effects that outlast a step: lagging lists and creates under way. */
type Pending = Promise<unknown>[];

async function applyStep(fixture: StackFixture, { code, failure }: Step, pending: Pending): Promise<void> {
  const { simulator } = fixture;
  if (failure === "wrong URL") return destroyElsewhere(fixture);
  if (failure === "fresh machine") {
    // On another machine, nothing is under way any more.
    await Promise.all(pending);
    rmSync(join(fixture.workspace.stackFolder, ".cluster-platform"), { recursive: true, force: true });
  }
  declare(fixture, code);
  let terraform: ChildProcess | undefined;
  const kill = async () => {
    if (fixture.engine === Engine.PROVIDER) return void (await killPlugins(terraform!));
    for (const { pid, command } of await hooksAt(simulator)) if (command === "create") process.kill(pid, "SIGKILL");
  };
  const stop = () => void terraform?.kill("SIGINT");
  if (failure === "refused") simulator.inject({ kind: "status", status: 400, method: "POST" });
  if (failure === "answer lost") simulator.inject({ kind: "drop", when: "after", method: "POST", times: 1 });
  if (failure === "deletion refused") simulator.inject({ kind: "status", status: 403, method: "DELETE" });
  if (failure === "killed before") simulator.onRequest = ({ method }) => (method === "GET" ? kill() : undefined);
  if (failure === "killed after") simulator.onResponse = ({ method }) => (method === "POST" ? kill() : undefined);
  if (failure === "created late") {
    simulator.onRequest = async (request) => {
      if (request.method !== "POST") return;
      const due = delay(LATE_MS);
      pending.push(due.then(() => isAnswered(request)));
      await kill();
      await due;
    };
  }
  if (failure === "lists lag") {
    simulator.onRequest = async ({ method }) => {
      if (method === "GET") return;
      const show = await freezeLists(simulator);
      pending.push(delay(LAG_MS).then(show));
      stop();
    };
  }
  if (failure === "Terraform stopped") simulator.onRequest = ({ method }) => (method === "GET" ? undefined : stop());
  await fixture.workspace.apply({ started: (child) => (terraform = child) });
  if (failure !== "lists lag") simulator.heal();
  simulator.onRequest = simulator.onResponse = undefined;
  expect(violations(simulator, fixture.foreigners)).toEqual([]);
}

/** Resolves when the service has carried out a request. */
async function isAnswered(request: Readonly<RecordedRequest>): Promise<void> {
  while (request.status === undefined) await delay(10);
}

/** A destroy against a service without the objects: the state keeps the live ones. */
async function destroyElsewhere(fixture: StackFixture): Promise<void> {
  const kept = async () => {
    const { output } = await fixture.workspace.run(["show", "-json"], { quiet: true });
    const { values } = JSON.parse(output) as { values?: { root_module: { resources?: StateResource[] } } };
    const resources = values?.root_module.resources ?? [];
    const objects = resources.filter(({ type, name }) => name.startsWith("capvs_") || type.startsWith("clusterplatform_capvs_"));
    return objects.filter(({ tainted }) => !tainted).map(({ address }) => address);
  };
  const before = await kept();
  const elsewhere = await startSimulator();
  await fixture.workspace.destroy({ env: accessTo(elsewhere) });
  await elsewhere.close();
  expect(await kept()).toEqual(before);
}

interface StateResource {
  readonly address: string;
  readonly type: string;
  readonly name: string;
  readonly tainted?: boolean;
}

/** A declaration of all live objects. */
function liveCode({ simulator }: StackFixture): Step["code"] {
  const domainOf = (body: unknown) => (body as { cluster: { ingress: string } }).cluster.ingress.split(".")[0];
  return Object.fromEntries(
    simulator.clusters.filter(({ name }) => NAMES.includes(name as Name)).map(({ name, body }) => [name, domainOf(body)]),
  );
}

test("whatever is edited, applied, refused and killed, in whatever order: nothing is lost, doubled or harmed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 4 }), fc.constantFrom(...chosen), async (steps, backend) =>
      StackFixture.run({ backend }, async (fixture) => {
        fixture.foreigners.add("somebody-elses", "their-provider");
        const pending: Pending = [];
        declare(fixture, {});
        for (const next of steps) await applyStep(fixture, next, pending);
        await Promise.all(pending);
        const calm = steps.every(({ failure }) => CALM.includes(failure));
        if (calm) {
          await fixture.converges();
          expect(liveCode(fixture)).toEqual(steps.at(-1)!.code);
        }
        declare(fixture, liveCode(fixture));
        const ours = ["capvs/providers/vsphere", ...NAMES.map((name) => `capvs/clusters/${name}`)];
        await fixture.converges({ env: { CLUSTER_PLATFORM_ADOPT: ours.join(",") } });
        succeeded(await fixture.workspace.destroy());
        expect(fixture.live()).toEqual(["somebody-elses"]);
      }),
    ),
    { numRuns: RUNS, examples, endOnFailure: true },
  );
}, 3_600_000);
