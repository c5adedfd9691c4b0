import { platformOfPrefix, platformPrefix } from "../contract/addresses";
import { declarationOf } from "../synthesized/declaration";
import { dependenciesOf } from "../synthesized/dependencies";
import { synthesizedObjects, type SynthesizedObject } from "../synthesized/objects";
import { synthesizedPlatforms } from "../synthesized/platforms";
import { ClusterPlatformError } from "../model/errors";
import { nearest } from "../util/nearest";
import { idOf } from "../model/object-ref";
import { isPlainObject } from "../util/prop-path";
import { isProtected, isRetained } from "../model/protection";
import { singular, type Kind, type TypeCode } from "../model/provider-type";
import { isSecretReference, type SecretReference } from "../model/secret-reference";
import { synthesizedIn, type SynthesizedInput } from "./synthesized-input";

/**
 * A provider or cluster that a stack declares: its props as in the code, and what the stack says about it.
 *
 * A prop that has its default is left out, as in a plan. Lists whose order does not matter are sorted: worker groups, roles and
 * the like. A token is Terraform's expression, such as `"${var.nodes}"`. A secret is text that names its source, such as
 * `"<secret: environment variable VSPHERE_PASSWORD>"`.
 */
export interface Declared {
  /** The provider type, such as `capvs`. */
  readonly type: TypeCode;
  /** The name on the service. */
  readonly name: string;
  /** The `name` of its Platform. `""` for a Platform without a name. */
  readonly platform: string;
  /** Whether an apply of this code refuses to delete or replace the object. */
  readonly protected: boolean;
  /** Whether the object stays on the service when it leaves the code. */
  readonly retained: boolean;
  /** Whether the apply adopts a live object of the same name. */
  readonly adopted: boolean;
  /**
   * What Terraform creates before the object, sorted: providers and clusters of this stack, such as `capvs/providers/vsphere`, and
   * addresses of other resources, such as `aws_route53_zone.main`. With hooks, objects of one type and kind on a Platform have
   * their `dependsOn` in common.
   */
  readonly waitsFor: readonly string[];
  /** The request body that creates the object. With `Engine.PROVIDER`, the order of lists may be another. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The props of the object. */
  readonly [prop: string]: unknown;
}

/** A provider that a stack declares. */
export type DeclaredProvider = Declared;

/** Services of a cluster, as `Services` makes them. */
export type DeclaredServices =
  { readonly preset: string } | { readonly enabled: readonly string[] } | { readonly disabled: readonly string[] };

/** Nodes of a cluster, with their size. */
export interface DeclaredNodes {
  /** Number of nodes. */
  readonly count: number;
  /** Name of the node group. */
  readonly group?: string;
  /** Node roles. */
  readonly roles?: readonly string[];
  /** The size of each node. Its fields depend on the provider type. */
  readonly [size: string]: unknown;
}

/** A cluster that a stack declares. */
export interface DeclaredCluster extends Declared {
  /** Name of its provider. */
  readonly provider: string;
  /** The control plane nodes. */
  readonly controlPlane: DeclaredNodes;
  /** The worker groups, sorted by name. */
  readonly workers: readonly (DeclaredNodes & { readonly group: string })[];
  /** Platform services. Undefined for the default. */
  readonly services?: DeclaredServices;
}

/** The options of {@link declared}. */
export interface DeclaredOptions {
  /**
   * Only the objects of the Platform with this `name`. `""` selects the Platform without a name.
   * @default - the objects of all Platforms
   */
  readonly platform?: string;
}

/**
 * The providers and clusters that a stack declares. The result is the same with every engine.
 * @throws INVALID_SETTING if the input is no stack
 * @throws NOT_FOUND if the stack has no such Platform
 * @throws AMBIGUOUS_PLATFORM if two Platforms declare the same object, and no Platform is selected
 * @throws INVALID_DOCUMENT if this version of the package cannot read the stack
 */
export function declared(stack: SynthesizedInput, options: DeclaredOptions = {}): DeclaredStack {
  if (stack instanceof DeclaredStack) return stack;
  const synthesized = synthesizedIn(stack);
  const platforms = synthesizedPlatforms(synthesized);
  const all = synthesizedObjects(synthesized).sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
  const chosen = choose(
    all,
    platforms.map(({ prefix }) => prefix),
    options.platform,
  );
  const settings = new Map(platforms.map((platform) => [platform.prefix, platform.settings]));
  const describe = (object: SynthesizedObject): Declared => {
    const { spec, body } = declarationOf(object);
    const ofPlatform = settings.get(object.prefix);
    const id = idOf(object);
    return {
      ...(withoutSecrets(spec) as { name: string }),
      type: object.type,
      platform: platformOfPrefix(object.prefix),
      protected: ofPlatform !== undefined && isProtected(ofPlatform, id),
      retained: ofPlatform !== undefined && isRetained(ofPlatform, id),
      adopted: object.entry.adopt === true,
      waitsFor: dependenciesOf(synthesized, all, object),
      request: withoutSecrets(body) as Declared["request"],
    };
  };
  const ofKind = (kind: Kind) => {
    const objects = chosen.filter((object) => object.kind === kind);
    return Object.fromEntries(objects.map((object) => [keyOf(object, objects), describe(object)]));
  };
  return new DeclaredStack(ofKind("providers"), ofKind("clusters") as Record<string, DeclaredCluster>);
}

