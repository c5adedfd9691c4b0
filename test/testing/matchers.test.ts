import { Lazy, Testing } from "cdktf";
import { CapvsProvider, Engine, Platform, Secret, Services } from "cdktf-cluster-platform";
import { declared, matchers, type StackMatchers } from "cdktf-cluster-platform/testing";
import { cluster, provider, size } from "../support/capvs";

declare global {
  namespace jest {
    interface Matchers<R> extends StackMatchers<R> {}
  }
}

expect.extend(matchers);

const stack = Testing.synthScope((scope) => {
  new Platform(scope, "platform", { engine: Engine.PROVIDER, allowDeletion: ["lab"] });
  const vsphere = provider(scope, "vsphere", { credentialsVersion: 2 });
  cluster(scope, "lab", vsphere);
  cluster(scope, "prod", vsphere, {
    services: Services.only("product-vip", "product-backup"),
    controlPlane: { count: 3, ...size, roles: ["infra", "control-plane"] },
    workers: [
      { group: "default", count: 2, ...size },
      { group: "infra", count: 1, ...size },
    ],
    bodyOverrides: { cluster: { list: [{ a: 1 }, { a: 2 }] } },
  });
});

function failure(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("the expectation did not fail");
}

test("a subset of the props passes, in the form of the code", () => {
  expect(stack).toDeclareCluster("prod");
  expect(stack).toDeclareCluster("prod", {
    type: "capvs",
    provider: CapvsProvider.fromName("vsphere"),
    services: Services.only("product-backup", "product-vip"),
    controlPlane: { count: 3, roles: ["control-plane", "infra"], cpus: expect.any(Number) },
    workers: [
      { group: "infra", count: 1 },
      { group: "default", count: 2 },
    ],
    bodyOverrides: { cluster: { list: [{ a: 1 }, { a: 2 }] } },
    waitsFor: ["capvs/providers/vsphere"],
  });
  expect(declared(stack)).toDeclareProvider("vsphere", { password: Secret.fromEnv("VSPHERE_PASSWORD"), credentialsVersion: 2 });
});

test("a prop that the code leaves out has its default", () => {
  expect(stack).toDeclareCluster("lab", { secure: true, services: Services.base(), controlPlane: { group: "control-plane" } });
  expect(stack).toDeclareCluster("prod", { workers: [{ group: "default" }, { group: "infra", roles: ["infra"] }] });
  expect(stack).toDeclareCluster("lab", { bodyOverrides: undefined });
  expect(failure(() => expect(stack).toDeclareCluster("lab", { secure: false }))).toBe(
    "the cluster 'lab' differs:\n  secure: expected false, declared true",
  );
});

test("every difference is reported by the path of its prop", () => {
  const wrong = {
    type: "capov",
    controlPlan: { count: 3 },
    controlPlane: { count: 5, cpus: expect.any(String), roles: ["infra"] },
    workers: [
      { group: "defualt", count: 2 },
      { group: "infra", count: 2 },
    ],
    services: Services.base(),
    productVersion: undefined,
    colour: "red",
    bodyOverrides: { cluster: { list: [{ a: 1 }, { a: 3 }] } },
    podSubnet: { cidr: "10.0.0.0/8" },
    serviceSubnet: ["10.0.0.0/8"],
  };
  expect(failure(() => expect(stack).toDeclareCluster("prod", wrong)).split("\n")).toEqual([
    "the cluster 'prod' differs:",
    `  type: expected "capov", declared "capvs"`,
    `  controlPlan: expected {"count":3}, but it is not declared: did you mean 'controlPlane'?`,
    "  controlPlane.count: expected 5, declared 3",
    "  controlPlane.cpus: expected Any<String>, declared 4",
    `  controlPlane.roles: expected ["infra"], declared ["control-plane","infra"]`,
    "  workers.defualt: is not declared: did you mean 'default'?",
    "  workers.infra.count: expected 2, declared 1",
    "  workers.default: expected nothing, but it is declared",
    `  services.preset: expected "base", but it is not declared`,
    `  productVersion: expected nothing, declared "2.5.0"`,
    `  colour: expected "red", but it is not declared`,
    "  bodyOverrides.cluster.list[1].a: expected 3, declared 2",
    `  podSubnet: expected {"cidr":"10.0.0.0/8"}, declared "10.244.0.0/16"`,
    `  serviceSubnet: expected ["10.0.0.0/8"], declared "10.96.0.0/12"`,
  ]);
  const secret = { password: Secret.fromEnv("OTHER") };
  expect(failure(() => expect(stack).toDeclareProvider("vsphere", secret))).toBe(
    `the provider 'vsphere' differs:\n  password: expected "<secret: environment variable OTHER>", declared "<secret: environment variable VSPHERE_PASSWORD>"`,
  );
  expect(failure(() => expect(stack).toDeclareCluster("prod", { bodyOverrides: { cluster: { list: [{ a: 1 }] } } }))).toContain(
    `bodyOverrides.cluster.list: expected [{"a":1}], declared [{"a":1},{"a":2}]`,
  );
});

