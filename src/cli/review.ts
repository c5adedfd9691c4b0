import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { Command, InvalidArgumentError, Option } from "commander";
import { ClusterPlatformError, ConfigurationError } from "../model/errors";
import { nameOf } from "./report/document";
import { documentNames } from "./report/document-names";
import { FOUND } from "./report/exit-codes";
import { Mask } from "./report/mask";
import {
  appendOutput,
  collect,
  formatOption,
  type Output,
  readOutputs,
  showsColours,
  summaryOption,
  writeOutput,
} from "./report/output";
import { written } from "./report/phrase";
import { STACK_FILE } from "../synthesized/folder";
import { visible } from "../util/printable";
import { FAIL_ON, gate, type Gate, type GateOptions } from "./review/judge/gate";
import { FORMATS } from "./review/render/formats";
import { type FailedPlan, givenPlan, type GivenPlan, planHere } from "./review/plan/given-plan";
import { LEAST_BYTES, type MarkdownOptions, marker, reviewMarkdown } from "./review/render/markdown";
import { planDigest, type PlannedStack, readPlan } from "./review/plan/plan";
import type { Policy } from "./review/judge/policy";
import { hasChanges, type Review, reviewPlans } from "./review/judge/review";
import { atMost, denialPhrase } from "./review/render/wording";

/** A comment on GitHub holds 65,536 characters. */
const COMMENT_BYTES = 60_000;
/** The summary of a step on GitHub holds 1 MiB. */
const SUMMARY_BYTES = 1_000_000;
/** On standard error, which a person reads. */
const DENIALS_SAID = 30;

interface Options extends GateOptions {
  readonly synth: boolean;
  readonly left?: readonly string[];
  readonly outdated: boolean;
  readonly package?: string;
  readonly live: boolean;
  readonly format?: readonly string[];
  readonly policyCommit?: string;
  readonly policy?: readonly string[];
  readonly mask?: readonly string[];
  readonly summary?: string;
  readonly comment?: "github" | "gitlab";
  readonly pr?: number;
  readonly id: string;
  readonly maxBytes: number;
}

