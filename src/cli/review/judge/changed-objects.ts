import { textIn } from "../../report/declared-fields";
import {
  amongPlatforms,
  blockOf,
  isAtAddressOfAnother,
  keyOf,
  objectByProvider,
  objectIn,
  platformKey,
  type CarryingBlock,
  type InstanceId,
  type NamedResource,
  UNKNOWN_PLATFORM,
} from "../../report/instance";
import { judgement, type Judgement, type Reason } from "./finding";
import { prefixesOf } from "../plan/provider-blocks";
import { movedFrom, originOf, type Plan, type ResourceChange } from "../plan/plan";

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
  return objectByProvider(change, change.name) ? byProvider(change).map((entry) => placed(entry, plan)) : byHooks(change);
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
  return { ...entry, id, judgement: judgement("UNKNOWN", "critical", { code: "PLATFORM_UNKNOWN", address }) };
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
    .map((entry) => ({ ...entry, judgement: judgement("STATE-ONLY", "medium", "DROPPED") }));
}

function byHooks(change: ResourceChange): InstanceChange[] {
  const origin = originOf(change);
  const [block, left] = [blockOf(change), origin && blockOf(origin)];
  const actions = change.change.actions.join();
  const [key, nameAfter] = [keyOf(change), textIn(change, change.change.after, "name")];
  const nameBefore = textIn(change, change.change.before, "name") ?? (origin && keyOf(origin));
  // An instance that stays and has no key does not belong to a Platform: a Platform's blocks give every instance a key.
  if (key === undefined && movedFrom(change) === undefined && KEEPS.has(actions)) return [];
  const [stored, declared] = [nameBefore ?? key ?? nameAfter, key ?? nameAfter ?? nameBefore];
  if (stored === undefined || declared === undefined) return [];

  const isAway = left !== undefined && (left.type !== block?.type || left.kind !== block.kind);
  if (origin && isOfProvider(origin)) return [movedAway(origin, change)];
  if (isAway && actions === "forget") return [{ id: objectIn(left, stored), change }];
  return [
    ...(isAway ? [orphaned(objectIn(left, stored), change, { code: "MOVED_AWAY", address: change.address })] : []),
    ...(block ? inBlock(block, stored, declared) : []),
  ];

  function inBlock(here: CarryingBlock, nameOfLeaving: string, nameOfComing: string): InstanceChange[] {
    const [leaving, coming] = [objectIn(here, nameOfLeaving), objectIn(here, nameOfComing)];
    if (REMOVES.has(actions)) return [{ id: leaving, change }];
    const why: Reason = { code: "KEY_OF_ANOTHER", object: coming.id };
    const isForged = nameAfter !== undefined && nameAfter !== key;
    const forged: Reason[] = isForged ? [{ code: "NAME_DIFFERS", name: nameAfter }] : [];
    if (REPLACES.has(actions) && leaving.id !== coming.id) {
      const [removal, creation] = [removalOf(change), creationOf(change)];
      return [
        actions === "delete,create"
          ? { id: leaving, change: removal, why }
          : orphaned(leaving, change, { code: "CREATE_BEFORE_DESTROY" }, why),
        isForged ? unclear(coming, creation, ...forged) : { id: coming, change: creation },
      ];
    }
    if (REPLACES.has(actions)) return [{ id: coming, change }];
    if (leaving.id !== coming.id) return [unclear(leaving, change, why)];
    return isForged || isAway ? [unclear(coming, change, ...forged)] : [{ id: coming, change }];
  }
}

/** The provider deletes the object with the name in the state, and creates the object with the name in the code. */
function byProvider(change: ResourceChange): InstanceChange[] {
  const { before, after, actions } = change.change;
  const [nameBefore, nameAfter] = [textIn(change, before, "name"), textIn(change, after, "name")];
  const object = (name: string) => objectByProvider(change, name)!;
  const [stored, declared] = [nameBefore ?? nameAfter, nameAfter ?? nameBefore];
  if (stored === undefined || declared === undefined) return [unclear(object(change.name), change, { code: "NAME_UNKNOWN" })];
  const [leaving, coming] = [object(stored), object(declared)];
  const action = actions.join();
  if (REMOVES.has(action)) return [{ id: leaving, change }];
  const origin = originOf(change);
  // The provider refuses the move: the state of one type says nothing about another type.
  if (origin && isOfProvider(origin) && origin.type !== change.type) {
    return [movedAway(origin, change), unclear(coming, change)];
  }
  if (leaving.id === coming.id) return [{ id: coming, change }];
  const why: Reason = { code: "RENAMED", object: coming.id };
  if (!REPLACES.has(action)) return [unclear(leaving, change, why)];
  return [
    { id: leaving, change: removalOf(change), why },
    { id: coming, change: creationOf(change) },
  ];
}

const isOfProvider = (resource: NamedResource) => objectByProvider(resource, resource.name) !== undefined;

/** Only the id of the moved instance names the object. */
function movedAway(origin: NamedResource, change: ResourceChange): InstanceChange {
  return orphaned(objectByProvider(origin, origin.name)!, change, { code: "MOVED_AWAY", address: change.address });
}

const KEEPS: ReadonlySet<string> = new Set(["no-op", "read", "create", "update"]);
const REMOVES: ReadonlySet<string> = new Set(["delete", "forget"]);
const REPLACES: ReadonlySet<string> = new Set(["delete,create", "create,delete"]);

/** No destroy hook deletes the object, although its instance leaves the state. */
function orphaned(id: InstanceId, change: ResourceChange, ...reasons: readonly Reason[]): InstanceChange {
  return { id, change: removalOf(change), judgement: judgement("ORPHAN", "critical", ...reasons) };
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
