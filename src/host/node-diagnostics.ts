import { debuglog } from "node:util";
import { ConfigurationError } from "../model/errors";

/** Reports that NODE_OPTIONS asks for would contain the environment, and with it all secrets. */
export function withoutReports({ report } = process): void {
  report.reportOnFatalError = false;
  report.reportOnSignal = false;
  report.reportOnUncaughtException = false;
}

/**
 * With such a NODE_DEBUG, Node prints the environment whenever it starts a process. Terraform's hooks and the launcher of the
 * provider take the variable away.
 * @throws INVALID_SETTING
 */
export function refusePrintedEnvironment(): void {
  if (!debuglog("child_process").enabled) return;
  throw new ConfigurationError(
    "INVALID_SETTING",
    "environment: 'NODE_DEBUG' must not include child_process, because Node would print all secrets of the environment: unset it",
  );
}
