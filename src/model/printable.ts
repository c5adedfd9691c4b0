import { stripVTControlCharacters } from "node:util";
import type { Redactor } from "./redaction";

/** Control characters, line and paragraph separators, and characters that hide or reorder others. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]|[^\S ]/gu;
const ASCII = /^[ -~]*$/;
const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Foreign text as one line in which every character shows: what a terminal obeys or hides stands as an escape.
 *
 * @param hidden characters to escape
 */
export function visible(text: string, hidden = HIDDEN): string {
  // Most text is plain, and this test is faster than the search.
  if (ASCII.test(text)) return text;
  return wellFormed(text).replace(hidden, (character) => NAMED[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** The text with a replacement character for every lone surrogate, which no encoding can carry. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** At most so many characters, and a mark where some are missing. */
export function bounded(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const all = [...text];
  return all.length > characters ? `${all.slice(0, characters - 1).join("")}…` : text;
}

/**
 * Foreign prose, such as a service's error message, as one line for a terminal and without secrets. Cut it only
 * afterwards: part of a secret is not recognized.
 */
export function disclosable(text: string, redactor: Redactor): string {
  const line = stripVTControlCharacters(redactor.redact(text))
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  // Removing control characters may have put a secret together.
  return redactor.redact(line);
}
