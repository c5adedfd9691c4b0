import { isDeepStrictEqual } from "node:util";
import { ContractError } from "../model/errors";
import { codeOfListed, type JsonObject, type TypeCode } from "../model/provider-type";

/** A field is empty if it is missing or has another form than the interface shows. */
export interface LiveCluster {
  readonly name: string;
  /** Code of the provider type, or the service's name for a type that this package does not know. */
  readonly type: TypeCode | (string & {});
  /** Empty if the service does not name it. */
  readonly provider: string;
  /** Empty right after some creations. */
  readonly phase: string;
  readonly conditions: readonly LiveCondition[];
  /** With or without a port. May be empty. */
  readonly apiEndpoint: string;
  /** May be empty. */
  readonly ingress: string;
  readonly podSubnet: string | undefined;
  readonly serviceSubnet: string | undefined;
  readonly secure: boolean | undefined;
  readonly controlPlaneCount: number | undefined;
  /** Number of nodes by group. Undefined if the service shows none. */
  readonly workers: ReadonlyMap<string, number> | undefined;
  /** The unchanged item of the list. */
  readonly raw: JsonObject;
}

interface LiveCondition {
  readonly type: string;
  readonly status: string;
  /** ISO 8601, UTC. */
  readonly lastTransitionTime: string;
}

export interface LiveProvider {
  readonly type: TypeCode | (string & {});
  readonly name: string;
  /** In the form `v<major>.<minor>.<patch>`. */
  readonly kubernetesVersions: readonly string[];
  readonly allowEditCsi: boolean | undefined;
  /** Empty if no pool is bound. */
  readonly ipAddressPoolName: string | undefined;
  /** Free addresses in the pool. */
  readonly poolAvailable: number | undefined;
  readonly raw: JsonObject;
}

/** The reply of one endpoint, read without a schema, because usually one of 10,000 items is used. */
class Reply {
  constructor(private readonly path: string) {}

  problem(field: string, rule: string, value: unknown): ContractError {
    return new ContractError("GET", this.path, field, `must ${rule}, got ${kindOf(value)}`);
  }

  contradiction(name: string, one: LiveCluster, other: LiveCluster): ContractError {
    const kinds = [one, other].map(({ type, provider }) => `a ${type} cluster on ${provider || "(unknown)"}`);
    const fields = Object.keys({ ...one.raw, ...other.raw }).filter((key) => !isDeepStrictEqual(one.raw[key], other.raw[key]));
    const how = kinds[0] === kinds[1] ? `they differ in ${fields.join(", ")}` : kinds.join(" and ");
    return new ContractError("GET", this.path, "items", `must name a cluster once, got ${name} twice: ${how}`);
  }

  object(value: unknown, field: string): JsonObject {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
    throw this.problem(field, "be an object", value);
  }

  name(value: unknown, field: string): string {
    if (typeof value === "string" && value !== "") return value;
    throw this.problem(field, "be a name", value);
  }
}

/**
 * Every cluster of the service. An incomplete or malformed list is refused, because it does not prove absence. A list with two
 * different items of a name proves nothing about that cluster.
 */
export class ClusterList {
  readonly #reply: Reply;
  readonly #items: JsonObject[];
  readonly #indices = new Map<string, number>();
  /** The indices of repeated items by name, without the first one, which `#indices` has. */
  readonly #repeated = new Map<string, number[]>();
  /** Names by their form in lower case. Only a look that does not find a name needs them. */
  #folded: ReadonlyMap<string, string> | undefined;

