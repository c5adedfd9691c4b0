import { gzipSync } from "node:zlib";
import { Lazy, ref, TerraformElement, TerraformLocal, TerraformResource, TerraformStack, Token } from "cdktf";
import { Construct } from "constructs";
import {
  blockAddress,
  blockId,
  type ClusterSupportResource,
  clusterSupportId,
  declarationsLocalId,
  instanceAddress,
  supportId,
  supportAddress,
  type SupportResource,
  triggersAttribute,
} from "../../contract/addresses";
import { CHUNK_CHARACTERS, HOOK_ENV, type HookBlock, type HookExpectation } from "../../contract/hook-protocol";
import { idOf, objectId, type ObjectRef } from "../../model/object-ref";
import { KINDS, TYPE_CODES, type Kind, type TypeCode } from "../../model/provider-type";
import { objectTypeOf } from "../../declarations/types";
import type { DeclaredObject } from "../synth/declared-object";
import { dependenciesOf, waitForDependencies } from "../synth/dependencies";
import {
  compressed,
  deleteHook,
  digestOfObject,
  destroyAllHook,
  fitsIntoHook,
  snapshotHook,
  snapshotOf,
  type SnapshotCommand,
} from "./destroy-hooks";
import { Engine, type HookEngine } from "../engine";
import { type PlatformResources, type PlatformResourcesProps } from "../synth/platform-resources";
import { Entries, hasTokens } from "./entries";
import { hookBlock, TERRAFORM_DATA } from "./hook-block";
import { ENVIRONMENT_BYTES, HookProgram } from "./hook-program";
import { needsOf } from "./needs";
import { fixArguments } from "../synth/fixed-arguments";
import { fixLogicalId } from "../synth/logical-id";
import { bringNullProvider } from "./null-provider";
import { dropPlugin } from "../provider-engine/plugin-mirror";
import { literalPieces, piecesOf } from "./pieces";
import { type Precondition, preconditions } from "./preconditions";
import { refuse, refuseAtSynth } from "../synth/refusal";
import { escapeLiterals, withoutTokens } from "../synth/tokens";

export interface HookResourcesProps extends PlatformResourcesProps {
  readonly engine: HookEngine;
}

/**
 * A Platform as resources with hooks. Each provider type has a block of providers and a block of clusters, with an instance per
 * object and the object's name as its key. A few `terraform_data` are around them. All blocks are always in the stack: Terraform
 * runs the destroy hook of an instance only if its block stays.
 *
 * Ids of blocks, keys of instances and keys of triggers are a contract with deployed state. Never change them.
 *
 * Order of creation: orphan check, providers, clusters, deletion guard, readiness. Each depends on all before it, so the order of
 * destruction is the reverse. The deletion guard refuses before anything is deleted, and the orphan check looks after all
 * deletions. After an apply that was killed, a resource of readiness is missing, so the next apply looks at every object.
 */
export class HookResources extends Construct implements PlatformResources {
  private readonly program: HookProgram;
  private readonly blocks = new Map<string, TerraformResource>();
  /** Constructs of objects by the id of their block. */
  private readonly constructs = new Map<string, Construct[]>();
  /** By the id of the block. */
  private readonly preconditions = new Map<string, Precondition[]>();
  /** Ids of blocks whose objects have tokens. */
  private readonly withTokens = new Set<string>();
  private readonly refusedArguments = new Set<string>();

  constructor(
    scope: Construct,
    id: string,
    private readonly props: HookResourcesProps,
  ) {
    super(scope, id);
    this.program = new HookProgram(this, props.settings);
    if (props.engine === Engine.NULL_RESOURCE) bringNullProvider(TerraformStack.of(this));
    dropPlugin(TerraformStack.of(this));

    const orphanCheck = this.orphanCheck();
    for (const type of TYPE_CODES) {
      const providers = this.block(type, "providers", orphanCheck);
      this.block(type, "clusters", [providers, ...orphanCheck]);
    }
    this.waitForAll(this.deletionGuard());
    refuseAtSynth(this, () => this.tooManyObjects());
  }

