import { encodedLiteral } from "../../../contract/kept-text";
import {
  declarationsLocalId,
  HOOK_RESOURCE_TYPES,
  parseBlockId,
  instanceAddress,
  parsePluginResourceType,
  triggersAttribute,
} from "../../../contract/addresses";
import { objectsByProvider } from "../../../synthesized/objects";
import { baseUrlIn } from "../../../model/base-url";
import { objectId } from "../../../model/object-ref";
import { oncePerText } from "../../../model/once-per";
import { isPlainObject } from "../../../model/prop-path";
import type { JsonObject } from "../../../model/provider-type";
import { schemaOf } from "../../../declarations/terraform/declaration-schema";
import { objectTypeOf } from "../../../declarations/types";
import { blocksOf } from "../../../recognition/configuration-blocks";
import { isTemplate, templatesIn, withoutEscapes } from "../../../terraform/template-text";
import { withoutWriteOnly } from "../../../terraform/attributes";
import { Expression, Unknown, type ObjectValue } from "../../../terraform/value";
import { textsIn } from "../../report/json-values";
import { referencesIn } from "../plan/references";

/** A value that an apply has computed. */
export const COMPUTED = new Unknown();

export interface ResourceBlock {
  /** As in `null_resource.capvs_clusters`. */
  readonly address: string;
  readonly type: string;
  readonly name: string;
  readonly body: Readonly<JsonObject>;
}

/** A resource instance that Terraform creates from a program. Text that only Terraform can evaluate is an {@link Expression}. */
export interface Instance {
  readonly address: string;
  readonly block: ResourceBlock;
  readonly key?: string;
  readonly values: Readonly<JsonObject>;
}

/** A synthesized stack, as Terraform loads it. */
export class Program {
  readonly blocks: ReadonlyMap<string, ResourceBlock>;
  readonly instances: ReadonlyMap<string, Instance>;
  /** Provider blocks by address, as in `provider.clusterplatform.eu`. */
  readonly providers: ReadonlyMap<string, unknown>;
  readonly #locals = new Map<string, unknown>();
  readonly #byProvider: ReadonlyMap<string, ObjectValue>;

  /** @param json the parsed `cdk.tf.json` */
  constructor(readonly json: Readonly<JsonObject>) {
    const resources = blocksOf({ resource: json.resource });
    this.blocks = new Map(
      resources.map(({ address, body }) => {
        const at = address.indexOf(".");
        return [
          address,
          { address, type: address.slice(0, at), name: address.slice(at + 1), body: isPlainObject(body) ? body : {} },
        ];
      }),
    );
    this.providers = new Map(blocksOf({ provider: json.provider }).map(({ address, body }) => [address, body]));
    for (const { address, body } of blocksOf({ locals: json.locals })) this.#locals.set(address.slice("local.".length), body);
    this.#byProvider = new Map(
      objectsByProvider(json).map(({ address, type, kind, entry }) => [
        address!,
        schemaOf(objectTypeOf(type, kind)).valueOf(entry.spec!),
      ]),
    );
    const instances = [...this.blocks.values()].flatMap((block) => this.#instancesOf(block));
    this.instances = new Map(instances.map((instance) => [instance.address, instance]));
  }

