import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { LiveCluster, LiveProvider, PlatformClient } from "../api/client";
import { notesOnLists } from "../api/lists";
import { openCommandClient } from "../api/open-client";
import { installedCdk } from "../model/cdk";
import { ClusterPlatformError } from "../model/errors";
import { KINDS, type Kind, singular } from "../model/provider-type";
import { visible } from "../util/printable";
import { COLUMNS, objectViews, type ObjectView } from "./get/object-views";
import { program } from "./get/program";
import { Table } from "./get/table";
import { type WatchEvent, watch } from "./get/watch";
import { connectionHere } from "./report/connection-here";
import { terminalJson } from "./report/json";

interface Options {
  readonly format: "text" | "json" | "typescript";
  readonly import: boolean;
  readonly providers: boolean;
  readonly watch: boolean;
  readonly interval: number;
}

const INTERVAL_SECONDS = 5;
const LEAST_INTERVAL_SECONDS = 0.1;

interface Format {
  readonly once: (kind: Kind, found: readonly ObjectView[]) => string[];
  readonly watched: (kind: Kind) => ChangeLines;
}

interface ChangeLines {
  readonly first: (changes: readonly WatchEvent[]) => string[];
  readonly next: (changes: readonly WatchEvent[]) => string[];
}

const FORMATS: Readonly<Record<Exclude<Options["format"], "typescript">, Format>> = {
  text: {
    once: (kind, found) => (found.length > 0 ? new Table(COLUMNS[kind]).withHead(found.map(({ row }) => row)) : [`no ${kind}`]),
    watched: (kind) => {
      const table = new Table(["EVENT".padEnd("MODIFIED".length), ...COLUMNS[kind]]);
      const rows = (changes: readonly WatchEvent[]) => changes.map(({ event, object }) => [event, ...object.row]);
      return { first: (changes) => table.withHead(rows(changes)), next: (changes) => table.lines(rows(changes)) };
    },
  },
  json: {
    once: (_, found) => [
      terminalJson(
        found.map(({ json }) => json),
        2,
      ),
    ],
    watched: () => {
      const lines = (changes: readonly WatchEvent[]) =>
        changes.map(({ event, object }) => terminalJson({ event, object: object.json }));
      return { first: lines, next: lines };
    },
  },
};

const FORMAT_NAMES = [...Object.keys(FORMATS), "typescript"];

export const command = new Command("get")
  // The action checks the choice, because with typescript the first argument may be a name.
  .addArgument(
    new Argument("[kind]", "in singular or plural; may be left out with typescript").choices(KINDS).argParser((value) => value),
  )
  .argument(
    "[name...]",
    "only the objects with these names; with typescript and without a kind, also the clusters on providers with these names",
  )
  .addOption(
    new Option("-o, --format <format>", "output format; typescript is a program that takes over the live clusters")
      .choices(FORMAT_NAMES)
      .default("text"),
  )
  .option("--import", "with typescript: importFrom() and Engine.PROVIDER instead of adopt", false)
  .option("--providers", "with typescript: declare the providers, too, instead of naming them by fromName", false)
  .option("-w, --watch", "then print every change, until interrupted: ADDED, MODIFIED, DELETED", false)
  .option("--interval <seconds>", "with --watch: the polling interval", seconds, INTERVAL_SECONDS)
  .addHelpText(
    "after",
    "\nCLUSTER_PLATFORM_URL names the service, else the url of the stack in this folder. The token comes from CLUSTER_PLATFORM_TOKEN," +
      "\n_TOKEN_FILE or _TOKEN_COMMAND." +
      "\nWith --watch, JSON is one line for each object or change." +
      "\n\n  cluster-platform get --format typescript > live.ts" +
      "\n\nwrites the clusters with adopt: true, and their providers by fromName. What the service's lists do not show is a TODO," +
      "\nwhich does not compile. Write the live value there, then apply: it sends no request for a cluster.",
  )
  .action(async (first: string | undefined, rest: readonly string[], options: Options) => {
    const writesProgram = options.format === "typescript";
    const kind = KINDS.find((each) => first === each || first === singular(each));
    const names = first === undefined || kind ? rest : [first, ...rest];
    if (!writesProgram && first === undefined) {
      return command.error(
        `error: missing required argument 'kind'\nWrite ${KINDS.join(" or ")}, as in: cluster-platform get clusters`,
      );
    }
    if (!writesProgram && kind === undefined) {
      return command.error(
        `error: command-argument value '${first}' is invalid for argument 'kind'. Allowed choices are ${KINDS.join(", ")}.`,
      );
    }
    if (writesProgram && options.watch) return command.error("error: --watch cannot be used with --format typescript");
    const client = openCommandClient(connectionHere(process.env), process.env);
    try {
      if (options.format === "typescript") await printProgram(client, kind, names, options);
      else await printObjects(client, kind!, names, FORMATS[options.format], options);
    } finally {
      await client.close();
    }
  });