  /** Adds preconditions, by which Terraform checks the values of tokens. */
  declare(object: DeclaredObject, construct: Construct): void {
    refuse(construct, sizeProblems(object));
    const id = blockId(this.props.prefix, object.type, object.kind);
    this.constructs.get(id)!.push(construct);
    if (!hasTokens(object)) return;
    this.withTokens.add(id);
    const { spec } = objectTypeOf(object.type, object.kind);
    const known = this.preconditions.get(id)!;
    for (const each of preconditions(spec, object.spec, `local.${declarationsLocalId(id, "with tokens")}`)) {
      if (!known.some(({ condition }) => condition === each.condition)) known.push(each);
    }
  }

  addressOf({ type, kind }: ObjectRef): string {
    return this.blockAddress(type, kind);
  }

  readyResource(cluster: ObjectRef): TerraformResource {
    const { type, name } = cluster;
    const idOf = (resource: ClusterSupportResource) => clusterSupportId(this.props.prefix, type, resource, name);
    const existing = this.node.tryFindChild(idOf("ready"));
    if (existing) return existing as TerraformResource;
    const address = this.blockAddress(type, "clusters");
    const expected: HookExpectation = { type, kind: "clusters", address, ready: [name], present: [] };
    const uid = `\${${this.instanceId(cluster)}}`;
    return this.readiness(idOf, [address], uid, () => literalPieces(HOOK_ENV.expected, compressed([expected])), uid);
  }

  allReady(): TerraformResource {
    return this.node.findChild(supportId(this.props.prefix, "ready")) as TerraformResource;
  }

  uid(object: ObjectRef): string {
    if (object.kind === "clusters") return this.readyResource(object).getStringAttribute("output");
    return Token.asString(ref(this.instanceId(object), TerraformStack.of(this)));
  }

  elements(): ReadonlySet<TerraformElement> {
    return new Set(this.node.findAll().filter((node): node is TerraformElement => TerraformElement.isTerraformElement(node)));
  }

  waitingBlocks(): string[] {
    return [...this.constructs]
      .filter(
        ([id, constructs]) =>
          this.withTokens.has(id) || [this, ...constructs].some((construct) => dependenciesOf(construct).length > 0),
      )
      .map(([id]) => blockAddress(this.props.engine, id));
  }

  private blockAddress(type: TypeCode, kind: Kind): string {
    return blockAddress(this.props.engine, blockId(this.props.prefix, type, kind));
  }

  /** The `id` that Terraform gives to the instance of the object. */
  private instanceId(object: ObjectRef): string {
    return `${instanceAddress(this.addressOf(object), object.name)}.id`;
  }

  private objectsOf(type: TypeCode, kind: Kind): readonly DeclaredObject[] {
    return this.props.objects().filter((object) => object.type === type && object.kind === kind);
  }

  private block(type: TypeCode, kind: Kind, dependsOn: readonly TerraformResource[]): TerraformResource {
    const id = blockId(this.props.prefix, type, kind);
    const entries = new Entries(id, () => this.objectsOf(type, kind));
    for (const [local, produce] of Object.entries(entries.locals)) this.local(local, produce);

    const { engine } = this.props;
    const block = hookBlock(this, id, { engine, id, forEach: `\${local.${id}}`, dependsOn });
    block.addOverride(triggersAttribute(engine), Lazy.stringValue({ produce: () => entries.triggers }));

    const context: HookBlock = { type, kind, address: this.blockAddress(type, kind) };
    const identity = { [HOOK_ENV.block]: JSON.stringify(context) };
    block.provisioners = [
      this.program.hook(
        "create",
        Lazy.anyValue({
          produce: () => ({
            ...identity,
            [HOOK_ENV.name]: "${each.key}",
            ...WORKSPACE,
            ...entries.environment,
          }),
        }),
      ),
      deleteHook(this.program, engine, context, this.props),
    ];
    this.blocks.set(id, block);
    this.constructs.set(id, []);
    waitForDependencies(block, () => [this, ...this.constructs.get(id)!]);
    const precondition: Precondition[] = [];
    this.preconditions.set(id, precondition);
    this.fix(block, () => (precondition.length > 0 ? { precondition } : undefined));
    return block;
  }

