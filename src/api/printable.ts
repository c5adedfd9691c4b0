import { stripVTControlCharacters } from "node:util";

/** Foreign text as one line that is safe on a terminal: no control sequences, no characters that reorder others. */
export function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
}

/** At most so many characters, and a mark where some are missing. */
export function bounded(text: string, characters: number): string {
  return text.length > characters ? `${text.slice(0, characters - 1)}…` : text;
}
