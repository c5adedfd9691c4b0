import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A program that is measured from its start to its end. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Added to the common environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Runs before each measurement. May add to the environment. */
  readonly prepare?: () => Promise<Readonly<Record<string, string>> | void> | Readonly<Record<string, string>> | void;
  readonly conclude?: () => Promise<void>;
}

/** The environment without variables that slow Node down. Additional authorities alone take 30 ms. */
function environment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, TF_CLI_CONFIG_FILE: ___, ...rest } = process.env;
  return { ...rest, CHECKPOINT_DISABLE: "1", TF_IN_AUTOMATION: "1", ...more };
}

export async function timed(program: Program): Promise<number> {
  const prepared = (await program.prepare?.()) ?? {};
  const { milliseconds } = await run(program, prepared);
  await program.conclude?.();
  return milliseconds;
}

export async function output(program: Program): Promise<string> {
  return (await run(program, {})).stdout;
}

export interface Measurement {
  /** The median. */
  readonly milliseconds: number;
  /** Peak resident set of the largest process. Undefined without GNU time. */
  readonly peakMib: number | undefined;
}

/**
 * Measures programs that take turns, so that other load on the machine affects them alike. A warm-up round measures the memory. A
 * single round has no warm-up round and measures the memory, too: it is for long runs.
 */
export async function measured<const Programs extends readonly Program[]>(
  rounds: number,
  ...programs: Programs
): Promise<{ [Index in keyof Programs]: Measurement }> {
  const first = await inTurn(programs, withPeak);
  if (rounds === 1) return first as never;
  const times: number[][] = [];
  for (let round = 1; round <= rounds; round++) times.push(await inTurn(programs, timed));
  return first.map(({ peakMib }, index) => ({ milliseconds: median(times.map((round) => round[index]!)), peakMib })) as never;
}

async function inTurn<Result>(programs: readonly Program[], run: (program: Program) => Promise<Result>): Promise<Result[]> {
  const results = [];
  for (const program of programs) results.push(await run(program));
  return results;
}

async function withPeak(program: Program): Promise<Measurement> {
  if (!hasGnuTime) return { milliseconds: await timed(program), peakMib: undefined };
  const folder = mkdtempSync(join(tmpdir(), "cluster-platform-bench-"));
  const file = join(folder, "peak");
  try {
    const args = ["-f", "%M", "-o", file, program.command, ...program.args];
    const milliseconds = await timed({ ...program, command: GNU_TIME, args });
    return { milliseconds, peakMib: Number(readFileSync(file, "utf8").trim().split("\n").at(-1)) / 1024 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const GNU_TIME = "/usr/bin/time";
export const hasGnuTime = spawnSync(GNU_TIME, ["-f", "%M", "true"], { stdio: "ignore" }).status === 0;

export const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

interface Run {
  readonly milliseconds: number;
  readonly stdout: string;
}

function run({ command, args, cwd, env }: Program, more: Readonly<Record<string, string>>): Promise<Run> {
  return new Promise((resolve, reject) => {
    const started = process.hrtime.bigint();
    const child = spawn(command, args, { cwd, env: environment({ ...env, ...more }), stdio: ["ignore", "pipe", "pipe"] });
    const texts = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => (texts[stream] += text));
    }
    child.on("error", reject);
    child.on("close", (status) => {
      const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
      if (status === 0) return resolve({ milliseconds, stdout: texts.stdout });
      const said = (texts.stdout + texts.stderr).slice(-4_000);
      reject(new Error(`${command} ${args.join(" ")} ended with ${status}:\n${said}`));
    });
  });
}
