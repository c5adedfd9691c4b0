import { setTimeout as pause } from "node:timers/promises";
import { mayPass } from "../../lifecycle/outage";
import type { ObjectView } from "./object-views";

/** A change between two polls, in the words of Kubernetes watches. */
export interface WatchEvent {
  readonly event: "ADDED" | "MODIFIED" | "DELETED";
  /** The object now, or as it was last seen. */
  readonly object: ObjectView;
}

/** In the order of the objects. Deleted objects come last. */
export function changes(before: readonly ObjectView[], now: readonly ObjectView[]): WatchEvent[] {
  const known = new Map(before.map((object) => [object.key, object]));
  const present = new Set(now.map(({ key }) => key));
  const changed = now.flatMap((object): WatchEvent[] => {
    const earlier = known.get(object.key);
    if (!earlier) return [{ event: "ADDED", object }];
    return JSON.stringify(earlier.json) === JSON.stringify(object.json) ? [] : [{ event: "MODIFIED", object }];
  });
  const gone = before.filter(({ key }) => !present.has(key)).map((object): WatchEvent => ({ event: "DELETED", object }));
  return [...changed, ...gone];
}

/**
 * Polls the service until it is told to stop. A temporary outage is reported once and waited out.
 * @param first the objects before the first poll
 * @throws what `look` throws, except for temporary failures
 */
export async function watch(
  first: readonly ObjectView[],
  look: (signal: AbortSignal) => Promise<readonly ObjectView[]>,
  show: (changes: readonly WatchEvent[]) => void,
  { intervalMs, signal }: { readonly intervalMs: number; readonly signal: AbortSignal },
): Promise<void> {
  let before = first;
  let lastWarning = "";
  for (;;) {
    try {
      await pause(intervalMs, undefined, { signal });
      const now = await look(signal);
      show(changes(before, now));
      before = now;
      lastWarning = "";
    } catch (error) {
      if (signal.aborted) return;
      if (!mayPass(error)) throw error;
      if (error.message !== lastWarning) process.stderr.write(`warning: ${error.message}; looking again\n`);
      lastWarning = error.message;
    }
  }
}
