import { isProtected } from "../../api/protection";
import { instanceId, platformKey, platformName, readTriggers, triggersOf, type InstanceId } from "../report/instance";
import type { StateResource } from "../report/state-values";
import { fieldChanges } from "./field-changes";
import type { Finding } from "./finding";
import type { Plan, ResourceChange } from "./plan";
import { configuredSettings, platformSettings, type PlatformSettings } from "./platform-settings";
import type { RemovedBlocks } from "./removed-blocks";
import { judge, type DestroyHook, type InstanceChange, type Judgement } from "./verdict";

/** A plan with what belongs to it. */
export interface PlannedStack {
  readonly name: string;
  readonly plan: Plan;
  /** What the code says about blocks that left it; undefined where the synthesized stack was not given. */
  readonly removedBlocks?: RemovedBlocks;
}

/** The object that a change is about; undefined for a change of any other resource. */
function carriedObject(change: ResourceChange): InstanceId | undefined {
  const id = instanceId(change);
  if (!id) return undefined;
  const triggers = readTriggers(triggersOf(change.type, change.change.before ?? change.change.after));
  // Somebody else's resource may be named like one of our blocks; what ours hold begins with the name.
  return triggers?.name === undefined || triggers.name === id.name ? id : undefined;
}

/** What a plan does to every provider and cluster in it, one finding for each. */
export class PlannedObjects {
  /** Changes of what carries no provider or cluster. */
  readonly otherChanges: readonly ResourceChange[];
  readonly #stack: PlannedStack;
  readonly #changes: readonly InstanceChange[];
  readonly #mask: (text: string) => string;
  readonly #settings: ReadonlyMap<string, PlatformSettings>;
  readonly #tainted: ReadonlySet<string>;
  /** Clusters of the state that an apply leaves, or may leave, where they are, by `type provider`. */
  readonly #users = new Map<string, string[]>();

  constructor(stack: PlannedStack, mask: (text: string) => string) {
    this.#stack = stack;
    this.#mask = mask;
    const read = stack.plan.changes.map((change) => ({ id: carriedObject(change), change }));
    this.#changes = read.filter((entry): entry is InstanceChange => entry.id !== undefined);
    this.otherChanges = read.filter(({ id }) => id === undefined).map(({ change }) => change);
    this.#settings = platformSettings(stack.plan);
    this.#tainted = new Set(stack.plan.state.filter(({ tainted, deposed }) => tainted && !deposed).map(({ address }) => address));
  }

