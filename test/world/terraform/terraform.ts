import type { Machine } from "../../../src/lifecycle/machine";
import type { Remedy } from "../../../src/lifecycle/remedy";
import { Hook, machineOf, type Ended, type World } from "../hooks";
import { Process, type Computer, type Kernel } from "../kernel";
import type { Actor } from "../service";
import { ApplyWalk, type ApplyContext } from "./apply-walk";
import type { Configuration, Provisioner } from "./configuration";
import { Core, type Change } from "./core";
import type { Scope } from "./language";
import {
  destroyWalk,
  importedObject,
  movesWalk,
  PlanWalk,
  type Plan,
  type PlanOptions,
  type Walked,
  type WalkedPlan,
} from "./plan-walk";
import { Plugin } from "./plugin";
import type { Shown } from "./provider";
import { parseInstance, type Instance, type State } from "./state";
import { problemsIn } from "./validation";
import { Failed } from "./walk";

/**
 * Where a state is kept, without a lock. Each run writes the whole state, and looks neither at the serial nor at what another run
 * has written since it began. Local files and most remote backends do that.
 */
export interface Backend {
  state: State;
  /** Addresses of blocks that a failed run has left without instances. They stand in the way of moves. */
  empty?: ReadonlySet<string>;
  /** Grows when the state changes. */
  serial: number;
  /** Given by the first run that writes the state. */
  lineage?: symbol;
  /** A remote backend is written at most every 20 seconds, and at the end. */
  readonly isRemote: boolean;
}

export interface Outcome {
  /** Whether every operation succeeded. */
  readonly ok: boolean;
  readonly wasKilled: boolean;
  readonly errors: readonly string[];
  /**
   * Error codes of this package. `TERRAFORM` stands for an error of Terraform itself, and `BUG` for a defect. With
   * `REFUSED_BY_TERRAFORM`, Terraform has refused the command itself, such as a stale plan.
   */
  readonly codes: readonly string[];
  /** What people can do about the errors. */
  readonly remedies: readonly Remedy[];
  /** Output of hooks, and warnings. */
  readonly said: readonly string[];
  /** What people can do about the warnings. */
  readonly advice: readonly Remedy[];
  /** Of the plan. */
  readonly changes: readonly string[];
}

/** A plan that another run can apply. */
export interface SavedPlan {
  readonly plan: Plan;
  readonly serial: number;
  readonly lineage: symbol | undefined;
}

const REMOTE_WRITES_MS = 20_000;

/** How long the process takes to start, in milliseconds. */
const START_MS = 100;

/** One run of Terraform in one folder on one computer. */
export class Terraform implements ApplyContext {
  readonly kernel: Kernel;
  readonly isOpenTofu: boolean;
  readonly process: Process;
  readonly plugins = new Set<Plugin>();
  readonly hooks = new Set<Hook>();
  readonly errors: string[] = [];
  readonly codes: string[] = [];
  readonly remedies: Remedy[] = [];
  readonly said: string[] = [];
  readonly advice: Remedy[] = [];
  /** Of the plan, as in `delete null_resource.capvs_clusters["c1"]`. */
  changes: readonly string[] = [];
  planned: readonly Change[] = [];
  /** The plan that the run saves or applies, also if it failed. */
  shown: Plan | undefined;
  #isStopped = false;
  /** Terraform tells its processes to stop only in a plan or an apply of its own, and not in the plan of an apply. */
  #canHalt = false;
  /** As its command line says. */
  #isPartial = false;
  #working: ReadonlyMap<string, Instance>;
  #empty: ReadonlySet<string>;
  /** What this run has read or written. */
  #known: { readonly state: State; readonly empty: ReadonlySet<string>; readonly serial: number };
  #writtenAt: number | undefined;
  #resolveKilled!: (outcome: Outcome) => void;
  readonly #killed: Promise<Outcome>;

