import { isDeepStrictEqual } from "node:util";
import { supportAddress, supportId } from "../../../contract/addresses";
import type { Snapshot } from "../../../contract/snapshot";
import { type DeletionFacts, type DeletionOutcome, decidePermission } from "../../../decision/deletion";
import { schemaOf } from "../../../declarations/terraform/declaration-schema";
import { segmentsOf } from "../../../declarations/trigger-keys";
import { objectTypeOf } from "../../../declarations/types";
import { type Live, liveUnder } from "../../../lifecycle/live";
import { idOf } from "../../../model/object-ref";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { isTemplate } from "../../../terraform/template-text";
import { differencesFromState } from "../../drift/find-drift";
import { snapshots, type StateObject } from "../../drift/state-objects";
import { groupedBy } from "../../report/grouped-by";
import { amongPlatforms, type InstanceId, platformKey } from "../../report/instance";
import type { StateResource } from "../../report/state-values";
import { type LiveServices, serviceOf } from "../service";
import type { Stack, StackPlatform } from "../stack";
import type { State } from "../state";
import { idleInstances, type IdleInstance } from "./idle-instances";
import { placedObject, type PlacedObject, placedResource, placesAfter } from "./placed";

/** What an apply plans for an object of the state. */
type Plan =
  /** The code declares it. */
  | "continue"
  | "delete"
  /** It leaves the code, and its Platform retains it. */
  | "retain"
  /** With hooks: the code has no destroy hook for it, so Terraform drops it from the state. */
  | "forget"
  /** A `removed` block forgets it, and the Terraform provider does not delete it. With hooks, the deletion guard refuses that. */
  | "release"
  /** With hooks: it is tainted, and Terraform runs no destroy hook. It may never have been created, or may belong to somebody else. */
  | "drop"
  /** With the Terraform provider: an import has put it at the address of another declared object. A plan refuses that. */
  | "refuse"
  /** It is in a Terraform module, whose code is not checked. */
  | "unknown";

/** The state as an apply begins with it, after the moves in the code, and what the apply plans. */
export class PlannedState {
  readonly idle: readonly IdleInstance[];
  /** Empty if the state is not known. */
  readonly all: readonly PlacedObject[];
  readonly isKnown: boolean;
  readonly resources: readonly StateResource[];
  readonly #byId: ReadonlyMap<string, readonly PlacedObject[]>;
  readonly #continued: ReadonlySet<PlacedObject | undefined>;

  constructor(
    readonly stack: Stack,
    state: State,
  ) {
    this.isKnown = !("problem" in state);
    const { objects, resources } = "problem" in state ? { objects: [], resources: [] } : state;
    const present = resources.filter(({ deposed }) => !deposed);
    const placeOf = placesAfter(stack, present);
    this.resources = present.map((resource) => placedResource(resource, placeOf(resource.address).at));
    this.idle = idleInstances(stack, present, placeOf);
    const idle = new Set(this.idle.map(({ address }) => address));
    const prefixes = new Set(stack.platforms.map(({ prefix }) => prefix));
    this.all = objects
      .filter(({ address }) => !idle.has(address))
      .map((object) => placedObject(object, placeOf(object.address).at))
      .map((object) => ({ ...object, id: amongPlatforms(object.id, prefixes) }));
    this.#byId = groupedBy(
      this.all.filter((object) => !this.#isForgotten(object)),
      ({ id }) => id.id,
    );
    this.#continued = new Set(stack.platforms.flatMap(({ declared }) => declared.map((object) => this.storedFor(object))));
  }

  /** The Platform of an object. Undefined if it has left the code, or if the object is in a Terraform module. */
  ownerOf({ id: { platform } }: StateObject): StackPlatform | undefined {
    return this.stack.platforms.find(({ prefix }) => platform.module === "" && platform.prefix === prefix);
  }

