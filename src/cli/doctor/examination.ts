import { doubtful, type CheckResult, good, wrong } from "./check-result";
import { nodeOnPath, terraform } from "./programs";
import { services } from "./service";
import { readStack, type Stack } from "./stack";

/** Everything that an apply will need, in the order in which it needs it. */
export async function* examine(
  options: { stack?: string; terraform?: string },
  env: NodeJS.ProcessEnv,
): AsyncGenerator<CheckResult> {
  yield* terraform(options.terraform, env);
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

function* hookPrograms({ programs, folder }: Stack): Generator<CheckResult> {
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

function* secrets({ secrets }: Stack, env: NodeJS.ProcessEnv): Generator<CheckResult> {
  const looked = secrets.map((secret) => ({ ...secret, why: secret.problem(env) }));
  const missing = looked.filter(({ why }) => why !== undefined);
  for (const { where, place, why } of missing)
    yield wrong(place, `needed by ${where}, but ${why}: provide it where Terraform runs`);
  if (missing.length < looked.length)
    yield good("secrets", `${looked.length - missing.length} of the ${looked.length} that the stack refers to are there`);
}

/** What is not found is not wrong: an option or a saved plan may give it. */
function* variables({ variables }: Stack, env: NodeJS.ProcessEnv): Generator<CheckResult> {
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
