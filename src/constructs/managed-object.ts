import { Annotations, Lazy, type TerraformResource, type TerraformResourceLifecycle, Token } from "cdktf";
import { Construct } from "constructs";
import { instanceAddress } from "../contract/addresses";
import { flatten } from "../declarations/declaration";
import { isName } from "../model/object-name";
import { idOf, objectId } from "../model/object-ref";
import { allowDeletionLine, DEFAULT_PROTECTION, isProtected, retainLine } from "../model/protection";
import type { JsonObject, Kind, TypeCode } from "../model/provider-type";
import type { ObjectType } from "../declarations/object-type";
import { overrideProblems } from "../declarations/override-rules";
import { type Problem, problemsOf, renderValue } from "../declarations/rules";
import { sizesOfAnotherType } from "../declarations/sizes";
import { objectTypeOf } from "../declarations/types";
import { bareSecrets } from "./synth/bare-secrets";
import { CONSTRUCT_FOR_EACH, type DeclaredObject, problemOf } from "./synth/declared-object";
import { type Dependency, dependOn, dependsOnProblems } from "./synth/dependencies";
import { type LiveAttributes, providerRule } from "./synth/platform-resources";
import { refusedSecrets, refuseTokenInPath, unsendable } from "./synth/plain-values";
import { isInStack, Platform } from "./platform";
import { lineOfCaller, refuse, refuseAtSynth } from "./synth/refusal";
import { insteadOfLifecycle, lifecycleProblems, rendered } from "./synth/resource-lifecycle";
import { sharedAddressWarnings } from "./synth/shared-addresses";
import { holdsToken, isAboutToken, isBrokenToken, isToken, textsOf, toSpec, withoutTokens } from "./synth/tokens";

/** Props of providers and clusters of every type. */
export interface ManagedObjectProps {
  /** The Platform that carries the object. @default - `Platform.of(this)` */
  readonly platform?: Platform;
  /**
   * Adopts a live object of this name, instead of failing because the name is taken. Every field that the service's lists show
   * must match, else the apply refuses and names the differences. Without such an object, the apply creates it. Remove the prop
   * after the apply; its removal changes nothing.
   * @default false
   */
  readonly adopt?: boolean;
  /**
   * Fields that are merged deeply over the request body, for fields that the service's interface does not show. Lists are
   * replaced. A {@link Secret} may be the value of any string. Values may be tokens, except under a key that names a credential,
   * such as `password`, `token` or `key`: Terraform would keep the value in plans and state, so synth refuses it. Use
   * `Secret.fromToken` there. Literals under such a key are in code, plan and state, too. Changing it replaces the object.
   * @default - no field is changed
   */
  readonly bodyOverrides?: { [field: string]: unknown };
  /**
   * Constructs that Terraform creates before the object and deletes after it: resources, data sources, modules, providers,
   * clusters (until they are ready), Platforms, or constructs that contain these. For a local, these are the resources that its
   * value refers to. For a construct in another stack, the whole stack waits. With hooks, all objects of the same kind and
   * type on the Platform wait. Changing it replaces nothing.
   * @default - a cluster waits for its provider
   */
  readonly dependsOn?: Dependency[];
  /**
   * {@link Engine.PROVIDER} only. Terraform's `lifecycle`, as on any resource of cdktf. `ignoreChanges` takes props, as in
   * `controlPlane`, or Terraform's paths, as in `control_plane.count`, or `"all"` for all props. `createBeforeDestroy` is refused,
   * because names are unique. Changing it replaces nothing.
   * @default - none
   */
  readonly lifecycle?: TerraformResourceLifecycle;
}

const LOOP = `the name of an object must be known at synth. ${CONSTRUCT_FOR_EACH}`;
const REMOTE = "nothing runs on an object. Use a resource that depends on it";
/** Arguments of Terraform's resources that objects do not take, with the reasons. */
const NOT_HERE: Readonly<Record<string, string>> = { count: LOOP, forEach: LOOP, provisioners: REMOTE, connection: REMOTE };

/** Props of constructs that are in no request. */
const OF_CONSTRUCTS = ["platform", "adopt", "dependsOn", "lifecycle"];

