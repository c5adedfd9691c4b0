import { resolve } from "node:path";
import { type ITerraformDependable, TerraformStack } from "cdktf";
import { Construct, type IConstruct } from "constructs";
import { platformPrefix } from "../contract/addresses";
import type { DeclaredElsewhere } from "../contract/declared-elsewhere";
import { renderValue } from "../declarations/rules";
import { mayBeOneService } from "../model/base-url";
import { ClusterPlatformError, InvalidPropError } from "../model/errors";
import { refuseAnotherCdktf } from "./cdktf-copy";
import type { DeclaredObject } from "./declared-object";
import { dependOn, dependsOnProblems } from "./dependencies";
import { Engine, type PlatformResources } from "./engine";
import { HookResources } from "./hook-resources";
import { checkPlatformProps, hookSettings, type PlatformProps, withoutRefused } from "./platform-props";
import { ProviderResources } from "./provider-resources";
import { refuse } from "./refusal";
import { crossConstructProblems } from "./validation";

const PLATFORM = Symbol.for("cdktf-cluster-platform.Platform");
/** Lists of Platforms: of a stack, and of the scope that they are made in. */
const OF_STACK = Symbol.for("cdktf-cluster-platform.PlatformsOfStack");
const MADE_IN = Symbol.for("cdktf-cluster-platform.Platforms");
const PACKAGE = resolve(__dirname, "../..");

/**
 * The connection of one stack to the management service. Constructs of objects can be renamed, moved and removed freely, because
 * the Terraform address of an object comes from its name and its Platform. The Platform itself must stay as long as it has
 * objects; {@link RetiredPlatform} replaces it otherwise.
 */
export class Platform extends Construct implements ITerraformDependable {
  /**
   * The nearest Platform of a scope. The search begins at the scope and goes up to the stack. At each step it takes the construct
   * itself if that is a Platform, else the Platform that is its child.
   * @throws MISSING_PLATFORM if there is none
   * @throws AMBIGUOUS_PLATFORM if the nearest scope has several
   */
  static of(scope: Construct): Platform {
    return nearest(scope, scope.node.path);
  }

  /** Whether `value` is a Platform. It may come from another copy of this package. */
  static isPlatform(value: unknown): value is Platform {
    return typeof value === "object" && value !== null && PLATFORM in value;
  }

  /**
   * The Platform of that name in the stack of a construct. The construct itself does not count.
   * @internal
   */
  static _named(name: string | undefined, beside: Construct): Platform | undefined {
    return platformsOf(TerraformStack.of(beside)).find((node) => node !== beside && node._name === name);
  }

  /**
   * The objects that the stack's other Platforms declare, and that may be on the service of this URL. Only a run knows the URLs
   * that come from its environment.
   * @internal
   */
  static _objectsBeside(construct: Construct, url: string | undefined): DeclaredElsewhere<DeclaredObject>[] {
    const others = platformsOf(TerraformStack.of(construct)).filter((platform) => platform !== construct);
    return onService(url, others).map(({ _url = "", _objects }) => ({ url: _url, objects: _objects }));
  }

  /**
   * The Platform of a new construct: the one that its props choose, else the nearest.
   * @param path of the new construct, which may not exist yet
   * @throws INVALID_PROP if it cannot carry the construct
   * @internal
   */
  static _for(scope: Construct, path: string, chosen: unknown): Platform {
    const platform = chosen ?? nearest(scope, path);
    if (!Platform.isPlatform(platform)) {
      throw new InvalidPropError(path, `'platform' must be a Platform, got ${renderValue(platform)}`);
    }
    if (!(platform instanceof Platform)) throw new InvalidPropError(path, anotherCopy(platform));
    if (TerraformStack.of(scope) === TerraformStack.of(platform)) return platform;
    throw new InvalidPropError(path, `'platform' must be in the same stack, got one of '${TerraformStack.of(platform).node.id}'`);
  }

  private readonly [PLATFORM] = PACKAGE;
  /** @internal */
  readonly _resources: PlatformResources;
  /** @internal */
  readonly _name: string | undefined;
  /** @internal */
  readonly _url: string | undefined;
  /** @internal The objects that are declared on it so far. */
  readonly _objects: DeclaredObject[] = [];

