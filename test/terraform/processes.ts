import { execFile, type ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { HOOK_ENV, type HookCommand } from "../../src/contract/hook-protocol";
import type { Simulator } from "../../src/simulator";

/** A running hook. */
export interface HookProcess {
  readonly pid: number;
  readonly command: HookCommand;
  /** Undefined for a hook that handles several objects. */
  readonly name: string | undefined;
}

/** The running hooks of a service, which their environment identifies. */
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

/** A process that has ended but was not waited for yet is not alive. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    return !(await statusOf(pid)).startsWith("Z");
  } catch {
    return false;
  }
}

/** The plugins that Terraform has started. */
export async function pluginsOf({ pid: terraform }: ChildProcess): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "ppid=,pid="], { maxBuffer: 256 * 1024 * 1024 });
  const pairs = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([parent, pid]) => (parent === terraform ? [pid!] : []));
}

/** Resolves when the plugins are dead: whether there were any. */
export async function killPlugins(terraform: ChildProcess): Promise<boolean> {
  const plugins = await pluginsOf(terraform);
  for (const pid of plugins) process.kill(pid, "SIGKILL");
  while ((await Promise.all(plugins.map(isAlive))).some(Boolean)) await delay(20);
  return plugins.length > 0;
}

/** The status that `ps` prints: "T" is a stopped process, "Z" one that has ended. */
async function statusOf(pid: number): Promise<string> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "stat=", "-p", String(pid)]);
  return stdout.trim();
}

/**
 * Kills Terraform, but never while it writes its state: Terraform empties the file first, and the next run reads an empty file
 * as no state. `isIntact` reads the parts of the file that the test needs.
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
