import { Command } from "commander";
import { ConfigurationError } from "../model/errors";
import { openClient } from "../api/open-client";
import { Redactor } from "../model/redaction";
import { declaredObjects, STATE_DOCUMENT } from "./drift/declared-objects";
import { findDrift, type Live } from "./drift/find-drift";
import type { DriftReport } from "./drift/finding";
import { readDocument } from "./report/document";
import { documentNames } from "./report/document-names";
import { terminalJson } from "./report/json";
import { isObjectPattern, OBJECT_PATTERN_RULE } from "./report/object-pattern";
import { appendOutput, type Output, readOutputs, showsColours, writeOutput } from "./report/output";

const FORMATS = ["text", "markdown", "json", "junit", "gitlab"] as const;
type Format = (typeof FORMATS)[number];

const DRIFTED = 2;

interface Options {
  readonly format?: readonly string[];
  readonly ignore?: readonly string[];
  readonly summary?: string;
}

const collect = (value: string, before: readonly string[] = []) => [...before, value];

export const command = new Command("drift")
  .argument("<state...>", "states as JSON, from `terraform show -json`; - for standard input")
  .option(
    "--format <format[=file]>",
    `${FORMATS.join(", ")}; may be repeated, with a file for all but one (default: text)`,
    collect,
  )
  .option("--ignore <pattern>", "names, or type/kind/name, of live objects that need not be declared; may be repeated", collect)
  .option("--summary <file>", "append the Markdown to this file, as for $GITHUB_STEP_SUMMARY")
  .addHelpText(
    "after",
    "\nExits with 0 when all is as declared, 1 on an error, 2 on drift." +
      "\nThe service is the one of CLUSTER_PLATFORM_URL; the token comes from CLUSTER_PLATFORM_TOKEN, _TOKEN_FILE or _TOKEN_COMMAND.",
  )
  .action(async (files: readonly string[], options: Options) => {
    const outputs = readOutputs<Format>(options.format ?? ["text"], FORMATS);
    const ignore = readIgnored(options.ignore ?? []);
    const names = documentNames(files, "state");
    const declared = files.flatMap((file, index) => declaredObjects(readDocument(file, STATE_DOCUMENT), file, names[index]!));
    const report = findDrift(declared, await lists(), ignore);

    for (const output of outputs) writeOutput(output, await render(output, report));
    if (options.summary !== undefined) {
      appendOutput(options.summary, (await import("./drift/markdown.js")).driftMarkdown(report));
    }
    process.exitCode = report.findings.length > 0 ? DRIFTED : 0;
  });

/**
 * An empty one names nothing, as where a pipeline's variable is not set.
 *
 * @throws INVALID_SETTING
 */
function readIgnored(patterns: readonly string[]): string[] {
  const given = patterns.filter((pattern) => pattern !== "");
  const wrong = given.find((pattern) => !isObjectPattern(pattern, true));
  if (wrong === undefined) return given;
  throw new ConfigurationError(
    "INVALID_SETTING",
    `command line: '--ignore' must ${OBJECT_PATTERN_RULE}, got ${JSON.stringify(wrong)}`,
  );
}

/** Everything that the service has, each list asked for once. */
async function lists(): Promise<Live> {
  const client = openClient({}, process.env, new Redactor());
  try {
    const [clusters, providers] = await Promise.all([client.listClusters(), client.listProviders()]);
    return { clusters, providers };
  } finally {
    await client.close();
  }
}

async function render({ format, file }: Output<Format>, report: DriftReport): Promise<string> {
  switch (format) {
    case "text":
      return (await import("./drift/text.js")).driftText(report, file === undefined && showsColours(process.env));
    case "markdown":
      return (await import("./drift/markdown.js")).driftMarkdown(report);
    case "json":
      return `${terminalJson({ version: 1, drift: report.findings.length > 0, ...report }, 2)}\n`;
    case "junit":
      return (await import("./drift/junit.js")).driftJunit(report);
    case "gitlab":
      return gitlab(report);
  }
}

/** Counts for GitLab's `artifacts:reports:terraform`: what an apply would have to create, change and take away. */
function gitlab({ findings }: DriftReport): string {
  const count = (...drifts: string[]) => findings.filter(({ drift }) => drifts.includes(drift)).length;
  return `${JSON.stringify({ create: count("MISSING"), update: count("CHANGED", "UNFINISHED"), delete: count("UNMANAGED") })}\n`;
}
