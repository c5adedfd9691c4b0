import { TerraformResource, type TerraformStack } from "cdktf";
import { isPlainObject } from "../../util/prop-path";
import { addressOf } from "./element-address";
import { overridesIn } from "./overrides";
import { renderedAnyway } from "./refusal";
import { referencesOf, type Synthesized, wayTo } from "./synthesized-references";

/**
 * The problems with arguments of `lifecycle` in the blocks of a stack, whether from props, overrides or Aspects.
 * @param ours Terraform addresses of our objects
 */
export function blockLifecycleProblems(stack: TerraformStack, ours: ReadonlySet<string>): string[] {
  const resources = stack.node.findAll().filter((node): node is TerraformResource => TerraformResource.isTerraformResource(node));
  if (!mayHaveAny(stack, resources, ours)) return [];
  const synthesized = renderedAnyway(stack) as Synthesized;
  const paths = new Map(resources.map((resource) => [addressOf(resource)!, resource.node.path]));
  const pathOf = (address: string) => paths.get(address) ?? address;
  return [
    ...createBeforeDestroyProblems(synthesized, ours, pathOf),
    ...destroyProblems(synthesized, ours, pathOf),
    ...ignoringProblems(synthesized, ours, pathOf),
  ];
}

type PathOf = (address: string) => string;

/**
 * Terraform applies create_before_destroy also to all dependencies of a resource, and then skips their destroy hooks. It would
 * create a replaced cluster while the old one lives, and forget the old one. So no resource that depends on one of our objects,
 * directly or indirectly, may have create_before_destroy.
 */
function createBeforeDestroyProblems(synthesized: Synthesized, ours: ReadonlySet<string>, pathOf: PathOf): string[] {
  const references = referencesOf(synthesized);
  return blocksWith(synthesized, "create_before_destroy", false).flatMap((culprit) => {
    const way = wayTo(ours, culprit, references);
    if (!way) return [];
    const via = way.length > 2 ? ` (through ${way.slice(1, -1).join(", ")})` : "";
    return [
      `${pathOf(culprit)}: create_before_destroy must not be set on a resource that depends on a provider or cluster, but ${way[0]} depends on ${way.at(-1)}${via}: ` +
        "Terraform would apply it to them too, and create the new object before the old one is deleted. Remove it here, or remove the dependency",
    ];
  });
}

/** OpenTofu keeps `destroy` in the state, and forgets an object that it replaces. Terraform heeds it only while the block exists. */
function destroyProblems(synthesized: Synthesized, ours: ReadonlySet<string>, pathOf: PathOf): string[] {
  return blocksWith(synthesized, "destroy", true)
    .filter((address) => ours.has(address))
    .map(
      (address) =>
        `${pathOf(address)}: lifecycle.destroy must not be set, because OpenTofu and Terraform differ: one forgets an object that it replaces, and the other one deletes it. ` +
        "To keep an object on the service, write retain on the Platform; to protect it, write deletionProtection",
    );
}

/** The prop `lifecycle` of an object never names these, and leaves them out of `all`. */
const NOT_IGNORED = ["all", "deletion_protection", "adopt"];

/** Blocks with hooks refuse any lifecycle. */
function ignoringProblems(synthesized: Synthesized, ours: ReadonlySet<string>, pathOf: PathOf): string[] {
  return [...lifecyclesOf(synthesized)]
    .filter(([address]) => ours.has(address))
    .flatMap(([address, lifecycles]) => {
      const ignored = lifecycles
        .flatMap(({ ignore_changes: ignored }) => ignored)
        .find((name) => NOT_IGNORED.includes(rootOf(name)));
      if (ignored === undefined) return [];
      return [
        `${pathOf(address)}: ignore_changes must not be ${rootOf(ignored)}, because Terraform would ignore changes of the object's protection, too; ` +
          'write lifecycle: { ignoreChanges: "all" } on its construct, and skip it in an Aspect: if (node.terraformResourceType.startsWith("clusterplatform_")) return',
      ];
    });
}

/** The attribute of a path, as in `"${deletion_protection}"` or `deletion_protection.x`. */
function rootOf(path: unknown): string {
  return /\w+/.exec(String(path))?.[0] ?? "";
}

/** Properties of a lifecycle that change nothing of what is checked. An Aspect may also use Terraform's names. */
const HARMLESS = ["preventDestroy", "precondition", "postcondition", "replaceTriggeredBy"];

/** A quick check. If it is false, as for most stacks, no second synth is needed. */
function mayHaveAny(stack: TerraformStack, resources: readonly TerraformResource[], ours: ReadonlySet<string>): boolean {
  const mayMatter = (name: string, resource: TerraformResource) =>
    name === "ignoreChanges" ? ours.has(addressOf(resource)!) : !HARMLESS.includes(name);
  return (
    overridesIn(stack).resource !== undefined ||
    resources.some(
      (resource) =>
        Object.entries(resource.lifecycle ?? {}).some(([name, value]) => value !== false && mayMatter(name, resource)) ||
        overridesIn(resource).lifecycle !== undefined,
    )
  );
}

/** Addresses of the resources whose lifecycle has another value of the argument than its default. */
function blocksWith(synthesized: Synthesized, argument: string, byDefault: boolean): string[] {
  const isSet = ({ [argument]: value }: Lifecycle) => value !== undefined && value !== byDefault && value !== String(byDefault);
  return [...lifecyclesOf(synthesized)].filter(([, lifecycles]) => lifecycles.some(isSet)).map(([address]) => address);
}

type Lifecycle = Readonly<Record<string, unknown>>;

/** By address. Terraform takes a block or a list of blocks. */
function lifecyclesOf({ resource = {} }: Synthesized): Map<string, Lifecycle[]> {
  return new Map(
    Object.entries(resource).flatMap(([type, group]) =>
      Object.entries(group as Record<string, { readonly lifecycle?: Lifecycle | Lifecycle[] | null }>).map(
        ([id, { lifecycle }]) => [`${type}.${id}`, [lifecycle].flat().filter(isPlainObject)] as const,
      ),
    ),
  );
}
