import { isAffected } from "../../../src/cli/review/judge/finding";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, DataResource, Lazy, TerraformLocal, TerraformStack, TerraformVariable } from "cdktf";
import { Platform } from "../../../src/constructs/platform";
import type { PlatformProps } from "../../../src/constructs/platform-props";
import { Engine } from "../../../src/constructs/engine";
import { comparedFolders } from "../../../src/cli/review/synth/compared-folders";
import { comparedStack } from "../../../src/cli/review/synth/comparison";
import { reviewPlans } from "../../../src/cli/review/judge/review";
import type { JsonObject } from "../../../src/model/provider-type";
import { cluster, provider } from "../../support/capvs";
import { synthesize } from "../../support/synth";
import { inProcess } from "../in-process";
import { fixture, reasonsOf } from "./plans";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cluster-platform-synth-review-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

type Declare = (stack: TerraformStack) => void;
type Props = Parameters<typeof cluster>[3];

/** An app with stacks by name. */
function app(name: string, stacks: Record<string, Declare>): string {
  const outdir = join(folder, name);
  const synthesized = new App({ outdir });
  for (const [id, declare] of Object.entries(stacks)) declare(new TerraformStack(synthesized, id));
  synthesized.synth();
  return outdir;
}

const declaring =
  (clusters: Record<string, Props>, props: PlatformProps = {}): Declare =>
  (stack) => {
    new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA, deletionProtection: false, ...props });
    const on = provider(stack);
    for (const [name, of] of Object.entries(clusters)) cluster(stack, name, on, of);
  };

const five = { controlPlane: { count: 5, cpus: 4, memoryMib: 8192, diskGib: 60 } };

/** All findings but unchanged objects, as stack, verdict, risk, object, reasons. */
function found(base: string, head: string) {
  const { findings } = reviewPlans(comparedFolders(base, head));
  return findings
    .filter(isAffected)
    .map(({ stack, verdict, refused, risk, object, reasons }) =>
      [stack, refused ? `${verdict}, refused` : verdict, risk, object, reasonsOf(reasons)].join(" | "),
    );
}

