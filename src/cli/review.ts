import { resolve } from "node:path";
import { setFlagsFromString } from "node:v8";
import { Command, InvalidArgumentError, Option } from "commander";
import { ConfigurationError } from "../model/errors";
import { readBytes, readDocument } from "./report/document";
import { documentNames } from "./report/document-names";
import { Mask } from "./report/mask";
import { appendOutput, collect, readOutputs, showsColours, writeOutput } from "./report/output";
import { written } from "./report/phrase";
import { visible } from "../util/printable";
import { FAIL_ON, type FailOn, gate, type Gate } from "./review/judge/gate";
import { FORMAT_NAMES, FORMATS } from "./review/render/formats";
import { LEAST_BYTES, type MarkdownOptions, marker, reviewMarkdown } from "./review/render/markdown";
import { PLAN_DOCUMENT, planDigest, type PlannedStack, readPlan } from "./review/plan/plan";
import type { Policy } from "./review/judge/policy";
import { hasChanges, type Review, reviewPlans } from "./review/judge/review";
import { denialPhrase } from "./review/render/wording";

/** A comment on GitHub holds 65,536 characters. */
const COMMENT_BYTES = 60_000;
/** The summary of a step on GitHub holds 1 MiB. */
const SUMMARY_BYTES = 1_000_000;

const CHANGES = 2;
const DENIED = 3;

interface Options {
  readonly synth: boolean;
  readonly format?: readonly string[];
  readonly stack?: readonly string[];
  readonly planFile?: readonly string[];
  readonly failOn?: FailOn;
  readonly failOnRefused?: boolean;
  readonly failOnOtherDeletes: boolean;
  readonly policyCommit?: string;
  readonly allow?: readonly string[];
  readonly policy?: readonly string[];
  readonly mask?: readonly string[];
  readonly summary?: string;
  readonly comment?: "github" | "gitlab";
  readonly pr?: number;
  readonly id: string;
  readonly maxBytes: number;
  readonly detailedExitcode: boolean;
  readonly planFailed?: string;
}

export const command = new Command("review")
  .argument("[plan...]", "plans as JSON, from `terraform show -json PLAN`; - for standard input. With --synth: two folders")
  .option("--synth", "without a plan: compare two synthesized folders, of the applied program and of the changed one", false)
  .option(
    "-o, --format <format[=file]>",
    `${FORMAT_NAMES.join(", ")}; may be repeated, with a file for all but one (default: text)`,
    collect,
  )
  .option("--stack <folder>", "synthesized stack of a plan, in the order of the plans: its hooks and required secrets", collect)
  .option(
    "--plan-file <file>",
    "saved plan of a plan, in the order of the plans: shows the configuration that Terraform has planned",
    collect,
  )
  .addOption(
    new Option("--fail-on <risk>", "deny this risk and higher ones (default: critical in CI, none elsewhere)").choices(FAIL_ON),
  )
  .option("--fail-on-refused", "deny a plan whose apply will fail (default: in CI)")
  .option("--no-fail-on-refused", "pass a plan whose apply will fail")
  .option("--fail-on-other-deletes", "deny a plan that deletes resources of other kinds", false)
  .option("--allow <file>", "policy with allowed pairs of object and verdict; may be repeated", collect)
  .option("--policy <file>", "policy with rules; may be repeated, and may be the same file", collect)
  .option("--policy-commit <commit>", "commit that the policies were read from, for the end of the report", commitHash)
  .option("--mask <env:NAME>", "hide the value of this variable wherever it occurs; may be repeated", collect)
  .option("--summary <file>", "append the Markdown to this file, as for $GITHUB_STEP_SUMMARY")
  .addOption(
    new Option("--comment <platform>", "create or update the comment on the pull or merge request").choices(["github", "gitlab"]),
  )
  .option("--pr <number>", "number of the pull or merge request, if the pipeline does not provide it", pullRequestNumber)
  .option("--id <id>", "distinguishes the comments of several reviews on one pull request", identifier, "default")
  .option("--max-bytes <number>", "maximum length of the Markdown", byteCount, COMMENT_BYTES)
  .option("--plan-failed <file>", "the plan failed: show this output of Terraform in place of a review; - for standard input")
  .option("--detailed-exitcode", "exit with 2 when there are changes", false)
  .addHelpText("after", "\nExits with 0 when nothing is denied, 1 on an error, 3 when a plan is denied.")
  .action(async (files: readonly string[], options: Options) => {
    // A review ends before optimized code is worth its compilation, which would take a third of the processor time.
    setFlagsFromString("--no-opt");
    if (options.planFailed !== undefined) return showFailedPlan(files, options.planFailed, options);
    if (options.synth) refuseWithSynth(files, options);
    if (files.length === 0) return command.error("error: missing required argument 'plan'");
    const inputs = [...files, ...(options.allow ?? []), ...(options.policy ?? [])];
    const outputs = readOutputs(options.format ?? ["text"], FORMAT_NAMES, inputs);
    const mask = options.mask && new Mask(options.mask, process.env);
    const policy = await readPolicies([...new Set([...(options.allow ?? []), ...(options.policy ?? [])])]);
    const now = new Date();
    const foreign = await allowed(policy, now);
    const reviewed = reviewPlans(await (options.synth ? compareStacks(files, foreign) : readStacks(files, options, foreign)));
    const denying = {
      failOn: options.failOn ?? (isCi(process.env) ? "critical" : "none"),
      failOnRefused: options.failOnRefused ?? isCi(process.env),
      failOnOtherDeletes: options.failOnOtherDeletes,
    };
    const gated = gate(reviewed, denying, policy, now);
    const { review, gate: result } = await applyMask(reviewed, gated, mask);

    const markdown = { id: options.id, maxBytes: options.maxBytes, policyCommit: options.policyCommit };
    for (const output of outputs) {
      const coloured = output.file === undefined && showsColours(process.env);
      writeOutput(output, await FORMATS[output.format].render(review, result, { markdown, coloured }));
    }
    if (!outputs.some(({ format, file }) => file === undefined && FORMATS[format].saysDenials)) sayDenials(review, result);
    if (options.summary !== undefined) {
      appendOutput(
        options.summary,
        reviewMarkdown(review, result, { ...markdown, maxBytes: Math.max(SUMMARY_BYTES, options.maxBytes) }),
      );
    }
    if (options.comment) {
      const text = (origin: Origin) => reviewMarkdown(review, result, { ...markdown, origin });
      await comment(options.comment, options, text, hasChanges(review) || !result.passed);
    }
    process.exitCode = exitCode(review, result, options.detailedExitcode);
  });

