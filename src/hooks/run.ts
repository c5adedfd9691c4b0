import { gunzipSync } from "node:zlib";
import type { PlatformClient } from "../api/client";
import { ConfigurationError } from "../api/errors";
import { HOOK_ENV, type HookBlock, type HookEntry, type HookSettings } from "../api/hook-protocol";
import { keptText } from "../api/kept-text";
import type { Interruption } from "./interruption";
import type { Redactor } from "../api/redaction";

/** What a hook works with: what Terraform handed it, the service, and the person who watches. */
export interface Run {
  readonly env: NodeJS.ProcessEnv;
  readonly settings: HookSettings;
  readonly interruption: Interruption;
  readonly redactor: Redactor;
  /** Made when first asked for: a hook with nothing to do opens no connection and needs no token. */
  client(): PlatformClient;
  /** One line for the person who watches the apply; secrets are hidden. */
  say(line: string): void;
}

/** The variable of that name, which the carrier always sets. */
export function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (value === undefined) {
    throw new ConfigurationError(
      "INVALID_SETTING",
      `${name} is not set: this program is run by Terraform as a hook of a synthesized stack, not by hand`,
    );
  }
  return value;
}

export function readSettings(env: NodeJS.ProcessEnv): HookSettings {
  return JSON.parse(required(env, HOOK_ENV.settings)) as HookSettings;
}

export function readBlock(env: NodeJS.ProcessEnv): HookBlock {
  return JSON.parse(required(env, HOOK_ENV.block)) as HookBlock;
}

export function readEntry(env: NodeJS.ProcessEnv): HookEntry {
  let text = "";
  for (let index = 0; env[`${HOOK_ENV.entry}_${index}`]; index++) text += env[`${HOOK_ENV.entry}_${index}`];
  const entry = inflate(text || required(env, `${HOOK_ENV.entry}_0`)) as HookEntry;
  return { ...entry, body: keptText(entry.body) as HookEntry["body"], spec: keptText(entry.spec) as HookEntry["spec"] };
}

/** What Terraform's base64gzip(jsonencode(…)) made. */
export function inflate(text: string): unknown {
  return JSON.parse(gunzipSync(Buffer.from(text, "base64")).toString("utf8"));
}

/** Seconds as people say them: `45s`, `1m20s`, `2h05m`. */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m`;
}

/** `cluster prod` or `capvs provider vsphere-eu`, as messages call an object. */
export function called({ type, kind }: Pick<HookBlock, "type" | "kind">, name: string): string {
  return kind === "clusters" ? `cluster ${name}` : `${type} provider ${name}`;
}
