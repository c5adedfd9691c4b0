import type * as z from "zod/mini";
import { singular, type JsonObject, type Kind, type TypeCode } from "../model/provider-type";
import { renderPath, valueAt } from "../util/prop-path";
import { providerNameOf, requestedCluster } from "./bodies";
import { simulatedTypes } from "./types";
import { Refusal, type WrongField } from "./refusal";

/** Refuses the body with all wrong fields. */
export function checkBody(kind: Kind, type: TypeCode, body: unknown, acceptUnknownFields: boolean): JsonObject {
  const wrong = wrongFields(simulatedTypes[type][singular(kind)], body, acceptUnknownFields);
  if (wrong.length === 0) wrong.push(...(kind === "providers" ? providerRules : clusterRules)(body as JsonObject));
  if (wrong.length > 0) throw wrongBody(`a ${type} ${singular(kind)}`, wrong);
  return body as JsonObject;
}

export function wrongBody(what: string, wrong: readonly WrongField[]): Refusal {
  const list = wrong.map(({ field, message }) => (field === "" ? message : `'${field}' ${message}`));
  return new Refusal(400, "INVALID_BODY", `the body is not valid for ${what}: ${list.join("; ")}`, wrong);
}

/** Messages leave the values out, because they may be secrets. */
export function wrongFields(schema: z.ZodMiniType, value: unknown, acceptUnknownFields = false): WrongField[] {
  const parsed = schema.safeParse(value, { error: ruleOf });
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => explain(issue, value, acceptUnknownFields));
}

/** The rule of a schema that states none. It completes `must …`, which the messages of zod do not. */
const ruleOf: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_value":
      return `be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `be at least ${issue.minimum}`;
    case "too_big":
      return `be at most ${issue.maximum}`;
    default:
      return "be valid";
  }
};

function explain(issue: z.core.$ZodIssue, root: unknown, acceptUnknownFields: boolean): WrongField[] {
  const field = renderPath(issue.path);
  if (issue.code === "unrecognized_keys") {
    if (acceptUnknownFields) return [];
    return issue.keys.map((key) => ({ field: renderPath([...issue.path, key]), message: "is not a field of the interface" }));
  }
  const value = valueAt(root, issue.path);
  if (issue.code !== "invalid_type" && value !== undefined) return [{ field, message: `must ${issue.message}` }];
  const rule = issue.code === "invalid_type" ? `be ${TYPES[issue.expected] ?? issue.expected}` : issue.message;
  return [{ field, message: `must ${rule}, but ${nature(value)}` }];
}

const TYPES: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
};

function nature(value: unknown): string {
  if (value === undefined) return "is missing";
  if (value === null) return "is null";
  if (Array.isArray(value)) return "is an array";
  if (typeof value === "number" && !Number.isInteger(value)) return "has a fraction";
  return typeof value === "object" ? "is an object" : `is a ${typeof value}`;
}

/** The schemas allow an empty name, which fits into no path. */
function providerRules(body: JsonObject): WrongField[] {
  if (providerNameOf(body) !== "") return [];
  return [{ field: "identityName" in body ? "identityName" : "name", message: "must not be empty" }];
}

/** Refuses an empty name, and both lists of services together, because the interface does not say which one wins. */
function clusterRules(body: JsonObject): WrongField[] {
  const { clusterName, enabledServices, disabledServices } = requestedCluster(body);
  const wrong: WrongField[] = [];
  if (clusterName === "") wrong.push({ field: "cluster.clusterName", message: "must not be empty" });
  if (enabledServices && disabledServices) {
    wrong.push({ field: "cluster.disabledServices", message: "must not be sent together with 'cluster.enabledServices'" });
  }
  if (!enabledServices && !disabledServices) {
    wrong.push({ field: "cluster.enabledServices", message: "must be sent if 'cluster.disabledServices' is not" });
  }
  return wrong;
}
