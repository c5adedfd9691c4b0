/** In Terraform's JSON syntax, a single block may stand for a list of one. */
export type Blocks<Block> = Block | readonly Block[];

export function blocksIn<Block>(blocks: Blocks<Block> | undefined): readonly Block[] {
  return [blocks ?? []].flat() as Block[];
}
