import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readPlan } from "../../../src/cli/review/plan/plan";
import { SynthesizedStack } from "../../../src/cli/review/plan/synthesized-stack";
import { reviewPlans, type Review } from "../../../src/cli/review/judge/review";
import { Platform } from "../../../src/constructs/platform";
import { Engine } from "../../../src/constructs/engine";
import { cluster, provider } from "../../support/capvs";
import { synthesize } from "../../support/synth";
import { FIXTURES, gated, planDocument, reviewDocument, type PlanDocument } from "./plans";

/** Reviews of plans whose hooks are foreign, or do not run when they must. */

const verdictOf = ({ findings }: Review, name = "stage") => {
  const { verdict, risk, reasons } = findings.find((finding) => finding.name === name)!;
  return [verdict, risk, reasons.map(({ code }) => code).join(" ")].join(" | ");
};
const problems = ({ notes }: Review) => notes.flatMap((note) => (note.code === "FOREIGN_HOOK" ? [note.problem] : []));
type Provisioner = NonNullable<PlanDocument["configuration"]>["root_module"]["resources"][number]["provisioners"];
/** A plan that removes a protected cluster, with edited hooks of the cluster block. */
const withHooks = (edit: (hooks: NonNullable<Provisioner>) => void, name = "protected-removal") => {
  const document = planDocument(name);
  edit(document.configuration!.root_module.resources.find((block) => block.name === "capvs_clusters")!.provisioners!);
  return reviewDocument(document);
};

function told(hook: NonNullable<Provisioner>[number], other: object): void {
  const environment = hook.expressions.environment!.constant_value as Record<string, string>;
  const settings = JSON.parse(environment.CLUSTER_PLATFORM_HOOK_SETTINGS!) as object;
  environment.CLUSTER_PLATFORM_HOOK_SETTINGS = JSON.stringify({ ...settings, ...other });
}

test("a handwritten destroy hook is reported, and its cluster is never shown as protected", () => {
  const review = reviewDocument(planDocument("foreign-hook"));
  expect(verdictOf(review)).toBe("UNKNOWN | critical | REMOVED PROTECTED FOREIGN_HOOK");
  expect(review.notes).toContainEqual({
    code: "FOREIGN_HOOK",
    risk: "critical",
    stack: "stack",
    address: "null_resource.capvs_clusters",
    problem: "has a provisioner that runs another command",
  });
  const rules = [
    { rule: "forbid-destroy", objects: ["stage"] },
    { rule: "max-clusters-deleted", count: 0 },
  ];
  expect(gated(review, "none", { rules }).denials.map(({ code }) => code)).toEqual(["FORBID_DESTROY", "MAX_CLUSTERS_DELETED"]);
});

test.each<[string, (hooks: NonNullable<Provisioner>) => void, string]>([
  ["another type", ([, hook]) => (hook!.type = "remote-exec"), "has a provisioner that is of the type remote-exec"],
  ["another command", ([, hook]) => (hook!.expressions.command = { constant_value: "true" }), "runs another command"],
  ["a command that is not literal", ([, hook]) => (hook!.expressions.command = {}), "runs another command"],
  ["no interpreter", ([, hook]) => delete hook!.expressions.interpreter, "has another interpreter"],
  [
    "another program",
    ([, hook]) => (hook!.expressions.interpreter = { constant_value: ["node", "assets/../evil/main.js"] }),
    "has another interpreter",
  ],
  [
    "an option of node",
    ([, hook]) => (hook!.expressions.interpreter = { constant_value: ["node", "-r", "./evil.js", "assets/hook/main.js"] }),
    "has another interpreter",
  ],
  [
    "a variable that node obeys",
    ([, hook]) => Object.assign(hook!.expressions.environment!.constant_value!, { NODE_OPTIONS: "-r ./evil.js" }),
    "sets the environment variable NODE_OPTIONS",
  ],
  ["another folder", ([, hook]) => (hook!.expressions.working_dir = { constant_value: "/tmp" }), "has the argument working_dir"],
  [
    "one more",
    (hooks) => hooks.push({ type: "local-exec", expressions: { command: { constant_value: "true" } } }),
    "runs another command",
  ],
  [
    "other settings",
    ([, hook]) => told(hook!, { deletionProtection: [] }),
    "has a hook with a different deletionProtection than the plan shows",
  ],
  [
    "another address",
    ([, hook]) => told(hook!, { connection: { url: "https://attacker.example.com" } }),
    "has a hook with a different connection than the plan shows",
  ],
])("a hook with %s is reported as foreign", (_, edit, problem) => {
  const review = withHooks(edit);
  expect(verdictOf(review)).toBe("UNKNOWN | critical | REMOVED PROTECTED FOREIGN_HOOK");
  expect(problems(review)).toEqual([expect.stringContaining(problem)]);
});

test("a foreign provisioner does not reduce any critical risk, and unchanged objects stay unchanged", () => {
  const foreign = (hooks: NonNullable<Provisioner>) => hooks.push({ type: "file", expressions: {} });
  expect(verdictOf(withHooks(foreign, "remove"))).toBe("DESTROY | critical | REMOVED FOREIGN_HOOK");
  expect(verdictOf(withHooks(foreign, "remove"), "prod")).toBe("UNCHANGED | none | ");
  expect(verdictOf(withHooks(foreign, "create"))).toBe("UNKNOWN | high | NEW FOREIGN_HOOK");
  expect(problems(withHooks(foreign, "unchanged"))).toHaveLength(1);
});

