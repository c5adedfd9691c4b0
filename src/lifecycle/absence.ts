import { idOf, type ObjectRef } from "../model/object-ref";
import { Call } from "./call";
import type { Context } from "./context";
import { liveAmong, liveUnder } from "./live";
import { LATE_MS, LOOK_FOR_MISSING_MS, MISSING_MS } from "./windows";
import { duration, enumerated } from "./wording";

/**
 * Looks again and again after a look that found nothing, for so many milliseconds: lists may lag behind, and a service
 * may carry out a request late. Resolves to what appears, or to undefined where every look lacked it.
 */
export async function appearing<T>(
  call: Call,
  milliseconds: number,
  interval: number,
  find: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const end = call.now() + milliseconds;
  for (let remaining = milliseconds; remaining > 0; remaining = end - call.now()) {
    await call.pause(Math.min(interval, remaining));
    const found = await find();
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Whether a note says that a create of the object was sent, and the service may still carry it out: no answer is on
 * record.
 */
export function mayStillBeCreated({ journal, times, clock }: Context, object: ObjectRef): boolean {
  const note = journal.creationAnywhere(object);
  const sent = Date.parse(note?.sentAt ?? note?.at ?? "");
  return sent + times.createSeconds * 1000 + LATE_MS > clock.now();
}

/** For how long a removal looks on for an object that {@link mayStillBeCreated}, in milliseconds. */
export function lookingOnMs({ times }: Context): number {
  return Math.min(LATE_MS, times.deleteSeconds * 1000);
}

/**
 * Those of some objects that are gone from the service: every look of 10 seconds lacks them, or of the longer time in which
 * a create may still be carried out. An object of another type that has the name counts as the object.
 *
 * @param otherwise what has become of them where the service does not show it in time; a sentence without its full stop
 */
export function provenAbsent(context: Context, objects: readonly ObjectRef[], otherwise: string): Promise<readonly ObjectRef[]> {
  return Call.run(context, objects, async (call) => {
    call.leaving(otherwise);
    let absent = await lackedByOneLook(call, objects, otherwise);
    if (absent.length === 0) return [];
    const isLate = absent.some((object) => mayStillBeCreated(context, object));
    const limit = isLate ? lookingOnMs(context) : Math.min(MISSING_MS, context.times.deleteSeconds * 1000);
    context.say(`${enumerated(absent.map(idOf))}: not on the service; looking on for ${duration(limit)}`);
    const interval = isLate ? context.times.pollSeconds * 1000 : LOOK_FOR_MISSING_MS;
    await appearing(call, limit, interval, async () => {
      absent = await lackedByOneLook(call, absent, otherwise);
      return absent.length === 0 || undefined;
    });
    return absent;
  });
}

async function lackedByOneLook(call: Call, objects: readonly ObjectRef[], otherwise: string): Promise<readonly ObjectRef[]> {
  const live = await liveAmong(call, objects, otherwise, liveUnder);
  return objects.filter((object) => !live.includes(object));
}
