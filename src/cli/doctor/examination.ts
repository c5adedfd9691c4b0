import { existsSync } from "node:fs";
import { join } from "node:path";
import { NOTES_FOLDER, unwritable } from "../../host/notes-folder";
import { comparison } from "./compare/comparison";
import { failed } from "./failed";
import { doubtful, type CheckResult, good, wrong } from "./check-result";
import { hookPrograms } from "./hook-programs";
import { plugin } from "./plugin";
import { nodeInHcpTerraform, nodeOnPath, terraform } from "./programs";
import { mayBeCreated } from "./compare/planned";
import { services } from "./service";
import { misspelledSettings } from "./settings";
import { connectionsOf, readStack, type Stack } from "./stack";
import { readState, type State } from "./state";

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
  yield* misspelledSettings(env);
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
  const state = await readState(stack, options.state, program?.command, env).catch((error: unknown) => failed("state", error));
  const isCreated = "verdict" in state ? () => true : mayBeCreated(stack, state, live);
  yield* secrets(stack, isCreated, env);
  yield* notesFolderOf(stack, isCreated);
  yield* variables(stack, env);
  if ("verdict" in state) return yield state;
  if (options.state !== undefined && "resources" in state && state.resources.length === 0)
    yield doubtful(
      "state",
      `${options.state} has no resources, which is right only before the first apply. If there was one, is the file of another folder or workspace?`,
    );
  yield* notes(stack, state);
  // A Platform that left the code may have left its objects in the state.
  if (stack.platforms.length === 0 && !("objects" in state && state.objects.length > 0))
    yield doubtful("stack", `${stack.folder} has no Platform: pass the folder of a stack with a Platform`);
  try {
    yield* comparison(stack, state, live, env);
  } catch (error) {
    yield failed("state", error);
  }
}

/** Only a create needs the secrets of its object. */
function* secrets(
  { secrets }: Stack,
  isCreated: ReturnType<typeof mayBeCreated>,
  env: NodeJS.ProcessEnv,
): Generator<CheckResult> {
  const looked = secrets.map((secret) => ({ ...secret, why: secret.problem(env) }));
  const missing = looked.filter(({ why }) => why !== undefined);
  for (const { where, place, why, of } of missing) {
    yield isCreated(of)
      ? wrong(place, `${where} needs it, but ${why}: provide it where Terraform runs`)
      : doubtful(place, `${where} needs it to create the object again, for example with -replace, but ${why}`);
  }
  if (missing.length < looked.length)
    yield good("secrets", `${looked.length - missing.length} of the ${looked.length} that the stack needs are available`);
}

/** A create or a deletion sends nothing without its note. */
function* notesFolderOf({ folder, platforms }: Stack, isCreated: ReturnType<typeof mayBeCreated>): Generator<CheckResult> {
  const problem = unwritable(join(folder, NOTES_FOLDER));
  if (problem === undefined) return;
  const creates = platforms.some(({ declared }) => declared.some(isCreated));
  const verdict = creates ? wrong : doubtful;
  yield verdict(
    "notes",
    `${problem}, so an apply that creates or deletes an object is refused [INVALID_SETTING]: let the user that runs Terraform write there`,
  );
}

/** A pipeline that starts in an empty folder loses them. Then the next apply does not recognize what an interrupted one has created. */
function* notes({ folder }: Stack, state: State): Generator<CheckResult> {
  const isNew = !existsSync(join(folder, NOTES_FOLDER));
  if (!isNew || !("objects" in state) || state.objects.length === 0) return;
  yield doubtful(
    "notes",
    `the state has objects, but ${NOTES_FOLDER} in the stack's folder, where applies leave their notes, does not exist. ` +
      "If an apply was interrupted elsewhere, this one takes its objects for somebody else's [NAME_TAKEN]. Keep that folder from one apply to the next",
  );
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