describe("folders", () => {
  test("stacks belong together by name, and a stack on one side only is new or left behind", () => {
    const base = app("base", { production: declaring({ prod: {} }), old: declaring({ gone: {} }) });
    const head = app("head", { production: declaring({ prod: five }), staging: declaring({ stage: {} }) });
    expect(found(base, head)).toEqual([
      "production | REPLACE | critical | capvs/clusters/prod | CHANGED",
      "old | LEAVE | critical | capvs/clusters/gone | REMOVED",
      "old | LEAVE | critical | capvs/providers/vsphere | REMOVED",
      "staging | CREATE | low | capvs/clusters/stage | NEW",
      "staging | CREATE | low | capvs/providers/vsphere | NEW",
    ]);
    const { notes } = reviewPlans(comparedFolders(base, head));
    const said = notes.flatMap((note) => (note.because === "programs only" ? [`${note.stack} ${note.stackIn}`] : []));
    expect(said.sort()).toEqual(["old base", "production both", "staging head"]);
  });

  test("the folder of one stack is compared with another one, or with an app of one stack", () => {
    const base = app("base", { production: declaring({ prod: {} }) });
    const head = app("head", { production: declaring({ prod: five }) });
    const stack = "stacks/production";
    const replaced = ["production | REPLACE | critical | capvs/clusters/prod | CHANGED"];
    expect(found(join(base, stack), join(head, stack))).toEqual(replaced);
    expect(found(base, join(head, stack))).toEqual(replaced);
    expect(found(join(base, stack), head)).toEqual(replaced);
  });

  test("nothing refuses, deletes or runs anything of a stack that has left the program", () => {
    const settings = { deletionProtection: ["prod"], allowDeletion: ["gone"], retain: ["kept"] };
    const base = app("base", { old: declaring({ prod: {}, gone: {}, kept: {} }, settings) });
    writeFileSync(join(base, "stacks/old/x.tf"), 'resource "null_resource" "x" {}');
    const head = app("head", { other: declaring({}) });
    const objects = ["clusters/gone", "clusters/kept", "clusters/prod", "providers/vsphere"];
    const rows = objects.map((object) => `old | LEAVE | critical | capvs/${object} | REMOVED`);
    expect(found(base, head).filter((row) => row.startsWith("old"))).toEqual(rows);
    const { notes, settings: changed } = reviewPlans(comparedFolders(base, head));
    expect(notes.filter((note) => "stack" in note && note.stack === "old").map(({ because }) => because)).toEqual([
      "programs only",
    ]);
    expect(changed.filter(({ stack }) => stack === "old")).toEqual([]);
  });

  test.each<[what: string, make: () => [base: string, head: string], message: RegExp]>([
    [
      "nothing",
      () => [join(folder, "missing"), folder],
      /missing must be the folder of a synthesized stack, .* and it does not exist/,
    ],
    ["another folder", () => [folder, folder], /got one with neither cdk\.tf\.json nor stacks; run 'cdktf synth' first/],
    [
      "two empty apps",
      () => {
        mkdirSync(join(folder, "stacks"));
        return [folder, folder];
      },
      /neither side has a stack; run 'cdktf synth' first/,
    ],
    [
      "one stack and an app of several",
      () => {
        const base = app("base", { a: declaring({}), b: declaring({}) });
        return [base, join(base, "stacks/a")];
      },
      /base must be the folder of one stack, like the other side, got the stacks a, b; pass the folder of one of them/,
    ],
    [
      "text",
      () => stacksWith("oops"),
      /head.stacks.production.cdk\.tf\.json must be the JSON of a synthesized stack, got text that is not JSON/,
    ],
    ["a list", () => stacksWith("[]"), /must be the JSON of a synthesized stack, got a list/],
    [
      "resources that are none",
      () => stacksWith('{"resource":{"clusterplatform_capvs_cluster":null}}'),
      /head.stacks.production cannot be compared \(.*\); synthesize both programs again/,
    ],
    [
      "a link",
      () => {
        const [base, head] = stacksWith("{}");
        symlinkSync("/etc/passwd", join(head, "stacks/production/x.tf"));
        return [base, head];
      },
      /x\.tf must be a file or a folder, got a link or a device, which a review does not follow; remove it/,
    ],
    [
      "a link in its assets",
      () => {
        const [base, head] = stacksWith("{}");
        mkdirSync(join(head, "stacks/production/assets"));
        symlinkSync("/", join(head, "stacks/production/assets/cluster-platform-hooks"));
        return [base, head];
      },
      /cluster-platform-hooks must be a file or a folder/,
    ],
    [
      "a linked stack",
      () => {
        const [base, head] = stacksWith("{}");
        symlinkSync(join(base, "stacks/production"), join(head, "stacks/other"));
        return [base, head];
      },
      /stacks.other must be a file or a folder/,
    ],
  ])("that hold %s are refused", (_, make, message) => {
    const [base, head] = make();
    expect(() => comparedFolders(base, head)).toThrow(message);
  });

  function stacksWith(text: string): [base: string, head: string] {
    const base = app("base", { production: declaring({ prod: {} }) });
    mkdirSync(join(folder, "head/stacks/production"), { recursive: true });
    writeFileSync(join(folder, "head/stacks/production/cdk.tf.json"), text);
    return [base, join(folder, "head")];
  }
});

