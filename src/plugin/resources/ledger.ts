import { called } from "../../lifecycle/wording";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { idOf, type ObjectRef } from "../../model/object-ref";

/**
 * What this process knows of objects by what Terraform has asked so far. Terraform tells a plugin no addresses, but it
 * asks one process about all objects of a provider block: so a name that one block loses and another one gets is seen
 * here. Provider blocks with other aliases have processes of their own, across which nothing is seen.
 */
export class Ledger {
  /** In Terraform's state. */
  readonly #recorded = new Map<string, Recorded>();
  readonly #leaving = new Set<string>();
  readonly #staying = new Set<string>();
  readonly #coming = new Set<string>();
  readonly #created = new Set<string>();
  #applying = false;

  /** Terraform's state has the object. */
  record(object: ObjectRef, isProtected: boolean): void {
    this.#recorded.set(idOf(object), { object, isProtected });
  }

  /** Of an object that the state has: whether the state protects it. Undefined where the state does not have it. */
  recorded(object: ObjectRef): Recorded | undefined {
    return this.#recorded.get(idOf(object));
  }

  /** Whether the state has the object, or the plan creates it. */
  isKnown(object: ObjectRef): boolean {
    return this.#recorded.has(idOf(object)) || this.#coming.has(idOf(object));
  }

  /** Objects that the state has, or that this process has created. */
  objects(): ObjectRef[] {
    return [...this.#recorded.values()].map(({ object }) => object);
  }

  /** The plan deletes the object, and does not create it anew at the same address. */
  planRemoval(object: ObjectRef): void {
    const id = idOf(object);
    if (this.#created.has(id)) throw createdBeforeDestroy(object);
    if (this.#coming.has(id)) throw movedWithoutSaying(object);
    if (this.#staying.has(id)) throw declaredTwice(object);
    this.#leaving.add(id);
  }

  /** The plan leaves the object as it is. */
  planStay(object: ObjectRef): void {
    const id = idOf(object);
    if (this.#leaving.has(id)) throw declaredTwice(object);
    this.#staying.add(id);
  }

  /** The plan creates the object. */
  planCreation(object: ObjectRef): void {
    const id = idOf(object);
    if (this.#leaving.has(id)) throw movedWithoutSaying(object);
    // Where the state has it, it is created anew at its address.
    if (!this.#recorded.has(id)) this.#coming.add(id);
  }

  /** Whether this process is carrying out a plan, so that the names on the service are about to change. */
  get isApplying(): boolean {
    return this.#applying;
  }

  beginToApply(): void {
    this.#applying = true;
  }

  created(object: ObjectRef): void {
    this.#created.add(idOf(object));
    this.record(object, false);
  }

  deleted(object: ObjectRef): void {
    this.#recorded.delete(idOf(object));
    this.#leaving.delete(idOf(object));
  }
}

export interface Recorded {
  readonly object: ObjectRef;
  /** Whether the state itself protects the object. */
  readonly isProtected: boolean;
}

function movedWithoutSaying(object: ObjectRef): LifecycleError {
  return new LifecycleError({
    code: "NAME_TAKEN",
    objects: [object],
    summary: `the plan deletes ${called(object)} at one address and creates it at another one`,
    detail: "It would be deleted although it is declared. Nothing was sent",
    remedy: "Write a moved block from the old address to the new one, or give one of the two another name",
  });
}

function declaredTwice(object: ObjectRef): LifecycleError {
  return new LifecycleError({
    code: "NAME_TAKEN",
    objects: [object],
    summary: `the state has ${called(object)} twice, and the plan deletes one of them`,
    detail: "It would be deleted although it is declared. Nothing was sent",
    remedy:
      "Take what is to go out of the state: terraform state rm ADDRESS. Where both have one address, as after create_before_destroy, " +
      `apply then with CLUSTER_PLATFORM_ADOPT=${idOf(object)}`,
  });
}

function createdBeforeDestroy(object: ObjectRef): LifecycleError {
  return new LifecycleError({
    code: "NAME_TAKEN",
    objects: [object],
    summary: `this run has created or adopted ${called(object)}, and Terraform wants to delete the one before of the same name`,
    detail: "There is only one of a name. Nothing was deleted",
    remedy: "Take create_before_destroy out of the resource's lifecycle: an object has to go before its successor comes",
  });
}
