import type { DeletionFacts } from "../../decision/deletion";
import { describeObject } from "../../lifecycle/wording";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { decide } from "../../lifecycle/remedy";
import { idOf, type ObjectRef } from "../../model/object-ref";
import type { ObjectValue } from "../../terraform/value";
import { notOnlyAnotherUrl } from "./another-service";
import type { NamedSecrets } from "./object-plan";

/**
 * Collects what Terraform has asked about the objects of one provider block, and refuses plans that would delete a declared
 * object. Terraform never tells a plugin an address, but it asks one process about all objects of a provider block. So the ledger
 * sees when a name leaves one resource block and enters another one. It does not see across provider blocks with different
 * aliases, because each has its own process.
 */
export class Ledger {
  readonly #recorded = new Map<string, Recorded>();
  /** Ids of the objects that the plan deletes, keeps and creates. */
  readonly #deletions = new Set<string>();
  readonly #unchanged = new Set<string>();
  readonly #creations = new Set<string>();
  /** Ids of the objects that the plan creates although the state has them: after -replace or a taint, or at another address. */
  readonly #recreations = new Set<string>();
  /** Secrets of the objects that the plan creates, by id. */
  readonly #secrets = new Map<string, NamedSecrets>();
  /** The service that the state names for objects that are planned for that of the run. */
  readonly #formerServices = new Set<string>();
  /** The first object that the plan creates, deletes or replaces. */
  #written: string | undefined;
  /** Objects that leave the service in the plan, by id, and those that it releases. */
  readonly #leaving = new Map<string, Leaving>();
  readonly #released = new Set<string>();
  /** Ids of the objects that `clusterplatform_ready` has in the state. */
  readonly #named = new Set<string>();
  readonly #uids = new Map<string, string>();
  /** Ids of the objects that several entries of the state stand for. */
  readonly #twice = new Set<string>();
  /** Ids of the objects whose create has begun in this run. */
  readonly #creating = new Set<string>();
  /** Ids of the objects that the state has for certain, in contrast to those that a plan imports. */
  readonly #stored = new Set<string>();
  /** Configurations of imported objects, before Terraform applies `ignore_changes`. */
  readonly #importConfigs = new Map<string, ObjectValue | undefined>();
  /** Whether the plan has refused to destroy what only the state protects. */
  isDestroyRefused = false;
  #applying = false;
  #orphanCheck: Promise<void> | undefined;

  record(object: ObjectRef, value: ObjectValue): void {
    this.#recorded.set(idOf(object), { object, value });
  }

  recorded(object: ObjectRef): Recorded | undefined {
    return this.#recorded.get(idOf(object));
  }

  /** @param uid of the object in the state, which may be new because of an import */
  readUid(object: ObjectRef, uid: string): void {
    this.#uids.set(idOf(object), uid);
  }

  /** @param uid of an entry of the state */
  loadedUid(object: ObjectRef, uid: string): void {
    if ((this.uidOf(object) ?? uid) !== uid) this.#twice.add(idOf(object));
    this.readUid(object, uid);
  }

  uidOf(object: ObjectRef): string | undefined {
    return this.#uids.get(idOf(object));
  }

  readImport(object: ObjectRef): void {
    this.#importConfigs.set(idOf(object), undefined);
  }

