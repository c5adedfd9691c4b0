import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { doubtful, type Finding, good, wrong } from "./finding";
import { services } from "./service";
import { readStack, type Stack } from "./stack";

/** Older ones lack terraform_data's behaviour that the stacks rely on. */
const OLDEST = { terraform: [1, 5], tofu: [1, 6] } as const;
const OLDEST_NODE = [20, 18] as const;

/** Everything that an apply will need, in the order in which it needs it. */
export async function* examine(options: { stack?: string; terraform?: string }, env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  yield* terraform(options.terraform);
  yield* nodeOnPath(env);
  let stack: Stack | undefined;
  if (options.stack !== undefined) {
    try {
      stack = readStack(options.stack);
    } catch (error) {
      yield wrong("stack", (error as Error).message);
    }
  }
  if (stack) yield* hookPrograms(stack);
  // Every Platform of the stack may have a service of its own; without a stack it is the environment's.
  yield* services(stack && stack.connections.length > 0 ? stack.connections : [{}], env);
  if (stack) yield* secrets(stack, env);
  if (stack) yield* variables(stack, env);
}

async function* terraform(chosen: string | undefined): AsyncGenerator<Finding> {
  const candidates = chosen === undefined ? ["terraform", "tofu"] : [chosen];
  for (const program of candidates) {
    const version = await versionOf(program);
    if (!version) continue;
    const { name, text, numbers } = version;
    const oldest = OLDEST[name];
    yield atLeast(numbers, oldest)
      ? good(program, `${text}`)
      : wrong(program, `${text}, but ${oldest.join(".")} is the oldest that works: install a newer one`);
    return;
  }
  yield wrong(
    candidates.join(" or "),
    "not on the PATH: install Terraform 1.5 (https://developer.hashicorp.com/terraform/install) or OpenTofu 1.6 (https://opentofu.org/docs/intro/install), or newer",
  );
}

async function versionOf(program: string): Promise<{ name: "terraform" | "tofu"; text: string; numbers: number[] } | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ["version"], { env: { ...process.env, CHECKPOINT_DISABLE: "1" } });
    const [text, product, version] = /(Terraform|OpenTofu) v(\S+)/.exec(stdout) ?? [];
    if (!text) return undefined;
    return { name: product === "Terraform" ? "terraform" : "tofu", text, numbers: version!.split(".").map(Number) };
  } catch {
    return undefined;
  }
}

function atLeast(actual: readonly number[], [major, minor]: readonly [number, number]): boolean {
  return actual[0]! > major || (actual[0] === major && actual[1]! >= minor);
}

/** The hooks run the node of the PATH, which need not be the one that runs this. */
async function* nodeOnPath(env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  try {
    const { stdout } = await promisify(execFile)("node", ["--version"], { env });
    const version = stdout.trim().replace(/^v/, "");
    yield atLeast(version.split(".").map(Number), OLDEST_NODE)
      ? good("node", version)
      : wrong(
          "node",
          `${version}, but ${OLDEST_NODE.join(".")} is the oldest that works: put a newer one on the PATH of Terraform`,
        );
  } catch {
    yield wrong("node", "not on the PATH: the hooks of a stack are run by node; install version 20.18.1 or newer");
  }
}

function* hookPrograms({ programs, folder }: Stack): Generator<Finding> {
  if (programs.length === 0)
    yield doubtful(
      "stack",
      `${folder} has no hooks, as no Platform was synthesized into it: give the folder of a stack that has one`,
    );
  for (const { path, present } of programs) {
    yield present
      ? good("hook program", path)
      : wrong("hook program", `${path} is missing below ${folder}: synthesize again, and move the folder with its assets`);
  }
}

function* secrets({ secrets }: Stack, env: NodeJS.ProcessEnv): Generator<Finding> {
  const looked = secrets.map((secret) => ({ ...secret, why: secret.lack(env) }));
  const missing = looked.filter(({ why }) => why !== undefined);
  for (const { where, place, why } of missing)
    yield wrong(place, `needed by ${where}, but ${why}: provide it where Terraform runs`);
  if (missing.length < looked.length)
    yield good("secrets", `${looked.length - missing.length} of the ${looked.length} that the stack refers to are there`);
}

/** What is not found is not wrong: an option or a saved plan may give it. */
function* variables({ variables }: Stack, env: NodeJS.ProcessEnv): Generator<Finding> {
  const lacking = variables.filter((variable) => !variable.given(env));
  for (const { name } of lacking) {
    yield doubtful(
      `variable ${name}`,
      `it has no default, and no tfvars file of the stack's folder gives it: set TF_VAR_${name} where Terraform runs, unless -var, -var-file or a saved plan gives it`,
    );
  }
  if (lacking.length < variables.length)
    yield good("variables", `${variables.length - lacking.length} of the ${variables.length} that have no default are given`);
}
