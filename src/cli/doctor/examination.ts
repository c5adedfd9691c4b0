import { comparison } from "./compare/comparison";
import { failed } from "./failed";
import { doubtful, type CheckResult, good, wrong } from "./check-result";
import { hookPrograms } from "./hook-programs";
import { plugin } from "./plugin";
import { nodeInHcpTerraform, nodeOnPath, terraform } from "./programs";
import { services } from "./service";
import { connectionsOf, readStack, type Stack } from "./stack";
import { readState } from "./state";

export interface ExaminationOptions {
  readonly stack?: string;
  /** @default - the output of `terraform show -json` in the folder of the stack */
  readonly state?: string;
  /** @default - the first of `terraform` and `tofu` that works */
  readonly terraform?: string;
}

/** Checks everything that an apply needs, in the order in which it needs it. */
export async function* examine(options: ExaminationOptions, env: NodeJS.ProcessEnv): AsyncGenerator<CheckResult> {
  const program = yield* terraform(options.terraform, env);
  yield* nodeOnPath(env);
  let stack: Stack | undefined;
  if (options.stack !== undefined) {
    try {
      stack = readStack(options.stack);
    } catch (error) {
      yield wrong("stack", (error as Error).message);
    }
  }
  if (stack) {
    yield* nodeInHcpTerraform(stack);
    yield* hookPrograms(stack, env);
    yield* plugin(stack, program, env);
  }
  // Every Platform of the stack may have its own service. Without a stack, the environment names the service.
  const live = yield* services(stack && stack.platforms.length > 0 ? connectionsOf(stack) : [{}], env);
  if (!stack) return;
  yield* secrets(stack, env);
  yield* variables(stack, env);
  if (stack.platforms.length === 0) return;
  try {
    yield* comparison(stack, await readState(stack, options.state, program?.command, env), live, env);
  } catch (error) {
    yield failed("state", error);
  }
}

function* secrets({ secrets }: Stack, env: NodeJS.ProcessEnv): Generator<CheckResult> {
  const looked = secrets.map((secret) => ({ ...secret, why: secret.problem(env) }));
  const missing = looked.filter(({ why }) => why !== undefined);
  for (const { where, place, why } of missing)
    yield wrong(place, `${where} needs it, but ${why}: provide it where Terraform runs`);
  if (missing.length < looked.length)
    yield good("secrets", `${looked.length - missing.length} of the ${looked.length} that the stack needs are available`);
}

/** A variable without a value here is not wrong, because an option or a saved plan may give it. */
function* variables({ variables }: Stack, env: NodeJS.ProcessEnv): Generator<CheckResult> {
  const lacking = variables.filter((variable) => !variable.given(env));
  for (const { name } of lacking) {
    yield doubtful(
      `variable ${name}`,
      `it has no default, and no tfvars file in the stack's folder sets it: set TF_VAR_${name} where Terraform runs, unless -var, -var-file or a saved plan sets it`,
    );
  }
  if (lacking.length < variables.length)
    yield good("variables", `${variables.length - lacking.length} of the ${variables.length} without a default are set`);
}
