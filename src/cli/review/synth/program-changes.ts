import { isDeepStrictEqual } from "node:util";
import {
  HOOK_RESOURCE_TYPES,
  instanceAddress,
  parseBlockId,
  parsePluginResourceType,
  triggersAttribute,
} from "../../../contract/addresses";
import { isPlainObject } from "../../../model/prop-path";
import type { JsonObject } from "../../../model/provider-type";
import { schemaOf } from "../../../declarations/terraform/declaration-schema";
import { objectTypeOf } from "../../../declarations/types";
import { unflatten } from "../../../declarations/unflatten";
import { isWhollyKnown, Expression, Unknown, type ObjectValue, type Value } from "../../../terraform/value";
import { objectsIn, textsIn } from "../../report/json-values";
import { COMPUTED, isLiteral, OF_OBJECTS, own, type Instance, type Program, type ResourceBlock } from "./program";
import { referencesIn, type Reference } from "../plan/references";

/** Whether a value differs in the two programs. `may` if only Terraform can tell. */
type Difference = "same" | "may" | "differs";

/** A planned change of an instance. The values still have their expressions. */
export interface ProgramChange {
  readonly address: string;
  /** The earlier address of a moved instance. */
  readonly from?: string;
  readonly block: ResourceBlock;
  readonly key?: string;
  readonly actions: readonly string[];
  readonly reason?: string;
  readonly importing?: boolean;
  readonly before: Readonly<JsonObject> | null;
  readonly after: Readonly<JsonObject> | null;
  /** Fields of an object that may change, because only Terraform can evaluate them. */
  readonly open: readonly string[];
  /** Whether the expressions of the open fields differ. */
  readonly isOtherExpression: boolean;
  /** Whether any value may change, because only Terraform can evaluate it. */
  readonly mayChange: boolean;
}

/** What Terraform plans if the first program is applied, and nobody has changed anything since. */
export class ProgramChanges {
  /** The instances of the first program, by their addresses after the moves of the second one. */
  readonly #state: ReadonlyMap<string, Instance>;
  readonly #changes = new Map<string, ProgramChange | undefined>();
  /** Addresses by block, in either program. An instance that has moved has changed its old block. */
  readonly #addresses: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #ofExpressions = new Map<string, Difference>();
  readonly #imported: ReadonlySet<string>;
  readonly #forgotten: ReadonlySet<string>;
  #createdFirst: ReadonlySet<string> | undefined;

  constructor(
    private readonly base: Program,
    private readonly head: Program,
  ) {
    this.#state = moved(base.instances, head.json.moved);
    this.#addresses = byBlock([...base.instances.keys(), ...head.instances.keys()]);
    this.#imported = new Set(objectsIn(head.json.import).map(({ to }) => String(to)));
    const forgotten = objectsIn(head.json.removed).filter(({ lifecycle }) =>
      objectsIn(lifecycle).some(({ destroy }) => destroy === false),
    );
    this.#forgotten = new Set(forgotten.map(({ from }) => String(from)));
  }

