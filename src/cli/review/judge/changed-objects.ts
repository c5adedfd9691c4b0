import { textIn } from "../../report/declared-fields";
import {
  amongPlatforms,
  blockOf,
  isAtAddressOfAnother,
  keyOf,
  objectByProvider,
  objectIn,
  platformKey,
  type InstanceId,
  type NamedResource,
  UNKNOWN_PLATFORM,
} from "../../report/instance";
import { declares, DROPPED, judgement, type Judgement, movesTo, noHook, type Reason } from "./finding";
import { prefixesOf } from "../plan/provider-blocks";
import { originOf, type Plan, type ResourceChange } from "../plan/plan";

/** What a planned change of an instance does to one object. */
export interface InstanceChange {
  readonly id: InstanceId;
  readonly change: ResourceChange;
  /** Set if the names and addresses in the change decide the verdict already. */
  readonly judgement?: Judgement;
  /** Why the object goes, if it has not left the code. */
  readonly why?: Reason;
}

/**
 * The objects that a change affects; none for a resource without an object. The destroy hook deletes the object with the name in
 * the triggers, and the create hook creates the object with the key of the instance. After `moved` or `terraform state mv` the
 * two differ, and the change has one part for each object.
 */
export function changedObjects(change: ResourceChange, plan: Plan): InstanceChange[] {
  if (change.mode === "data") return [];
  return isOfProvider(change) ? byProvider(change).map((entry) => placed(entry, plan)) : byHooks(change, plan);
}

/**
 * Terraform deletes an instance with the provider block that the state names, and a plan does not show which one that is. After
 * `terraform state mv`, the address does not tell it either.
 */
function placed(entry: InstanceChange, plan: Plan): InstanceChange {
  const { configuration } = plan;
  if (!configuration.present || !isAtAddressOfAnother(entry.id)) return entry;
  const prefixes = prefixesOf(plan);
  const isShown = prefixes.size === 1 || configuration.find("", entry.id.block) !== undefined;
  const id = amongPlatforms(entry.id, isShown ? prefixes : new Set());
  if (id.platform.prefix !== UNKNOWN_PLATFORM || entry.change.change.actions.join() !== "delete") return { ...entry, id };
  const { address } = entry.change;
  return { ...entry, id, judgement: judgement("UNKNOWN", "critical", { code: "UNKNOWN", because: "platform", address }) };
}

/**
 * Objects that the refresh before the plan did not find, and that the plan does not create again: the apply drops them from the
 * state. That is so in a refresh-only plan, and if the object has left the code. A plan that failed may lack a creation. Resources
 * with hooks have no refresh.
 */
export function droppedObjects(plan: Plan, changes: readonly InstanceChange[]): InstanceChange[] {
  const keyOfObject = ({ platform, id }: InstanceId) => `${platformKey(platform)} ${id}`;
  const planned = new Set(changes.map(({ id }) => keyOfObject(id)));
  return plan.drift
    .filter((change) => change.change.actions.join() === "delete" && change.deposed === undefined)
    .flatMap((change) => changedObjects(change, plan))
    .filter(({ id }) => id.byProvider && !planned.has(keyOfObject(id)))
    .filter(({ id }) => !plan.errored || !plan.configuration.find(id.platform.module, id.block))
    .map((entry) => ({ ...entry, judgement: judgement("UNCHANGED", "medium", DROPPED) }));
}

