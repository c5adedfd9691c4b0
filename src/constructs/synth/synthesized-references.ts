import { addressesIn, TYPED_KINDS } from "../../terraform/template-text";
import { providerAddresses, type ProviderAddresses } from "./provider-addresses";

type Group = Record<string, unknown>;

export interface Synthesized {
  /** By type, then by id. */
  readonly resource?: Record<string, Group>;
  readonly data?: Record<string, Group>;
  readonly ephemeral?: Record<string, Group>;
  readonly locals?: Group;
  readonly module?: Group;
  /** Terraform checks a `validation` before it reads the variable, and a `validation` may refer to resources. */
  readonly variable?: Group;
  /** A block or a list of blocks by local name. */
  readonly provider?: Group;
  readonly terraform?: unknown;
}

/** By the address of the referring element. Overrides and Aspects are included. */
export type References = ReadonlyMap<string, ReadonlySet<string>>;

/** The shortest chain of addresses from `start` to one of `ends`. */
export function wayTo(ends: ReadonlySet<string>, start: string, references: References): string[] | undefined {
  const seen = new Set([start]);
  const ways = [[start]];
  for (const way of ways) {
    const last = way.at(-1)!;
    if (ends.has(last)) return way;
    for (const next of references.get(last) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}

export function referencesOf(synthesized: Synthesized): References {
  const { resource = {}, data = {}, ephemeral = {}, locals = {}, module = {}, variable = {} } = synthesized;
  const providers = providerAddresses(synthesized);
  const elements = new Map<string, unknown>(providers.blocks);
  const addAll = (prefix: string, group: Group) =>
    Object.entries(group).forEach(([id, body]) => elements.set(`${prefix}.${id}`, body));
  Object.entries(resource).forEach(([type, group]) => addAll(type, group));
  Object.entries(data).forEach(([type, group]) => addAll(`data.${type}`, group));
  Object.entries(ephemeral).forEach(([type, group]) => addAll(`ephemeral.${type}`, group));
  addAll("local", locals);
  addAll("module", module);
  addAll("var", variable);
  return new Map(
    [...elements].map(([address, body]) => {
      const referred = expressionsIn(body)
        .flatMap(addressesIn)
        .filter((found) => elements.has(found));
      return [address, new Set([...referred, ...providersOf(address, body, providers)])];
    }),
  );
}

/** Arguments whose texts Terraform parses as references, also without `${`. */
const REFERENCES = ["depends_on", "replace_triggered_by"];

/** The texts of an element that Terraform parses for references. */
function expressionsIn(body: unknown, key = ""): string[] {
  if (typeof body === "string") return REFERENCES.includes(key) || body.includes("${") ? [body] : [];
  if (Array.isArray(body)) return body.flatMap((item) => expressionsIn(item, key));
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, item]) =>
    name === "//" ? [] : [...expressionsIn(name), ...expressionsIn(item, name)],
  );
}

/** The provider blocks that an element uses. Synth does not know which ones a module inherits. */
function providersOf(address: string, body: unknown, providers: ProviderAddresses): string[] {
  const { provider, providers: passed } = (body ?? {}) as { readonly provider?: unknown; readonly providers?: unknown };
  const [kind = "", type = ""] = address.split(".");
  if (["provider", "local", "var"].includes(kind)) return [];
  const used =
    kind === "module"
      ? Object.values(passed ?? {}).map(providers.named)
      : [providers.of(TYPED_KINDS.has(kind) ? type : kind, provider)];
  return used.filter((found) => found !== undefined);
}