/** The schema of policies takes longer to load than a plan takes to read, so it is loaded only for them. */
async function readPolicies(files: readonly string[]): Promise<Policy> {
  return files.length > 0 ? (await import("./review/judge/policy")).readPolicy(files) : { allow: [], rules: [], foreign: [] };
}

async function allowed(policy: Policy, now: Date): Promise<PlannedStack["allowedForeign"]> {
  return policy.foreign.length > 0 ? (await import("./review/judge/policy")).allowedForeign(policy, now) : undefined;
}

async function applyMask(review: Review, result: Gate, mask: Mask | undefined): Promise<{ review: Review; gate: Gate }> {
  if (mask === undefined) return { review, gate: result };
  return (await import("./review/render/masked")).masked({ review, gate: result }, (text) => mask.apply(text));
}

async function readStacks(
  files: readonly string[],
  { stack: folders = [], planFile: planFiles = [] }: Options,
  allowedForeign: PlannedStack["allowedForeign"],
): Promise<PlannedStack[]> {
  const names = documentNames(
    files,
    "plan",
    folders.map((folder) => resolve(folder)),
  );
  const plans = files.map((file) => {
    const json = readDocument(file, PLAN_DOCUMENT);
    let digest: string | undefined;
    return { plan: readPlan(json, file), digest: () => (digest ??= planDigest(json)) };
  });
  for (const [option, given] of [
    ["--stack", folders],
    ["--plan-file", planFiles],
  ] as const) {
    if (given.length === 0 || given.length === files.length) continue;
    throw new ConfigurationError(
      "INVALID_SETTING",
      `command line: '${option}' must be given once for each plan and in their order, got ${given.length} for ${files.length}`,
    );
  }
  const named = plans.map((planned, index) => ({ name: names[index]!, ...planned }));
  if (folders.length + planFiles.length === 0) return named;
  // It loads cdktf, which takes longer than a review.
  const { configurationOf } = await import("./review/plan/configuration-files");
  return named.map((planned, index) => ({
    ...planned,
    ...configurationOf({
      folder: folders[index],
      planFile: planFiles[index],
      shown: { plan: planned.plan, file: files[index]! },
    }),
    allowedForeign,
  }));
}

