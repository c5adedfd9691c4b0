import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Process ids are reused, so the start time is part of the id, except on systems without it, such as Windows. */
export function terraformProcess(pid = process.ppid): string {
  return `${pid}:${startOf(pid)}`;
}

function startOf(pid: number): string {
  try {
    if (process.platform === "linux") {
      // The program's name in parentheses may contain spaces. The start time is the 20th field after it.
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    }
    if (process.platform === "win32") return "";
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", timeout: 5_000 }).trim();
  } catch {
    return "";
  }
}
