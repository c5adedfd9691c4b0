import { ConfigurationError } from "../model/errors";
import { renderPath } from "../util/prop-path";
import type { Redactor } from "../util/redaction";
import { isSecretReference, type SecretReference, type SecretUse } from "../model/secret-reference";
import { fromEnv, fromFile, type Resolution } from "./secret-source";

/** The values of all secrets of one object. */
export class SecretValues {
  private constructor(private readonly values: ReadonlyMap<string, string>) {}

  /**
   * Adds each value to the redactor before a message can contain it.
   * @param where the construct that declares the secrets, for messages
   * @param state what was not sent, for messages
   * @throws MISSING_SECRET with all secrets that cannot be resolved
   */
  static resolve(
    where: string,
    secrets: readonly SecretUse[],
    env: NodeJS.ProcessEnv,
    redactor: Redactor,
    state = "nothing was sent to create the object",
  ): SecretValues {
    const values = new Map<string, string>();
    const missing: string[] = [];
    for (const { path: field, reference } of secrets) {
      const result = resolve(reference, env);
      if ("problem" in result) {
        missing.push(`  ${renderPath(field)}: ${result.problem}`);
        continue;
      }
      redactor.add(result.value);
      values.set(keyOf(reference), result.value);
    }
    if (missing.length > 0) throw missingSecrets(where, missing, state);
    return new SecretValues(values);
  }

  in(value: unknown): unknown {
    if (isSecretReference(value)) return this.values.get(keyOf(value));
    if (Array.isArray(value)) return value.map((item) => this.in(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.in(item)]));
  }
}

const keyOf = ({ $secret }: SecretReference) => JSON.stringify($secret);

function missingSecrets(where: string, missing: readonly string[], state: string): ConfigurationError {
  const what = missing.length === 1 ? "a secret cannot be resolved" : `${missing.length} secrets cannot be resolved`;
  return new ConfigurationError(
    "MISSING_SECRET",
    `${where}: ${what}; ${state}:\n${missing.join("\n")}\nProvide ${missing.length === 1 ? "it" : "them"} where Terraform runs and apply again`,
  );
}

function resolve({ $secret }: SecretReference, env: NodeJS.ProcessEnv): Resolution {
  if ("env" in $secret) return fromEnv($secret.env, env);
  return "file" in $secret ? fromFile($secret.file) : fromToken($secret.value);
}

/** A token that is null in Terraform arrives as null or as a missing value. */
function fromToken(value: unknown): Resolution {
  if (typeof value === "string" && value !== "") return { value };
  if (value === "" || value === null || value === undefined)
    return { problem: `the token of Secret.fromToken is ${value === "" ? "an empty string" : "null"}` };
  return {
    problem: `the token of Secret.fromToken must be a string, got a ${typeof value}: give its variable the type string`,
  };
}
