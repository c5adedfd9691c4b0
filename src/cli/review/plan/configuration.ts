import { isPlainObject } from "../../../util/prop-path";
import type { JsonObject } from "../../../model/provider-type";
import { isTemplate, withoutEscapes } from "../../../terraform/template-text";
import { setFields } from "../../report/document";
import { objectsIn, textsIn } from "../../report/json-values";

/** The literal parts of a provisioner. */
export interface Provisioner {
  readonly type: string;
  /** Arguments by name. */
  readonly settings: Readonly<JsonObject>;
}

/** Of a block in Terraform's JSON syntax. One item has a key for each type of provisioner. */
export function provisionersIn({ provisioner }: Readonly<JsonObject>): Provisioner[] {
  return objectsIn(provisioner).flatMap((item) =>
    Object.entries(item).flatMap(([type, blocks]) => objectsIn(blocks).map((settings) => ({ type, settings }))),
  );
}

/** What a plan shows of them. It does not show when Terraform runs one, and what a failure does. */
export function plannedProvisioners(all: readonly Provisioner[]): Provisioner[] {
  return all.map(({ type, settings: { when: _, on_failure: __, ...settings } }) => ({ type, settings }));
}

interface ConfiguredBlock {
  /** Without instance keys. Empty for the root module. */
  readonly module: string;
  readonly type: string;
  readonly name: string;
  readonly provisioners: readonly Provisioner[];
  /** The literal value of its `input`, if it has one. */
  readonly input: unknown;
  /** Key of its provider block in {@link Configuration.providers}. */
  readonly providerKey: string | undefined;
}

export interface Edge {
  readonly dependent: string;
  readonly on: string;
}

interface ConfiguredProvider {
  /** As in `registry.terraform.io/hashicorp/aws`. */
  readonly source: string;
  /** Arguments whose values the plan shows: literals, and variables that are not sensitive. */
  readonly values: Readonly<JsonObject>;
  /** The arguments that only Terraform can evaluate. */
  readonly expressions: readonly string[];
}

/** Shows the hooks, protection and `retain` also in a plan that destroys everything. No report shows the contents. */
export class Configuration {
  readonly #root: JsonObject | undefined;
  readonly #blocks = new Map<string, ConfiguredBlock>();
  /** The keys are those of the plan: the local name and the alias, as in `clusterplatform.eu`. */
  readonly providers: ReadonlyMap<string, ConfiguredProvider>;
  /** False if a program has removed the configuration from the plan. */
  readonly present: boolean;

  /** @param variables the `variables` of the plan */
  constructor(configuration: unknown, variables?: unknown) {
    const root = (configuration as JsonObject | undefined | null)?.root_module;
    this.present = root !== undefined && root !== null;
    this.#root = (root as JsonObject | undefined | null) ?? undefined;
    if (this.#root) this.#read(this.#root, "");
    const providers = (configuration as JsonObject | undefined | null)?.provider_config;
    const shown = shownVariables(root, variables);
    this.providers = new Map(
      isPlainObject(providers) ? Object.entries(providers).map(([key, block]) => [key, providerOf(block, shown)]) : [],
    );
  }

  /** @param block as in `null_resource.capvs_clusters` */
  find(module: string, block: string): ConfiguredBlock | undefined {
    return this.#blocks.get(`${withoutKeys(module)} ${block}`);
  }

  get blocks(): Iterable<ConfiguredBlock> {
    return this.#blocks.values();
  }

  /**
   * What depends on what: blocks, data sources, calls of modules, and instances such as `null_resource.capvs_clusters["prod"]`. The
   * resources of a module depend on its call.
   */
  dependencies(): Edge[] {
    return this.#root === undefined ? [] : dependenciesIn(this.#root, "");
  }

  #read(module: JsonObject, address: string): void {
    for (const { mode, type, name, provisioners, expressions, provider_config_key: providerKey } of objectsIn(module.resources)) {
      if (mode === "data" || !isName(type) || !isName(name)) continue;
      this.#blocks.set(`${address} ${type}.${name}`, {
        module: address,
        type,
        name,
        provisioners: objectsIn(provisioners).map(provisionerOf),
        input: literal({ expressions }, "input"),
        providerKey: typeof providerKey === "string" ? providerKey : undefined,
      });
    }
    for (const [name, call] of Object.entries((module.module_calls ?? {}) as Record<string, JsonObject | null>)) {
      if (call?.module) this.#read(call.module as JsonObject, `${address}${address && "."}module.${name}`);
    }
  }
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function provisionerOf({ type, expressions }: JsonObject): Provisioner {
  const names = Object.keys((expressions ?? {}) as JsonObject);
  const settings = Object.fromEntries(names.map((name) => [name, literal({ expressions }, name)]));
  return { type: String(type), settings };
}

