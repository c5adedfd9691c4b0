import { PLUGIN_SOURCE, supportAddress } from "../../../contract/addresses";
import type { HookCommand } from "../../../contract/hook-protocol";
import type { Snapshot } from "../../../contract/snapshot";
import type { CreationFacts } from "../../../decision/creation";
import type { DeletionFacts } from "../../../decision/deletion";
import { type Partly, UNSEEN } from "../../../decision/possible";
import { clustersOn, isLeaving, isNameLive, liveUnder } from "../../../lifecycle/live";
import { idOf } from "../../../model/object-ref";
import { textIn } from "../../report/declared-fields";
import { groupedBy } from "../../report/grouped-by";
import { blockOf, keyOf, objectIn, platformKey, storedObject, supportInstance, type InstanceId } from "../../report/instance";
import type { TypeCode } from "../../../model/provider-type";
import { isDeleted, type Judgement, LEAVING, PENDING, SENT_OTHERWISE, type Reason, type SimpleReason } from "./finding";
import { once, oncePerObject, oncePerText } from "../../../util/once-per";
import type { Provisioner } from "../plan/configuration";
import { originOf, type PlannedStack, type ResourceChange } from "../plan/plan";
import {
  adoptsByProvider,
  declaredInHook,
  type RecordedSettings,
  serviceInState,
  snapshotIn,
  snapshotInHook,
} from "../../report/recorded";
import { configuredSettings, obeyedSettings, settingsInState } from "../plan/platform-settings";
import { providerBlockOf } from "../plan/provider-blocks";
import { hookProblem } from "./foreign";
import { baseUrlIn, mayBeOneService } from "../../../model/base-url";
import { isRetained } from "../../../model/protection";
import type { InstanceChange } from "./changed-objects";
import type { Look } from "../plan/look";

/** By `type provider`. Provider names are unique on one service only. */
export type ClustersByProvider = ReadonlyMap<string, readonly Placed<InstanceId>[]>;

interface Placed<Id> {
  readonly id: Id;
  /** The URL of its service. Undefined if the plan does not show it. */
  readonly service: string | undefined;
}

/** A block of a Platform, as in `null_resource.capvs_clusters`. */
type Block = Pick<InstanceId, "platform" | "block"> & { readonly byProvider?: boolean };

/** Whether Terraform will run the destroy hook. */
export type DestroyHook = "runs" | "block is gone" | "none";

