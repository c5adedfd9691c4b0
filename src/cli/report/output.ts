import { appendFileSync, existsSync, statSync, writeFileSync } from "node:fs";
import { Option } from "commander";
import { ConfigurationError } from "../../model/errors";
import { realPathOf } from "./document";
import { FORMAT_NAMES, type FormatName } from "./formats";

/** Without a file, the output goes to standard output. */
export interface Output {
  readonly format: FormatName;
  readonly file?: string;
}

/** Collects the values of an option that may be repeated. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

export function formatOption(): Option {
  const names = FORMAT_NAMES.join(", ");
  return new Option(
    "-o, --format <format[=file]>",
    `${names}; may be repeated, with a file for all but one (default: text)`,
  ).argParser(collect);
}

export function summaryOption(): Option {
  return new Option("--summary <file>", "append the Markdown to this file, as for $GITHUB_STEP_SUMMARY");
}

/**
 * Reads `FORMAT` and `FORMAT=FILE`.
 * @param inputs files that the command reads
 * @throws INVALID_SETTING for an unknown format, or if several formats go to standard output or to one file
 */
export function readOutputs(texts: readonly string[], inputs: readonly string[]): Output[] {
  const outputs = texts.map((text) => {
    const [, name = text, file] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const format = FORMAT_NAMES.find((candidate) => candidate === name);
    if (format === undefined || file === "") {
      throw invalidFormat(
        `must be one of ${FORMAT_NAMES.join(", ")}, with =FILE to write it to a file, got ${JSON.stringify(text)}`,
      );
    }
    return { format, ...(file !== undefined && { file }) };
  });
  if (outputs.filter(({ file }) => file === undefined).length > 1) {
    throw invalidFormat("must name a file for all but one, as in --format text --format json=review.json");
  }
  const files = outputs.flatMap(({ file }) => (file === undefined || isDevice(file) ? [] : [realPathOf(file)]));
  const shared = files.find((file, index) => files.indexOf(file) !== index);
  const read = new Set(inputs.filter((input) => existsSync(input)).map(realPathOf));
  const overwritten = files.find((file) => read.has(file));
  if (overwritten !== undefined) throw invalidFormat(`must name another file than the command reads, got ${overwritten}`);
  if (shared !== undefined) throw invalidFormat(`must name another file for each format, got ${shared} for several`);
  return outputs;
}

/** Several outputs fit into a device or a pipe, such as /dev/null. */
function isDevice(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === false;
}

/** @throws INVALID_SETTING if the file cannot be written */
export function writeOutput({ file }: Output, text: string): void {
  if (file === undefined) process.stdout.write(text);
  else write(file, () => writeFileSync(file, text));
}

/** @throws INVALID_SETTING if the file cannot be written */
export function appendOutput(file: string, text: string): void {
  write(file, () => appendFileSync(file, text));
}

function write(file: string, how: () => void): void {
  try {
    how();
  } catch (error) {
    throw new ConfigurationError(
      "INVALID_SETTING",
      `command line: ${file} cannot be written (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}

function invalidFormat(rule: string): ConfigurationError {
  return new ConfigurationError("INVALID_SETTING", `command line: '--format' ${rule}`);
}

/** NO_COLOR and TERM=dumb turn colours off. */
export function showsColours(env: NodeJS.ProcessEnv): boolean {
  return process.stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}