export const command = new Command("review")
  .argument(
    "[plan...]",
    "saved plans, plans as JSON, or what a failed plan has printed; - for standard input. With --synth: two folders. " +
      "Without a plan: plans the stack of this folder",
  )
  .option("--synth", "without a plan: compare two synthesized folders, of the applied program and of the changed one", false)
  .addOption(formatOption())
  .addOption(
    new Option("--left <folder>", "synthesized stack that left the code, with no plan; may be repeated")
      .argParser(collect)
      .conflicts("synth"),
  )
  .addOption(
    new Option("--live", "also look at the service and at this machine's notes; sends GETs only")
      .default(false)
      .conflicts("synth"),
  )
  .option("--outdated", "review plans of other code than their folders have now", false)
  .option("--package <folder>", "installed version of this package that has synthesized the stacks, if it is another one")
  .addOption(
    new Option("--fail-on <risk>", "deny this risk and higher ones, and plans whose apply will fail; none denies neither")
      .choices(FAIL_ON)
      .default("critical"),
  )
  .option("--fail-on-other-deletes", "deny a plan that deletes resources of other kinds", false)
  .option("--policy <file>", "what is allowed, and rules; may be repeated", collect)
  .option("--policy-commit <commit>", "commit that the policies were read from, for the end of the report", commitHash)
  .option("--mask <env:NAME>", "hide the value of this variable wherever it occurs; may be repeated", collect)
  .addOption(summaryOption())
  .addOption(
    new Option("--comment <platform>", "create or update the comment on the pull or merge request").choices(["github", "gitlab"]),
  )
  .option("--pr <number>", "number of the pull or merge request, if the pipeline does not provide it", pullRequestNumber)
  .option("--id <id>", "distinguishes the comments of several reviews on one pull request", identifier, "default")
  .option("--max-bytes <number>", "maximum length of the Markdown", byteCount, COMMENT_BYTES)
  .addHelpText(
    "after",
    "\nExits with 0 when nothing is denied, 1 on an error, 2 when a plan is denied." +
      "\nWith --live, CLUSTER_PLATFORM_URL names the service, else the url of the stack in the folder of the plan. The token comes from" +
      "\nCLUSTER_PLATFORM_TOKEN, _TOKEN_FILE or _TOKEN_COMMAND.",
  )
  .action(async (files: readonly string[], options: Options) => {
    // A review ends before optimized code is worth its compilation, which would take a third of the processor time.
    setFlagsFromString("--no-opt");
    if (options.synth) refuseUnlessFolders(files);
    const outputs = readOutputs(options.format ?? ["text"], [...files, ...(options.policy ?? [])]);
    const mask = options.mask && new Mask(options.mask, process.env);
    const policy = await readPolicies([...new Set(options.policy)]);
    const now = new Date();
    const foreign = await allowed(policy, now);
    const stacks = await (options.synth ? compareStacks(files, options, foreign) : readStacks(files, options, foreign));
    if ("output" in stacks) return showFailedPlan(stacks, outputs, mask, options);
    const reviewed = reviewPlans(stacks);
    const { failOn, failOnOtherDeletes } = options;
    const gated = gate(reviewed, { failOn, failOnOtherDeletes }, policy, now);
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
    process.exitCode = result.passed ? 0 : FOUND;
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
  { outdated, live, left = [], package: packageFolder }: Options,
  allowedForeign: PlannedStack["allowedForeign"],
): Promise<PlannedStack[] | FailedPlan> {
  const named = files.length > 0 ? files : [planHere()];
  const names = documentNames(named, "plan");
  const given = named.map(givenPlan);
  const failed = given.find((each) => "output" in each);
  if (failed && given.length > 1) {
    throw new ConfigurationError("INVALID_SETTING", "command line: the output of a failed plan must be the only argument");
  }
  if (failed) return failed;
  const plans = given as GivenPlan[];
  const planned = await Promise.all(
    plans.map(async ({ file, json, folder, planFile }, index): Promise<PlannedStack> => {
      const plan = readPlan(json, file);
      let digest: string | undefined;
      const look = live && { look: await (await import("./review/plan/look")).lookAt(plan, folder) };
      const stack = { name: names[index]!, plan, digest: () => (digest ??= planDigest(json)), allowedForeign, ...look };
      if (folder === undefined) return stack;
      // It loads cdktf, which takes longer than a review.
      const { configurationIn, filesInFolder, filesInPlan, isOutdated } = await import("./review/plan/configuration-files");
      // Terraform applies what a saved plan has.
      const files = planFile === undefined ? filesInFolder(folder) : filesInPlan(planFile, folder);
      if (!outdated && isOutdated(folder, planFile === undefined ? plan.timestamp : files)) throw ofOtherCode(file, folder);
      return { ...stack, ...configurationIn(files, planFile ?? join(folder, STACK_FILE), packageFolder) };
    }),
  );
  if (left.length === 0) return planned;
  const { stackThatLeft } = await import("./review/synth/compared-folders");
  return [...planned, ...left.map((folder) => stackThatLeft(folder))];
}

function ofOtherCode(file: string, folder: string): ClusterPlatformError {
  return new ClusterPlatformError(
    "INVALID_DOCUMENT",
    `${nameOf(file)} is older than the code in ${folder}, so it is not what that code does; plan again, or review this plan all the same with --outdated`,
  );
}

/** @throws INVALID_SETTING */
function refuseUnlessFolders(files: readonly string[]): void {
  if (files.length === 2 && !files.includes("-")) return;
  throw new ConfigurationError(
    "INVALID_SETTING",
    `command line: '--synth' must come with two folders: that of the program that is applied, and that of the changed program; got ${files.join(" ") || "none"}`,
  );
}

async function compareStacks(
  [base, head]: readonly string[],
  { package: packageFolder }: Options,
  allowedForeign: PlannedStack["allowedForeign"],
): Promise<PlannedStack[]> {
  const { comparedFolders } = await import("./review/synth/compared-folders");
  return comparedFolders(base!, head!, packageFolder).map((stack) => ({ ...stack, allowedForeign }));
}

function sayDenials({ stacks }: Review, { denials }: Gate): void {
  const lines = atMost(
    denials.map((denial) => denialPhrase(denial, stacks.length > 1)),
    DENIALS_SAID,
  );
  process.stderr.write(lines.map((line) => `denied: ${written(line, visible)}\n`).join(""));
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

/** A plan that failed is denied. Its comment replaces that about an earlier plan, which would be wrong for the current change. */
async function showFailedPlan(
  { output }: FailedPlan,
  outputs: readonly Output[],
  mask: Mask | undefined,
  options: Options,
): Promise<void> {
  const { failedPlanMarkdown, failedPlanText, withoutSecrets } = await import("./review/render/failed-plan");
  const { id, maxBytes } = options;
  const shown = withoutSecrets(mask?.apply(output) ?? output);
  const text = (more: Partial<MarkdownOptions>) => failedPlanMarkdown(shown, { id, maxBytes, ...more });
  for (const each of outputs) {
    if (!FORMATS[each.format].saysDenials) {
      throw new ConfigurationError(
        "INVALID_SETTING",
        `command line: '--format ${each.format}' must come with a plan that did not fail`,
      );
    }
    writeOutput(each, each.format === "text" ? failedPlanText(shown) : text({}));
  }
  if (options.summary !== undefined) appendOutput(options.summary, text({ maxBytes: Math.max(SUMMARY_BYTES, maxBytes) }));
  if (options.comment) await comment(options.comment, options, (origin) => text({ origin }), true);
  process.exitCode = FOUND;
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
