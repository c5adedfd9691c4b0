import { Command } from "commander";
import { styleText } from "node:util";
import { examine } from "./doctor/examination";
import type { CheckResult } from "./doctor/check-result";

export const command = new Command("doctor")
  .option("--stack <folder>", "a synthesized stack, as in cdktf.out/stacks/production: check what it needs, too")
  .option("--terraform <program>", "the program that applies", process.env.TERRAFORM_BINARY_NAME || undefined)
  .addHelpText("after", "\nRun it where Terraform runs, with the same environment. Nothing is changed, on the service or here.")
  .action(async (options: { stack?: string; terraform?: string }) => {
    const verdicts = new Set<CheckResult["verdict"]>();
    for await (const finding of examine(options, process.env)) {
      console.log(line(finding));
      verdicts.add(finding.verdict);
    }
    console.log(`\n${conclusion(verdicts)}`);
    process.exitCode = verdicts.has("wrong") ? 1 : 0;
  });

function conclusion(verdicts: ReadonlySet<CheckResult["verdict"]>): string {
  if (verdicts.has("wrong")) return "Not ready: see what is marked wrong above.";
  return verdicts.has("doubtful") ? "Ready to apply, if what is marked check above is meant so." : "Ready to apply.";
}

const MARKS = { good: ["green", "good "], doubtful: ["yellow", "check"], wrong: ["red", "WRONG"] } as const;

function line({ verdict, subject, message }: CheckResult): string {
  const [color, mark] = MARKS[verdict];
  return `${process.stdout.isTTY ? styleText(color, mark) : mark}  ${subject}: ${message}`;
}
