import type { StateObject } from "../../drift/state-objects";
import { counted } from "../../report/phrase";
import { failed } from "../failed";
import { doubtful, type CheckResult, good } from "../check-result";
import type { LiveService } from "../service";
import type { Stack } from "../stack";
import type { State } from "../state";
import { adoptedBy, isOwned, journalOf } from "./compared-platform";
import { forgotten } from "./forgotten";
import { liveState } from "./live-state";
import { idleInstances } from "./idle-instances";
import { leftovers, names } from "./names";
import { protection } from "./protection";
import { providers } from "./providers";
import { replacements } from "./replacements";
import { isMoved, storedObjects } from "./stored";

/** @param services services that can be read, by the JSON of a Platform's connection */
export function* comparison(
  stack: Stack,
  state: State,
  services: ReadonlyMap<string, LiveService>,
  env: NodeJS.ProcessEnv,
): Generator<CheckResult> {
  const idle = "objects" in state ? idleInstances(stack, state.resources) : [];
  const ignored = new Set(idle.map(({ address }) => address));
  const all = "objects" in state ? state.objects.filter(({ address }) => !ignored.has(address)) : undefined;
  const adopted = adoptedBy(stack, env);
  const found = [...idle.flatMap(({ finding }) => finding ?? []), ...(all ? forgotten(stack, all, adopted) : [])];
  const storedFor = storedObjects(stack, all ?? []);
  // The Terraform provider deletes no object that moves to another address or that a `removed` block forgets.
  // With hooks, the deletion guard refuses both.
  const isReleased = (object: StateObject) =>
    object.id.byProvider && (isMoved(stack, object) || stack.forgotten.has(object.address));
  const continued = new Set(stack.platforms.flatMap(({ declared }) => declared.flatMap((object) => storedFor(object) ?? [])));
  const leaving = (all ?? []).filter((object) => isOwned(object) && !isReleased(object) && !continued.has(object));
  for (const platform of stack.platforms) {
    const had = all?.filter(({ id }) => id.platform.module === "" && id.platform.prefix === platform.prefix);
    const service = services.get(JSON.stringify(platform.settings.connection));
    found.push(
      ...protection(
        platform,
        had?.filter((object) => !isReleased(object)),
        service,
      ),
    );
    if (!service) continue;
    try {
      found.push(...providers({ stack, platform, service }));
      if (!all || !had) continue;
      const journal = journalOf(stack, platform, service, env);
      const compared = { stack, platform, service, had, env, journal, adopted, leaving, storedFor };
      found.push(...liveState(compared), ...replacements(compared), ...names(compared), ...leftovers(compared));
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
  } else if (!found.some(({ verdict, subject }) => verdict !== "good" || subject === "state") && services.size > 0) {
    yield good("state", `${counted(state.objects.length, "object")}, and the service has all of them unchanged`);
  }
}
