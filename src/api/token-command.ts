import { spawn, spawnSync, type ChildProcess } from "node:child_process";

interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  /** How it failed, as in `failed with exit code 1`; undefined where it did not. */
  readonly failure?: string;
}

/** More than any token has. */
const OUTPUT_LIMIT = 64 * 1024;
/** How long after its end a command's output may still be under way, in milliseconds. */
const DRAIN_MS = 500;

/** Runs a credential helper through the shell. When it has to be stopped, so is whatever it started. */
export function runTokenCommand(command: string, env: NodeJS.ProcessEnv, limitMs: number): Promise<CommandResult> {
  return new Promise((resolve) => {
    // Of a group of its own, so that it can be ended as a whole.
    const child = spawn(command, {
      shell: true,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: !onWindows,
      windowsHide: true,
    });
    const output = { stdout: "", stderr: "" };
    const stop = () => killTree(child);
    let cut = false;
    const settle = (failure?: string) => {
      clearTimeout(timer);
      process.off("exit", stop);
      resolve({ stdout: output.stdout, stderr: cut ? wholeLines(output.stderr) : output.stderr, failure });
    };
    const leave = (failure?: string) => {
      child.stdout.destroy();
      child.stderr.destroy();
      settle(failure);
    };
    const abandon = (failure: string) => {
      stop();
      leave(failure);
    };
    let timer = setTimeout(() => abandon(`did not end within ${limitMs / 1000} seconds`), limitMs);
    process.once("exit", stop);

    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (chunk: string) => {
        output[stream] += chunk;
        if (output[stream].length <= OUTPUT_LIMIT) return;
        if (stream === "stdout") return abandon(`printed more than ${OUTPUT_LIMIT} characters, a token was expected`);
        cut = true;
        output.stderr = output.stderr.slice(-OUTPUT_LIMIT);
      });
    }
    child.on("error", (error: NodeJS.ErrnoException) => settle(`could not be run (${error.code})`));
    child.on("close", (code, signal) => settle(failureOf(code, signal)));
    child.on("exit", (code, signal) => {
      // What it left running in the background, a cache of tokens perhaps, may hold its output open for ever.
      clearTimeout(timer);
      timer = setTimeout(() => leave(failureOf(code, signal)), DRAIN_MS);
    });
  });
}

/** Without the line whose beginning is gone: part of a secret would not be recognized as one. */
function wholeLines(text: string): string {
  return text.replace(/^[^\n]*\n?/, "");
}

function failureOf(code: number | null, signal: NodeJS.Signals | null): string | undefined {
  if (code === 0) return undefined;
  return code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
}

const onWindows = process.platform === "win32";

function killTree({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (onWindows) {
    spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true });
    return;
  }
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
