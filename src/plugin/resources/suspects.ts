import type { Journal } from "../../lifecycle/journal";
import { idOf, type ObjectRef } from "../../model/object-ref";
import type { Ledger } from "./ledger";

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
