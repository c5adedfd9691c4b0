import { TerraformVariable, Testing } from "cdktf";
import { CapvsProvider, Engine, Platform, Secret } from "cdktf-cluster-platform";
import type { Construct } from "constructs";
import { declarationOf } from "../../src/synthesized/declaration";
import { synthesizedObjects, type SynthesizedObject } from "../../src/synthesized/objects";
import { requestBody, withoutDefaults } from "../../src/declarations/declaration";
import { objectTypeOf } from "../../src/declarations/types";
import { KINDS, singular, TYPE_CODES, type JsonObject } from "../../src/model/provider-type";
import { goldens } from "../goldens";
import { cluster, size } from "../support/capvs";
import { declare } from "../support/declare";

const engines = Object.values(Engine);

const examples = TYPE_CODES.flatMap((code) =>
  KINDS.flatMap((kind) =>
    (["minimal", "maximal"] as const).map((which) => ({ code, kind, which, ...goldens[code][singular(kind)][which] })),
  ),
);

/** The only object of a stack. */
function declarationWith(engine: Engine, fill: (stack: Construct) => void) {
  return declarationOf(objectWith(engine, fill));
}

function objectWith(engine: Engine, fill: (stack: Construct) => void): SynthesizedObject {
  const synthesized = Testing.synthScope((stack) => {
    new Platform(stack, "platform", { engine });
    fill(stack);
  });
  return synthesizedObjects(JSON.parse(synthesized))[0]!;
}

/** The order of lists does not matter. */
function unordered(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(unordered).sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, unordered((value as JsonObject)[key])]),
  );
}

describe.each(engines)("%s", (engine) => {
  test.each(examples)("has the $which declaration of $code $kind", ({ code, kind, declaration }) => {
    const { spec, body } = declarationWith(engine, (stack) => void declare(stack, code, singular(kind), declaration));
    const type = objectTypeOf(code, kind);
    const { credentialsVersion: version, ...rest } = withoutDefaults(type, declaration);
    // Terraform has this number as text.
    const expected = version === undefined ? rest : { ...rest, credentialsVersion: String(version) };
    expect(unordered(spec)).toEqual(unordered(expected));
    expect(unordered(body)).toEqual(unordered(requestBody(type, declaration)));
  });
});

test("tokens, overrides, secrets and text beyond ASCII are the same with every engine", () => {
  const [first, ...others] = engines.map((engine) =>
    declarationWith(engine, (stack) => {
      const nodes = new TerraformVariable(stack, "nodes", { type: "number" });
      const password = new TerraformVariable(stack, "password", { type: "string", sensitive: true });
      cluster(stack, "prod", CapvsProvider.fromName("vsphere"), {
        controlPlane: { count: nodes.numberValue, ...size, roles: ["infra", "control-plane"] },
        workers: [
          { group: "pool", count: 2, ...size, roles: ["workers"] },
          { group: "1", count: 2, ...size },
          { group: "default", count: 2, ...size },
        ],
        ingress: "größe-${x}.example.com",
        secure: true,
        bodyOverrides: {
          cluster: { text: "5", number: 5, nothing: null, list: [3, 1], password: Secret.fromToken(password.stringValue) },
        },
      });
    }),
  );
  expect(first!.spec).toEqual({
    name: "prod",
    provider: "vsphere",
    apiEndpoint: expect.any(String),
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/12",
    productVersion: "2.5.0",
    ingress: "größe-${x}.example.com",
    controlPlane: { count: "${var.nodes}", ...size, roles: ["control-plane", "infra"] },
    workers: [
      { group: "1", count: 2, ...size },
      { group: "default", count: 2, ...size },
      { group: "pool", count: 2, ...size },
    ],
    bodyOverrides: {
      cluster: { text: "5", number: 5, nothing: null, list: [3, 1], password: { $secret: { value: "${var.password}" } } },
    },
  });
  for (const other of others) {
    expect(other.spec).toEqual(first!.spec);
    expect(unordered(other.body)).toEqual(unordered(first!.body));
  }
});

test.each(engines)("%s: without tokens, overrides keep their types and secrets", (engine) => {
  const bodyOverrides = {
    cluster: { text: "5", number: 5, nothing: null, list: [3, 1], nested: [{ token: Secret.fromEnv("TOKEN"), yes: true }] },
  };
  const { spec, body } = declarationWith(engine, (stack) => {
    cluster(stack, "prod", CapvsProvider.fromName("vsphere"), { bodyOverrides });
  });
  const expected = { ...bodyOverrides.cluster, nested: [{ token: { $secret: { env: "TOKEN" } }, yes: true }] };
  expect(spec.bodyOverrides).toEqual({ cluster: expected });
  expect(body).toMatchObject({ cluster: expected });
});
