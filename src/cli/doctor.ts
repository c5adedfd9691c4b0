import { Command, Option } from "commander";
import { styleText } from "node:util";
import { examine, type ExaminationOptions } from "./doctor/examination";
import type { CheckResult } from "./doctor/check-result";
import { terminalJson } from "./report/json";
import { visible } from "../util/printable";
import { FOUND } from "./report/exit-codes";

interface Options extends ExaminationOptions {
  readonly format: "text" | "json";
}

export const command = new Command("doctor")
  .option("--stack <folder>", "a synthesized stack, as in cdktf.out/stacks/production: check its requirements, too")
  .option("--terraform <program>", "the program that runs plan and apply", process.env.TERRAFORM_BINARY_NAME || undefined)
  .addOption(new Option("-o, --format <format>", "output format").choices(["text", "json"]).default("text"))
  .addHelpText(
    "after",
    "\nRun it where Terraform runs, with the same environment. It changes nothing, and reads neither the state nor a plan." +
      "\nExits with 0 when no line is marked WRONG, 1 on an error, 2 otherwise.",
  )
  .action(async ({ format, ...options }: Options) => {
    const checks: CheckResult[] = [];
    for await (const check of examine(options, process.env)) {
      if (format === "text") console.log(line(check));
      checks.push(check);
    }
    const has = (verdict: CheckResult["verdict"]) => checks.some((check) => check.verdict === verdict);
    const ready = !has("wrong");
    console.log(format === "text" ? `\n${conclusion(ready, has("check"))}` : terminalJson({ version: 1, ready, checks }, 2));
    process.exitCode = ready ? 0 : FOUND;
  });

function conclusion(ready: boolean, isToRead: boolean): string {
  if (!ready) return "Not ready: correct the lines marked WRONG above.";
  return isToRead ? "Nothing is wrong, but read the lines marked check above before you apply." : "Ready to apply.";
}

const MARKS = { good: ["green", "good "], check: ["yellow", "check"], wrong: ["red", "WRONG"] } as const;

function line({ verdict, subject, message }: CheckResult): string {
  const [color, mark] = MARKS[verdict];
  return `${process.stdout.isTTY ? styleText(color, mark) : mark}  ${visible(`${subject}: ${message}`)}`;
}
