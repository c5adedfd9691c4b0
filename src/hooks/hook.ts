import { INCOMPLETE_PROGRAM } from "../contract/hook-interpreter";
import type { HookCommand } from "../contract/hook-protocol";
import type { Machine } from "../lifecycle/machine";
import { ClusterPlatformError, ConfigurationError, isOfConfiguration } from "../model/errors";
import { visibleLines } from "../util/printable";
import { Redactor } from "../util/redaction";
import { COMMANDS } from "./commands";
import { readSettings } from "./environment";
import type { Interruption } from "./interruption";
import { Run } from "./run";

/** What a hook needs of its process. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly machine: Machine;
  readonly interruption: Interruption;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
}

/** One run of the hook program: its command, its messages and its exit code. */
export class Hook {
  readonly #redactor = new Redactor();
  #run: Run | undefined;

  constructor(private readonly surroundings: Surroundings) {
    this.#redactor.add(surroundings.env.CLUSTER_PLATFORM_TOKEN?.trim() ?? "");
  }

  /** @returns the exit code */
  async run(name = ""): Promise<number> {
    const { env, machine, interruption, print } = this.surroundings;
    try {
      const command = Object.hasOwn(COMMANDS, name) && COMMANDS[name as HookCommand];
      if (!command) {
        throw new ConfigurationError(
          "INVALID_SETTING",
          `unknown hook '${name}': the commands are ${Object.keys(COMMANDS).join(", ")}, and Terraform calls them; use terraform apply`,
        );
      }
      const settings = readSettings(env);
      this.#run = new Run(env, settings, interruption, this.#redactor, machine, (line) => print(`${line}\n`));
      await command(this.#run);
      return 0;
    } catch (error) {
      return this.report(error);
    }
  }

  /** Prints an error. @returns the exit code */
  report(error: unknown): number {
    if (error instanceof ClusterPlatformError) {
      this.#printError(`Error ${this.#run?.messageOf(error) ?? `[${error.code}] ${error.message}`}`);
      return isOfConfiguration(error) ? 2 : 1;
    }
    if (error instanceof Error && (error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") {
      // The other lines list the files that require the missing one.
      const [reason] = error.message.split("\n");
      return this.report(new ConfigurationError("INVALID_SETTING", `${reason}. ${INCOMPLETE_PROGRAM}`));
    }
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#printError(`Error: this is a bug in cdktf-cluster-platform, please report it: ${text}`);
    return 1;
  }

  #printError(text: string): void {
    this.surroundings.printError(`${visibleLines(this.#redactor.redact(text))}\n`);
  }

  /** Ends idle connections. A client that could not be loaded is reported already. */
  async close(): Promise<void> {
    await this.#run?.close().catch(() => undefined);
  }
}
