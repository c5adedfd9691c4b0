import { Command } from "commander";
import { styleText } from "node:util";
import { examine, type ExaminationOptions } from "./doctor/examination";
import type { CheckResult } from "./doctor/check-result";
import { visible } from "../model/printable";

export const command = new Command("doctor")
  .option("--stack <folder>", "a synthesized stack, as in cdktf.out/stacks/production: check its requirements, too")
  .option(
    "--state <file>",
    "with --stack: its state as JSON, from `terraform show -json` (default: runs that command in the folder)",
  )
  .option("--terraform <program>", "the program that runs plan and apply", process.env.TERRAFORM_BINARY_NAME || undefined)
  .addHelpText(
    "after",
    "\nRun it where Terraform runs, with the same environment, and with --stack after 'terraform init'. It changes nothing." +
      "\nExits with 0 when no line is marked WRONG, 1 otherwise.",
  )
  .action(async (options: ExaminationOptions) => {
    const verdicts = new Set<CheckResult["verdict"]>();
    for await (const finding of examine(options, process.env)) {
      console.log(line(finding));
      verdicts.add(finding.verdict);
    }
    console.log(`\n${conclusion(verdicts)}`);
    process.exitCode = verdicts.has("wrong") ? 1 : 0;
  });

function conclusion(verdicts: ReadonlySet<CheckResult["verdict"]>): string {
  if (verdicts.has("wrong")) return "Not ready: correct the lines marked wrong above.";
  return verdicts.has("doubtful")
    ? "Nothing is wrong, but read the lines marked check above before you apply."
    : "Ready to apply.";
}

const MARKS = { good: ["green", "good "], doubtful: ["yellow", "check"], wrong: ["red", "WRONG"] } as const;

function line({ verdict, subject, message }: CheckResult): string {
  const [color, mark] = MARKS[verdict];
  return `${process.stdout.isTTY ? styleText(color, mark) : mark}  ${visible(`${subject}: ${message}`)}`;
}
