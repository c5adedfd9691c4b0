import type { DeletionFacts } from "../../decision/deletion";
import { describeObject } from "../../lifecycle/wording";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { decide } from "../../lifecycle/remedy";
import { idOf, type ObjectRef } from "../../model/object-ref";
import type { ObjectValue } from "../../terraform/value";
import type { NamedSecrets } from "./object-memory";
import type { ReadyMemory } from "./ready-memory";
import { notOnlyAnotherUrl } from "./service-url";

/** What is known of an object of one provider block, in the state and in the plan. */
interface Entry {
  readonly object: ObjectRef;
  /** Its attributes in the state. Undefined if the state does not have it. */
  value?: ObjectValue;
  /** Of the object in the state. An import changes it. */
  uid?: string;
  /** Whether the state has it for certain, in contrast to an object that a plan imports. */
  isStored?: boolean;
  /** Whether the state has it twice, with different uids. */
  isTwice?: boolean;
  /** Set for an imported object, with its configuration before Terraform applies `ignore_changes`. */
  imported?: { config?: ObjectValue };
  /** At the last address that was planned for it. */
  intention?: Intention;
  /** Set when the plan of the object is complete. */
  effect?: Effect;
  /** Whether this run has begun to create it. */
  isCreating?: boolean;
}

/** What a plan does with an object at an address. */
type Intention = "keep" | "create" | "delete";

/**
 * By a new intention: the earlier ones that it contradicts, so that the object must have another address. A `create` after a `keep` is a
 * -replace, and a second `delete` or `keep` is the same plan asked again. For a tainted entry, Terraform asks for the `create` alone.
 */
const CONTRADICTED_EARLIER: Readonly<Record<Intention, readonly Intention[]>> = {
  keep: ["create", "delete"],
  create: ["create", "delete"],
  delete: ["keep", "create"],
};

/** What a plan that is not refused does with an object on the service. */
export interface Effect {
  /** Undefined if the object stays, and if the plan only creates it. */
  readonly leaving?: Leaving | undefined;
  /** Of an object that the plan creates. */
  readonly secrets?: NamedSecrets;
}

/** An object that a plan deletes or replaces. */
export interface Leaving {
  /** In the state. */
  readonly value: ObjectValue;
  readonly facts: Omit<DeletionFacts, "isUsed">;
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
  /** Whether an apply has begun. The names on the service change during it, so its plans do not check them. */
  isApplying = false;
  #orphanCheck: Promise<void> | undefined;
  /**
   * Of the `clusterplatform_ready` that waits for all objects, as its refresh or its deletion had it. Terraform plans the replacement of
   * a tainted resource, and of one with `-replace`, as a creation without a memory, and plans it again after the deletion.
   */
  readyMemory: ReadyMemory = {};

