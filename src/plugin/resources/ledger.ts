import type { DeletionFacts } from "../../decision/deletion";
import { describeObject } from "../../lifecycle/wording";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { decide } from "../../lifecycle/remedy";
import { idOf, type ObjectRef } from "../../model/object-ref";
import type { ObjectValue } from "../../terraform/value";
import { notOnlyAnotherUrl } from "./another-service";
import type { NamedSecrets } from "./object-memory";

/** What is known of an object of one provider block, in the state and in the plan. */
interface Entry {
  readonly object: ObjectRef;
  /** Its attributes in the state. */
  value?: ObjectValue;
  /** Of the object in the state, which an import may have changed. */
  uid?: string;
  /** Whether the state has it for certain, in contrast to an object that a plan imports. */
  isStored: boolean;
  /** Whether several entries of the state stand for it. */
  isTwice: boolean;
  /** Whether `clusterplatform_ready` has it in the state. */
  isNamed: boolean;
  /** Set for an imported object, with its configuration before Terraform applies `ignore_changes`. */
  imported?: { config?: ObjectValue };
  /** What the plan does at an address. `recreates`: the state has the object, there or at another address. */
  plan?: "keeps" | "creates" | "recreates" | "deletes";
  /** Set if the plan deletes or replaces it on the service. */
  leaving?: Leaving;
  /** Whether the plan lets it stay on the service without Terraform. */
  isReleased: boolean;
  /** Of an object that the plan creates. */
  secrets?: NamedSecrets;
  /** Whether this run has begun to create it. */
  isCreating: boolean;
}

/**
 * Collects what Terraform has asked about the objects of one provider block, and refuses plans that would delete a declared
 * object. Terraform never tells a plugin an address, but it asks one process about all objects of a provider block. So the ledger
 * sees when a name leaves one resource block and enters another one. It does not see across provider blocks with different
 * aliases, because each has its own process.
 */
export class Ledger {
  readonly #entries = new Map<string, Entry>();
  /** The services that the state names for objects that are planned for that of the run. */
  readonly #formerServices = new Set<string>();
  /** The first object that the plan creates, deletes or replaces. */
  #written: string | undefined;
  /** Whether the plan has refused to destroy what only the state protects. */
  isDestroyRefused = false;
  /** The names on the service change during an apply. */
  isApplying = false;
  #orphanCheck: Promise<void> | undefined;

