import { Journal } from "../../lifecycle/journal";
import { idOf, type ObjectRef } from "../../model/object-ref";
import type { Ledger } from "./ledger";

/**
 * Keeps the note of a create until Terraform ends the plugin in an orderly way. By then Terraform has put all answers into its
 * state. If Terraform is killed earlier, its state may lack the object, and the next apply continues with it.
 */
export class PluginJournal extends Journal {
  override settle(object: ObjectRef): void {
    this.discardShared(object);
  }
}

/** Removes the notes of creates of all objects that the state has, including notes of other Platforms of the stack. */
export function settleStored(journal: Journal, ledger: Ledger): void {
  for (const object of ledger.storedObjects()) journal.settleCreation(object);
}

/** Objects that an interrupted apply may have created, and that are neither in the state nor in `declared`. */
export function undeclared(journal: Journal, ledger: Ledger, declared: readonly string[]): ObjectRef[] {
  return journal.creations().filter((object) => isUndeclared(object, ledger, declared));
}

/** The same on services with other URLs. */
export function undeclaredElsewhere(journal: Journal, ledger: Ledger, declared: readonly string[]) {
  return journal.creationsElsewhere().filter(({ object }) => isUndeclared(object, ledger, declared));
}

function isUndeclared(object: ObjectRef, ledger: Ledger, declared: readonly string[]): boolean {
  return !ledger.isKnown(object) && !declared.includes(idOf(object));
}
