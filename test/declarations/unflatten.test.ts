import { flatten } from "../../src/declarations/declaration";
import { objectTypeOf } from "../../src/declarations/types";
import { unflatten } from "../../src/declarations/unflatten";
import type { JsonObject } from "../../src/model/provider-type";

const provider = objectTypeOf("capvs", "providers");

/** `review` reads plans that an attacker may have written. */
test("a name __proto__ is an element like any other, and changes no other object", () => {
  const templates = [{ template: "__proto__", kubernetesVersion: "v1.28.3" }];
  const declared = flatten(provider, { name: "vsphere", templates }) as Record<string, string>;
  expect(Object.keys(declared).join()).toContain("__proto__");
  const spec = unflatten(provider, declared) as JsonObject;
  expect(spec.templates).toEqual(templates);
  expect("kubernetesVersion" in {}).toBe(false);
});
