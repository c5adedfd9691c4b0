import { PlatformClient } from "../api/client";
import { credentials } from "../api/credentials";
import type { HookSettings } from "../api/hook-protocol";
import type { Redactor } from "../api/redaction";
import { connection } from "../api/settings";

/** The client as the stack's literals and the environment of the run have it. */
export function openClient(settings: HookSettings, redactor: Redactor): PlatformClient {
  const write = (line: string) => void process.stderr.write(`${redactor.redact(line)}\n`);
  const target = connection(settings.connection, process.env);
  target.warnings.forEach((warning) => write(`Warning: ${warning}`));
  return new PlatformClient({
    connection: target,
    credentials: credentials(process.env),
    redactor,
    log: process.env.CLUSTER_PLATFORM_LOG === "debug" ? write : undefined,
  });
}
