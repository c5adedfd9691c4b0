import { spawn, spawnSync, type ChildProcess } from "node:child_process";

interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  /** As in `failed with exit code 1`. Undefined if it succeeded. */
  readonly failure?: string;
}

/** Far above the size of any token. */
const OUTPUT_LIMIT = 64 * 1024;
/** How long to wait for the rest of the output after the command has ended, in milliseconds. */
const DRAIN_MS = 500;

/** Stopping the command also stops the processes that it started. */
export function runTokenCommand(command: string, env: NodeJS.ProcessEnv, limitMs: number): Promise<CommandResult> {
  return new Promise((resolve) => {
    // A process group of its own can be stopped as a whole.
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
      // A background process that it started, such as a cache of tokens, may keep its output open.
      clearTimeout(timer);
      timer = setTimeout(() => leave(failureOf(code, signal)), DRAIN_MS);
    });
  });
}

/** Drops the line whose beginning was cut off, because part of a secret is not recognized. */
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
