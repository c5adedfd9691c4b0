import { execFile, type ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
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
    const [, pid, command] = /^\s*(\d+) \S*node \S+\/main\.js (\w+) /.exec(line) ?? [];
    if (pid === undefined || !line.includes(simulator.url) || !line.includes(`${HOOK_ENV.settings}=`)) return [];
    const [, name] = new RegExp(` ${HOOK_ENV.name}=(\\S+)`).exec(line) ?? [];
    return [{ pid: Number(pid), command: command as HookCommand, name }];
  });
}

/** Whether a process lives; one that has ended and that nobody has waited for yet does not. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    return !(await statusOf(pid)).startsWith("Z");
  } catch {
    return false;
  }
}

/** The plugins that a Terraform has started. */
export async function pluginsOf({ pid: terraform }: ChildProcess): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "ppid=,pid="], { maxBuffer: 256 * 1024 * 1024 });
  const pairs = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([parent, pid]) => (parent === terraform ? [pid!] : []));
}

/** Kills the plugins of a Terraform, and resolves when they are dead: to whether there were any. */
export async function killPlugins(terraform: ChildProcess): Promise<boolean> {
  const plugins = await pluginsOf(terraform);
  for (const pid of plugins) process.kill(pid, "SIGKILL");
  while ((await Promise.all(plugins.map(isAlive))).some(Boolean)) await delay(20);
  return plugins.length > 0;
}

/** How `ps` writes the status of a process: "T" is a stopped one, "Z" one that has ended. */
async function statusOf(pid: number): Promise<string> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "stat=", "-p", String(pid)]);
  return stdout.trim();
}

/**
 * Kills Terraform, but never while it writes its state: it empties the file first, and an empty file is no state to the next
 * run. `isIntact` reads what the test needs of the file.
 */
export async function killTerraform({ pid }: ChildProcess, isIntact: () => boolean): Promise<void> {
  for (;;) {
    process.kill(pid!, "SIGSTOP");
    while (!(await statusOf(pid!)).startsWith("T"));
    if (isIntact()) break;
    process.kill(pid!, "SIGCONT");
    await delay(20);
  }
  process.kill(pid!, "SIGKILL");
}
