import { createHash } from "node:crypto";

/** Something in a configuration that this version of the package would not have written. */
export interface ForeignPart {
  /** The address of a block, or the name of a file. */
  readonly address: string;
  /** The end of a sentence about the block or file. */
  readonly problem: string;
  /** SHA-256 of the address and the foreign values, in hexadecimal. It allows the part in a policy. */
  readonly digest: string;
}

/** @param content JSON of what is foreign */
export function foreign(address: string, problem: string, content: unknown): ForeignPart {
  const digest = createHash("sha256")
    .update(JSON.stringify([address, content]))
    .digest("hex");
  return { address, problem, digest };
}
