import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { flatten, requestBody } from "../../src/declarations/declaration";
import type { ObjectType } from "../../src/declarations/object-type";
import { problemsOf as brokenRules } from "../../src/declarations/rules";
import { objectTypeOf, providerTypes } from "../../src/declarations/types";
import { KINDS, singular, TYPE_CODES, type JsonObject } from "../../src/model/provider-type";
import { DeclarationSchema } from "../../src/declarations/terraform/declaration-schema";
import { typeOf, type Attribute, type Attributes } from "../../src/terraform/attributes";
import { storedResponses } from "../../src/plugin/stored-responses";
import { decodeObject, encode } from "../../src/plugin/values/codec";
import { isSame, UNKNOWN, type ObjectValue, type Value } from "../../src/terraform/value";
import { goldens } from "../goldens";
import { at, setAt } from "../support/paths";
import { accepted } from "../support/schema";

const table = TYPE_CODES.flatMap((code) =>
  KINDS.map((kind) => {
    const type = objectTypeOf(code, kind);
    return { code, kind, type, schema: new DeclarationSchema(type), golden: goldens[code][singular(kind)] };
  }),
);

test("the built provider has the schemas of these sources in files", () => {
  for (const [file, response] of Object.entries(storedResponses()))
    expect(readFileSync(join("dist/plugin", file)).equals(response)).toBe(true);
});

describe.each(table)("$code $kind", ({ type, schema, golden }) => {
  test("convert a declaration to Terraform's form and back", () => {
    for (const { declaration } of [golden.minimal, golden.maximal]) roundTrip(type, schema, declaration);
    fc.assert(
      fc.property(accepted(type.spec), (declaration) => {
        fc.pre(!hasTemplateTwice(declaration as JsonObject));
        roundTrip(type, schema, declaration as JsonObject);
      }),
      { numRuns: 50 },
    );
  });

  test("have only null for undeclared props", () => {
    const value = schema.valueOf(golden.minimal.declaration);
    const declared = Object.keys(value).filter((name) => value[name] !== null);
    expect(declared).toHaveLength(Object.keys(golden.minimal.declaration).length);
  });

  test("accept the goldens, and report a broken rule with its path in Terraform", () => {
    for (const { declaration } of [golden.minimal, golden.maximal])
      expect(schema.problems(schema.valueOf(declaration))).toEqual([]);
    const problems = golden.rejected.flatMap(([prop, wrong, rest]) => {
      const config = expressible(schema, setAt(golden.maximal.declaration, prop, wrong) as JsonObject);
      // Terraform itself refuses values of the wrong type.
      if (config === undefined || !isDeepStrictEqual(at(schema.declarationOf(config), prop), wrong)) return [];
      return [{ prop, rest, found: schema.problems(config) }];
    });
    expect(problems.length).toBeGreaterThan(golden.rejected.length / 3);
    for (const { prop, rest, found } of problems) {
      expect(found.map(({ summary }) => summary).join()).toContain(`must ${rest}`);
      for (const { path } of found) expect([prop, isAttribute(schema.attributes, path!)]).toEqual([prop, true]);
    }
  });

  test("accept unknown values", () => {
    const value = schema.valueOf(golden.maximal.declaration);
    for (const path of leaves(value)) {
      expect(schema.problems(setAt(value, path as string[], UNKNOWN) as ObjectValue)).toEqual([]);
    }
  });

  test("use no reserved name of Terraform", () => {
    const reserved = ["connection", "count", "depends_on", "for_each", "lifecycle", "provider", "provisioner", "id"];
    expect(Object.keys(schema.attributes).filter((name) => reserved.includes(name))).toEqual([]);
    for (const name of namesIn(schema.attributes)) expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
  });

  test("keep the values of secrets out of states", () => {
    const kept = JSON.stringify(
      keptIn(schema.attributes, schema.valueOf(withSecretValues(golden.maximal.declaration) as JsonObject)),
    );
    expect(kept).not.toContain("s3cret");
  });
});

test("a cluster of capvs has these attributes", () => {
  const outline = outlineOf(new DeclarationSchema(providerTypes.capvs.cluster).attributes);
  const size = { count: "number!", cpus: "number!", disk_gib: "number!", memory_mib: "number!" };
  expect(outline).toEqual({
    name: "string!",
    provider_name: "string!",
    api_endpoint: "string!",
    pod_subnet: "string!",
    service_subnet: "string!",
    product_version: "string!",
    kubernetes_version: "string",
    services: { single: { preset: "string", enabled: "set of string", disabled: "set of string" } },
    ingress: "string",
    ingress_vip: "string",
    external_api_load_balancer: "bool",
    external_ingress_load_balancer: "bool",
    secure: "bool",
    enable_csi: "bool",
    body_overrides: "dynamic",
    body_overrides_wo: "dynamic (write-only)",
    control_plane: { "single!": { ...size, group: "string", roles: "set of string" } },
    workers: { "map!": { ...size, roles: "set of string" } },
  });
});

