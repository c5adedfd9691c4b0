import { typeOf, type Attribute, type Attributes } from "../../../src/terraform/attributes";
import type { Type } from "../../../src/terraform/type";
import { Dynamic, Unknown, type ObjectValue, type Value } from "../../../src/terraform/value";
import { isPlainObject } from "../../../src/util/prop-path";
import { isEqual } from "./values";

/** What Terraform's package of this name does: it proposes a state to a provider, and checks the provider's answers. */

/** The configuration, with computed attributes from the prior state. No nested attribute of the provider is computed. */
export function proposedNew(attributes: Attributes, prior: ObjectValue | null, config: ObjectValue): ObjectValue {
  const proposed: Record<string, Value> = {};
  for (const name of Object.keys(attributes)) {
    const own = config[name] ?? null;
    proposed[name] = own === null && attributes[name]!.computed ? (prior?.[name] ?? null) : own;
  }
  return proposed;
}

/** How a plan breaks the rules: each value is that of the configuration or of the prior state, or it is computed. */
export function planProblems(
  attributes: Attributes,
  prior: ObjectValue | null,
  config: ObjectValue,
  planned: ObjectValue,
  path = "",
): string[] {
  return Object.keys(attributes).flatMap((name) =>
    attributeProblems(
      attributes[name]!,
      prior?.[name] ?? null,
      config[name] ?? null,
      planned[name] ?? null,
      path === "" ? name : `${path}.${name}`,
    ),
  );
}

function attributeProblems(attribute: Attribute, prior: Value, config: Value, planned: Value, path: string): string[] {
  if (isEqual(planned, config)) return [];
  if (prior !== null && config !== null && isEqual(planned, prior)) return [];
  if (attribute.writeOnly) return planned === null ? [] : [`${path}: planned value for write-only attribute is not null`];
  if (attribute.computed && (!attribute.optional || config === null)) return [];
  if (config === null) return [`${path}: planned value for a non-computed attribute`];
  if (!("nested" in attribute)) return [`${path}: planned value does not match config value nor prior value`];
  if (planned === null) return [`${path}: planned for absence but config wants existence`];
  if (planned instanceof Unknown) return [`${path}: planned unknown for configured value`];
  const { nesting, attributes } = attribute.nested;
  const part = (value: Value, key: string) => ((value as ObjectValue | null)?.[key] ?? null) as ObjectValue | null;
  if (nesting === "single") {
    return planProblems(attributes, prior as ObjectValue | null, config as ObjectValue, planned as ObjectValue, path);
  }
  if (nesting === "set") return [];
  const keys = Object.keys(planned);
  if (!isEqual(keys.sort(), Object.keys(config as object).sort())) return [`${path}: elements in plan disagree with config`];
  return keys.flatMap((key) =>
    planProblems(attributes, part(prior, key), part(config, key)!, part(planned, key)!, `${path}.${key}`),
  );
}

/** How a value is no completion of a planned one. Only unknown values may become others. */
export function completionProblems(attributes: Attributes, planned: ObjectValue, actual: ObjectValue): string[] {
  return incompatible(typeOf(attributes), planned, actual, "");
}

function incompatible(type: Type, planned: Value, actual: Value, path: string): string[] {
  if (planned === actual || planned instanceof Unknown) return [];
  const changed = (what: string) => [`${path}: ${what}`];
  if (actual instanceof Unknown) return changed("was known, but now unknown");
  if (actual === null) return changed(`was ${JSON.stringify(planned)}, but now null`);
  if (planned === null) return changed(`was null, but now ${JSON.stringify(actual)}`);
  if (planned instanceof Dynamic && actual instanceof Dynamic)
    return incompatible(planned.type, planned.value, actual.value, path);
  if (typeof type === "string") {
    // The triggers of terraform_data are an object of any type.
    if (isPlainObject(planned) && isPlainObject(actual) && type !== "dynamic") {
      const types = Object.fromEntries(Object.keys(planned).map((key) => [key, type]));
      return incompatible(["object", types], planned, actual, path);
    }
    return isEqual(planned, actual) ? [] : changed(`was ${JSON.stringify(planned)}, but now ${JSON.stringify(actual)}`);
  }
  const [kind, of] = type;
  const [before, after] = [planned as ObjectValue, actual as ObjectValue];
  if (kind === "set") return isEqual(planned, actual) || hasUnknown(planned) ? [] : changed("elements of the set differ");
  const lost = Object.keys(before).filter((key) => !(key in after));
  const found = Object.keys(after).filter((key) => !(key in before));
  return [
    ...lost.flatMap((key) => changed(`element ${key} has vanished`)),
    ...found.flatMap((key) => changed(`new element ${key} has appeared`)),
    ...Object.keys(before).flatMap((key) => {
      if (!(key in after)) return [];
      const own = kind === "object" || kind === "tuple" ? (of as Readonly<Record<string, Type>>)[key]! : (of as Type);
      return incompatible(own, before[key]!, after[key]!, `${path}.${key}`);
    }),
  ];
}

function hasUnknown(set: Value): boolean {
  return Array.isArray(set) && set.some((item) => item instanceof Unknown);
}
