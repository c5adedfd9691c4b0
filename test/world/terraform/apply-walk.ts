import type { Block, Provisioner } from "./configuration";
import { Core, type Change, type Context } from "./core";
import type { Scope } from "./language";
import { isTargeted, type Plan } from "./plan-walk";
import { addressIn, instanceAddress, parseInstance, type Instance } from "./state";
import { Failed, nodeOf, walked, type Node } from "./walk";

export interface ApplyContext extends Context {
  /** Terraform's working state has changed. */
  wrote(walk: ApplyWalk): void;
  /** Runs hooks. @throws Failed */
  provision(label: string, provisioners: readonly Provisioner[], scope: Scope): Promise<void>;
}

interface Steps {
  /** Of each change. */
  readonly writes: ReadonlyMap<Change, Node>;
  readonly destroys: ReadonlyMap<Change, Node>;
  readonly forgets: ReadonlyMap<Change, Node>;
}

/** Carries out a plan, in the order of Terraform's apply. */
export class ApplyWalk {
  readonly core: Core;
  readonly working: Map<string, Instance>;
  #writes: readonly (readonly [Change, Node])[] = [];
  /** Addresses of the blocks that have left the state with an object that was not created. */
  readonly #left = new Set<string>();

  constructor(
    private readonly context: ApplyContext,
    private readonly plan: Plan,
  ) {
    this.core = new Core(context);
    this.working = new Map(plan.state);
  }

  async walk(): Promise<boolean> {
    const { configuration, changes, options } = this.plan;
    for (const instance of this.working.values()) this.core.expressions.show(instance, instance.attributes);
    for (const { action, prior } of changes) if (action === "delete") this.core.expressions.hide(prior!);
    const providers = this.core.providerNodes([...changes, ...(options.destroy ? [] : configuration.order)]);
    const steps = this.#steps();
    this.#order(steps);
    const all = [...steps.destroys, ...steps.forgets, ...steps.writes];
    const nodes = options.target && this.context.isOpenTofu ? neededFor(all, options.target) : all.map(([, node]) => node);
    this.#writes = [...steps.writes].filter(([, node]) => nodes.includes(node));
    for (const [change, node] of [...steps.writes, ...steps.destroys]) {
      const provider = providers.get(change.provider);
      if (provider) node.after.add(provider);
    }
    return walked([...providers.values(), ...nodes]);
  }

  #steps(): Steps {
    const node = (verb: string, change: Change, work: () => Promise<void>) =>
      nodeOf(`${verb} ${change.address}`, () => this.core.slots.run(work));
    const all = this.plan.changes;
    const isRemoval = ({ action }: Change) => action === "delete" || action === "forget";
    return {
      destroys: new Map(
        all
          .filter(({ action }) => action === "delete" || action === "replace")
          .map((change) => [change, node("destroy", change, () => this.#destroy(change))]),
      ),
      forgets: new Map(
        all
          .filter(({ action }) => action === "forget")
          .map((change) => [change, node("forget", change, () => this.#forget(change))]),
      ),
      writes: new Map(
        all.filter((each) => !isRemoval(each)).map((change) => [change, node(change.action, change, () => this.#write(change))]),
      ),
    };
  }

  /**
   * Dependencies come before their dependents. Deletions have the reverse order, which comes from the state, and a deletion comes
   * before the creation that replaces it. An object in the state waits only for the deletions that its entry depends on. After
   * `internal/terraform/transform_destroy_edge.go`.
   */
  #order({ writes, destroys }: Steps): void {
    const dependsOn = ({ prior, place }: Change, other: Change) =>
      prior ? prior.dependencies.includes(other.block) : place!.block.dependencies.has(other.block);
    for (const [change, write] of writes) {
      for (const [other, before] of writes) if (change.place!.block.dependencies.has(other.block)) write.after.add(before);
      for (const [other, destroy] of destroys) {
        if (other === change && isCreateFirst(change)) destroy.after.add(write);
        else if (other === change || dependsOn(change, other)) write.after.add(destroy);
        else if (dependsOn(other, change)) this.#add(write, destroy, change.provider !== other.provider);
      }
    }
    for (const [change, destroy] of destroys) {
      for (const [other, before] of destroys) {
        if (other !== change && dependsOn(other, change)) this.#add(destroy, before, change.provider !== other.provider);
      }
    }
  }

  /** Terraform leaves out what would close a circle between providers. */
  #add(node: Node, before: Node, isBetweenProviders: boolean): void {
    if (isBetweenProviders && !this.plan.options.destroy && isAfter(before, node)) return;
    node.after.add(before);
  }

  async #destroy(change: Change): Promise<void> {
    const { address, prior, before, private: kept } = change;
    const at = isCreateFirst(change) ? addressIn({ ...prior!, deposed: DEPOSED }) : address;
    const stored = this.working.get(at);
    if (!stored) return;
    const current = await this.core.upgraded(stored);
    // Terraform plans the deletion of such an object again.
    const again = current.deposed === undefined ? undefined : await this.core.plannedRemoval(current);
    this.core.halt(address);
    if (!current.isTainted) await this.#provisionDestroy(change, current);
    const request = { prior: before, planned: null, config: null, private: again ? again.private : kept };
    const { ok, object } = await this.core.applied(change, request, current);
    this.#set(at, object && { ...current, ...object });
    this.#end(address, ok);
  }

  async #provisionDestroy({ address, block, place }: Change, { attributes: self, key }: Instance): Promise<void> {
    const { blocks, removed } = this.plan.configuration;
    const provisioners = (place?.block ?? blocks.get(block))?.destroy ?? removed.get(block)?.provisioners ?? [];
    const each = key === undefined ? {} : { key };
    await this.context.provision(`destroy ${address}`, provisioners, { ...this.core.expressions.scopeOf(), self, each });
  }

  async #forget({ address }: Change): Promise<void> {
    this.#set(address, undefined);
    this.#end(address, true);
  }

  async #write(change: Change): Promise<void> {
    const { address } = change;
    const place = change.place!;
    const { block, key } = place;
    if (isCreateFirst(change)) this.#depose(change);
    const stored = this.working.get(address);
    const current = stored && (await this.core.upgraded(stored));
    const actual = await this.core.planned(place, current, this.plan.options.replace?.includes(address) ?? false, change);
    this.core.check(change, actual);
    this.core.halt(address);
    if (actual.action === "no-op") return;
    const isNew = actual.action !== "update";
    const request = {
      prior: isNew ? null : actual.before,
      planned: actual.after,
      config: actual.config!,
      private: actual.private,
    };
    const { ok, object } = await this.core.applied(change, request, current);
    const written = object && {
      block: block.address,
      key,
      provider: block.provider,
      schemaVersion: 0,
      dependencies: [...block.dependencies],
      ...object,
      isTainted: object.isTainted || (!ok && isNew),
    };
    // It is in the state before its provisioners run. A write of another instance brings that to the disk.
    this.#set(address, written);
    if (!written) this.#left.add(block.address);
    if (written && ok && isNew) await this.#provisionCreate(change, written);
    if (!ok && isCreateFirst(change)) this.#restore(change);
    this.#end(address, ok);
  }

  async #provisionCreate({ address, place }: Change, written: Instance): Promise<void> {
    try {
      const scope = { ...this.core.expressions.scopeOf(place!), self: written.attributes };
      await this.context.provision(`create ${address}`, place!.block.create, scope);
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      this.#set(address, { ...written, isTainted: true });
      this.#end(address, false);
    }
  }

  // A replacement that is created first.

  #depose({ address }: Change): void {
    const instance = this.working.get(address)!;
    const deposed = { ...instance, deposed: DEPOSED };
    this.working.delete(address);
    this.working.set(addressIn(deposed), deposed);
  }

