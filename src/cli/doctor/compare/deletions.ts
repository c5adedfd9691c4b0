import type { LiveCluster } from "../../../api/client";
import { digestOf } from "../../../contract/snapshot";
import {
  CODES,
  type DeletionFacts,
  type DeletionOutcome,
  type DeletionRefusal,
  isRefusal,
  type LiveObject,
} from "../../../decision/deletion";
import { clustersOn, isOfAnother } from "../../../lifecycle/live";
import { ofAnother, usedBy, withRemedies } from "../../../lifecycle/refused-deletion";
import { enumerated } from "../../../lifecycle/wording";
import { idOf, objectOf, type ObjectRef } from "../../../model/object-ref";
import { once } from "../../../model/once-per";
import { matchingNone, patternsMatchingNone, retainLine, withdrawn } from "../../../model/protection";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { groupedBy } from "../../report/grouped-by";
import { doubtful, type CheckResult, wrong } from "../check-result";
import { type ComparedPlatform, isLive, type LivePlatform } from "./compared-platform";
import { isMoving } from "./moves";
import { creation } from "./names";
import type { PlacedObject } from "./placed";
import { deletionOf, hasTokens, isOwned, isReplaced, isToken, mayBeReplaced } from "./planned";
import { nowhere, unmatchedNames } from "./retained-names";
import { failingRun, inNumber, platformAt, waysOut, waysOutOfDeletion, wordsOf } from "./words";

/** An object that an apply deletes, to remove or to replace it. */
interface Deletion {
  readonly object: ObjectRef;
  readonly why: "left the code" | "has changed" | "is tainted";
  /** Undefined if only the deletion guard knows it. */
  readonly stored: PlacedObject | undefined;
  /** Of a replacement. */
  readonly next?: SynthesizedObject;
  readonly facts: Partial<DeletionFacts>;
}

type Decided = Deletion & { readonly outcome: DeletionOutcome };
type Refused = Deletion & { readonly refusal: DeletionRefusal };

/** Objects that an apply would delete or replace, and what it refuses of that. */
export function* deletions(compared: ComparedPlatform): Generator<CheckResult> {
  const { platform, had, guard } = compared;
  const all = [...removals(compared), ...replacements(compared)];
  const decided = all.flatMap((each): Decided[] => {
    const outcome = outcomeOf(compared, each);
    return outcome ? [{ ...each, outcome }] : [];
  });
  const ids = [...had.map(({ id }) => id.id), ...Object.keys(guard?.objects ?? {}), ...platform.declared.map(idOf)];
  const known = [...new Set(ids)];
  const refused = decided.flatMap(({ outcome, ...each }) => (isRefusal(outcome) ? [{ ...each, refusal: outcome }] : []));
  const causeOf = ({ why, refusal }: Refused) => [why, refusal.because, isOfState(refusal)].join();
  for (const group of groupedBy(refused, causeOf).values()) yield* refusalOf(compared, group, known);
  for (const { outcome, next, object, stored } of decided) {
    if (outcome.happens === "ADOPT" && isLive(compared))
      yield creation(compared, next!, { isAdopted: true, withoutNotes: !stored!.id.byProvider });
    if (outcome.happens === "REPLACE" && stored!.tainted)
      yield doubtful(
        "state",
        `${idOf(object)} is tainted, so an apply deletes it and creates it again: 'terraform untaint ${stored!.address}' keeps it`,
      );
  }
  const [ofProvider, ofHooks] = [true, false].map((byProvider) => once(() => unmatchedNames(compared, byProvider)));
  const unmatchedFor = (each: Deletion) => (isByProvider(each) ? ofProvider! : ofHooks!)();
  // Also of a protected object, so that a person corrects both at once.
  const stopped = all.filter((each) => {
    const isUnmatched = unmatchedFor(each).names.length > 0;
    const outcome = outcomeOf(compared, each, { hasUnknownRetained: isUnmatched, protection: "lifted" });
    return outcome?.because === "retain matches nothing";
  });
  const named = stopped.flatMap((each) => unmatchedFor(each).names);
  yield* idleEntries(compared, known, named);
  for (const group of groupedBy(stopped, (each) => [isByProvider(each), each.next !== undefined].join()).values()) {
    const { names, from, isCertain } = unmatchedFor(group[0]!);
    const verdict = isCertain ? wrong : doubtful;
    const what = group[0]!.next ? "replace" : "delete";
    yield verdict(
      "retain",
      `${platformAt(platform.prefix)} names ${enumerated(names)}, which ${from}: an apply refuses to ${what} ${enumerated(idsOf(group))}, because the name may be a typo. ${wordsOf(platform).CORRECT_RETAIN({ code: "CORRECT_RETAIN" })} [${CODES["retain matches nothing"]}]`,
    );
  }
  yield* registrationsInUse(compared, decided);
}

