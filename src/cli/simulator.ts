import { styleText } from "node:util";
import { Command, InvalidArgumentError } from "commander";
import { bounded, visible } from "../util/printable";
import { type Fault, parseFault, type RecordedRequest, type Simulator, startSimulator } from "../simulator";
import { FAULT_KIND_FORMS } from "../simulator/fault-text";
import { PORT, SECONDS } from "../simulator/options";

interface Options {
  readonly port: number;
  readonly host: string;
  readonly token?: string;
  readonly provisionSeconds: number;
  readonly deleteSeconds: number;
  readonly providerReadySeconds: number;
  readonly state?: string;
  readonly acceptUnknownFields: boolean;
  readonly fault?: readonly Fault[];
}

const FAULT_HELP = `
Faults are written as [METHOD] [/path] KIND [after] [times=N] [skip=N] [retry-after=SECONDS]. The path is the
beginning of the request path. With "after", the fault happens when the work is done. KIND is one of
${FAULT_KIND_FORMS.join(", ")}.
For example:
  --fault "POST /api/v1/platform/providers/clusters drop after times=1"
  --fault "GET /api/v1/clusters status=503 retry-after=1 times=3"
They can be changed while it runs: GET, POST and DELETE /_simulator/faults; GET /_simulator/log shows what happened.`;

export const command = new Command("simulator")
  .option("--port <number>", "port to listen on, 0 for any free one", portNumber, 7070)
  .option("--host <address>", "address to listen on", "127.0.0.1")
  .option("--token <token>", "required bearer token; CLUSTER_PLATFORM_TOKEN keeps it out of the process list (default: random)")
  .option("--provision-seconds <seconds>", "from a cluster's creation until it is Provisioned", seconds, 2)
  .option("--delete-seconds <seconds>", "from a deletion's acceptance until the object is gone", seconds, 0.5)
  .option("--provider-ready-seconds <seconds>", "how long a new capvs provider refuses clusters", seconds, 0)
  .option("--state <file>", "keep objects in this file over a restart, without secrets")
  .option("--accept-unknown-fields", "accept request fields that the interface does not have", false)
  .option("--fault <fault>", "rehearse a failure; may be repeated", collectFaults)
  .addHelpText("after", FAULT_HELP)
  .action(async (options: Options) => {
    const { state, token: given, fault: faults, ...rest } = options;
    const token = given ?? (process.env.CLUSTER_PLATFORM_TOKEN?.trim() || undefined);
    const simulator = await startSimulator({
      ...rest,
      token,
      stateFile: state,
      faults,
      keepRequests: 1000,
      onResponse: (request) => {
        if (request.method !== "GET") console.log(describe(request));
      },
    });
    console.log(greeting(simulator, token === undefined, options));
    try {
      await untilToldToStop();
    } finally {
      await simulator.close();
    }
  });

function greeting({ url, token }: Simulator, isRandom: boolean, { state, provisionSeconds }: Options): string {
  const tokenLine = isRandom ? `export CLUSTER_PLATFORM_TOKEN=${token}` : "# CLUSTER_PLATFORM_TOKEN: the token that it was given";
  const keeping =
    state === undefined ? "Objects exist only while it runs; --state FILE keeps them." : `Objects are kept in ${state}.`;
  return `The embedded service listens on ${url}

  export CLUSTER_PLATFORM_URL=${url}
  ${tokenLine}

A cluster takes ${provisionSeconds} s to be Provisioned. ${keeping}
Ctrl-C ends it.
`;
}

function untilToldToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

const NOTE_CHARACTERS = 200;

function describe({ at, method, path, status, body, refusal, fault }: Readonly<RecordedRequest>): string {
  const time = new Date(at).toTimeString().slice(0, 8);
  const result = paint(status !== undefined && status < 400 ? "green" : "red", String(status ?? "---"));
  const notes = [status === 201 ? nameIn(body) : undefined, refusal?.message, fault && `(fault: ${fault})`];
  return [
    time,
    result,
    method,
    path,
    ...notes.filter((note) => note !== undefined).map((note) => bounded(visible(note), NOTE_CHARACTERS)),
  ].join(" ");
}

function nameIn(body: unknown): string | undefined {
  const { cluster, identityName, name } = body as { cluster?: { clusterName: string }; identityName?: string; name?: string };
  return cluster?.clusterName ?? identityName ?? name;
}

function paint(colour: "green" | "red", text: string): string {
  return process.stdout.isTTY && !process.env.NO_COLOR ? styleText(colour, text) : text;
}

function portNumber(text: string): number {
  return numberIn(text, PORT);
}

function seconds(text: string): number {
  return numberIn(text, SECONDS);
}

function numberIn(text: string, { holds, text: rule }: typeof PORT): number {
  if (!/^\d+(\.\d+)?$/.test(text) || !holds(Number(text))) throw new InvalidArgumentError(`It must be ${rule}.`);
  return Number(text);
}

function collectFaults(text: string, collected: readonly Fault[] = []): readonly Fault[] {
  return [...collected, parseFault(text)];
}