  all(): ProgramChange[] {
    const coming = [...this.head.instances.keys()].map((address) => this.#changeAt(address)!);
    const leaving = [...this.#state].filter(([address]) => !this.head.instances.has(address));
    return [...coming, ...leaving.map(([address, instance]) => this.#removal(address, instance))].sort((one, other) =>
      one.address < other.address ? -1 : 1,
    );
  }

  /** The number of output values that change or may change. */
  outputs(): number {
    const [one, other] = [this.base, this.head].map(({ json }) => (isPlainObject(json.output) ? json.output : {}));
    return keysOf(one, other).filter((name) => {
      const [before, after] = [own(one, name), own(other, name)];
      return this.difference(this.base.resolved(valueOf(before)), this.head.resolved(valueOf(after))) === "differs";
    }).length;
  }

  #removal(address: string, { block, values, address: origin }: Instance): ProgramChange {
    const at = blockAt(address);
    const isForgotten = this.#forgotten.has(at) || this.#forgotten.has(address);
    return {
      address,
      ...(origin !== address && { from: origin }),
      block: this.head.blocks.get(at) ?? blockNamed(at, block),
      ...keyAt(address),
      actions: [isForgotten ? "forget" : "delete"],
      reason: this.head.blocks.has(at) ? "delete_because_each_key" : "delete_because_no_resource_config",
      before: values,
      after: null,
      ...NOTHING_OPEN,
    };
  }

  /** Undefined while it is computed, for a program whose resources refer to each other in a circle. */
  #changeAt(address: string): ProgramChange | undefined {
    if (!this.#changes.has(address)) {
      this.#changes.set(address, undefined);
      this.#changes.set(address, this.#change(this.head.instances.get(address)!));
    }
    return this.#changes.get(address);
  }

  #change({ address, block, key, values }: Instance): ProgramChange {
    const stored = this.#state.get(address);
    const place = { address, block, ...(key !== undefined && { key }), ...NOTHING_OPEN };
    if (!stored) {
      const importing = this.#imported.has(address);
      if (importing) return { ...place, actions: ["no-op"], importing, before: values, after: values };
      return { ...place, actions: ["create"], before: null, after: values };
    }
    const from = stored.address === address ? {} : { from: stored.address };
    const prior = priorOf(stored, block.type);
    const kept = this.#withIgnored(block, prior, values);
    const compared = this.#compared(stored, block, prior, kept);
    const trigger = compared.isReplaced ? "same" : this.#triggered(block);
    const { open, isOtherExpression, mayChange } = compared;
    const change = { ...place, ...from, before: prior, after: kept, open, isOtherExpression, mayChange };
    if (compared.isReplaced || trigger === "differs") {
      const actions = this.#isCreatedFirst(block.address) ? ["create", "delete"] : ["delete", "create"];
      const reason = compared.isReplaced ? "replace_because_cannot_update" : "replace_by_triggers";
      return { ...change, actions, reason };
    }
    const actions = compared.isUpdated ? ["update"] : ["no-op"];
    const stays = { ...change, after: { ...kept, ...keptPath(prior, kept) }, actions };
    if (trigger !== "may") return stays;
    return { ...stays, mayChange: true, ...(isCarrying(block) && { open: ["*"] }) };
  }

  #compared(stored: Instance, block: ResourceBlock, prior: Readonly<JsonObject>, values: Readonly<JsonObject>) {
    if (parsePluginResourceType(block.type)) return this.#comparedObjects(stored, block, prior, values);
    const differences = new Map(
      keysOf(prior, values).map((name) => [name, this.difference(own(prior, name), own(values, name))] as const),
    );
    const replacing = own(TRIGGERS, block.type);
    const [isReplaced, isOpen] = [differences.get(replacing ?? "") === "differs", differences.get(replacing ?? "") === "may"];
    const rest = [...differences].filter(([name]) => name !== replacing);
    const result = {
      ...NOTHING_OPEN,
      isReplaced,
      isUpdated: rest.some(([, difference]) => difference === "differs"),
      mayChange: isOpen || rest.some(([, difference]) => difference === "may"),
    };
    return isOpen && isCarrying(block) ? { ...result, ...this.#openTriggers(prior[replacing!], values[replacing!]) } : result;
  }

