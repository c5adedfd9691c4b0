import { idOf } from "../../../model/object-ref";
import { enumerated } from "../../../lifecycle/wording";
import { allowDeletionLine, isProtected, matchingNone, patternsMatchingNone, plannedRemovals } from "../../../model/protection";
import type { StateObject } from "../../drift/state-objects";
import { doubtful, type CheckResult, wrong } from "../check-result";
import type { StackPlatform } from "../stack";
import { called, theirVerb } from "./words";

/** @param had the objects of the Platform in the state; undefined if the state is not known */
export function* protection(
  { prefix, settings, declared }: StackPlatform,
  had: readonly StateObject[] | undefined,
): Generator<CheckResult> {
  const before = (had ?? []).map(({ id }) => id.id);
  const after = declared.map(idOf);
  const { refused, unknown, going } = plannedRemovals(settings, before, after);
  const inState = new Set((had ?? []).filter((object) => object.id.byProvider && object.protected).map(({ id }) => id.id));
  const refusedByState = going.filter(
    (id) => inState.has(id) && !refused.includes(id) && isProtected({ ...settings, deletionProtection: true }, id),
  );
  const ids = [...new Set([...before, ...after])];
  if (refused.length > 0) {
    yield wrong(
      "deletionProtection",
      `${enumerated(refused)} left the code and ${theirVerb(refused, "is")} protected: an apply will fail. To delete ${refused.length === 1 ? "it" : "them"}, write ${allowDeletionLine(settings, refused, ids)} on ${called(prefix)} [PROTECTED]`,
    );
  }
  if (refusedByState.length > 0) {
    const [isStill, it] = refusedByState.length === 1 ? ["is", "it"] : ["are", "them"];
    yield wrong(
      "deletionProtection",
      `${enumerated(refusedByState)} left the code and ${isStill} still protected in the state: a plan will fail. To delete ${it}, first apply the code with ${it}, which removes the protection from the state; or write ${allowDeletionLine(settings, refusedByState, ids)} on ${called(prefix)} [PROTECTED]`,
    );
  }
  const nothing = had ? "neither the code nor the state has" : "the code does not have; the state is unknown";
  const { deletionProtection, allowDeletion } = settings;
  const idle = {
    deletionProtection: deletionProtection === true ? [] : patternsMatchingNone(deletionProtection, ids),
    allowDeletion: matchingNone(allowDeletion, ids),
    retain: going.length > 0 ? [] : unknown,
  };
  for (const [prop, names] of Object.entries(idle).filter(([, names]) => names.length > 0)) {
    yield doubtful(prop, `${called(prefix)} names ${enumerated(names)}, which ${nothing}: is it misspelled? If not, remove it`);
  }
  if (unknown.length > 0 && going.length > 0) {
    yield wrong(
      "retain",
      `${called(prefix)} names ${enumerated(unknown)}, which ${nothing}: an apply refuses to delete ${enumerated(going)}, because the name may be a typo. Correct or remove it [INVALID_SETTING]`,
    );
  }
}
