import { isPlainObject, renderPath } from "../util/prop-path";
import type { JsonObject } from "../model/provider-type";
import type { ObjectType } from "./object-type";
import { renderValue, type Problem } from "./rules";
import { isSecretReference } from "../model/secret-reference";
import { servicesBody } from "./services";

/**
 * The names in Terraform's state must not change, there must be one list of services, and numbers must be exact. Values that are
 * `isOpen` pass.
 */
export function overrideProblems(
  { identity, services }: ObjectType,
  spec: JsonObject,
  isOpen: (value: unknown) => boolean = () => false,
): Problem[] {
  const { bodyOverrides: overrides } = spec;
  if (!isPlainObject(overrides) || isOpen(overrides)) return [];
  const named = identity.flatMap(({ field, prop }) => renamed(overrides, field.split("."), prop, spec, isOpen));
  const { cluster } = overrides;
  const listed = services && isPlainObject(cluster) ? twoServiceLists(cluster, spec.services) : [];
  return [...named, ...listed, ...roundedNumbers(overrides, ["bodyOverrides"], isOpen)];
}

/** JavaScript rounds larger whole numbers. A rounded one looks like any other, so all of them are refused. */
function roundedNumbers(value: unknown, path: readonly PropertyKey[], isOpen: (value: unknown) => boolean): Problem[] {
  if (isOpen(value) || isSecretReference(value)) return [];
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    const message = `'${renderPath(path)}' must be at most 2^53 - 1, because JavaScript rounds larger numbers, got ${renderValue(value)}; if the service takes it, send it as text`;
    return [{ path, message }];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    roundedNumbers(item, [...path, Array.isArray(value) ? Number(key) : key], isOpen),
  );
}

function renamed(
  overrides: unknown,
  field: readonly string[],
  prop: string,
  spec: JsonObject,
  isOpen: (value: unknown) => boolean,
): Problem[] {
  let value = overrides;
  for (const [depth, key] of field.entries()) {
    if (value === undefined || isOpen(value)) return [];
    const path = ["bodyOverrides", ...field.slice(0, depth)];
    if (!isPlainObject(value) || isSecretReference(value)) {
      return [{ path, message: `'${renderPath(path)}' must be an object, got ${renderValue(value)}` }];
    }
    value = value[key];
  }
  if (value === undefined || isOpen(value) || value === spec[prop]) return [];
  const path = ["bodyOverrides", ...field];
  const message =
    prop === "name"
      ? `must be the name ${renderValue(spec.name)}, by which Terraform knows the object, got ${renderValue(value)}; use the prop 'name'`
      : `must be the provider ${renderValue(spec.provider)}, on which the cluster is declared, got ${renderValue(value)}; use the prop 'provider'`;
  return [{ path, message: `'${renderPath(path)}' ${message}` }];
}

function twoServiceLists(cluster: JsonObject, services: unknown): Problem[] {
  const sent = services === undefined ? ["enabledServices"] : Object.keys(servicesBody(services as never));
  const lists = ["enabledServices", "disabledServices"].filter((list) => sent.includes(list) || cluster[list] !== undefined);
  if (lists.length < 2) return [];
  return [
    {
      path: ["bodyOverrides", "cluster"],
      message:
        "'bodyOverrides' must not add a second list of services: the service does not define which of enabledServices and disabledServices wins; use 'services'",
    },
  ];
}
