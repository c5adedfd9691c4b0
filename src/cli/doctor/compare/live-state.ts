import { changeBetween, digestOf } from "../../../contract/snapshot";
import { asksService, decideAbsence } from "../../../decision/platform";
import { acceptingGone } from "../../../host/run-settings";
import { isSuccessor, liveObject } from "../../../lifecycle/live";
import { ghostMs } from "../../../lifecycle/notes";
import { doubtfulService, whyNotGone } from "../../../lifecycle/refused-absence";
import { NAMED } from "../../../lifecycle/remedy-words";
import { duration, enumerated, recordedOtherwise } from "../../../lifecycle/wording";
import { idOf, objectOf } from "../../../model/object-ref";
import { goingObjects } from "../../../model/protection";
import type { JsonObject } from "../../../model/provider-type";
import { withCode } from "../../drift/code";
import { driftOfDeclared } from "../../drift/find-drift";
import type { DriftedObject, DriftFinding } from "../../drift/finding";
import { recreatable, recreating } from "../../drift/repairs";
import type { StateObject } from "../../drift/state-objects";
import { describeDrift } from "../../drift/wording";
import { written } from "../../report/phrase";
import { doubtful, type CheckResult, good, wrong } from "../check-result";
import { failing, type LivePlatform } from "./compared-platform";
import { handsOver } from "./moves";
import { changedFields, isMigrating, isOwned, isToken } from "./planned";
import { inNumber, wordsOf } from "./words";

export function* liveState(compared: LivePlatform): Generator<CheckResult> {
  const { stack, platform, service, had, guard, run, now, journal, liveOf } = compared;
  const finished = withCode(had.filter(isOwned), stack.synthesized as JsonObject);
  // The hand-over of the provider's objects to hooks has rules of its own.
  const isHandingOver = handsOver(stack, platform);
  const drifted = driftOfDeclared(finished, service).filter(({ object }) => !isHandingOver || !object.id.byProvider);
  const missing = drifted.filter(({ finding }) => finding.drift === "MISSING");
  const asked = finished.filter(({ id }) => !run.gone.includes(id));
  const doubt = doubtfulService({
    all: asked,
    live: asked.filter(({ id }) => liveObject(id, service)),
    idOf: ({ id }) => id.id,
    wasRefused: ({ id }) => !id.byProvider && journal.wasRefused(id),
    url: service.url,
    owner: "the state has",
    // Without a guard, the hook of each cluster looks at its provider, too.
    isSeen: !guard && missing.every(({ object }) => livesOnProvider(object, compared)),
    isDeletionNoted: missing.every(({ object }) => isDeletedByStack(object, compared)),
  });
  if (missing.length > 0 && doubt) {
    yield failing(
      compared,
      "state",
      `${doubt.summary}. Is it the right one? If ${inNumber(doubt.absent, "it is")} really gone, ${recreation(missing)} [OBJECT_MISSING]`,
    );
    return;
  }
  yield* ofLastApply(compared);
  for (const each of missing) yield missed(each, compared);
  const elsewhere = finished.filter((object) => isElsewhere(object, compared) && liveOf(object.id));
  if (elsewhere.length > 0) {
    const former = [...new Set(elsewhere.map((object) => object.service!))];
    yield wrong(
      "state",
      `the state names ${enumerated(former)} as the service of ${enumerated(elsewhere.map(({ id }) => id.id))}, but this run uses ${service.url}: a plan will fail. ` +
        `${wordsOf(platform).NAME_FORMER_URL({ code: "NAME_FORMER_URL", url: former.join(",") })} [INVALID_SETTING]`,
    );
  }
  for (const { id } of finished) {
    const [deletion, live] = [journal.recentDeletion(id), liveOf(id)];
    if (deletion && live && !isSuccessor(live, deletion, now))
      yield doubtful(
        "state",
        `an interrupted apply has asked the service to delete ${id.id} at ${deletion.at}, and lists still show it: an apply waits. It fails if the object goes, and continues when the request is ${duration(ghostMs(deletion))} old`,
      );
    if (!id.byProvider && journal.isContradicted(id))
      yield doubtful("state", `${recordedOtherwise(` of ${id.id}`)}: an apply that waits for the object fails [ADOPT_MISMATCH]`);
  }
  for (const { finding, object } of drifted) {
    if (finding.drift !== "LEAVING" || !journal.recentDeletion(object.id)) yield* differing(finding);
  }
}

function* differing(finding: DriftFinding): Generator<CheckResult> {
  const { object, drift } = finding;
  const how = () => written(describeDrift(finding), String);
  if (drift === "LEAVING")
    yield doubtful("state", `the service is deleting ${object}: an apply that waits for it fails [READY_TIMEOUT]`);
  if (drift === "CHANGED")
    yield doubtful(
      "state",
      `${object} on the service differs from the state (${how()}): 'cluster-platform drift' says what to do`,
    );
  if (drift === "NOT-READY")
    yield doubtful(
      "state",
      `${object} is not ready (${how()}): an apply that waits for it fails if that takes longer than timeouts.readySeconds [READY_TIMEOUT]`,
    );
}

