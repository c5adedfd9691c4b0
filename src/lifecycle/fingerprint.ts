import { createHmac, randomBytes } from "node:crypto";
import type { Declared } from "../declarations/declaration";

/** A declaration in a note: the names of its fields, and salted digests of their values. The values are not stored. */
export interface Fingerprint {
  readonly salt: string;
  readonly fields: Readonly<Record<string, string>>;
}

export function fingerprint(declared: Declared, salt = randomBytes(16).toString("hex")): Fingerprint {
  const digest = (value: string) => createHmac("sha256", salt).update(value).digest("base64url");
  return { salt, fields: Object.fromEntries(Object.entries(declared).map(([field, value]) => [field, digest(value)])) };
}

/** Fields in which a declaration differs from the noted one, sorted. */
export function changedFields(noted: Fingerprint, declared: Declared): string[] {
  const { fields } = fingerprint(declared, noted.salt);
  return [...new Set([...Object.keys(noted.fields), ...Object.keys(fields)])]
    .filter((field) => noted.fields[field] !== fields[field])
    .sort();
}