async function printObjects(
  client: PlatformClient,
  kind: Kind,
  names: readonly string[],
  format: Format,
  options: Options,
): Promise<void> {
  const stop = new AbortController();
  const look = listing(client, kind, names);
  const found = await look();
  refuseUnknown(names, new Set(found.map(({ name }) => name)), singular(kind));
  if (!options.watch) return print(format.once(kind, found));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  // The reader of the output, such as `head`, has closed the pipe.
  process.stdout.once("error", () => stop.abort());
  const lines = format.watched(kind);
  print(lines.first(found.map((object) => ({ event: "ADDED", object }))));
  await watch(found, look, (changes) => print(lines.next(changes)), {
    intervalMs: options.interval * 1000,
    signal: stop.signal,
  });
}

/** A named provider brings the clusters on it, unless the kind is given. */
async function printProgram(
  client: PlatformClient,
  kind: Kind | undefined,
  names: readonly string[],
  options: Options,
): Promise<void> {
  const [clusterList, providerList] = await Promise.all([client.listClusters(), client.listProviders()]);
  const offered = providerList.all();
  const isNamed = ({ name }: { readonly name: string }) => names.length === 0 || names.includes(name);
  const isIts = (cluster: LiveCluster) => (provider: LiveProvider) =>
    provider.type === cluster.type && provider.name === cluster.provider;
  const named = kind === "clusters" ? [] : offered.filter(isNamed);
  const isOnNamed = (cluster: LiveCluster) => kind === undefined && named.some(isIts(cluster));
  const clusters = clusterList.all().filter((cluster) => kind !== "providers" && (isNamed(cluster) || isOnNamed(cluster)));
  const found = new Set([...clusters, ...named].map(({ name }) => name));
  refuseUnknown(names, found, kind === undefined ? "cluster or provider" : singular(kind));
  warn(notesOnLists(clusterList, providerList));
  const isDeclared = (provider: LiveProvider) => named.includes(provider) || clusters.some((cluster) => isIts(cluster)(provider));
  const providers = options.providers || kind === "providers" ? offered.filter(isDeclared) : [];
  const estate = { url: client.url, clusters, providers, offered };
  process.stdout.write(program(estate, { imports: options.import, cdk: installedCdk() ?? "cdktf" }));
}

/** @throws NOT_FOUND */
function refuseUnknown(names: readonly string[], found: ReadonlySet<string>, what: string): void {
  const unknown = names.find((name) => !found.has(name));
  if (unknown === undefined) return;
  throw new ClusterPlatformError("NOT_FOUND", `there is no ${what} '${unknown}' on the service`);
}

/** Warns once of what a list has that cannot be read. */
function listing(client: PlatformClient, kind: Kind, names: readonly string[]) {
  let warned: readonly string[] = [];
  return async (signal?: AbortSignal): Promise<ObjectView[]> => {
    const options = signal && { signal };
    const list = kind === "clusters" ? await client.listClusters(options) : await client.listProviders(options);
    const notes = notesOnLists(list);
    warn(notes.filter((note) => !warned.includes(note)));
    warned = notes;
    return objectViews(list.all().filter(({ name }) => names.length === 0 || names.includes(name)));
  };
}

function warn(notes: readonly string[]): void {
  for (const note of notes) process.stderr.write(`warning: ${visible(note)}\n`);
}

function print(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
}

function seconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) >= LEAST_INTERVAL_SECONDS) return Number(text);
  throw new InvalidArgumentError(`It must be a number of seconds, at least ${LEAST_INTERVAL_SECONDS}.`);
}
