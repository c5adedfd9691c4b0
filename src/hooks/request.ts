import type { HookBlock, HookEntry } from "../contract/hook-protocol";
import { flatDeclaration, requestBody, type FlatDeclaration } from "../declarations/declaration";
import { overrideProblems } from "../declarations/override-rules";
import { asDeclared, problemsOf } from "../declarations/rules";
import { objectTypeOf } from "../declarations/types";
import { SecretValues } from "../host/secret-values";
import { InvalidPropError } from "../model/errors";
import type { JsonObject } from "../model/provider-type";
import { secretsIn } from "../model/secret-reference";
import type { Redactor } from "../util/redaction";

export interface ObjectRequest {
  /** Secrets included. */
  readonly body: JsonObject;
  /** The declaration, flat, without defaults and secrets. */
  readonly declared: FlatDeclaration;
}

/**
 * Checks a declaration by the same rules as at synth, now with the values of its tokens. Secrets are put in last, so that no rule
 * and no message sees one.
 * @throws MISSING_SECRET, INVALID_PROP
 */
export function requestOf(
  { type, kind }: HookBlock,
  { path, spec }: HookEntry,
  env: NodeJS.ProcessEnv,
  redactor: Redactor,
): ObjectRequest {
  const secrets = SecretValues.resolve(path, secretsIn(spec), env, redactor);
  const objectType = objectTypeOf(type, kind);
  // Terraform may give a number or a boolean as text.
  const declared = asDeclared(objectType.spec, withoutNulls(spec)) as JsonObject;
  const problems = [...problemsOf(objectType.spec, declared), ...overrideProblems(objectType, declared)].map(
    ({ message }) => message,
  );
  if (problems.length > 0) {
    throw new InvalidPropError(
      path,
      `${problems.join("; ")}; nothing was sent to create the object. A token gave this value: correct its source and apply again`,
    );
  }
  return {
    body: secrets.in(requestBody(objectType, declared)) as JsonObject,
    declared: flatDeclaration(objectType, declared),
  };
}

/** Drops nulls, because null means "not set" in Terraform. In `bodyOverrides`, null is a value. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, key === "bodyOverrides" ? item : withoutNulls(item)]),
  );
}