function removals({ state, had, guard, declaredAs, declaredElsewhere }: ComparedPlatform): Deletion[] {
  const here = new Map(
    had.filter((each) => !["release", "refuse"].includes(state.planOf(each))).map((each) => [each.id.id, each]),
  );
  const ids = new Set([...here.keys(), ...Object.keys(guard?.objects ?? {})]);
  return [...ids]
    .filter((id) => !declaredAs(id))
    .map((id) => ({
      object: objectOf(id),
      why: "left the code",
      stored: here.get(id),
      facts: { isDeclaredElsewhere: declaredElsewhere(id).length > 0 },
    }));
}

function replacements(compared: ComparedPlatform): Deletion[] {
  const { stack, state, adopted, liveOf } = compared;
  return state.continuedBy(compared.platform).flatMap(({ object, stored }): Deletion[] => {
    const live = liveOf(object);
    if (live?.type !== object.type || !isOwned(stored) || isMoving(compared, object, stored)) return [];
    const isChanged = isReplaced(stack, object, stored, live);
    if (!isChanged && !stored.tainted) return [];
    // A provider takes over a changed declaration in place, but not a tainted resource.
    const isAdopted = adopted.has(object) && !stored.tainted;
    const facts = { transition: "replace", isChanged, isAdopted } as const;
    return [{ object, why: isChanged ? "has changed" : "is tainted", stored, next: object, facts }];
  });
}

/** Undefined if nothing looks at the object. */
function outcomeOf(
  { platform, service, guard, run, liveOf }: ComparedPlatform,
  { object, stored, facts }: Deletion,
  more: Partial<DeletionFacts> = {},
): DeletionOutcome | undefined {
  const [id, live] = [idOf(object), liveOf(object)];
  const isMissing = service !== undefined && !live;
  const of = stored ?? { id: { id, byProvider: false }, protected: false };
  // The create hook knows what is adopted.
  const ofGuard = id in (guard?.objects ?? {}) ? deletionOf(platform, of, { ...facts, isAdopted: true, ...more }) : undefined;
  // A hook and the Terraform provider look for the object. The guard looks for a protected one only, and only if the run was told
  // that it is gone.
  const isLookedFor = ofGuard?.because === "protected" && run.gone.includes(object);
  if (ofGuard?.because && !(isLookedFor && isMissing)) return ofGuard;
  // Terraform skips the destroy hook of a tainted object.
  if (!stored || !isOwned(stored)) return undefined;
  const isAnother = live && "provider" in live && isOfAnother(object, stored.declared.provider, live);
  const found: LiveObject = isMissing ? "absent" : isAnother ? "of another type or provider" : "own";
  return deletionOf(platform, of, { isSaidGone: run.gone.names(object), ...facts, live: found, ...more });
}

/** @param group refusals for one reason */
function* refusalOf(compared: ComparedPlatform, group: readonly Refused[], known: readonly string[]): Generator<CheckResult> {
  const { platform, liveOf } = compared;
  const [{ why, refusal, next }, ids] = [group[0]!, idsOf(group)];
  const { because } = refusal;
  if (because === "declared elsewhere") return yield* declaredTwice(compared, group, known);
  if (because === "another object") {
    for (const refused of group) {
      const text = ofAnother(refused.object, refused.stored!.declared.provider, liveOf(refused.object) as LiveCluster);
      yield wrong("state", failingRun(platform, withRemedies([refused], text), isByProvider(refused) ? "a plan" : "an apply"));
    }
    return;
  }
  const isStill = isOfState(refusal);
  const it = inNumber(ids, "it");
  const untainting = { KEEP: () => `To keep ${it}, run 'terraform untaint'` };
  const ways = waysOutOfDeletion(platform, group, known, why === "is tainted" ? untainting : {});
  const would = next ? `, which would ${because === "retained" ? "" : `delete ${it} and `}create ${it} again,` : "";
  const message = (held: string) =>
    `${enumerated(ids)} ${inNumber(ids, why)} and ${inNumber(ids, "is")} ${held}: ${isStill ? "a plan" : "an apply"}${would} will fail. ${ways}`;
  if (because === "protected") yield wrong("deletionProtection", message(isStill ? "still protected in the state" : "protected"));
  else if (because === "retained") yield wrong("retain", message("kept by retain"));
  else
    yield wrong(
      "state",
      message(`on the service, although CLUSTER_PLATFORM_ACCEPT_GONE says that ${inNumber(ids, "it is")} gone`),
    );
}