/** What the rest of the plan and the synthesized stack say about an instance. Each answer is computed once, on demand. */
export class PlanContext {
  readonly #tainted = once(() => addressesOf(this.stack.plan.state.filter(({ tainted, deposed }) => tainted && !deposed)));
  /** Ids of the clusters that the plan deletes. Terraform deletes them before their providers. */
  readonly #deleted = once(() => {
    const deleted = this.clusters().filter(({ judged }) => isDeleted(judged));
    return new Set(deleted.map(({ from }) => from.id.id));
  });
  readonly #users = once(() => this.clustersOn([...this.#deleted()]));
  readonly #hookProblemOfBlock = oncePerText((block) => hookProblem(this.stack, block));
  readonly #gone = once(() => addressesOf(this.stack.plan.drift.filter(({ change }) => change.actions.join() === "delete")));
  /** The objects in the state. A tainted one may not exist: its creation failed or was interrupted. */
  readonly #stored = once(() => {
    const planned = this.changes.map(({ id, change: { address, type, change }, judgement }) => {
      return { id, address, type, values: change.before, stays: !judgement && STAYING.has(change.actions.join()) };
    });
    const seen = new Set<unknown>(this.changes.flatMap(({ change }) => [change.address, change.previous_address]));
    // A plan with `-target` leaves out the other objects in the state.
    const rest = this.stack.plan.state.flatMap((resource) => {
      const id = resource.deposed || seen.has(resource.address) ? undefined : storedObject(resource, resource.values);
      return id ? [{ id, address: resource.address, type: resource.type, values: resource.values as unknown, stays: true }] : [];
    });
    return [...planned, ...rest].filter((each) => !this.isTainted(each));
  });

  /**
   * @param changes of all objects
   * @param clusters what becomes of them
   */
  constructor(
    private readonly stack: PlannedStack,
    private readonly changes: readonly InstanceChange[],
    private readonly clusters: () => readonly { readonly from: InstanceChange; readonly judged: Judgement }[],
  ) {}

  /** Keys of the Platforms whose settings the plan shows. See {@link platformKey}. */
  get platforms(): Iterable<string> {
    return obeyedSettings(this.stack.plan).keys();
  }

  /** Undefined if the plan does not show the settings. */
  settingsOf({ platform, block, byProvider }: Block): RecordedSettings | undefined {
    const { plan } = this.stack;
    if (byProvider) return providerBlockOf(plan, platform, block)?.settings;
    return obeyedSettings(plan).get(platformKey(platform)) ?? configuredSettings(plan, platform);
  }

  /** The settings that the hooks of an object have obeyed since the last apply. Undefined if the plan does not show them. */
  settingsBefore({ platform }: InstanceId, change: ResourceChange): RecordedSettings | undefined {
    const origin = originOf(change);
    return settingsInState(this.stack.plan).get(platformKey((origin && blockOf(origin)?.platform) ?? platform));
  }

  /** The source of the instance's provider, if that is not this package's own. Hooks need no provider. */
  foreignProviderOf(id: InstanceId, { provider_name: source }: Pick<ResourceChange, "provider_name">): string | undefined {
    if (!id.byProvider) return undefined;
    const configured = providerBlockOf(this.stack.plan, id.platform, id.block)?.source;
    return [source, configured].find((each) => each !== undefined && each !== PLUGIN_SOURCE);
  }

  /** With the provider, `adopt` is an argument of each resource. */
  adopts(id: InstanceId, { change: { after } }: ResourceChange): boolean {
    if (id.byProvider) return adoptsByProvider(after);
    return this.settingsOf(id)?.adopt.has(id.id) ?? false;
  }

  /** Whether the refresh before the plan found the object deleted. */
  isGone({ address }: Pick<ResourceChange, "address">): boolean {
    return this.#gone().has(address);
  }

  isTainted({ address, action_reason: reason }: Pick<ResourceChange, "address" | "action_reason">): boolean {
    return reason === "replace_because_tainted" || this.#tainted().has(address);
  }

  destroyHookOf({ platform, block: address }: Block, change: Pick<ResourceChange, "action_reason">): DestroyHook {
    const { plan } = this.stack;
    const block = plan.configuration.find(platform.module, address);
    if (block) {
      return block.provisioners.some(({ settings }) => !ON_CREATION.has(settings.command)) ? "runs" : "none";
    }
    return plan.configuration.present || BLOCK_IS_GONE.has(change.action_reason ?? "") ? "block is gone" : "runs";
  }

  /** The end of a sentence about the block. Undefined if its hooks are right. */
  hookProblemOf({ platform, block }: Block): string | undefined {
    return platform.module === "" ? this.#hookProblemOfBlock(block) : undefined;
  }

  /** Whether the plan destroys a resource whose destroy hook looks at all objects of a Platform. */
  runsSnapshotHook(block: Block, change: ResourceChange): boolean {
    if (!change.change.actions.includes("delete") || this.isTainted(change)) return false;
    return this.destroyHookOf(block, change) === "runs";
  }

  /** The objects of the code, of which the hook of a deletion guard tells. */
  snapshotOfCode({ platform, block }: Block): Snapshot | undefined {
    const { provisioners = [] } = this.stack.plan.configuration.find(platform.module, block) ?? {};
    return provisioners.map(({ settings }) => snapshotInHook(settings.environment)).find((each) => each !== undefined);
  }

  changesOf(platform: InstanceId["platform"]): InstanceChange[] {
    return this.changes.filter(({ id }) => platformKey(id.platform) === platformKey(platform));
  }

  /** Whether an orphan check looks for an object that leaves the code. It finds what a skipped destroy hook leaves behind. */
  isLookedFor({ platform, id }: InstanceId): boolean {
    return this.stack.plan.changes.some((change) => {
      const support = supportInstance(change);
      if (support?.resource !== "orphan_check" || platformKey(support.platform) !== platformKey(platform)) return false;
      if (!this.runsSnapshotHook({ platform, block: supportAddress(change.name) }, change)) return false;
      const has = (values: unknown) => Object.hasOwn(snapshotIn(values)?.objects ?? {}, id);
      return has(change.change.before) && !has(change.change.after);
    });
  }

  get look(): Look | undefined {
    return this.stack.look;
  }

  /** Undefined without a look, and for a block of another service. */
  lookAt(id: Block, { change }: ResourceChange): Look | undefined {
    const { look } = this.stack;
    return look && mayBeOneService(look.url, this.serviceOf(id, change.before ?? change.after)) ? look : undefined;
  }

  /** What decides about the creation of an object, as far as the review knows it. */
  creationFacts({ id, change }: InstanceChange): Partly<CreationFacts> & { readonly differing?: readonly string[] } {
    const isAdopted = this.adopts(id, change);
    const unseen = { live: UNSEEN, claim: UNSEEN, isAdopted, isImported: false, isTemporary: false } as const;
    const look = this.lookAt(id, change);
    if (!look) return unseen;
    const live = liveUnder(id, look.lists);
    const idOfLive = live && idOf({ ...id, type: live.type as TypeCode, name: live.name });
    // Then the name may be free when Terraform creates the object.
    const isDeleted = ({ id: other, change: each }: InstanceChange) =>
      other.id === idOfLive &&
      each.change.actions.join() === "delete" &&
      // Terraform skips the destroy hook of a tainted instance.
      (other.byProvider || !this.isTainted(each)) &&
      !isRetained(this.settingsOf(other) ?? { retain: [] }, other.id);
    if (this.changes.some(isDeleted)) return unseen;
    const isOfState = id.byProvider && idOfLive !== id.id && this.#stored().some((each) => each.id.id === idOfLive);
    const { facts, differences } = seen().sightOf(look, id, change, {
      isAdopted: isAdopted || look.ofRun.adoptions.has(id.id),
      isOfState,
      isReleased: this.#isReleased(id, change),
    });
    return { ...facts, differing: differences.map(({ field }) => field) };
  }

  /** Whether a destroy hook leaves the object on the service before it is created. The requests that were noted then prove nothing. */
  #isReleased(id: InstanceId, change: ResourceChange): boolean {
    if (id.byProvider || !change.change.actions.includes("delete") || this.isTainted(change)) return false;
    return this.destroyHookOf(id, change) === "runs" && isRetained(this.settingsOf(id) ?? { retain: [] }, id.id);
  }

  /** What a run would see of an object that it deletes, as far as the review knows it. */
  deletionFacts({
    id,
    change,
  }: InstanceChange): Partly<Omit<DeletionFacts, "transition" | "isRetained" | "protection" | "isAdopted">> {
    const look = this.lookAt(id, change);
    const isUsed = this.usersOf(id).length > 0 || (id.kind === "providers" && !look ? UNSEEN : false);
    if (!look) return { hasUnknownRetained: UNSEEN, isSaidGone: UNSEEN, live: UNSEEN, isUsed };
    const isOther = (other: InstanceId) => other.id !== id.id && platformKey(other.platform) === platformKey(id.platform);
    const others = () => this.#stored().flatMap((each) => (isOther(each.id) ? [each.id] : []));
    return {
      hasUnknownRetained: this.#declaredIn(id)?.retained.some((exact) => !isNameLive(exact, look.lists)) ?? UNSEEN,
      isSaidGone: look.ofRun.gone.has(id.id),
      live: seen().liveToDelete(look, id, change, others),
      isUsed,
    };
  }

  /** Why the wait would or may fail for an object that the plan does not change, as a look shows. */
  unready(id: InstanceId, change: ResourceChange): Reason | SimpleReason | undefined {
    const look = this.lookAt(id, change);
    if (!look) return undefined;
    const record = look.journal.of(id);
    // Only the wait of hooks refuses that.
    if (record.isContradicted && !id.byProvider && this.isWaitedFor(id)) return SENT_OTHERWISE;
    if (liveUnder(id, look.lists)) return this.isLeaving({ id, change }) ? LEAVING : undefined;
    return record.mayStillBeCreated ? PENDING : "GONE";
  }

  /** Whether a look shows that the service is deleting the object. */
  isLeaving({ id, change }: InstanceChange): boolean {
    const look = this.lookAt(id, change);
    const live = look && liveUnder(id, look.lists);
    return live !== undefined && isLeaving(live);
  }

  /**
   * The object whose key the instance of another object has. Undefined if the instance has its own key, or if its block does not
   * declare its object. Otherwise the destroy hook refuses.
   */
  misplacedAs(id: InstanceId, change: ResourceChange): string | undefined {
    const key = keyOf(change);
    if (key === undefined || key === id.name || !Object.hasOwn(this.#declaredIn(id)?.digests ?? {}, id.name)) return undefined;
    return objectIn(id, key).id;
  }

  /** What the destroy hook of a block knows of the code. */
  #declaredIn({ platform, block }: InstanceId): ReturnType<typeof declaredInHook> {
    const configured = this.stack.plan.configuration.find(platform.module, block);
    return configured && declaredInHooks(configured.provisioners);
  }

  /** Whether the apply waits for an object that it does not change. Hooks wait when Terraform creates their resource. */
  isWaitedFor({ platform, kind, type, name, byProvider }: InstanceId): boolean {
    const waiting = byProvider ? ["create", "update"] : ["create"];
    return this.stack.plan.changes.some((change) => {
      const support = supportInstance(change);
      if (support?.resource !== "ready" || platformKey(support.platform) !== platformKey(platform)) return false;
      const { cluster } = support;
      const isAbout = !cluster || (kind === "clusters" && cluster.type === type && cluster.name === name);
      return isAbout && change.change.actions.some((action) => waiting.includes(action));
    });
  }

  /** Clusters that will certainly be on a provider when Terraform deletes the provider, if they live. */
  usersOf(id: InstanceId): readonly string[] {
    if (id.kind !== "providers") return [];
    const change = this.look && this.changes.find((each) => each.id === id)?.change;
    const look = change && this.lookAt(id, change);
    if (look) {
      const users = clustersOn(id, look.lists.clusters, (user) => !isLeaving(user));
      return users.filter((user) => !this.#deleted().has(idOf(user))).map(({ name }) => name);
    }
    const users = this.#users().get(`${id.type} ${id.name}`) ?? [];
    // A stack has one Platform per service.
    return users.filter((user) => platformKey(user.id.platform) === platformKey(id.platform)).map((user) => user.id.name);
  }

  /** The URL of an object's service. Undefined if the plan does not show it. */
  serviceOf(id: Block, values: unknown): string | undefined {
    return id.byProvider ? serviceInState(values) : baseUrlIn(this.settingsOf(id)?.connection.url);
  }

  /** Whether a `moved` block gives the instance to a Platform with another service, whose hooks do not reach the object. */
  leavesService(id: InstanceId, change: ResourceChange): boolean {
    const origin = originOf(change);
    const left = origin && blockOf(origin);
    if (!left || id.byProvider || left.platform === id.platform) return false;
    return !mayBeOneService(baseUrlIn(this.settingsOf(left)?.connection.url), this.serviceOf(id, undefined));
  }

  /** Whether the code has the stack no longer, so that nothing applies it. */
  get stackHasLeft(): boolean {
    return this.stack.programs?.stackIn === "base";
  }

  /** Fields that may change, in a review of two programs. */
  openFieldsOf({ address }: Pick<ResourceChange, "address">): readonly string[] | undefined {
    return this.stack.programs?.open.get(address);
  }

  /**
   * The clusters of the state, by provider.
   * @param leaving ids of clusters that do not count
   */
  clustersOn(leaving: readonly string[]): ClustersByProvider {
    const gone = new Set(leaving);
    const users = this.#stored()
      .filter(({ id }) => id.kind === "clusters" && !gone.has(id.id))
      .map(({ id, type, values }) => ({
        id,
        service: this.serviceOf(id, values),
        provider: textIn({ type }, values, "provider"),
      }))
      .filter(({ provider }) => provider !== undefined);
    return groupedBy(users, ({ id, provider }) => `${id.type} ${provider}`);
  }

  /** The address of another instance of the Platform that keeps the object. */
  twinOf({ platform, id }: InstanceId, { address }: Pick<ResourceChange, "address">): string | undefined {
    return this.#stored().find((each) => {
      return each.stays && each.id.id === id && each.id.platform === platform && each.address !== address;
    })?.address;
  }
}

/** It loads the schemas, which takes longer than most reviews without a look. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
export const seen = () => require("./seen") as typeof import("./seen");

/** All objects of a block ask for the same hook, whose environment is packed. */
const declaredInHooks = oncePerObject((provisioners: readonly Provisioner[]) =>
  provisioners.map(({ settings }) => declaredInHook(settings.environment)).find((each) => each !== undefined),
);

/** A plan does not show when Terraform runs a hook. */
const ON_CREATION: ReadonlySet<unknown> = new Set<HookCommand>(["create", "wait"]);

const STAYING: ReadonlySet<string> = new Set(["no-op", "read", "update"]);

const addressesOf = (all: readonly { readonly address: string }[]) => new Set(all.map(({ address }) => address));

const BLOCK_IS_GONE = new Set(["delete_because_no_resource_config", "delete_because_no_module", "delete_because_no_move_target"]);
