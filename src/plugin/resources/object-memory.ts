import type { SecretUse } from "../../model/secret-reference";

/** Terraform's private data of an object. */
export type ObjectMemory = {
  /** Set after an import. The first plan then compares the declaration with the live object instead of with the state. */
  readonly imported?: boolean;
  /** Set after an import for a Platform. An apply then notes the construct. */
  readonly hasPlatform?: boolean;
  /**
   * Of a planned replacement under the same name: the digest of the new declaration. Terraform passes it to the second plan of the
   * replacement, and to the deletion.
   */
  readonly replacement?: string;
  /** Of a planned creation: the secrets that it needs. Of a replacement, Terraform passes them to the deletion. */
  readonly secrets?: readonly NamedSecrets[];
  /** Of a planned deletion: all objects of the Platform leave. Terraform passes it to the deletion, which looks for declared ones, too. */
  readonly leavesWithAll?: true;
  /** The live values that differ from the declaration, by field. */
  readonly live?: Readonly<Record<string, string>>;
};

/** The secrets of one object that are given by name. */
export interface NamedSecrets {
  /** The construct or the address, for messages. */
  readonly where: string;
  readonly uses: readonly SecretUse[];
}

/** Without what a plan passes to a deletion. If the deletion has failed, the state has that. */
export function lasting({ replacement: _, secrets: __, leavesWithAll: ___, ...rest }: ObjectMemory): ObjectMemory {
  return rest;
}
