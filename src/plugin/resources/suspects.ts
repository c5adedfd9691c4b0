import type { Journal, OpenCreate } from "../../lifecycle/journal";
import { idOf, type ObjectRef } from "../../model/object-ref";
import type { Ledger } from "./ledger";

/**
 * Removes the notes of creates of all objects that the state has, including notes of a Platform that has left the code. Terraform has
 * put all answers into its state when it ends the plugin in an orderly way. After a kill, the state may have the object that the
 * create replaces.
 */
export function settleStored(journal: Journal, ledger: Ledger): void {
  for (const object of ledger.storedObjects()) journal.stored(object, ledger.uidOf(object));
}

/** Objects that an interrupted apply may have created, and that are neither in the state nor in `declared`. */
export function undeclared(journal: Journal, ledger: Ledger, declared: readonly string[]): ObjectRef[] {
  return objectsOf(journal.openCreates().filter(isOwn)).filter((object) => isUndeclared(object, ledger, declared));
}

/** The same in an apply that deletes everything. Its ledger does not know the state, and its plan has noted what the state has. */
export function inNoState(journal: Journal, ledger: Ledger): ObjectRef[] {
  const creates = journal.openCreates().filter((create) => isOwn(create) && !create.isReplacedStored);
  return objectsOf(creates).filter((object) => isUndeclared(object, ledger, []));
}

/** The same on services with other URLs. */
export function undeclaredElsewhere(journal: Journal, ledger: Ledger, declared: readonly string[]): OpenCreate[] {
  const creates = journal.openCreates().filter(({ isHere, isOfPlatform }) => !isHere && isOfPlatform);
  return creates.filter(({ object }) => isUndeclared(object, ledger, declared));
}

/** Objects of other Platforms that an interrupted apply may have created, and that are in no state. */
export function ofOtherPlatforms(journal: Journal, ledger: Ledger): ObjectRef[] {
  const creates = journal.openCreates();
  const left = creates.filter(({ isHere, isOfPlatform, isReplacedStored }) => isHere && !isOfPlatform && !isReplacedStored);
  return objectsOf(left).filter((object) => isUndeclared(object, ledger, []));
}

function isOwn({ isHere, isOfPlatform }: OpenCreate): boolean {
  return isHere && isOfPlatform;
}

function objectsOf(creates: readonly OpenCreate[]): ObjectRef[] {
  return creates.map(({ object }) => object);
}

/** Whether neither the state, as far as the ledger knows it, nor `declared` has the object. */
export function isUndeclared(object: ObjectRef, ledger: Ledger, declared: readonly string[]): boolean {
  return !ledger.isKnown(object) && !declared.includes(idOf(object));
}