  #restore({ address, prior }: Change): void {
    const at = addressIn({ ...prior!, deposed: DEPOSED });
    if (this.working.has(address)) return;
    const { deposed: _, ...instance } = this.working.get(at)!;
    this.working.delete(at);
    this.working.set(address, instance);
  }

  // The state.

  #set(address: string, instance: Instance | undefined): void {
    if (instance) {
      this.working.set(address, instance);
      this.core.expressions.show(instance, instance.attributes);
    } else this.working.delete(address);
  }

  /**
   * Addresses of the blocks that are in the state without instances, as long as the walk has not succeeded. A block that depends
   * on no write is visited before its instances are deleted, and it leaves the state with the last one.
   */
  get empty(): ReadonlySet<string> {
    const { state, empty } = this.plan;
    const written = this.#writes.map(([{ block }]) => block);
    const pending = this.#writes.filter(([, { status }]) => status !== "done").map(([{ block }]) => block);
    const dependsOn = ({ dependencies }: Block, blocks: readonly string[]) => blocks.some((each) => dependencies.has(each));
    const fullBefore = blocksIn(state);
    const visited = this.#visited.filter(
      (block) => !dependsOn(block, pending) && (dependsOn(block, written) || !fullBefore.has(block.address)),
    );
    const full = blocksIn(this.working);
    const all = [...empty, ...visited.map(({ address }) => address)];
    return new Set(all.filter((block) => !full.has(block) && !this.#left.has(block)));
  }

  /**
   * The blocks that an apply visits besides its changes. It writes each into the state, with or without instances. OpenTofu
   * visits only those that a change is in or depends on.
   */
  get #visited(): Block[] {
    const { configuration, options } = this.plan;
    const blocks = [...configuration.blocks.values()];
    if (options.destroy) return [];
    const targeted = this.context.isOpenTofu
      ? this.#writes.map(([{ place }]) => place!.block)
      : options.target && blocks.filter(({ address }) => options.target!.some((each) => parseInstance(each).block === address));
    if (!targeted) return blocks;
    return blocks.filter((block) => targeted.some((each) => each === block || each.dependencies.has(block.address)));
  }

  #end(address: string, ok: boolean): void {
    this.context.wrote(this);
    if (!ok) throw new Failed();
    this.core.halt(address);
  }
}

/** The key of an object that this run has replaced. */
const DEPOSED = "00000001";

function isCreateFirst({ action, place }: Change): boolean {
  return action === "replace" && place!.block.createBeforeDestroy;
}

function isAfter(node: Node, other: Node): boolean {
  return node === other || [...node.after].some((before) => isAfter(before, other));
}

/** OpenTofu carries out the planned changes of targets, and what these wait for. Terraform carries out the whole plan. */
function neededFor(all: readonly (readonly [Change, Node])[], target: readonly string[]): Node[] {
  const targeted = all.filter(([{ block, prior, place }]) =>
    isTargeted(instanceAddress(block, place ? place.key : prior!.key), target),
  );
  const needed = new Set(targeted.map(([, node]) => node));
  // The set grows while the loop visits it.
  for (const node of needed) for (const other of node.after) needed.add(other);
  return [...needed];
}

function blocksIn(state: ReadonlyMap<string, Instance>): ReadonlySet<string> {
  return new Set([...state.values()].map(({ block }) => block));
}
