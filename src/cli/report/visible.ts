/**
 * Foreign text as one line in which every character shows: control characters, line breaks and characters that reorder
 * or hide others stand as escapes. A report is read by people who decide by it.
 */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return wellFormed(text).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]|[^\S ]/gu,
    (character) => NAMED[character] ?? escape(character),
  );
}

/** The text with a replacement character for every surrogate that stands alone, which no encoding can carry. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** At most so many characters, and a mark where some are missing. */
export function bounded(text: string, characters: number): string {
  const all = [...text];
  return all.length > characters ? `${all.slice(0, characters - 1).join("")}…` : text;
}

/** Most of what is shown, and told to be so faster than it is searched for what it does not hold. */
const PLAIN = /^[ -~]*$/;

const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escape(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
