import { App, TerraformOutput, TerraformResource, TerraformStack, Testing } from "cdktf";
import { CapvsCluster, CapvsProvider, DataClusters, Engine, Platform } from "../../src";
import { cluster, provider } from "../support/capvs";
import { synthError } from "../support/synth";

const HERE = "test/constructs/refusal.test.ts";
/** The line of this file on which the caller calls it. */
const line = () => Number(/refusal\.test\.ts:(\d+)/.exec(new Error().stack!.split("\n")[2]!)![1]);

function errorOf(act: () => void): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing failed");
}

test("one synth reports the problems of all constructs in all stacks, each once and with the line of the program", () => {
  const app = new App({ outdir: Testing.app().outdir });
  const [eu, us] = [new TerraformStack(app, "eu"), new TerraformStack(app, "us")];
  const lines = [line() + 1, line() + 2, line() + 3, line() + 4];
  new Platform(eu, "platform", { pollSeconds: 0 });
  new CapvsProvider(eu, "vsphere", { name: "vsphere", server: "x" } as never);
  new CapvsCluster(eu, "prod", { name: "prod", podSubnets: "10.0.0.0/8", retain: true } as never);
  new Platform(us, "platform", { timeouts: { readyMinutes: 5 } } as never);
  cluster(us, "prod", CapvsProvider.fromName("vsphere"), { productVersion: "two", apiEndpoint: "" });

  const error = errorOf(() => app.synth());

  expect(error.message).toContain(
    `[eu/platform] 'pollSeconds' must be a number of seconds from 0.1 to 3600, got 0 (${HERE}:${lines[0]})`,
  );
  expect(error.message).toMatch(new RegExp(`\\[eu/vsphere\\] .*'password' must be a Secret.* \\(${HERE}:${lines[1]}\\)`));
  expect(error.message).toMatch(
    new RegExp(
      `\\[eu/prod\\] 'retain' is not a prop here.* Write retain: \\["prod"\\] there; .*'podSubnets' is not a prop here: did you mean podSubnet\\? \\(${HERE}:${lines[2]}\\)`,
    ),
  );
  expect(error.message).toMatch(
    new RegExp(`us/platform: 'timeouts.readyMinutes' is not a prop here.* \\(${HERE}:${lines[3]}\\)`),
  );
  expect(error.message).toMatch(
    /us\/cluster-prod: 'productVersion' must be a version.*; 'apiEndpoint' must be .* \(test\/support\/capvs\.ts:\d+\)/,
  );
  expect(error.message).not.toContain("'podSubnet' must");
  const problems = error.message.match(/'[\w.]+' (must|is not)[^;()]*/g)!;
  expect(new Set(problems).size).toBe(problems.length);
  expect(error.stack).not.toMatch(/^ +at .*\/src\/constructs\//m);
});

test.each(Object.values(Engine))("a refused construct causes no other problem where it is used (%s)", (engine) => {
  const error = synthError((stack) => {
    const platform = new Platform(stack, "platform", { engine, pollSeconds: 0 });
    const refused = provider(stack, "../vsphere", { id: "vsphere" });
    const prod = cluster(stack, "prod", refused, { productVersion: "two" });
    const dependent = cluster(stack, "stage", refused, { dependsOn: [prod, platform] });
    const live = engine === Engine.PROVIDER ? [prod.endpoint, prod.phase, refused.kubernetesVersions] : [];
    new TerraformOutput(stack, "values", { value: [prod.id, prod.uid, prod.fqn, dependent.uid, refused.uid, ...live] });
  });
  const constructs = [...error.message.matchAll(/^ *\[(.*?)\]/gm)].map(([, path]) => path);
  expect(constructs).toEqual(["stack/platform", "stack/vsphere", "stack/cluster-prod", "stack/cluster-stage"]);
});

describe("errors in the structure of the program are problems of the synth, and hide no others", () => {
  const problemsOf = (declare: (stack: TerraformStack) => void) => {
    const error = synthError(declare);
    expect(error.stack).not.toMatch(/^ +at .*\/src\/constructs\//m);
    return [...error.message.matchAll(/^ +(\[.*) \(\S+:\d+\)$/gm)].map(([, problem]) => problem);
  };

  test("no Platform, once for the stack", () => {
    const problems = problemsOf((stack) => {
      const on = provider(stack);
      const prod = cluster(stack, "prod", on, { productVersion: "two", dependsOn: [on] });
      cluster(stack, "stage", on, { dependsOn: [prod], bodyOverrides: { endpoint: prod.endpoint, uid: prod.uid } });
    });
    expect(problems).toEqual([
      expect.stringMatching(
        /^\[stack\] no Platform in the stack 'stack' yet; make one before its providers and clusters, as in new Platform\(this, /,
      ),
      expect.stringMatching(/^\[stack\/cluster-prod\] 'productVersion' must be a version/),
    ]);
  });

  test("a Platform that is made too late", () => {
    const problems = problemsOf((stack) => {
      cluster(stack, "prod", CapvsProvider.fromName("x"));
      new Platform(stack, "platform");
      cluster(stack, "stage", CapvsProvider.fromName("x"));
    });
    expect(problems).toEqual([expect.stringContaining("make one before its providers")]);
  });

  test("several Platforms, for each construct", () => {
    const problems = problemsOf((stack) => {
      new Platform(stack, "one");
      new Platform(stack, "two", { url: "https://two.example.com" });
      cluster(stack, "prod", provider(stack));
    });
    const choose = "there are 2 Platforms in 'stack' (one, two); choose one with the prop 'platform'";
    expect(problems).toEqual([
      `[stack/two] 'name' must be given to the second Platform of a stack, as in name: "eu", because stack/one has none`,
      `[stack/provider-vsphere] ${choose}`,
      `[stack/cluster-prod] ${choose}`,
    ]);
  });

  test("a Platform of another stack, beside a misspelled prop", () => {
    const elsewhere = new Platform(new TerraformStack(Testing.app(), "elsewhere"), "platform");
    const problems = problemsOf((stack) => {
      new Platform(stack, "platform");
      provider(stack, "vsphere", { platform: elsewhere, server: "x" });
    });
    expect(problems).toEqual([
      expect.stringMatching(
        /^\[stack\/provider-vsphere\] 'platform' must be in the same stack, got one of 'elsewhere'; 'server' must /,
      ),
    ]);
  });

  test.each([Engine.NULL_RESOURCE, Engine.TERRAFORM_DATA])("what %s cannot do, each once", (engine) => {
    const problems = problemsOf((stack) => {
      new Platform(stack, "platform", { engine });
      const prod = cluster(stack, "prod", provider(stack));
      new DataClusters(stack, "all");
      for (let times = 0; times < 2; times++) {
        prod.addOverride("secure", false);
        new TerraformOutput(stack, `output-${times}`, { value: [prod.endpoint, prod.phase] });
      }
    });
    expect(problems).toEqual([
      expect.stringMatching(/^\[stack\/cluster-prod\] addOverride needs engine: Engine.PROVIDER/),
      expect.stringMatching(/^\[stack\/cluster-prod\] 'endpoint' is known only with/),
      expect.stringMatching(/^\[stack\/cluster-prod\] 'phase' is known only with/),
      expect.stringMatching(/^\[stack\/all\] data of the service needs/),
    ]);
  });
});

test("problems that only the finished program shows stand beside the others, of all stacks, with the line", () => {
  const app = new App({ outdir: Testing.app().outdir });
  const [eu, us] = [new TerraformStack(app, "eu"), new TerraformStack(app, "us")];
  for (const stack of [eu, us]) {
    new Platform(stack, "platform");
    const prod = cluster(stack, "prod", CapvsProvider.fromName("x"));
    new TerraformResource(stack, "gate", {
      terraformResourceType: "terraform_data",
      dependsOn: [prod],
      lifecycle: { createBeforeDestroy: true },
    });
    cluster(stack, "prod", CapvsProvider.fromName("y"), { id: "again" });
  }
  provider(eu, "vsphere", { server: "x" });
  const { message } = errorOf(() => app.synth());
  for (const stack of ["eu", "us"]) {
    expect(message).toMatch(new RegExp(`${stack}/again: 'name' must be unique.* \\(test/support/capvs\\.ts:\\d+\\)`));
    expect(message).toContain(`${stack}/gate: create_before_destroy must not be set`);
  }
  expect(message).toContain("[eu/provider-vsphere] 'server' must ");
});

test("a repeated name is reported although the first object of that name is refused for its props", () => {
  const { message } = synthError((stack) => {
    new Platform(stack, "platform");
    cluster(stack, "prod", CapvsProvider.fromName("x"), { productVersion: "two" });
    cluster(stack, "prod", CapvsProvider.fromName("x"), { id: "again" });
    provider(stack, "../vsphere", { id: "one" });
    provider(stack, "../vsphere", { id: "two" });
  });
  expect(message).toContain("[stack/cluster-prod] 'productVersion' must be a version");
  expect(message).toMatch(/stack\/cluster-prod: 'name' must be unique, but stack\/again declares the cluster prod already/);
  expect(message.match(/must be unique/g)).toHaveLength(1);
});

test("a synth without validations is refused, too", () => {
  const stack = new TerraformStack(Testing.app(), "stack");
  new Platform(stack, "platform", { pollSeconds: 0 });
  provider(stack, "vsphere", { server: "x" });
  expect(() => Testing.synth(stack)).toThrow(
    expect.objectContaining({
      code: "INVALID_PROP",
      constructPath: "stack/platform",
      message: expect.stringMatching(/stack\/platform: 'pollSeconds' must .*\nstack\/provider-vsphere: 'server' must /),
    }),
  );
});

test("a refused construct that leaves the tree is forgotten", () => {
  const stack = new TerraformStack(Testing.app(), "stack");
  new Platform(stack, "platform");
  new CapvsCluster(stack, "prod", {} as never);
  stack.node.tryRemoveChild("prod");
  expect(() => Testing.synth(stack, true)).not.toThrow();
});
