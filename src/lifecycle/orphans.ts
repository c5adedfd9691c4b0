import { idOf, type ObjectRef } from "../model/object-ref";
import { Call } from "./call";
import type { Context } from "./context";
import { liveAmong } from "./live";
import { LATE_MS } from "./windows";
import { duration, enumerated } from "./wording";

/**
 * Those of some objects that are gone from Terraform's state, or about to be, which the service still has, or has
 * created in the meantime: while a note says that a create may yet be carried out, it looks on. Of what is gone for good
 * the notes are removed.
 */
export function orphans(context: Context, objects: readonly ObjectRef[]): Promise<ObjectRef[]> {
  return Call.run(context, objects, async (call) => {
    call.leaving("Whether removed objects still live was not looked at. The next apply does");
    let live = await stillLive(call, objects);
    if (live.length === 0) live = await appearing(call, objects);
    if (live.length === 0) objects.forEach((object) => context.journal.forget(object));
    return live;
  });
}

/** Looks on for what is not there, but whose creation was sent not long ago and has no answer on record. */
async function appearing(call: Call, objects: readonly ObjectRef[]): Promise<ObjectRef[]> {
  const { createSeconds, deleteSeconds, pollSeconds } = call.context.times;
  const started = call.now();
  const end = started + Math.min(LATE_MS, deleteSeconds * 1000);
  // Until a create is over it repeats its request, and the note keeps the time of the first.
  const lateUntil = (object: ObjectRef) =>
    Date.parse(call.context.journal.creationAnywhere(object)?.at ?? "") + createSeconds * 1000 + LATE_MS;
  const late = objects.filter((object) => lateUntil(object) > started);
  if (late.length === 0) return [];
  const names = enumerated(late.map(idOf));
  call.context.say(
    `${names}: the request to create ${late.length === 1 ? "it" : "them"} may be carried out yet; looking on for ${duration(end - started)}`,
  );
  call.leaving(`Whether the service has created ${names} late was not seen. The next apply looks again`);
  for (let live: ObjectRef[] = []; ; live = await stillLive(call, late)) {
    const remaining = end - call.now();
    if (live.length > 0 || remaining <= 0) return live;
    await call.pause(Math.min(pollSeconds * 1000, remaining));
  }
}

function stillLive(call: Call, objects: readonly ObjectRef[]): Promise<ObjectRef[]> {
  return liveAmong(call, objects, "Terraform keeps in its state what to look for");
}
