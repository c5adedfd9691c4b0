import { idOf, type ObjectRef } from "../model/object-ref";
import { appearing, lookingOnMs, mayStillBeCreated } from "./absence";
import { Call } from "./call";
import type { Context } from "./context";
import { liveAmong } from "./live";
import { duration, enumerated } from "./wording";

/**
 * Those of some objects that are gone from Terraform's state, or about to be, which the service still has, or has
 * created in the meantime: while a note says that a create may still be carried out, it looks on. Of what is gone for
 * good the notes are removed.
 */
export function orphans(context: Context, objects: readonly ObjectRef[]): Promise<readonly ObjectRef[]> {
  return Call.run(context, objects, async (call) => {
    call.leaving("Whether removed objects still live was not looked at. The next apply does");
    let live = await stillLive(call, objects);
    if (live.length === 0) live = await lookOn(call, objects);
    if (live.length === 0) context.journal.forget(objects);
    return live;
  });
}

async function lookOn(call: Call, objects: readonly ObjectRef[]): Promise<readonly ObjectRef[]> {
  const { context } = call;
  const late = objects.filter((object) => mayStillBeCreated(context, object));
  if (late.length === 0) return [];
  const milliseconds = lookingOnMs(context);
  const names = enumerated(late.map(idOf));
  context.say(
    `${names}: the request to create ${late.length === 1 ? "it" : "them"} may be carried out yet; looking on for ${duration(milliseconds)}`,
  );
  call.leaving(`Whether the service has created ${names} late was not seen. The next apply looks again`);
  const found = await appearing(call, milliseconds, context.times.pollSeconds * 1000, async () => {
    const live = await stillLive(call, late);
    return live.length > 0 ? live : undefined;
  });
  return found ?? [];
}

function stillLive(call: Call, objects: readonly ObjectRef[]): Promise<readonly ObjectRef[]> {
  return liveAmong(call, objects, "Terraform keeps in its state what to look for");
}