  #openTriggers(one: unknown, other: unknown): Pick<ProgramChange, "open" | "isOtherExpression"> {
    if (!isPlainObject(one) || !isPlainObject(other) || one instanceof Unknown || other instanceof Unknown) {
      return { open: ["*"], isOtherExpression: !isOneExpression(one, other) };
    }
    const open = keysOf(one, other).filter((key) => this.difference(own(one, key), own(other, key)) === "may");
    return { open, isOtherExpression: open.some((key) => !isOneExpression(own(one, key), own(other, key))) };
  }

  /** As the provider does. */
  #comparedObjects(stored: Instance, block: ResourceBlock, prior: Readonly<JsonObject>, values: Readonly<JsonObject>) {
    const { type, kind } = parsePluginResourceType(block.type)!;
    const schema = schemaOf(objectTypeOf(type, kind));
    const [one, other] = [prior, values] as [ObjectValue, ObjectValue];
    const ofHooks = triggersOf(stored);
    const [before, after] = [ofHooks ?? schema.fieldsOf(one), schema.fieldsOf(other)];
    const found = keysOf(before, after).map((field) => {
      const [was, is] = [own(before, field), own(after, field)];
      if (!(was instanceof Unknown) && !(is instanceof Unknown)) {
        return { field, difference: was === is ? "same" : "differs", isOther: false } as const;
      }
      if (ofHooks) return { field, difference: "may", isOther: true } as const;
      const name = String(schema.pathOf(field)[0] ?? "");
      return { field, difference: this.difference(one[name], other[name]), isOther: !isOneExpression(one[name], other[name]) };
    });
    const open = found.filter(({ difference }) => difference === "may");
    const rest = { ...values, ...keptPath(prior, values) } as ObjectValue;
    const isKept = [...Object.keys(schema.attributes), ...OF_OBJECTS, "service"].every((name) => {
      const [was, is] = [one[name] ?? null, rest[name] ?? null];
      if (!isWhollyKnown(was) || !isWhollyKnown(is)) return this.difference(was, is) !== "differs";
      return isDeepStrictEqual(sorted(was), sorted(is));
    });
    return {
      isReplaced: found.some(({ difference }) => difference === "differs"),
      isUpdated: !isKept || !parsePluginResourceType(stored.block.type),
      open: open.map(({ field }) => field),
      isOtherExpression: open.some(({ isOther }) => isOther),
      mayChange: open.length > 0,
    };
  }

  /** Compares two values, the first one of the first program. */
  difference(one: unknown, other: unknown): Difference {
    if (one === other && isLiteral(one)) return "same";
    if (one instanceof Expression && other instanceof Expression && one.template === other.template) {
      return this.#ofExpression(other.template);
    }
    // Then Terraform plans a value that is known after the apply.
    if (other instanceof Expression && this.#ofExpression(other.template) === "differs") return "differs";
    if (one instanceof Unknown || other instanceof Unknown) return one === other ? "same" : "may";
    if (Array.isArray(one) && Array.isArray(other)) {
      if (one.length !== other.length) return "differs";
      return worst(one.map((item, index) => this.difference(item, other[index])));
    }
    if (isPlainObject(one) && isPlainObject(other)) {
      return worst(keysOf(one, other).map((key) => this.difference(own(one, key), own(other, key))));
    }
    return (one ?? null) === (other ?? null) ? "same" : "differs";
  }

  /** Of an expression that both programs have. Expressions that refer to each other in a circle are errors in Terraform. */
  #ofExpression(template: string): Difference {
    if (IMPURE.test(template)) return "may";
    return this.#once(template, () => worst(referencesIn(template).map((reference) => this.#ofReference(reference))));
  }

  #ofReference({ block, key, attribute }: Reference): Difference {
    const [first = "", name = ""] = block.split(".");
    if (first === "local") return this.#ofLocal(name);
    if (UNKNOWN_KINDS.has(first)) return "may";
    if (!this.head.blocks.has(block)) return "same";
    if (key !== undefined) return this.#ofInstance(instanceAddress(block, key), attribute);
    if (this.head.instances.has(block)) return this.#ofInstance(block, attribute);
    return this.#once(`${block}[*]`, () => worst(this.#in(block).map((address) => this.#ofInstance(address, undefined))));
  }

  #ofLocal(name: string): Difference {
    return this.#once(`local.${name}`, () => this.difference(this.base.local(name), this.head.local(name)));
  }

  /** Computes what an expression is about once. */
  #once(key: string, compute: () => Difference): Difference {
    if (!this.#ofExpressions.has(key)) {
      this.#ofExpressions.set(key, "may");
      this.#ofExpressions.set(key, compute());
    }
    return this.#ofExpressions.get(key)!;
  }

  #in(block: string): string[] {
    return [...(this.#addresses.get(block) ?? [])];
  }

  #ofInstance(address: string, attribute: string | undefined): Difference {
    if (!this.head.instances.has(address)) return "differs";
    const change = this.#changeAt(address);
    if (!change) return "may";
    const { actions, before, after, mayChange } = change;
    if (actions.join() === "no-op") return mayChange ? "may" : "same";
    const value = attribute === undefined ? undefined : own(after!, attribute);
    if (value !== undefined && value !== COMPUTED && before) return this.difference(own(before, attribute!), value);
    if (actions.join() !== "update") return "differs";
    return attribute !== undefined && value === COMPUTED && attribute !== "output" ? "same" : "may";
  }

  #triggered({ body }: ResourceBlock): Difference {
    const [lifecycle = {}] = objectsIn(body.lifecycle);
    const references = textsIn(lifecycle.replace_triggered_by).flatMap(referencesIn);
    return worst(references.map((each) => (each.attribute === undefined ? this.#ofResource(each) : this.#ofReference(each))));
  }

  /** A creation or a removal triggers no replacement. */
  #ofResource({ block, key }: Reference): Difference {
    const ofInstance = (address: string): Difference => {
      const change = this.#changeAt(address);
      if (!change) return "may";
      if (change.actions.length > 1 || change.actions[0] === "update") return "differs";
      return change.mayChange ? "may" : "same";
    };
    const addresses = key === undefined ? this.#in(block) : [instanceAddress(block, key)];
    return worst(addresses.filter((address) => this.head.instances.has(address)).map(ofInstance));
  }

  /** Whatever such a block depends on is created first, too. */
  #isCreatedFirst(address: string): boolean {
    this.#createdFirst ??= this.head.dependenciesOf(
      [...this.head.blocks.values()]
        .filter(({ body }) => objectsIn(body.lifecycle).some((lifecycle) => lifecycle.create_before_destroy === true))
        .map((block) => block.address),
    );
    return this.#createdFirst.has(address);
  }

  /** `ignore_changes` of a part of an attribute is not obeyed, so that the change is shown. */
  #withIgnored({ body }: ResourceBlock, prior: Readonly<JsonObject>, values: Readonly<JsonObject>): Readonly<JsonObject> {
    const [lifecycle = {}] = objectsIn(body.lifecycle);
    const { ignore_changes: ignored } = lifecycle;
    const isAll = ignored === "all" || (Array.isArray(ignored) && ignored.join() === "all");
    const names = isAll ? Object.keys(values).filter((name) => values[name] !== COMPUTED) : textsIn(ignored);
    const kept = names.filter((name) => name in values).map((name) => [name, own(prior, name) ?? null] as const);
    return kept.length === 0 ? values : { ...values, ...Object.fromEntries(kept) };
  }
}

