import { idOf, type ObjectRef } from "../model/object-ref";
import { appearing, latePollingMs, mayStillBeCreated } from "./absence";
import { Call } from "./call";
import type { Context } from "./context";
import { liveAmong } from "./live";
import { duration, enumerated } from "./wording";

/** The objects that the service still has. Polls while a create may still be carried out. If none is left, removes the notes. */
export function orphans(context: Context, objects: readonly ObjectRef[]): Promise<readonly ObjectRef[]> {
  return Call.run(context, objects, async (call) => {
    call.leaving("The orphan check did not finish. The next apply repeats it");
    let live = await stillLive(call, objects);
    if (live.length === 0) live = await pollForLate(call, objects);
    if (live.length === 0) context.journal.forget(objects);
    return live;
  });
}

async function pollForLate(call: Call, objects: readonly ObjectRef[]): Promise<readonly ObjectRef[]> {
  const { context } = call;
  const late = objects.filter((object) => mayStillBeCreated(context, object));
  if (late.length === 0) return [];
  const milliseconds = latePollingMs(context);
  const names = enumerated(late.map(idOf));
  context.say(
    `${names}: the request to create ${late.length === 1 ? "it" : "them"} may still be carried out; polling for ${duration(milliseconds)}`,
  );
  call.leaving(`The service may still create ${names}. The next apply looks again`);
  const found = await appearing(call, milliseconds, context.times.pollSeconds * 1000, async () => {
    const live = await stillLive(call, late);
    return live.length > 0 ? live : undefined;
  });
  return found ?? [];
}

function stillLive(call: Call, objects: readonly ObjectRef[]): Promise<readonly ObjectRef[]> {
  return liveAmong(call, objects, "Terraform keeps the list of objects to look for in its state");
}
