/** JSON that is safe on a terminal: control characters, invisible characters and characters that reorder text are escaped. */
export function terminalJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(HIDDEN, escaped);
}

/** JSON.stringify already escapes text below U+0020. The remaining line breaks are its own indentation. */
const HIDDEN = /[\x7f-\x9f]|[\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu;

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");
}