  #entry(object: ObjectRef): Entry {
    const id = idOf(object);
    const known = this.#entries.get(id);
    if (known) return known;
    const entry = { object };
    this.#entries.set(id, entry);
    return entry;
  }

  #get(object: ObjectRef): Partial<Entry> {
    return this.#entries.get(idOf(object)) ?? {};
  }

  #objects(isWanted: (entry: Entry) => unknown): ObjectRef[] {
    return [...this.#entries.values()].filter(isWanted).map(({ object }) => object);
  }

  // The state.

  /** @param value in the state that Terraform has loaded */
  recordLoaded(object: ObjectRef, value: ObjectValue): void {
    const { uid } = this.#get(object);
    if (uid !== undefined && typeof value.uid === "string" && value.uid !== uid) this.#entry(object).isTwice = true;
    this.record(object, value);
    this.#entry(object).isStored = true;
  }

  /** @param value in the state, or in the plan that imports the object */
  record(object: ObjectRef, value: ObjectValue): void {
    const entry = this.#entry(object);
    entry.value = value;
    if (typeof value.uid === "string") entry.uid = value.uid;
  }

  /** @param value that an apply has put into the state. It confirms an import */
  recordStored(object: ObjectRef, value: ObjectValue): void {
    this.record(object, value);
    Object.assign(this.#entry(object), { isStored: true, imported: undefined });
  }

  stateOf(object: ObjectRef): ObjectValue | undefined {
    return this.#get(object).value;
  }

  uidOf(object: ObjectRef): string | undefined {
    return this.#get(object).uid;
  }

  isStored(object: ObjectRef): boolean {
    return this.#get(object).isStored ?? false;
  }

  /** Without those whose import no apply has confirmed, because notes tell what they are. */
  storedObjects(): ObjectRef[] {
    return this.#objects(({ isStored, imported }) => isStored && !imported);
  }

  objects(): ObjectRef[] {
    return this.#objects(({ value }) => value !== undefined);
  }

  recordImport(object: ObjectRef): void {
    this.#entry(object).imported ??= {};
  }

  /** Only configurations of imported objects are kept. Terraform validates them after it has read the object. */
  recordImportConfig(object: ObjectRef, config: ObjectValue): void {
    const { imported } = this.#get(object);
    if (imported) imported.config = config;
  }

  importConfigOf(object: ObjectRef): ObjectValue | undefined {
    return this.#get(object).imported?.config;
  }

  // The plan.

  /**
   * Refuses a second address for an object, a deletion after its creation in one run, and a change of the service beside others.
   * @param object undefined if its name is unknown
   */
  claim(object: ObjectRef | undefined, intention: Intention): void {
    if (object) {
      const entry = this.#entry(object);
      if (intention === "delete" && entry.isCreating) throw createdBeforeDestroy(object);
      const isTwice = entry.isTwice && intention !== "delete";
      if (isTwice || (entry.intention && CONTRADICTED_EARLIER[intention].includes(entry.intention))) throw inTwoPlaces(object);
      entry.intention = intention;
    }
    if (intention === "keep") return;
    this.#written ??= object ? describeObject(object) : "an object with an unknown name";
    this.#refuseChangedServiceAndWrite();
  }

  /**
   * The object stays, and the state gets the URL of the run. That may be another service, so such a plan does nothing else.
   * @param service in the state
   * @returns whether it is the first object of that service
   */
  changeService(service: string): boolean {
    const isFirst = !this.#formerServices.has(service);
    this.#formerServices.add(service);
    this.#refuseChangedServiceAndWrite();
    return isFirst;
  }

  #refuseChangedServiceAndWrite(): void {
    const [service] = this.#formerServices;
    if (service !== undefined && this.#written !== undefined) throw notOnlyAnotherUrl(service, this.#written);
  }

  planned(object: ObjectRef, effect: Effect): void {
    this.#entry(object).effect = effect;
  }

  /** Whether the state has the object, or the plan creates it. */
  isKnown(object: ObjectRef): boolean {
    const { value, intention } = this.#get(object);
    return value !== undefined || intention === "create";
  }

  /** Ids of the objects that the apply creates, also after it has deleted an earlier one. */
  creations(): string[] {
    return this.#objects(({ intention }) => intention === "create").map(idOf);
  }

  /** Undefined if the plan does not create the object. */
  secretsToCreate(object: ObjectRef): NamedSecrets | undefined {
    return this.#get(object).effect?.secrets;
  }

  leavingProviders(): { readonly object: ObjectRef; readonly leaving: Leaving }[] {
    return [...this.#entries.values()].flatMap(({ object, effect: { leaving } = {} }) =>
      object.kind === "providers" && leaving ? [{ object, leaving }] : [],
    );
  }

  /** What the plan does to a live object, such as a cluster on a provider that leaves. An object may be unplanned because Terraform plans it later, or not in this run. */
  fateOf(object: ObjectRef): "leaves" | "stays" | "unplanned" | "not in the state" {
    const { effect, value } = this.#get(object);
    if (effect) return effect.leaving ? "leaves" : "stays";
    return value === undefined ? "not in the state" : "unplanned";
  }

  // The apply.

  /** Before the first deletion or update of an apply. */
  checkOrphansOnce(check: () => Promise<void>): Promise<void> {
    return (this.#orphanCheck ??= check());
  }

  beginToCreate(object: ObjectRef): void {
    this.#entry(object).isCreating = true;
  }

  /** A create may follow. */
  deleted(object: ObjectRef): void {
    const entry = this.#entry(object);
    Object.assign(entry, { value: undefined, isTwice: false, isStored: false });
    if (entry.intention === "delete") entry.intention = undefined;
  }
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
