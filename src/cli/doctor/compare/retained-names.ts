import { isDeepStrictEqual } from "node:util";
import { decideRetainedNames } from "../../../decision/platform";
import { hasNamed } from "../../../lifecycle/live";
import { idOf } from "../../../model/object-ref";
import type { StateObject } from "../../drift/state-objects";
import type { LiveService } from "../service";
import type { StackPlatform } from "../stack";

/** Names in `retain` that stop deletions. */
export interface UnmatchedNames {
  readonly names: readonly string[];
  /** As in `the code does not have`. */
  readonly from: string;
  /** Not if the destroy hook of what a name stands for may tell the others of it in time. */
  readonly isCertain: boolean;
}

export interface KnownToPlatform {
  /** The objects of the Platform in the state; undefined if the state is not known. */
  readonly had: readonly StateObject[] | undefined;
  /** Undefined if it cannot be read. */
  readonly service: LiveService | undefined;
  /** Ids that the deletion guard in the state knows, if there is one. */
  readonly guarded?: readonly string[];
  /** Ids that earlier applies have released. */
  readonly released?: readonly string[];
}

/**
 * The names that stop the deletion of an object, by its engine. Hooks look in the code and, with a deletion guard, in what it
 * knows. It runs if the code has other objects than that. The Terraform provider looks in the code and on the service.
 */
export function unmatchedNames(
  { settings: { retain }, declared: objects }: Pick<StackPlatform, "settings" | "declared">,
  { had, service, guarded, released = [] }: KnownToPlatform,
): (byProvider: boolean) => UnmatchedNames {
  const declared = objects.map(idOf);
  const stored = [...(had ?? []).map(({ id }) => id.id), ...(guarded ?? [])];
  const nowhereInState = decideRetainedNames(retain, { declared, stored, released }).doubtful;
  const ofGuard = guarded && decideRetainedNames(retain, { declared, stored: guarded, released }).doubtful;
  const ofHooks = ofGuard
    ? {
        names: ofGuard,
        from: ofGuard.length > nowhereInState.length ? "neither the code nor the deletion guard has" : nowhere(had),
        isCertain: nowhereInState.length > 0 || !isDeepStrictEqual(new Set(guarded), new Set(declared)),
      }
    : {
        names: decideRetainedNames(retain, { declared, released }).doubtful,
        from: "the code does not have, and the deletion guard, which knows the state, is gone",
        isCertain: nowhereInState.length > 0,
      };
  const live = service && retain.filter((exact) => hasNamed(exact, service));
  const ofProvider = service
    ? {
        names: decideRetainedNames(retain, { declared, live, released }).doubtful,
        from: "neither the code nor the service has",
        isCertain: true,
      }
    : { names: decideRetainedNames(retain, { declared, stored }).doubtful, from: nowhere(had), isCertain: true };
  return (byProvider) => (byProvider ? ofProvider : ofHooks);
}

export function nowhere(had: KnownToPlatform["had"]): string {
  return had ? "neither the code nor the state has" : "the code does not have; the state is unknown";
}
