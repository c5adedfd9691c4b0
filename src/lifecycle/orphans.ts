import { decideOrphan, type OrphanFacts, type OrphanOutcome, possibleOrphans } from "../decision/platform";
import { UNSEEN } from "../decision/possible";
import { idOf, type ObjectRef } from "../model/object-ref";
import { appearing, latePollingMs } from "./absence";
import { Call } from "./call";
import type { Context } from "./context";
import type { Failure } from "./lifecycle-error";
import { liveAmong } from "./live";
import type { ObjectRecord } from "./object-record";
import { refusedOrphans } from "./refused-orphans";
import { LOOK_FOR_MISSING_MS, MISSING_MS } from "./times";
import { duration, enumerated, staysRetained } from "./wording";

/** Objects that unfinished applies may have left on this service, and that nobody declares. */
export interface Suspects {
  readonly objects: readonly ObjectRef[];
  readonly platformOf: (object: ObjectRef) => OrphanFacts["platform"];
  readonly textOf: (live: readonly ObjectRef[]) => Pick<Failure, "summary" | "detail">;
}

/**
 * Lets go of what the Platform retains, and looks for the others.
 * @returns what it has let go of
 * @throws STILL_LIVE if one of the others lives
 */
export async function refuseOrphans(context: Context, { objects, platformOf, textOf }: Suspects): Promise<void> {
  const factsOf = (object: ObjectRef) => ({ service: "this one", platform: platformOf(object) }) satisfies Partial<OrphanFacts>;
  const certainly = (outcome: OrphanOutcome["happens"]) => (object: ObjectRef) => {
    const outcomes = possibleOrphans({ ...factsOf(object), live: UNSEEN });
    return outcomes.every(({ happens }) => happens === outcome);
  };
  const released = objects.filter(certainly("RELEASE"));
  for (const object of released) {
    context.journal.released(object);
    (context.warn ?? context.say)(staysRetained(object));
  }
  const isNothing = certainly("NOTHING");
  const others = objects.filter((object) => !released.includes(object) && !isNothing(object));
  const live = others.length > 0 ? await orphans(context, others) : [];
  for (const object of live) {
    const outcome = decideOrphan({ ...factsOf(object), live: "present" });
    if (outcome.happens === "REFUSED") throw refusedOrphans(outcome, live, textOf(live));
  }
}

/**
 * The objects that the service still has. Lists may lag behind, or the service may still carry a create out. So it polls for an
 * object whose create is noted, and for one that this run has not deleted: Terraform runs no destroy hook for a tainted instance, and
 * another machine may have created the object since. If none is left, removes the notes.
 */
export function orphans(context: Context, objects: readonly ObjectRef[]): Promise<readonly ObjectRef[]> {
  return Call.run(context, objects, async (call) => {
    call.leaving("The orphan check did not finish. The next apply repeats it");
    let live = await stillLive(call, objects);
    if (live.length === 0) live = await appearingAmong(call, objects);
    if (live.length === 0) for (const object of objects) context.journal.foundNowhere(object);
    return live;
  });
}

async function appearingAmong(call: Call, objects: readonly ObjectRef[]): Promise<readonly ObjectRef[]> {
  const { context } = call;
  const { journal, times } = context;
  const isUnproven = ({ mayHaveCreated, wasDeletionAnswered }: ObjectRecord) => mayHaveCreated || !wasDeletionAnswered;
  const unproven = objects.filter((object) => isUnproven(journal.of(object)));
  if (unproven.length === 0) return [];
  const isLate = unproven.some((object) => journal.of(object).mayStillBeCreated);
  const milliseconds = isLate ? latePollingMs(context) : MISSING_MS;
  const names = enumerated(unproven.map(idOf));
  const why = isLate
    ? `the request to create ${unproven.length === 1 ? "it" : "them"} may still be carried out`
    : "no note shows that this run has deleted what the stack created, and lists may lag behind";
  context.say(`${names}: ${why}; polling for ${duration(milliseconds)}`);
  call.leaving(`The service may still have ${names}. The next apply looks again`);
  const interval = isLate ? times.pollSeconds * 1000 : LOOK_FOR_MISSING_MS;
  const found = await appearing(call, milliseconds, interval, async () => {
    const live = await stillLive(call, unproven);
    return live.length > 0 ? live : undefined;
  });
  return found ?? [];
}

function stillLive(call: Call, objects: readonly ObjectRef[]): Promise<readonly ObjectRef[]> {
  return liveAmong(call, objects, "Terraform keeps the list of objects to look for in its state");
}
