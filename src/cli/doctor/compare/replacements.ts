import { digestOf } from "../../../contract/snapshot";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { isRefusal, refusedAmong } from "../../../decision/deletion";
import { clustersOn, liveUnder } from "../../../lifecycle/live";
import { type Refused, usedBy, withRemedies } from "../../../lifecycle/refused-deletion";
import { enumerated } from "../../../lifecycle/wording";
import { idOf } from "../../../model/object-ref";
import type { StateObject } from "../../drift/state-objects";
import { doubtful, type CheckResult, wrong } from "../check-result";
import { deletionOf, isKept, mayBeReplaced } from "./changes";
import { type ComparedPlatform, namesAnother } from "./compared-platform";
import { creation } from "./creation";
import type { PlacedObject } from "./placed";
import { refusedByRetain } from "./protection";
import { hasTokens, isMigrating, isOwned, isReplaced, isToken, platformOf } from "./stored";
import { groupedBy } from "../../report/grouped-by";
import { platformAt, inNumber, waysOut, waysOutOfDeletion } from "./words";

interface Replacement {
  readonly object: SynthesizedObject;
  readonly stored: PlacedObject;
}

/** Live objects that an apply would replace, or would move to another engine, and that it refuses to. */
export function* replacements(compared: ComparedPlatform): Generator<CheckResult> {
  const { platform, service, run, adopted } = compared;
  const refused: (Refused[number] & { readonly why: "has changed" | "is tainted" })[] = [];
  const going: Replacement[] = [];
  for (const { object, stored } of continuing(compared)) {
    const id = idOf(object);
    const live = liveUnder(object, service);
    const isChanged = live?.type === object.type && isReplaced(compared.stack, object, stored, live);
    // The hand-over of the provider's objects to hooks has rules of its own.
    if (stored.id.byProvider && compared.stack.forgotten.has(stored.at)) continue;
    if (isLeft(compared, stored, live !== undefined)) {
      yield wrong(
        "state",
        `${stored.address} moves to ${platformAt(platform.prefix)}, which uses ${service.url}, and the state names ${stored.service} as its service: ${id} would stay there. Undo the move [OBJECT_MISSING]`,
      );
      continue;
    }
    if (isMigrating(stored, object)) {
      if (stored.tainted && (live || !run.gone.includes(object))) yield taintedMove(stored);
      else if (isChanged) yield changedMove(`${id} has changed, and the code moves it`);
      continue;
    }
    if (isMoveUnfinished(stored) && (isChanged || stored.tainted)) {
      yield changedMove(`${id} ${stored.tainted ? "is tainted" : "has changed"}, and no apply has finished its move`);
      continue;
    }
    if (live?.type !== object.type || !isOwned(stored) || (!isChanged && !stored.tainted)) continue;
    const unmatched = compared.unmatched(stored.id.byProvider);
    const outcome = deletionOf(platform, stored, {
      hasUnknownRetained: unmatched.names.length > 0,
      transition: "replace",
      isChanged,
      // A provider takes over a changed declaration in place, but not a tainted resource.
      isAdopted: adopted.has(object) && !(stored.engine === "provider" && stored.tainted),
    });
    if (outcome.happens === "ADOPT") {
      yield creation(compared, object, live, { isAdopted: true, withoutNotes: stored.engine !== "provider" });
    } else if (outcome.because === "retain matches nothing") {
      yield refusedByRetain(platform, unmatched, [id], "replace");
      going.push({ object, stored });
    } else if (isRefusal(outcome)) {
      refused.push({ object, refusal: outcome, why: isChanged ? "has changed" : "is tainted" });
    } else {
      going.push({ object, stored });
      if (stored.tainted) {
        yield doubtful(
          "state",
          `${id} is tainted, so an apply deletes it and creates it again: 'terraform untaint ${stored.address}' keeps it`,
        );
      }
    }
  }
  const deleted = compared.leaving.filter((each) => !isKept(compared.stack, each));
  const deletedHere = deleted.filter((each) => platformOf(compared.stack, each) === platform);
  for (const { id } of deletedHere.filter(isMoveUnfinished))
    yield changedMove(`${id.id} left the code, and no apply has finished its move`);
  const known = [...new Set([...compared.had.map((each) => each.id.id), ...platform.declared.map(idOf)])];
  const reasonOf = ({ why, refusal: { because } }: (typeof refused)[number]) => `${why} ${because}`;
  for (const group of groupedBy(refused, reasonOf).values()) {
    const { why, refusal } = group[0]!;
    const ids = group.map(({ object }) => idOf(object));
    const [has, it] = [why.replace(/^\w+/, (verb) => inNumber(ids, verb as "has" | "is")), inNumber(ids, "it")];
    const untainting = { KEEP: () => `To keep ${it}, run 'terraform untaint'` };
    const ways = waysOutOfDeletion(platform, group, known, why === "is tainted" ? untainting : {});
    const message = (held: string, would: string) =>
      `${enumerated(ids)} ${has} and ${inNumber(ids, "is")} ${held}: an apply, which would ${would}, will fail. ${ways}`;
    yield refusal.because === "retained"
      ? wrong("retain", message("kept by retain", `create ${it} again`))
      : wrong("deletionProtection", message("protected", `delete ${it} and create ${it} again`));
  }
  const replaced = going.map(({ stored }) => stored);
  yield* registrationsInUse(compared, new Set([...deleted, ...replaced].map((each) => each.id.id)));
  yield* wronglyGone(compared, [...deletedHere, ...replaced]);
}

