import { existsSync } from "node:fs";
import { type Review, reviewPlans } from "../../../src/cli/review/judge/review";
import { readPlan } from "../../../src/cli/review/plan/plan";
import { SynthesizedStack } from "../../../src/cli/review/plan/synthesized-stack";
import { comparedStack } from "../../../src/cli/review/synth/compared-stack";
import { Engine } from "../../../src/constructs/engine";
import type { JsonObject } from "../../../src/model/provider-type";
import type { Simulator } from "../../../src/simulator";
import { Workspace } from "../../terraform/workspace";
import { fixture, planDocument } from "./plans";
import { editStack, providerScenarios, type Scenario, scenarios } from "./scenarios";

/** As in the fixtures. */
const service = { url: "http://127.0.0.1:7070" } as Simulator;

/** The plan that Terraform has made of a scenario, and the one that follows from its programs. */
async function compared(fixture: string, { before, after, edit }: Scenario) {
  const workspace = new Workspace();
  try {
    const base = before && (workspace.synth((stack) => before(stack, service)).synthesized() as unknown as JsonObject);
    workspace.synth((stack) => after(stack, service));
    if (edit) editStack(workspace, edit);
    const head = workspace.synthesized() as unknown as JsonObject;
    const synthesized = new SynthesizedStack(head);
    const real = { name: "stack", plan: readPlan(planDocument(fixture), fixture), synthesized };
    const ours = { name: "stack", ...comparedStack(base, head, fixture), synthesized };
    // The fixtures lack blocks without instances.
    const blocks = new Set([...real.plan.configuration.blocks].map(({ type, name }) => `${type}.${name}`));
    return { real: said(reviewPlans([real]), blocks), ours: said(reviewPlans([ours]), blocks) };
  } finally {
    workspace.remove();
  }
}

/** All that both can say. */
function said({ stacks, findings, settings, others, notes }: Review, blocks: ReadonlySet<string>) {
  return {
    counts: stacks.map(({ counts }) => counts),
    findings: findings.map(({ changes, ...finding }) => ({ ...finding, changes: changes() })),
    settings,
    others,
    notes: notes.filter((note) => !ONLY_ONE_SAYS.has(note.code) && (note.code !== "OTHER_HOOKS" || blocks.has(note.address))),
  };
}

/** A plan has the results of checks, and with the provider the URL from the environment. */
const ONLY_ONE_SAYS: ReadonlySet<string> = new Set(["SYNTH_ONLY", "FAILED_CHECKS", "SERVICE"]);

/** In the others, the state, the service or the command line has a part. */
const isClean = ({ between, meanwhile, env, args, fails }: Scenario) => !between && !meanwhile && !env && !args && !fails;
const WITH_TOKENS: ReadonlySet<string> = new Set(["unknown", "secrets", "sensitivity"]);

test.each([
  ["", Engine.NULL_RESOURCE, 44],
  ["terraform_data/", Engine.TERRAFORM_DATA, 4],
  ["terraform-1.5/", Engine.TERRAFORM_DATA, 6],
  ["opentofu-1.6/", Engine.TERRAFORM_DATA, 6],
  ["provider/", Engine.PROVIDER, 6],
])("the fixtures in '%s' have the reviews of their programs", async (folder, engine, count) => {
  const all = Object.entries(await (engine === Engine.PROVIDER ? providerScenarios() : scenarios(engine)));
  const clean = all.filter(([name, scenario]) => existsSync(fixture(folder + name)) && isClean(scenario));
  const [real, ours]: Record<string, object>[] = [{}, {}];
  for (const [name, scenario] of clean.filter(([name]) => !WITH_TOKENS.has(name))) {
    const reviews = await compared(folder + name, scenario);
    real![name] = reviews.real;
    ours![name] = reviews.ours;
  }
  expect(ours).toEqual(real);
  expect(Object.keys(real!)).toHaveLength(count);
});

test.each(["unknown", "secrets", "sensitivity"])("the programs of %s leave open what only its plan knows", async (name) => {
  const { real, ours } = await compared(name, (await scenarios(Engine.NULL_RESOURCE))[name]!);
  const changed = ({ findings }: typeof real) =>
    findings.filter(({ verdict }) => verdict !== "UNCHANGED").map(({ object }) => object);
  expect(changed(ours)).toEqual(changed(real));
  const [{ reasons, changes }] = ours.findings as [(typeof ours.findings)[0]];
  const open = changes.flatMap(({ field, unknown }) => (unknown ? [field] : []));
  expect([...open, ...reasons.flatMap((reason) => ("fields" in reason ? reason.fields : []))]).toEqual(["podSubnet"]);
});
