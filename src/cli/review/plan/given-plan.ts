import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { ClusterPlatformError, ConfigurationError } from "../../../model/errors";
import { STACK_FILE } from "../../../synthesized/folder";
import { bounded, visible } from "../../../util/printable";
import { isArchive, parseDocument, readBytes } from "../../report/document";
import { stackFolderOf, STACKS, stacksIn } from "../../report/synthesized-folder";
import { terraformPrograms } from "../../report/terraform-programs";
import { PLAN_DOCUMENT } from "./plan";

export interface GivenPlan {
  readonly file: string;
  readonly json: unknown;
  /** Of the synthesized stack. Undefined if the plan does not lie in one. */
  readonly folder: string | undefined;
  /** The file of a saved plan. It has the configuration that Terraform applies. */
  readonly planFile?: string;
}

/** What Terraform has printed, and no plan. */
export interface FailedPlan {
  readonly output: string;
}

/**
 * Finds out what a file has: a saved plan, a plan as JSON, or the output of a plan that failed.
 * @param file `-` for standard input
 * @throws INVALID_DOCUMENT
 */
export function givenPlan(file: string): GivenPlan | FailedPlan {
  const bytes = readBytes(file);
  const folder = stackFolderOf(file);
  if (isArchive(bytes) && file !== "-") {
    return { file, json: parseDocument(shown(file), file, PLAN_DOCUMENT), folder, planFile: file };
  }
  const output = failureIn(bytes);
  return output === undefined ? { file, json: parseDocument(bytes, file, PLAN_DOCUMENT), folder } : { output };
}

function failureIn(bytes: Buffer): string | undefined {
  const text = stripVTControlCharacters(bytes.toString("utf8"));
  return /^\s*[[{]/.test(text) || !/^(?:│ )?Error: /m.test(text) ? undefined : text;
}

/** The JSON of a saved plan. Terraform needs the providers of the folder to read it. */
function shown(file: string): Buffer {
  const folder = dirname(resolve(file));
  const { program, ran } = terraform(["show", "-json", basename(file)], folder, "pipe", withoutTokens(process.env));
  if (ran.status === 0) return ran.stdout;
  const [said] = /Error: .*/.exec(stripVTControlCharacters(ran.stderr.toString("utf8"))) ?? [];
  throw new ClusterPlatformError(
    "INVALID_DOCUMENT",
    `${file} cannot be read: '${program} show -json ${basename(file)}' fails in ${folder} (${bounded(visible(said ?? String(ran.error ?? ran.status)), 300)}); run '${program} init' there, or name a plan that it has made`,
  );
}

/**
 * Plans the stack of the working directory.
 * @returns the saved plan
 * @throws INVALID_SETTING if there is not exactly one stack, or if the plan fails
 */
export function planHere(): string {
  const folder = stackHere();
  const { program, ran } = terraform(["plan", "-input=false", "-out=plan"], folder, STANDARD_ERROR);
  if (ran.status === 0) return join(folder, "plan");
  throw new ConfigurationError("INVALID_SETTING", `'${program} plan' fails in ${folder}, and says above why`);
}

/** Where `cdktf synth` writes. */
const OUTPUT = "cdktf.out";

function stackHere(): string {
  if (existsSync(STACK_FILE)) return ".";
  const stacks = stacksIn(OUTPUT);
  if (stacks.size === 1) return [...stacks.values()][0]!;
  const all = join(OUTPUT, STACKS);
  const got = stacks.size === 0 ? `neither ${STACK_FILE} nor ${all}` : `the stacks ${[...stacks.keys()].join(", ")}`;
  throw new ConfigurationError(
    "INVALID_SETTING",
    `command line: a plan must be named, because this folder has ${got}; run 'terraform plan -out plan' in the folder of each stack, then 'cluster-platform review ${all}/*/plan'`,
  );
}

const STANDARD_ERROR = 2;

/** To read a plan, Terraform starts programs of the plan's folder, and in a pipeline these come with the change under review. */
function withoutTokens(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/TOKEN|SECRET|PASSWORD/i.test(name)));
}

function terraform(
  args: readonly string[],
  cwd: string,
  output: "pipe" | typeof STANDARD_ERROR,
  env: NodeJS.ProcessEnv = process.env,
) {
  for (const program of terraformPrograms(process.env.TERRAFORM_BINARY_NAME)) {
    const ran = spawnSync(program, args, { cwd, env, stdio: ["ignore", output, output], maxBuffer: Infinity });
    if ((ran.error as NodeJS.ErrnoException | undefined)?.code !== "ENOENT") return { program, ran };
  }
  throw new ConfigurationError("INVALID_SETTING", "no Terraform is on the PATH: install it, or name it in TERRAFORM_BINARY_NAME");
}
