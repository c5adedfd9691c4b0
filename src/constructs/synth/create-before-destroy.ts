import { TerraformElement, TerraformResource, type TerraformStack } from "cdktf";
import { renderedAnyway } from "./refusal";
import { referencesOf, type Synthesized, wayTo } from "./synthesized-references";

/**
 * Terraform applies create_before_destroy also to all dependencies of a resource, and then skips their destroy hooks. It would
 * create a replaced cluster while the old one lives, and forget the old one. So no resource that depends on one of our objects,
 * directly or indirectly, may have create_before_destroy.
 * @param ours Terraform addresses of our objects
 * @returns a problem per resource that has create_before_destroy and depends on one of `ours`
 */
export function createBeforeDestroyProblems(stack: TerraformStack, ours: ReadonlySet<string>): string[] {
  const resources = stack.node.findAll().filter((node): node is TerraformResource => TerraformResource.isTerraformResource(node));
  if (!mayHaveIt(stack, resources)) return [];
  const synthesized = renderedAnyway(stack) as Synthesized;
  const paths = new Map(resources.map((resource) => [addressOf(resource), resource.node.path]));
  const references = referencesOf(synthesized);
  return culpritsOf(synthesized).flatMap((culprit) => {
    const way = wayTo(ours, culprit, references);
    if (!way) return [];
    const via = way.length > 2 ? ` (through ${way.slice(1, -1).join(", ")})` : "";
    return [
      `${paths.get(culprit) ?? culprit}: create_before_destroy must not be set on a resource that depends on a provider or cluster, but ${way[0]} depends on ${way.at(-1)}${via}: ` +
        "Terraform would apply it to them too, and create the new object before the old one is deleted. Remove it here, or remove the dependency",
    ];
  });
}

/** A quick check. If it is false, as for most stacks, no second synth is needed. */
function mayHaveIt(stack: TerraformStack, resources: readonly TerraformResource[]): boolean {
  const overridesOf = (element: object) =>
    (element as { rawOverrides: { lifecycle?: unknown; resource?: unknown } }).rawOverrides;
  return (
    overridesOf(stack).resource !== undefined ||
    resources.some((resource) => resource.lifecycle?.createBeforeDestroy || overridesOf(resource).lifecycle !== undefined)
  );
}

/** Addresses of the resources that have create_before_destroy, whether from props, overrides or Aspects. */
function culpritsOf({ resource = {} }: Synthesized): string[] {
  return Object.entries(resource).flatMap(([type, group]) =>
    Object.entries(group as Record<string, { lifecycle?: unknown }>)
      .filter(([, { lifecycle }]) => [lifecycle].flat().some(setsIt))
      .map(([id]) => `${type}.${id}`),
  );
}

function setsIt(lifecycle: unknown): boolean {
  const value = (lifecycle as { create_before_destroy?: unknown } | undefined)?.create_before_destroy;
  return value !== undefined && value !== false && value !== "false";
}

function addressOf(element: TerraformElement & { terraformResourceType: string }): string {
  return `${element.terraformResourceType}.${element.friendlyUniqueId}`;
}