  /**
   * Two resources whose destroy hooks look for removed objects after all deletions. They have no create hook, so they are never
   * tainted. `orphan_check` is replaced when objects come or go, and `orphan_check_on_destroy` is destroyed only with everything,
   * because a hook cannot tell the two apart. The first knows the objects of the state, the second those of the code: together
   * all objects, even if the code was edited and not applied before the destroy.
   */
  private orphanCheck(): TerraformResource[] {
    const resources = this.snapshotAndDestroyAll("orphan_check", "orphan_check_on_destroy", "orphan-check", [], () => "");
    for (const resource of resources) this.fix(resource);
    return resources;
  }

  /**
   * Two resources whose destroy hooks run before all deletions and refuse to delete protected objects. The snapshot has digests
   * of the declarations, so that the hook runs before a replacement, too. `protection` also shows the Platform's settings in a
   * plan. A change of them is an update in place and runs no hook.
   */
  private deletionGuard(): TerraformResource[] {
    const resources = this.snapshotAndDestroyAll(
      "deletion_guard",
      "protection",
      "deletion-guard",
      this.allBlocks(),
      digestOfObject,
    );
    const { platform: _, deletionProtection, ...settings } = this.props.settings;
    const adopted = () => this.props.objects().filter(({ adopt }) => adopt);
    resources[1].addOverride(
      "input",
      Lazy.anyValue({
        produce: () =>
          escapeLiterals({
            ...settings,
            deletionProtection: deletionProtection === true ? ["*"] : deletionProtection,
            adopt: adopted().map(idOf).sort(),
          }),
      }),
    );
    for (const resource of resources) this.fix(resource);
    return resources;
  }

  /** The second depends on the first, so that a refused destroy leaves the first in the state for the next removal. */
  private snapshotAndDestroyAll(
    onChange: SupportResource,
    onDestroyAll: SupportResource,
    command: SnapshotCommand,
    dependsOn: readonly TerraformResource[],
    digestFor: (object: DeclaredObject) => string,
  ): [TerraformResource, TerraformResource] {
    const [id, allId] = [supportId(this.props.prefix, onChange), supportId(this.props.prefix, onDestroyAll)];
    const snapshot = () => snapshotOf(this.props.objects(), this.props.settings, digestFor);
    this.local(id, () => escapeLiterals(snapshot()));
    const changing = this.terraformData(id, dependsOn);
    changing.addOverride("triggers_replace", `\${sensitive(local.${id})}`);
    const { engine } = this.props;
    const ofObjects = () => ({ needs: needsOf(this.props.objects()), engine });
    changing.provisioners = [snapshotHook(this.program, command, snapshot, ofObjects)];
    const lasting = this.terraformData(allId, [...dependsOn, changing]);
    lasting.provisioners = [destroyAllHook(this.program, command, snapshot)];
    return [changing, lasting];
  }

  private tooManyObjects(): string[] {
    const objects = this.props.objects();
    if (fitsIntoHook(snapshotOf(objects, this.props.settings, digestOfObject))) return [];
    return [
      `${this.node.scope!.node.path}: the list of the Platform's objects must fit into its deletion guard, and ${objects.length} objects with names of this length do not (10,000 with short names do); spread the objects over several stacks, or use engine: Engine.PROVIDER`,
    ];
  }

  /** One hook waits for all clusters, so that many clusters need one process and one stream of requests. */
  private waitForAll(guards: readonly TerraformResource[]): void {
    const idOf = (resource: ClusterSupportResource) => supportId(this.props.prefix, resource);
    const local = idOf("ready");
    const expected = () =>
      TYPE_CODES.flatMap((type) => KINDS.map((kind) => this.expected(type, kind))).filter(
        ({ ready, present }) => ready.length + present.length > 0,
      );
    this.local(local, expected);
    const ids = TYPE_CODES.flatMap((type) =>
      KINDS.map((kind) => `{ for k, r in ${this.blockAddress(type, kind)} : "${objectId(type, kind, "${k}")}" => r.id }`),
    );
    this.readiness(idOf, [...this.allBlocks(), ...guards], `\${sha256(jsonencode(merge(${ids.join(", ")})))}`, () => {
      // Terraform's gzip makes the text a little longer or shorter than Node's.
      const count = Math.ceil((compressed(expected()).length * 1.1) / CHUNK_CHARACTERS);
      return {
        ...piecesOf(HOOK_ENV.expected, `base64gzip(jsonencode(local.${local}))`, count),
        [HOOK_ENV.all]: "1",
      };
    });
  }

