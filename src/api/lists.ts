import { isDeepStrictEqual } from "node:util";
import { ContractError } from "../model/errors";
import { bounded } from "../util/printable";
import { isPlainObject } from "../util/prop-path";
import { codeOfListed, type JsonObject, type TypeCode } from "../model/provider-type";

/** A message shows this much of a name. */
const NAME_CHARACTERS = 200;

/** The type of an item whose type cannot be read. */
export const UNREAD_TYPE = "unknown";

/** A field is empty if it is missing or has another form than the interface shows. */
export interface LiveCluster {
  readonly name: string;
  /** Code of the provider type, the service's name for a type that this package does not know, or {@link UNREAD_TYPE}. */
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

  /** @param of the item, as in ` (cluster prod)` */
  problem(field: string, rule: string, value: unknown, of = ""): ContractError {
    return new ContractError("GET", this.path, field, `must ${rule}, got ${kindOf(value)}${of}`);
  }

  contradiction(name: string, one: LiveCluster, other: LiveCluster): ContractError {
    const kinds = [one, other].map(({ type, provider }) => `a ${type} cluster on ${provider || "(unknown)"}`);
    const fields = Object.keys({ ...one.raw, ...other.raw }).filter((key) => !isDeepStrictEqual(one.raw[key], other.raw[key]));
    const how = kinds[0] === kinds[1] ? `they differ in ${fields.join(", ")}` : kinds.join(" and ");
    return new ContractError("GET", this.path, "items", `must name a cluster once, got ${name} twice: ${how}`);
  }
}

/**
 * Every cluster of the service. An incomplete list is refused, because it does not prove absence. A look for a name judges what
 * has that name strictly: an item whose type cannot be read, and two different items, prove nothing about it. If no item has the
 * name, an item whose name cannot be read may have it.
 */
export class ClusterList {
  readonly #reply: Reply;
  readonly #items: readonly unknown[];
  /** By name, which is empty if it cannot be read. */
  readonly #indices = new Map<string, number[]>();
  /** Names by their form in lower case. Only a look that does not find a name needs them. */
  #folded: ReadonlyMap<string, string> | undefined;

  /** @throws CONTRACT */
  constructor(path: string, body: unknown) {
    this.#reply = new Reply(path);
    if (!isPlainObject(body)) throw this.#reply.problem("", "be an object", body);
    const { items, count } = body;
    // Go encodes an empty slice as null.
    const list = items === null && count === 0 ? [] : items;
    if (!Array.isArray(list)) throw this.#reply.problem("items", "be a list", list);
    if (count !== list.length) throw this.#reply.problem("count", `be the number of items, ${list.length}`, count);
    this.#items = list;
    list.forEach((item: unknown, index) => {
      const name = text(fieldsOf(item).clusterName);
      const others = this.#indices.get(name);
      if (others) others.push(index);
      else this.#indices.set(name, [index]);
    });
  }

  /** @throws CONTRACT */
  find(name: string): LiveCluster | undefined {
    const [found, ...repeated] = (this.#indices.get(name) ?? this.#indices.get("") ?? []).map((index) => {
      const problem = this.#problem(this.#items[index], index);
      if (problem) throw problem;
      return readCluster(this.#items[index]);
    });
    const other = repeated.find(({ raw }) => !isDeepStrictEqual(raw, found!.raw));
    if (other) throw this.#reply.contradiction(name, found!, other);
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

  /** Each item as far as it can be read. Equal items of a name count as one. */
  all(): LiveCluster[] {
    return [...this.#indices.values()].flatMap((indices) => {
      const items = indices.map((index) => readCluster(this.#items[index]));
      return items.filter(({ raw }, index) => items.findIndex((other) => isDeepStrictEqual(other.raw, raw)) === index);
    });
  }

  /** Why items cannot be read as a whole. */
  problems(): ContractError[] {
    return this.#items.flatMap((item, index) => this.#problem(item, index) ?? []);
  }

  names(): string[] {
    return [...this.#indices.keys()];
  }

  #problem(item: unknown, index: number): ContractError | undefined {
    const field = `items[${index}]`;
    if (!isPlainObject(item)) return this.#reply.problem(field, "be an object", item);
    const { clusterName, providerType } = item;
    if (text(clusterName) === "") return this.#reply.problem(`${field}.clusterName`, "be a name", clusterName);
    if (text(providerType) !== "") return undefined;
    return this.#reply.problem(
      `${field}.providerType`,
      "be a name",
      providerType,
      ` (cluster ${bounded(text(clusterName), NAME_CHARACTERS)})`,
    );
  }
}

interface Config {
  /** Or {@link UNREAD_TYPE}. */
  readonly type: string;
  /** Empty if it cannot be read. */
  readonly name: string;
  readonly raw: JsonObject;
  /** Why it cannot be read as a whole. */
  readonly problem: ContractError | undefined;
}

/** Every provider of the service. If none can be read as the wanted one, one that may be it is refused. */
export class ProviderList {
  readonly #configs: readonly Config[];

