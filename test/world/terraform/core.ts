import { isWhollyKnown, Unknown, type ObjectValue, type Value } from "../../../src/terraform/value";
import type { Attributes, AttributePath } from "../../../src/terraform/attributes";
import type { Kernel, Process } from "../kernel";
import { BuiltIn } from "./built-in";
import type { Block, Configuration } from "./configuration";
import { Expressions, type Place } from "./expressions";
import { completionProblems, planProblems, proposedNew } from "./objchange";
import { Plugin, PROVIDER_ATTRIBUTES } from "./plugin";
import type { Answer, ApplyRequest, Provider, Shown } from "./provider";
import { addressIn, typeOfBlock, type Instance } from "./state";
import { isEqual } from "./values";
import { Failed, nodeOf, Slots, type Node } from "./walk";

/** What a walk needs of its run of Terraform. */
export interface Context {
  readonly kernel: Kernel;
  readonly process: Process;
  readonly configuration: Configuration;
  readonly workspace: string;
  readonly isOpenTofu: boolean;
  startPlugin(): Plugin;
  /** Whether no new operation may begin. */
  isHalted(): boolean;
  report(where: string, diagnostics: readonly Shown[]): void;
}

export type Action = "create" | "update" | "replace" | "delete" | "forget";

export interface Change {
  readonly action: Action | "no-op";
  readonly address: string;
  /** Address of the block. */
  readonly block: string;
  readonly provider: string;
  /** Undefined if the code does not have the instance. */
  readonly place?: Place;
  /** The object before the change. */
  readonly prior?: Instance;
  readonly before: ObjectValue | null;
  readonly after: ObjectValue | null;
  /** The evaluated block. */
  readonly config?: ObjectValue;
  readonly private?: string;
}

const PARALLELISM = 10;

/** Whether the provider is a process of its own. */
export function isPlugin(provider: string): boolean {
  return provider.split(".")[0] === "clusterplatform";
}

/** What every walk of Terraform's core does with an instance. After `internal/terraform/node_resource_abstract_instance.go`. */
export class Core {
  readonly slots = new Slots(PARALLELISM);
  readonly expressions: Expressions;
  readonly #plugins = new Map<string, Plugin>();
  readonly #builtIn: BuiltIn;

  constructor(readonly context: Context) {
    this.expressions = new Expressions(context.configuration, context.workspace);
    this.#builtIn = new BuiltIn(context.kernel);
  }

  // Providers.