function refuseWithSynth(files: readonly string[], { stack = [], planFile = [] }: Options): void {
  const refuse = (rule: string) => new ConfigurationError("INVALID_SETTING", `command line: '--synth' must come ${rule}`);
  if (stack.length > 0) throw refuse("without --stack, because it reads the stacks of its two folders");
  if (planFile.length > 0) throw refuse("without --plan-file, because it needs no plan");
  if (files.length === 2 && !files.includes("-")) return;
  const got = files.length === 0 ? "none" : files.join(" ");
  throw refuse(`with two folders: that of the program that is applied, and that of the changed program; got ${got}`);
}

async function compareStacks(
  [base, head]: readonly string[],
  allowedForeign: PlannedStack["allowedForeign"],
): Promise<PlannedStack[]> {
  const { comparedFolders } = await import("./review/synth/compared-folders");
  return comparedFolders(base!, head!).map((stack) => ({ ...stack, allowedForeign }));
}

function sayDenials({ stacks }: Review, { denials }: Gate): void {
  const texts = denials.map((denial) => written(denialPhrase(denial, stacks.length > 1), visible));
  process.stderr.write(texts.map((text) => `denied: ${text}\n`).join(""));
}

/** If the comment cannot be written, prints a warning. The exit code depends only on the verdict. */
async function comment(
  platform: "github" | "gitlab",
  { id, pr }: Options,
  text: (origin: Origin) => string,
  worthMaking: boolean,
): Promise<void> {
  try {
    const { bringUpToDate } = await import("./review/comment/comment");
    const { comments, origin } = await openComments(platform, pr);
    try {
      const outcome = await bringUpToDate(comments, marker(id), text(origin), worthMaking);
      process.stderr.write(`comment: ${outcome}\n`);
    } finally {
      await comments.close();
    }
  } catch (error) {
    process.stderr.write(`warning: the comment was not posted: ${visible((error as Error).message)}\n`);
  }
}

/** Replaces the comment about an earlier plan, because it would be wrong for the current change. */
async function showFailedPlan(files: readonly string[], file: string, options: Options): Promise<void> {
  const refuse = (rule: string) => new ConfigurationError("INVALID_SETTING", `command line: '--plan-failed' must come ${rule}`);
  if (options.synth) throw refuse("without --synth, because no plan failed");
  if (files.length > 0) throw refuse(`without plans, got ${files.join(" ")}`);
  const { failedPlanMarkdown } = await import("./review/render/failed-plan");
  const output = readBytes(file).toString();
  const mask = options.mask && new Mask(options.mask, process.env);
  const text = (more: Pick<MarkdownOptions, "maxBytes" | "origin">) =>
    failedPlanMarkdown(output, (shown) => mask?.apply(shown) ?? shown, { id: options.id, ...more });
  const { maxBytes } = options;
  if (options.summary !== undefined) appendOutput(options.summary, text({ maxBytes: Math.max(SUMMARY_BYTES, maxBytes) }));
  // Without an output, only an earlier review is wrong.
  if (options.comment) await comment(options.comment, options, (origin) => text({ maxBytes, origin }), output.trim() !== "");
}

type Origin = NonNullable<MarkdownOptions["origin"]>;

async function openComments(platform: "github" | "gitlab", pr: number | undefined) {
  if (platform === "github") {
    const { githubComments, githubOrigin } = await import("./review/comment/github");
    return { comments: githubComments(process.env, pr), origin: githubOrigin(process.env) };
  }
  const { gitlabComments, gitlabOrigin } = await import("./review/comment/gitlab");
  return { comments: gitlabComments(process.env, pr), origin: gitlabOrigin(process.env) };
}

function exitCode(review: Review, { passed }: Gate, detailed: boolean): number {
  if (!passed) return DENIED;
  return detailed && hasChanges(review) ? CHANGES : 0;
}

function isCi({ CI }: NodeJS.ProcessEnv): boolean {
  return CI !== undefined && !/^(|0|false)$/i.test(CI);
}

function identifier(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be letters, digits, '.', '_' and '-', at most 100.");
}

function byteCount(text: string): number {
  if (/^\d+$/.test(text) && Number(text) >= LEAST_BYTES) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number, at least ${LEAST_BYTES}.`);
}

function pullRequestNumber(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

function commitHash(text: string): string {
  if (/^[0-9a-f]{7,64}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be the hash of a commit.");
}