/** The result of {@link declared}. */
export class DeclaredStack {
  /**
   * Providers by name. If two types have a provider of the same name, each of the two has a key such as `capvs/providers/main`.
   */
  readonly providers: Readonly<Record<string, DeclaredProvider>>;
  /** Clusters by name. */
  readonly clusters: Readonly<Record<string, DeclaredCluster>>;

  /** @internal */
  constructor(providers: Readonly<Record<string, DeclaredProvider>>, clusters: Readonly<Record<string, DeclaredCluster>>) {
    this.providers = providers;
    this.clusters = clusters;
  }

  /**
   * @param name the name, or `type/clusters/name`
   * @throws NOT_FOUND, which names the nearest name
   */
  cluster(name: string): DeclaredCluster {
    return find(this.clusters, "clusters", name);
  }

  /**
   * @param name the name, or `type/providers/name`
   * @throws NOT_FOUND, which names the nearest name
   */
  provider(name: string): DeclaredProvider {
    return find(this.providers, "providers", name);
  }
}

function find<T extends Declared>(objects: Readonly<Record<string, T>>, kind: Kind, name: string): T {
  const found = lookUp(objects, kind, name);
  if (typeof found === "string") throw new ClusterPlatformError("NOT_FOUND", found);
  return found;
}

/** The object, or why there is none. */
export function lookUp<T extends Declared>(objects: Readonly<Record<string, T>>, kind: Kind, name: string): T | string {
  const idOfKey = ([key, { type }]: [string, T]) => (key.includes("/") ? key : idOf({ type, kind, name: key }));
  const found = Object.entries(objects).find((entry) => entry[0] === name || idOfKey(entry) === name);
  if (found) return found[1];
  const what = `there is no ${singular(kind)} '${name}'`;
  const same = Object.keys(objects).filter((key) => objects[key]!.name === name);
  if (same.length > 0) return `${what}, but ${same.join(" and ")}: write one of these`;
  return `${what}${hint(name, Object.keys(objects), `the stack declares no ${kind}`)}`;
}

/** The end of a sentence about a name that does not exist. */
export function hint(name: string, known: readonly string[], none: string): string {
  const near = nearest(name, known);
  if (near !== undefined) return `: did you mean '${near}'?`;
  return known.length === 0 ? `: ${none}` : `; there is ${known.map((each) => `'${each}'`).join(", ")}`;
}

function keyOf(object: SynthesizedObject, objects: readonly SynthesizedObject[]): string {
  return objects.filter(({ name }) => name === object.name).length > 1 ? idOf(object) : object.name;
}

function choose(
  objects: readonly SynthesizedObject[],
  prefixes: readonly string[],
  platform: string | undefined,
): readonly SynthesizedObject[] {
  if (platform !== undefined) {
    const prefix = platformPrefix(platform);
    if (prefixes.includes(prefix)) return objects.filter((object) => object.prefix === prefix);
    const names = prefixes.map(platformOfPrefix).filter((name) => name !== "");
    const none = prefixes.length === 0 ? "the stack has no Platform" : "the Platform of the stack has no name";
    throw new ClusterPlatformError("NOT_FOUND", `there is no Platform with the name '${platform}'${hint(platform, names, none)}`);
  }
  // The objects are sorted by their ids.
  const repeated = objects.find((object, index) => index > 0 && idOf(object) === idOf(objects[index - 1]!));
  if (repeated) {
    const same = objects.filter((object) => idOf(object) === idOf(repeated));
    const names = same.map(({ prefix }) => platformOfPrefix(prefix));
    throw new ClusterPlatformError(
      "AMBIGUOUS_PLATFORM",
      `${idOf(repeated)} is on several Platforms, with the names ${names.map((name) => `'${name}'`).join(" and ")}: ` +
        `select one, as in declared(stack, { platform: '${names.find((name) => name !== "")}' })`,
    );
  }
  return objects;
}

/** Secrets as text that names their source. */
export function withoutSecrets(value: unknown): unknown {
  if (isSecretReference(value)) return `<secret: ${sourceOf(value)}>`;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSecrets(item)]));
}

function sourceOf({ $secret }: SecretReference): string {
  if ("env" in $secret) return `environment variable ${$secret.env}`;
  if ("file" in $secret) return `file ${$secret.file}`;
  const [, reference] = /^\$\{([\w.-]+)\}$/.exec(String($secret.value)) ?? [];
  return reference === undefined ? "value in the stack" : reference;
}
