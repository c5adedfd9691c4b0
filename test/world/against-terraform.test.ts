import { backends, nullResourceBackends, providerBackends, type Backend } from "../support/tools";
import { compared } from "./against-terraform";
import type { Step } from "./against-terraform/steps";

/**
 * Random sequences in the simulated world and with the real Terraform end alike.
 *
 * `COMPARED_SEQUENCES=100 COMPARED_SEED=1 npx jest test/world/against-terraform` plays other ones.
 */
const COUNT = Number(process.env.COMPARED_SEQUENCES ?? (process.env.TEST_BACKENDS === "campaigns" ? 200 : 15));
const FIRST = Number(process.env.COMPARED_SEED ?? 1);
const RANDOM = Math.floor(Math.random() * 1e9);
const AT_ONCE = 3;

const code = { engine: "null_resource", clusters: { c1: 0 }, provider: 0 } as const;
const run = { code, operation: "apply", workspace: "default" } as const;
const byProvider = { ...run, code: { ...code, engine: "provider" } } as const;
const [terraform, byOpenTofu] = [nullResourceBackends[0]!, providerBackends.at(-1)!];

interface Kept {
  readonly title: string;
  readonly backend: Backend;
  readonly steps: readonly Step[];
}

/** Sequences that once ended differently. */
const KEPT: readonly Kept[] = [
  {
    title: "state mv clears the order of a plan without a refresh",
    backend: terraform,
    steps: [run, { ...run, withoutRefresh: true, state: { act: "mv", name: "c1", to: "c2" }, adopt: ["c1"] }],
  },
  {
    title: "OpenTofu refreshes an object before it plans its removal",
    backend: byOpenTofu,
    steps: [
      byProvider,
      {
        ...byProvider,
        code: { ...byProvider.code, platform: "second" },
        fault: { method: "GET", fault: { kind: "refuse", status: 503 } },
      },
    ],
  },
  {
    title: "no walk begins without the provider block of an object",
    backend: byOpenTofu,
    steps: [byProvider, { ...byProvider, code: { ...byProvider.code, platform: "second", isMoved: true } }, byProvider],
  },
  {
    title: "OpenTofu imports before a destroy",
    backend: byOpenTofu,
    steps: [
      byProvider,
      { ...byProvider, code: { ...byProvider.code, clusters: { c1: 0, c2: 0 }, imported: ["c2"] }, operation: "destroy" },
    ],
  },
];

/** Even seeds have hooks, and odd ones the provider. */
function backendOf(seed: number): Backend {
  const all = seed % 2 === 0 ? backends : providerBackends;
  return all[Math.floor(seed / 2) % all.length]!;
}

test("the model of Terraform and the real one end each step of random sequences alike", async () => {
  console.log(`the random sequence has the seed ${RANDOM}`);
  const seeds = [...Array.from({ length: COUNT - 1 }, (_, index) => FIRST + index), RANDOM];
  const turns = seeds.map((seed) => ({ seed, backend: backendOf(seed) }));
  const steps: Step[] = [];
  const differences: string[] = [];
  const play = async () => {
    for (let turn = turns.shift(); turn; turn = turns.shift()) {
      const { seed, backend } = turn;
      const result = await compared(seed, backend);
      steps.push(...result.played);
      if (result.difference) differences.push(`seed ${seed} on ${backend.title}\n${result.difference}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, play));
  const having = (key: keyof Step) => steps.filter((step) => step[key] !== undefined).length;
  const counts = (["fault", "stop", "state", "target", "replace"] as const).map((key) => `${having(key)} with ${key}`);
  console.log(`${steps.length} steps of ${COUNT} sequences: ${counts.join(", ")}`);
  expect(differences.join("\n\n")).toBe("");
}, 3_600_000);

test.each(KEPT)("$title", async ({ backend, steps }) => {
  const { difference } = await compared(1, backend, steps);
  expect(difference).toBeUndefined();
});