  /**
   * A node for each provider block that these blocks or objects use. Terraform begins no walk if one is missing.
   * @throws Failed
   */
  providerNodes(used: Iterable<{ readonly provider: string }>): ReadonlyMap<string, Node> {
    const { providers } = this.context.configuration;
    const addresses = new Set([...used].map(({ provider }) => provider).filter(isPlugin));
    // A default provider needs no block.
    const missing = [...addresses].filter((address) => address.includes(".") && !providers.has(address));
    if (missing.length > 0) this.fail(missing.join(), "Provider configuration not present", "TERRAFORM");
    return new Map(
      [...addresses].map((address) => [address, nodeOf(`provider ${address}`, () => this.#configure(address))] as const),
    );
  }

  async #configure(address: string): Promise<void> {
    const given = this.context.configuration.providers.get(address) ?? {};
    const config = this.expressions.evaluated(given, PROVIDER_ATTRIBUTES);
    const plugin = this.start(address);
    await this.ask(address, plugin.validateProvider(config));
    await this.ask(address, plugin.configure(config));
  }

  start(address: string): Plugin {
    const plugin = this.context.startPlugin();
    this.#plugins.set(address, plugin);
    return plugin;
  }

  get plugins(): Iterable<Plugin> {
    return this.#plugins.values();
  }

  providerOf({ provider }: { readonly provider: string }): Provider {
    return this.#plugins.get(provider) ?? this.#builtIn;
  }

  // Answers.

  /** @throws Failed */
  async ask<Result>(where: string, answer: Promise<Answer<Result>>): Promise<Result> {
    const { result, diagnostics } = await answer;
    this.context.report(where, diagnostics);
    if (diagnostics.some(({ severity }) => severity === "error")) throw new Failed();
    return result as Result;
  }

  fail(where: string, summary: string, code: string): never {
    this.context.report(where, [{ severity: "error", summary: `[${code}] ${summary}` }]);
    throw new Failed();
  }

  /** Terraform was told to stop. */
  halt(where: string): void {
    if (this.context.isHalted()) this.fail(where, "execution halted", "HALTED");
  }

  // Instances.

  async upgraded(instance: Instance): Promise<Instance> {
    const { block, schemaVersion, attributes: before } = instance;
    const answer = this.providerOf(instance).upgrade(typeOfBlock(block), schemaVersion, before);
    const attributes = await this.ask(addressIn(instance), answer);
    return isEqual(attributes, before) ? instance : { ...instance, attributes };
  }

  /** Undefined if the object is gone. */
  async refreshed(instance: Instance): Promise<Instance | undefined> {
    const where = addressIn(instance);
    this.halt(where);
    const answer = this.providerOf(instance).read(typeOfBlock(instance.block), {
      state: instance.attributes,
      private: instance.private,
    });
    const { state, private: kept } = await this.ask(where, answer);
    if (state !== null && !isWhollyKnown(state)) this.fail(where, "Provider produced invalid object", "INVALID_ANSWER");
    this.halt(where);
    if (state === null) return undefined;
    const isUnchanged = kept === instance.private && isEqual(state, instance.attributes);
    return isUnchanged ? instance : { ...instance, attributes: state, private: kept };
  }

  async plannedRemoval(instance: Instance): Promise<Change> {
    const { block, provider, attributes: before, private: kept } = instance;
    const address = addressIn(instance);
    const request = { prior: before, proposed: null, config: null, private: kept };
    const { planned, private: after } = await this.ask(address, this.providerOf(instance).plan(typeOfBlock(block), request));
    if (planned !== null) this.fail(address, "Provider produced invalid plan: a non-null destroy value", "INVALID_ANSWER");
    return { action: "delete", address, block, provider, prior: instance, before, after: null, private: after };
  }

  /**
   * @param isForced by -replace
   * @param earlier the change that the plan has for this instance
   */
  async planned(place: Place, current: Instance | undefined, isForced: boolean, earlier?: Change): Promise<Change> {
    const { address, block } = place;
    const { type } = block;
    const provider = this.providerOf(block);
    const attributes = provider.attributesOf(type);
    const written = this.expressions.evaluated(block.arguments, attributes, place);
    await this.ask(address, provider.validate(type, written));
    this.halt(address);
    // A tainted object is planned as a new one.
    const stored = current?.isTainted ? undefined : current;
    const prior = stored?.attributes ?? null;
    const config = withIgnored(block, attributes, prior, written);
    const request = { prior, proposed: proposedNew(attributes, prior, config), config, private: stored?.private };
    let answer = await this.ask(address, provider.plan(type, request));
    const planned = answer.planned ?? this.fail(address, "Provider produced invalid plan: planned for absence", "INVALID_ANSWER");
    const problems = planProblems(attributes, prior, config, planned);
    if (problems.length > 0) this.fail(address, `Provider produced invalid plan: ${problems.join("; ")}`, "INVALID_ANSWER");

    const isReplaced = (path: AttributePath) => isReplacing(attributes, path, prior!, planned);
    let action: Change["action"];
    if (prior === null) action = current ? "replace" : "create";
    else if (isForced || answer.requiresReplace.some(isReplaced)) action = "replace";
    else action = isEqual(planned, prior) && isWhollyKnown(planned) ? "no-op" : "update";
    if (action === "replace" && prior !== null) {
      const proposed = proposedNew(attributes, null, written);
      const anew = await provider.plan(type, { prior: null, proposed, config: written, private: answer.private });
      answer = await this.ask(address, Promise.resolve(withoutWarnings(anew)));
    }
    let before = current?.attributes ?? null;
    if (earlier?.action === "replace" && action === "create") ({ action, before } = earlier);
    this.halt(address);
    return {
      action,
      address,
      block: block.address,
      provider: block.provider,
      place,
      prior: current,
      before,
      after: answer.planned,
      config: written,
      private: answer.private,
    };
  }

  /** The plan that the apply makes when it knows more must be a completion of the first one. */
  check(planned: Change, actual: Change): void {
    const { address, block } = planned;
    const attributes = this.providerOf(planned).attributesOf(typeOfBlock(block));
    const problems =
      planned.action === actual.action || (planned.action === "update" && actual.action === "no-op")
        ? completionProblems(attributes, planned.after!, actual.after!)
        : [`the action changed from ${planned.action} to ${actual.action}`];
    if (problems.length > 0) {
      this.fail(address, `Provider produced inconsistent final plan: ${problems.join("; ")}`, "INCONSISTENT_PLAN");
    }
  }

  /**
   * The object after an apply, undefined if there is none. Errors are reported.
   * @param current the object in the state
   */
  async applied(
    { address, block, provider: of }: Pick<Change, "address" | "block" | "provider">,
    request: ApplyRequest,
    current: Instance | undefined,
  ): Promise<{ readonly ok: boolean; readonly object?: Pick<Instance, "attributes" | "private" | "isTainted"> }> {
    const { prior, planned } = request;
    const type = typeOfBlock(block);
    const provider = this.providerOf({ provider: of });
    const { result, diagnostics } = await provider.apply(type, request);
    const errors: Shown[] = [...diagnostics];
    const isFailed = () => errors.some(({ severity }) => severity === "error");
    const problem = (summary: string, problems: readonly string[] = []) =>
      errors.push({ severity: "error", summary: `[INVALID_ANSWER] ${[summary, ...problems].join(": ")}` });
    // Terraform keeps the object before if there is no answer, but not its private data.
    let state = result ? result.state : planned && prior;
    if (state !== null && !isWhollyKnown(state)) {
      problem("Provider returned invalid result object after apply: unknown values");
      state = unknownAsNull(state) as ObjectValue;
    }
    if (planned !== null && state !== null && !isFailed()) {
      const problems = completionProblems(provider.attributesOf(type), planned, state);
      if (problems.length > 0) problem("Provider produced inconsistent result after apply", problems);
    }
    if (!isFailed() && (planned === null) !== (state === null)) problem("Provider returned invalid result object after apply");
    this.context.report(address, errors);
    const ok = !isFailed();
    if (!ok && state === null) return { ok, object: current };
    if (state === null) return { ok };
    return { ok, object: { attributes: state, private: result?.private, isTainted: !ok && (current?.isTainted ?? false) } };
  }
}

/** The first plan of a replacement has given the same ones. */
function withoutWarnings<Result>({ result, diagnostics }: Answer<Result>): Answer<Result> {
  return { result, diagnostics: diagnostics.filter(({ severity }) => severity === "error") };
}

/** The configuration with prior values of what `ignore_changes` names. */
function withIgnored(
  { ignoreChanges }: Block,
  attributes: Attributes,
  prior: ObjectValue | null,
  config: ObjectValue,
): ObjectValue {
  if (prior === null || ignoreChanges.length === 0) return config;
  const names =
    ignoreChanges === "all" ? Object.keys(attributes).filter((name) => !isComputedOnly(attributes, name)) : ignoreChanges;
  return { ...config, ...Object.fromEntries(names.map((name) => [name, prior[name]!])) };
}

function isComputedOnly(attributes: Attributes, name: string): boolean {
  return attributes[name]!.computed === true && !attributes[name]!.optional;
}

/** A path counts if its value changes. A write-only value is in no state, so it always counts. */
function isReplacing(attributes: Attributes, path: AttributePath, prior: ObjectValue, planned: ObjectValue): boolean {
  if (path.length === 1 && attributes[String(path[0])]?.writeOnly) return true;
  return !isEqual(valueAt(prior, path), valueAt(planned, path));
}

function valueAt(value: Value, path: AttributePath): Value {
  return path.reduce<Value>((at, step) => {
    if (at === null || at instanceof Unknown) return at;
    return (at as ObjectValue)[typeof step === "object" ? step.key : step] ?? null;
  }, value);
}

function unknownAsNull(value: Value): Value {
  if (value instanceof Unknown) return null;
  if (Array.isArray(value)) return value.map(unknownAsNull);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, unknownAsNull(item as Value)]));
}
