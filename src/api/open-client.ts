import { PlatformClient } from "./client";
import { credentials } from "./credentials";
import { ConfigurationError } from "../model/errors";
import { Redactor } from "../util/redaction";
import { connection, type Connection, type ConnectionLiterals } from "./connection";
import type { Wire } from "./http/requester";

/** Warnings and the debug log go to stderr. */
export function openClient(
  literals: ConnectionLiterals,
  env: NodeJS.ProcessEnv,
  redactor: Redactor,
  { wire, warnsOfRepeats = false }: { readonly wire?: (connection: Connection) => Wire; readonly warnsOfRepeats?: boolean } = {},
): PlatformClient {
  const write = (line: string) => void process.stderr.write(`${redactor.redact(line)}\n`);
  const target = connection(literals, env);
  target.warnings.forEach((warning) => write(`Warning: ${warning}`));
  return new PlatformClient({
    connection: target,
    credentials: credentials(env, redactor),
    redactor,
    wire: wire?.(target),
    log: isDebug(env.CLUSTER_PLATFORM_LOG) ? write : undefined,
    warn: warnsOfRepeats ? write : undefined,
  });
}

/** For a command, which else says nothing for minutes while a service stops in the middle of its answers. */
export function openCommandClient(literals: ConnectionLiterals, env: NodeJS.ProcessEnv): PlatformClient {
  return openClient(literals, env, new Redactor(), { warnsOfRepeats: true });
}

/** @throws INVALID_SETTING */
function isDebug(given = ""): boolean {
  const level = given.trim();
  if (level === "" || level === "debug") return level !== "";
  throw new ConfigurationError(
    "INVALID_SETTING",
    `environment: 'CLUSTER_PLATFORM_LOG' must be debug, got ${JSON.stringify(given)}`,
  );
}