function byHooks(change: ResourceChange, { configuration }: Plan): InstanceChange[] {
  const [origin, block, key] = [originOf(change), blockOf(change), keyOf(change)];
  const left = origin && blockOf(origin);
  const actions = change.change.actions.join();
  const [before, after] = namesIn(change);
  const nameBefore = before ?? (origin && keyOf(origin));
  // An instance that stays and has no key does not belong to a Platform: a Platform's blocks give every instance a key.
  if (key === undefined && origin === undefined && KEEPS.has(actions)) return [];
  const hasHooks = block && configuration.find(block.platform.module, block.block)?.provisioners.length;
  // After `terraform import`, an instance may have neither a key nor a declaration.
  const stored = nameBefore ?? key ?? after ?? (hasHooks && actions === "delete" ? change.name : undefined);
  if (stored === undefined) return [];

  if (origin && isOfProvider(origin)) return [movedAway(objectByProvider(origin, origin.name)!, change)];
  const isAway = left !== undefined && (left.type !== block?.type || left.kind !== block.kind);
  if (isAway && actions === "forget") return [{ id: objectIn(left, stored), change }];
  const isForged = after !== undefined && after !== key;
  const doubts: readonly Reason[] | undefined = isForged ? [declares(objectIn(block ?? left!, after))] : isAway ? [] : undefined;
  const declared = key ?? after ?? stored;
  return [
    ...(isAway ? [movedAway(objectIn(left, stored), change)] : []),
    ...(block ? named(objectIn(block, stored), objectIn(block, declared), change, doubts) : []),
  ];
}

/** The provider deletes the object with the name in the state, and creates the object with the name in the code. */
function byProvider(change: ResourceChange): InstanceChange[] {
  const [before, after] = namesIn(change);
  const object = (name: string) => objectByProvider(change, name)!;
  const [stored, declared] = [before ?? after, after ?? before];
  if (stored === undefined || declared === undefined)
    return [unclear(object(change.name), change, { code: "UNKNOWN", because: "name" })];
  const origin = originOf(change);
  // The provider refuses the move: the state of one type says nothing about another type.
  if (origin && isOfProvider(origin) && origin.type !== change.type && !REMOVES.has(change.change.actions.join())) {
    return [movedAway(objectByProvider(origin, origin.name)!, change), unclear(object(declared), change)];
  }
  return named(object(stored), object(declared), change);
}

const namesIn = (resource: ResourceChange) =>
  [resource.change.before, resource.change.after].map((values) => textIn(resource, values, "name"));

/** @param doubts why it is unclear what comes, if it is */
function named(leaving: InstanceId, coming: InstanceId, change: ResourceChange, doubts?: readonly Reason[]): InstanceChange[] {
  const actions = change.change.actions.join();
  if (REMOVES.has(actions)) return [{ id: leaving, change }];
  const isReplaced = REPLACES.has(actions);
  const ofComing = (its: ResourceChange) => (doubts ? unclear(coming, its, ...doubts) : { id: coming, change: its });
  if (leaving.id === coming.id) return [isReplaced ? { id: coming, change } : ofComing(change)];
  const why = declares(coming);
  if (!isReplaced) return [unclear(leaving, change, why)];
  const isDeleted = leaving.byProvider || actions === "delete,create";
  return [
    isDeleted ? { id: leaving, change: removalOf(change), why } : orphaned(leaving, change, noHook("create_before_destroy"), why),
    ofComing(creationOf(change)),
  ];
}

const isOfProvider = (resource: NamedResource) => objectByProvider(resource, resource.name) !== undefined;

function movedAway(id: InstanceId, change: ResourceChange): InstanceChange {
  return orphaned(id, change, movesTo(change.address));
}

const KEEPS: ReadonlySet<string> = new Set(["no-op", "read", "create", "update"]);
const REMOVES: ReadonlySet<string> = new Set(["delete", "forget"]);
const REPLACES: ReadonlySet<string> = new Set(["delete,create", "create,delete"]);

/** No destroy hook deletes the object, although its instance leaves the state. */
function orphaned(id: InstanceId, change: ResourceChange, ...reasons: readonly Reason[]): InstanceChange {
  return { id, change: removalOf(change), judgement: judgement("LEAVE", "critical", ...reasons) };
}

function unclear(id: InstanceId, change: ResourceChange, ...reasons: readonly Reason[]): InstanceChange {
  return { id, change, judgement: judgement("UNKNOWN", "high", ...reasons) };
}

function removalOf({ change, ...resource }: ResourceChange): ResourceChange {
  const { before, before_sensitive } = change;
  return { ...resource, change: { actions: ["delete"], before, before_sensitive, after: null } };
}

function creationOf({ change, previous_address: _, ...resource }: ResourceChange): ResourceChange {
  const { after, after_unknown, after_sensitive } = change;
  return { ...resource, change: { actions: ["create"], before: null, after, after_unknown, after_sensitive } };
}
