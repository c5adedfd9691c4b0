import { TerraformElement, TerraformResource, type TerraformStack } from "cdktf";
import { referencesOf, type Synthesized, wayTo } from "./synthesized-references";

/**
 * Terraform gives create_before_destroy to all that a resource with it depends on, and then skips destroy hooks: a
 * replaced cluster would be created while the old one lives, and the old one be forgotten. So nothing that depends on
 * an object of ours may have it, however far away.
 *
 * @returns a problem per resource that has it and leads to one of `ours`, given by their Terraform addresses
 */
export function createBeforeDestroyProblems(stack: TerraformStack, ours: ReadonlySet<string>): string[] {
  const resources = stack.node.findAll().filter((node): node is TerraformResource => TerraformResource.isTerraformResource(node));
  if (!mayHaveIt(stack, resources)) return [];
  const synthesized = stack.toTerraform() as Synthesized;
  const paths = new Map(resources.map((resource) => [addressOf(resource), resource.node.path]));
  const references = referencesOf(synthesized);
  return culpritsOf(synthesized).flatMap((culprit) => {
    const way = wayTo(ours, culprit, references);
    if (!way) return [];
    const via = way.length > 2 ? ` (by way of ${way.slice(1, -1).join(", ")})` : "";
    return [
      `${paths.get(culprit) ?? culprit}: create_before_destroy must not be set on what depends on a provider or cluster, but ${way[0]} leads to ${way.at(-1)}${via}: ` +
        "Terraform would hand it on to them, and make the new object before the old one is deleted. Remove it here, or the dependency",
    ];
  });
}

/** Spares a large stack, as most are, a second synth of everything. */
function mayHaveIt(stack: TerraformStack, resources: readonly TerraformResource[]): boolean {
  const overridesOf = (element: object) =>
    (element as { rawOverrides: { lifecycle?: unknown; resource?: unknown } }).rawOverrides;
  return (
    overridesOf(stack).resource !== undefined ||
    resources.some((resource) => resource.lifecycle?.createBeforeDestroy || overridesOf(resource).lifecycle !== undefined)
  );
}

/** Addresses of the resources that have it when all is said, by props, overrides of theirs or of the stack's, or Aspects. */
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