const NOTHING_OPEN = { open: [] as readonly string[], isOtherExpression: false, mayChange: false };
const TRIGGERS: Readonly<Record<string, string>> = Object.fromEntries(
  HOOK_RESOURCE_TYPES.map((type) => [type, triggersAttribute(type)]),
);
const UNKNOWN_KINDS: ReadonlySet<string> = new Set(["var", "data", "module", "ephemeral"]);
/** Functions whose results differ from run to run, or that read files. */
const IMPURE = /\b(?:timestamp|plantimestamp|uuid|bcrypt|file\w*|templatefile|pathexpand|provider::\w+::\w+)\(/;

const RANKS: readonly Difference[] = ["same", "may", "differs"];

function worst(all: readonly Difference[]): Difference {
  return RANKS[all.reduce((rank, each) => Math.max(rank, RANKS.indexOf(each)), 0)]!;
}

/** Whether it is a block of a Platform with hooks, whose instances are objects. */
function isCarrying({ type, name }: ResourceBlock): boolean {
  return parsePluginResourceType(type) !== undefined || (HOOK_RESOURCE_TYPES.includes(type) && parseBlockId(name) !== undefined);
}

function isOneExpression(one: unknown, other: unknown): boolean {
  if (one instanceof Expression && other instanceof Expression) return one.template === other.template;
  if (!isPlainObject(one) || !isPlainObject(other)) return one === other;
  return keysOf(one, other).every((key) => isOneExpression(own(one, key), own(other, key)));
}

/** The values of an instance in the state, as its new type has them. */
function priorOf({ block, values }: Instance, type: string): Readonly<JsonObject> {
  if (block.type === type || !HOOK_RESOURCE_TYPES.includes(block.type)) return values;
  const triggers = values[triggersAttribute(block.type)];
  if (type === "terraform_data") return { id: values.id, input: null, output: null, triggers_replace: triggers };
  const declared = parsePluginResourceType(type);
  if (!declared || !isPlainObject(triggers)) return values;
  const objectType = objectTypeOf(declared.type, declared.kind);
  const isKnown = Object.values(triggers).every((value) => typeof value === "string");
  const { name = null, provider } = triggers;
  const declaration = isKnown ? unflatten(objectType, triggers as Record<string, string>) : undefined;
  return schemaOf(objectType).valueOf(declaration ?? { name, ...(declared.kind === "clusters" && { provider }) });
}

/** The flat declaration of an instance with hooks. Undefined for another instance. */
function triggersOf({ block, values }: Instance): Readonly<Record<string, string | Unknown>> | undefined {
  const triggers = HOOK_RESOURCE_TYPES.includes(block.type) ? values[triggersAttribute(block.type)] : undefined;
  return isPlainObject(triggers) && !(triggers instanceof Unknown) ? (triggers as Record<string, string | Unknown>) : undefined;
}

/** As the provider does: moving a construct in the tree changes nothing. */
function keptPath(prior: Readonly<JsonObject>, values: Readonly<JsonObject>): JsonObject {
  const isKept = (prior.declared_at ?? null) !== null && (values.declared_at ?? null) !== null;
  return isKept ? { declared_at: prior.declared_at } : {};
}

/** The order of a set has no meaning. */
function sorted(value: Value): unknown {
  if (Array.isArray(value)) return value.map(sorted).sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sorted(item as Value)]));
}

