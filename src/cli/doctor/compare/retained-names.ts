import { isDeepStrictEqual } from "node:util";
import { decideRetainedNames, type SeenNames } from "../../../decision/platform";
import { hasNamed } from "../../../lifecycle/live";
import { idOf } from "../../../model/object-ref";
import type { ComparedPlatform } from "./compared-platform";
import type { PlannedState } from "./planned";

/** Names in `retain` that stop deletions. */
interface UnmatchedNames {
  readonly names: readonly string[];
  /** As in `the code does not have`. */
  readonly from: string;
  /** Not if the destroy hook of what a name stands for may tell the others of it in time. */
  readonly isCertain: boolean;
}

/**
 * The names that stop the deletion of an object, by its engine. Hooks look in the code and, with a deletion guard, in what it
 * knows. It runs if the code has other objects than that. The Terraform provider looks in the code and on the service.
 */
export function unmatchedNames(
  { platform, state, had, service, guard, journal }: ComparedPlatform,
  byProvider: boolean,
): UnmatchedNames {
  const { retain } = platform.settings;
  const declared = platform.declared.map(idOf);
  const guarded = guard && Object.keys(guard.objects);
  const unmatchedIn = (seen: SeenNames) =>
    decideRetainedNames(retain, { declared, released: journal?.released() ?? [], ...seen }).doubtful;
  if (byProvider && service) {
    const live = retain.filter((exact) => hasNamed(exact, service));
    return { names: unmatchedIn({ live }), from: "neither the code nor the service has", isCertain: true };
  }
  const inNothing = unmatchedIn({ stored: [...had.map(({ id }) => id.id), ...(guarded ?? [])] });
  if (byProvider) return { names: inNothing, from: nowhere(state), isCertain: true };
  const isCertain = inNothing.length > 0;
  if (!guarded) {
    const from = "the code does not have, and the deletion guard, which knows the state, is gone";
    return { names: unmatchedIn({}), from, isCertain };
  }
  const names = unmatchedIn({ stored: guarded });
  return {
    names,
    from: names.length > inNothing.length ? "neither the code nor the deletion guard has" : nowhere(state),
    isCertain: isCertain || !isDeepStrictEqual(new Set(guarded), new Set(declared)),
  };
}

export function nowhere({ isKnown }: PlannedState): string {
  return isKnown ? "neither the code nor the state has" : "the code does not have; the state is unknown";
}
