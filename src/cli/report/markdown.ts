import { written, type Phrase } from "./phrase";
import { visible } from "../../model/printable";

/**
 * Foreign text as code, in paragraphs, list items and cells of tables. Whatever it holds, it neither ends the cell nor
 * becomes markup, a link or a mention of somebody.
 */
export function code(text: string): string {
  const shown = visible(text);
  if (shown === "") return "(empty)";
  // A code span cannot hold a backtick simply, nor a backslash before a pipe in a table at all; entities can.
  const simple = /^[^`|\\]+$/.test(shown) && shown.trim() === shown;
  return simple ? `\`${shown}\`` : `<code>${shown.replace(/[^\p{L}\p{N} -]/gu, entity)}</code>`;
}

export function markdown(phrase: Phrase): string {
  return written(phrase, code);
}

/** Foreign text as code where Markdown is not read, as in the `summary` of `details`. */
export function htmlCode(text: string): string {
  return `<code>${visible(text).replace(/[&<>"'`@]/g, entity)}</code>`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** @param summary HTML */
export function details(summary: string, content: string): string {
  return `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

function entity(character: string): string {
  return `&#${character.codePointAt(0)!};`;
}
