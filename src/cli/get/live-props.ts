import type { LiveCluster, LiveProvider } from "../../api/client";
import { problemsOf, renderValue, secret, textOrSecret } from "../../declarations/rules";
import { definitionOf, type Schema } from "../../declarations/schema-definition";
import { objectTypeOf } from "../../declarations/types";
import { unflatten } from "../../declarations/unflatten";
import { shownFields } from "../../lifecycle/compare";
import { isPlainObject } from "../../util/prop-path";
import type { JsonObject, TypeCode } from "../../model/provider-type";
import type { HiddenValues } from "./hidden-values";
import { block, callOf, code, type Properties, list, spread, text, type Code } from "./source";

export type KnownCluster = LiveCluster & { readonly type: TypeCode };
export type KnownProvider = LiveProvider & { readonly type: TypeCode };

type Shape = Readonly<Record<string, Schema>>;

/** Fields that are no facts about a live object. */
const NO_FACTS = new Set(["bodyOverrides", "credentialsVersion"]);
/** No two clusters have the same value. */
const UNIQUE = new Set(["provider", "apiEndpoint"]);
/** The fields of nodes besides their size. */
const NODES = new Set(["count", "group", "roles"]);

/** The declaration of a live cluster but for its provider. Clusters share the constants of hidden values. */
export function clusterProps(live: KnownCluster, kubernetesVersions: readonly string[], hidden: HiddenValues): Properties {
  const objectType = objectTypeOf(live.type, "clusters");
  const shown = unflatten(objectType, shownFields("clusters", live));
  const groups = shown.workers as readonly JsonObject[] | undefined;
  const defaults = objectType.defaults({ controlPlane: {}, workers: groups ?? [] });
  const { controlPlane, workers, provider: _, ...scalars } = shapeOf(objectType.spec);
  const own = (prop: string, rule: string) => code(hidden.value([live.name, prop], rule));

  const fields: Record<string, Code> = {};
  for (const [prop, rule] of Object.entries(scalars)) {
    if (NO_FACTS.has(prop)) continue;
    const value = shown[prop];
    if (isValid(rule, value)) fields[prop] = literal(value);
    else if (value !== undefined) fields[prop] = own(prop, `${ruleOf(rule)}; the service shows ${renderValue(value)}`);
    else if (prop === "kubernetesVersion") {
      const offers = kubernetesVersions.length > 0 ? `; ${live.provider} offers ${kubernetesVersions.join(", ")}` : "";
      const words = offers === "" ? [prop] : [String(live.provider), prop];
      fields[prop] = code(hidden.value(words, `${ruleOf(rule)}, or undefined if it was not declared${offers}`));
    } else if (isOptional(rule)) hidden.byDefault("Clusters", live.type, `${prop} (${rendered(defaults[prop])})`);
    else fields[prop] = UNIQUE.has(prop) ? own(prop, ruleOf(rule)) : code(hidden.value([prop], ruleOf(rule)));
  }

  const worker = shapeOf(definitionOf(workers!).element);
  const nodes = ({ shape, shown, defaults, words, about }: Nodes): Properties => {
    const written: Record<string, Code> = {};
    const size: Record<string, string> = {};
    for (const [prop, rule] of Object.entries(shape)) {
      if (isValid(rule, shown[prop])) written[prop] = literal(shown[prop]);
      else if (isOptional(rule)) hidden.byDefault(about, live.type, `${prop} (${rendered(defaults[prop])})`);
      else if (NODES.has(prop)) written[prop] = own([...words, prop].join("-"), ruleOf(rule));
      else size[prop] = ruleOf(rule);
    }
    return { ...written, ...(Object.keys(size).length > 0 && spread(hidden.fields([live.type, ...words], size))) };
  };
  return {
    ...fields,
    controlPlane: block(
      nodes({
        shape: shapeOf(controlPlane!),
        shown: (shown.controlPlane ?? {}) as JsonObject,
        defaults: defaults.controlPlane as JsonObject,
        words: ["control-plane"],
        about: "Control planes",
      }),
    ),
    workers:
      groups === undefined
        ? own("workers", `a list of worker groups, with group, count and ${sizeOf(worker).join(", ")}`)
        : list(
            groups.map((group, index) =>
              nodes({
                shape: worker,
                shown: group,
                defaults: (defaults.workers as JsonObject[])[index]!,
                words: [String(group.group), "workers"],
                about: `Workers ${JSON.stringify(group.group)}`,
              }),
            ),
          ),
  };
}

/** The control plane, or a group of workers. */
interface Nodes {
  readonly shape: Shape;
  readonly shown: JsonObject;
  readonly defaults: JsonObject;
  /** For the names of constants. */
  readonly words: readonly string[];
  /** For the comment with the defaults. */
  readonly about: string;
}

/** The declaration of a live provider. Each credential comes from a variable of the environment. */
export function providerProps(live: KnownProvider, hidden: HiddenValues): Properties {
  const { spec } = objectTypeOf(live.type, "providers");
  const shown = unflatten(objectTypeOf(live.type, "providers"), shownFields("providers", live));
  const fields: Record<string, Code> = {};
  const required: Record<string, string> = {};
  for (const [prop, rule] of Object.entries(shapeOf(spec))) {
    if (NO_FACTS.has(prop)) continue;
    if (isValid(rule, shown[prop])) fields[prop] = literal(shown[prop]);
    else if (isOptional(rule)) hidden.byDefault("Providers", live.type, prop);
    else if (rule === secret || rule === textOrSecret) fields[prop] = callOf("Secret.fromEnv", variable(live.name, prop));
    else if (prop === "templates")
      required[prop] = `a list of { template, kubernetesVersion }, for ${live.kubernetesVersions.join(", ")}`;
    else required[prop] = ruleOf(rule);
  }
  return { ...fields, ...(Object.keys(required).length > 0 && spread(hidden.fields([live.type, live.name], required))) };
}

function variable(name: string, prop: string): string {
  const words = `${name}_${prop.replace(/[A-Z]/g, (letter) => `_${letter}`)}`.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
  return /^\d/.test(words) ? `_${words}` : words;
}

function shapeOf(schema: Schema): Shape {
  return definitionOf(schema).shape;
}

function sizeOf(shape: Shape): string[] {
  return Object.keys(shape).filter((prop) => !NODES.has(prop) && !isOptional(shape[prop]!));
}

function isOptional(rule: Schema): boolean {
  return definitionOf(rule).type === "optional";
}

function isValid(rule: Schema, value: unknown): boolean {
  return value !== undefined && problemsOf(rule, value).length === 0;
}

function literal(value: unknown): Code {
  return typeof value === "string" ? text(value) : code(String(value));
}

/** The rule in the words of its message, which completes "must be". */
function ruleOf(rule: Schema): string {
  const { error } = (isOptional(rule) ? definitionOf(rule).innerType : rule).safeParse(undefined);
  return error?.issues[0]?.message.replace(/^be /, "") ?? "";
}

function rendered(value: unknown): string {
  if (value === undefined) return "none";
  if (isPlainObject(value) && "preset" in value) return `Services.${String(value.preset)}()`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${key}: ${rendered(item)}`)
    .join(", ")} }`;
}
