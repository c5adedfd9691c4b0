import { wellFormed } from "../../model/printable";

/** Replaces characters that XML cannot hold. */
export function xml(text: string): string {
  return wellFormed(text)
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
