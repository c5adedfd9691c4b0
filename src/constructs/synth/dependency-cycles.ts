import type { TerraformStack } from "cdktf";
import { renderedAnyway } from "./refusal";
import { referencesOf, type Synthesized, wayTo } from "./synthesized-references";

/**
 * The objects of a shared block wait together. So a dependency of one object must not wait for another object of the block:
 * Terraform would report a cycle.
 * @param blocks addresses of shared blocks whose objects have user-defined dependencies or tokens
 * @returns a problem per block that waits for itself
 */
export function dependencyCycleProblems(stack: TerraformStack, platformPath: string, blocks: readonly string[]): string[] {
  if (blocks.length === 0) return [];
  const references = referencesOf(renderedAnyway(stack) as Synthesized);
  return blocks.flatMap((block) => {
    const ways = [...(references.get(block) ?? [])].flatMap((next) => [wayTo(new Set([block]), next, references) ?? []]);
    const [shortest] = ways.filter(({ length }) => length > 0).sort((one, other) => one.length - other.length);
    if (!shortest) return [];
    return [
      `${platformPath}: the objects of ${block} share one block and wait together, but something that they depend on waits for one of them: ` +
        `${[block, ...shortest].join(" → ")}. Use engine: Engine.PROVIDER, or declare the waiting objects in another stack`,
    ];
  });
}
