import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Tells the Terraform that runs this hook or plugin from all others on this machine: its number, and when it started, since
 * numbers are given again. The start is left out where it cannot be seen, as on Windows.
 */
export function terraformProcess(pid = process.ppid): string {
  return `${pid}:${startOf(pid)}`;
}

function startOf(pid: number): string {
  try {
    if (process.platform === "linux") {
      // The name of the program, in parentheses, may hold spaces; the start is the 20th field behind it.
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    }
    if (process.platform === "win32") return "";
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", timeout: 5_000 }).trim();
  } catch {
    return "";
  }
}
