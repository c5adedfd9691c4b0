import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { HOOK_ENV, type HookCommand } from "../../src/contract/hook-protocol";
import type { Simulator } from "../../src/simulator";

/** A hook that runs now. */
export interface HookProcess {
  readonly pid: number;
  readonly command: HookCommand;
  /** Of the object that it is about; undefined for one that is about several. */
  readonly name: string | undefined;
}

/** The hooks that work against a service, told from all other processes by their environment. */
export async function hooksAt(simulator: Simulator): Promise<HookProcess[]> {
  // The form of ps that shows environments on Linux and on macOS alike.
  const { stdout } = await promisify(execFile)("ps", ["axeww", "-o", "pid=,args="], { maxBuffer: 256 * 1024 * 1024 });
  return stdout.split("\n").flatMap((line) => {
    const [, pid, command] = /^\s*(\d+) \S*node -e .*? \S+\/main\.js (\w+) /.exec(line) ?? [];
    if (pid === undefined || !line.includes(simulator.url) || !line.includes(`${HOOK_ENV.settings}=`)) return [];
    const [, name] = new RegExp(` ${HOOK_ENV.name}=(\\S+)`).exec(line) ?? [];
    return [{ pid: Number(pid), command: command as HookCommand, name }];
  });
}

/** Whether a process lives; one that has ended and that nobody has waited for yet does not. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "stat=", "-p", String(pid)]);
    return !stdout.trim().startsWith("Z");
  } catch {
    return false;
  }
}