/** Settings of a Platform, which say something about its objects. The line to write there, for an object. */
const ON_PLATFORM: Readonly<Record<string, (id: string, value: unknown) => string>> = {
  retain: (id, value) => writeUnless(value === false, retainLine({ retain: [] }, [id], [id])),
  allowDeletion: (id, value) => writeUnless(value === false, allowDeletionLine({ allowDeletion: [] }, [id], [id])),
  deletionProtection: (id, value) => {
    const isByDefault = isProtected({ deletionProtection: DEFAULT_PROTECTION, allowDeletion: [] }, id);
    if (value === false)
      return isByDefault ? write(allowDeletionLine({ allowDeletion: [] }, [id], [id])) : "Providers are not protected by default";
    if (isByDefault) return "Clusters are protected by default";
    return write(`deletionProtection: [${[...DEFAULT_PROTECTION, id].map((each) => JSON.stringify(each)).join(", ")}]`);
  },
};

/** Tokens, which cause no other problem. The synth fails anyway. */
const unknown = Lazy.anyValue({ produce: () => null });
const REFUSED_LIVE: LiveAttributes = {
  endpoint: () => Token.asString(unknown),
  phase: () => Token.asString(unknown),
  kubernetesVersions: () => Token.asList(unknown),
};

function removedPlatform({ node }: Platform): string {
  return `its Platform ${node.path} has left the tree, so nothing would declare the object. Keep the Platform, or remove this construct, too`;
}

function writeUnless(isOff: boolean, line: string): string {
  return isOff ? "Remove it here" : write(line);
}

function write(line: string): string {
  return `Write ${line} there`;
}

/** The other props, and the problems with arguments of Terraform's resources and with props of a Platform. */
function withoutMisplaced(given: JsonObject, type: TypeCode, kind: Kind): [declared: JsonObject, problems: string[]] {
  const problems: string[] = [];
  const declared = Object.entries(given).filter(([prop, value]) => {
    if (Object.hasOwn(NOT_HERE, prop)) problems.push(`'${prop}' is not a prop here, because ${NOT_HERE[prop]}`);
    else if (Object.hasOwn(ON_PLATFORM, prop)) {
      const line = ON_PLATFORM[prop]!(objectId(type, kind, String(given.name)), value);
      problems.push(`'${prop}' is not a prop here, it belongs on the Platform. ${line}`);
    } else return true;
    return false;
  });
  return [Object.fromEntries(declared), problems];
}

/**
 * A declared provider or cluster. Its address in Terraform comes from its name and its {@link Platform}, not from the path of the
 * construct.
 */
export abstract class ManagedObject extends Construct {
  /** Code of the provider type in request paths. */
  readonly providerType: TypeCode;
  /** The Platform that carries the object. */
  readonly platform: Platform;
  /** @internal */
  readonly _declared: DeclaredObject;
  /** Address for `dependsOn` of other resources. */
  abstract get fqn(): string;

  /**
   * The object as `type/kind/name`, for example `capvs/clusters/prod`. It is the same text with every engine, and no token.
   * `terraform import`, {@link PlatformProps.allowDeletion}, {@link PlatformProps.retain} and `CLUSTER_PLATFORM_ADOPT` take it. A
   * resource that uses it does not wait for the object.
   */
  get id(): string {
    return idOf(this._declared);
  }

  /**
   * A token that changes when Terraform creates or adopts the object again, as the `uid` of an object of Kubernetes does. In
   * `triggersReplace` of a resource, it makes Terraform replace that resource too. The uid of a cluster is known when the cluster is
   * ready, and its first read adds the resource that waits for the cluster to the stack. It is the same after a change of
   * `deletionProtection` and a move in the state. Another engine changes it. With {@link Engine.PROVIDER}, an import changes it, too.
   */
  get uid(): string {
    return this.platform._resources.uid(this._declared);
  }

