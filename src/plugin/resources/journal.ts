import { Journal } from "../../lifecycle/journal";
import { idOf, type ObjectRef } from "../../model/object-ref";
import type { Ledger } from "./ledger";

/**
 * Removes the notes of creates of all objects that the state has. Terraform has put all answers into its state when it ends the
 * plugin in an orderly way.
 */
export function settleRecorded(journal: Journal, ledger: Ledger): void {
  for (const object of journal.creations()) if (ledger.recorded(object)) journal.settleCreation(object);
}

/** Objects that an interrupted apply may have created, and that are neither in the state nor in `declared`. */
export function undeclared(journal: Journal, ledger: Ledger, declared: readonly string[]): ObjectRef[] {
  return journal.creations().filter((object) => !ledger.isKnown(object) && !declared.includes(idOf(object)));
}