/** Live objects that an apply would delete, and that the run says are gone. */
function* wronglyGone({ platform, service, run }: ComparedPlatform, going: readonly StateObject[]) {
  const alive = going.filter(({ id }) => liveUnder(id, service));
  const refused = refusedAmong(alive, (object) => deletionOf(platform, object, { isSaidGone: run.gone.names(object.id) }))
    .filter(({ refusal }) => refusal.because === "said to be gone")
    .map(({ object, refusal }) => ({ object: object.id, refusal }));
  if (refused.length === 0) return;
  yield wrong(
    "state",
    `${enumerated(refused.map(({ object }) => object.id))} ${inNumber(refused, "is")} on the service, although CLUSTER_PLATFORM_ACCEPT_GONE says that ${inNumber(refused, "it is")} gone: an apply refuses to delete ${inNumber(refused, "it")}. ${waysOutOfDeletion(platform, refused)}`,
  );
}

function continuing({ platform, storedFor }: ComparedPlatform): Replacement[] {
  return platform.declared.flatMap((object) => {
    const stored = storedFor(object);
    return stored && stored.id.platform.module === "" ? [{ object, stored }] : [];
  });
}

/** Whether a `moved` block gives the object to a Platform on another service. With hooks, two URLs may name one service. */
function isLeft(compared: ComparedPlatform, stored: PlacedObject, isLive: boolean): boolean {
  const isMoved = stored.from.prefix !== compared.platform.prefix;
  return isMoved && namesAnother(stored, compared) && (stored.engine === "provider" || !isLive);
}

function taintedMove({ id, address }: StateObject): CheckResult {
  return wrong(
    "engine",
    `${address} is tainted, because its create did not finish, and the code moves it to Engine.PROVIDER: a plan will fail. ` +
      `If ${id.id} is on the service and this stack's: terraform untaint '${address}'. If it is somebody else's or does not exist: terraform state rm '${address}' [ENGINE_SWITCHED]`,
  );
}

function changedMove(what: string): CheckResult {
  return wrong(
    "engine",
    `${what} to Engine.PROVIDER: a plan will fail. First apply the change of the engine with the object as it was declared [ENGINE_SWITCHED]`,
  );
}

/** Whether a note says that an interrupted apply has replaced the object, so that no DELETE is sent. */
function isReplacedAlready({ journal }: ComparedPlatform, { object, stored: { id, uid = "" } }: Replacement): boolean {
  const digest = digestOf(object.entry.triggers, isToken);
  return !id.byProvider && !hasTokens(object) && journal.wasReplaced(object, uid, digest);
}

/** The first update after a move from hooks writes the service into the state. */
function isMoveUnfinished({ id, service }: StateObject): boolean {
  return id.byProvider && service === undefined;
}

/**
 * Registrations that an apply would delete or replace while clusters use them.
 * @param gone ids of all objects that it deletes or replaces
 */
function* registrationsInUse(compared: ComparedPlatform, gone: ReadonlySet<string>): Generator<CheckResult> {
  const { stack, platform, had, service, leaving } = compared;
  const declared = continuing(compared);
  const staying = new Set([
    ...leaving.filter((each) => isKept(stack, each)).map(({ id }) => id.id),
    ...declared
      .filter(({ object, stored }) => isOwned(stored) && !mayBeReplaced(platform, object, stored))
      .map(({ stored }) => stored.id.id),
  ]);
  for (const object of had.filter(({ id }) => id.kind === "providers" && gone.has(id.id) && liveUnder(id, service))) {
    const clusters = clustersOn(object.id, service.clusters).filter((user) => !gone.has(idOf(user)));
    const refusal = deletionOf(platform, object, { isUsed: clusters.length > 0 });
    if (refusal.because !== "in use") continue;
    if (declared.some((each) => each.stored === object && isReplacedAlready(compared, each))) continue;
    const users = clusters.map(idOf);
    const ways = waysOut(platform, withRemedies([{ object: object.id, refusal }], usedBy(object.id, clusters)));
    const message = `an apply would delete ${object.id.id}, which ${enumerated(users)} ${inNumber(users, "uses")}, and it refuses that. ${ways}`;
    // Another stack may delete its clusters before this apply.
    yield users.some((user) => staying.has(user)) ? wrong("provider", message) : doubtful("provider", message);
  }
}
