import { createHmac, randomBytes } from "node:crypto";
import type { FlatDeclaration } from "../declarations/declaration";

/** The names of a declaration's fields, and salted digests of their values. */
export interface Fingerprint {
  readonly salt: string;
  readonly fields: Readonly<Record<string, string>>;
}

export function fingerprint(declared: FlatDeclaration, salt = randomBytes(16).toString("hex")): Fingerprint {
  const digest = (value: string) => createHmac("sha256", salt).update(value).digest("base64url");
  return { salt, fields: Object.fromEntries(Object.entries(declared).map(([field, value]) => [field, digest(value)])) };
}

/** Sorted. */
export function changedSinceNote(noted: Fingerprint, declared: FlatDeclaration): string[] {
  const { fields } = fingerprint(declared, noted.salt);
  return [...new Set([...Object.keys(noted.fields), ...Object.keys(fields)])]
    .filter((field) => noted.fields[field] !== fields[field])
    .sort();
}