function* declaredTwice(
  { platform, state, liveOf, declaredElsewhere }: ComparedPlatform,
  group: readonly Refused[],
  known: readonly string[],
): Generator<CheckResult> {
  const on = platformAt(platform.prefix);
  for (const { object, stored } of group) {
    const id = idOf(object);
    const others = declaredElsewhere(id).map((other) => state.storedFor(other));
    // If it lives and the state has it here only, the finding about its name says how to move it.
    if (stored && liveOf(object) && !others.some((other) => other && isOwned(other))) continue;
    const where = stored
      ? `the state has ${id} at ${stored.address}, where it left the code`
      : `${on} had ${id} in the last apply`;
    const remedy = stored?.id.byProvider
      ? `Remove this entry: terraform state rm '${stored.address}'`
      : `Write ${retainLine(platform.settings, [id], known)} on ${on} for one apply`;
    yield wrong("state", `${where}, and another Platform declares it: an apply will fail. ${remedy} [DECLARED_ELSEWHERE]`);
  }
}

/** @param doubtfulNames the names in `retain` that another finding is about */
function* idleEntries(
  { platform, state }: ComparedPlatform,
  known: readonly string[],
  doubtfulNames: readonly string[],
): Generator<CheckResult> {
  const { deletionProtection, allowDeletion, retain } = platform.settings;
  const idle = {
    deletionProtection: deletionProtection === true ? [] : patternsMatchingNone(deletionProtection, known),
    allowDeletion: matchingNone(allowDeletion, known),
    retain: withdrawn(matchingNone(retain, known), doubtfulNames),
  };
  for (const [prop, names] of Object.entries(idle).filter(([, names]) => names.length > 0)) {
    yield doubtful(
      prop,
      `${platformAt(platform.prefix)} names ${enumerated(names)}, which ${nowhere(state)}: is it misspelled? If not, remove it after an apply that succeeds`,
    );
  }
}

/** Registrations that an apply would delete or replace while clusters use them. */
function* registrationsInUse(compared: ComparedPlatform, decided: readonly Decided[]): Generator<CheckResult> {
  const { state, platform, leaving } = compared;
  if (!isLive(compared)) return;
  const continued = state.continuedBy(platform);
  const going = [
    ...leaving.filter((each) => state.planOf(each) === "delete").map(({ id }) => id.id),
    ...decided.filter(({ outcome }) => outcome.happens === "REPLACE").map(({ object }) => idOf(object)),
  ];
  const gone = new Set(going);
  const staying = new Set([
    ...leaving.map(({ id }) => id.id).filter((id) => !gone.has(id)),
    ...continued
      .filter(({ object, stored }) => isOwned(stored) && !mayBeReplaced(platform, object, stored))
      .map(({ stored }) => stored.id.id),
  ]);
  for (const each of decided) {
    const { object, stored, next } = each;
    if (object.kind !== "providers" || !stored || !gone.has(idOf(object))) continue;
    const users = clustersOn(object, compared.service.clusters).filter((user) => !gone.has(idOf(user)));
    const refusal = outcomeOf(compared, each, { isUsed: users.length > 0 });
    if (refusal?.because !== "in use" || (next && isReplacedAlready(compared, next, stored))) continue;
    const ids = users.map(idOf);
    const ways = waysOut(platform, withRemedies([{ object, refusal }], usedBy(object, users)));
    const message = `an apply would delete ${idOf(object)}, which ${enumerated(ids)} ${inNumber(ids, "uses")}, and it refuses that. ${ways}`;
    // Another stack may delete its clusters before this apply.
    yield ids.some((id) => staying.has(id)) ? wrong("provider", message) : doubtful("provider", message);
  }
}

/** Whether a note says that an interrupted apply has replaced the object, so that no DELETE is sent. */
function isReplacedAlready({ journal }: LivePlatform, next: SynthesizedObject, { id, uid = "" }: PlacedObject): boolean {
  const digest = digestOf(next.entry.triggers, isToken);
  return !id.byProvider && !hasTokens(next) && journal.wasReplaced(next, uid, digest);
}

const isOfState = ({ remedies }: DeletionRefusal) => remedies.includes("UNPROTECT_FIRST");
const idsOf = (all: readonly Deletion[]) => all.map(({ object }) => idOf(object));
const isByProvider = ({ stored }: Deletion) => stored?.id.byProvider ?? false;
