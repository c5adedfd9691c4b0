import { idOf, type ObjectRef } from "../model/object-ref";
import { Call } from "./call";
import type { Context } from "./context";
import { BOTH_KINDS, liveUnder, looked, type Lists } from "./live";
import { LATE_MS, LOOK_FOR_MISSING_MS, MISSING_MS } from "./times";
import { duration, enumerated } from "./wording";

/**
 * Polls for an object that the last poll did not find, because lists may lag behind and the service may carry out a request late.
 * Resolves to what `find` resolves to, or to undefined on timeout. The last look begins when the time is over: one that began
 * earlier may have taken all of the time, and shows an earlier moment.
 */
export async function appearing<T>(
  call: Call,
  milliseconds: number,
  interval: number,
  find: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const end = call.now() + milliseconds;
  for (let lookedAt = call.now(); lookedAt < end;) {
    await call.pause(Math.max(0, Math.min(interval, end - call.now())));
    lookedAt = call.now();
    const found = await find();
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A short limit for deletions shortens it, but never below the time by which lists may lag behind. */
export function latePollingMs({ times }: Context): number {
  return Math.max(MISSING_MS, Math.min(LATE_MS, times.deleteSeconds * 1000));
}

/** Both lists of the last look, and ids of the expected objects that no look has shown. */
export interface PolledLists {
  readonly lists: Lists;
  readonly absent: ReadonlySet<string>;
}

/**
 * Polls for expected objects that the first lists lack: for 10 seconds, or longer if a create may still be carried out. An object of
 * another type with the same name counts as present.
 * @param asked what the caller decides about
 * @param otherwise what was not done if the service does not answer in time; a sentence without its full stop
 */
export function pollLists(
  context: Context,
  asked: readonly ObjectRef[],
  expected: readonly ObjectRef[],
  otherwise: string,
): Promise<PolledLists> {
  return Call.run(context, asked, async (call) => {
    call.leaving(otherwise);
    let lists: Lists = {};
    let absent = expected;
    const areAllFound = async () => {
      lists = await looked(call, asked, otherwise, BOTH_KINDS);
      absent = absent.filter((object) => liveUnder(object, lists) === undefined);
      return absent.length === 0 || undefined;
    };
    if (await areAllFound()) return { lists, absent: new Set() };
    const isLate = absent.some((object) => context.journal.of(object).mayStillBeCreated);
    const limit = isLate ? latePollingMs(context) : MISSING_MS;
    context.say(`${enumerated(absent.map(idOf))}: not on the service; polling for ${duration(limit)}`);
    await appearing(call, limit, isLate ? context.times.pollSeconds * 1000 : LOOK_FOR_MISSING_MS, areAllFound);
    return { lists, absent: new Set(absent.map(idOf)) };
  });
}
