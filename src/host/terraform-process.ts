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
    return shownByPs(pid, "lstart").trim();
  } catch {
    return "";
  }
}

/**
 * Whether Terraform plans or applies only a part of the code, and destroys nothing else. It is "no" on a machine that does not show
 * the arguments.
 */
export function isPartial(env: NodeJS.ProcessEnv, pid = process.ppid): boolean {
  const given = [...argumentsOf(pid), ...added(env, "TF_CLI_ARGS", "TF_CLI_ARGS_plan", "TF_CLI_ARGS_apply")];
  const has = (argument: RegExp) => given.some((each) => argument.test(each));
  return has(/^["']?--?(target|exclude)/i) && !has(/^(destroy|--?destroy(=(1|t|true))?)$/i);
}

/** Whether the run is `terraform test`, which deletes at its end what it creates and takes over. On Windows it is "no". */
export function isTest(pid = process.ppid): boolean {
  return commandOf(pid) === "test";
}

/** As in `plan`. Undefined on a machine that does not show the arguments. */
function commandOf(pid: number): string | undefined {
  return argumentsOf(pid)
    .slice(1)
    .find((argument) => !argument.startsWith("-"));
}

function added(env: NodeJS.ProcessEnv, ...names: readonly string[]): string[] {
  return names.flatMap((name) => env[name]?.split(/\s+/) ?? []);
}

function argumentsOf(pid: number): string[] {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    if (process.platform === "win32") return [];
    return shownByPs(pid, "args").split(/\s+/);
  } catch {
    return [];
  }
}

function shownByPs(pid: number, field: "lstart" | "args"): string {
  // Loaded here because on Linux no hook needs it.
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  return execFileSync("ps", ["-o", `${field}=`, "-p", String(pid)], { encoding: "utf8", timeout: 5_000 });
}
