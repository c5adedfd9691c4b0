import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, TerraformStack, TerraformVariable } from "cdktf";
import { zipSync } from "fflate";
import { Engine, Platform } from "cdktf-cluster-platform";
import { gate } from "../../../src/cli/review/judge/gate";
import { allowedForeign, parsePolicy } from "../../../src/cli/review/judge/policy";
import { reviewPlans } from "../../../src/cli/review/judge/review";
import { configurationIn, filesInFolder, filesInPlan } from "../../../src/cli/review/plan/configuration-files";
import { readPlan } from "../../../src/cli/review/plan/plan";
import { SynthesizedStack } from "../../../src/cli/review/plan/synthesized-stack";
import { cluster, provider } from "../../support/capvs";
import { planDocument, type PlanDocument } from "./plans";

/** Configurations that differ from what the package synthesizes, and the gate of the example pipelines. */

type Json = Record<string, never>;
type Hook = Record<string, unknown> & { environment: Record<string, string> };
interface Stack {
  terraform: { required_providers: Record<string, { source: string }> };
  locals: Record<string, Record<string, string>>;
  resource: Record<string, Record<string, Record<string, unknown> & { provisioner: { "local-exec": Hook }[] }>>;
}

const POLICY = JSON.parse(readFileSync("examples/pipelines/ci/review-policy.json", "utf8")) as object;
const now = new Date("2026-05-01T12:00:00Z");

let folder: string;
beforeEach(() => {
  const outdir = mkdtempSync(join(tmpdir(), "cluster-platform-foreign-"));
  folder = join(outdir, "stacks/stack");
  const app = new App({ outdir });
  const stack = new TerraformStack(app, "stack");
  const platform = new Platform(stack, "platform", {
    engine: Engine.NULL_RESOURCE,
    deletionProtection: [],
    retain: ["stage"],
    pollSeconds: 0.1,
  });
  cluster(platform, "prod", provider(platform));
  app.synth();
});
afterEach(() => rmSync(join(folder, "../.."), { recursive: true, force: true }));

const stackFile = () => join(folder, "cdk.tf.json");
const edited = (edit: (stack: Stack) => void) => {
  const stack = JSON.parse(readFileSync(stackFile(), "utf8")) as Stack;
  edit(stack);
  writeFileSync(stackFile(), JSON.stringify(stack, null, 2));
};
/** The configuration of a plan of this stack, as Terraform shows it. */
const configurationOf = ({ resource }: Stack): PlanDocument["configuration"] => {
  const literals = (values: object) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { constant_value: value as unknown }]));
  const resources = Object.entries(resource).flatMap(([type, blocks]) =>
    Object.entries(blocks).map(([name, block]) => ({
      type,
      name,
      provisioners: (block.provisioner ?? []).flatMap((item) =>
        Object.entries(item).map(([of, { when: _, on_failure: _ignored, ...hook }]) => ({
          type: of,
          expressions: literals(hook),
        })),
      ),
      expressions: literals({ ...(block.input !== undefined && { input: block.input }) }),
    })),
  );
  return { root_module: { resources } };
};
/** A plan that removes the cluster `stage`, which the Platform retains. */
const reviewed = ({
  policy = {},
  edit = () => undefined as unknown,
}: { policy?: object; edit?: (document: PlanDocument) => unknown } = {}) => {
  const json = JSON.parse(readFileSync(stackFile(), "utf8")) as Stack;
  const document = planDocument("retain");
  document.configuration = configurationOf(json);
  edit(document);
  const rules = parsePolicy({ ...POLICY, ...policy }, "policy.json");
  const review = reviewPlans([
    {
      name: "stack",
      plan: readPlan(document, "plan.json"),
      synthesized: new SynthesizedStack(json as never as Json),
      ...configurationIn(filesInFolder(folder), folder),
      allowedForeign: allowedForeign(rules, now),
    },
  ]);
  const { passed } = gate(review, { failOn: "critical", failOnOtherDeletes: false }, rules, now);
  const parts = review.notes.flatMap((note) => (note.because === "not from this package" ? [note] : []));
  const stage = review.findings.find(({ name }) => name === "stage")!;
  return {
    passed,
    parts,
    problems: parts.flatMap(({ addresses, problem }) => addresses.map((address) => `${address} ${problem}`)),
    stage: `${stage.verdict} ${stage.risk}`,
    review,
  };
};
const clusters = ({ resource }: Stack) => resource.null_resource!.capvs_clusters!;
const hook = (stack: Stack, index: number) => clusters(stack).provisioner[index]!["local-exec"];

