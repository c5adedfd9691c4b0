import { ClusterPlatformError, ConfigurationError } from "../model/errors";
import { INCOMPLETE_PROGRAM } from "../contract/hook-interpreter";
import type { HookCommand } from "../contract/hook-protocol";
import { Redactor } from "../model/redaction";
import { withAdvice } from "./advice";
import { create } from "./create";
import { remove } from "./delete";
import { guardDeletions } from "./deletion-guard";
import { readSettings } from "./environment";
import { Interruption } from "./interruption";
import { checkOrphans } from "./orphan-check";
import { refuse } from "./refuse";
import { Run } from "./run";
import { selfTest } from "./self-test";
import { wait } from "./wait";

/**
 * All commands are in one file, because to find one more file takes longer than to read a command, and an apply starts this
 * program once per object. The large parts, undici and the schemas, are imported on demand.
 */
const commands: Record<HookCommand, (run: Run) => Promise<void>> = {
  create,
  delete: remove,
  wait,
  refuse,
  "deletion-guard": guardDeletions,
  "orphan-check": checkOrphans,
  "self-test": selfTest,
};

/** How long the process may take to end after its work, in milliseconds. */
const LINGER_MS = 1_000;

async function main(): Promise<void> {
  const redactor = new Redactor();
  const interruption = new Interruption().watch();
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
    const command = Object.hasOwn(commands, process.argv[2] ?? "") && commands[process.argv[2] as HookCommand];
    if (!command) {
      throw new ConfigurationError(
        "INVALID_SETTING",
        `unknown hook '${process.argv[2] ?? ""}': the commands are ${Object.keys(commands).join(", ")}, and Terraform calls them; use terraform apply`,
      );
    }
    const settings = readSettings(process.env);
    run = new Run(process.env, settings, interruption, redactor);
    await command(run);
  } catch (error) {
    process.exitCode = report(error, redactor);
  }
  // Terraform must not wait for an idle connection or a proxy's socket.
  setTimeout(() => process.exit(), LINGER_MS).unref();
  // A client that could not be loaded is reported already.
  await run?.close().catch(() => undefined);
}

function report(error: unknown, redactor: Redactor): number {
  if (error instanceof ClusterPlatformError) {
    process.stderr.write(redactor.redact(`Error: ${withAdvice(error)} [${error.code}]\n`));
    return error instanceof ConfigurationError ? 2 : 1;
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