  planOf(object: PlacedObject): Plan {
    if (this.#isForgotten(object)) return "forget";
    if (this.#isReleased(object)) return "release";
    if (!isOwned(object)) return "drop";
    if (this.#continued.has(object)) return "continue";
    if (object.id.platform.module !== "") return "unknown";
    if (object.isImported && this.declaredAt(object)) return "refuse";
    const owner = this.ownerOf(object);
    return owner && deletionOf(owner, object).happens === "RETAIN" ? "retain" : "delete";
  }

  /** What the code declares at the address of an object of the Terraform provider. */
  declaredAt({ at }: PlacedObject): SynthesizedObject | undefined {
    return this.stack.platforms.flatMap(({ declared }) => declared).find(({ address }) => address === at);
  }

  /** Whether an apply deletes an object or leaves it on the service, because nothing in the code continues it. */
  isLeaving(object: PlacedObject): boolean {
    return isOwned(object) && !["release", "continue", "refuse"].includes(this.planOf(object));
  }

  /** The objects of a Platform, without those that an apply forgets. */
  hadBy(platform: StackPlatform): readonly PlacedObject[] {
    return this.all.filter((object) => this.ownerOf(object) === platform && !this.#isForgotten(object));
  }

  /** The object of the state that a declared object continues: on its Platform, or in a Terraform module, whose code is not checked. */
  storedFor(object: SynthesizedObject): PlacedObject | undefined {
    const stored = (this.#byId.get(idOf(object)) ?? []).filter(
      ({ id: { platform } }) => platform.module !== "" || platform.prefix === object.prefix,
    );
    // Terraform does not look at the address of another object for it.
    const atHome = stored.filter(({ ownAddress }) => ownAddress === undefined);
    const found = atHome.length > 0 ? atHome : stored;
    // A create that failed leaves a tainted instance, also in the block of another engine. A run with -target may leave two.
    return found.find((each) => isOwned(each) && !this.#isReleased(each)) ?? found.find(isOwned) ?? found[0];
  }

  /** The declared objects that the state has, each with what it continues. In a Terraform module, the code is not checked. */
  continuedBy({ declared }: StackPlatform): { readonly object: SynthesizedObject; readonly stored: PlacedObject }[] {
    return declared.flatMap((object) => {
      const stored = this.storedFor(object);
      return stored && stored.id.platform.module === "" ? [{ object, stored }] : [];
    });
  }

  /** The snapshot of a support resource. Terraform runs no destroy hook of a tainted one, or of one that the code does not have. */
  snapshotOf({ prefix }: StackPlatform, which: "orphan_check" | "deletion_guard"): Snapshot | undefined {
    if (this.stack.destroyHook(supportAddress(supportId(prefix, which))) === undefined) return undefined;
    return snapshots(this.#untainted, which).get(platformKey({ module: "", prefix }));
  }

  /** With hooks: whether an apply certainly creates, replaces or deletes something of a Platform, gives it other objects, or waits again. */
  isChanging(platform: StackPlatform): boolean {
    if (!this.isKnown) return false;
    // The apply before has failed while it waited, or before. The next one then looks at all objects.
    const { resource } = (this.stack.synthesized ?? {}) as { readonly resource?: Readonly<Record<string, object>> };
    const waiting = (["readiness", "ready"] as const).map((which) => supportId(platform.prefix, which));
    const isStored = (id: string) => this.#untainted.some(({ address }) => address === supportAddress(id));
    if (waiting.some((id) => id in (resource?.terraform_data ?? {}) && !isStored(id))) return true;
    const ids = new Set(platform.declared.map(idOf));
    if (this.hadBy(platform).some((object) => object.tainted || !ids.has(object.id.id))) return true;
    // A `moved` block gives the object to another Platform, or takes it from one.
    const recorded = this.snapshotOf(platform, "orphan_check");
    if (recorded && !isDeepStrictEqual(ids, new Set(Object.keys(recorded.objects)))) return true;
    return platform.declared.some((object) => {
      const stored = this.storedFor(object);
      return !stored || changedFields(this.stack, object, stored).length > 0;
    });
  }

  get #untainted(): readonly StateResource[] {
    return this.resources.filter(({ tainted }) => !tainted);
  }

  #isReleased({ id, at }: PlacedObject): boolean {
    return id.byProvider && this.stack.forgotten.has(at);
  }

  #isForgotten({ id }: StateObject): boolean {
    return id.platform.module === "" && !id.byProvider && this.stack.destroyHook(id.block) === undefined;
  }
}

/** With hooks, a tainted object may never have been created, or may belong to somebody else. */
export function isOwned({ id, tainted }: StateObject): boolean {
  return id.byProvider || !tainted;
}

/** What an apply does with an object of the state that it deletes. See {@link decidePermission}. */
export function deletionOf(
  { settings }: Pick<StackPlatform, "settings">,
  { id, protected: isProtected }: Pick<StateObject, "protected"> & { readonly id: Pick<InstanceId, "id" | "byProvider"> },
  rest: Partial<DeletionFacts> = {},
): DeletionOutcome {
  return decidePermission(settings, id.id, rest, id.byProvider && isProtected);
}

/** Whether the code moves the object from an engine with hooks to the Terraform provider. */
export function isMigrating(stored: PlacedObject, { address }: SynthesizedObject): boolean {
  return stored.engine !== "provider" && address !== undefined && stored.at !== stored.address;
}

/** Fields with literal values that have changed. The values of tokens are not known. */
export function changedFields(
  { ignoring }: Stack,
  { type, kind, address, entry: { triggers } }: SynthesizedObject,
  { declared }: Pick<StateObject, "declared">,
): string[] {
  const ignored = address === undefined ? undefined : ignoring.get(address);
  const isIgnored = (field: string) =>
    ignored !== undefined &&
    ["all", String(schemaOf(objectTypeOf(type, kind)).pathOf(field)[0] ?? "provider_name")].some((name) => ignored.has(name));
  const text = (value: unknown) => (value === undefined || value === null ? undefined : String(value).normalize());
  const fields = [...new Set([...Object.keys(triggers), ...Object.keys(declared)])];
  return fields.filter((field) => !isToken(triggers[field]) && text(triggers[field]) !== declared[field] && !isIgnored(field));
}

/**
 * Whether Terraform certainly plans to replace a live object. With the Terraform provider, changes of live values and of
 * `bodyOverrides`, which may be write-only, are not certain. An imported object is compared and not replaced.
 */
export function isReplaced(stack: Stack, object: SynthesizedObject, stored: StateObject, live: Live): boolean {
  const changed = changedFields(stack, object, stored);
  if (object.address === undefined) return changed.length > 0;
  if (stored.engine === "provider" && (stored.isImported || differencesFromState(stored, live).length > 0)) return false;
  return changed.some((field) => segmentsOf(field)[0] !== "bodyOverrides");
}

/** Whether an apply replaces the object if a token, whose value is not known, has another value. */
export function mayBeReplaced(platform: StackPlatform, object: SynthesizedObject, stored: StateObject): boolean {
  return hasTokens(object) && deletionOf(platform, stored, { transition: "replace" }).happens === "REPLACE";
}

/**
 * Whether an apply may create an object, as far as the state and the service show it. It replaces an object also on request
 * (`-replace`), which only the plan shows.
 */
export function mayBeCreated(stack: Stack, state: State, services: LiveServices): (object: SynthesizedObject) => boolean {
  if ("problem" in state) return () => true;
  const planned = new PlannedState(stack, state);
  return (object) => {
    const stored = planned.storedFor(object);
    const platform = stack.platforms.find(({ prefix }) => prefix === object.prefix);
    // An import creates nothing.
    if (!stored || !platform) return object.address === undefined || !stack.imported.has(object.address);
    const service = serviceOf(platform, services);
    if (stored.tainted || (service && !liveUnder(object, service))) return true;
    return (!stored.isImported && changedFields(stack, object, stored).length > 0) || mayBeReplaced(platform, object, stored);
  };
}

export function hasTokens({ entry: { triggers } }: SynthesizedObject): boolean {
  return Object.values(triggers).some(isToken);
}

export function isToken(value: unknown): boolean {
  return Array.isArray(value) ? value.some(isToken) : typeof value === "string" && isTemplate(value);
}
