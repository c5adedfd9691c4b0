import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { orphans } from "../../lifecycle/orphans";
import { decide, type Remedy } from "../../lifecycle/remedy";
import { called, enumerated } from "../../lifecycle/wording";
import { idOf, type ObjectRef } from "../../model/object-ref";
import type { Call } from "../server/provider";
import { warning } from "./failures";
import type { Session } from "./session";

/**
 * Warns in a plan of objects that an interrupted apply may have created and that Terraform knows nothing of. The apply then
 * checks them with {@link refuseOrphans}.
 */
export async function warnOfOrphans(suspects: readonly ObjectRef[], call: Call<Session>): Promise<void> {
  const session = call.configured;
  for (const object of suspects) {
    if (session.isRetained(object)) continue;
    const lives = (await session.presence.find(object))?.type === object.type;
    const isNoted = session.context.journal.mayHaveCreated(object);
    // The apply may have failed before it sent anything.
    if (!lives && !isNoted) continue;
    const given = lives
      ? {
          summary: `${called(object)} is on the service but not in the state: ${isNoted ? "an interrupted apply created it" : "an apply that did not finish was to create it"}`,
          detail: "The apply fails while it is there",
          remedies: waysOut([object], session),
        }
      : {
          summary: `an interrupted apply may have created ${called(object)}, which is not in the state`,
          detail: "It is not on the service now. The apply looks again, and fails if it finds the object",
          remedies: [],
        };
    call.report(warning(given, call));
  }
}

/**
 * Warns in a plan of objects on this service that an interrupted apply may have created while the service had another URL. It may
 * also be another service, so the apply does not fail.
 */
export async function warnOfOrphansElsewhere(
  suspects: readonly { readonly object: ObjectRef; readonly url: string }[],
  call: Call<Session>,
): Promise<void> {
  const session = call.configured;
  for (const { object, url } of suspects) {
    if (session.isRetained(object) || (await session.presence.find(object))?.type !== object.type) continue;
    const given = {
      summary: `${called(object)} is on the service at ${session.url} but not in the state, and an interrupted apply was creating it on the service at ${url}`,
      detail:
        "If it is another service, nothing is to be done. If it is the same one, an apply with its former URL checks the object",
      remedies: [{ code: "NAME_FORMER_URL", url } as const],
    };
    call.report(warning(given, call));
  }
}

/** For a Platform that has left the code. No later run looks for its objects, so the run must have the right URL. */
export function refuseOrphansElsewhere(
  suspects: readonly { readonly object: ObjectRef; readonly url: string }[],
  { configured: session }: Call<Session>,
): void {
  for (const { object, url } of suspects) {
    throw new LifecycleError({
      code: "INVALID_SETTING",
      objects: [object],
      summary: `an interrupted apply was creating ${called(object)} on the service at ${url}, but this run uses the one at ${session.url}`,
      detail: "The Platform has left the code, so no later apply looks for the object. Nothing was deleted",
      remedies: [{ code: "CORRECT_URL" }, { code: "NAME_FORMER_URL", url }],
    });
  }
}

/**
 * Fails while one of these objects lives, because no later apply would delete it. If none lives, removes their notes.
 *
 * @param soFar what was not done, as a sentence without its full stop
 */
export async function refuseOrphans(suspects: readonly ObjectRef[], call: Call<Session>, soFar?: string): Promise<void> {
  const session = call.configured;
  const { journal } = session.context;
  for (const object of suspects.filter((each) => session.isRetained(each))) {
    journal.release(object);
    call.report({ severity: "warning", summary: `${called(object)} stays on the service (retain)` });
  }
  const others = suspects.filter((each) => !session.isRetained(each));
  if (others.length === 0) return;
  const noted = others.filter((object) => journal.mayHaveCreated(object));
  const live = await orphans(session.contextOf(call), others);
  if (live.length === 0) return;
  const ids = enumerated(live.map(idOf));
  const who = noted.length > 0 ? "An interrupted apply created" : "An apply that did not finish was to create";
  throw new LifecycleError({
    code: "STILL_LIVE",
    objects: live,
    summary: `on the service but not in the state: ${ids}`,
    detail: [`${who} ${ids}, and no later apply would delete it`, ...(soFar ? [soFar] : [])].join(". "),
    remedies: waysOut(live, session),
  });
}

function waysOut(objects: readonly ObjectRef[], { settings }: Session): readonly Remedy[] {
  const hasLeft = settings.declared === undefined;
  return [
    ...(hasLeft ? [decide("Write the Platform again, or a RetiredPlatform with its props, because it has left the code")] : []),
    { code: "LET_GO", objects },
    { code: "ADOPT_AND_REMOVE", objects },
    decide("If another Platform of this stack declares it, apply again"),
  ];
}
