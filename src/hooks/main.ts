import { systemClock } from "../model/clock";
import { ClusterPlatformError, ConfigurationError, isOfConfiguration } from "../model/errors";
import { INCOMPLETE_PROGRAM } from "../contract/hook-interpreter";
import type { HookCommand } from "../contract/hook-protocol";
import { thisMachine } from "../host/machine";
import { Redactor } from "../model/redaction";
import { COMMANDS } from "./commands";
import { readSettings } from "./environment";
import { Run } from "./run";
import { watched } from "./signals";

/** How long the process may take to end after its work, in milliseconds. */
const LINGER_MS = 1_000;

async function main(): Promise<void> {
  const redactor = new Redactor();
  const interruption = watched(systemClock);
  // Only Terraform reads our output. If it is gone, a write fails, which must not end a request.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => interruption.terraformIsGone());
  redactor.add(process.env.CLUSTER_PLATFORM_TOKEN?.trim() ?? "");
  // Node would print an error of a timer or an event without hiding secrets.
  process.on("uncaughtException", (error) => {
    process.exitCode = report(error, redactor);
    process.stderr.write("", () => process.exit());
  });
  let run: Run | undefined;
  try {
    const command = Object.hasOwn(COMMANDS, process.argv[2] ?? "") && COMMANDS[process.argv[2] as HookCommand];
    if (!command) {
      throw new ConfigurationError(
        "INVALID_SETTING",
        `unknown hook '${process.argv[2] ?? ""}': the commands are ${Object.keys(COMMANDS).join(", ")}, and Terraform calls them; use terraform apply`,
      );
    }
    const settings = readSettings(process.env);
    run = new Run(process.env, settings, interruption, redactor, thisMachine(), (line) => void process.stdout.write(`${line}\n`));
    await command(run);
  } catch (error) {
    process.exitCode = report(error, redactor, run);
  }
  // Terraform must not wait for an idle connection or a proxy's socket.
  setTimeout(() => process.exit(), LINGER_MS).unref();
  // A client that could not be loaded is reported already.
  await run?.close().catch(() => undefined);
}

function report(error: unknown, redactor: Redactor, run?: Run): number {
  if (error instanceof ClusterPlatformError) {
    process.stderr.write(redactor.redact(`Error: ${run?.messageOf(error) ?? error.message} [${error.code}]\n`));
    return isOfConfiguration(error) ? 2 : 1;
  }
  if (error instanceof Error && (error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") {
    // The other lines list the files that require the missing one.
    const [reason] = error.message.split("\n");
    return report(new ConfigurationError("INVALID_SETTING", `${reason}. ${INCOMPLETE_PROGRAM}`), redactor);
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(redactor.redact(`Error: this is a bug in cdktf-cluster-platform, please report it: ${text}\n`));
  return 1;
}

void main();