  /**
   * @throws INVALID_PROP if another Platform of the stack has the name
   * @throws CDKTF_MISMATCH if the stack comes from another version of cdktf than the one that this package loads
   */
  constructor(scope: Construct, id: string, given: PlatformProps = {}) {
    super(scope, id);
    refuseAnotherCdktf(this);
    const problems = [...checkPlatformProps(given), ...dependsOnProblems(given?.dependsOn, this.node.scopes)];
    refuse(this, problems);
    const props = problems.length === 0 ? given : withoutRefused(given);
    this._name = props.name;
    this._url = props.url;
    this.refuseRepeatedName();
    platformsIn(scope, MADE_IN).push(this);
    platformsIn(TerraformStack.of(this), OF_STACK).push(this);

    const { engine = Engine.NULL_RESOURCE, dependsOn } = props;
    const common = {
      migrateFrom: props.migrateFrom,
      prefix: platformPrefix(props.name),
      settings: hookSettings(this, props),
      objects: () => this._objects,
      elsewhere: () => Platform._objectsBeside(this, props.url),
    };
    this._resources =
      engine === Engine.PROVIDER
        ? new ProviderResources(this, "resources", common)
        : new HookResources(this, "resources", { engine, ...common });
    dependOn(this, dependsOn);
    this.node.addValidation({
      validate: () =>
        crossConstructProblems({
          stack: TerraformStack.of(this),
          platformPath: this.node.path,
          own: this._objects,
          ofService: onService(props.url, platformsOf(TerraformStack.of(this))).flatMap(({ _objects }) => _objects),
          elements: this._resources.elements(),
          waitingBlocks: this._resources.waitingBlocks?.() ?? [],
        }),
    });
  }

  /**
   * Address for `dependsOn` of other resources, which Terraform creates after all objects of the Platform exist and its clusters
   * are ready.
   */
  get fqn(): string {
    return this._resources.allReady().fqn;
  }

  private refuseRepeatedName(): void {
    const other = Platform._named(this._name, this);
    if (!other) return;
    const problem =
      this._name === undefined
        ? `'name' must be given to the second Platform of a stack, as in name: "eu", because ${other.node.path} has none`
        : `'name' must be unique in the stack, but ${other.node.path} has the name "${this._name}" already`;
    throw new InvalidPropError(this.node.path, problem);
  }

  /** @internal */
  _declare(object: DeclaredObject, construct: Construct): void {
    this._objects.push(object);
    this._resources.declare(object, construct);
  }
}

/** @param path of the construct that needs it, for errors */
function nearest(scope: Construct, path: string): Platform {
  const stack = TerraformStack.of(scope);
  for (const ancestor of scope.node.scopes.reverse()) {
    if (Platform.isPlatform(ancestor)) return ancestor;
    const platforms = platformsIn(ancestor as Construct, MADE_IN).filter(isInTree);
    if (platforms.length === 1) return platforms[0]!;
    if (platforms.length > 1) {
      throw new ClusterPlatformError(
        "AMBIGUOUS_PLATFORM",
        `${path}: there are ${platforms.length} Platforms in '${ancestor.node.path}' (${platforms.map(({ node }) => node.id).join(", ")}); choose one with the prop 'platform'`,
      );
    }
    if (ancestor === stack) break;
  }
  const others = platformsOf(stack).map(({ node }) => node.path);
  throw new ClusterPlatformError(
    "MISSING_PLATFORM",
    others.length === 0
      ? `${path}: no Platform in the stack '${stack.node.id}'; make one first, as in new Platform(this, "platform", { url: "https://platform.example.com" })`
      : `${path}: no Platform in the scopes of this construct; the stack has ${others.join(", ")}: choose one with the prop 'platform', or make this construct beside it`,
  );
}

function anotherCopy(platform: Platform): string {
  return (
    `the Platform ${platform.node.path} comes from another copy of cdktf-cluster-platform (${String(platform[PLATFORM])}) than this construct ` +
    `(${PACKAGE}). Keep one: \`npm ls cdktf-cluster-platform\` shows which package depends on the other; make both depend on the same version, ` +
    "then run `npm dedupe`"
  );
}

/** The Platforms that may have the service of this URL. */
function onService(url: string | undefined, platforms: readonly Platform[]): Platform[] {
  return platforms.filter(({ _url }) => mayBeOneService(url, _url));
}

/** A search of the stack's tree would be slow, because every block of every Platform asks. */
function platformsOf(stack: TerraformStack): Platform[] {
  return platformsIn(stack, OF_STACK).filter(({ node }) => node.scopes.every(isInTree));
}

/** Whether its scope still has the construct as a child. */
function isInTree({ node }: IConstruct): boolean {
  return node.scope === undefined || node.scope.node.tryFindChild(node.id)?.node === node;
}

/** The list that a construct keeps. Another copy of this package uses it, too. */
function platformsIn(construct: Construct, list: symbol): Platform[] {
  const holder = construct as Construct & { [list: symbol]: Platform[] };
  if (!holder[list]) Object.defineProperty(holder, list, { value: [] });
  return holder[list]!;
}
