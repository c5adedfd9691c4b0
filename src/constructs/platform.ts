import { Annotations, type ITerraformDependable, TerraformStack } from "cdktf";
import { Construct, type IConstruct } from "constructs";
import { platformPrefix } from "../contract/addresses";
import { renderValue } from "../declarations/rules";
import { misspelledNames } from "../declarations/warnings";
import { baseUrlIn } from "../model/base-url";
import { ClusterPlatformError } from "../model/errors";
import { isExact } from "../model/protection";
import { refuseAnotherCdk } from "./synth/another-cdk";
import type { DeclaredObject } from "./synth/declared-object";
import { dependencyProblemsOfOtherStacks, dependOn, dependsOnProblems } from "./synth/dependencies";
import { Engine } from "./engine";
import { type PlatformResources } from "./synth/platform-resources";
import { HookResources } from "./hook-engine/hook-resources";
import { checkPlatformProps, platformSettings, type PlatformProps, withoutRefused } from "./platform-props";
import { ProviderResources } from "./provider-engine/provider-resources";
import { PACKAGE } from "./synth/package-files";
import { refuseTokenInPath } from "./synth/plain-values";
import { refuse, refuseAtSynth } from "./synth/refusal";
import { crossConstructProblems } from "./synth/validation";

const PLATFORM = Symbol.for("cdktf-cluster-platform.Platform");
/** Lists of Platforms: of a stack, and of the scope that they are made in. */
const OF_STACK = Symbol.for("cdktf-cluster-platform.PlatformsOfStack");
const MADE_IN = Symbol.for("cdktf-cluster-platform.Platforms");

/**
 * The connection of one stack to the management service. Constructs of objects can be renamed, moved and removed freely, because
 * the Terraform address of an object comes from its name and its Platform. The Platform itself must stay until an apply has
 * deleted its objects: remove their constructs, deploy, and then remove the Platform. If it leaves earlier, with hooks Terraform
 * forgets the objects and they stay on the service, and with {@link Engine.PROVIDER} the plan is refused.
 */
