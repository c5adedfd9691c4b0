import { App, TerraformOutput, TerraformStack, Testing } from "cdktf";
import { CapvsCluster, CapvsProvider, Engine, Platform } from "../../src";
import { cluster, provider } from "../support/capvs";
import { synthError } from "../support/synth";

const HERE = "test/constructs/refusal.test.ts";
/** The line of this file on which the caller calls it. */
const line = () => Number(/refusal\.test\.ts:(\d+)/.exec(new Error().stack!.split("\n")[2]!)![1]);

test("one synth reports the problems of all constructs in all stacks, each once and with the line of the program", () => {
  const app = new App({ outdir: Testing.app().outdir });
  const [eu, us] = [new TerraformStack(app, "eu"), new TerraformStack(app, "us")];
  const lines = [line() + 1, line() + 2, line() + 3, line() + 4];
  new Platform(eu, "platform", { pollSeconds: 0 });
  new CapvsProvider(eu, "vsphere", { name: "vsphere", server: "x" } as never);
  new CapvsCluster(eu, "prod", { name: "prod", podSubnets: "10.0.0.0/8", retain: true } as never);
  new Platform(us, "platform", { timeouts: { readyMinutes: 5 } } as never);
  cluster(us, "prod", CapvsProvider.fromName("vsphere"), { productVersion: "two", apiEndpoint: "" });

  const error = (() => {
    try {
      app.synth();
    } catch (thrown) {
      return thrown as Error;
    }
    throw new Error("the synth did not fail");
  })();

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
    const live = engine === Engine.PROVIDER ? [prod.endpoint, prod.phase, refused.kubeVersions] : [];
    new TerraformOutput(stack, "values", { value: [prod.id, prod.uid, prod.fqn, dependent.uid, refused.uid, ...live] });
  });
  const constructs = [...error.message.matchAll(/^ *\[(.*?)\]/gm)].map(([, path]) => path);
  expect(constructs).toEqual(["stack/platform", "stack/vsphere", "stack/cluster-prod", "stack/cluster-stage"]);
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
