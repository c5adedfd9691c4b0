import { existsSync } from "node:fs";
import { join } from "node:path";
import { PLUGIN_NAME } from "../../contract/addresses";
import { HOOK_ENV, SELF_TEST_PASSED, type HookCommand } from "../../contract/hook-protocol";
import { bounded, visible } from "../../model/printable";
import { doubtful, type CheckResult, good, wrong } from "./check-result";
import { ask } from "./run-program";
import type { Stack } from "./stack";

const SAID_CHARACTERS = 300;
const SELF_TEST: HookCommand = "self-test";

/** Runs the self-test of every hook program as Terraform would run it: with its `node`, in its folder. */
export async function* hookPrograms(
  { programs, folder, synthesized }: Stack,
  env: NodeJS.ProcessEnv,
): AsyncGenerator<CheckResult> {
  const providers = (synthesized as { provider?: object } | null)?.provider ?? {};
  if (PLUGIN_NAME in providers)
    yield doubtful("stack", `${folder} has a Platform with Engine.PROVIDER, whose objects are not looked at yet: plan instead`);
  else if (programs.length === 0)
    yield doubtful(
      "stack",
      `${folder} has no hooks, as no Platform was synthesized into it: give the folder of a stack that has one`,
    );
  for (const { path, interpreter, settings } of programs) {
    const [node, ...args] = interpreter as [string, ...string[]];
    if (!existsSync(join(folder, path))) {
      yield wrong("hook program", `${path} is missing below ${folder}: synthesize again, and move the folder with its assets`);
      continue;
    }
    const said = await ask(node, [...args, SELF_TEST], { env: { ...env, [HOOK_ENV.settings]: settings }, cwd: folder });
    // An earlier check reports a missing node.
    if (said === undefined) continue;
    const passed = said.failure === undefined && said.output.split("\n").some((line) => line.startsWith(SELF_TEST_PASSED));
    const options = env.NODE_OPTIONS ? `NODE_OPTIONS=${env.NODE_OPTIONS}, which holds for the hooks too, or ` : "";
    yield passed
      ? good("hook program", `${path} runs`)
      : wrong(
          "hook program",
          `${path} does not run (${reason(said.failure ?? said.output)}): look for the cause in ${options}the node of the PATH, or synthesize again`,
        );
  }
}

/** The line of Node's output that has the error. */
function reason(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const telling = lines.find((line) => /^(\w*Error\b|node: )/.test(line)) ?? lines.find((line) => line !== "");
  return bounded(visible(telling ?? "it printed nothing"), SAID_CHARACTERS);
}