function livesOnProvider({ id, declared }: StateObject, { service, journal }: LivePlatform): boolean {
  const { provider } = declared;
  if (id.byProvider || id.kind !== "clusters" || typeof provider !== "string") return false;
  const registration = { type: id.type, kind: "providers", name: provider } as const;
  return liveObject(registration, service) !== undefined && !journal.wasRefused(registration);
}

/**
 * With hooks: the objects of the last apply that the state does not have any more, and for which an apply looks. The deletion guard
 * does so before it deletes something, and without a guard the orphan check if the URL is a new one.
 */
function* ofLastApply({ platform, service, recorded, guard, run, journal }: LivePlatform): Generator<CheckResult> {
  const { settings, declared } = platform;
  const coming = declared.map((object) => [idOf(object), guard ? digestOf(object.entry.triggers, isToken) : ""] as const);
  const known = guard ?? recorded ?? { objects: {} };
  const { before, after, replaced } = changeBetween(known, { objects: Object.fromEntries(coming) });
  const isUrlChanged = known.url !== settings.connection.url;
  const deletes = guard !== undefined && goingObjects(settings, before, after, replaced).length > 0;
  if (!asksService({ refused: "none refused", deletes, isUrlChanged })) return;
  const all = before
    .filter((id) => guard || after.includes(id))
    .map(objectOf)
    .filter((object) => !run.gone.includes(object));
  const doubt = doubtfulService({
    all,
    live: all.filter((object) => liveObject(object, service)),
    idOf,
    wasRefused: (object) => journal.wasRefused(object),
    url: service.url,
    owner: guard ? "the deletion guard in the state has" : "the last apply declared",
  });
  if (!doubt) return;
  const [why, condition] = guard ? ["", ""] : [", and the code had another URL then", ", and that apply has created nothing"];
  yield wrong(
    "state",
    `${doubt.summary}${why}: an apply will fail. If the URL is right${condition}, set ${acceptingGone(doubt.absent)} [OBJECT_MISSING]`,
  );
}

/** As the end of a sentence. */
function recreation(missing: readonly DriftedObject[]): string {
  if (missing.length > NAMED) return "'cluster-platform drift' prints the command that creates them again";
  const possible = recreatable(missing);
  const command = possible.length > 0 ? recreating(possible) : missing[0]!.finding.repairs[0]!.commands[0];
  return `create ${inNumber(missing, "it")} again: ${command}`;
}

function missed({ finding, object, isProven }: DriftedObject, compared: LivePlatform): CheckResult {
  const { stack, state, run, platform } = compared;
  const { id, engine } = object;
  const declared = compared.declaredAs(id.id);
  const isGoneAccepted = run.gone.includes(id);
  const isMissing = `${id.id} is in the state but not on the service`;
  const stored = declared && state.storedFor(declared);
  const isMoving = stored !== undefined && isMigrating(stored, declared!);
  if (engine === "provider" || isMoving) {
    // A plan reads an object even if it left the code.
    const outcome = decideAbsence({
      service: isElsewhere(object, compared) ? "another" : isMoving ? "unnamed" : "this one",
      isSaidGone: isGoneAccepted,
      witnesses: isProven ? "own" : "none",
      isSeen: false,
      isDeletionNoted: isDeletedByStack(object, compared),
    });
    if (outcome.happens === "REFUSED") {
      const accepting = wordsOf(platform).ACCEPT_GONE({ code: "ACCEPT_GONE", objects: [id] });
      const why = whyNotGone(outcome, object.service);
      return wrong("state", `${isMissing}, and ${why}: a plan will fail. ${accepting} [OBJECT_MISSING]`);
    }
  }
  if (!declared) return good("state", `${id.id} left the code, and is not on the service any more`);
  if (engine === "provider" || isMoving) return doubtful("state", `${isMissing}: an apply creates it again`);
  if (changedFields(stack, declared, object).length > 0)
    return doubtful("state", `${isMissing}: an apply creates it again, because its declaration has changed`);
  const [{ code, commands }] = finding.repairs as [DriftFinding["repairs"][number]];
  if (code !== "RECREATE_MISSING")
    return doubtful("state", `${isMissing}. Move its instance as another line says, and run the doctor again`);
  const again = `${isMissing}. To create it again: ${commands.join(", then ")}`;
  if (isGoneAccepted) return doubtful("state", again);
  return failing(compared, "state", `${again}. If the plan has that already, set ${acceptingGone([id])} [OBJECT_MISSING]`);
}

/** With hooks, the code of the Platform decides on the service. */
function isElsewhere(object: StateObject, { namesAnother }: LivePlatform): boolean {
  return object.engine === "provider" && namesAnother(object);
}

/**
 * Whether a note shows that this stack has deleted the object, in an apply that was interrupted. Then an apply accepts that it is
 * gone. The deletion guard does not read these notes.
 */
function isDeletedByStack({ id, engine, uid }: StateObject, { guard, journal }: LivePlatform): boolean {
  const isGuarded = engine !== "provider" && Object.hasOwn(guard?.objects ?? {}, id.id);
  return !isGuarded && journal.wasDeletionSent(id, uid ?? "");
}