  /** The value of a local. Undefined if there is none. */
  local(name: string): unknown {
    return this.resolved(this.#locals.get(name));
  }

  /** A short local is filled in. A forged stack may name a long one again and again, so that stays an expression. */
  resolved(value: unknown): unknown {
    if (typeof value === "string") return isTemplate(value) ? this.#evaluated(value) : withoutEscapes(value);
    if (Array.isArray(value)) return value.map((item) => this.resolved(item));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [withoutEscapes(key) as string, this.resolved(item)]));
  }

  #evaluated(template: string): unknown {
    const local = this.#locals.get(LOCAL.exec(template)?.[1] ?? "");
    const isShort = typeof local === "string" ? local.length < SHORT && !isTemplate(local) : SCALARS.has(typeof local);
    return (isShort ? withoutEscapes(local) : encodedLiteral(template)) ?? new Expression(template);
  }

  /** The blocks that blocks depend on, also by others. */
  dependenciesOf(blocks: readonly string[]): ReadonlySet<string> {
    const reached = new Set(blocks);
    // The set grows while the loop visits it.
    for (const each of reached) {
      const isLocal = each.startsWith("local.");
      const body = isLocal ? { value: this.#locals.get(each.slice("local.".length)) } : (this.blocks.get(each)?.body ?? {});
      const { depends_on: waits, provisioner: _, "//": __, ...used } = body as JsonObject;
      for (const { block } of [...textsIn(waits), ...templatesIn(used)].flatMap(referencesIn)) {
        if (this.blocks.has(block) || block.startsWith("local.")) reached.add(block);
      }
    }
    return new Set([...reached].filter((each) => !each.startsWith("local.")));
  }

  #instancesOf(block: ResourceBlock): Instance[] {
    const { address, type, name, body } = block;
    if (parsePluginResourceType(type)) return [{ address, block, values: this.#objectValues(block) }];
    if (!HOOK_RESOURCE_TYPES.includes(type) || !parseBlockId(name)) return [{ address, block, values: this.#valuesOf(block) }];
    if (body.for_each === NO_INSTANCES) return [];
    const texts = this.#locals.get(declarationsLocalId(name, "literal"));
    const withTokens = this.#locals.get(declarationsLocalId(name, "with tokens"));
    const isUsual = body.for_each === `\${local.${name}}`;
    return Object.entries(isPlainObject(texts) ? texts : {}).map(([key, text]): Instance => {
      const entry = text ?? (isPlainObject(withTokens) && Object.hasOwn(withTokens, key) ? withTokens[key] : undefined);
      const triggers = isUsual ? triggersIn(entry) : new Expression(String(body.for_each));
      const values = { ...own(EMPTY, type), id: COMPUTED, [triggersAttribute(type)]: triggers };
      return { address: instanceAddress(address, key), block, key, values };
    });
  }

  /** With all attributes of the type. */
  #objectValues({ address, type, body }: ResourceBlock): JsonObject {
    const { type: code, kind } = parsePluginResourceType(type)!;
    const { attributes } = schemaOf(objectTypeOf(code, kind));
    const declared = this.#byProvider.get(address);
    const others = Object.fromEntries(OF_OBJECTS.map((key) => [key, this.resolved(body[key] ?? null)]));
    return {
      // A block whose name is an expression has no declaration.
      ...(declared ? withoutWriteOnly(attributes, declared) : { name: new Expression(String(body.name)) }),
      ...others,
      id: declared ? objectId(code, kind, String(declared.name)) : COMPUTED,
      uid: COMPUTED,
      service: this.#serviceOf(body) ?? COMPUTED,
      ...(kind === "providers" && { kubernetes_versions: COMPUTED }),
    };
  }

  /** The provider knows the URL at plan time. The program shows it only if the Platform has `url`. */
  #serviceOf({ provider }: Readonly<JsonObject>): string | undefined {
    const body = this.providers.get(`provider.${String(provider)}`);
    return isPlainObject(body) ? baseUrlIn(this.resolved(body.url)) : undefined;
  }

  #valuesOf({ type, name, body }: ResourceBlock): JsonObject {
    const given = Object.entries(body).filter(([argument]) => !META.has(argument));
    // A Platform's list of objects is the local of the same name.
    const isOwnLocal = (value: unknown) => typeof value === "string" && LOCAL.exec(value)?.[1] === name;
    const values = given.map(([argument, value]) => [argument, isOwnLocal(value) ? this.local(name) : this.resolved(value)]);
    return { ...own(EMPTY, type), id: COMPUTED, ...(Object.fromEntries(values) as JsonObject) };
  }
}

/** The package marks the lists of objects as sensitive, to keep them out of Terraform's output. They hold no secrets. */
const LOCAL = /^\$\{(?:sensitive\()?local\.([\w-]+)\)?\}$/;
const SHORT = 1_000;
const SCALARS: ReadonlySet<string> = new Set(["number", "boolean"]);
const NO_INSTANCES = "${{}}";
/** The attributes that a declaration does not have. */
export const OF_OBJECTS = ["deletion_protection", "adopt", "declared_at"];
/** Arguments that are not attributes of a resource. */
export const META: ReadonlySet<string> = new Set([
  "//",
  "connection",
  "count",
  "depends_on",
  "for_each",
  "lifecycle",
  "provider",
  "provisioner",
]);
const EMPTY: Readonly<Record<string, JsonObject>> = {
  null_resource: { triggers: null },
  terraform_data: { input: null, output: COMPUTED, triggers_replace: null },
};

/** The flat declaration in an entry of a local: text, or an object if it has tokens. All triggers are text. */
function triggersIn(entry: unknown): unknown {
  if (typeof entry === "string") return isTemplate(entry) ? new Expression(entry) : literalTriggers(entry);
  const { triggers } = (isPlainObject(entry) ? entry : {}) as JsonObject;
  if (!isPlainObject(triggers)) return COMPUTED;
  return Object.fromEntries(
    Object.entries(triggers).map(([key, value]) => {
      const text = textOf(value);
      return [withoutEscapes(key) as string, isTemplate(text) ? new Expression(text) : textOf(withoutEscapes(value))];
    }),
  );
}

const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

/** Two programs have most declarations in common. The same text gives the same object, so that a comparison takes no time. */
const literalTriggers = oncePerText((text) => {
  const { triggers } = parsedObject(text);
  if (!isPlainObject(triggers)) return COMPUTED;
  const literal = Object.fromEntries(Object.entries(triggers).map(([key, value]) => [key, textOf(value)]));
  literals.add(literal);
  return literal;
});

const literals = new WeakSet<object>();

/** Whether a value is known as a whole. */
export function isLiteral(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null && literals.has(value);
}

function parsedObject(text: string): Readonly<JsonObject> {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : {};
  } catch {
    return {};
  }
}

export function own<T>(owner: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return owner && Object.hasOwn(owner, key) ? owner[key] : undefined;
}
