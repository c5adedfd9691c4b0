import type { Block, Configuration } from "./configuration";
import { Core, isPlugin, type Change, type Context } from "./core";
import type { Place } from "./expressions";
import { addressIn, instanceAddress, parseInstance, typeOfBlock, type Instance, type State } from "./state";
import { Failed, nodeOf, walked, type Node } from "./walk";

export interface PlanOptions {
  readonly destroy?: boolean;
  /** Addresses of instances, as for -replace. */
  readonly replace?: readonly string[];
  /** Addresses of blocks or instances, as for -target. */
  readonly target?: readonly string[];
  /** @default true */
  readonly refresh?: boolean;
}

export interface Plan {
  readonly configuration: Configuration;
  readonly options: PlanOptions;
  /** The state after moves, imports and the refresh. */
  readonly state: State;
  /** Addresses of the blocks without instances in that state. */
  readonly empty: ReadonlySet<string>;
  /** Without those that change nothing. */
  readonly changes: readonly Change[];
  /** Of the instances that the code declares, and the plan does not change. */
  readonly unchanged: readonly Change[];
  /** The state before the refresh, and after the moves. */
  readonly unrefreshed: State;
  /** Addresses before the moves, by those after them. */
  readonly origins: ReadonlyMap<string, string>;
  /** A plan that failed has what was planned so far. */
  readonly isFailed: boolean;
}

/** A walk over the code and the state. Its processes are still alive. */
export interface Walked<Result> {
  readonly core: Core;
  /** Undefined if it has failed. */
  readonly result?: Result;
}

/** What a walk does not know of its plan. */
export type WalkedPlan = Omit<Plan, "unrefreshed" | "origins">;

/** A plan of what the code and the state have. */
export class PlanWalk {
  readonly core: Core;
  readonly #configuration: Configuration;
  readonly #state: Map<string, Instance>;
  readonly #changes: Change[] = [];
  readonly #unchanged: Change[] = [];
  readonly #isTargeted: (address: string) => boolean;

  /** @param isForDestroy whether it only refreshes the state before a destroy */
  constructor(
    private readonly context: Context,
    private readonly before: State,
    private readonly empty: ReadonlySet<string>,
    private readonly options: PlanOptions,
    private readonly isForDestroy = false,
  ) {
    this.core = new Core(context);
    this.#configuration = context.configuration;
    this.#state = new Map(before);
    this.#isTargeted = targeting(context.configuration, options);
  }

