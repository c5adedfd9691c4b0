import type { ObjectRef } from "../model/object-ref";
import type { Call } from "./call";
import type { Context } from "./context";
import { LATE_MS } from "./windows";

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
