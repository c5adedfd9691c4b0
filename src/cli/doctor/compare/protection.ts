import { CODES, decideDeletion, isRefusal, LIVES, permissionOf, type Protection } from "../../../decision/deletion";
import { idOf, objectOf } from "../../../model/object-ref";
import type { RunSettings } from "../../../host/run-settings";
import { liveUnder } from "../../../lifecycle/live";
import { enumerated } from "../../../lifecycle/wording";
import { allowDeletionLine, goingObjects, matchingNone, patternsMatchingNone, retainLine } from "../../../model/protection";
import { doubtful, type CheckResult, wrong } from "../check-result";
import type { StackPlatform } from "../stack";
import { type KnownToPlatform, nowhere, type UnmatchedNames } from "./retained-names";
import { isOwned } from "./stored";
import { describePlatform, theirVerb } from "./words";

/** What another Platform declares on the same service, and what it continues in the state. */
interface Elsewhere {
  readonly isDeclared: (id: string) => boolean;
  readonly isStored: (id: string) => boolean;
}

/**
 * @param unmatched the names in `retain` that stop deletions, by the engine
 */
export function* protection(
  { prefix, settings, declared }: StackPlatform,
  { had, service, guarded = [] }: Pick<KnownToPlatform, "had" | "service" | "guarded">,
  run: Pick<RunSettings, "gone">,
  unmatched: (byProvider: boolean) => UnmatchedNames,
  elsewhere: Elsewhere = NOWHERE,
): Generator<CheckResult> {
  const here = new Map((had ?? []).map((object) => [object.id.id, object]));
  const after = declared.map(idOf);
  const ids = [...new Set([...here.keys(), ...guarded, ...after])];
  const isByProvider = (id: string) => here.get(id)?.id.byProvider ?? false;
  const isGuarded = (id: string) => guarded.includes(id);
  // Terraform skips the destroy hook of a tainted object, so only a guard that knows the object can refuse its removal.
  const asking = ids.filter((id) => isGuarded(id) || (here.has(id) && isOwned(here.get(id)!)));
  const going = goingObjects(settings, asking, after);
  // A hook and the Terraform provider look for the object, and protect nothing if it is gone. The guard looks for a protected one
  // only if the run was told that it is gone.
  const isLookedFor = (id: string) => !isGuarded(id) || (!elsewhere.isDeclared(id) && run.gone.includes(objectOf(id)));
  const isMissing = (id: string) => service !== undefined && !liveUnder(objectOf(id), service);
  const isGone = (id: string) => isLookedFor(id) && isMissing(id);
  const refusalOf = (id: string) => {
    const permission = permissionOf(settings, id, isByProvider(id) && here.get(id)!.protected);
    const isDeclaredElsewhere = elsewhere.isDeclared(id);
    const live = isGone(id) ? "absent" : "own";
    const facts = { ...LIVES, ...permission, isDeclaredElsewhere, transition: "remove", isAdopted: false, live } as const;
    const outcome = decideDeletion(facts);
    return isRefusal(outcome) ? { because: outcome.because, protection: permission.protection } : undefined;
  };
  const refusals = going.map((id) => ({ id, ...refusalOf(id) }));
  const protectedBy = (where: Protection) =>
    refusals.filter((each) => each.because === "protected" && each.protection === where).map(({ id }) => id);
  const [refused, refusedByState] = [protectedBy("settings"), protectedBy("state")];
  for (const { id } of refusals.filter(({ because }) => because === "declared elsewhere")) {
    const stored = here.get(id);
    // If it lives and the state has it here only, the finding about its name says how to move it.
    if (stored && !elsewhere.isStored(id) && !isMissing(id)) continue;
    const where = stored
      ? `the state has ${id} at ${stored.address}, where it left the code`
      : `${describePlatform(prefix)} had ${id} in the last apply`;
    const remedy = isByProvider(id)
      ? `Remove this entry: terraform state rm '${stored!.address}'`
      : `Write ${retainLine(settings, [id], ids)} on ${describePlatform(prefix)} for one apply`;
    yield wrong("state", `${where}, and another Platform declares it: an apply will fail. ${remedy} [DECLARED_ELSEWHERE]`);
  }
  if (refused.length > 0) {
    yield wrong(
      "deletionProtection",
      `${enumerated(refused)} left the code and ${theirVerb(refused, "is")} protected: an apply will fail. To delete ${refused.length === 1 ? "it" : "them"}, write ${allowDeletionLine(settings, refused, ids)} on ${describePlatform(prefix)} [PROTECTED]`,
    );
  }
  if (refusedByState.length > 0) {
    const [isStill, it] = refusedByState.length === 1 ? ["is", "it"] : ["are", "them"];
    yield wrong(
      "deletionProtection",
      `${enumerated(refusedByState)} left the code and ${isStill} still protected in the state: a plan will fail. To delete ${it}, first apply the code with ${it}, which removes the protection from the state; or write ${allowDeletionLine(settings, refusedByState, ids)} on ${describePlatform(prefix)} [PROTECTED]`,
    );
  }
  const { deletionProtection, allowDeletion, retain } = settings;
  // A destroy hook without a guard looks for its object first.
  const kept = going.filter((id) => isGuarded(id) || !isGone(id));
  const mistyped = [false, true]
    .map((isOfProvider) => ({ ...unmatched(isOfProvider), kept: kept.filter((id) => isByProvider(id) === isOfProvider) }))
    .filter(({ names, kept }) => names.length > 0 && kept.length > 0);
  const nothing = nowhere(had);
  const idle = {
    deletionProtection: deletionProtection === true ? [] : patternsMatchingNone(deletionProtection, ids),
    allowDeletion: matchingNone(allowDeletion, ids),
    retain: matchingNone(retain, ids).filter((name) => !mistyped.some(({ names }) => names.includes(name))),
  };
  for (const [prop, names] of Object.entries(idle).filter(([, names]) => names.length > 0)) {
    yield doubtful(
      prop,
      `${describePlatform(prefix)} names ${enumerated(names)}, which ${nothing}: is it misspelled? If not, remove it`,
    );
  }
  for (const { kept, ...unmatchedNames } of mistyped) yield refusedByRetain(prefix, unmatchedNames, kept, "delete");
}

/** @param ids of the objects that the apply would delete or replace */
export function refusedByRetain(
  prefix: string,
  { names, from, isCertain }: UnmatchedNames,
  ids: readonly string[],
  what: "delete" | "replace",
) {
  const verdict = isCertain ? wrong : doubtful;
  return verdict(
    "retain",
    `${describePlatform(prefix)} names ${enumerated(names)}, which ${from}: an apply refuses to ${what} ${enumerated(ids)}, because the name may be a typo. Correct or remove it [${CODES["retain matches nothing"]}]`,
  );
}

const NOWHERE: Elsewhere = { isDeclared: () => false, isStored: () => false };
