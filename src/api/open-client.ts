import { PlatformClient } from "./client";
import { credentials } from "./credentials";
import { ConfigurationError } from "../model/errors";
import type { Redactor } from "../model/redaction";
import { connection, type Connection, type ConnectionLiterals } from "./connection";
import type { Wire } from "./http/requester";

/** Warnings and the debug log go to stderr. */
export function openClient(
  literals: ConnectionLiterals,
  env: NodeJS.ProcessEnv,
  redactor: Redactor,
  wire?: (connection: Connection) => Wire,
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
  });
}

/** @throws INVALID_SETTING */
function isDebug(level = ""): boolean {
  if (level === "" || level === "debug") return level !== "";
  throw new ConfigurationError(
    "INVALID_SETTING",
    `environment: 'CLUSTER_PLATFORM_LOG' must be debug, got ${JSON.stringify(level)}`,
  );
}
