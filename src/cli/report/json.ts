/**
 * JSON that is safe on a terminal: characters that a terminal obeys or hides, and those that reorder others, stand as
 * JSON's own escapes. A parser reads the same value.
 */
export function terminalJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(HIDDEN, escaped);
}

/** JSON.stringify escapes what is below U+0020 in text; the line breaks that are left are its own. */
const HIDDEN = /[\x7f-\x9f]|[\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu;

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");
}
