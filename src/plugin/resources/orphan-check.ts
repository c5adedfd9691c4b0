import { decideOrphan, type OrphanFacts } from "../../decision/platform";
import { refuseOrphans } from "../../lifecycle/orphans";
import { leftBehind, orphanRemedies, refusedOrphans } from "../../lifecycle/refused-orphans";
import { describeObject } from "../../lifecycle/wording";
import type { ObjectRef } from "../../model/object-ref";
import type { ProviderCall } from "../server/provider";
import { warning } from "./failures";
import type { Session } from "./session";

export interface Suspect {
  readonly object: ObjectRef;
  /** Of the service that an interrupted apply was creating it on, if that is another one. */
  readonly url?: string;
  /** Whether another Platform was creating it. Then the state may have it, because another process plans what leaves with a Platform. */
  readonly isOfAnotherPlatform?: true;
}

/**
 * Warns in a plan of objects that an interrupted apply may have created and that Terraform knows nothing of. The apply then
 * checks them with {@link refuseLeftBehind}. An object that was created at another URL does not stop the apply, because that may be
 * another service.
 */
export async function warnOfOrphans(suspects: readonly Suspect[], call: ProviderCall<Session>): Promise<void> {
  const session = call.configured;
  const warn = (given: Parameters<typeof warning>[0]) => call.report(warning(given, session));
  for (const { object, url, isOfAnotherPlatform } of suspects) {
    const isNoted = session.context.journal.of(object).mayHaveCreated;
    const isLive = (await session.presence.find(object))?.type === object.type;
    // If nothing is noted, the apply may have failed before it sent anything.
    const outcome = decideOrphan(factsOf({ object, url }, isLive ? "present" : isNoted ? "perhaps late" : "absent", session));
    switch (outcome.happens) {
      case "LOOK":
        warn({
          summary: `an interrupted apply may have created ${describeObject(object)}, which is not in the state`,
          detail: "It is not on the service now. The apply looks again, and fails if it finds the object",
          remedies: [],
        });
        break;
      case "RELEASE":
        warn({
          summary: `retain lets go of ${describeObject(object)}, which an interrupted apply may have created`,
          detail: "The apply leaves it on the service, and no later one looks for it",
          remedies: [],
        });
        break;
      case "WARNED":
        warn({
          summary: `${describeObject(object)} is on the service at ${session.url} but not in the state, and an interrupted apply was creating it on the service at ${url}`,
          detail: "If that is another service, the object here is somebody else's, and nothing is to be done",
          remedies: orphanRemedies(outcome.remedies, [object], url),
        });
        break;
      case "REFUSED":
        warn({
          ...(url === undefined ? createdHere(object, isNoted, isOfAnotherPlatform) : createdElsewhere(object, url, session)),
          remedies: orphanRemedies(outcome.remedies, [object], url),
        });
    }
  }
}

/** Throws if no later run looks for the objects, so that this run must have the right URL. */
export function refuseOrphansElsewhere(suspects: readonly Suspect[], { configured: session }: ProviderCall<Session>): void {
  for (const { object, url = "" } of suspects) {
    const outcome = decideOrphan(factsOf({ object, url }, "absent", session));
    if (outcome.happens === "REFUSED") throw refusedOrphans(outcome, [object], createdElsewhere(object, url, session), url);
  }
}

/**
 * Fails while one of these objects lives, because no later apply would delete it. If none lives, removes their notes.
 *
 * @param soFar what was not done, as a sentence without its full stop
 */
export async function refuseLeftBehind(
  objects: readonly ObjectRef[],
  call: ProviderCall<Session>,
  soFar?: string,
): Promise<void> {
  const session = call.configured;
  const { journal } = session.context;
  await refuseOrphans(session.contextOf(call), {
    objects,
    platformOf: (object) => platformOf(object, session),
    textOf: (live) =>
      leftBehind(
        live,
        live.some((object) => journal.of(object).mayHaveCreated),
        soFar,
      ),
  });
}

function factsOf({ object, url }: Suspect, live: OrphanFacts["live"], session: Session): OrphanFacts {
  const service = url === undefined ? "this one" : "another";
  return { live, service, platform: platformOf(object, session) };
}

/** Without its Platform, Terraform configures the provider with an empty block. A block that is written by hand may retain objects. */
function platformOf(object: ObjectRef, session: Session): OrphanFacts["platform"] {
  if (session.isRetained(object)) return "retains it";
  return session.settings.declared === undefined ? "left the code" : "in the code";
}

function createdHere(object: ObjectRef, isNoted: boolean, isOfAnotherPlatform = false) {
  if (isOfAnotherPlatform) {
    return {
      summary: `${describeObject(object)} is on the service, and an interrupted apply of a Platform that has left the code created it`,
      detail: "If the state does not have it, the apply fails while it is there",
    };
  }
  return {
    summary: `${describeObject(object)} is on the service but not in the state: ${isNoted ? "an interrupted apply created it" : "an apply that did not finish was to create it"}`,
    detail: "The apply fails while it is there",
  };
}

function createdElsewhere(object: ObjectRef, url: string, session: Session) {
  return {
    summary: `an interrupted apply was creating ${describeObject(object)} on the service at ${url}, but this run uses the one at ${session.url}`,
    detail: "The Platform has left the code, so no later apply looks for the object. Nothing was deleted",
  };
}
