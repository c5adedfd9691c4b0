import type { HookCommand } from "../../src/contract/hook-protocol";
import { COMMANDS } from "../../src/hooks/commands";
import { readSettings } from "../../src/hooks/environment";
import { Interruption } from "../../src/hooks/interruption";
import { Run } from "../../src/hooks/run";
import type { Machine, NotesFolder } from "../../src/lifecycle/machine";
import type { Remedy } from "../../src/lifecycle/remedy";
import { remediesOf } from "../../src/lifecycle/remedies-of";
import { ClusterPlatformError } from "../../src/model/errors";
import { Redactor } from "../../src/util/redaction";
import { Process, type Computer, type Effect, type Kernel, type TimedCall } from "./kernel";
import type { Actor, Service } from "./service";

export interface World {
  readonly kernel: Kernel;
  /** By URL. */
  readonly services: ReadonlyMap<string, Service>;
  /** Whether runs are OpenTofu's. @default false, so they are Terraform's */
  readonly isOpenTofu?: boolean;
}

export interface Ended {
  readonly exitCode: number;
  readonly lines: readonly string[];
  readonly error?: string;
  readonly code?: string;
  readonly remedies?: readonly Remedy[];
}

/** How long a process takes to start, in milliseconds. */
const START_MS = [40, 100] as const;
const PARENT_CHECK_MS = 250;

/** The machine of a process of the world. */
export function machineOf({ kernel, services }: World, process: Process, actor: Actor): Machine {
  return {
    clock: kernel.clockOf(process.computer),
    notes: notesOf(kernel, process),
    run: String(actor.run),
    newId: () => kernel.newId(),
    wire: (connection) => {
      const service = services.get(connection.url);
      if (!service) throw new Error(`the world has no service at ${connection.url}`);
      return service.wireOf(process, actor, connection);
    },
  };
}

/** The notes of a computer, to read. */
export function notesIn({ files }: Pick<Computer, "files">): NotesFolder {
  const changing = () => {
    throw new Error("only a process writes notes");
  };
  return {
    path: ".cluster-platform",
    read: (file) => files.get(file),
    write: changing,
    remove: changing,
    list: (folder) => [...files.keys()].filter((file) => file.startsWith(`${folder}/`)),
  };
}

/** A dead process writes nothing. */
function notesOf(kernel: Kernel, process: Process): NotesFolder {
  const { computer } = process;
  const { files } = computer;
  const changing = (what: Effect, act: () => void) => {
    if (process.dead) return;
    kernel.effect(what);
    if (!process.dead) act();
  };
  return {
    ...notesIn(process.computer),
    write: (file, text) =>
      changing("writes a note", () => {
        if (computer.folder !== "writable") throw new Error(`the folder is ${computer.folder}`);
        files.set(file, text);
        kernel.onNote?.(text, process.computer);
      }),
    remove: (file) =>
      void (
        files.has(file) &&
        changing("removes a note", () => {
          if (computer.folder === "read-only") throw new Error("the folder is read-only");
          files.delete(file);
        })
      ),
  };
}

/** A process that runs the real code of a hook, as src/hooks/hook.ts does. */
export class Hook {
  readonly process: Process;
  readonly ended: Promise<Ended>;
  readonly #interruption: Interruption;
  readonly #lines: string[] = [];
  #end!: (ended: Omit<Ended, "lines">) => void;
  #isOver = false;
  readonly #call: TimedCall;

  constructor(
    private readonly world: World,
    label: string,
    private readonly command: string,
    private readonly env: Record<string, string>,
    terraform: Process,
    private readonly actor: Actor,
    private readonly ofTerraform: Partial<Machine>,
  ) {
    const { kernel } = world;
    this.process = new Process(label, terraform.computer, terraform);
    this.#call = { what: command, run: actor.run!, startedAt: kernel.now };
    this.#interruption = new Interruption(kernel.clockOf(terraform.computer), () => terraform.dead);
    this.ended = new Promise((resolve) => {
      this.#end = (ended) => {
        if (this.#isOver) return;
        this.#isOver = true;
        kernel.schedule(1, () => resolve({ ...ended, lines: this.#lines }), terraform);
      };
    });
    const [least, most] = START_MS;
    kernel.schedule(least + (most - least) * kernel.random(), () => void this.#main(), this.process);
  }

  async #main(): Promise<void> {
    this.world.kernel.effect("starts");
    if (this.process.dead) return;
    const redactor = new Redactor();
    redactor.add(this.env.CLUSTER_PLATFORM_TOKEN ?? "");
    let run: Run | undefined;
    try {
      const machine = { ...machineOf(this.world, this.process, this.actor), ...this.ofTerraform };
      const print = (line: string) => {
        // A kill ends no code before its next event.
        if (!this.process.dead) this.#lines.push(line);
      };
      run = new Run(this.env, readSettings(this.env), this.#interruption, redactor, machine, print);
      await COMMANDS[this.command as HookCommand](run);
      if (!this.process.dead) this.#ended();
      this.world.kernel.effect("ends");
      if (!this.process.dead) this.#end({ exitCode: 0 });
    } catch (error) {
      if (this.process.dead) return;
      this.#ended();
      if (error instanceof ClusterPlatformError) {
        const text = redactor.redact(run?.messageOf(error) ?? error.message);
        return this.#end({ exitCode: 1, error: text, code: error.code, remedies: remediesOf(error) });
      }
      this.#end({ exitCode: 1, error: `BUG ${(error as Error).stack}`, code: "BUG" });
    }
  }

  #ended(): void {
    this.#call.endedAt = this.world.kernel.now;
    this.world.kernel.onCall?.(this.#call);
  }

  kill(): void {
    if (this.#isOver) return;
    this.process.dead = true;
    this.#end({ exitCode: 137, error: "killed" });
  }

  signal(name: string): void {
    this.#soon(0, () => this.#interruption.interrupt(name));
  }

  terraformIsGone(): void {
    this.#soon(PARENT_CHECK_MS * this.world.kernel.random(), () => this.#interruption.terraformIsGone());
  }

  #soon(milliseconds: number, act: () => void): void {
    this.#call.stoppedAt ??= this.world.kernel.now;
    if (!this.#isOver) this.world.kernel.schedule(milliseconds, act, this.process);
  }
}