  #entry(object: ObjectRef): Entry {
    const id = idOf(object);
    const known = this.#entries.get(id);
    if (known) return known;
    const entry = { object, isStored: false, isTwice: false, isNamed: false, isReleased: false, isCreating: false };
    this.#entries.set(id, entry);
    return entry;
  }

  #get(object: ObjectRef): Partial<Entry> {
    return this.#entries.get(idOf(object)) ?? {};
  }

  // The state.

  /** @param value in the state */
  record(object: ObjectRef, value: ObjectValue): void {
    this.#entry(object).value = value;
  }

  /** What the state has of the object. */
  recorded(object: ObjectRef): ObjectValue | undefined {
    return this.#get(object).value;
  }

  /** @param uid of the object in the state, which may be new because of an import */
  readUid(object: ObjectRef, uid: string): void {
    this.#entry(object).uid = uid;
  }

  /** @param uid of an entry of the state */
  loadedUid(object: ObjectRef, uid: string): void {
    const entry = this.#entry(object);
    if ((entry.uid ?? uid) !== uid) entry.isTwice = true;
    entry.uid = uid;
  }

  uidOf(object: ObjectRef): string | undefined {
    return this.#get(object).uid;
  }

  stored(object: ObjectRef): void {
    this.#entry(object).isStored = true;
  }

  isStored(object: ObjectRef): boolean {
    return this.#get(object).isStored ?? false;
  }

  /** Without those whose import no apply has confirmed, because notes tell what they are. */
  storedObjects(): ObjectRef[] {
    return this.#objects(({ value, isStored, imported }) => value !== undefined && isStored && !imported);
  }

  objects(): ObjectRef[] {
    return this.#objects(({ value }) => value !== undefined);
  }

  #objects(isWanted: (entry: Entry) => boolean): ObjectRef[] {
    return [...this.#entries.values()].filter(isWanted).map(({ object }) => object);
  }

  named(objects: readonly ObjectRef[]): void {
    for (const object of objects) this.#entry(object).isNamed = true;
  }

  readImport(object: ObjectRef): void {
    this.#entry(object).imported = {};
  }

  /** Only configurations of imported objects are kept. Terraform validates them after it has read the object. */
  validated(object: ObjectRef, config: ObjectValue): void {
    const { imported } = this.#get(object);
    if (imported) imported.config = config;
  }

  importConfigOf(object: ObjectRef): ObjectValue | undefined {
    return this.#get(object).imported?.config;
  }

  // The plan.

  /** Whether the state has the object, or the plan creates it. */
  isKnown(object: ObjectRef): boolean {
    const { value, plan } = this.#get(object);
    return value !== undefined || plan === "creates";
  }

  /** Ids of the objects that the apply creates, also after it has deleted an earlier one. */
  creations(): string[] {
    return this.#objects(isCreated).map(idOf);
  }

  /** The plan deletes the object and does not recreate it at the same address. */
  planRemoval(object: ObjectRef): void {
    const entry = this.#entry(object);
    if (entry.isCreating) throw createdBeforeDestroy(object);
    if (entry.plan === "keeps" || isCreated(entry)) throw inTwoPlaces(object);
    entry.plan = "deletes";
    this.planWrite(describeObject(object));
  }

  planStay(object: ObjectRef): void {
    const entry = this.#entry(object);
    // Terraform plans the creation of a -replace after this, so an earlier creation is that of another block.
    if (isElsewhere(entry)) throw inTwoPlaces(object);
    entry.plan = "keeps";
  }

  planCreation(object: ObjectRef): void {
    const entry = this.#entry(object);
    // A plan does not ask about the deletion of a tainted entry.
    if (isElsewhere(entry)) throw inTwoPlaces(object);
    entry.plan = entry.value === undefined ? "creates" : "recreates";
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

  createsWith(object: ObjectRef, secrets: NamedSecrets): void {
    this.#entry(object).secrets = secrets;
  }

  /** Undefined if the plan does not create the object. */
  secretsToCreate(object: ObjectRef): NamedSecrets | undefined {
    return this.#get(object).secrets;
  }

  /** The plan deletes or replaces the object on the service. */
  leaves(leaving: Leaving): void {
    this.#entry(leaving.object).leaving = leaving;
  }

  /** The plan removes the object, and it stays on the service. */
  released(object: ObjectRef): void {
    this.#entry(object).isReleased = true;
  }

  leavingProviders(): readonly Leaving[] {
    return [...this.#entries.values()].flatMap(({ object, leaving }) =>
      leaving && object.kind === "providers" ? [leaving] : [],
    );
  }

  /** What the plan does to a live object. An object may be unplanned because Terraform plans it later, or not in this run. */
  fateOf(object: ObjectRef): "leaves" | "stays" | "unplanned" | "not in the state" {
    const { leaving, plan, isReleased, value, isNamed } = this.#get(object);
    if (leaving) return "leaves";
    if (plan === "keeps" || plan === "creates" || isReleased) return "stays";
    return value !== undefined || isNamed ? "unplanned" : "not in the state";
  }

  // The apply.

  /** Before the first deletion or update of an apply. */
  checkedOnce(check: () => Promise<void>): Promise<void> {
    return (this.#orphanCheck ??= check());
  }

  beginToCreate(object: ObjectRef): void {
    this.#entry(object).isCreating = true;
  }

  created(object: ObjectRef, uid: string): void {
    Object.assign(this.#entry(object), { uid, value: {}, isStored: true });
  }

  deleted(object: ObjectRef): void {
    const entry = this.#entry(object);
    Object.assign(entry, { value: undefined, isTwice: false, isStored: false });
    if (entry.plan === "deletes") entry.plan = undefined;
  }
}

function isCreated({ plan }: Entry): boolean {
  return plan === "creates" || plan === "recreates";
}

/** Two entries in the state for one object would delete it. */
function isElsewhere(entry: Entry): boolean {
  return entry.isTwice || entry.plan === "deletes" || isCreated(entry);
}

export interface Leaving {
  readonly object: ObjectRef;
  /** In the state. */
  readonly value: ObjectValue;
  readonly facts: Omit<DeletionFacts, "isUsed">;
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
