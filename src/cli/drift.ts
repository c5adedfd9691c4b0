import { Command, Option } from "commander";
import { ConfigurationError } from "../model/errors";
import { openCommandClient } from "../api/open-client";
import type { JsonObject } from "../model/provider-type";
import { withCode } from "./drift/code";
import { type StateObject, stateObjects, STATE_DOCUMENT, undeclaredIn } from "./drift/state-objects";
import { findDrift, type LiveLists } from "./drift/find-drift";
import { FORMATS } from "./drift/formats";
import { connectionHere } from "./report/connection-here";
import { readDocument } from "./report/document";
import { stateResources } from "./report/state-values";
import { readStack, stackFolderOf } from "./report/synthesized-folder";
import { documentNames } from "./report/document-names";
import { FOUND } from "./report/exit-codes";
import { isPattern, PATTERN_RULE } from "../model/object-pattern";
import { appendOutput, collect, formatOption, readOutputs, showsColours, summaryOption, writeOutput } from "./report/output";

interface Options {
  readonly format?: readonly string[];
  readonly unmanaged: boolean;
  readonly ignore?: readonly string[];
  readonly summary?: string;
}

export const command = new Command("drift")
  .argument("<state...>", "states as JSON, from `terraform show -json`; - for standard input")
  .addOption(formatOption())
  .option("--unmanaged", "list the live objects that no given state has, as drift", false)
  .addOption(
    new Option("--ignore <pattern>", "--unmanaged without these names, or type/kind/name; may be repeated")
      .argParser(collect)
      .implies({ unmanaged: true }),
  )
  .addOption(summaryOption())
  .addHelpText(
    "after",
    "\nExits with 0 without drift, 1 on an error, 2 on drift." +
      "\nCLUSTER_PLATFORM_URL names the service, else the url of the stack in this folder. The token comes from CLUSTER_PLATFORM_TOKEN," +
      "\n_TOKEN_FILE or _TOKEN_COMMAND.",
  )
  .action(async (files: readonly string[], options: Options) => {
    const outputs = readOutputs(options.format ?? ["text"], files);
    const ignore = readIgnored(options.ignore ?? []);
    const { objects, ...beside } = readStates(files);
    const { url, ...live } = await lists();
    const report = findDrift(objects, live, options.unmanaged ? ignore : ["*"], url, beside);
    if (report.declared === 0 && objects.length > 0) throw ofAnotherService(url, objects);

    for (const output of outputs) {
      const coloured = output.file === undefined && showsColours(process.env);
      writeOutput(output, FORMATS[output.format](report, coloured));
    }
    if (options.summary !== undefined) appendOutput(options.summary, FORMATS.markdown(report, false));
    process.exitCode = report.findings.length > 0 ? FOUND : 0;
  });

function readStates(files: readonly string[]) {
  const names = documentNames(files, "state");
  const states = files.map((file, index) => {
    const [json, stack] = [readDocument(file, STATE_DOCUMENT), stackFolderOf(file)];
    const inState = stateObjects(json, file, names[index]!);
    return { json, objects: stack === undefined ? inState : withCode(inState, readStack(stack)) };
  });
  return {
    objects: states.flatMap(({ objects }) => objects),
    entries: new Map(states.flatMap(({ json }) => [...undeclaredIn(json)])),
    empty: names.filter((_, index) => stateResources((states[index]!.json as JsonObject).values).length === 0),
  };
}

/** Drops empty patterns, which come from pipeline variables that are not set. @throws INVALID_SETTING */
function readIgnored(patterns: readonly string[]): string[] {
  const given = patterns.filter((pattern) => pattern !== "");
  const wrong = given.find((pattern) => !isPattern(pattern, true));
  if (wrong === undefined) return given;
  throw new ConfigurationError("INVALID_SETTING", `command line: '--ignore' must ${PATTERN_RULE}, got ${JSON.stringify(wrong)}`);
}

function ofAnotherService(url: string, elsewhere: readonly StateObject[]): ConfigurationError {
  const services = [...new Set(elsewhere.map(({ service }) => service))];
  return new ConfigurationError(
    "INVALID_SETTING",
    `the service is ${url}, and all ${elsewhere.length} objects of the given states name ${services.join(" and ")} as their service: set CLUSTER_PLATFORM_URL to that service. If the service has moved to ${url}, apply with that URL first`,
  );
}

async function lists(): Promise<LiveLists & { readonly url: string }> {
  const client = openCommandClient(connectionHere(process.env), process.env);
  try {
    const [clusters, providers] = await Promise.all([client.listClusters(), client.listProviders()]);
    return { url: client.url, clusters, providers };
  } finally {
    await client.close();
  }
}
