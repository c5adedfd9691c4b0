import { stripVTControlCharacters } from "node:util";
import type { Redactor } from "./redaction";

/** Foreign text as one line that is safe on a terminal: no control sequences, no characters that reorder others. */
export function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
}

/** The same, without secrets. Only then may it be cut: part of a secret is not recognized. */
export function disclosable(text: string, redactor: Redactor): string {
  // Once more at the end: to take control characters out may put a secret together.
  return redactor.redact(printable(redactor.redact(text)));
}

/** At most so many characters, and a mark where some are missing. */
export function bounded(text: string, characters: number): string {
  return text.length > characters ? `${text.slice(0, characters - 1)}…` : text;
}
