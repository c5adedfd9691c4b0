import { idOf, parseObjectId } from "../../model/object-ref";
import type { ObjectValue } from "../../terraform/value";
import type { Ledger } from "./ledger";
import { objectsIn } from "./ready-values";
import type { NotedPlace, Session } from "./session";
import { isUndeclared } from "./suspects";

/**
 * What the state keeps of `clusterplatform_ready` besides its attributes. Each refresh writes what the coming apply creates as
 * `unfinished`, and moves what it finds there to `suspected`. A complete apply of the resource removes both.
 */
export type ReadyMemory = {
  /** Whether it waits for all objects of its provider block. Then it also looks for orphans. */
  readonly hasAllObjects?: boolean;
  /** Whose notes tell of orphans. The provider block does not say it any more after the Platform has left the code. */
  readonly place?: NotedPlace;
  /**
   * Ids of the objects that an apply creates or replaces from this state on. If Terraform writes the state and the apply does not end,
   * nothing else shows these objects on another machine.
   */
  readonly unfinished?: readonly string[];
  /**
   * Ids of the objects that earlier applies have not finished. An object leaves the list if the state has it, or if the plan declares or
   * knows it. An object does not enter the list if the machine of the refresh has found its name taken, and so has sent nothing. What
   * that machine learns of the name later says nothing about the requests of others.
   */
  readonly suspected?: readonly string[];
  /** Set in a plan that does not remove the resource. Terraform passes the private data of a replacement to the deletion. */
  readonly isNotRemoved?: true;
};

/** After a refresh. Terraform plans all objects before it refreshes the resource that depends on them, so the ledger has their creations. */
export function refreshedMemory(memory: ReadyMemory, ledger: Ledger, session: Session): ReadyMemory {
  if (!memory.hasAllObjects) return memory;
  const suspected = suspectedIn(memory, session).filter((id) => !ledger.isStored(parseObjectId(id)!));
  const unfinished = ledger.creations().sort();
  return {
    ...appliedMemory(memory),
    ...(suspected.length > 0 && { suspected }),
    ...(unfinished.length > 0 && { unfinished }),
  };
}

/** In a plan that does not remove the resource. */
export function plannedMemory(memory: ReadyMemory, proposed: ObjectValue, ledger: Ledger, session: Session): ReadyMemory {
  const ids = objectsIn(proposed).map(idOf);
  const own = new Set(ids);
  const { declared } = session.settings;
  return {
    hasAllObjects: declared?.length === own.size && declared.every((id) => own.has(id)),
    place: session.place,
    suspected: suspectedIn(memory, session).filter((id) => isUndeclared(parseObjectId(id)!, ledger, ids)),
    isNotRemoved: true,
  };
}

/** In a plan that removes the resource. An apply that failed has put the memory of its plan into the state. */
export function removedMemory({ isNotRemoved: _, ...memory }: ReadyMemory): ReadyMemory {
  return memory;
}

/** After a complete apply. */
export function appliedMemory({ hasAllObjects, place }: ReadyMemory): ReadyMemory {
  return { ...(hasAllObjects !== undefined && { hasAllObjects }), ...(place && { place }) };
}

/** What may live without being in the state, as far as an earlier refresh and this machine know. */
function suspectedIn({ suspected = [], unfinished = [] }: ReadyMemory, { context }: Session): readonly string[] {
  return [...new Set([...suspected, ...unfinished.filter((id) => !context.journal.of(parseObjectId(id)!).wasNameTaken)])].sort();
}