test("lists of named objects, secrets, labels and choices have these attributes", () => {
  const place = { env: "string", file: "string", value_wo: "string (write-only)" };
  const capsmv2 = outlineOf(new DeclarationSchema(providerTypes.capsmv2.provider).attributes);
  expect(capsmv2).toMatchObject({
    ssh_username: { "single!": { value: "string", ...place } },
    ssh_private_key: { "single!": place },
    hosts: {
      "map!": {
        labels: "map of string",
        ssh: { single: { username: { "single!": { value: "string", ...place } }, private_key: { "single!": place } } },
      },
    },
  });
  expect(outlineOf(new DeclarationSchema(providerTypes.capsmv2.cluster).attributes)).toMatchObject({
    control_plane: {
      "single!": {
        selector: {
          "single!": {
            match_labels: "map of string",
            match_expressions: { list: { key: "string!", operator: "string!", values: "set of string" } },
          },
        },
      },
    },
  });
  expect(outlineOf(new DeclarationSchema(providerTypes.capos.provider).attributes)).toMatchObject({
    templates: "map of string!",
    managed_security_groups: "string",
    credentials_version: "string",
    flavors: "set of string!",
  });
});

describe("problems of a configuration", () => {
  const schema = new DeclarationSchema(providerTypes.capvs.cluster);
  const { declaration } = goldens.capvs.cluster.minimal;
  const problemsOf = (changes: JsonObject) =>
    schema.problems(schema.valueOf({ ...declaration, ...changes })).map(({ summary, path }) => [summary, path]);

  test.each<[what: string, changes: JsonObject, summary: string, path: unknown[]]>([
    [
      "in an element of a map",
      { workers: [{ group: "a b", count: -1, diskGib: 1, memoryMib: 1, cpus: 1 }] },
      `'workers["a b"].count' must be a whole number of nodes, at least 0, got -1`,
      ["workers", { key: "a b" }, "count"],
    ],
    [
      "in a nested object",
      { controlPlane: { ...(declaration.controlPlane as object), cpus: 1.5 } },
      "'control_plane.cpus' must be a whole number of CPUs, at least 1, got 1.5",
      ["control_plane", "cpus"],
    ],
    [
      "between attributes",
      { podSubnet: "10.0.0.0/8", serviceSubnet: "10.1.0.0/16" },
      "'pod_subnet' must not overlap 'service_subnet' (10.1.0.0/16), got \"10.0.0.0/8\"",
      ["pod_subnet"],
    ],
    [
      "in the body overrides",
      { bodyOverrides: { cluster: { clusterName: "other" } } },
      `'body_overrides' must be the name "vs-prod", by which Terraform knows the object, got "other"; use the prop 'name'`,
      ["body_overrides"],
    ],
  ])("are reported %s", (_, changes, summary, path) => {
    expect(problemsOf(changes)).toContainEqual([summary, path]);
  });

  test("a null element is one problem, and its fields are none", () => {
    const workers = { default: null };
    expect(schema.problems({ ...schema.valueOf(declaration), workers })).toEqual([
      {
        severity: "error",
        summary: `'workers["default"]' must be an object, got null; to leave it out, remove its key`,
        path: ["workers", { key: "default" }],
      },
    ]);
    const hosts = new DeclarationSchema(providerTypes.capsmv2.provider);
    const value = hosts.valueOf(goldens.capsmv2.provider.minimal.declaration);
    expect(hosts.problems({ ...value, hosts: { "10.0.0.1": null } }).map(({ summary }) => summary)).toEqual([
      `'hosts["10.0.0.1"]' must be an object, got null; to leave it out, remove its key`,
    ]);
  });

  test("a secret has exactly one source", () => {
    const provider = new DeclarationSchema(providerTypes.capvs.provider);
    const value = provider.valueOf(goldens.capvs.provider.minimal.declaration);
    const withPassword = (password: ObjectValue) => provider.problems({ ...value, password }).map(({ summary }) => summary);
    expect(withPassword({ env: "A", file: "b", value_wo: null })).toEqual([
      "'password' must have exactly one of env, file and value_wo, got env and file",
    ]);
    expect(withPassword({ env: null, file: null, value_wo: null })).toEqual([
      "'password' must have exactly one of env, file and value_wo, got none",
    ]);
    expect(withPassword({ env: null, file: null, value_wo: UNKNOWN })).toEqual([]);
  });
});

