import type { HookBlock, HookEntry } from "../api/hook-protocol";
import type { JsonObject } from "../api/provider-type";
import type { Redactor } from "../api/redaction";
import { SecretValues } from "./secret-values";

/**
 * The request body of an entry. Most were made at synth; one that held tokens then is checked now, by the same rules
 * and with their real values. Secrets are put in last, so that no rule and no message ever sees one.
 *
 * @throws MISSING_SECRET, INVALID_PROP
 */
export async function declaredBody(
  block: HookBlock,
  entry: HookEntry,
  env: NodeJS.ProcessEnv,
  redactor: Redactor,
): Promise<JsonObject> {
  const secrets = SecretValues.resolve(entry, env, redactor);
  return secrets.in(entry.body ?? (await bodyOfTokens(block, entry))) as JsonObject;
}

async function bodyOfTokens({ type, kind }: HookBlock, { path, spec }: HookEntry): Promise<JsonObject> {
  const { checked } = await import("./checked-spec");
  return checked(type, kind, path, spec!);
}
