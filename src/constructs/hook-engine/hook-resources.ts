import { gzipSync } from "node:zlib";
import { Lazy, ref, TerraformElement, TerraformLocal, TerraformResource, TerraformStack, Token } from "cdktf";
import { Construct } from "constructs";
import {
  blockAddress,
  blockId,
  clusterReadyId,
  declarationsLocalId,
  instanceAddress,
  supportId,
  triggersAttribute,
} from "../../contract/addresses";
import { HOOK_ENV, type HookBlock, type HookExpectation } from "../../contract/hook-protocol";
import type { Snapshot } from "../../contract/snapshot";
import { idOf, objectId, type ObjectRef } from "../../model/object-ref";
import { KINDS, TYPE_CODES, type Kind, type TypeCode } from "../../model/provider-type";
import { objectTypeOf } from "../../declarations/types";
import type { DeclaredObject } from "../synth/declared-object";
import { dependenciesOf, waitForDependencies } from "../synth/dependencies";
import {
  codeHook,
  compressed,
  deletionHook,
  digestOfObject,
  encoded,
  fitsIntoHook,
  snapshotHook,
  snapshotOf,
} from "./destroy-hooks";
import { Engine, type HookEngine } from "../engine";
import { type PlatformResources, type PlatformResourcesProps } from "../synth/platform-resources";
import { Entries } from "./entries";
import { hookBlock, TERRAFORM_DATA } from "./hook-block";
import { ENVIRONMENT_BYTES, type HookProvisioner, HookProgram } from "./hook-program";
import { needsOf } from "./needs";
import { fixArguments } from "../synth/fixed-arguments";
import { fixLogicalId } from "../synth/logical-id";
import { bringNullProvider } from "./null-provider";
import { dropPlugin } from "../provider-engine/plugin-mirror";
import { literalPieces } from "./pieces";
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
 * Order of creation: `orphan_check`, `orphan_check_on_destroy`, providers, clusters, `ready`, `protection`. Each depends on all
 * before it, so the order of destruction is the reverse. The deletion guard, in the destroy hooks of `protection` and `ready`, refuses
 * before anything is deleted. The orphan check looks after all deletions and before all creations.
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
    this.protection(this.ready());
    refuseAtSynth(this, () => this.tooManyObjects());
  }

  /** Adds preconditions, by which Terraform checks the values of tokens. */
  declare(object: DeclaredObject, construct: Construct): void {
    refuse(construct, sizeProblems(object));
    const id = blockId(this.props.prefix, object.type, object.kind);
    this.constructs.get(id)!.push(construct);
    if (!object.hasTokens) return;
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
    const id = clusterReadyId(this.props.prefix, cluster);
    const existing = this.node.tryFindChild(id);
    if (existing) return existing as TerraformResource;
    const address = this.blockAddress(type, "clusters");
    const expected: HookExpectation = { type, kind: "clusters", address, ready: [name], present: [] };
    const ready = this.terraformData(id, [address]);
    for (const argument of ["triggers_replace", "input"]) ready.addOverride(argument, `\${${this.instanceId(cluster)}}`);
    ready.provisioners = [this.waitHook(() => [expected])];
    this.fix(ready);
    return ready;
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
      deletionHook(this.program, engine, context, this.props),
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
   * Two resources whose destroy hooks look for removed objects. They have no create hook, so they are never tainted, and the state has
   * them before any object. `orphan_check` is replaced when objects come or go, and knows the objects of the state.
   * `orphan_check_on_destroy` is destroyed only with everything, before the other, and knows those of the code. Together they know all
   * objects, even if the code was edited and not applied before the destroy.
   */
  private orphanCheck(): TerraformResource[] {
    const names = () => this.snapshot(() => "");
    const id = supportId(this.props.prefix, "orphan_check");
    this.local(id, () => escapeLiterals(names()));
    const changing = this.terraformData(id, []);
    changing.addOverride("triggers_replace", `\${sensitive(local.${id})}`);
    changing.provisioners = [snapshotHook(this.program, "orphan-check", names)];
    const lasting = this.terraformData(supportId(this.props.prefix, "orphan_check_on_destroy"), [changing]);
    lasting.provisioners = [codeHook(this.program, names)];
    for (const resource of [changing, lasting]) this.fix(resource);
    return [changing, lasting];
  }

  /**
   * Its destroy hook guards deletions. The digests of the declarations make it run before a replacement, too. Its create hook waits:
   * one hook for all clusters, so that many clusters need one process and one stream of requests.
   */
  private ready(): TerraformResource {
    const id = supportId(this.props.prefix, "ready");
    const expected = () =>
      TYPE_CODES.flatMap((type) => KINDS.map((kind) => this.expected(type, kind))).filter(
        ({ ready, present }) => ready.length + present.length > 0,
      );
    this.local(id, () => escapeLiterals(this.snapshot(digestOfObject)));
    const instances = TYPE_CODES.flatMap((type) =>
      KINDS.map((kind) => `{ for k, r in ${this.blockAddress(type, kind)} : "${objectId(type, kind, "${k}")}" => r.id }`),
    );
    const ready = this.terraformData(id, this.allBlocks());
    const ids = `sha256(jsonencode(merge(${instances.join(", ")})))`;
    ready.addOverride("triggers_replace", `\${sensitive(merge(local.${id}, { ids = ${ids} }))}`);
    ready.provisioners = [
      this.waitHook(expected, { [HOOK_ENV.all]: "1" }),
      snapshotHook(this.program, "deletion-guard", () => this.guarded()),
    ];
    this.fix(ready);
    return ready;
  }

  /**
   * Shows the Platform's settings in a plan, and has the objects of the last complete apply. A change of them is an update in place and
   * runs no hook, so its destroy hook runs only if everything is destroyed. It depends on `ready`, so it is destroyed first, and a
   * refused destroy leaves everything in the state.
   */
  private protection(ready: TerraformResource): void {
    const { platform: _, deletionProtection, ...settings } = this.props.settings;
    const adopted = () => this.props.objects().filter(({ adopt }) => adopt);
    const protection = this.terraformData(supportId(this.props.prefix, "protection"), [ready]);
    protection.addOverride(
      "input",
      Lazy.anyValue({
        produce: () => ({
          ...(escapeLiterals({
            ...settings,
            deletionProtection: deletionProtection === true ? ["*"] : deletionProtection,
            adopt: adopted().map(idOf).sort(),
          }) as object),
          objects: `\${sensitive(${encoded(`local.${supportId(this.props.prefix, "ready")}`)})}`,
        }),
      }),
    );
    protection.provisioners = [snapshotHook(this.program, "destroy-guard", () => this.guarded())];
    this.fix(protection);
  }

  /** What a deletion guard knows of the code. */
  private guarded(): Snapshot {
    return { ...this.snapshot(digestOfObject), needs: needsOf(this.props.objects()), engine: this.props.engine };
  }

  private snapshot(digestFor: (object: DeclaredObject) => string): Snapshot {
    return snapshotOf(this.props.objects(), this.props.settings, digestFor);
  }

  private tooManyObjects(): string[] {
    const objects = this.props.objects();
    if (fitsIntoHook(this.snapshot(digestOfObject))) return [];
    return [
      `${this.node.scope!.node.path}: the list of the Platform's objects must fit into its deletion guard, and ${objects.length} objects with names of this length do not (10,000 with short names do); spread the objects over several stacks, or use engine: Engine.PROVIDER`,
    ];
  }

  private waitHook(expected: () => readonly HookExpectation[], more?: Readonly<Record<string, string>>): HookProvisioner {
    const produce = () => ({ ...WORKSPACE, ...literalPieces(HOOK_ENV.expected, compressed(expected())), ...more });
    return this.program.hook("wait", Lazy.anyValue({ produce }));
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
  const json = JSON.stringify(object.hasTokens ? withoutTokens(object) : object);
  if (Buffer.byteLength(json) * BASE64 <= ENVIRONMENT_BYTES) return [];
  const bytes = gzipSync(json).length * BASE64;
  if (bytes <= ENVIRONMENT_BYTES) return [];
  const [most, got] = [ENVIRONMENT_BYTES, bytes].map((size) => Math.ceil(size / 1024));
  return [`the declaration must fit into the environment of its hook, ${most} KiB when compressed, got ${got} KiB`];
}