test("a row has the path of the construct", () => {
  expect(reviewed().review.findings.find(({ name }) => name === "prod")!.path).toBe("stack/platform/cluster-prod");
});

test("the stack of this package passes, and the cluster stays on the service", () => {
  expect(reviewed()).toMatchObject({ passed: true, problems: [], stage: "LEAVE medium" });
});

test.each<[string, (stack: Stack) => void, string]>([
  [
    "settings that only Terraform can evaluate",
    (stack) =>
      (hook(stack, 1).environment.CLUSTER_PLATFORM_HOOK_SETTINGS =
        '${jsonencode({ connection = { url = "https://evil.example.com" } })}'),
    "has another 'provisioner[1].local-exec.environment.CLUSTER_PLATFORM_HOOK_SETTINGS' than this package writes",
  ],
  [
    "the name of another cluster",
    (stack) => (hook(stack, 1).environment.CLUSTER_PLATFORM_HOOK_NAME = "prod"),
    "has another 'provisioner[1].local-exec.environment.CLUSTER_PLATFORM_HOOK_NAME' than this package writes",
  ],
  [
    "another folder",
    (stack) => (hook(stack, 1).working_dir = "/tmp"),
    "has 'provisioner[1].local-exec.working_dir', which this package does not write",
  ],
  [
    "a failure that is ignored",
    (stack) => (hook(stack, 1).on_failure = "continue"),
    "has 'provisioner[1].local-exec.on_failure', which this package does not write",
  ],
  ["a hook that is gone", (stack) => clusters(stack).provisioner.pop(), "lacks 'provisioner[1]', which this package writes"],
  [
    "instances by number",
    (stack) => Object.assign(clusters(stack), { count: 1 }),
    "has 'count', which this package does not write",
  ],
  [
    "one order less",
    (stack) => (clusters(stack).depends_on = []),
    "lacks 'depends_on[0]', which this package writes, and 2 more",
  ],
])("a destroy hook with %s is foreign, and closes the gate", (_, edit, problem) => {
  edited(edit);
  expect(reviewed()).toMatchObject({
    passed: false,
    problems: [`null_resource.capvs_clusters ${problem}`],
    stage: expect.stringMatching(/^(UNKNOWN|LEAVE) critical$/) as unknown,
  });
});

test.each<[string, (stack: Stack) => void, string]>([
  [
    "a local that is an expression",
    ({ locals }) => Object.assign(locals, { capvs_clusters: '${jsondecode(file("x"))}' }),
    "null_resource.capvs_clusters is not what this package writes",
  ],
  [
    "a declaration with an expression in its text",
    ({ locals }) =>
      (locals.capvs_clusters!.prod = locals.capvs_clusters!.prod!.replace('"2.5.0"', '"${file(\\"/etc/passwd\\")}"')),
    "local.capvs_clusters has another 'prod' than this package writes",
  ],
  [
    "a request that is not what the plan shows",
    ({ locals }) => {
      const { body, ...entry } = JSON.parse(locals.capvs_clusters!.prod!) as { body: object };
      locals.capvs_clusters!.prod = JSON.stringify({ ...entry, body: { ...body, secure: true } });
    },
    "local.capvs_clusters has another 'prod' than this package writes",
  ],
  [
    "no connection in the settings that a plan shows",
    ({ resource }) => delete (resource.terraform_data!.cluster_platform_protection!.input as { connection?: object }).connection,
    "terraform_data.cluster_platform_protection lacks 'input.connection', which this package writes",
  ],
  [
    "another source of the null provider",
    ({ terraform }) => (terraform.required_providers.null!.source = "evil.example.com/hashicorp/null"),
    "required_providers.null has another 'source' than this package writes",
  ],
  [
    "no protection",
    ({ resource }) => delete resource.terraform_data!.cluster_platform_protection,
    "terraform_data.cluster_platform_ready is not what this package writes",
  ],
  ...["ready", "orphan_check", "orphan_check_on_destroy"].map((name): [string, (stack: Stack) => void, string] => [
    `no ${name}`,
    ({ resource }) => delete resource.terraform_data![`cluster_platform_${name}`],
    `terraform_data.cluster_platform_${name} is missing, although this package writes it`,
  ]),
])("a stack with %s is foreign, and closes the gate", (_, edit, problem) => {
  edited(edit);
  expect(reviewed()).toMatchObject({ passed: false });
  expect(reviewed().problems).toContain(problem);
});

