import type { Clock } from "../util/clock";
import { Interruption } from "./interruption";

const PARENT_CHECK_MS = 250;

/** Interrupts the hook when this process gets a signal, or when Terraform, which has started it, is gone. */
export function watched(clock: Clock): Interruption {
  const parent = process.ppid;
  const interruption = new Interruption(clock, () => process.ppid !== parent || !isAlive(parent));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interruption.interrupt(signal));
  // The terminal is closed. Terraform gets the same signal and dies.
  process.on("SIGHUP", () => interruption.terraformIsGone());
  setInterval(() => interruption.look(), PARENT_CHECK_MS).unref();
  return interruption;
}

/** On Windows, `process.ppid` stays the same after the parent has ended. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
