import type { ObjectValue } from "../../../src/terraform/value";

/** One object of an instance of a resource block in the state. */
export interface Instance {
  /** Address of the block. */
  readonly block: string;
  /** Key of `for_each`. */
  readonly key?: string;
  /** Set if another object has replaced this one, which still has to be deleted. */
  readonly deposed?: string;
  /** Address of the provider block, as in `clusterplatform.eu`. */
  readonly provider: string;
  readonly attributes: ObjectValue;
  /** What the provider keeps besides the attributes, as JSON. */
  readonly private?: string;
  readonly schemaVersion: number;
  readonly isTainted: boolean;
  /** Addresses of the blocks that it depended on when it was written. */
  readonly dependencies: readonly string[];
}

/** Objects by {@link addressIn}. */
export type State = ReadonlyMap<string, Instance>;

export function instanceAddress(block: string, key?: string): string {
  return key === undefined ? block : `${block}["${key}"]`;
}

export function addressIn({ block, key, deposed }: Pick<Instance, "block" | "key" | "deposed">): string {
  const address = instanceAddress(block, key);
  return deposed === undefined ? address : `${address} (deposed ${deposed})`;
}

/** The block and the key of the address of an instance. */
export function parseInstance(address: string): { readonly block: string; readonly key?: string } {
  const [, block, key] = /^([^[]+)(?:\["(.*)"\])?$/.exec(address)!;
  return { block: block!, ...(key !== undefined && { key }) };
}

/** The state after `terraform state mv`, which drops the dependencies of all instances that depend on the block. */
export function movedByHand(state: State, from: string, to: string): State {
  const instance = state.get(from)!;
  const after = new Map<string, Instance>();
  for (const [address, each] of state) {
    if (address !== from) after.set(address, each.dependencies.includes(instance.block) ? { ...each, dependencies: [] } : each);
  }
  return after.set(to, { ...instance, ...parseInstance(to) });
}

export function typeOfBlock(block: string): string {
  return block.slice(0, block.indexOf("."));
}
