import {
  CODES,
  type DeletionFacts,
  type LiveObject,
  type DeletionOutcome,
  type DeletionRefusal,
  type RefusedBecause,
} from "../../../decision/deletion";
import { idOf, objectOf } from "../../../model/object-ref";
import type { RunSettings } from "../../../host/run-settings";
import type { LiveCluster } from "../../../api/client";
import type { StateObject } from "../../drift/state-objects";
import { isOfAnother, liveUnder } from "../../../lifecycle/live";
import { ofAnother, withRemedies } from "../../../lifecycle/refused-deletion";
import { enumerated } from "../../../lifecycle/wording";
import { matchingNone, patternsMatchingNone, retainLine, withdrawn } from "../../../model/protection";
import { doubtful, type CheckResult, wrong } from "../check-result";
import type { StackPlatform } from "../stack";
import { deletionOf } from "./changes";
import { type KnownToPlatform, nowhere, type UnmatchedNames } from "./retained-names";
import { isOwned } from "./stored";
import { groupedBy } from "../../report/grouped-by";
import { failingRun, platformAt, inNumber, waysOutOfDeletion, wordsOf } from "./words";

/** What another Platform declares on the same service, and what it continues in the state. */
interface Elsewhere {
  readonly isDeclared: (id: string) => boolean;
  readonly isStored: (id: string) => boolean;
}

/**
 * @param unmatched the names in `retain` that stop deletions, by the engine
 */
export function* protection(
  platform: StackPlatform,
  { had, service, guarded = [] }: Pick<KnownToPlatform, "had" | "service" | "guarded">,
  run: Pick<RunSettings, "gone">,
  unmatched: (byProvider: boolean) => UnmatchedNames,
  elsewhere: Elsewhere | undefined,
): Generator<CheckResult> {
  const { prefix, settings, declared } = platform;
  const here = new Map((had ?? []).map((object) => [object.id.id, object]));
  const after = declared.map(idOf);
  const ids = [...new Set([...here.keys(), ...guarded, ...after])];
  const isByProvider = (id: string) => here.get(id)?.id.byProvider ?? false;
  const liveOf = (id: string) => service && liveUnder(objectOf(id), service);
  const isMissing = (id: string) => service !== undefined && !liveOf(id);
  const isAnother = ({ id, declared: { provider } }: StateObject) => {
    const live = liveOf(id.id);
    return live !== undefined && "provider" in live && isOfAnother(id, provider, live);
  };
  const outcomeOf = (id: string, facts: Partial<DeletionFacts>): DeletionOutcome | undefined => {
    const stored = here.get(id);
    const object = stored ?? { id: { id, byProvider: false }, protected: false };
    const decided = (live: LiveObject) => deletionOf({ settings }, object, { ...facts, live });
    const ofGuard = guarded.includes(id) ? decided("own") : undefined;
    // A hook and the Terraform provider look for the object. The guard looks for a protected one only, and only if the run was told
    // that it is gone.
    const isLookedFor = ofGuard?.because === "protected" && run.gone.includes(objectOf(id));
    if (ofGuard?.because && !(isLookedFor && isMissing(id))) return ofGuard;
    // Terraform skips the destroy hook of a tainted object.
    if (!stored || !isOwned(stored)) return undefined;
    return decided(isMissing(id) ? "absent" : isAnother(stored) ? "of another type or provider" : "own");
  };
  const going = withdrawn(ids, after);
  const refusedAs = (because: RefusedBecause) =>
    going.flatMap((id) => {
      const outcome = outcomeOf(id, { isDeclaredElsewhere: elsewhere?.isDeclared(id) ?? false });
      return outcome?.because === because ? [{ id, object: objectOf(id), refusal: outcome }] : [];
    });
  for (const { id } of refusedAs("declared elsewhere")) {
    const stored = here.get(id);
    // If it lives and the state has it here only, the finding about its name says how to move it.
    if (stored && !elsewhere?.isStored(id) && !isMissing(id)) continue;
    const where = stored
      ? `the state has ${id} at ${stored.address}, where it left the code`
      : `${platformAt(prefix)} had ${id} in the last apply`;
    const remedy = isByProvider(id)
      ? `Remove this entry: terraform state rm '${stored!.address}'`
      : `Write ${retainLine(settings, [id], ids)} on ${platformAt(prefix)} for one apply`;
    yield wrong("state", `${where}, and another Platform declares it: an apply will fail. ${remedy} [DECLARED_ELSEWHERE]`);
  }
  for (const refused of refusedAs("another object")) {
    const live = liveOf(refused.id) as LiveCluster;
    const text = ofAnother(refused.object, here.get(refused.id)!.declared.provider, live);
    yield wrong("state", failingRun(platform, withRemedies([refused], text), isByProvider(refused.id) ? "a plan" : "an apply"));
  }
  const isOfState = ({ refusal }: { readonly refusal: DeletionRefusal }) => refusal.remedies.includes("UNPROTECT_FIRST");
  for (const [isStill, group] of groupedBy(refusedAs("protected"), isOfState)) {
    const refused = group.map(({ id }) => id);
    const what = isStill ? "still protected in the state: a plan" : "protected: an apply";
    yield wrong(
      "deletionProtection",
      `${enumerated(refused)} left the code and ${inNumber(refused, "is")} ${what} will fail. ${waysOutOfDeletion(platform, group, ids)}`,
    );
  }
  const { deletionProtection, allowDeletion, retain } = settings;
  // Also of a protected object, so that a person corrects both at once.
  const isMistyped = (id: string) => unmatched(isByProvider(id)).names.length > 0;
  const isKept = (id: string) => {
    const outcome = outcomeOf(id, { hasUnknownRetained: isMistyped(id), protection: "lifted" });
    return outcome?.because === "retain matches nothing";
  };
  const kept = going.filter(isKept);
  const mistyped = [...groupedBy(kept, isByProvider)].map(([byProvider, ids]) => ({ ...unmatched(byProvider), kept: ids }));
  const nothing = nowhere(had);
  const idle = {
    deletionProtection: deletionProtection === true ? [] : patternsMatchingNone(deletionProtection, ids),
    allowDeletion: matchingNone(allowDeletion, ids),
    retain: matchingNone(retain, ids).filter((name) => !mistyped.some(({ names }) => names.includes(name))),
  };
  for (const [prop, names] of Object.entries(idle).filter(([, names]) => names.length > 0)) {
    yield doubtful(
      prop,
      `${platformAt(prefix)} names ${enumerated(names)}, which ${nothing}: is it misspelled? If not, remove it`,
    );
  }
  for (const { kept, ...unmatchedNames } of mistyped) yield refusedByRetain(platform, unmatchedNames, kept, "delete");
}

/** @param ids of the objects that the apply would delete or replace */
export function refusedByRetain(
  platform: StackPlatform,
  { names, from, isCertain }: UnmatchedNames,
  ids: readonly string[],
  what: "delete" | "replace",
) {
  const verdict = isCertain ? wrong : doubtful;
  return verdict(
    "retain",
    `${platformAt(platform.prefix)} names ${enumerated(names)}, which ${from}: an apply refuses to ${what} ${enumerated(ids)}, because the name may be a typo. ${wordsOf(platform).CORRECT_RETAIN({ code: "CORRECT_RETAIN" })} [${CODES["retain matches nothing"]}]`,
  );
}
