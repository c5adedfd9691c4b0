import { DataResource, type TerraformStack } from "cdktf";
import { type Review, reviewPlans } from "../../src/cli/review/judge/review";
import { readPlan } from "../../src/cli/review/plan/plan";
import { SynthesizedStack } from "../../src/cli/review/plan/synthesized-stack";
import { comparedStack } from "../../src/cli/review/synth/comparison";
import { Engine } from "../../src/constructs/engine";
import type { PlatformProps } from "../../src/constructs/platform-props";
import type { JsonObject } from "../../src/model/provider-type";
import { cluster, provider, size } from "../support/capvs";
import { providerBackend, terraformBackends } from "../support/tools";
import type { StackFixture } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";

/** The review of a real plan, and that of the two programs, for changes of what applied programs declare. */

type Declare = (stack: TerraformStack, fixture: StackFixture) => void;
type Clusters = Record<string, Parameters<typeof cluster>[3]>;

const declaring =
  (clusters: Clusters, props: PlatformProps | ((fixture: StackFixture) => PlatformProps) = {}): Declare =>
  (stack, fixture) => {
    fixture.platform(stack, typeof props === "function" ? props(fixture) : props);
    const on = provider(stack);
    for (const [name, of] of Object.entries(clusters)) cluster(stack, name, on, of);
  };

const all = { prod: {}, stage: {}, dev: {} };
const five = { controlPlane: { count: 5, ...size } };
const isProvider = ({ engine }: StackFixture) => engine === Engine.PROVIDER;

/** The provider refuses to plan a change of a protected object. */
const OF_HOOKS: Record<string, Declare> = {
  "a protected replacement": declaring({ ...all, prod: five }, { deletionProtection: ["prod"] }),
  "a removed Platform": (stack) => void new DataResource(stack, "rest", { input: "1" as never }),
  "a url": declaring(all, ({ simulator }) => ({ url: simulator.url })),
};

const EDITS: Record<string, Declare> = {
  nothing: declaring(all),
  "a new cluster": declaring({ ...all, fresh: {} }),
  "an adopted cluster": declaring({ ...all, fresh: { adopt: true } }),
  "adopt of what is there": declaring({ ...all, prod: { adopt: true } }),
  "changed fields": declaring({
    prod: five,
    stage: { podSubnet: "10.200.0.0/16", kubernetesVersion: "v1.28.3" },
    dev: { workers: [] },
  }),
  "removed clusters": declaring({ prod: {} }),
  "a retained cluster": declaring({ prod: {}, stage: {} }, { retain: ["dev"] }),
  "other settings": declaring(all, { deletionProtection: ["prod"], timeouts: { requestSeconds: 30, readySeconds: 90 } }),
  "an allowed replacement": declaring({ ...all, prod: five }, { deletionProtection: ["prod"], allowDeletion: ["prod"] }),
  "other places in the tree": declaring({ prod: { id: "a" }, stage: { id: "b" }, dev: { id: "c" } }),
  "another provider": (stack, fixture) => {
    fixture.platform(stack);
    const [on, other] = [provider(stack), provider(stack, "vsphere-2")];
    cluster(stack, "prod", other);
    for (const name of ["stage", "dev"]) cluster(stack, name, on);
  },
  "a dependent": (stack, fixture) => {
    fixture.platform(stack);
    const on = provider(stack);
    const { uid } = cluster(stack, "prod", on, five);
    for (const name of ["stage", "dev"]) cluster(stack, name, on);
    new DataResource(stack, "fleet", { triggersReplace: uid as never });
  },
};

const testOnEngines = testOn(inRest([...terraformBackends, providerBackend]));

testOnEngines("two programs have the review of their plan", (fixture) =>
  compare(fixture, declaring(all), {
    ...EDITS,
    ...(isProvider(fixture) ? {} : OF_HOOKS),
  }),
);

testOnEngines("two programs have the review of their plan, if the first one protects", (fixture) =>
  compare(fixture, declaring({ ...all, old: { adopt: true } }, { deletionProtection: ["prod", "stage"], retain: ["dev"] }), {
    nothing: declaring({ ...all, old: {} }, { deletionProtection: ["prod", "stage"], retain: ["dev"] }),
    "less protection": declaring({ ...all, old: { adopt: true } }, { deletionProtection: ["prod"] }),
    "an allowed removal": declaring({ stage: {}, dev: {}, old: {} }, { deletionProtection: ["prod"], allowDeletion: ["prod"] }),
  }),
);

async function compare(fixture: StackFixture, before: Declare, edits: Readonly<Record<string, Declare>>): Promise<void> {
  const { workspace } = fixture;
  const synthesized = (declare: Declare) =>
    workspace.synth((stack) => declare(stack, fixture)).synthesized() as unknown as JsonObject;
  const base = synthesized(before);
  await fixture.applied();
  const [real, ours]: Record<string, object>[] = [{}, {}];
  for (const [edit, after] of Object.entries(edits)) {
    const head = synthesized(after);
    const planned = await workspace.run(["plan", "-input=false", "-out=plan"]);
    expect({ edit, ...planned }).toEqual({ edit, ...planned, status: 0 });
    const plan = readPlan(JSON.parse((await workspace.run(["show", "-json", "plan"], { quiet: true })).output), edit);
    const stack = { name: edit, synthesized: new SynthesizedStack(head) };
    real![edit] = said(reviewPlans([{ ...stack, plan }]));
    ours![edit] = said(reviewPlans([{ ...stack, ...comparedStack(base, head, edit) }]));
  }
  expect(ours).toEqual(real);
}

function said({ findings, settings, others }: Review) {
  // A plan with the provider also has the URL from the environment, and the path of the construct that the state has.
  const shown = findings.map(({ changes, service: _, endpoint: __, path: ___, ...finding }) => ({
    ...finding,
    changes: changes(),
  }));
  return { findings: shown, settings, others };
}
