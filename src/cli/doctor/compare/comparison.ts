import { readRunSettings, type RunSettings } from "../../../host/run-settings";
import { counted } from "../../report/phrase";
import { doubtful, type CheckResult, good, wrong } from "../check-result";
import { failed } from "../failed";
import type { LiveServices } from "../service";
import type { Stack } from "../stack";
import type { State } from "../state";
import { type ComparedPlatform, comparedPlatform, isByProvider, isLive, siteOf } from "./compared-platform";
import { deletions } from "./deletions";
import { forgotten } from "./forgotten";
import { liveState } from "./live-state";
import { misplaced } from "./misplaced";
import { moves } from "./moves";
import { leftovers, names } from "./names";
import { isOwned, PlannedState } from "./planned";
import { providers } from "./providers";

export function* comparison(
  stack: Stack,
  state: State,
  services: LiveServices,
  env: NodeJS.ProcessEnv,
  site = siteOf(stack),
): Generator<CheckResult> {
  const planned = new PlannedState(stack, state);
  const areRead = stack.platforms.some((platform) => isByProvider(platform) || planned.isChanging(platform));
  const { run, problem } = runSettings(env, areRead);
  if (problem) yield problem;
  const all = stack.platforms.map((platform) => comparedPlatform({ state: planned, services, env, run, site }, platform));
  const found = [...planned.idle.flatMap(({ finding }) => finding ?? []), ...forgotten(planned, all)];
  for (const compared of all) {
    try {
      for (const finding of findingsOf(compared)) found.push(finding);
    } catch (error) {
      // A list may contradict itself. This shows only in the search for an object.
      found.push(failed("service", error));
    }
  }
  yield* found;
  if ("problem" in state) {
    yield doubtful(
      "state",
      `unknown, because ${state.problem}. So the doctor cannot tell whether names are in use, whether the service has the objects of the state, and whether an apply would forget any of them. ` +
        "Run 'terraform init' in that folder, or pass the state with --state",
    );
  } else if (!problem && !found.some(({ verdict, subject }) => verdict !== "good" || subject === "state") && services.size > 0) {
    const count = planned.all.filter(isOwned).length;
    yield good(
      "state",
      count === 0
        ? "no objects to compare with the service"
        : `${counted(count, "object")}, and the service has all of them unchanged`,
    );
  }
}

function* findingsOf(compared: ComparedPlatform): Generator<CheckResult> {
  yield* deletions(compared);
  if (!isLive(compared)) return;
  yield* providers(compared);
  if (!compared.state.isKnown) return;
  yield* misplaced(compared);
  yield* moves(compared);
  yield* liveState(compared);
  yield* names(compared);
  yield* leftovers(compared);
}

/**
 * @param areRead whether an apply certainly reads them. The Terraform provider reads them in every run, and a hook only if it
 * creates or deletes something
 */
function runSettings(env: NodeJS.ProcessEnv, areRead: boolean): { readonly run: RunSettings; readonly problem?: CheckResult } {
  try {
    return { run: readRunSettings(env) };
  } catch (error) {
    const { message: whole } = failed("environment", error);
    const message = whole.replace(/^environment: /, "");
    const problem = areRead
      ? wrong("environment", message)
      : doubtful("environment", `an apply that creates or deletes something fails: ${message}`);
    return { run: readRunSettings({}), problem };
  }
}
