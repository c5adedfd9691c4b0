import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, DataResource, TerraformStack, TerraformVariable, Testing } from "cdktf";
import { Engine, Platform, Secret, Services, type PlatformProps } from "cdktf-cluster-platform";
import { declared, type DeclaredStack } from "cdktf-cluster-platform/testing";
import { objectTypeOf } from "../../src/declarations/types";
import { definitionOf } from "../../src/declarations/schema-definition";
import { KINDS, TYPE_CODES } from "../../src/model/provider-type";
import { goldens } from "../goldens";
import { cluster, provider, size } from "../support/capvs";
import { declare } from "../support/declare";

const engines = Object.values(Engine);

function stackWith(declare: (stack: TerraformStack) => void, app = Testing.app()): TerraformStack {
  const stack = new TerraformStack(app, "stack");
  declare(stack);
  return stack;
}

/** A stack with a plain object, one with tokens, and another resource. */
function production(engine: Engine, props: PlatformProps = {}, app?: App): TerraformStack {
  return stackWith((stack) => {
    const nodes = new TerraformVariable(stack, "nodes", { type: "number" });
    const password = new TerraformVariable(stack, "password", { type: "string", sensitive: true });
    const image = new DataResource(stack, "image", { input: {} });
    new Platform(stack, "platform", { engine, allowDeletion: ["lab"], retain: ["lab"], ...props });
    const vsphere = provider(stack, "vsphere", {
      username: Secret.fromToken(password.stringValue),
      password: Secret.unsafePlainText("pa55word"),
    });
    const services = Services.only("product-vip", "product-backup");
    cluster(stack, "prod", provider(stack, "other", { password: Secret.fromFile("/run/secret") }), { services });
    cluster(stack, "lab", vsphere, {
      adopt: true,
      controlPlane: { count: nodes.numberValue, ...size },
      dependsOn: [image],
    });
  }, app);
}

describe.each(engines)("%s", (engine) => {
  let found: DeclaredStack;
  beforeAll(() => (found = declared(production(engine))));

  test("has the props as in the code, without defaults", () => {
    expect(found.cluster("prod")).toEqual({
      type: "capvs",
      platform: "",
      name: "prod",
      provider: "other",
      apiEndpoint: expect.any(String),
      podSubnet: "10.244.0.0/16",
      serviceSubnet: "10.96.0.0/12",
      productVersion: "2.5.0",
      services: { enabled: ["product-backup", "product-vip"] },
      controlPlane: { count: 3, ...size },
      workers: [{ group: "default", count: 2, ...size }],
      protected: true,
      retained: false,
      adopted: false,
      waitsFor: engine === Engine.PROVIDER ? ["capvs/providers/other"] : ["capvs/providers/other", "terraform_data.image"],
      request: expect.objectContaining({
        cluster: expect.objectContaining({ clusterName: "prod", controlPlaneNodesCount: 3, ingress: "" }),
      }),
    });
  });

  test("has what the Platform and the construct say about an object, and its tokens", () => {
    expect(found.cluster("lab")).toMatchObject({ protected: false, retained: true, adopted: true });
    expect(found.cluster("lab").controlPlane.count).toBe("${var.nodes}");
    expect(found.cluster("lab").request).toMatchObject({ cluster: { controlPlaneNodesCount: "${var.nodes}" } });
    expect(found.provider("vsphere").protected).toBe(false);
  });

  test("shows a secret as its source, and never its value", () => {
    expect(found.provider("vsphere")).toMatchObject({
      username: "<secret: var.password>",
      password: "<secret: value in the stack>",
      request: { connectInfo: { user: "<secret: var.password>", passwd: "<secret: value in the stack>" } },
    });
    expect(found.provider("other")).toMatchObject({
      username: "<secret: environment variable VSPHERE_USERNAME>",
      password: "<secret: file /run/secret>",
      request: { connectInfo: { user: "<secret: environment variable VSPHERE_USERNAME>" } },
    });
    expect(JSON.stringify(found)).not.toContain("pa55word");
  });

  test("names the nearest name for a name that is not declared", () => {
    expect(() => found.cluster("prdo")).toThrow("there is no cluster 'prdo': did you mean 'prod'?");
    expect(() => found.cluster("staging")).toThrow("there is no cluster 'staging'; there is 'lab', 'prod'");
    expect(() => found.provider("constructor")).toThrow("there is no provider 'constructor'; there is 'other', 'vsphere'");
    expect(found.cluster("capvs/clusters/prod")).toBe(found.clusters.prod);
  });

  test("is the same as with hooks, apart from the dependencies that objects of one block share", () => {
    const withHooks = declared(production(Engine.NULL_RESOURCE));
    const { waitsFor: _, ...prod } = withHooks.cluster("prod");
    expect(found).toEqual({ ...withHooks, clusters: { ...withHooks.clusters, prod: expect.objectContaining(prod) as unknown } });
  });
});