  async walk(): Promise<WalkedPlan> {
    const { order, blocks } = this.#configuration;
    const instances = [...this.before.values()];
    const providers = this.core.providerNodes([...order, ...instances]);
    const nodes = new Map<string, Node>();
    for (const block of order) {
      const after = [...block.dependencies].map((address) => nodes.get(address)!);
      nodes.set(
        block.address,
        nodeOf(block.address, () => this.#block(block), [...after, ...present(providers.get(block.provider))]),
      );
    }
    const others = instances
      .filter(({ block, deposed }) => deposed !== undefined || !blocks.has(block))
      .filter((instance) => this.#isTargeted(instanceAddress(instance.block, instance.key)))
      .map((instance) =>
        nodeOf(addressIn(instance), () => this.#slot(() => this.#orphan(instance)), present(providers.get(instance.provider))),
      );
    for (const instance of instances) this.core.expressions.show(instance, instance.attributes);
    const ok = await walked([...providers.values(), ...nodes.values(), ...others]);
    return {
      configuration: this.#configuration,
      options: this.options,
      state: this.#state,
      empty: this.empty,
      changes: this.#changes,
      unchanged: this.#unchanged,
      isFailed: !ok,
    };
  }

  #slot(work: () => Promise<void>): Promise<void> {
    return this.core.slots.run(work);
  }

  async #block(block: Block): Promise<void> {
    const places = this.core.expressions.placesOf(block);
    const declared = new Set(places.map(({ address }) => address));
    const orphans = [...this.before].filter(
      ([address, instance]) => instance.block === block.address && instance.deposed === undefined && !declared.has(address),
    );
    const works = [
      ...places.filter(({ address }) => this.#isTargeted(address)).map((place) => () => this.#declared(place)),
      ...orphans
        .filter(([address]) => this.#isTargeted(address))
        .map(
          ([, instance]) =>
            () =>
              this.#orphan(instance),
        ),
    ];
    const settled = await Promise.allSettled(works.map((work) => this.#slot(work)));
    for (const each of settled) if (each.status === "rejected" && !(each.reason instanceof Failed)) throw each.reason as Error;
    if (settled.some(({ status }) => status === "rejected")) throw new Failed();
  }

  async #declared(place: Place): Promise<void> {
    const { address, block } = place;
    const current = await this.#current(place);
    const change = await this.core.planned(place, current, this.options.replace?.includes(address) ?? false);
    this.core.expressions.show({ block: block.address, key: place.key }, change.after!);
    if (change.action !== "no-op") return void this.#changes.push(change);
    this.#unchanged.push(change);
    const { dependencies } = current!;
    const isSame = dependencies.length === block.dependencies.size && dependencies.every((each) => block.dependencies.has(each));
    if (!isSame) this.#set(address, { ...current!, dependencies: [...block.dependencies] });
  }

  /** The object in the state, upgraded and refreshed, or an imported one. */
  async #current({ address, block, key }: Place): Promise<Instance | undefined> {
    const stored = this.before.get(address);
    const imported = this.#configuration.imports.find(({ to }) => to === address);
    const isImporting = !this.isForDestroy || this.context.isOpenTofu;
    if (imported && !stored && isImporting) return this.#set(address, await this.#imported(block, key, imported.id));
    if (!stored) return undefined;
    const upgraded = await this.core.upgraded(stored);
    this.#set(address, upgraded);
    if (this.options.refresh === false) return upgraded;
    const refreshed = await this.core.refreshed(upgraded);
    return this.#set(address, refreshed && withDependencies(refreshed, block.dependencies));
  }

  async #imported(block: Block, key: string | undefined, id: string): Promise<Instance> {
    return importedObject(this.core, block, key, id);
  }

  /** An object that the code does not have. Terraform 1.11 plans its removal before it refreshes it, and OpenTofu after that. */
  async #orphan(instance: Instance): Promise<void> {
    const address = addressIn(instance);
    this.core.expressions.hide(instance);
    const upgraded = await this.core.upgraded(instance);
    this.#set(address, upgraded);
    if (this.#configuration.removed.get(instance.block)?.destroy === false) {
      const { block, provider, attributes: before } = upgraded;
      this.#changes.push({ action: "forget", address, block, provider, prior: upgraded, before, after: null });
      return;
    }
    const refreshed = async () => {
      if (this.options.refresh === false) return upgraded;
      return this.#set(address, await this.core.refreshed(upgraded));
    };
    const current = this.context.isOpenTofu ? await refreshed() : upgraded;
    if (!current) return;
    const change = await this.core.plannedRemoval(current);
    if (this.context.isOpenTofu || (await refreshed())) this.#changes.push(change);
  }

  #set(address: string, instance: Instance | undefined): Instance | undefined {
    if (instance) this.#state.set(address, instance);
    else this.#state.delete(address);
    return instance;
  }
}

/** Plans the deletion of everything. OpenTofu leaves alone what the code says to forget. */
export async function destroyWalk(
  context: Context,
  { state, empty }: Omit<Moved, "origins">,
  options: PlanOptions,
): Promise<Walked<WalkedPlan>> {
  const core = new Core(context);
  const { configuration } = context;
  const isTargeted = targetedDestroy(state, options);
  const changes: Change[] = [];
  const upgraded = new Map(state);
  const instances = [...state.values()].filter(
    (each) => isTargeted(addressIn(each)) && !(context.isOpenTofu && configuration.removed.get(each.block)?.destroy === false),
  );
  const providers = core.providerNodes(instances);
  const nodes = instances.map((instance) => {
    const visit = () =>
      core.slots.run(async () => {
        const current = await core.upgraded(instance);
        upgraded.set(addressIn(instance), current);
        changes.push(await core.plannedRemoval(current));
      });
    return nodeOf(addressIn(instance), visit, present(providers.get(instance.provider)));
  });
  for (const [index, { block }] of instances.entries()) {
    for (const [other, { dependencies }] of instances.entries()) {
      if (dependencies.includes(block)) nodes[index]!.after.add(nodes[other]!);
    }
  }
  const ok = await walked([...providers.values(), ...nodes]);
  const plan = { configuration, options, state: upgraded, empty, changes, unchanged: [], isFailed: false };
  return { core, ...(ok && { result: plan }) };
}

/** An imported object, after its first read. */
export async function importedObject(core: Core, block: Block, key: string | undefined, id: string): Promise<Instance> {
  const { address, provider, type } = block;
  const where = instanceAddress(address, key);
  core.halt(where);
  const { state, private: kept } = await core.ask(where, core.providerOf(block).import(type, id));
  const imported = { block: address, key, provider, attributes: state!, private: kept, schemaVersion: 0, isTainted: false };
  const refreshed = await core.refreshed({ ...imported, dependencies: [...block.dependencies] });
  return refreshed ?? core.fail(where, "Cannot import non-existent remote object", "TERRAFORM");
}

