import type { TerraformStack } from "cdktf";
import { referencesOf, type Synthesized, wayTo } from "./synthesized-references";

/**
 * The objects of a shared block wait together. So what one of them waits for must not wait for another one of the block,
 * which Terraform would call a cycle of all resources in between.
 *
 * @param blocks addresses of shared blocks in which an object waits for something of the user's
 * @returns a problem per block that waits for itself
 */
export function dependencyCycleProblems(stack: TerraformStack, platformPath: string, blocks: readonly string[]): string[] {
  if (blocks.length === 0) return [];
  const references = referencesOf(stack.toTerraform() as Synthesized);
  return blocks.flatMap((block) => {
    const ways = [...(references.get(block) ?? [])].flatMap((next) => [wayTo(new Set([block]), next, references) ?? []]);
    const [shortest] = ways.filter(({ length }) => length > 0).sort((one, other) => one.length - other.length);
    if (!shortest) return [];
    return [
      `${platformPath}: the objects of ${block} wait together, because its engine carries them in one block, and what they depend on waits for one of them: ` +
        `${[block, ...shortest].join(" → ")}. Use engine: Engine.PROVIDER, or declare what waits on another Platform`,
    ];
  });
}
