import { isDeclaredElsewhere } from "../../../contract/declared-elsewhere";
import { readRunSettings, readSettingsOfApply, type RunSettings } from "../../../host/run-settings";
import { mayBeOneService } from "../../../model/base-url";
import { idOf, objectOf } from "../../../model/object-ref";
import type { StateObject } from "../../drift/state-objects";
import { counted } from "../../report/phrase";
import { failed } from "../failed";
import { doubtful, type CheckResult, good, wrong } from "../check-result";
import { type LiveService, type LiveServices, serviceOf as serviceAmong } from "../service";
import type { Stack, StackPlatform } from "../stack";
import type { State } from "../state";
import { isChanging } from "./changes";
import { adoptedBy, isByProvider, journalOf, siteOf, snapshotOf } from "./compared-platform";
import { comparedState } from "./compared-state";
import { forgotten } from "./forgotten";
import { handedOver, handOver } from "./hand-over";
import { liveState } from "./live-state";
import { misplaced } from "./misplaced";
import { leftovers, names } from "./names";
import { protection } from "./protection";
import { providers } from "./providers";
import { replacements } from "./replacements";
import { unmatchedNames } from "./retained-names";
import { isOwned, isReleased, platformOf } from "./stored";

export function* comparison(
  stack: Stack,
  state: State,
  services: LiveServices,
  env: NodeJS.ProcessEnv,
  site = siteOf(stack),
): Generator<CheckResult> {
  const inState = comparedState(stack, state);
  const { idle, all, resources, hadBy, storedFor } = inState;
  const { run, problem } = runSettings(
    env,
    stack.platforms.some((platform) => isByProvider(platform) || (all && isChanging(stack, platform, inState))),
  );
  if (problem) yield problem;
  const serviceOf = (platform: StackPlatform) => serviceAmong(platform, services);
  const notesOf = (platform: StackPlatform) => {
    const service = serviceOf(platform);
    return service && journalOf(stack, platform, service, env, run, site);
  };
  const adopted = new Set([
    ...adoptedBy(stack, run),
    ...handedOver(stack, inState, (platform) => notesOf(platform)?.released() ?? []),
  ]);
  const continued = new Set(stack.platforms.flatMap(({ declared }) => declared.map(storedFor)));
  const leaving = (all ?? []).filter((object) => isOwned(object) && !isReleased(stack, object) && !continued.has(object));
  /** A Platform that left the code has used the service that the state names. */
  const urlOf = (object: StateObject) => {
    const platform = platformOf(stack, object);
    return (platform && serviceOf(platform)?.url) ?? object.service;
  };
  const isAdopted = (object: StateObject) =>
    stack.platforms.some(
      (platform) =>
        platform.declared.some((each) => adopted.has(each) && idOf(each) === object.id.id) &&
        mayBeOneService(urlOf(object), serviceOf(platform)?.url),
    );
  const found = [...idle.flatMap(({ finding }) => finding ?? []), ...(all ? forgotten(stack, all, resources, isAdopted) : [])];
  const elsewhere = (platform: StackPlatform, { url }: LiveService) => {
    const others = stack.platforms
      .filter((other) => other !== platform)
      .map(({ settings, declared }) => ({ url: settings.connection.url ?? "", objects: declared.map(idOf), declared }));
    const declaring = (id: string) => others.filter((other) => isDeclaredElsewhere([other], objectOf(id), url, env));
    return {
      isDeclared: (id: string) => declaring(id).length > 0,
      isStored: (id: string) =>
        declaring(id)
          .flatMap(({ declared }) => declared.filter((object) => idOf(object) === id).map(storedFor))
          .some((stored) => stored !== undefined && isOwned(stored)),
    };
  };
  for (const platform of stack.platforms) {
    const had = hadBy(platform);
    const [service, journal] = [serviceOf(platform), notesOf(platform)];
    const guard = snapshotOf(resources, stack, platform, "deletion_guard");
    const known = {
      had: had?.filter((object) => !isReleased(stack, object)),
      service,
      guarded: guard && Object.keys(guard.objects),
      released: journal?.released(),
    };
    const unmatched = unmatchedNames(platform, known);
    const others = service && elsewhere(platform, service);
    found.push(...protection(platform, known, run, unmatched, others));
    if (!service || !journal || !others) continue;
    try {
      found.push(...providers({ stack, platform, service, storedFor }));
      if (!all || !had) continue;
      const recorded = snapshotOf(resources, stack, platform, "orphan_check");
      const compared = {
        stack,
        platform,
        service,
        all,
        had,
        recorded,
        guard,
        run,
        now: site.clock.now(),
        journal,
        adopted,
        leaving: leaving.filter((object) => mayBeOneService(urlOf(object), service.url)),
        unmatched,
        isDeclaredElsewhere: others.isDeclared,
        storedFor,
        isChanging: isChanging(stack, platform, inState),
      };
      found.push(
        ...misplaced(compared),
        ...handOver(compared),
        ...liveState(compared),
        ...replacements(compared),
        ...names(compared),
        ...leftovers(compared),
      );
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
    const compared = (all ?? []).filter(isOwned);
    yield good(
      "state",
      compared.length === 0
        ? "no objects to compare with the service"
        : `${counted(compared.length, "object")}, and the service has all of them unchanged`,
    );
  }
}

/**
 * @param areRead whether an apply certainly reads them. The Terraform provider reads them in every run, and a hook only if it
 * creates or deletes something
 */
function runSettings(env: NodeJS.ProcessEnv, areRead: boolean): { readonly run: RunSettings; readonly problem?: CheckResult } {
  try {
    return { run: readSettingsOfApply(env) };
  } catch (error) {
    const { message: whole } = failed("environment", error);
    const message = whole.replace(/^environment: /, "");
    const problem = areRead
      ? wrong("environment", message)
      : doubtful("environment", `an apply that creates or deletes something fails: ${message}`);
    return { run: readRunSettings({}), problem };
  }
}