export class Platform extends Construct implements ITerraformDependable {
  /**
   * The nearest Platform of a scope. The search begins at the scope and goes up to the stack. At each step it takes the construct
   * itself if that is a Platform, else the Platform that is its child.
   * @throws MISSING_PLATFORM if there is none
   * @throws AMBIGUOUS_PLATFORM if the nearest scope has several
   */
  static of(scope: Construct): Platform {
    const found = nearest(scope);
    if (Platform.isPlatform(found)) return found;
    throw new ClusterPlatformError(found.code, `${scope.node.path}: ${found.problem}`);
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
   * The Platform of a new construct: the one that its props choose, else the nearest. If neither can carry the construct, a
   * stand-in and the problem.
   * @internal
   */
  static _for(scope: Construct, chosen: unknown): readonly [platform: Platform, problems: readonly string[]] {
    const stack = TerraformStack.of(scope);
    const platform: unknown = chosen ?? nearest(scope);
    const problem = unusable(platform, stack);
    if (problem === undefined) return [platform as Platform, []];
    // Once for all constructs of the stack, because one Platform is the way out for all of them.
    const isOfStack = platform instanceof NoPlatform && platformsOf(stack).length === 0;
    if (isOfStack) refuse(stack, [problem]);
    return [Platform._standIn(stack), isOfStack ? [] : [problem]];
  }

  /**
   * A Platform for objects and data without a usable one, so that their constructors can go on. The synth fails.
   * @internal
   */
  static _standIn(stack: TerraformStack): Platform {
    const id = "cluster-platform-stand-in";
    const props = { name: "stand_in", url: "https://stand-in.invalid", engine: Engine.PROVIDER };
    return (stack.node.tryFindChild(id) as Platform | undefined) ?? new StandIn(stack, id, props);
  }

  private readonly [PLATFORM] = PACKAGE;
  /** @internal */
  readonly _resources: PlatformResources;
  /** @internal */
  readonly _name: string | undefined;
  /** @internal */
  readonly _url: string | undefined;
  private readonly declared = new Map<DeclaredObject, Construct>();
  /** @internal Objects whose props are refused. Only their names count. */
  readonly _refused = new Map<DeclaredObject, Construct>();

  /**
   * @throws CDKTF_MISMATCH if the stack comes from another CDK, or another version of it, than this package loads
   */
  constructor(scope: Construct, id: string, given: PlatformProps = {}) {
    super(scope, id);
    refuseAnotherCdk(this);
    refuseTokenInPath(this);
    const problems = [...checkPlatformProps(given), ...dependsOnProblems(given?.dependsOn, this.node.scopes)];
    refuse(this, problems);
    const { name, ...props } = problems.length === 0 ? given : withoutRefused(given);
    const repeated = this.repeatedName(name);
    this._name = repeated.length === 0 ? name : `${name ?? ""}_refused_${this.node.addr}`;
    this._url = typeof given?.url === "string" ? given.url : undefined;
    refuse(this, [...repeated, ...this.repeatedUrl()]);
    this._join(scope);

    const { engine = Engine.NULL_RESOURCE, dependsOn } = props;
    const common = {
      prefix: platformPrefix(this._name),
      settings: platformSettings(this, { ...props, name: this._name }, () => this.others().flatMap(({ _url = [] }) => _url)),
      objects: () => this._objects,
    };
    this._resources =
      engine === Engine.PROVIDER
        ? new ProviderResources(this, "resources", common)
        : new HookResources(this, "resources", { engine, ...common });
    dependOn(this, dependsOn);
    this.node.addValidation({ validate: () => this.warnOfNames(props) });
    refuseAtSynth(this, () => [
      ...crossConstructProblems({
        stack: TerraformStack.of(this),
        platformPath: this.node.path,
        own: namedOn(this),
        elements: this._resources.elements(),
        waitingBlocks: this._resources.waitingBlocks?.() ?? [],
      }),
      ...dependencyProblemsOfOtherStacks(TerraformStack.of(this), (construct) =>
        [construct, (construct as { readonly platform?: unknown }).platform].includes(this),
      ),
    ]);
  }

  /**
   * Address for `dependsOn` of other resources, which Terraform creates after all objects of the Platform exist and its clusters
   * are ready.
   */
  get fqn(): string {
    return this._resources.allReady().fqn;
  }

  private repeatedName(name: string | undefined): string[] {
    const other = Platform._named(name, this);
    if (!other) return [];
    return [
      name === undefined
        ? `'name' must be given to the second Platform of a stack, as in name: "eu", because ${other.node.path} has none`
        : `'name' must be unique in the stack, but ${other.node.path} has the name "${name}" already`,
    ];
  }

  /** The finished program has all names. */
  private warnOfNames({ deletionProtection, allowDeletion = [], retain = [] }: PlatformProps): string[] {
    const patterns = Array.isArray(deletionProtection) ? deletionProtection : [];
    const lists = { deletionProtection: patterns.filter(isExact), allowDeletion, retain };
    const warnings = Object.entries(lists).flatMap(([setting, names]) => misspelledNames(setting, names, namedOn(this)));
    // A program may be synthesized several times.
    const given = new Set(this.node.metadata.map(({ data }) => data as unknown));
    for (const warning of warnings.filter((text) => !given.has(text))) Annotations.of(this).addWarning(warning);
    return [];
  }

  private repeatedUrl(): string[] {
    const url = this._url;
    const other = this.others().find(({ _url }) => (baseUrlIn(_url) ?? _url) === (baseUrlIn(url) ?? url));
    if (!other) return [];
    return [
      url === undefined
        ? `'url' must be given, because ${other.node.path} leaves it to CLUSTER_PLATFORM_URL already, and a stack has one Platform per service`
        : `'url' must be that of another service than ${other.node.path} has, because a stack has one Platform per service, got ${url}`,
    ];
  }

  private others(): Platform[] {
    return platformsOf(TerraformStack.of(this)).filter((platform) => platform !== this);
  }

  /** @internal The objects that are declared on it so far. */
  get _objects(): DeclaredObject[] {
    return inStack(this.declared);
  }

  /** @internal So that constructs find it. */
  protected _join(scope: Construct): void {
    platformsIn(scope, MADE_IN).push(this);
    platformsIn(TerraformStack.of(this), OF_STACK).push(this);
  }

  /** @internal */
  _declare(object: DeclaredObject, construct: Construct): void {
    this.declared.set(object, construct);
    this._resources.declare(object, construct);
  }
}

/** No construct finds it. */
class StandIn extends Platform {
  protected override _join(): void {}
}

/** Why a Platform cannot carry objects of the stack. Undefined if it can. */
function unusable(platform: unknown, stack: TerraformStack): string | undefined {
  if (platform instanceof NoPlatform) return platform.problem;
  if (!Platform.isPlatform(platform)) return `'platform' must be a Platform, got ${renderValue(platform)}`;
  if (!(platform instanceof Platform)) return anotherCopy(platform);
  const of = TerraformStack.of(platform);
  return of === stack ? undefined : `'platform' must be in the same stack, got one of '${of.node.id}'`;
}

class NoPlatform {
  constructor(
    readonly code: "MISSING_PLATFORM" | "AMBIGUOUS_PLATFORM",
    readonly problem: string,
  ) {}
}

function nearest(scope: Construct): Platform | NoPlatform {
  const stack = TerraformStack.of(scope);
  for (const ancestor of scope.node.scopes.reverse()) {
    if (Platform.isPlatform(ancestor)) return ancestor;
    const platforms = platformsIn(ancestor as Construct, MADE_IN).filter(isInTree);
    if (platforms.length === 1) return platforms[0]!;
    if (platforms.length > 1) {
      const ids = platforms.map(({ node }) => node.id).join(", ");
      const problem = `there are ${platforms.length} Platforms in '${ancestor.node.path}' (${ids}); choose one with the prop 'platform'`;
      return new NoPlatform("AMBIGUOUS_PLATFORM", problem);
    }
    if (ancestor === stack) break;
  }
  const others = platformsOf(stack).map(({ node }) => node.path);
  if (others.length > 0) {
    const problem = `no Platform in the scopes of this construct; the stack has ${others.join(", ")}: choose one with the prop 'platform', or make this construct beside it`;
    return new NoPlatform("MISSING_PLATFORM", problem);
  }
  const problem = `no Platform in the stack '${stack.node.id}' yet; make one before its providers and clusters, as in new Platform(this, "platform", { url: "https://platform.example.com" })`;
  return new NoPlatform("MISSING_PLATFORM", problem);
}

function anotherCopy(platform: Platform): string {
  return (
    `the Platform ${platform.node.path} comes from another copy of cdktf-cluster-platform (${String(platform[PLATFORM])}) than this construct ` +
    `(${PACKAGE}). Keep one: \`npm ls cdktf-cluster-platform\` shows which package depends on the other; make both depend on the same version, ` +
    "then run `npm dedupe`"
  );
}

function namedOn({ _objects, _refused }: Platform): DeclaredObject[] {
  return [..._objects, ...inStack(_refused)];
}

/** Without the objects of constructs that have left the tree. */
function inStack(objects: ReadonlyMap<DeclaredObject, Construct>): DeclaredObject[] {
  return [...objects].filter(([, construct]) => isInStack(construct)).map(([object]) => object);
}

/** A search of the stack's tree would be slow, because every block of every Platform asks. */
function platformsOf(stack: TerraformStack): Platform[] {
  return platformsIn(stack, OF_STACK).filter(isInStack);
}

export function isInStack({ node }: IConstruct): boolean {
  return node.scopes.every(isInTree);
}

/** Whether its scope still has the construct as a child. */
function isInTree({ node }: IConstruct): boolean {
  return node.scope === undefined || node.scope.node.tryFindChild(node.id)?.node === node;
}

/** A list that a construct keeps. Another copy of this package uses it, too. */
function platformsIn(construct: Construct, list: symbol): Platform[] {
  const holder = construct as Construct & { [list: symbol]: Platform[] };
  if (!holder[list]) Object.defineProperty(holder, list, { value: [] });
  return holder[list]!;
}