test("a foreign provisioner of the deletion guard is reported too", () => {
  const document = planDocument("change");
  const guard = document.configuration!.root_module.resources.find(({ name }) => name === "cluster_platform_deletion_guard")!;
  guard.provisioners![0]!.expressions.command = { constant_value: "true" };
  expect(reviewDocument(document).notes[0]).toMatchObject({
    code: "FOREIGN_HOOK",
    address: "terraform_data.cluster_platform_deletion_guard",
  });
});

describe("a block that lacks a hook", () => {
  test("is reported with the hook, and a deletion guard without its hook refuses nothing", () => {
    const { notes } = reviewDocument(planDocument("without-destroy-hooks"));
    expect(notes.flatMap((note) => (note.code === "FOREIGN_HOOK" ? [`${note.address} ${note.problem}`] : []))).toEqual([
      "null_resource.capvs_clusters lacks the hook that runs delete",
      "null_resource.capvs_providers lacks the hook that runs delete",
      "terraform_data.cluster_platform_deletion_guard lacks the hook that runs deletion-guard",
      "terraform_data.cluster_platform_orphan_check lacks the hook that runs orphan-check",
      "terraform_data.cluster_platform_orphan_check_on_destroy lacks the hook that runs orphan-check",
      "terraform_data.cluster_platform_protection lacks the hook that runs deletion-guard",
    ]);
    expect(notes.map(({ code }) => code)).not.toContain("REFUSED_AS_PROTECTED");
  });

  test("creates nothing without its create hook", () => {
    const review = withHooks((hooks) => hooks.shift(), "create");
    expect(verdictOf(review)).toBe("UNKNOWN | high | NEW FOREIGN_HOOK");
    expect(problems(review)).toEqual(["lacks the hook that runs create"]);
  });

  test("is no block of a Platform if it only has such a name", () => {
    const document = planDocument("provider/unchanged");
    document.configuration!.root_module.resources.push({ type: "terraform_data", name: "ready" });
    expect(problems(reviewDocument(document))).toEqual([]);
  });
});

describe("hooks in a plan are compared with the synthesized stack:", () => {
  type Hook = Record<string, unknown>;
  const stack = () =>
    synthesize((scope) => {
      const platform = new Platform(scope, "platform", {
        engine: Engine.NULL_RESOURCE,
        deletionProtection: ["st*"],
        pollSeconds: 0.1,
      });
      cluster(platform, "prod", provider(platform));
    }) as unknown as { resource: { null_resource: { capvs_clusters: { provisioner: { "local-exec": Hook }[] } } } };
  const reviewed = (edit: (hooks: Hook[]) => void = () => undefined, document = planDocument("protected-removal")) => {
    const synthesized = stack();
    edit(synthesized.resource.null_resource.capvs_clusters.provisioner.map((item) => item["local-exec"]));
    const plan = readPlan(document, "plan.json");
    return reviewPlans([{ name: "stack", plan, synthesized: new SynthesizedStack(synthesized as never) }]);
  };

  test("correct hooks give no finding, and hooks without a stack are not verified", () => {
    expect(verdictOf(reviewed())).toBe("PROTECTED | high | REMOVED PROTECTED");
    expect(reviewed().notes.map(({ code }) => code)).not.toContain("HOOKS_NOT_VERIFIED");
    expect(problems(reviewed())).toEqual([]);
    expect(reviewDocument(planDocument("protected-removal")).notes.map(({ code }) => code)).toContain("HOOKS_NOT_VERIFIED");
  });

  test("a foreign module has no effect, and a module with a Platform is not verified", () => {
    const withModule = (block: { type: string; name: string }) => {
      const document = planDocument("protected-removal");
      document.configuration!.root_module.module_calls = { eks: { module: { resources: [{ mode: "managed", ...block }] } } };
      return reviewed(undefined, document).notes.map(({ code }) => code);
    };
    expect(withModule({ type: "aws_vpc", name: "main" })).not.toContain("HOOKS_NOT_VERIFIED");
    expect(withModule({ type: "null_resource", name: "capvs_clusters" })).toContain("HOOKS_NOT_VERIFIED");
  });

  test.each<[string, (hooks: Hook[]) => void, string]>([
    ["does not run on destroy", ([, hook]) => delete hook!.when, "has a provisioner that runs delete on create"],
    ["runs on destroy", ([hook]) => (hook!.when = "destroy"), "has a provisioner that runs create on destroy"],
    ["may fail", ([, hook]) => (hook!.on_failure = "continue"), "has a provisioner that continues when delete fails"],
    ["is another one", ([, hook]) => (hook!.command = "true"), "has a provisioner that runs another command"],
  ])("a hook that %s is reported", (_, edit, problem) => {
    expect(verdictOf(reviewed(edit))).toBe("UNKNOWN | critical | REMOVED PROTECTED FOREIGN_HOOK");
    expect(problems(reviewed(edit))).toEqual([problem]);
  });

  test("a removed block with another hook is reported", () => {
    const retired = JSON.parse(readFileSync(join(FIXTURES, "retired.stack", "cdk.tf.json"), "utf8")) as {
      removed: { from: string; provisioner: { "local-exec": Hook }[] }[];
    };
    const removed = retired.removed.find(({ from }) => from === "null_resource.capvs_clusters")!;
    removed.provisioner[0]!["local-exec"].on_failure = "continue";
    const plan = readPlan(planDocument("retired"), "plan.json");
    const review = reviewPlans([{ name: "stack", plan, synthesized: new SynthesizedStack(retired as never) }]);
    expect(verdictOf(review)).toBe("UNKNOWN | critical | RETIRED RETAINED FOREIGN_HOOK");
    expect(verdictOf(review, "prod")).toBe("DESTROY | critical | RETIRED FOREIGN_HOOK");
  });
});