describe("values that only Terraform can evaluate", () => {
  const engines = [Engine.NULL_RESOURCE, Engine.TERRAFORM_DATA, Engine.PROVIDER];

  /** The verdict, risk and reasons of the cluster `prod`, and its changed fields. */
  function judged(engine: Engine, before: (stack: TerraformStack) => Props, after: (stack: TerraformStack) => Props) {
    const program = (props: (stack: TerraformStack) => Props) =>
      synthesize((stack) => declaring({ prod: props(stack) }, { engine })(stack)) as unknown as JsonObject;
    const { findings } = reviewPlans([{ name: "stack", ...comparedStack(program(before), program(after), "stack") }]);
    const { verdict, risk, reasons, changes } = findings.find(({ name }) => name === "prod")!;
    const fields = reasons.flatMap((reason) => ("fields" in reason && reason.code === "UNKNOWN" ? reason.fields : []));
    return [
      verdict,
      risk,
      reasonsOf(reasons),
      fields.join(),
      changes()
        .map(({ field }) => field)
        .join(),
    ].join(" | ");
  }

  const variable =
    (name: string, value = "10.1.0.0/16") =>
    (stack: TerraformStack) => ({
      podSubnet: new TerraformVariable(stack, name, { type: "string", default: value }).stringValue,
    });
  const local = (value: string) => (stack: TerraformStack) => ({
    podSubnet: new TerraformLocal(stack, "subnet", value).asString,
  });
  const output = (input: string) => (stack: TerraformStack) => ({
    podSubnet: new DataResource(stack, "network", { input: input as never }).getStringAttribute("output"),
  });
  const data = (name: string) => (stack: TerraformStack) => {
    stack.addOverride("data.external.network", { program: [name] });
    return { podSubnet: expression("${data.external.network.result.subnet}") };
  };
  const expression = (text: string) => Lazy.stringValue({ produce: () => text });
  const literal = (podSubnet: string) => () => ({ podSubnet });
  const STAYS = "UNCHANGED | none |  |  | ";
  const MAY_BE_REPLACED = "UNKNOWN | critical | expressions | podSubnet | ";

  test.each(engines)("stay if nothing changes to which they refer, on %s", (engine) => {
    for (const same of [variable("a"), local("10.1.0.0/16"), local("${var.a}"), output("1"), output("${var.a}"), data("x")]) {
      expect(judged(engine, same, same)).toBe(STAYS);
    }
  });

  test.each(engines)("may replace an object if they change, or if something changes to which they refer, on %s", (engine) => {
    const withVariable = (value: string) => (stack: TerraformStack) => {
      variable("a", value)(stack);
      return local("${var.a}")(stack);
    };
    for (const [before, after] of [
      [variable("a"), variable("b")],
      [variable("a"), variable("a", "10.2.0.0/16")],
      [literal("10.1.0.0/16"), variable("a")],
      [variable("a"), literal("10.1.0.0/16")],
      [local("10.1.0.0/16"), local("10.2.0.0/16")],
      [withVariable("10.1.0.0/16"), withVariable("10.2.0.0/16")],
      [output("1"), output("2")],
      [data("x"), data("y")],
      [literal(expression("${timestamp()}")), literal(expression("${timestamp()}"))],
    ] as const) {
      expect(judged(engine, before, after)).toBe(MAY_BE_REPLACED);
    }
  });

  test.each(engines)("do not hide a field that surely changes, on %s", (engine) => {
    const more = (stack: TerraformStack) => ({ ...variable("a", "10.2.0.0/16")(stack), ...five });
    expect(judged(engine, variable("a"), more)).toBe("REPLACE | critical | CHANGED |  | controlPlane.count,podSubnet");
  });

  test.each(engines)("of one cluster do not change when another one comes or changes, on %s", (engine) => {
    const program = (prod: Props, more: Record<string, Props>) =>
      synthesize((stack) => {
        new Platform(stack, "platform", { engine, deletionProtection: false });
        const on = provider(stack);
        new DataResource(stack, "follower", { triggersReplace: cluster(stack, "prod", on, prod).uid as never });
        for (const [name, props] of Object.entries(more)) cluster(stack, name, on, props);
      }) as unknown as JsonObject;
    const deleted = (head: JsonObject) =>
      reviewPlans([{ name: "stack", ...comparedStack(program({}, { stage: {} }), head, "stack") }]).others.flatMap(
        (group) => group.deleted,
      );
    expect(deleted(program({}, { stage: five, more: {} }))).toEqual([]);
    expect(deleted(program(five, { stage: {} }))).toEqual(["terraform_data.follower"]);
  });

  test("are denied by the gate and by forbid-destroy, until an allowance names the object", async () => {
    const [base, head] = ["a", "b"].map((name) =>
      app(name, { production: (stack) => declaring({ prod: variable(name)(stack) })(stack) }),
    );
    const policy = (content: object) => {
      const file = join(folder, "policy.json");
      writeFileSync(file, JSON.stringify({ version: 1, ...content }));
      return ["--policy", file];
    };
    const review = async (...args: string[]) => (await inProcess(["review", "--synth", base!, head!, ...args])).status;
    expect(await review()).toBe(2);
    expect(await review("--fail-on", "none", ...policy({ rules: [{ rule: "forbid-destroy", objects: ["prod"] }] }))).toBe(2);
    const allow = [{ object: "capvs/clusters/prod", verdict: "UNKNOWN" }];
    expect(await review(...policy({ allow }))).toBe(0);
  });

  test("in replace_triggered_by count, too", () => {
    const program = (input: string) => {
      const stack = synthesize((stack) => {
        declaring({ prod: {} }, { engine: Engine.PROVIDER })(stack);
        new DataResource(stack, "cause", { input: input as never });
      }) as unknown as { resource: Record<string, Record<string, object>> };
      Object.assign(stack.resource.clusterplatform_capvs_cluster!.prod!, {
        lifecycle: { replace_triggered_by: ["terraform_data.cause"] },
      });
      return stack as unknown as JsonObject;
    };
    const verdict = (input: string) =>
      reviewPlans([{ name: "stack", ...comparedStack(program("1"), program(input), "stack") }]).findings.find(
        ({ name }) => name === "prod",
      )!.verdict;
    expect([verdict("1"), verdict("2")]).toEqual(["UNCHANGED", "UNKNOWN"]);
  });
});