  protected constructor(
    scope: Construct,
    id: string,
    type: TypeCode,
    kind: Kind,
    props: ManagedObjectProps & { readonly [prop: string]: unknown },
    more: Pick<DeclaredObject, "provider" | "byName" | "waitForReady" | "offeredVersions"> = {},
    /** Reported alone, because it causes most of the other problems. */
    firstProblem?: string,
  ) {
    super(scope, id);
    refuseTokenInPath(this);
    const { platform, adopt, dependsOn, lifecycle, ...given } = props ?? {};
    this.providerType = type;
    const [onPlatform, unusable] = Platform._for(scope, platform);
    this.platform = onPlatform;
    refuseAtSynth(this, () => (isInStack(onPlatform) ? [] : [problemOf(this._declared, removedPlatform(onPlatform))]));

    const objectType = objectTypeOf(type, kind);
    const [declared, misplaced] = withoutMisplaced(given, type, kind);
    const foreign = unsendable(declared);
    const spec = foreign.length === 0 ? (toSpec(declared, this) as JsonObject & { name: string }) : undefined;
    const problems = [
      ...unusable,
      ...(firstProblem !== undefined
        ? [firstProblem]
        : [
            ...misplaced,
            ...dependsOnProblems(dependsOn, [...this.node.scopes, this.platform]),
            ...lifecycleProblems(lifecycle, objectType, this),
            ...(spec === undefined ? foreign : [...refusedSecrets(declared), ...this.problems(objectType, spec, adopt)]),
          ]),
    ];
    if (spec === undefined || problems.length > 0) {
      refuse(this, problems);
      const name = typeof declared.name === "string" && isName(declared.name) ? declared.name : "refused";
      this._declared = {
        type,
        kind,
        name,
        path: this.node.path,
        line: lineOfCaller(),
        spec: { name },
        hasTokens: false,
        triggers: {},
      };
      this.platform._resources.declare(this._declared, this);
      if (name === declared.name) this.platform._refused.set(this._declared, this);
      return;
    }
    const declaration: DeclaredObject = {
      type,
      kind,
      name: spec.name,
      path: this.node.path,
      line: lineOfCaller(),
      spec,
      hasTokens: holdsToken(spec),
      triggers: flatten(objectType, textsOf(spec), isToken),
      adopt,
      ...more,
    };
    const warnings = [
      ...objectType.warnings(withoutTokens(spec) as JsonObject),
      ...sharedAddressWarnings(declaration, this.platform),
    ];
    for (const warning of warnings) Annotations.of(this).addWarning(warning);
    this._declared = declaration;
    this.platform._declare(declaration, this);
    dependOn(this, dependsOn);
    if (lifecycle && Object.keys(lifecycle).length > 0) {
      const resource = this.resource("'lifecycle'", insteadOfLifecycle(lifecycle));
      if (resource === undefined) return;
      resource.lifecycle = rendered(lifecycle, objectType, (trigger) =>
        trigger instanceof ManagedObject ? trigger.identity : undefined,
      );
    }
  }

  /**
   * {@link Engine.PROVIDER} only. Replaces an argument of the object's block in Terraform, as on any resource of cdktf. For a
   * field of the request use {@link ManagedObjectProps.bodyOverrides}. What the construct or the Platform decides is refused:
   * `count`, `for_each`, `provider`, `name`, `provider_name`, `deletion_protection` and `adopt`.
   * @param path Names of Terraform with dots between them, as in `control_plane.count`
   */
  addOverride(path: string, value: unknown): void {
    const problems = isPath(path)
      ? unsendable(value, [path])
      : [`'path' must be names of Terraform with dots between them, got ${renderValue(path)}`];
    refuse(this, problems);
    const resource = this.resource("addOverride", ["For a field of the request, use bodyOverrides"]);
    if (problems.length === 0) resource?.addOverride(path, value);
  }

  /**
   * {@link Engine.PROVIDER} only. Moves the object in the state from another address with a `moved` block, for example after a
   * change of the Platform's name. No request is sent. A construct that moves in the tree needs no such block. There is no
   * `moveTo`, because it needs a second construct with the same name.
   * @param address The address in the state, as in `clusterplatform_capvs_cluster.prod`
   */
  moveFromId(address: string): void {
    const to = instanceAddress(this.platform._resources.addressOf(this._declared), this._declared.name);
    const instead = `Write stack.addOverride("moved", [{ from: 'ADDRESS', to: '${to}' }])`;
    const resource = this.resource("moveFromId", [instead]);
    if (typeof address !== "string" || !/^\w+\./.test(address)) {
      refuse(this, [`moveFromId: 'address' must be an address in the state, got ${renderValue(address)}`]);
    } else if (resource?.hasResourceMove()) refuse(this, ["moveFromId must be called once"]);
    else resource?.moveFromId(address);
  }