test("what one Aspect adds to all blocks is one note, whose digest covers each block", () => {
  const lifecycle = { prevent_destroy: true };
  edited(({ resource }) => Object.values(resource.null_resource!).forEach((block) => Object.assign(block, { lifecycle })));
  const [one, ...others] = reviewed().parts;
  expect(others).toEqual([]);
  expect(one).toMatchObject({ problem: "has 'lifecycle.prevent_destroy', which this package does not write" });
  expect(one!.addresses).toContain("null_resource.capvs_clusters");
  const policy = { foreign: [{ digest: one!.digest }] };
  expect(reviewed({ policy })).toMatchObject({ passed: true, stage: "LEAVE medium" });
  edited(({ resource }) => {
    delete resource.null_resource!.capos_clusters!.lifecycle;
    Object.assign(resource.terraform_data!.cluster_platform_ready!, { lifecycle });
  });
  expect(reviewed({ policy })).toMatchObject({ passed: false, stage: "UNKNOWN critical" });
});

test("what one Aspect adds is one note, although the package writes a lifecycle in some of the blocks", () => {
  const outdir = mkdtempSync(join(tmpdir(), "cluster-platform-foreign-"));
  try {
    const app = new App({ outdir });
    const stack = new TerraformStack(app, "tokens");
    const platform = new Platform(stack, "platform");
    const { stringValue: podSubnet } = new TerraformVariable(stack, "subnet", { type: "string" });
    cluster(platform, "prod", provider(platform), { podSubnet });
    app.synth();
    const folder = join(outdir, "stacks/tokens");
    const file = join(folder, "cdk.tf.json");
    const { resource, ...rest } = JSON.parse(readFileSync(file, "utf8")) as Stack;
    const blocks = Object.values(resource).flatMap((byName) => Object.values(byName));
    expect(blocks.filter(({ lifecycle }) => lifecycle).length).toBeGreaterThan(0);
    for (const block of blocks) block.lifecycle = { ...(block.lifecycle as object), ignore_changes: "all" };
    writeFileSync(file, JSON.stringify({ resource, ...rest }));
    const problems = configurationIn(filesInFolder(folder), file).foreign!.map(({ problem }) => problem);
    expect(problems).toHaveLength(blocks.length);
    expect(new Set(problems)).toEqual(new Set(["has 'lifecycle.ignore_changes', which this package does not write"]));
  } finally {
    rmSync(outdir, { recursive: true });
  }
});

test("a key that is there twice, of which Terraform reads both values, closes the gate", () => {
  const text = readFileSync(stackFile(), "utf8");
  writeFileSync(
    stackFile(),
    text.replace('"provisioner": [', '"provisioner": [{ "local-exec": { "command": "true" } }],\n        "provisioner": ['),
  );
  expect(reviewed()).toMatchObject({ passed: false });
});

const OTHER_PROGRAM =
  "is not the hook program of this version of cdktf-cluster-platform; review with the version that synthesized the stack";

describe("the program of the hooks:", () => {
  const programs = () => (JSON.parse(readFileSync(stackFile(), "utf8")) as { resource: Stack["resource"] }).resource;
  const program = () => (programs().null_resource!.capvs_clusters!.provisioner[0]!["local-exec"].interpreter as string[])[3]!;

  test("another file in its folder", () => {
    appendFileSync(join(folder, program()), "\n//");
    expect(reviewed()).toMatchObject({
      passed: false,
      problems: [`${program()} ${OTHER_PROGRAM}`],
    });
  });

  test("another version, which is reported once", () => {
    const other = program().replace(/[0-9A-F]{32}/, "0".repeat(32));
    writeFileSync(stackFile(), readFileSync(stackFile(), "utf8").replaceAll(program(), other));
    expect(reviewed()).toMatchObject({
      passed: false,
      problems: [`${other} ${OTHER_PROGRAM}`],
    });
  });

  test("another folder", () => {
    edited((stack) => ((hook(stack, 1).interpreter as string[])[3] = "assets/evil/00/main.js"));
    expect(reviewed()).toMatchObject({ passed: false, stage: "UNKNOWN critical" });
  });
});

test.each(["evil.tf", "cdk_override.tf.json", "override.tf", "cdk.tofu.json"])(
  "Terraform loads %s too, so it closes the gate",
  (name) => {
    writeFileSync(join(folder, name), "{}");
    expect(reviewed()).toMatchObject({
      passed: false,
      problems: [`${name} is read by Terraform, and this package did not write it`],
    });
  },
);

test("files that Terraform does not load are no matter", () => {
  for (const name of [".evil.tf", "notes.md", "evil.tf~", "#evil.tf#"]) writeFileSync(join(folder, name), "{}");
  expect(reviewed()).toMatchObject({ passed: true, problems: [] });
});

