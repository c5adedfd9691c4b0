import type { z } from "zod";
import type { JsonObject, Kind, TypeCode } from "../api/provider-type";
import { renderPath, valueAt } from "../api/rules";
import { providerTypes } from "../api/types";
import { providerNameOf } from "./bodies";
import { Refusal, type WrongField } from "./refusal";

/** Holds a request body against the interface; everything that is wrong is said at once. */
export function checkBody(kind: Kind, type: TypeCode, body: unknown, acceptUnknownFields: boolean): JsonObject {
  const { provider, cluster } = providerTypes[type];
  const parsed = (kind === "providers" ? provider : cluster).wire.safeParse(body);
  const wrong = parsed.success ? [] : parsed.error.issues.flatMap((issue) => explain(issue, body, acceptUnknownFields));
  if (wrong.length === 0) wrong.push(...(kind === "providers" ? unnamed(body) : unclear(body as JsonObject)));
  if (wrong.length > 0) {
    const list = wrong.map(({ field, message }) => (field ? `'${field}' ${message}` : message)).join("; ");
    throw new Refusal(400, "INVALID_BODY", `the body is not that of a ${type} ${kind.slice(0, -1)}: ${list}`, wrong);
  }
  return body as JsonObject;
}

function explain(issue: z.core.$ZodIssue, body: unknown, acceptUnknownFields: boolean): WrongField[] {
  const field = renderPath(issue.path);
  if (issue.code === "unrecognized_keys") {
    if (acceptUnknownFields) return [];
    return issue.keys.map((key) => ({ field: renderPath([...issue.path, key]), message: "is not a field of the interface" }));
  }
  const value = valueAt(body, issue.path);
  if (issue.code === "invalid_type") {
    const got = value === undefined ? "is missing" : `is ${nameOfType(value)}`;
    return [{ field, message: field ? `must be ${ARTICLES[issue.expected] ?? issue.expected}, it ${got}` : `it ${got}` }];
  }
  return [{ field, message: `is wrong: ${issue.message}` }];
}

const ARTICLES: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "a boolean",
  array: "an array",
  object: "an object",
  record: "an object",
};

function nameOfType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function unnamed(body: unknown): WrongField[] {
  if (providerNameOf(body as JsonObject) !== "") return [];
  return [{ field: "identityName" in (body as JsonObject) ? "identityName" : "name", message: "must not be empty" }];
}

/** What the schemas cannot say: a name that no path could hold, and two lists of which the interface takes either. */
function unclear(body: JsonObject): WrongField[] {
  const { clusterName, enabledServices, disabledServices } = body.cluster as JsonObject;
  const wrong: WrongField[] = [];
  if (clusterName === "") wrong.push({ field: "cluster.clusterName", message: "must not be empty" });
  if (enabledServices !== undefined && disabledServices !== undefined) {
    wrong.push({ field: "cluster.disabledServices", message: "must not be sent together with 'cluster.enabledServices'" });
  }
  if (enabledServices === undefined && disabledServices === undefined) {
    wrong.push({ field: "cluster.enabledServices", message: "must be sent, or else 'cluster.disabledServices'" });
  }
  return wrong;
}
