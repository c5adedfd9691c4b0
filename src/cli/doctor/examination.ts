import { join } from "node:path";
import { NOTES_FOLDER, unwritable } from "../../host/notes-folder";
import { type CheckResult, doubtful, failed, good, wrong } from "./check-result";
import { hookPrograms } from "./hook-programs";
import { plugin } from "./plugin";
import { nodeInHcpTerraform, nodeOnPath, terraform } from "./programs";
import { services } from "./service";
import { settings } from "./settings";
import { readStack, type Stack } from "./stack";

export interface ExaminationOptions {
  readonly stack?: string;
  /** @default - the first of `terraform` and `tofu` that works */
  readonly terraform?: string;
}

/** Checks what an apply needs of the machine, the environment and the service, in the order in which it needs it. */
export async function* examine(options: ExaminationOptions, env: NodeJS.ProcessEnv): AsyncGenerator<CheckResult> {
  yield* terraform(options.terraform, env);
  yield* nodeOnPath(env);
  yield* settings(env);
  const stack = options.stack === undefined ? undefined : yield* synthesized(options.stack);
  if (stack) {
    yield* nodeInHcpTerraform(stack);
    yield* hookPrograms(stack, env);
    yield* plugin(stack, env);
  }
  // Every Platform of the stack may have its own service. Without a stack, the environment names the service.
  yield* services(stack && stack.connections.length > 0 ? stack.connections : [{}], env);
  if (!stack) return;
  yield* secrets(stack, env);
  yield* notes(stack);
}

function* synthesized(folder: string): Generator<CheckResult, Stack | undefined> {
  try {
    const stack = readStack(folder);
    if (stack.connections.length === 0)
      yield doubtful("stack", `${folder} has no Platform: pass the folder of a stack with a Platform`);
    return stack;
  } catch (error) {
    yield failed("stack", error);
    return undefined;
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

/** A create or a deletion sends nothing without its note. */
function* notes({ folder }: Stack): Generator<CheckResult> {
  const problem = unwritable(join(folder, NOTES_FOLDER));
  if (problem === undefined) return;
  yield wrong(
    "notes",
    `[INVALID_SETTING] ${problem}, so an apply that creates or deletes an object is refused: let the user that runs Terraform write there`,
  );
}
