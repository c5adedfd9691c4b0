import { isPlainObject } from "../../../model/prop-path";
import type { JsonObject } from "../../../model/provider-type";
import { isTemplate, withoutEscapes } from "../../../terraform/template-text";
import type { Provisioner } from "./provisioner";

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

interface ConfiguredProvider {
  /** As in `registry.terraform.io/hashicorp/aws`. */
  readonly source: string;
  readonly literals: Readonly<JsonObject>;
  /** The arguments that only Terraform can evaluate. */
  readonly expressions: readonly string[];
}

/** Shows the hooks, protection and `retain` also in a plan that destroys everything. No report shows the contents. */
export class Configuration {
  readonly #blocks = new Map<string, ConfiguredBlock>();
  /** The keys are those of the plan: the local name and the alias, as in `clusterplatform.eu`. */
  readonly providers: ReadonlyMap<string, ConfiguredProvider>;
  /** False if a program has removed the configuration from the plan. */
  readonly present: boolean;

  constructor(configuration: unknown) {
    const root = (configuration as JsonObject | undefined | null)?.root_module;
    this.present = root !== undefined && root !== null;
    if (root) this.#read(root as JsonObject, "");
    const providers = (configuration as JsonObject | undefined | null)?.provider_config;
    this.providers = new Map(
      isPlainObject(providers) ? Object.entries(providers).map(([key, block]) => [key, providerOf(block)]) : [],
    );
  }

  /** @param block as in `null_resource.capvs_clusters` */
  find(module: string, block: string): ConfiguredBlock | undefined {
    return this.#blocks.get(`${withoutKeys(module)} ${block}`);
  }

  get blocks(): Iterable<ConfiguredBlock> {
    return this.#blocks.values();
  }

  #read(module: JsonObject, address: string): void {
    for (const { mode, type, name, provisioners, expressions, provider_config_key: providerKey } of objects(module.resources)) {
      if (mode === "data") continue;
      this.#blocks.set(`${address} ${String(type)}.${String(name)}`, {
        module: address,
        type: String(type),
        name: String(name),
        provisioners: objects(provisioners).map(provisionerOf),
        input: literal({ expressions }, "input"),
        providerKey: typeof providerKey === "string" ? providerKey : undefined,
      });
    }
    for (const [name, call] of Object.entries((module.module_calls ?? {}) as Record<string, JsonObject | null>)) {
      if (call?.module) this.#read(call.module as JsonObject, `${address}${address && "."}module.${name}`);
    }
  }
}

function provisionerOf({ type, expressions }: JsonObject): Provisioner {
  const names = Object.keys((expressions ?? {}) as JsonObject);
  const settings = Object.fromEntries(names.map((name) => [name, literal({ expressions }, name)]));
  return { type: String(type), settings };
}

/** In Terraform's JSON syntax, an expression is a template string. A plan lists such a template as a literal. */
function providerOf(block: unknown): ConfiguredProvider {
  const { full_name: source, expressions } = (isPlainObject(block) ? block : {}) as JsonObject;
  const names = Object.keys(isPlainObject(expressions) ? expressions : {});
  const literals = Object.fromEntries(names.map((name) => [name, literal({ expressions }, name)]));
  const isLiteral = (name: string) => literals[name] !== undefined && !isTemplate(JSON.stringify(literals[name]));
  return {
    source: String(source),
    literals: Object.fromEntries(names.filter(isLiteral).map((name) => [name, withoutEscapes(literals[name])])),
    expressions: names.filter((name) => !isLiteral(name)),
  };
}

function literal({ expressions }: JsonObject, name: string): unknown {
  const expression = (expressions as JsonObject | undefined)?.[name] as JsonObject | undefined;
  return expression?.constant_value;
}

/** Takes linear time, also for a forged plan. */
export function withoutKeys(address: string): string {
  return address.replace(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]/g, "");
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter((item): item is JsonObject => typeof item === "object" && item !== null) : [];
}
