import fc from "fast-check";
import { flatten } from "../../src/declarations/declaration";
import { objectTypeOf } from "../../src/declarations/types";
import { DeclarationSchema } from "../../src/declarations/terraform/declaration-schema";
import { KINDS, singular, TYPE_CODES, type JsonObject } from "../../src/model/provider-type";
import { unflatten } from "../../src/declarations/unflatten";
import { ObjectKind } from "../../src/plugin/resources/object-kind";
import type { Attribute, AttributePath, Attributes } from "../../src/terraform/attributes";
import { UNKNOWN, Unknown, type ObjectValue } from "../../src/terraform/value";
import { goldens } from "../goldens";
import { accepted } from "../support/schema";

const table = TYPE_CODES.flatMap((code) =>
  KINDS.map((kind) => ({ code, kind, golden: goldens[code][singular(kind)], object: new ObjectKind(code, kind) })),
);

describe.each(table)("$code $kind", ({ code, kind, golden, object }) => {
  const type = objectTypeOf(code, kind);
  const flat = (declaration: JsonObject) =>
    Object.fromEntries(Object.entries(flatten(type, declaration)).map(([key, value]) => [key, String(value)]));

  test("have no attribute with the name of a common attribute", () => {
    const own = Object.keys(new DeclarationSchema(type).attributes);
    const common = ["deletion_protection", "adopt", "declared_at", "id", "uid", "service", "drift", "kubernetes_versions"];
    expect(own.filter((name) => common.includes(name))).toEqual([]);
  });

  test("declare the same fields in Terraform as in the triggers of hooks, each with a path in Terraform", () => {
    const check = (declaration: JsonObject) => {
      const fields = object.fieldsOf(object.valueOf(declaration));
      expect(fields).toEqual(flat(declaration));
      for (const field of Object.keys(fields))
        expect([field, isPlace(object.attributes, object.pathOf(field))]).toEqual([field, true]);
    };
    check(golden.minimal.declaration);
    check(golden.maximal.declaration);
    fc.assert(
      fc.property(accepted(type.spec), (declaration) => {
        fc.pre(!(declaration as JsonObject).bodyOverrides);
        const value = object.valueOf(declaration as JsonObject);
        expect(object.fieldsOf(value)).toEqual(flat(object.declarationOf(value)));
      }),
      { numRuns: 30 },
    );
  });

  test("have the declared values where the lists show them", () => {
    const { declaration } = golden.maximal;
    const declared = flat(declaration);
    const { count } = (declaration.controlPlane ?? {}) as JsonObject;
    const workers = (declaration.workers ?? []) as JsonObject[];
    const live = {
      ...declaration,
      type: code,
      controlPlaneCount: count,
      workers: new Map(workers.map((worker) => [worker.group, worker.count])),
      kubernetesVersions: ["v1.28.3"],
    };
    const shown = object.declaredOf(object.shownBy(live as never));
    expect(shown).toEqual(Object.fromEntries(Object.keys(shown).map((field) => [field, declared[field]])));
    const expected = kind === "clusters" ? ["provider", "controlPlane.count", "podSubnet", "ingress"] : [];
    expect(Object.keys(shown)).toEqual(expect.arrayContaining(["name", ...expected]));
  });

  test("may be unknown anywhere, and their fields are unknown there", () => {
    const value = object.valueOf(golden.maximal.declaration);
    for (const path of placesIn(value)) {
      const fields = object.fieldsOf(withUnknown(value, path));
      const isSecretPlace = path.some((step) =>
        /password|secret|key|token|username|_wo$|^(env|file|value|value_wo)$/i.test(step),
      );
      if (!isSecretPlace) expect([path, Object.values(fields).some((field) => field instanceof Unknown)]).toEqual([path, true]);
    }
  });
});

test("paths of fields exist in the attributes", () => {
  const cluster = new ObjectKind("capvs", "clusters");
  expect(cluster.pathOf("controlPlane.count")).toEqual(["control_plane", "count"]);
  expect(cluster.pathOf("provider")).toEqual(["provider_name"]);
  expect(cluster.pathOf("workers.gpu.memoryMib")).toEqual(["workers", { key: "gpu" }, "memory_mib"]);
  expect(cluster.pathOf('workers["a.b"].count')).toEqual(["workers", { key: "a.b" }, "count"]);
  expect(cluster.pathOf("services")).toEqual(["services"]);
  expect(cluster.pathOf("bodyOverrides.cluster.x[0]")).toEqual(["body_overrides"]);
  const provider = new ObjectKind("capvs", "providers");
  expect(provider.pathOf('templates["ubuntu-1.28"].kubernetesVersion')).toEqual(["templates", { key: "ubuntu-1.28" }]);
});

test("a choice of no services is restored from its trigger", () => {
  const { declaration } = goldens.capvs.cluster.minimal;
  const cluster = new ObjectKind("capvs", "clusters");
  const withServices = (services: JsonObject) => cluster.valueOf({ ...declaration, services });
  for (const services of [{ enabled: [] }, { disabled: [] }, { preset: "all" }, { disabled: ["product-vip", "product-cd"] }]) {
    const flat = cluster.declaredOf(withServices(services));
    const again = unflatten(objectTypeOf("capvs", "clusters"), flat)!;
    expect(cluster.declaredOf(cluster.valueOf(again))).toEqual(flat);
    expect(again.services).toEqual("disabled" in services ? { disabled: services.disabled!.sort() } : services);
  }
});

function isPlace(attributes: Attributes, [name, ...rest]: AttributePath): boolean {
  const attribute: Attribute | undefined = attributes[name as string];
  if (attribute === undefined) return false;
  const [step, ...deeper] = rest;
  if (step === undefined) return true;
  if (!("nested" in attribute)) return typeof step === "object" && deeper.length === 0;
  const { nesting, attributes: nested } = attribute.nested;
  if (nesting === "single") return typeof step === "string" && isPlace(nested, rest);
  if (nesting === "map" ? typeof step !== "object" : typeof step !== "number") return false;
  return deeper.length === 0 || isPlace(nested, deeper);
}

function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (value === null || typeof value !== "object") return [path];
  const isOpen = Object.getPrototypeOf(value) === Object.prototype;
  const deeper = isOpen
    ? Object.entries(value).flatMap(([key, item]) => (item === null ? [] : placesIn(item, [...path, key])))
    : [];
  return path.length === 0 ? deeper : [path, ...deeper];
}

function withUnknown(value: unknown, [key, ...rest]: readonly string[]): ObjectValue {
  if (key === undefined) return UNKNOWN as never;
  return { ...(value as object), [key]: withUnknown((value as Record<string, unknown>)[key], rest) } as ObjectValue;
}
