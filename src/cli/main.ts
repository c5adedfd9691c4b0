#!/usr/bin/env node
import { ConfigurationError } from "../model/errors";
import { report, runCommand } from "./run-command";

for (const [name, stream] of [
  ["standard output", process.stdout],
  ["standard error", process.stderr],
] as const) {
  stream.on("error", ({ code }: NodeJS.ErrnoException) => {
    // The reader of the output, such as `head`, may close the pipe early. That is no failure.
    if (code === "EPIPE") return;
    process.exit(report(new ConfigurationError("INVALID_SETTING", `${name} cannot be written (${code})`)));
  });
}

void runCommand(process.argv.slice(2));