test("every form of a stack gives the same", () => {
  const outdir = mkdtempSync(join(tmpdir(), "cluster-platform-declared-"));
  const app = new App({ outdir });
  const stack = production(Engine.TERRAFORM_DATA, {}, app);
  app.synth();
  const text = Testing.synth(stack);
  const forms = [text, JSON.parse(text) as object, outdir, join(outdir, "stacks/stack"), declared(stack)];
  const expected = declared(stack);
  expect(Object.keys(expected.clusters)).toEqual(["lab", "prod"]);
  for (const form of forms) expect(declared(form)).toEqual(expected);
  rmSync(outdir, { recursive: true });
});

test("a folder with several stacks, and anything that is no stack, is refused", () => {
  const app = Testing.app();
  for (const name of ["eu", "us"]) new TerraformStack(app, name);
  app.synth();
  const folders = ["eu", "us"].map((name) => join(app.outdir, "stacks", name));
  expect(() => declared(app.outdir)).toThrow(`${app.outdir} has several stacks: pass one of ${folders.join(", ")}`);
  expect(declared(folders[0]!)).toEqual({ providers: {}, clusters: {} });
  expect(() => declared("no/such/folder")).toThrow("no/such/folder/cdk.tf.json cannot be read");
  expect(() => declared("{ broken")).toThrow("the text is not the JSON of a synthesized stack");
  expect(() => declared([])).toThrow(
    "a stack must be a TerraformStack, synthesized JSON or the path of a synthesized folder, got a list",
  );
  expect(() => declared(undefined as never)).toThrow("synthesized folder, got undefined");
});

describe("several Platforms", () => {
  const twice = (stack: TerraformStack) => {
    for (const name of ["eu", "us"]) {
      const platform = new Platform(stack, name, { engine: Engine.TERRAFORM_DATA, name, url: `https://${name}.example.com` });
      cluster(stack, "prod", provider(stack, `vsphere-${name}`, { platform }), { platform, id: `cluster-${name}` });
    }
  };

  test("one is selected by its name", () => {
    const { clusters, providers } = declared(stackWith(twice), { platform: "us" });
    expect(clusters.prod).toMatchObject({ platform: "us", provider: "vsphere-us" });
    expect(Object.keys(providers)).toEqual(["vsphere-us"]);
  });

  test("without a selection, an object of two Platforms is refused", () => {
    expect(() => declared(stackWith(twice))).toThrow(
      "capvs/clusters/prod is on several Platforms, with the names 'eu' and 'us': select one, as in declared(stack, { platform: 'eu' })",
    );
  });

  test("a name that no Platform has is refused", () => {
    expect(() => declared(stackWith(twice), { platform: "uss" })).toThrow(
      "there is no Platform with the name 'uss': did you mean 'us'?",
    );
    const unnamed = stackWith((stack) => void new Platform(stack, "platform"));
    expect(() => declared(unnamed, { platform: "us" })).toThrow(
      "there is no Platform with the name 'us': the Platform of the stack has no name",
    );
  });
});

test("providers of one name and two types have their types in their keys", () => {
  const found = declared(
    stackWith((stack) => {
      new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA });
      provider(stack, "main");
      declare(stack, "capov", "provider", { ...goldens.capov.provider.minimal.declaration, name: "main" });
    }),
  );
  expect(Object.keys(found.providers)).toEqual(["capov/providers/main", "capvs/providers/main"]);
  expect(found.provider("capov/providers/main").type).toBe("capov");
  expect(() => found.provider("main")).toThrow(
    "there is no provider 'main', but capov/providers/main and capvs/providers/main: write one of these",
  );
});

test("no prop of any type has the name of a field that is not a prop", () => {
  const fields = ["type", "platform", "protected", "retained", "adopted", "waitsFor", "request"];
  const object = declared(production(Engine.TERRAFORM_DATA)).cluster("prod");
  expect(Object.keys(object)).toEqual(expect.arrayContaining(fields));
  const props = TYPE_CODES.flatMap((code) =>
    KINDS.flatMap((kind) => Object.keys(definitionOf(objectTypeOf(code, kind).spec).shape)),
  );
  expect(props).toContain("controlPlane");
  expect(props.filter((prop) => fields.includes(prop))).toEqual([]);
});