  /** Only configurations of imported objects are kept. Terraform validates them after it has read the object. */
  validated(object: ObjectRef, config: ObjectValue): void {
    if (this.#importConfigs.has(idOf(object))) this.#importConfigs.set(idOf(object), config);
  }

  importConfigOf(object: ObjectRef): ObjectValue | undefined {
    return this.#importConfigs.get(idOf(object));
  }

  isKnown(object: ObjectRef): boolean {
    return this.#recorded.has(idOf(object)) || this.#creations.has(idOf(object));
  }

  /** Ids of the objects that the apply creates, also after it has deleted an earlier one. */
  creations(): string[] {
    return [...this.#creations, ...this.#recreations];
  }

  isStored(id: string): boolean {
    return this.#stored.has(id);
  }

  recordedValues(): Recorded[] {
    return [...this.#recorded.values()];
  }

  objects(): ObjectRef[] {
    return [...this.#recorded.values()].map(({ object }) => object);
  }

  /** The plan deletes the object and does not recreate it at the same address. */
  planRemoval(object: ObjectRef): void {
    const id = idOf(object);
    if (this.#creating.has(id)) throw createdBeforeDestroy(object);
    if ([this.#creations, this.#recreations, this.#unchanged].some((ids) => ids.has(id))) throw inTwoPlaces(object);
    this.#deletions.add(id);
    this.planWrite(describeObject(object));
  }

  /**
   * The object stays, and the state gets the service of the run. That may be another service, so such a plan does nothing else.
   * @param service in the state
   * @returns whether it is the first object of that service
   */
  planMove(object: ObjectRef, service: string): boolean {
    this.planStay(object);
    const isFirst = !this.#formerServices.has(service);
    this.#formerServices.add(service);
    this.#refuseMoveAndWrite();
    return isFirst;
  }

  /** @param what the plan creates, deletes or replaces */
  planWrite(what: string): void {
    this.#written ??= what;
    this.#refuseMoveAndWrite();
  }

  #refuseMoveAndWrite(): void {
    const [service] = this.#formerServices;
    if (service !== undefined && this.#written !== undefined) throw notOnlyAnotherUrl(service, this.#written);
  }

  planStay(object: ObjectRef): void {
    const id = idOf(object);
    if (this.#deletions.has(id) || this.#twice.has(id)) throw inTwoPlaces(object);
    // Terraform plans the creation of a -replace after this, so the creation is that of another block.
    this.#refuseSecondBlock(object);
    this.#unchanged.add(id);
  }

  planCreation(object: ObjectRef): void {
    const id = idOf(object);
    // A plan does not ask about the deletion of a tainted entry.
    if (this.#deletions.has(id) || this.#twice.has(id)) throw inTwoPlaces(object);
    this.#refuseSecondBlock(object);
    (this.#recorded.has(id) ? this.#recreations : this.#creations).add(id);
  }

  createsWith(object: ObjectRef, secrets: NamedSecrets): void {
    this.#secrets.set(idOf(object), secrets);
  }

  /** Undefined if the plan does not create the object. */
  secretsToCreate(object: ObjectRef): NamedSecrets | undefined {
    return this.#secrets.get(idOf(object));
  }

  /** The plan deletes or replaces the object. */
  leaves(leaving: Leaving): void {
    this.#leaving.set(idOf(leaving.object), leaving);
  }

  /** The plan removes the object, and it stays on the service. */
  released(object: ObjectRef): void {
    this.#released.add(idOf(object));
  }

  named(objects: readonly ObjectRef[]): void {
    for (const object of objects) this.#named.add(idOf(object));
  }

  leavingProviders(): readonly Leaving[] {
    return [...this.#leaving.values()].filter(({ object }) => object.kind === "providers");
  }

  /** What the plan does to a live object. An object may be unplanned because Terraform plans it later, or not in this run. */
  fateOf(object: ObjectRef): "leaves" | "stays" | "unplanned" | "not in the state" {
    const id = idOf(object);
    if (this.#leaving.has(id)) return "leaves";
    if ([this.#unchanged, this.#creations, this.#released].some((ids) => ids.has(id))) return "stays";
    return this.#recorded.has(id) || this.#named.has(id) ? "unplanned" : "not in the state";
  }

  /** Two entries in the state for one object would delete it. */
  #refuseSecondBlock(object: ObjectRef): void {
    const id = idOf(object);
    if (this.#creations.has(id) || this.#recreations.has(id)) throw inTwoPlaces(object);
  }

  /** The names on the service change during an apply. */
  get isApplying(): boolean {
    return this.#applying;
  }

  beginToApply(): void {
    this.#applying = true;
  }

  /** Before the first deletion or update of an apply. */
  checkedOnce(check: () => Promise<void>): Promise<void> {
    return (this.#orphanCheck ??= check());
  }

  beginToCreate(object: ObjectRef): void {
    this.#creating.add(idOf(object));
  }

  created(object: ObjectRef, uid: string): void {
    this.readUid(object, uid);
    this.record(object, {});
    this.stored(object);
  }

  stored(object: ObjectRef): void {
    this.#stored.add(idOf(object));
  }

  /** Without those whose import no apply has confirmed, because notes tell what they are. */
  storedObjects(): ObjectRef[] {
    return this.objects().filter((object) => this.#stored.has(idOf(object)) && !this.#importConfigs.has(idOf(object)));
  }

  deleted(object: ObjectRef): void {
    this.#recorded.delete(idOf(object));
    this.#twice.delete(idOf(object));
    this.#deletions.delete(idOf(object));
    this.#stored.delete(idOf(object));
  }
}

export interface Leaving {
  readonly object: ObjectRef;
  /** In the state. */
  readonly value: ObjectValue;
  readonly facts: Omit<DeletionFacts, "isUsed">;
}

export interface Recorded {
  readonly object: ObjectRef;
  /** In the state. */
  readonly value: ObjectValue;
}

/** `terraform state mv` or a second block has given the object two addresses. */
export function inTwoPlaces(object: ObjectRef): LifecycleError {
  return new LifecycleError({
    code: "MISPLACED",
    objects: [object],
    summary: `${describeObject(object)} has two addresses in the code, the state or both, and the service has one object of that name`,
    detail: "It could be deleted although it is declared. Nothing was sent for it",
    remedies: [
      decide(
        "Keep one address. Move the entry of the state to the address in the code, with a moved block or terraform state mv. If the state has an entry at each of the two, remove one with terraform state rm. If the code has two blocks, remove one or give it another name",
      ),
    ],
  });
}

function createdBeforeDestroy(object: ObjectRef): LifecycleError {
  return new LifecycleError({
    code: "MISPLACED",
    objects: [object],
    summary: `this run has created or adopted ${describeObject(object)}, and Terraform now wants to delete the earlier object of the same name`,
    detail:
      "The service has one object of that name. Nothing was deleted. The state now has it twice, with the earlier values and with the new ones, which the live object may not have",
    remedies: [
      decide(
        `The old object must be deleted before the new one is created, so remove create_before_destroy from the resource's lifecycle, declare the live values, run terraform state rm ADDRESS, and apply with CLUSTER_PLATFORM_ADOPT=${idOf(object)}. Then change the values in another apply`,
      ),
    ],
  });
}