  /**
   * {@link Engine.PROVIDER} only. Imports a live object into the state with an `import` block. Every field that the service's lists
   * show must match, else the plan is refused and names the differences. The plan is also refused if the object does not exist;
   * {@link ManagedObjectProps.adopt} would create it. Remove the call after the apply; its removal changes nothing.
   * @param id The object's name, or `type/kind/name`
   */
  importFrom(id: string = this.id): void {
    const known = [this._declared.name, this.id];
    const resource = this.resource("importFrom", ["Use adopt: true"]);
    if (known.includes(id)) resource?.importFrom(id);
    else refuse(this, [`importFrom: 'id' must be ${known.join(" or ")}, got ${renderValue(id)}`]);
  }

  /**
   * The resource that carries only this object. Without one, the use is refused.
   * @param instead what to do without such a resource, in sentences without full stops
   */
  private resource(what: string, instead: readonly string[]): TerraformResource | undefined {
    const { resourceOf } = this.platform._resources;
    if (resourceOf) return resourceOf(this._declared);
    const reason = "with hooks, the objects of a type share one block, whose arguments apply to all of them";
    refuse(this, [providerRule(`${what} needs`, this.platform.node.path, [reason, ...instead].join(". "))]);
    return undefined;
  }

  /** Like {@link uid}. With {@link Engine.PROVIDER}, it does not wait until a cluster is ready. */
  private get identity(): string {
    const { resourceOf } = this.platform._resources;
    return resourceOf ? resourceOf(this._declared).getStringAttribute("uid") : this.uid;
  }

  private problems(objectType: ObjectType, spec: JsonObject & { name: string }, adopt: unknown): string[] {
    const known = (problem: Problem) => problem.holdsForTokens === true || !isAboutToken(problem, spec);
    const broken = problemsOf(objectType.spec, spec, OF_CONSTRUCTS).filter(known);
    const otherSizes = sizesOfAnotherType(this.providerType, spec, broken, known);
    if (otherSizes !== undefined) return [otherSizes];
    const structured = objectType.structure.map(({ prop }) => prop);
    const writtenOut = Object.fromEntries(
      Object.entries(spec).filter(([prop, value]) => !structured.includes(prop) || !isToken(value)),
    );
    const secrets = bareSecrets(objectType.spec, writtenOut);
    const notWrittenOut = structured
      .flatMap((prop) => tokensAt(prop, spec[prop]))
      .filter((place) => !secrets.some((problem) => problem.startsWith(`'${place}'`)));
    return [
      ...(isToken(spec.name)
        ? ["'name' must be known at synth, because it is the key of the object in Terraform's state, got a token"]
        : []),
      ...notWrittenOut.map(
        (place) =>
          `'${place}' must be written out, so that a plan can show what changes in it, got a token; its fields may be tokens`,
      ),
      ...(adopt !== undefined && typeof adopt !== "boolean" ? [`'adopt' must be true or false, got ${renderValue(adopt)}`] : []),
      ...[...broken, ...overrideProblems(objectType, spec, isToken)].map(({ message }) => message),
      ...secrets,
    ];
  }

  /** @internal An engine without `attribute` refuses the use. */
  protected _live(attribute: keyof LiveAttributes): LiveAttributes {
    const { live } = this.platform._resources;
    if (live) return live;
    refuse(this, [providerRule(`'${attribute}' is known only with`, this.platform.node.path)]);
    return REFUSED_LIVE;
  }
}

function isPath(path: unknown): boolean {
  return (
    typeof path === "string" &&
    /^[a-z]\w*(\.[^.]+)*$/.test(path) &&
    !path.includes("__proto__") &&
    !isBrokenToken(path) &&
    !isToken(path)
  );
}

/** Where a prop, or an item of it, is a token. */
function tokensAt(prop: string, value: unknown): string[] {
  if (isToken(value)) return [prop];
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index) => (isToken(item) ? [`${prop}[${index}]`] : []));
}