const HOSTILE = "@everyone|<b>";

test("hostile names change no other object, and are shown as text", async () => {
  const base = app("base", { production: declaring({ prod: {} }) });
  const head = app("head", { production: declaring({ prod: {} }) });
  const file = join(head, "stacks/production/cdk.tf.json");
  const entry = (name: string) => `${JSON.stringify(name)}:${JSON.stringify(JSON.stringify({ triggers: { name } }))}`;
  writeFileSync(
    file,
    `{"__proto__":{"polluted":1},"locals":{"__proto__":{"a":1},"capvs_clusters":{${["__proto__", HOSTILE].map(entry).join()}}},` +
      `"resource":{"__proto__":{"x":{}},"constructor":{"x":{}},"terraform_data":{"__proto__":{"input":"1"},` +
      `"capvs_clusters":{"for_each":"\${local.capvs_clusters}"}}},` +
      `"moved":[{"from":"__proto__","to":"constructor"}],"output":{"__proto__":{"value":1}}}`,
  );
  const { findings } = reviewPlans(comparedFolders(base, head));
  expect(findings.filter(({ declared }) => declared).map(({ name }) => name)).toEqual([HOSTILE, "__proto__"]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  const { stdout } = await inProcess(["review", "--synth", base, head, "--format", "markdown"]);
  expect(stdout).toContain("<code>&#64;everyone&#124;&#60;b&#62;</code>");
});

test.each<[what: string, args: string[], message: string]>([
  [
    "one folder",
    ["base"],
    "'--synth' must come with two folders: that of the program that is applied, and that of the changed program; got base",
  ],
  ["standard input", ["-", "head"], "'--synth' must come with two folders"],
])("--synth with %s is refused", async (_, args, message) => {
  const { status, stderr } = await inProcess(["review", "--synth", ...args]);
  expect(stderr).toContain(message);
  expect(status).toBe(1);
});

test("a declaration that is not what the triggers say is foreign", () => {
  const edited = (name: string, from: string, to: string) => {
    const out = app(name, { production: declaring({ prod: {} }) });
    const file = join(out, "stacks/production/cdk.tf.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
    return out;
  };
  const foreign = (base: string, head: string) =>
    reviewPlans(comparedFolders(base, head)).notes.flatMap((note) =>
      note.because === "not from this package" ? note.addresses : [],
    );
  const [own, forged] = [
    edited("own", "", ""),
    edited("forged", '\\"spec\\":{\\"name\\":\\"prod\\"', '\\"spec\\":{\\"name\\":\\"other\\"'),
  ];
  expect(foreign(own, own)).toEqual([]);
  expect(foreign(own, forged)).toContain("local.capvs_clusters");
});

describe("beside plans, a stack that left the code", () => {
  const plan = fixture("unchanged");
  const review = (left: string, ...args: string[]) => inProcess(["review", plan, "--left", join(left, "stacks/old"), ...args]);

  test("is denied until a policy allows it", async () => {
    const left = app("base", { old: declaring({ gone: {} }) });
    const { status, stdout } = await review(left);
    expect(status).toBe(2);
    expect(stdout).toContain("LEAVE      cluster gone: stays on the service, where nothing manages it");
    expect(stdout).toContain("Terraform no longer manages gone (old), vsphere (old): nothing deletes these objects");
    expect(stdout).toContain("old: this stack left the code, and no apply destroys what it has. To delete its objects,");
    const policy = join(folder, "policy.json");
    const entry = { object: "*", verdict: "LEAVE", stack: "old", expires: "9999-12-31" };
    writeFileSync(policy, JSON.stringify({ version: 1, allow: [entry] }));
    expect(await review(left, "--policy", policy)).toMatchObject({ status: 0 });
  });

  test("keeps its names, so a stack with another id cannot create them again", async () => {
    const left = app("base", { old: declaring({ prod: {} }, { url: "http://127.0.0.1:7070" }) });
    const created = ["review", fixture("create"), "--left", join(left, "stacks/old"), "--format", "json"];
    const { notes } = JSON.parse((await inProcess(created)).stdout) as { notes: { because: string; object?: string }[] };
    const taken = notes.flatMap((note) => (note.because === "taken elsewhere" ? [note.object] : []));
    expect(taken.sort()).toEqual(["capvs/clusters/prod", "capvs/providers/vsphere"]);
  });

  test("without providers and clusters is only named", async () => {
    const left = app("base", { old: (stack) => new DataResource(stack, "x") });
    const { status, stdout } = await review(left);
    expect(status).toBe(0);
    expect(stdout).toContain("old: this stack left the code");
  });

  test("is not for a review of two programs, which shows it itself", async () => {
    expect(await inProcess(["review", "--synth", folder, folder, "--left", folder])).toMatchObject({ status: 1 });
  });
});

test("the command has the gate, policy and formats of a review of a plan", async () => {
  const base = app("base", { production: declaring({ prod: {} }) });
  const head = app("head", { production: declaring({ prod: five }) });
  const denied = await inProcess(["review", "--synth", base, head, "--format", "json"]);
  expect(denied.status).toBe(2);
  const report = JSON.parse(denied.stdout) as { stacks: object[]; findings: object[]; notes: { because: string }[] };
  expect(report.stacks).toMatchObject([{ name: "production", digest: null, terraformVersion: null, complete: true }]);
  expect(report.findings[0]).toMatchObject({
    verdict: "REPLACE",
    changes: [{ field: "controlPlane.count", before: "3", after: "5" }],
  });
  expect(report.notes.map(({ because }) => because).sort()).toEqual(["programs only"]);
  const allow = join(folder, "policy.json");
  writeFileSync(allow, JSON.stringify({ version: 1, allow: [{ object: "capvs/clusters/prod", verdict: "REPLACE" }] }));
  expect((await inProcess(["review", "--synth", base, head, "--policy", allow])).status).toBe(0);
  expect((await inProcess(["review", "--synth", base, base])).status).toBe(0);
  writeFileSync(join(head, "stacks/production/x.tf"), 'resource "null_resource" "x" {}');
  expect((await inProcess(["review", "--synth", base, head, "--policy", allow])).stdout).toContain("FOREIGN: x.tf");
});
