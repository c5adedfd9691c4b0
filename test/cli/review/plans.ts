import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ObjectFinding } from "../../../src/cli/review/judge/finding";
import { gate, type FailOn, type Gate, type GateOptions } from "../../../src/cli/review/judge/gate";
import { readPlan } from "../../../src/cli/review/plan/plan";
import { compressed } from "../../../src/constructs/hook-engine/destroy-hooks";
import { HOOK_ENV } from "../../../src/contract/hook-protocol";
import { parsePolicy } from "../../../src/cli/review/judge/policy";
import { type Review, reviewPlans } from "../../../src/cli/review/judge/review";
import { SynthesizedStack } from "../../../src/cli/review/plan/synthesized-stack";
import { comparisonOf } from "../../../src/cli/review/synth/comparison";
import { oncePerObject, oncePerText } from "../../../src/util/once-per";
import type { JsonObject } from "../../../src/model/provider-type";
import type { Simulator } from "../../../src/simulator";
import { synthesize } from "../../support/synth";
import { isClean, type Scenario, scenariosIn, type Stack } from "./scenarios";

/** scripts/review-fixtures.ts writes these files with the real Terraform. */
const FIXTURES = join(__dirname, "fixtures");

/** @param name such as `change`, `terraform_data/change` for the other engine, or `terraform-1.5/change` for another program */
export function fixture(name: string): string {
  return join(FIXTURES, `${name}.json`);
}

interface Literal {
  constant_value?: unknown;
}

export interface PlanDocument {
  format_version: string;
  complete?: boolean;
  resource_changes: {
    address: string;
    previous_address?: string;
    module_address?: string;
    type: string;
    name: string;
    index?: string;
    action_reason?: string;
    deposed?: string;
    change: {
      actions: string[];
      importing?: object;
      before: Record<string, Record<string, string>> | null;
      after: Record<string, Record<string, string>> | null;
      before_sensitive?: unknown;
      after_sensitive?: unknown;
    };
  }[];
  prior_state?: { values: { root_module: { resources: { address: string; tainted?: boolean; values?: object }[] } } };
  configuration?: {
    root_module: {
      resources: { type: string; name: string; provisioners?: { type: string; expressions: Record<string, Literal> }[] }[];
      module_calls?: object;
    };
  };
}

/** The `because` of each reason, or its code. */
export function reasonsOf(reasons: ObjectFinding["reasons"]): string {
  return reasons.map((reason) => ("because" in reason ? reason.because : reason.code)).join(", ");
}

/** A plan that the real Terraform has made of a scenario. Without a fixture, it is the plan that follows from the programs. */
export function planDocument(name: string): PlanDocument {
  return JSON.parse(existsSync(fixture(name)) ? readFileSync(fixture(name), "utf8") : planOf(name)) as PlanDocument;
}

const planOf = oncePerText((name) => {
  const scenario = scenarioOf(name);
  if (!isClean(scenario)) throw new Error(`${name} needs a fixture`);
  const { base, head } = programsOf(scenario);
  return JSON.stringify(comparisonOf(base, head).document);
});

/** As in the fixtures. */
const service = { url: "http://127.0.0.1:7070" } as Simulator;

/** The synthesized programs of a scenario. */
export function programsOf({ before, after, edit }: Scenario): { readonly base?: JsonObject; readonly head: JsonObject } {
  const head = JSON.parse(synthesized(after)) as JsonObject;
  edit?.(head as Stack);
  return { ...(before && { base: JSON.parse(synthesized(before)) as JsonObject }), head };
}

const synthesized = oncePerObject((declare: Scenario["after"]) =>
  JSON.stringify(synthesize((stack) => declare(stack, service), "test")),
);

function scenarioOf(name: string): Scenario {
  const [, folder = "", scenario = ""] = /^(?:(.+)\/)?(.+)$/.exec(name)!;
  return scenariosIn(folder)[scenario]!;
}

/** Changes the settings of a Platform, in the resource that shows them and in its hooks. */
export function declareSettings(document: PlanDocument, settings: Record<string, readonly string[] | object>): void {
  const protection = document.resource_changes.find(({ name }) => name === "cluster_platform_protection")!;
  Object.assign(protection.change.after!.input!, settings);
  for (const { provisioners = [] } of document.configuration!.root_module.resources) {
    for (const { expressions } of provisioners) {
      const environment = expressions.environment?.constant_value as Record<string, string> | undefined;
      const told = environment?.CLUSTER_PLATFORM_HOOK_SETTINGS;
      if (told !== undefined) {
        const { adopt: _, ...obeyed } = settings;
        environment!.CLUSTER_PLATFORM_HOOK_SETTINGS = JSON.stringify({ ...(JSON.parse(told) as object), ...obeyed });
      }
    }
  }
}

/** Tells the destroy hooks of a block which objects the code declares. The fixtures lack that. */
export function declareObjects(document: PlanDocument, block: string, names: readonly string[]): void {
  const declared = compressed({ digests: Object.fromEntries(names.map((name) => [name, "digest"])) });
  const { provisioners = [] } = document.configuration!.root_module.resources.find(({ name }) => name === block)!;
  for (const { expressions } of provisioners) {
    const environment = expressions.environment?.constant_value as Record<string, string> | undefined;
    if (environment) environment[`${HOOK_ENV.declared}_0`] = declared;
  }
}

/** Reviews fixtures, with their synthesized stacks if they have one, as if everything in the configuration was this package's own. */
export function reviewFixture(...names: string[]): Review {
  return reviewPlans(
    names.map((name) => {
      const scenario = scenarioOf(name);
      const synthesized = scenario.withStack && { synthesized: new SynthesizedStack(programsOf(scenario).head) };
      return { name, plan: readPlan(planDocument(name), name), foreign: [], ...synthesized };
    }),
  );
}

/** @param foreign addresses of blocks that this package would not have written */
export function reviewForeign(name: string, foreign: readonly string[]): Review {
  const problem = "lacks 'when', which this package writes";
  const places = foreign.map((address) => ({ address, problem, content: null }));
  return reviewPlans([{ name: "stack", plan: readPlan(planDocument(name), name), foreign: places }]);
}

/** As if everything in the configuration was this package's own. */
export function reviewDocument(document: PlanDocument): Review {
  return reviewPlans([{ name: "stack", plan: readPlan(document, "plan.json"), foreign: [] }]);
}

/** Without the configuration. */
export function reviewAlone(document: PlanDocument): Review {
  return reviewPlans([{ name: "stack", plan: readPlan(document, "plan.json") }]);
}

export function gated(
  review: Review,
  failOn: FailOn | Partial<GateOptions> = "critical",
  policy: { allow?: object[]; rules?: object[]; foreign?: object[] } = {},
): Gate {
  const options = { failOn: "none" as const, failOnOtherDeletes: false };
  const given = typeof failOn === "string" ? { ...options, failOn } : { ...options, ...failOn };
  return gate(review, given, parsePolicy({ version: 1, ...policy }, "policy.json"), new Date("2026-05-01T12:00:00Z"));
}
