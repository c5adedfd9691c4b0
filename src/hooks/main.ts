import { thisMachine } from "../host/machine";
import { withoutReports } from "../host/node-diagnostics";
import { systemClock } from "../util/clock";
import { Hook } from "./hook";
import { watched } from "./signals";

/** How long the process may take to end after its work, in milliseconds. */
const LINGER_MS = 1_000;

async function main(): Promise<void> {
  withoutReports();
  const interruption = watched(systemClock);
  // Only Terraform reads our output. If it is gone, a write fails, which must not end a request.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => interruption.terraformIsGone());
  const hook = new Hook({
    env: process.env,
    machine: thisMachine(),
    interruption,
    print: (text) => void process.stdout.write(text),
    printError: (text) => void process.stderr.write(text),
  });
  // Node would print an error of a timer or an event without hiding secrets.
  process.on("uncaughtException", (error) => {
    process.exitCode = hook.report(error);
    process.stderr.write("", () => process.exit());
  });
  const exitCode = await hook.run(process.argv[2]);
  // An error of a timer or an event may have set it.
  process.exitCode ??= exitCode;
  // Terraform must not wait for an idle connection or a proxy's socket.
  setTimeout(() => process.exit(), LINGER_MS).unref();
  await hook.close();
}

void main();