  /**
   * `ready` is created after the hook of `readiness` has waited. Terraform may record a resource as created while its hook still
   * runs, so after a kill the state may say that the wait is over. Then the hook of `ready` waits.
   */
  private readiness(
    idOf: (resource: ClusterSupportResource) => string,
    dependsOn: readonly (TerraformResource | string)[],
    triggers: string,
    expected: () => Readonly<Record<string, string>>,
    input?: string,
  ): TerraformResource {
    const hook = (again: Readonly<Record<string, string>>) => {
      const produce = () => ({ ...WORKSPACE, ...expected(), ...again });
      return this.program.hook("wait", Lazy.anyValue({ produce }));
    };
    const readiness = this.terraformData(idOf("readiness"), dependsOn);
    readiness.addOverride("triggers_replace", triggers);
    readiness.provisioners = [hook({})];
    const ready = this.terraformData(idOf("ready"), [readiness]);
    ready.addOverride("triggers_replace", `\${${supportAddress(idOf("readiness"))}.id}`);
    if (input !== undefined) ready.addOverride("input", input);
    ready.provisioners = [hook({ [HOOK_ENV.waited]: "1" })];
    for (const resource of [readiness, ready]) this.fix(resource);
    return ready;
  }

  private expected(type: TypeCode, kind: Kind): HookExpectation {
    const objects = this.objectsOf(type, kind);
    const names = (waited: boolean) =>
      objects
        .filter(({ waitForReady = false }) => waitForReady === waited)
        .map(({ name }) => name)
        .sort();
    return { type, kind, address: this.blockAddress(type, kind), ready: names(true), present: names(false) };
  }

  private terraformData(id: string, dependsOn: readonly (TerraformResource | string)[]): TerraformResource {
    const resource = new TerraformResource(this, id, {
      ...TERRAFORM_DATA,
      dependsOn: dependsOn.map((item) => ({ fqn: typeof item === "string" ? item : item.fqn })),
    });
    waitForDependencies(resource, () => []);
    fixLogicalId(resource, id);
    return resource;
  }

  /** The values must be escaped already. Names have no characters that need it. */
  private local(id: string, produce: () => unknown): void {
    const expression = Lazy.anyValue({ produce });
    const local = new TerraformLocal(this, `local_${id}`, expression);
    fixLogicalId(local, id);
    Object.defineProperty(local, "expression", { get: () => expression, set: () => this.refuseChange("expression", local) });
  }

  /** Aspects of the stack visit the resource, too. The first resource stands for all, because an Aspect visits all of them. */
  private fix(resource: TerraformResource, lifecycle?: () => unknown): void {
    fixArguments(resource, (argument) => this.refuseChange(argument, resource), { lifecycle });
  }

  private refuseChange(argument: string, { node }: TerraformElement): void {
    if (this.refusedArguments.has(argument)) return;
    this.refusedArguments.add(argument);
    refuse(this.node.scope as Construct, [
      `'${argument}' must not be set on the resources of a Platform, because its hooks need them as they are, but an Aspect or an override sets it on ${node.path}. ` +
        "Skip them in the Aspect: if (node.node.scopes.some((scope) => Platform.isPlatform(scope))) return; " +
        "to protect objects, write deletionProtection on the Platform",
    ]);
  }

  private allBlocks(): TerraformResource[] {
    return [...this.blocks.values()];
  }
}

const WORKSPACE = { [HOOK_ENV.workspace]: "${terraform.workspace}" };

const BASE64 = 4 / 3;

/** Problems of a declaration that does not fit into the environment of its hook. */
function sizeProblems(object: DeclaredObject): string[] {
  const json = JSON.stringify(hasTokens(object) ? withoutTokens(object) : object);
  if (Buffer.byteLength(json) * BASE64 <= ENVIRONMENT_BYTES) return [];
  const bytes = gzipSync(json).length * BASE64;
  if (bytes <= ENVIRONMENT_BYTES) return [];
  const [most, got] = [ENVIRONMENT_BYTES, bytes].map((size) => Math.ceil(size / 1024));
  return [`the declaration must fit into the environment of its hook, ${most} KiB when compressed, got ${got} KiB`];
}
