import { stripVTControlCharacters } from "node:util";
import type { Redactor } from "./redaction";

/** Control characters, line and paragraph separators, and characters that hide or reorder others. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]|[^\S ]/gu;
const ASCII = /^[ -~]*$/;
const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Foreign text as one line. Characters that a terminal would hide or obey are escaped.
 * @param hidden characters to escape
 */
export function visible(text: string, hidden = HIDDEN): string {
  // Fast path for printable ASCII.
  if (ASCII.test(text)) return text;
  return wellFormed(text).replace(hidden, (character) => NAMED[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** The same, for a text of several lines. */
export function visibleLines(text: string): string {
  const lines = text.split("\n").map((line) => visible(line));
  return lines.join("\n");
}

/** Replaces lone surrogates, which UTF-8 cannot encode. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

export function bounded(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const all = [...text];
  return all.length > characters ? `${all.slice(0, characters - 1).join("")}…` : text;
}

/** One line for a terminal, without secrets. Cut the text only afterwards: part of a secret is not recognized. */
export function disclosable(text: string, redactor: Redactor): string {
  const line = stripVTControlCharacters(redactor.redact(text))
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  // A secret may have been split by control characters.
  return redactor.redact(line);
}
