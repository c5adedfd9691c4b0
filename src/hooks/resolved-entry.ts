import type { Declared } from "../declarations/declaration";
import type { HookBlock, HookEntry } from "../contract/hook-protocol";
import type { JsonObject } from "../model/provider-type";
import { secretsIn } from "../model/secret-reference";
import type { Redactor } from "../util/redaction";
import { SecretValues } from "../host/secret-values";

export interface ResolvedEntry {
  /** Secrets included. */
  readonly body: JsonObject;
  /** The declaration, flat, without defaults and secrets. */
  readonly declared: Declared;
}

/**
 * Checks an entry with tokens by the same rules as at synth, now with the real values. Secrets are put in last, so that no rule
 * and no message sees one.
 * @throws MISSING_SECRET, INVALID_PROP
 */
export async function resolveEntry(
  block: HookBlock,
  entry: HookEntry,
  env: NodeJS.ProcessEnv,
  redactor: Redactor,
): Promise<ResolvedEntry> {
  const secrets = await resolved(block, entry, env, redactor);
  const { body, declared } = entry.body ? { body: entry.body, declared: entry.triggers } : await ofTokens(block, entry);
  return {
    body: secrets.in(body) as JsonObject,
    declared: Object.fromEntries(Object.entries(declared).map(([field, value]) => [field, String(value)])),
  };
}

/** Only a message needs the props of the secrets, which take long to load. */
async function resolved(block: HookBlock, entry: HookEntry, env: NodeJS.ProcessEnv, redactor: Redactor): Promise<SecretValues> {
  try {
    return SecretValues.resolve(entry.path, secretsIn(entry.body ?? entry.spec), env, redactor);
  } catch {
    const { declaredSecrets } = await import("../synthesized/declaration");
    const uses = declaredSecrets({ ...block, prefix: "", name: "", entry });
    return SecretValues.resolve(entry.path, uses, env, redactor);
  }
}

async function ofTokens({ type, kind }: HookBlock, { path, spec }: HookEntry) {
  const { checked } = await import("./checked-spec");
  return checked(type, kind, path, spec!);
}
