import fc from "fast-check";
import { flatten, requestBody } from "../../src/declarations/declaration";
import { KINDS, listedAs, TYPE_CODES, type JsonObject } from "../../src/model/provider-type";
import type { ObjectType } from "../../src/declarations/object-type";
import { valueAt } from "../../src/util/prop-path";
import { problemsOf } from "../../src/declarations/rules";
import { isSecretReference } from "../../src/model/secret-reference";
import { providerTypes } from "../../src/declarations/types";
import { simulatedTypes } from "../../src/simulator/types";
import { goldens } from "../goldens";
import { valueOf } from "../goldens/golden";
import { parsePath, setAt } from "../support/paths";
import { accepted, propPaths } from "../support/schema";

const table = TYPE_CODES.flatMap((code) =>
  KINDS.map((kind) => {
    const key = kind === "providers" ? "provider" : "cluster";
    return { code, kind, type: providerTypes[code][key], golden: goldens[code][key], request: simulatedTypes[code][key] };
  }),
);

describe.each(table)("$code $kind", ({ type, golden, request }) => {
  test("send a minimal declaration with every default of the interface filled in", () => {
    expect(bodyOf(type, golden.minimal.declaration)).toEqual(golden.minimal.body);
  });

  test("send every prop of a maximal declaration in its wire field, overrides last", () => {
    expect(bodyOf(type, golden.maximal.declaration)).toEqual(golden.maximal.body);
  });

  test("accept the declarations, and send bodies in the interface's format", () => {
    const { bodyOverrides: _, ...maximal } = golden.maximal.declaration;
    for (const declaration of [golden.minimal.declaration, maximal]) {
      expect(problemsOf(type.spec, declaration)).toEqual([]);
      expect(problemsOf(request, bodyOf(type, declaration))).toEqual([]);
    }
  });

  test("have every prop in the maximal declaration and in the table of rejections", () => {
    const paths = propPaths(type.spec);
    const unset = paths.filter((path) => everywhere(golden.maximal.declaration, path).every((value) => value === undefined));
    expect(unset).toEqual([]);
    const rejected = new Set(golden.rejected.map(([path]) => group(path)));
    expect(paths.filter((path) => !rejected.has(group(path)))).toEqual([]);
  });

  test("keep the declaration in the state, under these keys", () => {
    expect(flatten(type, golden.maximal.declaration)).toEqual(golden.declared);
  });

  test("keep nothing in the state for declared defaults", () => {
    const { bodyOverrides: _, ...declaration } = golden.minimal.declaration;
    const spelledOut = withDefaults(declaration, type.defaults(declaration));
    expect(flatten(type, spelledOut)).toEqual(flatten(type, declaration));
    expect(bodyOf(type, spelledOut)).toEqual(golden.minimal.body);
  });

  test.each(golden.rejected)("reject %s of %j", (path, value, rest) => {
    const broken = setAt(golden.maximal.declaration, path, value);
    expect(problemsOf(type.spec, broken).map(({ message }) => message)).toContain(`'${path}' must ${rest}`);
  });

  test("reject an unknown prop, by its path", () => {
    const broken = { ...golden.maximal.declaration, colour: "red" };
    expect(problemsOf(type.spec, broken).map(({ message }) => message)).toEqual(["'colour' is not a prop here"]);
  });

  test("send every accepted declaration in the interface's format", () => {
    fc.assert(
      fc.property(accepted(type.spec), (declaration) => {
        expect(problemsOf(request, bodyOf(type, declaration as JsonObject))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

test("clusters of capsmv2 are listed under another code than their own, and clusters of other types under their own", () => {
  const listed = Object.fromEntries(TYPE_CODES.map((code) => [code, listedAs(code)]));
  expect(listed).toEqual({ ...Object.fromEntries(TYPE_CODES.map((code) => [code, code])), capsmv2: "productv2" });
});

test.each([
  [
    "a worker group that is declared twice, whatever else is wrong",
    ({ workers }: JsonObject) => ({ workers: [...(workers as unknown[]), { ...(workers as object[])[0], count: -1 }] }),
    "'workers[2].count' must be a whole number of nodes, at least 0, got -1",
    `'workers[2].group' must be unique, but 'workers[0]' has it too, got "default"`,
  ],
  [
    "networks that overlap, whatever else is wrong",
    () => ({ serviceSubnet: "10.244.128.0/20", ingress: 1 }),
    "'ingress' must be a string, got 1",
    `'podSubnet' must not overlap 'serviceSubnet' (10.244.128.0/20), got "10.244.0.0/16"`,
  ],
  [
    "a service without the prefix of all services",
    () => ({ services: { enabled: ["product-vip", "backup"] } }),
    `'services.enabled[1]' must be the name of a platform service, which begins with product-, got "backup"`,
  ],
])("clusters reject %s", (_, change, ...messages) => {
  const { declaration } = goldens.capvs.cluster.minimal;
  const broken = { ...declaration, ...change(declaration) };
  expect(problemsOf(providerTypes.capvs.cluster.spec, broken).map((problem) => problem.message)).toEqual(messages);
});

/** All secrets are resolved, as in a hook. */
function bodyOf(type: ObjectType, declaration: JsonObject): unknown {
  return resolveSecrets(requestBody(type, declaration));
}

function resolveSecrets(value: unknown): unknown {
  if (isSecretReference(value)) {
    return "env" in value.$secret ? valueOf(value.$secret.env) : "value" in value.$secret ? value.$secret.value : "";
  }
  if (Array.isArray(value)) return value.map(resolveSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveSecrets(item)]));
}

/** The values at a path. An index in the path stands for all elements. */
function everywhere(root: unknown, path: string): unknown[] {
  return parsePath(path).reduce<unknown[]>(
    (values, key) =>
      typeof key === "number" ? values.flatMap((value) => value ?? []) : values.map((value) => valueAt(value, [key])),
    [root],
  );
}

/** A rejection may concern any element of a list. */
function group(path: string): string {
  return path.replace(/\[\d+\]/g, "[]");
}

function withDefaults(declared: unknown, defaults: unknown): JsonObject {
  if (declared === undefined) return defaults as JsonObject;
  if (Array.isArray(declared) && Array.isArray(defaults)) {
    return declared.map((item, index) => withDefaults(item, defaults[index])) as unknown as JsonObject;
  }
  if (typeof declared !== "object" || typeof defaults !== "object") return declared as JsonObject;
  const keys = [...new Set([...Object.keys(declared as object), ...Object.keys(defaults as object)])];
  return Object.fromEntries(keys.map((key) => [key, withDefaults(valueAt(declared, [key]), valueAt(defaults, [key]))]));
}
