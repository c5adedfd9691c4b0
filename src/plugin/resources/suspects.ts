import type { Journal } from "../../lifecycle/journal";
import { idOf, parseObjectId, type ObjectRef } from "../../model/object-ref";
import type { Ledger } from "./ledger";
import type { ReadyMemory } from "./ready-memory";
import type { Session } from "./session";

/**
 * Removes the notes of creates of all objects that the state has, including notes of a Platform that has left the code. Terraform has
 * put all answers into its state when it ends the plugin in an orderly way. After a kill, the state may have the object that the
 * create replaces.
 */
export function settleStored(journal: Journal, ledger: Ledger): void {
  for (const object of ledger.storedObjects()) journal.settleCreation(object, ledger.uidOf(object));
}

/** Objects that an interrupted apply may have created, and that are neither in the state nor in `declared`. */
export function undeclared(journal: Journal, ledger: Ledger, declared: readonly string[]): ObjectRef[] {
  return journal.creations().filter((object) => isUndeclared(object, ledger, declared));
}

/** The same in an apply that deletes everything. Its ledger does not know the state, and its plan has settled the notes. */
export function inNoState(journal: Journal, ledger: Ledger): ObjectRef[] {
  return journal.creationsInNoState().filter((object) => isUndeclared(object, ledger, []));
}

/** The same on services with other URLs. */
export function undeclaredElsewhere(journal: Journal, ledger: Ledger, declared: readonly string[]) {
  return journal.creationsElsewhere().filter(({ object }) => isUndeclared(object, ledger, declared));
}

/** Whether neither the state, as far as the ledger knows it, nor `declared` has the object. */
export function isUndeclared(object: ObjectRef, ledger: Ledger, declared: readonly string[]): boolean {
  return !ledger.isKnown(object) && !declared.includes(idOf(object));
}

/** Objects of interrupted creates, as `clusterplatform_ready` knows them from the notes of this machine and from its own memory. */
export class Suspects {
  readonly #journal: Journal;

  constructor(
    private readonly ledger: Ledger,
    private readonly memory: ReadyMemory,
    private readonly session: Session,
  ) {
    const { journal } = session.context;
    // Without its Platform, Terraform configures the provider with an empty block.
    this.#journal = memory.place && session.settings.declared === undefined ? journal.at(memory.place) : journal;
  }

  /**
   * Terraform plans the resource after all objects, so the ledger is complete then. In the plan of its deletion, the ledger is not
   * complete, so the objects that it waits for count as objects of the state.
   * @param waitedFor ids
   */
  ofPlan(waitedFor: readonly string[]): ObjectRef[] {
    if (!this.memory.hasAllObjects) return [];
    const suspected = this.memory.isReplaced ? this.memory.suspected : this.#lost();
    return withSuspected(undeclared(this.#journal, this.ledger, waitedFor), suspected);
  }

  /** The same for creates on services with other URLs. */
  elsewhere(waitedFor: readonly string[]) {
    if (!this.memory.hasAllObjects) return [];
    return undeclaredElsewhere(this.session.context.journal, this.ledger, waitedFor);
  }

  /**
   * Of a Platform that has left the code, or had another name. If the state has nothing of them, Terraform asks no provider about
   * them. In a plan, they may still be in the state, because another process plans what leaves with a Platform. When it ends, it removes
   * their notes.
   */
  ofLeftPlatforms(): ObjectRef[] {
    if (!this.memory.hasAllObjects) return [];
    return this.session.context.journal
      .creationsOfLeftPlatforms()
      .filter((object) => isUndeclared(object, this.ledger, []) && !this.session.isDeclared(object));
  }

  /** When Terraform deletes the resource. A killed replacement may have left one of the objects that it waited for. */
  ofRemoval(): ObjectRef[] {
    return this.memory.hasAllObjects ? withSuspected(inNoState(this.#journal, this.ledger), this.#lost()) : [];
  }

  /** When Terraform deletes the resource, on services with other URLs. */
  ofRemovalElsewhere() {
    return this.memory.hasAllObjects ? undeclaredElsewhere(this.#journal, this.ledger, []) : [];
  }

  /** What a destroy does not find in the state. If a Platform leaves the code, no refresh plans its objects, so nothing shows which are lost. */
  #lost(): readonly string[] {
    if (!this.session.settings.declared?.length) return [];
    return (this.memory.suspected ?? []).filter((id) => !this.ledger.isStored(parseObjectId(id)!));
  }
}

function withSuspected(noted: readonly ObjectRef[], ids: readonly string[] = []): ObjectRef[] {
  const known = new Set(noted.map(idOf));
  return [...noted, ...ids.filter((id) => !known.has(id)).map((id) => parseObjectId(id)!)];
}
