import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EXCEPTIONS } from "./judge";
import { configurationFor, synthesized, type Program } from "./programs";
import { replay, written } from "./shrink";
import { CALM, type Scope } from "./steps";
import { configurationOf, type Configuration } from "./terraform/configuration";
import type { Compiled } from "./terraform/language";

const HOOKS: Scope = { engines: ["terraform_data", "null_resource"], others: false };
const PROVIDER: Scope = { engines: ["provider"], others: false };

/** `npm run simulate -- --only SEED` plays one of them, and prints its log. */
async function expectNoFindings(seeds: readonly number[], scope: Scope): Promise<void> {
  for (const seed of seeds) {
    const { violations, log } = await written(seed, scope);
    expect({ seed, violations, log: violations.length > 0 ? log : [] }).toEqual({ seed, violations: [], log: [] });
  }
}

const AT_ONCE: Scope = { engines: ["terraform_data", "null_resource", "provider"], others: false, atOnce: true };

const fixed = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const random = Date.now() % 1_000_000_000;

test("fixed seeds violate no rule with hooks", () => expectNoFindings(fixed(30), HOOKS));
test("fixed seeds violate no rule with the provider", () => expectNoFindings(fixed(20), PROVIDER));
test("two runs at once delete nothing that is protected, retained or foreign", () => expectNoFindings(fixed(10), AT_ONCE));
const withOthers = (scope: Scope): Scope => ({ ...scope, others: true });
test("fixed seeds violate no rule while somebody else uses the same names, with hooks", () =>
  expectNoFindings(fixed(10), withOthers(HOOKS)));
test("fixed seeds violate no rule while somebody else uses the same names, with the provider", () =>
  expectNoFindings(fixed(10), withOthers(PROVIDER)));
test(`random seeds violate no rule: ${random}`, async () => {
  await expectNoFindings([random, random + 1], HOOKS);
  await expectNoFindings([random, random + 1], PROVIDER);
});

test("README.md has exactly the exceptions of the judge", () => {
  const page = readFileSync(join(__dirname, "README.md"), "utf8");
  const section = page.slice(page.indexOf("## Endings that nobody can avoid"));
  const sentences = [...section.matchAll(/^- ((?:.|\n {2})+)/gm)].map(([, text]) => text!.replace(/\n {2}/g, " "));
  expect(sentences.sort()).toEqual(Object.values(EXCEPTIONS).sort());
});

test("after a wait that failed, there is no deletion guard, and the world counts that", async () => {
  const setup = { engine: "terraform_data", ...CALM, isProtected: true, waitForReady: true } as const;
  const { engine, isProtected, waitForReady } = setup;
  const program = { engine, isProtected, waitForReady, allowDeletion: ["c3"], clusters: { c1: 0, c3: 0 } } as const;
  const habits = { phases: { c1: "Pending" } };
  const { judges, service } = await replay({
    setup,
    seed: 1,
    steps: [{ program, habits }, { program: { ...program, clusters: {} } }],
  });
  expect(service.writesOf(2)).toBe("-c3");
  expect([...judges[0]!.exceptions]).toEqual([["no deletion guard", 1]]);
});

test.each([HOOKS, PROVIDER, { ...HOOKS, dense: true }])(
  "a seed has one log, and its sequence can be played without its author: %j",
  async (scope) => {
    for (const seed of [11, 12, 13]) {
      const first = await written(seed, scope);
      expect((await written(seed, scope)).log).toEqual(first.log);
      expect((await replay(first.sequence)).log).toEqual(first.log);
    }
  },
);

test("what earlier runs have seldom had comes more often", async () => {
  const dense: Scope = { ...HOOKS, dense: true, weightOf: (what) => Number(what === "SIGTERM to all" || what === "late") };
  const sequences = await Promise.all([1, 2, 3, 4].map(async (seed) => (await written(seed, dense)).sequence));
  const steps = sequences.flatMap((sequence) => sequence.steps);
  const stops = steps.flatMap(({ stop }) => stop?.how ?? []);
  expect(stops.length).toBeGreaterThan(5);
  expect(new Set(stops)).toEqual(new Set(["SIGTERM to all"]));
  const faults = steps.flatMap((step) => step.faults ?? []).map(({ fault }) => fault.kind);
  expect(faults.filter((kind) => kind === "late").length).toBeGreaterThan(faults.length / 2);
});

test.each<Pick<Program, "engine">>([{ engine: "terraform_data" }, { engine: "null_resource" }, { engine: "provider" }])(
  "a program with replaced literals plays like its own synth: %j",
  async (engines) => {
    const program: Program = {
      ...engines,
      clusters: { c1: 1, c3: 0 },
      provider: 1,
      isProtected: true,
      allowDeletion: ["c1"],
      retain: ["c9", "c3"],
      createSeconds: 30,
      deleteSeconds: 20,
      pollSeconds: 30,
    };
    const sorted = (blocks: Configuration["blocks"]) =>
      [...blocks.values()].sort((one, other) => (one.address < other.address ? -1 : 1));
    // Undefined if it needs an instance or a local.
    const literal = (value: Compiled) => {
      try {
        return value({ terraform: { workspace: "default" } });
      } catch {
        return undefined;
      }
    };
    const evaluated = ({ blocks, providers }: Configuration) => ({
      hooks: sorted(blocks).flatMap(({ address, create, destroy }) =>
        [...create, ...destroy].flatMap(({ command, environment }) =>
          environment.map(([name, value]) => [address, command, name, literal(value)]),
        ),
      ),
      inputs: sorted(blocks).flatMap(({ name, arguments: given }) =>
        name === "cluster_platform_protection" ? [literal(given.input!)] : [],
      ),
      providers: [...providers].map(([address, given]) => [
        address,
        Object.fromEntries(Object.entries(given).map(([name, value]) => [name, literal(value)])),
      ]),
    });
    expect(evaluated(configurationFor(program))).toEqual(evaluated(configurationOf(synthesized(program))));
  },
);