/** A state, and the addresses of its blocks without instances. */
export interface Moved {
  readonly state: State;
  readonly empty: ReadonlySet<string>;
  /** Addresses before the moves, by those after them. */
  readonly origins: ReadonlyMap<string, string>;
}

/**
 * The state after the `moved` blocks. A move does nothing if there is no such instance, or if the target is there already: for a
 * whole block, also a block that has no instances. A move to another type asks a process of its own, which is not configured.
 */
export async function movesWalk(
  context: Context,
  { state: before, empty: emptyBefore }: Omit<Moved, "origins">,
  { target }: PlanOptions,
): Promise<Walked<Moved>> {
  const core = new Core(context);
  let state = before;
  const empty = new Set(emptyBefore);
  const origins = new Map<string, string>();
  const isTaken = (block: string) => empty.has(block) || [...state.values()].some((instance) => instance.block === block);
  const move = async (from: string, instance: Instance, to: string) => {
    const target = parseInstance(to);
    const block = context.configuration.blocks.get(target.block);
    const after = new Map(state);
    after.delete(from);
    let moved: Instance = { ...instance, ...target, key: target.key, provider: block?.provider ?? instance.provider };
    if (block && typeOfBlock(instance.block) !== block.type) {
      const provider = isPlugin(block.provider) ? ([...core.plugins][0] ?? core.start(block.provider)) : core.providerOf(block);
      const answer = provider.move(block.type, {
        sourceType: typeOfBlock(instance.block),
        sourceVersion: instance.schemaVersion,
        sourceState: storedForm(instance),
      });
      const { state: attributes, private: kept } = await core.ask(to, answer);
      moved = { ...moved, provider: block.provider, attributes: attributes!, private: kept, schemaVersion: 0 };
    }
    state = after.set(to, moved);
    empty.delete(target.block);
    origins.set(to, origins.get(from) ?? from);
    origins.delete(from);
  };
  try {
    for (const { from, to } of context.configuration.moved) {
      // From a block without keys to a key, an instance moves.
      const isWhole = !from.includes("[") && !to.includes("[");
      if (isWhole ? isTaken(to) : state.has(to)) continue;
      if (isWhole && empty.delete(from)) empty.add(to);
      for (const [address, instance] of state) {
        if (instance.deposed !== undefined || (isWhole ? instance.block : address) !== from) continue;
        const next = isWhole ? instanceAddress(to, instance.key) : to;
        if (target && !(isTargeted(address, target) && isTargeted(next, target))) {
          core.fail(next, "Moved resource instances excluded by targeting", "TERRAFORM");
        }
        await move(address, instance, next);
      }
    }
    return { core, result: { state, empty, origins } };
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    return { core };
  }
}

/** The state keeps a value of terraform_data together with its type. */
function storedForm({ block, attributes }: Instance): unknown {
  if (typeOfBlock(block) !== "terraform_data") return attributes;
  return { ...attributes, triggers_replace: { type: "dynamic", value: attributes.triggers_replace } };
}

function withDependencies(instance: Instance, declared: ReadonlySet<string>): Instance {
  const all = [...new Set([...declared, ...instance.dependencies])];
  return all.length === instance.dependencies.length ? instance : { ...instance, dependencies: all };
}

function present<Item>(item: Item | undefined): Item[] {
  return item === undefined ? [] : [item];
}

/** Whether an address is a target, or an instance of one. */
export function isTargeted(address: string, target: readonly string[]): boolean {
  return target.includes(address) || target.includes(parseInstance(address).block);
}

/**
 * Whether an instance is in a plan with -target: the targets, and the whole blocks that these depend on. Terraform chooses
 * blocks first, so all blocks of targeted instances bring their dependencies.
 */
function targeting({ blocks }: Configuration, { target }: PlanOptions): (address: string) => boolean {
  if (!target) return () => true;
  const targeted = new Set(target.map((each) => parseInstance(each).block));
  const whole = new Set([...targeted].flatMap((block) => [...(blocks.get(block)?.dependencies ?? [])]));
  return (address) => {
    const { block } = parseInstance(address);
    return targeted.has(block) ? isTargeted(address, target) : whole.has(block);
  };
}

/** The targets, and all objects that depend on their blocks, by the dependencies in the state. */
function targetedDestroy(state: State, { target }: PlanOptions): (addressInState: string) => boolean {
  if (!target) return () => true;
  const targets = [...state].filter(([, { block, key }]) => isTargeted(instanceAddress(block, key), target));
  const chosen = new Set(targets.map(([address]) => address));
  // The set grows while the loop visits it.
  for (const address of chosen) {
    const { block } = state.get(address)!;
    for (const [other, { dependencies }] of state) if (dependencies.includes(block)) chosen.add(other);
  }
  return (address) => chosen.has(address);
}
