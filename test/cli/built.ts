import { spawn } from "node:child_process";
import { join } from "node:path";

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const MAIN = join(__dirname, "../../dist/cli/main.js");
/** Variables of the test's own environment that would change the program's behaviour or slow its start. */
const FOREIGN =
  /^(NODE_EXTRA_CA_CERTS|CI|CI_.*|GITHUB_.*|GITLAB_.*|CLUSTER_PLATFORM_(URL|TOKEN.*)|NO_COLOR|FORCE_COLOR|.*_PROXY)$/i;

export const inherited = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)));

/** Runs a command of the built command line in a process of its own. */
export function built(args: readonly string[], env: NodeJS.ProcessEnv = {}, input = "", cwd = "."): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], { cwd, env: { ...inherited(), ...env } });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
    child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}