/** The values of the root module's variables by name. No report may show the value of a sensitive one. */
function shownVariables(root: unknown, variables: unknown): ReadonlyMap<string, unknown> {
  const declarations = entries((root as JsonObject | undefined | null)?.variables);
  const open = new Set(declarations.filter(([, { sensitive }]) => sensitive !== true).map(([name]) => name));
  return new Map(
    entries(variables)
      .filter(([name]) => open.has(name))
      .map(([name, { value }]) => [name, value]),
  );
}

/**
 * In Terraform's JSON syntax, an expression is a template string. A plan lists such a template as a literal. Only a template
 * that is nothing but a variable of the root module can be evaluated.
 */
function providerOf(block: unknown, variables: ReadonlyMap<string, unknown>): ConfiguredProvider {
  const { full_name: source, expressions, module_address: module } = setFields(isPlainObject(block) ? block : {});
  const names = Object.keys(isPlainObject(expressions) ? expressions : {});
  const shown = module === undefined ? variables : NO_VARIABLES;
  const values = new Map(names.map((name) => [name, evaluated(literal({ expressions }, name), shown)]));
  const isKnown = (name: string) => values.get(name) !== undefined;
  return {
    source: typeof source === "string" ? source : "unknown",
    values: Object.fromEntries(names.filter(isKnown).map((name) => [name, values.get(name)])),
    expressions: names.filter((name) => !isKnown(name)),
  };
}

const NO_VARIABLES: ReadonlyMap<string, unknown> = new Map();
const VARIABLE = /^\$\{\s*var\.([\w-]+)\s*\}$/;

/** The value of a JSON expression. Undefined if the plan does not show it. */
function evaluated(value: unknown, variables: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === "string") {
    const [, variable] = VARIABLE.exec(value) ?? [];
    if (variable !== undefined) return variables.get(variable);
    return isTemplate(value) ? undefined : withoutEscapes(value);
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => evaluated(item, variables));
    return items.includes(undefined) ? undefined : items;
  }
  return isTemplate(JSON.stringify(value) ?? "") ? undefined : withoutEscapes(value);
}

function dependenciesIn(module: JsonObject, prefix: string, call?: string): Edge[] {
  const ofResources = objectsIn(module.resources).flatMap((resource) => {
    const dependent = `${prefix}${resource.mode === "data" ? "data." : ""}${String(resource.type)}.${String(resource.name)}`;
    const on = [...referencesIn(resource).map((each) => prefix + each), ...(call === undefined ? [] : [call])];
    return on.map((each) => ({ dependent, on: each }));
  });
  const ofCalls = entries(module.module_calls).flatMap(([name, called]) => {
    const dependent = `${prefix}module.${name}`;
    return [
      ...referencesIn(called).map((each) => ({ dependent, on: prefix + each })),
      ...(isPlainObject(called.module) ? dependenciesIn(called.module, `${dependent}.`, dependent) : []),
    ];
  });
  return [...ofResources, ...ofCalls];
}

/** Terraform lists a reference to an instance a second time without its key. */
function referencesIn({ expressions, for_each_expression, count_expression, depends_on }: JsonObject): string[] {
  const found = new Set(textsIn(depends_on).map(withoutAttribute));
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) return part.forEach(visit);
    if (!isPlainObject(part)) return;
    const references = textsIn(part.references);
    for (const text of references) {
      if (!references.some((other) => other.startsWith(`${text}[`))) found.add(withoutAttribute(text));
    }
    Object.values(part).forEach(visit);
  };
  visit([expressions, for_each_expression, count_expression]);
  return [...found];
}

const BLOCK_OR_INSTANCE = /^(?:data\.)?[\w-]+\.[\w-]+(?:\["(?:[^"\\]|\\.)*"\])?/;

function withoutAttribute(reference: string): string {
  return BLOCK_OR_INSTANCE.exec(reference)?.[0] ?? reference;
}

function literal({ expressions }: JsonObject, name: string): unknown {
  const expression = (expressions as JsonObject | undefined)?.[name] as JsonObject | undefined;
  return expression?.constant_value;
}

/** Takes linear time, also for a forged plan. */
export function withoutKeys(address: string): string {
  return address.replace(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]/g, "");
}

function entries(map: unknown): [string, JsonObject][] {
  return isPlainObject(map) ? Object.entries(map).filter((entry): entry is [string, JsonObject] => isPlainObject(entry[1])) : [];
}
