import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { refusePrintedEnvironment, withoutReports } from "../host/node-diagnostics";
import { ClusterPlatformError } from "../model/errors";
import { visible } from "../util/printable";
import { FAILED } from "./report/exit-codes";
import { failureText } from "./report/failure-text";
import { refuseIncompleteOptions } from "./report/option-needs";

/** The file of a command is loaded only when the command runs, so that every command starts fast. */
const COMMANDS: Record<string, { readonly does: string; readonly load: () => Promise<{ readonly command: Command }> }> = {
  doctor: { does: "check what an apply needs of the machine and the service", load: () => import("./doctor") },
  drift: { does: "compare the objects that a state declares with the live ones", load: () => import("./drift") },
  get: { does: "show the live providers or clusters", load: () => import("./get") },
  review: {
    does: "show what plans do to each provider and cluster, and check that against a policy",
    load: () => import("./review"),
  },
  simulator: { does: "run the embedded service, to try things and rehearse failures", load: () => import("./simulator") },
};

/** Runs a command, prints a failure, and sets the exit code of the process. */
export async function runCommand(args: readonly string[]): Promise<void> {
  try {
    withoutReports();
    refusePrintedEnvironment();
    await parse(args);
  } catch (error) {
    process.exitCode = report(error);
  }
}

async function parse(args: readonly string[]): Promise<void> {
  const program = new Command("cluster-platform")
    .description("Checks and compares infrastructure providers and clusters that are declared with cdktf-cluster-platform.")
    .version(version())
    .showHelpAfterError("(see cluster-platform --help)")
    .hook("preAction", (_, command) => refuseIncompleteOptions(command));
  const chosen = args[0] === "help" ? args[1] : args[0];
  for (const [name, { does, load }] of Object.entries(COMMANDS)) {
    const command = name === chosen ? (await load()).command : new Command(name);
    program.addCommand(command.description(does).exitOverride().showHelpAfterError(`(see cluster-platform ${name} --help)`));
  }
  await program.exitOverride().parseAsync(args, { from: "user" });
}

function version(): string {
  const manifest = readFileSync(join(__dirname, "../../package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

/** @returns the exit code */
export function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : FAILED;
  if (error instanceof ClusterPlatformError) {
    console.error(visibleLines(`Error ${failureText(error)}`));
  } else {
    console.error(visibleLines(error instanceof Error ? (error.stack ?? error.message) : String(error)));
    console.error("Error: this is a bug in cluster-platform; please report it with the lines above");
  }
  return FAILED;
}

/** A message may quote control characters from input. */
function visibleLines(text: string): string {
  return text
    .split("\n")
    .map((line) => visible(line))
    .join("\n");
}
