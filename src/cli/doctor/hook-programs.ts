import { existsSync } from "node:fs";
import { join } from "node:path";
import { HOOK_ENV, SELF_TEST_PASSED, type HookCommand } from "../../contract/hook-protocol";
import { type CheckResult, good, wrong } from "./check-result";
import { ask, nodeProblem } from "./run-program";
import type { Stack } from "./stack";

const SELF_TEST: HookCommand = "self-test";

/** Runs the self-test of every hook program as Terraform would run it. */
export async function* hookPrograms({ programs, folder }: Stack, env: NodeJS.ProcessEnv): AsyncGenerator<CheckResult> {
  for (const { path, interpreter, settings } of programs) {
    const [node, ...args] = interpreter as [string, ...string[]];
    if (!existsSync(join(folder, path))) {
      yield wrong(
        "hook program",
        `${path} is missing below ${folder}: synthesize again, and copy the folder together with its assets`,
      );
      continue;
    }
    const answer = await ask(node, [...args, SELF_TEST], { env: { ...env, [HOOK_ENV.settings]: settings }, cwd: folder });
    // An earlier check reports a missing node.
    if (answer === undefined) continue;
    const passed = answer.failure === undefined && answer.output.split("\n").some((line) => line.startsWith(SELF_TEST_PASSED));
    yield passed
      ? good("hook program", `${path} runs`)
      : wrong("hook program", `${path} does not run ${nodeProblem(answer.failure ?? answer.output, "the hooks", env)}`);
  }
}