test.each(["null_resource.backup", "clusterplatform_ready.mine"])("provisioners of a changed %s close the gate", (address) => {
  const [type = "", name = ""] = address.split(".");
  edited(({ resource }) => {
    resource[type] = { ...resource[type], [name]: { provisioner: [{ "local-exec": { command: "true" } as never }] } };
  });
  const change = (actions: string[]) => (document: PlanDocument) =>
    document.resource_changes.push({ address, type, name, change: { actions, before: null, after: null } });
  const { passed, problems } = reviewed({ edit: change(["create"]) });
  expect(passed).toBe(false);
  expect(problems.join()).toContain(address);
  expect(reviewed({ edit: change(["no-op"]) }).passed).toBe(type === "null_resource");
});

test("a program that runs when the apply reads a data source closes the gate", () => {
  const change = { actions: ["read"], before: null, after: { program: ["sh", "-c", "true"] } };
  const read = { address: "data.external.secret", mode: "data", type: "external", name: "secret", change };
  expect(reviewed({ edit: (document) => document.resource_changes.push(read as never) })).toMatchObject({
    passed: false,
    problems: ["data.external.secret runs a program when the apply reads it"],
  });
});

test("a provisioner in any removed block closes the gate", () => {
  const provisioner = [{ "local-exec": { when: "destroy", command: "true" } }];
  // Terraform obeys both.
  const removed = [{ from: "aws_instance.web", provisioner }, { from: "aws_instance.web" }];
  edited((stack) => Object.assign(stack, { removed }));
  expect(reviewed()).toMatchObject({
    passed: false,
    problems: ["removed aws_instance.web has 'provisioner', which this package does not write"],
  });
});

test("a policy allows a foreign part by its digest, until the part is another one or the time is over", () => {
  edited((stack) => (clusters(stack).lifecycle = { prevent_destroy: true }));
  const [part] = reviewed().parts;
  const foreign = (entry: object = {}) => ({ policy: { foreign: [{ digest: part!.digest, why: "INFRA-7", ...entry }] } });
  expect(reviewed(foreign())).toMatchObject({ passed: true, problems: [], stage: "LEAVE medium" });
  expect(reviewed(foreign()).review.notes).toContainEqual({
    code: "FOREIGN",
    because: "allowed",
    risk: "none",
    stack: "stack",
    why: "INFRA-7",
    ...pick(part!),
  });
  expect(reviewed(foreign({ expires: "2026-04-30" }))).toMatchObject({ passed: false });
  edited((stack) => (clusters(stack).lifecycle = { prevent_destroy: false }));
  expect(reviewed(foreign())).toMatchObject({ passed: false, stage: "UNKNOWN critical" });
});

const pick = ({ addresses, problem, digest }: { addresses: readonly string[]; problem: string; digest: string }) => ({
  addresses,
  problem,
  digest,
});

test("a saved plan has the files of the root module, and anything else is refused", () => {
  const file = join(folder, "plan");
  const text = new Uint8Array([123, 125]);
  const write = (content: Record<string, Uint8Array>) => writeFileSync(file, zipSync(content));
  write({ tfplan: text, "tfconfig/m-/cdk.tf.json": text, "tfconfig/m-/evil.tf": text, "tfconfig/m-child/main.tf": text });
  expect([...filesInPlan(file, folder).files.keys()]).toEqual(["cdk.tf.json", "evil.tf"]);
  write({ tfplan: text });
  expect(() => filesInPlan(file, folder)).toThrow(
    "must be a plan file, as 'terraform plan -out FILE' writes it, got one without a configuration",
  );
  writeFileSync(file, "{}");
  expect(() => filesInPlan(file, folder)).toThrow(
    "must be a plan file, as 'terraform plan -out FILE' writes it, got something else",
  );
  write({ "tfconfig/m-/a.tf": text, "tfconfig/m-/b.tf": text });
  writeFileSync(file, readFileSync(file, "latin1").replaceAll("b.tf", "a.tf"), "latin1");
  expect(() => filesInPlan(file, folder)).toThrow("got one that has a file twice");
});

test("a plan of other hooks than those of the configuration closes the gate", () => {
  const edit = (document: PlanDocument) => {
    const block = document.configuration!.root_module.resources.find(({ name }) => name === "cluster_platform_ready")!;
    block.provisioners![0]!.expressions.command = { constant_value: "true" };
  };
  const { passed, problems } = reviewed({ edit });
  expect(passed).toBe(false);
  expect(problems).toEqual([
    "terraform_data.cluster_platform_ready has different hooks in the plan and in the synthesized stack",
  ]);
});
