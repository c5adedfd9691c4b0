import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { ConfigurationError } from "../api/errors";
import type { HookEntry } from "../api/hook-protocol";
import { renderPath } from "../api/prop-path";
import type { Redactor } from "../api/redaction";
import { isSecretReference, secretsIn, type SecretReference } from "../api/secret-reference";

/** Far above any key or document; what is larger is not a secret but the wrong file. */
const FILE_LIMIT_BYTES = 1024 * 1024;

/** The values of the secrets of one object. */
export class SecretValues {
  private constructor(private readonly values: ReadonlyMap<string, string>) {}

  /**
   * Resolves every secret of an entry. The redactor learns them before anything else can go wrong, and print them.
   *
   * @throws MISSING_SECRET, all that cannot be resolved at once
   */
  static resolve({ path, body, spec }: HookEntry, env: NodeJS.ProcessEnv, redactor: Redactor): SecretValues {
    const values = new Map<string, string>();
    const missing: string[] = [];
    for (const { path: field, reference } of secretsIn(body ?? spec)) {
      const result = resolve(reference, env);
      if ("lack" in result) {
        missing.push(`  ${renderPath(field)}: ${result.lack}`);
        continue;
      }
      redactor.add(result.value);
      values.set(keyOf(reference), result.value);
    }
    if (missing.length > 0) throw missingSecrets(path, missing);
    return new SecretValues(values);
  }

  /** `value` with every reference replaced by what it stands for. */
  in(value: unknown): unknown {
    if (isSecretReference(value)) return this.values.get(keyOf(value));
    if (Array.isArray(value)) return value.map((item) => this.in(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.in(item)]));
  }
}

const keyOf = ({ $secret }: SecretReference) => JSON.stringify($secret);

function missingSecrets(where: string, missing: readonly string[]): ConfigurationError {
  const what = missing.length === 1 ? "a secret cannot be resolved" : `${missing.length} secrets cannot be resolved`;
  return new ConfigurationError(
    "MISSING_SECRET",
    `${where}: ${what}; nothing was sent:\n${missing.join("\n")}\nProvide ${missing.length === 1 ? "it" : "them"} where Terraform runs and apply again`,
  );
}

type Resolution = { readonly value: string } | { readonly lack: string };

function resolve({ $secret }: SecretReference, env: NodeJS.ProcessEnv): Resolution {
  if ("env" in $secret) return fromEnv($secret.env, env);
  return "file" in $secret ? fromFile($secret.file) : fromToken($secret.value);
}

function fromEnv(name: string, env: NodeJS.ProcessEnv): Resolution {
  const value = env[name];
  if (value) return { value };
  return { lack: `the environment variable ${name} ${value === undefined ? "is not set" : "is empty"}` };
}

function fromFile(path: string): Resolution {
  const file = path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
  const lack = (what: string) => ({ lack: `the file ${file}${isAbsolute(file) ? "" : ` (in ${process.cwd()})`} ${what}` });
  let bytes: Buffer;
  try {
    const found = statSync(file);
    // A pipe or a device could keep the hook for ever.
    if (!found.isFile()) return lack(found.isDirectory() ? "is a folder" : "is not a regular file");
    if (found.size > FILE_LIMIT_BYTES) return lack("is larger than 1 MiB");
    bytes = readFileSync(file);
  } catch (error) {
    return lack(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return lack("is not UTF-8 text");
  }
  const value = text.replace(/\r?\n$/, "");
  return value === "" ? lack("is empty") : { value };
}

/** Terraform knows no difference between a value that is missing and null. */
function fromToken(value: unknown): Resolution {
  if (typeof value === "string" && value !== "") return { value };
  if (value === "" || value === null || value === undefined)
    return { lack: `the token of Secret.fromToken came to ${value === "" ? "an empty string" : "null"}` };
  return {
    lack: `the token of Secret.fromToken must come to a string, got a ${typeof value}: give its variable the type string`,
  };
}
