import { execFile } from "node:child_process";
import { bounded, visible } from "../../util/printable";

/** A program may wait for a person or for the network. */
const LIMIT_SECONDS = 15;
const EXCERPT_CHARACTERS = 300;

export interface Answer {
  readonly output: string;
  readonly failure?: string;
}

/** Undefined if there is no such program. */
export function ask(
  program: string,
  args: readonly string[],
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string },
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const options = { env, cwd, timeout: LIMIT_SECONDS * 1000, killSignal: "SIGKILL" } as const;
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error?.code === "ENOENT") return resolve(undefined);
      const output = stdout.trim();
      if (!error) return resolve({ output });
      const failure = error.killed ? `did not end within ${LIMIT_SECONDS} seconds` : stderr.trim() || output || error.message;
      resolve({ output, failure });
    });
  });
}

/**
 * Why a program of this package does not run, as the end of a sentence.
 * @param what as in `the hooks`
 */
export function nodeProblem(output: string, what: string, { NODE_OPTIONS }: NodeJS.ProcessEnv): string {
  const options = NODE_OPTIONS ? `NODE_OPTIONS=${NODE_OPTIONS}, which also applies to ${what}, or ` : "";
  const error = tellingLine(output, /^(\w*Error\b|node: )/);
  return `(${error}): look for the cause in ${options}the node of the PATH, or synthesize again`;
}

/** The first line like this in what a program has printed, else its first line. */
function tellingLine(text: string, pattern: RegExp): string {
  const lines = text.split("\n").map((line) => line.trim());
  const telling = lines.find((line) => pattern.test(line)) ?? lines.find((line) => line !== "");
  return excerpt(telling ?? "it printed nothing");
}

export function excerpt(text: string): string {
  return bounded(visible(text), EXCERPT_CHARACTERS);
}