  /** What the Platform of an object says about its objects; undefined where the plan does not show it. */
  #settingsOf({ platform, block }: InstanceId): PlatformSettings | undefined {
    const { plan, removedBlocks } = this.#stack;
    const retired = plan.configuration.find(platform.module, block) ? undefined : removedBlocks?.get(block)?.settings;
    if (retired) return { ...retired, adopt: [] };
    return this.#settings.get(platformKey(platform)) ?? configuredSettings(plan, platform);
  }

  /** Keys of the Platforms that the plan shows. */
  get platforms(): ReadonlySet<string> {
    return new Set([...this.#settings.keys(), ...this.#changes.map(({ id }) => platformKey(id.platform))]);
  }

  findings(): Finding[] {
    const clusters = grouped(this.#changes.filter(({ id }) => id.kind === "clusters"));
    const providers = grouped(this.#changes.filter(({ id }) => id.kind === "providers"));
    const clusterFindings = clusters.flatMap((group) => this.#findingsOf(group));
    // Clusters go before the providers that they are on, so what becomes of them decides whether a provider is free.
    this.#noteUsers(clusters, clusterFindings);
    return [...providers.flatMap((group) => this.#findingsOf(group)), ...clusterFindings];
  }

  /** All changes of one object: more than one where it goes from one address to another, or has deposed copies. */
  #findingsOf(group: readonly InstanceChange[]): Finding[] {
    const judged = group.map((entry) => ({ ...entry, ...this.#judge(entry) }));
    const deposed = judged.filter(({ change }) => change.deposed !== undefined);
    const current = judged.filter((entry) => !deposed.includes(entry));
    const leaving = current.find(({ change }) => ["delete", "forget"].includes(change.change.actions.join()));
    const coming = current.find(({ change }) => change.change.actions.join() === "create");
    if (current.length === 2 && leaving && coming) {
      return [this.#finding(leaving, coming, withDeposed(moving(leaving, coming), deposed.length))];
    }
    if (current.length === 0) return deposed.slice(0, 1).map((entry) => this.#finding(entry, entry, entry));
    return current.map((entry, index) => this.#finding(entry, entry, index === 0 ? withDeposed(entry, deposed.length) : entry));
  }

  #judge(entry: InstanceChange): Judgement {
    const { id, change } = entry;
    const { configuration } = this.#stack.plan;
    const census = `terraform_data.${id.platform.prefix}census`;
    const judgement = judge(entry, {
      settings: this.#settingsOf(id),
      tainted: this.#tainted.has(change.address) || change.action_reason === "replace_because_tainted",
      destroyHook: this.#destroyHook(entry),
      census:
        !configuration.present ||
        configuration.find(id.platform.module, census) !== undefined ||
        this.#stack.removedBlocks?.get(census)?.hook === true,
      users: id.kind === "providers" ? (this.#users.get(`${id.type} ${id.name}`) ?? []) : [],
    });
    const from = change.previous_address;
    if (judgement.verdict === "MOVED" || from === undefined || from === change.address) return judgement;
    return { ...judgement, reasons: [...judgement.reasons, { code: "MOVED_FROM", address: from }] };
  }

  #destroyHook({ id, change }: InstanceChange): DestroyHook {
    const { configuration } = this.#stack.plan;
    const block = configuration.find(id.platform.module, id.block);
    if (block) {
      if (block.provisioners.length === 0) return "none";
      return block.provisioners.includes("refuse") ? "refuses" : "runs";
    }
    if (this.#stack.removedBlocks?.get(id.block)?.hook) return "runs, although its block left";
    return configuration.present || BLOCK_IS_GONE.has(change.action_reason ?? "") ? "block is gone" : "runs";
  }

  #noteUsers(groups: readonly InstanceChange[][], findings: readonly Finding[]): void {
    const gone = new Set(
      findings.filter(({ verdict }) => verdict === "DESTROY" || verdict === "RE-CREATE").map(({ object }) => object),
    );
    const planned = groups
      .flat()
      .map(({ id, change }) => ({ id, address: change.address, type: change.type, values: change.change.before }));
    const seen = new Set(planned.map(({ address }) => address));
    const rest = this.#stack.plan.state.filter((resource) => !resource.deposed && !seen.has(resource.address)).flatMap(ofState);
    for (const { id, address, type, values } of [...planned, ...rest]) {
      // A tainted cluster may not exist: its creation failed or was broken off.
      if (gone.has(this.#mask(id.id)) || this.#tainted.has(address)) continue;
      const provider = readTriggers(triggersOf(type, values))?.provider;
      if (provider === undefined) continue;
      const key = `${id.type} ${provider}`;
      if (!this.#users.has(key)) this.#users.set(key, []);
      this.#users.get(key)!.push(this.#mask(id.name));
    }
  }

  #providerOf({ type, change }: ResourceChange): string | undefined {
    const provider = readTriggers(triggersOf(type, change.after ?? change.before))?.provider;
    return provider === undefined ? undefined : this.#mask(provider);
  }

  #finding(from: InstanceChange, to: InstanceChange, { verdict, risk, reasons }: Judgement): Finding {
    const { id, change } = verdict === "ADOPT" ? to : from;
    const declared = to.change.change.after !== null && to.change.change.after !== undefined;
    const settings = this.#settingsOf(to.id);
    return {
      stack: this.#stack.name,
      verdict,
      risk,
      kind: id.kind === "clusters" ? "cluster" : "provider",
      type: id.type,
      name: this.#mask(id.name),
      object: this.#mask(id.id),
      platform: platformName(id.platform),
      provider: this.#providerOf(to.change) ?? this.#providerOf(from.change) ?? null,
      address: this.#mask(change.address),
      declared,
      protected: settings ? isProtected({ ...settings, allowDeletion: [] }, id.id) : null,
      reasons,
      changes: declared && verdict !== "UNCHANGED" && verdict !== "MOVED" ? fieldChanges(from.change, to.change, this.#mask) : [],
    };
  }
}

const BLOCK_IS_GONE = new Set(["delete_because_no_resource_config", "delete_because_no_module", "delete_because_no_move_target"]);

/** An object that leaves one address and is declared at another: another carrier, Platform or stack module. */
function moving(leaving: InstanceChange & Judgement, coming: InstanceChange & Judgement): Judgement {
  const reasons = [...leaving.reasons, { code: "CREATED_AT" as const, address: coming.change.address }];
  switch (leaving.verdict) {
    case "ORPHAN":
    case "RETAIN":
      if (coming.verdict === "ADOPT") return { verdict: "ADOPT", risk: "medium", reasons: [...reasons, { code: "ADOPTS" }] };
      return {
        ...leaving,
        risk: leaving.verdict === "ORPHAN" ? leaving.risk : "high",
        reasons: [...reasons, { code: "NAME_TAKEN" }],
      };
    case "DESTROY":
      return { verdict: "RE-CREATE", risk: "critical", reasons };
    default:
      return { ...leaving, reasons };
  }
}

/** A deposed copy leaves the state without a hook, and it may be the one that stands for the live object. */
function withDeposed({ verdict, risk, reasons }: Judgement, deposed: number): Judgement {
  if (deposed === 0) return { verdict, risk, reasons };
  const all = [{ code: "DEPOSED" as const }, ...reasons];
  return verdict === "ADOPT" ? { verdict, risk, reasons: all } : { verdict: "ORPHAN", risk: "critical", reasons: all };
}

function ofState(resource: StateResource) {
  const id = instanceId(resource);
  return id?.kind === "clusters"
    ? [{ id, address: resource.address, type: resource.type, values: resource.values as unknown }]
    : [];
}

function grouped(changes: readonly InstanceChange[]): InstanceChange[][] {
  const groups = new Map<string, InstanceChange[]>();
  for (const entry of changes) {
    const group = groups.get(entry.id.id);
    if (group) group.push(entry);
    else groups.set(entry.id.id, [entry]);
  }
  return [...groups.values()];
}