  /** @throws CONTRACT */
  constructor(path: string, body: unknown) {
    this.#reply = new Reply(path);
    const { items, count } = this.#reply.object(body, "");
    // Go encodes an empty slice as null.
    const list = items === null && count === 0 ? [] : items;
    if (!Array.isArray(list)) throw this.#reply.problem("items", "be a list", list);
    if (count !== list.length) throw this.#reply.problem("count", `be the number of items, ${list.length}`, count);
    this.#items = list.map((item, index) => this.#reply.object(item, `items[${index}]`));
    this.#items.forEach(({ clusterName }, index) => {
      const name = this.#reply.name(clusterName, `items[${index}].clusterName`);
      if (!this.#indices.has(name)) this.#indices.set(name, index);
      else this.#repeated.set(name, [...(this.#repeated.get(name) ?? []), index]);
    });
  }

  find(name: string): LiveCluster | undefined {
    const index = this.#indices.get(name);
    if (index === undefined) return undefined;
    const found = this.#read(index);
    const other = (this.#repeated.get(name) ?? [])
      .map((position) => this.#read(position))
      .find(({ raw }) => !isDeepStrictEqual(raw, found.raw));
    if (other) throw this.#reply.contradiction(name, found, other);
    return found;
  }

  /** Also finds a name that differs in case or in blanks at its ends only. */
  findInAnyCase(name: string): LiveCluster | undefined {
    const exact = this.find(name);
    if (exact) return exact;
    this.#folded ??= new Map(this.names().map((each) => [folded(each), each]));
    const other = this.#folded.get(folded(name));
    return other === undefined ? undefined : this.find(other);
  }

  all(): LiveCluster[] {
    return this.#items.map((_, index) => this.#read(index));
  }

  names(): string[] {
    return [...this.#indices.keys()];
  }

  #read(index: number): LiveCluster {
    const raw = this.#items[index]!;
    const type = this.#reply.name(raw.providerType, `items[${index}].providerType`);
    return {
      name: text(raw.clusterName),
      type: codeOfListed(type),
      provider: text(raw.providerConfigID),
      phase: text(raw.phase),
      conditions: objects(raw.conditions).map((condition) => ({
        type: text(condition.type),
        status: text(condition.status),
        lastTransitionTime: text(condition.lastTransitionTime),
      })),
      apiEndpoint: text(raw.apiEndpoint),
      ingress: text(raw.ingress),
      podSubnet: network(raw, /^pod ?(cidr|subnet)$/i),
      serviceSubnet: network(raw, /^service ?(cidr|subnet)$/i),
      secure: bool(raw.secure),
      controlPlaneCount: count(raw.controlplaneNodesCount),
      workers: workers(raw.workersGroups),
      raw,
    };
  }
}

export class ProviderList {
  readonly #configs: { readonly type: string; readonly raw: JsonObject }[];

  /** @throws CONTRACT */
  constructor(path: string, body: unknown) {
    const reply = new Reply(path);
    if (!Array.isArray(body)) throw reply.problem("", "be a list", body);
    this.#configs = body.flatMap((value: unknown, index) => {
      const { providerType, configs } = reply.object(value, `[${index}]`);
      const type = reply.name(providerType, `[${index}].providerType`);
      // Go encodes an empty slice as null.
      const list = configs === null ? [] : configs;
      if (!Array.isArray(list)) throw reply.problem(`[${index}].configs`, "be a list", list);
      return list.map((config: unknown, position) => {
        const field = `[${index}].configs[${position}]`;
        const raw = reply.object(config, field);
        reply.name(raw.name, `${field}.name`);
        return { type: codeOfListed(type), raw };
      });
    });
  }

  find(type: string, name: string): LiveProvider | undefined {
    const config = this.#configs.find((candidate) => candidate.type === type && candidate.raw.name === name);
    return config && readProvider(config);
  }

  /** Also finds a name that differs in case or in blanks at its ends only. */
  findInAnyCase(type: string, name: string): LiveProvider | undefined {
    const isSimilar = ({ raw }: { readonly raw: JsonObject }) => folded(text(raw.name)) === folded(name);
    const config = this.#configs.find((candidate) => candidate.type === type && isSimilar(candidate));
    return this.find(type, name) ?? (config && readProvider(config));
  }

  all(): LiveProvider[] {
    return this.#configs.map(readProvider);
  }
}

function folded(name: string): string {
  return name.trim().toLowerCase();
}

function readProvider({ type, raw }: { type: string; raw: JsonObject }): LiveProvider {
  return {
    type,
    name: text(raw.name),
    kubernetesVersions: Array.isArray(raw.kubeVers) ? raw.kubeVers.filter((version) => typeof version === "string") : [],
    allowEditCsi: bool(raw.allowEditCSI),
    ipAddressPoolName: typeof raw.IPAddressPoolName === "string" ? raw.IPAddressPoolName : undefined,
    poolAvailable: count(raw.IPAddressPoolAvailableCount),
    raw,
  };
}

/** Lists call the networks `Pod CIDR` and `Service CIDR`; replies to a creation call them `PodSubnet` and `ServiceSubnet`. */
function network({ networks }: JsonObject, type: RegExp): string | undefined {
  return text(objects(networks).find((candidate) => type.test(text(candidate.type)))?.network) || undefined;
}

function workers(groups: unknown): ReadonlyMap<string, number> | undefined {
  if (!Array.isArray(groups)) return undefined;
  const sizes = new Map<string, number>();
  for (const group of objects(groups)) {
    const size = count(group.workersCount);
    // Only some of the groups would look like a difference from the declaration.
    if (typeof group.groupName !== "string" || size === undefined) return undefined;
    sizes.set(group.groupName, size);
  }
  return sizes;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function bool(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

function count(value: unknown): number | undefined {
  return Number.isInteger(value) ? (value as number) : undefined;
}

function objects(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is JsonObject => typeof item === "object" && item !== null);
}

/** The kind of a value. The value itself is not shown, because a reply may echo a secret. */
function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (value === "") return "an empty string";
  if (typeof value === "number") return String(value);
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  return `a ${typeof value}`;
}
