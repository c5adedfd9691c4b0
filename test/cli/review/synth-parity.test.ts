import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Review, reviewPlans } from "../../../src/cli/review/judge/review";
import { readPlan } from "../../../src/cli/review/plan/plan";
import { SynthesizedStack } from "../../../src/cli/review/plan/synthesized-stack";
import { comparedStack } from "../../../src/cli/review/synth/plan-document";
import { fixture, planDocument, programsOf } from "./plans";
import { isClean, type Scenario, scenariosIn } from "./scenarios";

/** The plan that Terraform has made of a scenario, and the one that follows from its programs. */
function compared(fixture: string, scenario: Scenario) {
  const { base, head } = programsOf(scenario);
  const synthesized = new SynthesizedStack(head);
  const real = { name: "stack", plan: readPlan(planDocument(fixture), fixture), synthesized };
  const ours = { name: "stack", ...comparedStack(base, head, fixture), synthesized };
  // The fixtures lack blocks without instances.
  const blocks = new Set([...real.plan.configuration.blocks].map(({ type, name }) => `${type}.${name}`));
  return { real: said(reviewPlans([real]), blocks), ours: said(reviewPlans([ours]), blocks) };
}

/** All that both can say. */
function said({ stacks, findings, settings, others, notes }: Review, blocks: ReadonlySet<string>) {
  return {
    counts: stacks.map(({ counts }) => counts),
    findings: findings.map(({ changes, service: _, endpoint: __, ...finding }) => ({ ...finding, changes: changes() })),
    settings,
    others,
    notes: notes.filter((note) => !ONLY_ONE_SAYS.has(note.code) && (note.code !== "OTHER_HOOKS" || blocks.has(note.address))),
  };
}

/** A plan has the results of checks, and with the provider the URL from the environment. */
const ONLY_ONE_SAYS: ReadonlySet<string> = new Set(["SYNTH_ONLY", "FAILED_CHECKS", "SERVICE"]);

const WITH_TOKENS: ReadonlySet<string> = new Set(["unknown", "secrets", "sensitivity"]);

const recorded = ["", "terraform_data", "provider"].flatMap((folder) =>
  Object.entries(scenariosIn(folder))
    .filter(([name, scenario]) => isClean(scenario) && !WITH_TOKENS.has(name))
    .map(([name, scenario]) => [join(folder, name), scenario] as const)
    .filter(([name]) => existsSync(fixture(name))),
);

test.each(recorded)("the fixture %s has the review of its programs", (name, scenario) => {
  const { real, ours } = compared(name, scenario);
  expect(ours).toEqual(real);
});

test("each way in which Terraform changes an instance has a fixture", () => {
  expect(recorded).toHaveLength(22);
});

test.each(["unknown", "secrets", "sensitivity"])("the programs of %s leave open what only its plan knows", (name) => {
  const { real, ours } = compared(name, scenariosIn("")[name]!);
  const changed = ({ findings }: typeof real) =>
    findings.filter(({ verdict }) => verdict !== "UNCHANGED").map(({ object }) => object);
  expect(changed(ours)).toEqual(changed(real));
  const [{ reasons, changes }] = ours.findings as [(typeof ours.findings)[0]];
  const open = changes.flatMap(({ field, unknown }) => (unknown ? [field] : []));
  expect([...open, ...reasons.flatMap((reason) => ("fields" in reason ? reason.fields : []))]).toEqual(["podSubnet"]);
});
