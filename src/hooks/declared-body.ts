import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ConfigurationError, InvalidPropError } from "../api/errors";
import type { HookBlock, HookEntry } from "../api/hook-protocol";
import type { JsonObject } from "../api/provider-type";
import { isSecretReference, type SecretReference } from "../api/secret-reference";
import type { Redactor } from "../api/redaction";

/**
 * The request body of an entry. Most were made at synth; one that held tokens then is checked now, by the same rules
 * and with their real values. Secrets are resolved last, so that no rule and no message ever sees one.
 */
export async function declaredBody(
  block: HookBlock,
  entry: HookEntry,
  env: NodeJS.ProcessEnv,
  redactor: Redactor,
): Promise<JsonObject> {
  const body = entry.body ?? (await bodyOfTokens(block, entry));
  return resolveSecrets(body, env, redactor, entry.path) as JsonObject;
}

async function bodyOfTokens({ type, kind }: HookBlock, { path, spec }: HookEntry): Promise<JsonObject> {
  const { checked } = await import("./checked-spec");
  return checked(type, kind, path, spec!);
}

function resolveSecrets(value: unknown, env: NodeJS.ProcessEnv, redactor: Redactor, where: string): unknown {
  if (isSecretReference(value)) {
    const secret = resolve(value, env, where);
    redactor.add(secret);
    return secret;
  }
  if (Array.isArray(value)) return value.map((item) => resolveSecrets(item, env, redactor, where));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveSecrets(item, env, redactor, where)]));
}

function resolve({ $secret }: SecretReference, env: NodeJS.ProcessEnv, where: string): string {
  if ("value" in $secret) {
    if (typeof $secret.value !== "string" || $secret.value === "") {
      throw new InvalidPropError(where, "a secret from a token must be a string that is not empty");
    }
    return $secret.value;
  }
  if ("env" in $secret) {
    const value = env[$secret.env];
    if (!value) {
      throw new ConfigurationError(
        "MISSING_SECRET",
        `${where}: the environment variable ${$secret.env} ${value === undefined ? "is not set" : "is empty"}; nothing was sent. Set it where Terraform runs and apply again`,
      );
    }
    return value;
  }
  const file = $secret.file.startsWith("~/") ? join(homedir(), $secret.file.slice(2)) : $secret.file;
  let text: string;
  try {
    text = readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new ConfigurationError(
      "MISSING_SECRET",
      `${where}: the secret file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}); nothing was sent. Put it where Terraform runs (in ${process.cwd()} for a relative path) and apply again`,
    );
  }
  if (text === "") throw new ConfigurationError("MISSING_SECRET", `${where}: the secret file ${file} is empty; nothing was sent`);
  return text;
}
