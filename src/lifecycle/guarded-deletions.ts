import {
  decideDeletion,
  type DeletionFacts,
  type DeletionOutcome,
  LIVE_AND_UNUSED,
  permissionOf,
  refusedAmong,
  refusedFirst,
} from "../decision/deletion";
import { idOf, objectOf, type ObjectRef } from "../model/object-ref";
import { goingObjects, matchingNone, type ProtectionSettings } from "../model/protection";
import { type DoubtfulService, doubtfulService, identify, type Identity, usersStaying } from "./deletion-facts";
import type { Journal } from "./journal";
import { isNameLive, type Lists, liveUnder } from "./live";
import type { Refused } from "./refused-deletion";

/** What an apply does to the objects of a Platform, as its deletion guard knows it. Ids are `type/kind/name`. */
export interface GuardedChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Terraform deletes and recreates these objects. */
  readonly replaced: readonly string[];
  /** The objects of the last complete apply. In a destroy, `before` has those of the code as well. */
  readonly applied: ReadonlySet<string>;
  /** The objects that the code declares, also in a destroy. */
  readonly declared: readonly string[];
  /** Whether the URL of the service in the code is new or has changed. */
  readonly isUrlChanged: boolean;
}

/** Why the guard refuses. The objects are refused for one reason. */
export type RefusedDeletions =
  ({ readonly because: "service is doubtful" } & DoubtfulService) | { readonly because: OfObjects; readonly refused: Refused };

type OfObjects = Exclude<Refused[number]["refusal"]["because"], "service is doubtful">;

/** The objects that an apply deletes or replaces, and that `retain` does not keep. */
export function goingIn(settings: ProtectionSettings, { before, after, replaced }: GuardedChange): readonly ObjectRef[] {
  return goingObjects(settings, before, after, replaced).map(objectOf);
}

/**
 * What happens to an object, as far as a deletion guard knows.
 * @param seen what the service shows. @default - a live object that nothing but its permission keeps
 */
export function guardedOutcome(
  settings: ProtectionSettings,
  { replaced }: Pick<GuardedChange, "replaced">,
  object: ObjectRef,
  seen: Partial<DeletionFacts> = {},
): DeletionOutcome {
  const id = idOf(object);
  const transition = replaced.includes(id) ? "replace" : "remove";
  // Only the create hook knows whether it adopts. What is adopted is refused less.
  return decideDeletion({ ...LIVE_AND_UNUSED, ...permissionOf(settings, id), transition, isAdopted: true, ...seen });
}

/** The deletions of an apply, judged before the first of them. */
export class GuardedDeletions {
  readonly going: readonly ObjectRef[];
  /** The protected ones. They are refused if they live. */
  readonly forbidden: Refused;
  readonly #leaving: ReadonlySet<string>;

  /** @param gone ids of the objects that the run was told are gone */
  constructor(
    private readonly settings: ProtectionSettings,
    private readonly change: GuardedChange,
    private readonly journal: Journal,
    private readonly gone: ReadonlySet<string>,
  ) {
    this.going = goingIn(settings, change);
    this.forbidden = refusedAmong(this.going, (object) => guardedOutcome(settings, change, object));
    this.#leaving = new Set(this.going.map(idOf));
  }

  /** Whether the guard looks at the service. */
  get needsLook(): boolean {
    return this.going.length > 0 || (this.change.isUrlChanged && this.change.before.length > 0);
  }

  /** Forbidden objects that may not be on the service. Then their deletion needs no permission. */
  get perhapsMissing(): ObjectRef[] {
    const { applied, replaced } = this.change;
    return this.forbidden
      .map(({ object }) => object)
      .filter((object) => {
        const id = idOf(object);
        const wasPerhapsNeverCreated = !applied.has(id);
        // A replacement of a missing object only creates it.
        const isReplaced = replaced.includes(id);
        return wasPerhapsNeverCreated || isReplaced || this.gone.has(id) || this.journal.of(object).wasDeletionSent();
      });
  }

  /**
   * What the destroy hooks would refuse because of what the service shows. They would do so after other deletions. Protected objects
   * come first, then a doubtful service, and then the reasons of `DELETION_CODES` in their order. Other absent objects and clusters
   * without a provider are left to the hooks, because only lists of a longer time tell what those are.
   * @param absent ids of the {@link perhapsMissing} that no look has shown
   */
  judge(lists: Lists, absent: ReadonlySet<string>): RefusedDeletions | undefined {
    const alive = this.forbidden.filter(({ object }) => !absent.has(idOf(object)));
    if (alive.length > 0) return { because: "protected", refused: alive };
    const service = doubtfulService(this.journal, this.change.before, this.gone, lists);
    if (service) return { because: "service is doubtful", ...service };
    const hasUnknownRetained = this.unknownRetained(lists).length > 0;
    const refused = refusedFirst(
      refusedAmong(this.going, (object) => {
        const identity = this.identityOf(object, lists);
        const isUsed = this.usersOf(object, lists).length > 0;
        const seen = identity ? { live: identity.live, hasUnknownRetained, isUsed } : { live: "absent" as const };
        return guardedOutcome(this.settings, this.change, object, { isSaidGone: this.gone.has(idOf(object)), ...seen });
      }),
    );
    return refused.length > 0 ? { because: refused[0]!.refusal.because as OfObjects, refused } : undefined;
  }

  /** Entries of `retain` that name nothing in the code and nothing on the service. */
  unknownRetained(lists: Lists): readonly string[] {
    return matchingNone(this.settings.retain, this.change.declared).filter((exact) => !isNameLive(exact, lists));
  }

  /** The clusters that keep a provider from being deleted. */
  usersOf(object: ObjectRef, lists: Lists): readonly ObjectRef[] {
    return usersStaying(this.journal, object, lists.clusters!, this.#leaving);
  }

  /** Undefined if nothing has the name of the object. The snapshot does not have the provider of a cluster. */
  identityOf(object: ObjectRef, lists: Lists): Identity | undefined {
    const live = liveUnder(object, lists);
    return live && identify(object, "provider" in live ? live.provider : undefined, live);
  }
}