test("a name that is not declared fails with the nearest name, and passes after not", () => {
  expect(failure(() => expect(stack).toDeclareCluster("prdo"))).toBe("there is no cluster 'prdo': did you mean 'prod'?");
  expect(failure(() => expect(stack).toDeclareProvider("prod"))).toBe("there is no provider 'prod'; there is 'vsphere'");
  expect(stack).not.toDeclareCluster("prdo");
  expect(stack).not.toDeclareCluster("prod", { secure: false });
  expect(failure(() => expect(stack).not.toDeclareCluster("prod"))).toBe(
    "the stack declares the cluster 'prod', but it should not",
  );
  expect(failure(() => expect(stack).not.toDeclareCluster("prod", { secure: true }))).toBe(
    "the stack declares the cluster 'prod' with these props, but it should not",
  );
});

test("toProtect tells whether an apply refuses the deletion, and refuses a wrong name even after not", () => {
  expect(stack).toProtect("prod");
  expect(stack).toProtect("capvs/clusters/prod");
  expect(stack).not.toProtect("lab");
  expect(stack).not.toProtect("vsphere");
  expect(failure(() => expect(stack).toProtect("lab"))).toBe(
    "the cluster 'lab' is not protected: see deletionProtection and allowDeletion of its Platform",
  );
  expect(failure(() => expect(stack).not.toProtect("prod"))).toBe("the cluster 'prod' is protected, but it should not be");
  expect(failure(() => expect(stack).not.toProtect("prdo"))).toBe("there is no cluster 'prdo': did you mean 'prod'?");
  expect(failure(() => expect(stack).not.toProtect("vspere"))).toBe("there is no provider 'vspere': did you mean 'vsphere'?");
});

test("toProtect refuses a name that is a cluster and a provider", () => {
  const both = Testing.synthScope((scope) => {
    new Platform(scope, "platform", { engine: Engine.TERRAFORM_DATA });
    cluster(scope, "main", provider(scope, "main"));
  });
  expect(failure(() => expect(both).toProtect("main"))).toBe(
    "'main' is a cluster and a provider: write capvs/clusters/main or capvs/providers/main",
  );
  expect(both).not.toProtect("capvs/providers/main");
});

describe.each([Engine.NULL_RESOURCE, Engine.TERRAFORM_DATA, Engine.PROVIDER])("toReplace, on %s", (engine) => {
  const declaring = (prod: object, names = ["prod", "stage"]) =>
    Testing.synthScope((scope) => {
      new Platform(scope, "platform", { engine, deletionProtection: ["prod"] });
      const on = provider(scope, "vsphere");
      for (const name of names) cluster(scope, name, on, name === "prod" ? prod : {});
    });
  const base = declaring({});
  const five = { controlPlane: { count: 5, ...size } };

  test("names all objects that a change of the program replaces, also if that is refused", () => {
    expect(declaring(five)).toReplace(base, ["prod"]);
    expect(declaring(five)).toReplace(JSON.parse(base), ["capvs/clusters/prod"]);
    expect(base).toReplace(base, []);
    expect(declaring({}, ["prod", "stage", "dev"])).toReplace(base, []);
    expect(declaring({}, ["prod"])).toReplace(base, []);
    expect(declaring(five)).not.toReplace(base, []);
    expect(failure(() => expect(declaring(five)).toReplace(base, ["stage"]))).toBe(
      "the change replaces other objects:\n  capvs/clusters/prod is replaced: controlPlane.count 3 → 5\n  stage is not replaced",
    );
    expect(failure(() => expect(base).not.toReplace(base, []))).toBe(
      "the change replaces these objects and no others, but it should not",
    );
  });

  test("counts an object with another expression", () => {
    const withToken = (name: string) => declaring({ podSubnet: Lazy.stringValue({ produce: () => `\${var.${name}}` }) });
    expect(withToken("a")).toReplace(withToken("a"), []);
    expect(failure(() => expect(withToken("b")).toReplace(withToken("a"), []))).toBe(
      "the change replaces other objects:\n  capvs/clusters/prod may be replaced: an expression in podSubnet changes",
    );
  });

  test("refuses the result of declared", () => {
    expect(failure(() => expect(declared(base)).toReplace(base, []))).toBe(
      "toReplace compares stacks: pass the stack itself instead of declared(stack)",
    );
  });
});

test("toReplace says that an object gets another address", () => {
  const named = (name: string) =>
    Testing.synthScope((scope) => {
      new Platform(scope, "platform", { engine: Engine.PROVIDER, name, deletionProtection: false });
      provider(scope, "vsphere");
    });
  expect(failure(() => expect(named("b")).toReplace(named("a"), []))).toBe(
    "the change replaces other objects:\n  capvs/providers/vsphere is replaced: its address changes",
  );
});
