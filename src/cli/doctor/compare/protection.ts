import { CODES, decideDeletion, isRefusal, LIVES, permissionOf, type Protection } from "../../../decision/deletion";
import { idOf, objectOf } from "../../../model/object-ref";
import type { RunSettings } from "../../../host/run-settings";
import { liveUnder } from "../../../lifecycle/live";
import { enumerated } from "../../../lifecycle/wording";
import { allowDeletionLine, goingObjects, matchingNone, patternsMatchingNone, retainLine } from "../../../model/protection";
import type { StateObject } from "../../drift/state-objects";
import { doubtful, type CheckResult, wrong } from "../check-result";
import type { StackPlatform } from "../stack";
import { type KnownToPlatform, nowhere, type UnmatchedNames } from "./retained-names";
import { isOwned } from "./stored";
import { describePlatform, theirVerb } from "./words";

/** What another Platform declares on the same service, and what it continues in the state. */
interface Elsewhere {
  readonly isDeclared: (id: string) => boolean;
  readonly storedAs: (id: string) => StateObject | undefined;
}

/**
 * @param unmatched the names in `retain` that stop deletions, by the engine
 */
export function* protection(
  { prefix, settings, declared }: StackPlatform,
  { had, service }: Pick<KnownToPlatform, "had" | "service">,
  run: Pick<RunSettings, "gone">,
  unmatched: (byProvider: boolean) => UnmatchedNames,
  elsewhere: Elsewhere = NOWHERE,
): Generator<CheckResult> {
  const before = (had ?? []).map(({ id }) => id.id);
  const after = declared.map(idOf);
  // Terraform skips the destroy hook of a tainted object, so only a guard that knows the object can refuse its removal.
  const forgotten = new Set((had ?? []).filter((object) => !isOwned(object) && !object.guarded).map(({ id }) => id.id));
  // A hook looks for its object, and protects nothing if the object is gone. The guard looks only if the run was told so.
  const gone = new Set(
    (had ?? [])
      .filter(
        (object) =>
          !object.id.byProvider && (!object.guarded || run.gone.includes(object.id)) && service && !liveUnder(object.id, service),
      )
      .map(({ id }) => id.id),
  );
  const going = goingObjects(settings, before, after).filter((id) => !forgotten.has(id));
  const inState = new Set((had ?? []).filter((object) => object.id.byProvider && object.protected).map(({ id }) => id.id));
  const ids = [...new Set([...before, ...after])];
  const refusalOf = (id: string) => {
    const permission = permissionOf(settings, id, inState.has(id));
    const isDeclaredElsewhere = elsewhere.isDeclared(id);
    // The guard looks for what another Platform declares.
    const isGone = gone.has(id) || (isDeclaredElsewhere && service && !liveUnder(objectOf(id), service));
    const live = isGone ? "absent" : "own";
    const facts = { ...LIVES, ...permission, isDeclaredElsewhere, transition: "remove", isAdopted: false, live } as const;
    const outcome = decideDeletion(facts);
    return isRefusal(outcome) ? { because: outcome.because, protection: permission.protection } : undefined;
  };
  const refusals = going.map((id) => ({ id, ...refusalOf(id) }));
  const protectedBy = (where: Protection) =>
    refusals.filter((each) => each.because === "protected" && each.protection === where).map(({ id }) => id);
  const [refused, refusedByState] = [protectedBy("settings"), protectedBy("state")];
  // If the state has it here only, the finding about its name says how to move it.
  const twice = refusals.filter(({ id, because }) => because === "declared elsewhere" && elsewhere.storedAs(id));
  for (const { id } of twice) {
    const { address, id: of } = had!.find((each) => each.id.id === id)!;
    const remedy = of.byProvider
      ? `Remove this entry: terraform state rm '${address}'`
      : `Write ${retainLine(settings, [id], ids)} on ${describePlatform(prefix)} for one apply`;
    const isMoving = elsewhere.storedAs(id)?.address === address;
    const where = isMoving
      ? `the code moves ${id} from ${address} to another Platform`
      : `the state has ${id} twice. It left the code at ${address}, and another Platform declares it`;
    yield wrong("state", `${where}: an apply will fail. ${remedy} [DECLARED_ELSEWHERE]`);
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
  const byProvider = new Set((had ?? []).filter(({ id }) => id.byProvider).map(({ id }) => id.id));
  // A destroy hook without a guard looks for its object first.
  const isAsked = new Map((had ?? []).map(({ id, guarded }) => [id.id, guarded || !gone.has(id.id)]));
  const asking = going.filter((id) => isAsked.get(id));
  const mistyped = [false, true]
    .map((isOfProvider) => ({ ...unmatched(isOfProvider), kept: asking.filter((id) => byProvider.has(id) === isOfProvider) }))
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
  { names, from }: UnmatchedNames,
  ids: readonly string[],
  what: "delete" | "replace",
) {
  return wrong(
    "retain",
    `${describePlatform(prefix)} names ${enumerated(names)}, which ${from}: an apply refuses to ${what} ${enumerated(ids)}, because the name may be a typo. Correct or remove it [${CODES["retain matches nothing"]}]`,
  );
}

const NOWHERE: Elsewhere = { isDeclared: () => false, storedAs: () => undefined };