/** A move does nothing if its target is there already. The moves of an instance through several addresses are in any order. */
function moved(instances: ReadonlyMap<string, Instance>, blocks: unknown): ReadonlyMap<string, Instance> {
  const moves = objectsIn(blocks).map(({ from, to }) => ({ from: String(from), to: String(to) }));
  const state = new Map(instances);
  const inBlocks = byBlock(state.keys());
  for (let pass = 0, isMoving = moves.length > 0; isMoving && pass < MOST_PASSES; pass++) {
    isMoving = false;
    for (const { from, to } of moves) {
      const isWhole = !from.includes("[");
      for (const address of isWhole ? [...(inBlocks.get(from) ?? [])] : [from]) {
        const target = isWhole ? to + address.slice(from.length) : to;
        const instance = state.get(address);
        if (!instance || state.has(target)) continue;
        state.delete(address);
        state.set(target, instance);
        inBlocks.get(blockAt(address))!.delete(address);
        add(inBlocks, target);
        isMoving = true;
      }
    }
  }
  return state;
}

function byBlock(addresses: Iterable<string>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const address of addresses) add(found, address);
  return found;
}

function add(found: Map<string, Set<string>>, address: string): void {
  const block = blockAt(address);
  if (!found.has(block)) found.set(block, new Set());
  found.get(block)!.add(address);
}

const MOST_PASSES = 10;

function blockAt(address: string): string {
  const at = address.indexOf("[");
  return at === -1 ? address : address.slice(0, at);
}

function keyAt(address: string): { key?: string } {
  const [, key] = /\["((?:[^"\\]|\\.)*)"\]$/.exec(address) ?? [];
  return key === undefined ? {} : { key };
}

/** An instance may leave at an address whose block no program has. */
function blockNamed(address: string, block: ResourceBlock): ResourceBlock {
  const at = address.indexOf(".");
  return block.address === address ? block : { address, type: address.slice(0, at), name: address.slice(at + 1), body: {} };
}

function valueOf(output: unknown): unknown {
  return isPlainObject(output) ? output.value : undefined;
}

function keysOf(one: object | undefined, other: object | undefined): string[] {
  return [...new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})])];
}
