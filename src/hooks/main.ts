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
 * All of them in one file: an apply starts this program once per object, and a file more takes longer to find than a
 * command to read. What is large, undici and the schemas, is imported where it is needed.
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

/** How long after its work a process may take to end, in milliseconds. */
const LINGER_MS = 1_000;

async function main(): Promise<void> {
  const redactor = new Redactor();
  const interruption = new Interruption().watch();
  // Only Terraform reads our output. What is under way must not die of its end.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => interruption.terraformIsGone());
  redactor.add(process.env.CLUSTER_PLATFORM_TOKEN?.trim() ?? "");
  // Node would print what escapes from a timer or an event as it is, with the secrets that it may hold.
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
  // An idle connection or a proxy's socket must not keep Terraform waiting.
  setTimeout(() => process.exit(), LINGER_MS).unref();
  // If the client could not be loaded, that is reported already.
  await run?.close().catch(() => undefined);
}

function report(error: unknown, redactor: Redactor): number {
  if (error instanceof ClusterPlatformError) {
    process.stderr.write(redactor.redact(`Error: ${withAdvice(error)} [${error.code}]\n`));
    return error instanceof ConfigurationError ? 2 : 1;
  }
  if (error instanceof Error && (error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") {
    // The lines after the first are where Node was looking from.
    const [reason] = error.message.split("\n");
    return report(new ConfigurationError("INVALID_SETTING", `${reason}. ${INCOMPLETE_PROGRAM}`), redactor);
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(redactor.redact(`Error: this is a defect of cdktf-cluster-platform, please report it: ${text}\n`));
  return 1;
}

void main();
