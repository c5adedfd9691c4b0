import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { PlatformClient } from "../api/client";
import { openClient } from "../api/open-client";
import { ClusterPlatformError } from "../model/errors";
import { KINDS, type Kind, singular } from "../model/provider-type";
import { Redactor } from "../model/redaction";
import { COLUMNS, objectViews, type ObjectView } from "./get/object-views";
import { Table } from "./get/table";
import { type Change, watch } from "./get/watch";
import { terminalJson } from "./report/json";

interface Options {
  readonly output: "table" | "json";
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
  readonly first: (changes: readonly Change[]) => string[];
  readonly next: (changes: readonly Change[]) => string[];
}

const FORMATS: Readonly<Record<Options["output"], Format>> = {
  table: {
    once: (kind, found) => (found.length > 0 ? new Table(COLUMNS[kind]).withHead(found.map(({ row }) => row)) : [`no ${kind}`]),
    watched: (kind) => {
      const table = new Table(["EVENT", ...COLUMNS[kind]]);
      const rows = (changes: readonly Change[]) => changes.map(({ event, object }) => [event, ...object.row]);
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
      const lines = (changes: readonly Change[]) =>
        changes.map(({ event, object }) => terminalJson({ event, object: object.json }));
      return { first: lines, next: lines };
    },
  },
};

export const command = new Command("get")
  .addArgument(new Argument("<kind>").choices(KINDS))
  .argument("[name]", "only the object with this name")
  .addOption(new Option("-o, --output <format>", "output format").choices(Object.keys(FORMATS)).default("table"))
  .option("-w, --watch", "then print every change, until interrupted: ADDED, MODIFIED, DELETED", false)
  .option("--interval <seconds>", "with --watch: the polling interval", seconds, INTERVAL_SECONDS)
  .addHelpText(
    "after",
    "\nCLUSTER_PLATFORM_URL names the service; the token comes from CLUSTER_PLATFORM_TOKEN, _TOKEN_FILE or _TOKEN_COMMAND." +
      "\nWith --watch, JSON is one line for each object or change.",
  )
  .action(async (kind: Kind, name: string | undefined, options: Options) => {
    const client = openClient({}, process.env, new Redactor());
    const stop = new AbortController();
    try {
      const look = (signal?: AbortSignal) => list(client, kind, name, signal);
      const found = await look();
      if (name !== undefined && found.length === 0)
        throw new ClusterPlatformError("NOT_FOUND", `there is no ${singular(kind)} '${name}' on the service`);
      const format = FORMATS[options.output];
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
    } finally {
      await client.close();
    }
  });

async function list(client: PlatformClient, kind: Kind, name: string | undefined, signal?: AbortSignal): Promise<ObjectView[]> {
  const options = signal && { signal };
  const objects = kind === "clusters" ? (await client.listClusters(options)).all() : (await client.listProviders(options)).all();
  return objectViews(objects.filter((object) => name === undefined || object.name === name));
}

function print(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
}

function seconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) >= LEAST_INTERVAL_SECONDS) return Number(text);
  throw new InvalidArgumentError(`It must be a number of seconds, at least ${LEAST_INTERVAL_SECONDS}.`);
}