test("secrets in body overrides are write-only", () => {
  const schema = new DeclarationSchema(providerTypes.capvs.cluster);
  const hidden = { $secret: { value: "s3cret" } };
  const place = { $secret: { value: null } };
  const bodyOverrides = {
    cluster: { a: 1, token: hidden, list: [hidden], env: { $secret: { env: "E" } } },
    provider: { b: null },
  };
  const declaration = { ...goldens.capvs.cluster.minimal.declaration, bodyOverrides };
  const value = schema.valueOf(declaration);
  expect(JSON.stringify(value.body_overrides)).not.toContain("s3cret");
  expect(schema.declarationOf(value)).toEqual(declaration);
  expect(schema.declarationOf({ ...value, body_overrides_wo: null }).bodyOverrides).toEqual({
    cluster: { a: 1, token: place, list: [place], env: { $secret: { env: "E" } } },
    provider: { b: null },
  });
});

/** Converts a declaration to Terraform's form, over the wire, and back. */
function roundTrip(type: ObjectType, schema: DeclarationSchema, declaration: JsonObject): void {
  const terraformType = typeOf(schema.attributes);
  const value = decodeObject(terraformType, encode(terraformType, schema.valueOf(declaration)))!;
  const back = schema.declarationOf(value);
  expect(brokenRules(type.spec, back)).toEqual([]);
  expect(asText(flatten(type, back))).toEqual(asText(flatten(type, declaration)));
  expect(unordered(requestBody(type, back))).toEqual(unordered(requestBody(type, declaration)));
  expect(isSame(terraformType, schema.valueOf(back), value)).toBe(true);
}

const asText = (declared: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(declared).map(([key, value]) => [key, String(value)]));

function unordered(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(unordered).sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unordered(item)]));
}

function hasTemplateTwice({ templates = [] }: { templates?: unknown }): boolean {
  const names = (templates as JsonObject[]).map(({ template }) => template);
  return new Set(names).size < names.length;
}

/** Terraform's value of a declaration that may be invalid, or undefined if Terraform cannot express it. */
function expressible(schema: DeclarationSchema, declaration: JsonObject): ObjectValue | undefined {
  try {
    const type = typeOf(schema.attributes);
    return decodeObject(type, encode(type, schema.valueOf(declaration)))!;
  } catch {
    return undefined;
  }
}

function isAttribute(attributes: Attributes, [name, ...rest]: readonly unknown[]): boolean {
  const attribute = attributes[name as string];
  if (attribute === undefined || !("nested" in attribute)) return attribute !== undefined;
  const inner = typeof rest[0] === "string" ? rest : rest.slice(1);
  return inner.length === 0 || isAttribute(attribute.nested.attributes, inner);
}

function leaves(value: Value, path: string[] = []): string[][] {
  if (value === null) return [];
  const inner = typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype ? Object.entries(value) : [];
  return [...(path.length > 0 ? [path] : []), ...inner.flatMap(([key, item]) => leaves(item as Value, [...path, key]))];
}

function namesIn(attributes: Attributes): string[] {
  return Object.entries(attributes).flatMap(([name, attribute]) => [
    name,
    ...("nested" in attribute ? namesIn(attribute.nested.attributes) : []),
  ]);
}

type Outline = string | { [name: string]: Outline };

function outlineOf(attributes: Attributes): { [name: string]: Outline } {
  const outline = (attribute: Attribute): Outline => {
    const mark = attribute.required ? "!" : "";
    if ("nested" in attribute) return { [`${attribute.nested.nesting}${mark}`]: outlineOf(attribute.nested.attributes) };
    const type = Array.isArray(attribute.type)
      ? `${String(attribute.type[0])} of ${String(attribute.type[1])}`
      : String(attribute.type);
    return `${type}${mark}${attribute.writeOnly ? " (write-only)" : ""}`;
  };
  return Object.fromEntries(Object.entries(attributes).map(([name, attribute]) => [name, outline(attribute)]));
}

function withSecretValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSecretValues);
  if (typeof value !== "object" || value === null) return value;
  if ("$secret" in value) return { $secret: { value: "s3cret" } };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withSecretValues(item)]));
}

function keptIn(attributes: Attributes, value: Value): unknown {
  if (value === null || typeof value !== "object") return value;
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    const own = (value as ObjectValue)[name] ?? null;
    if (attribute.writeOnly || own === null) return [];
    if (!("nested" in attribute)) return [own];
    const { nesting, attributes: nested } = attribute.nested;
    return nesting === "single" ? [keptIn(nested, own)] : Object.values(own).map((item) => keptIn(nested, item as Value));
  });
}