  constructor(
    private readonly world: World,
    readonly actor: Actor,
    /** A saved plan has its own. */
    public configuration: Configuration,
    private readonly backend: Backend,
    private readonly env: Readonly<Record<string, string>>,
    computer: Computer,
    readonly workspace = "default",
  ) {
    this.kernel = world.kernel;
    this.isOpenTofu = world.isOpenTofu ?? false;
    this.process = new Process(`terraform ${actor.run}`, computer);
    const { state, serial, empty = new Set<string>() } = backend;
    this.#known = { state, serial, empty };
    this.#working = state;
    this.#empty = empty;
    this.#killed = new Promise((resolve) => (this.#resolveKilled = resolve));
  }

  /** What the arguments of Terraform's process show. */
  readonly #arguments: Partial<Machine> = {
    isPartial: () => this.#isPartial,
  };

  // Commands.

  async plan(options: PlanOptions = {}): Promise<Outcome & { readonly saved?: SavedPlan }> {
    let saved: SavedPlan | undefined;
    const outcome = await this.#command(async () => {
      this.#validate();
      this.#canHalt = true;
      const { lineage } = this.backend;
      saved = { plan: await this.#plan(options), serial: this.#known.serial, lineage };
    });
    return { ...outcome, ...(saved && { saved }) };
  }

  apply(options: PlanOptions = {}): Promise<Outcome> {
    return this.#command(async () => {
      this.#validate();
      const plan = await this.#plan(options);
      if (this.#isStopped) this.#fail("terraform", "execution halted", "HALTED");
      await this.#apply(plan);
    });
  }

  applySaved({ plan, serial, lineage }: SavedPlan): Promise<Outcome> {
    return this.#command(async () => {
      const isStale = serial !== this.backend.serial || lineage !== this.backend.lineage;
      if (isStale) this.#fail("terraform", "Saved plan is stale", "REFUSED_BY_TERRAFORM");
      this.configuration = plan.configuration;
      this.shown = plan;
      this.planned = plan.changes;
      this.changes = changesOf(plan);
      await this.#apply(plan);
    });
  }

  /** The command `terraform import`. */
  import(address: string, id: string): Promise<Outcome> {
    return this.#command(async () => {
      this.#canHalt = true;
      const { block: of, key } = parseInstance(address);
      const block = this.configuration.blocks.get(of);
      if (!block) this.#fail(address, "resource address does not exist in the configuration", "REFUSED_BY_TERRAFORM");
      if (this.#known.state.has(address)) this.#fail(address, "Resource already managed by Terraform", "REFUSED_BY_TERRAFORM");
      const core = new Core(this);
      const instances = [...this.#known.state.values()];
      for (const node of core.providerNodes([...this.configuration.order, ...instances]).values()) await node.visit();
      for (const instance of instances) await core.upgraded(instance);
      const imported = await importedObject(core, block, key, id);
      await this.#closed(core);
      this.#working = new Map(this.#known.state).set(address, imported);
      this.#persist(true);
    });
  }

  async #command(work: () => Promise<void>): Promise<Outcome> {
    const run = async () => {
      let ok = true;
      // From here on, this process owns what happens.
      await new Promise<void>((resolve) => void this.kernel.schedule(START_MS, resolve, this.process));
      try {
        await work();
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
        ok = false;
      }
      // What a failed walk has left.
      await this.#end([...this.plugins]);
      return this.#outcome(ok);
    };
    return Promise.race([this.#killed, run()]);
  }

  #validate(): void {
    for (const { where, diagnostics } of problemsIn(this.configuration)) this.report(where, diagnostics);
    if (this.errors.length > 0) throw new Failed();
  }

  async #plan(options: PlanOptions): Promise<Plan> {
    this.#isPartial = options.target !== undefined && options.destroy !== true;
    const before = { state: this.#known.state, empty: this.#empty };
    const { state: unrefreshed, empty, origins } = await this.#result(await movesWalk(this, before, options));
    let state = unrefreshed;
    const isRefreshing = options.refresh !== false && state.size > 0;
    if (options.destroy && isRefreshing) {
      const [said, advice] = [this.said.length, this.advice.length];
      ({ state } = await this.#walkPlan(new PlanWalk(this, state, empty, { ...options, destroy: false }, true)));
      // The plan of the deletions gives the warnings that matter.
      this.said.length = said;
      this.advice.length = advice;
    }
    const shown = (plan: WalkedPlan) => (this.shown = { ...plan, unrefreshed, origins });
    const plan = shown(
      options.destroy
        ? await this.#result(await destroyWalk(this, { state, empty }, options))
        : await this.#walkPlan(new PlanWalk(this, state, empty, options), shown),
    );
    this.planned = plan.changes;
    this.changes = changesOf(plan);
    return plan;
  }

  /** @param fails takes a plan that failed */
  async #walkPlan(walk: PlanWalk, fails?: (plan: WalkedPlan) => void): Promise<WalkedPlan> {
    const result = await walk.walk();
    if (result.isFailed) fails?.(result);
    return this.#result({ core: walk.core, ...(!result.isFailed && { result }) });
  }

  async #apply(plan: Plan): Promise<void> {
    this.#canHalt = true;
    if (this.#isStopped) this.#halt();
    this.#working = plan.state;
    const walk = new ApplyWalk(this, plan);
    const ok = await walk.walk();
    if (ok) await this.#closed(walk.core);
    this.#working = walk.working;
    // Blocks without instances leave the state at the end of a run that succeeds.
    this.#empty = ok ? new Set() : walk.empty;
    this.#persist(true);
    if (!ok) throw new Failed();
  }

  /** Terraform ends the processes of a walk that has succeeded. It ends the others before it ends itself. */
  async #result<Result>(walked: Walked<Result>): Promise<Result> {
    if (!("result" in walked)) throw new Failed();
    await this.#closed(walked.core);
    return walked.result!;
  }

  async #closed(core: Core): Promise<void> {
    const plugins = [...core.plugins];
    await this.#end(plugins);
    for (const plugin of plugins) this.plugins.delete(plugin);
  }

  /** A Terraform that was killed ends nothing any more. */
  async #end(plugins: readonly Plugin[]): Promise<void> {
    if (this.process.dead) return new Promise(() => undefined);
    await Promise.all(plugins.map((plugin) => plugin.close()));
  }

  // What walks ask for.

  startPlugin(): Plugin {
    const process = new Process(`plugin of ${this.process.label}`, this.process.computer, this.process);
    const machine = { ...machineOf(this.world, process, this.actor), ...this.#arguments };
    const plugin = new Plugin(this.kernel, process, machine, this.env);
    this.plugins.add(plugin);
    return plugin;
  }

  isHalted(): boolean {
    return this.#isStopped && this.#canHalt;
  }

  report(where: string, diagnostics: readonly Shown[]): void {
    for (const { severity, summary, detail, remedies = [] } of diagnostics) {
      (severity === "warning" ? this.advice : this.remedies).push(...remedies);
      if (severity === "warning") this.said.push(`${where}: Warning: ${summary}`);
      else {
        this.errors.push(`${where}: ${summary}${detail ? `\n${detail}` : ""}`);
        this.codes.push(/^\[([A-Z_]+)\]/.exec(summary)?.[1] ?? "BUG");
      }
    }
  }

  wrote({ working, empty }: ApplyWalk): void {
    this.#working = working;
    this.#empty = empty;
    // The first change starts the clock.
    this.#writtenAt ??= this.kernel.now;
    const isDue = this.#isStopped || this.kernel.now >= this.#writtenAt + REMOTE_WRITES_MS;
    if (!this.backend.isRemote || isDue) this.#persist();
  }

  async provision(label: string, provisioners: readonly Provisioner[], scope: Scope): Promise<void> {
    for (const { command, environment } of provisioners) {
      if (this.isHalted()) this.#fail(label, "execution halted", "HALTED");
      const env: Record<string, string> = { ...this.env };
      try {
        for (const [name, value] of environment) env[name] = String(value(scope));
      } catch (error) {
        this.#fail(label, (error as Error).message, "TERRAFORM");
      }
      const hook = new Hook(this.world, label, command, env, this.process, this.actor, this.#arguments);
      this.hooks.add(hook);
      const ended: Ended = await hook.ended;
      this.hooks.delete(hook);
      this.said.push(...ended.lines.map((line) => `${label}: ${line}`));
      if (ended.exitCode === 0) continue;
      this.errors.push(`${label}: ${ended.error ?? ""}`);
      if (ended.code) this.codes.push(ended.code);
      this.remedies.push(...(ended.remedies ?? []));
      throw new Failed();
    }
  }

  #fail(where: string, summary: string, code: string): never {
    this.report(where, [{ severity: "error", summary: `[${code}] ${summary}` }]);
    throw new Failed();
  }

  #persist(isEnd = false): void {
    const { backend, kernel } = this;
    const isSame =
      backend.lineage !== undefined && isSameState(this.#working, this.#known.state) && isSameSet(this.#empty, this.#known.empty);
    if (isEnd && isSame) return;
    kernel.effect("writes the state");
    if (this.process.dead) return;
    this.#writtenAt = kernel.now;
    if (isSame) return;
    this.#known = { state: new Map(this.#working), empty: this.#empty, serial: this.#known.serial + 1 };
    Object.assign(backend, this.#known);
    backend.lineage ??= Symbol("lineage");
  }

  #outcome(ok: boolean, wasKilled = false): Outcome {
    const { errors, codes, remedies, said, advice } = this;
    return { ok, wasKilled, errors, codes, remedies, said, advice, changes: this.changes };
  }

  // What happens to it.

  /** SIGINT to Terraform alone. */
  interrupt(): void {
    this.#isStopped = true;
    if (this.#canHalt) this.#halt();
  }

  /** A signal to all processes, as Ctrl-C in a terminal. The provider does not care about SIGINT. */
  interruptAll(signal: "SIGINT" | "SIGTERM" = "SIGINT"): void {
    for (const hook of this.hooks) hook.signal(signal);
    if (signal === "SIGTERM") for (const plugin of this.plugins) plugin.stop(signal);
    this.#isStopped = true;
    if (this.#canHalt) for (const plugin of this.plugins) plugin.stop();
  }

  #halt(): void {
    for (const plugin of this.plugins) plugin.stop();
    for (const hook of this.hooks) hook.kill();
    // The state may be written by then or not.
    if (this.#writtenAt !== undefined) this.#persist();
  }

  /** SIGKILL of hooks and plugins. */
  killChildren(): void {
    for (const hook of this.hooks) hook.kill();
    for (const plugin of this.plugins) plugin.kill();
  }

  /** SIGKILL of the hook or plugin that runs now, or of the first one. The others go on, and so does Terraform. */
  killChild(): void {
    const children = [...this.hooks, ...this.plugins];
    (children.find(({ process }) => process === this.kernel.current) ?? children[0])?.kill();
  }

  /** SIGKILL. Hooks and the provider live on for a while, unless the machine dies. */
  kill({ withChildren }: { readonly withChildren: boolean }): void {
    this.process.dead = true;
    for (const hook of this.hooks) {
      if (withChildren) hook.process.dead = true;
      else hook.terraformIsGone();
    }
    for (const plugin of this.plugins) {
      if (withChildren) plugin.process.dead = true;
      else plugin.terraformIsGone();
    }
    this.kernel.as(undefined, () => this.#resolveKilled(this.#outcome(false, true)));
  }
}

function changesOf({ changes }: Pick<Plan, "changes">): string[] {
  return changes.map(({ action, address }) => `${action} ${address}`).sort();
}

function isSameState(one: State, other: State): boolean {
  if (one === other) return true;
  if (one.size !== other.size) return false;
  for (const [address, instance] of one) if (other.get(address) !== instance) return false;
  return true;
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((each) => other.has(each));
}