  /** @throws CONTRACT */
  constructor(path: string, body: unknown) {
    const reply = new Reply(path);
    if (!Array.isArray(body)) throw reply.problem("", "be a list", body);
    this.#configs = body.flatMap((entry: unknown, index) => configsOf(reply, entry, `[${index}]`));
  }

  /** @throws CONTRACT */
  find(type: string, name: string): LiveProvider | undefined {
    return this.#find(type, (other) => other === name);
  }

  /** Also finds a name that differs in case or in blanks at its ends only. */
  findInAnyCase(type: string, name: string): LiveProvider | undefined {
    return this.find(type, name) ?? this.#find(type, (other) => folded(other) === folded(name));
  }

  /** Each provider as far as it can be read. */
  all(): LiveProvider[] {
    return this.#configs.map(readProvider);
  }

  /** Why providers cannot be read as a whole. */
  problems(): ContractError[] {
    return this.#configs.flatMap(({ problem }) => problem ?? []);
  }

  #find(type: string, isWanted: (name: string) => boolean): LiveProvider | undefined {
    const ofType = this.#configs.filter((each) => [type, UNREAD_TYPE].includes(each.type));
    const named = ofType.filter(({ name }) => isWanted(name));
    const found = named.find(({ problem }) => !problem) ?? named[0] ?? ofType.find(({ name }) => name === "");
    if (found?.problem) throw found.problem;
    return found && readProvider(found);
  }
}

/** What a reader of lists should know about them. Empty if everything can be read. */
export function notesOnLists(...lists: readonly { problems(): ContractError[] }[]): string[] {
  return lists.flatMap((list) => {
    const [first, ...more] = list.problems();
    return first
      ? [`${first.message}${more.length > 0 ? `, and ${more.length} more like it` : ""}; it is shown as far as it can be read`]
      : [];
  });
}

function folded(name: string): string {
  return name.trim().toLowerCase();
}

function readCluster(item: unknown): LiveCluster {
  const raw = fieldsOf(item);
  return {
    name: text(raw.clusterName),
    type: typeOf(raw.providerType),
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

function configsOf(reply: Reply, entry: unknown, field: string): Config[] {
  const { providerType, configs } = fieldsOf(entry);
  const type = typeOf(providerType);
  // Go encodes an empty slice as null.
  const list = configs === null ? [] : configs;
  const problemOfType = (of?: string) =>
    type === UNREAD_TYPE ? reply.problem(`${field}.providerType`, "be a name", providerType, of) : undefined;
  const problemOfEntry = () => {
    if (!isPlainObject(entry)) return reply.problem(field, "be an object", entry);
    return Array.isArray(list) ? problemOfType() : reply.problem(`${field}.configs`, "be a list", list);
  };
  if (!Array.isArray(list) || list.length === 0) {
    const problem = problemOfEntry();
    return problem ? [{ type, name: "", raw: {}, problem }] : [];
  }
  return list.map((config: unknown, position) => {
    const raw = fieldsOf(config);
    const name = text(raw.name);
    const problemOfConfig = () => {
      const place = `${field}.configs[${position}]`;
      if (!isPlainObject(config)) return reply.problem(place, "be an object", config);
      return name === ""
        ? reply.problem(`${place}.name`, "be a name", raw.name)
        : problemOfType(` (provider ${bounded(name, NAME_CHARACTERS)})`);
    };
    return { type, name, raw, problem: problemOfConfig() };
  });
}

function readProvider({ type, name, raw }: Config): LiveProvider {
  return {
    type,
    name,
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

function typeOf(value: unknown): string {
  return codeOfListed(text(value) || UNREAD_TYPE);
}

function fieldsOf(value: unknown): JsonObject {
  return isPlainObject(value) ? value : {};
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
