import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** All pages but the generated ones. */
export const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...["docs", "examples"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md") && !file.startsWith("api/") && !/(node_modules|cdktf\.out)\//.test(file))
      .map((file) => join(folder, file)),
  ),
];

export interface CodeBlock {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** The text of the hidden comment before the block; see CONTRIBUTING.md. */
  readonly preamble: string;
  /** Whether the comment says that the block continues the previous one. */
  readonly continues: boolean;
}

/** `<!-- preamble … -->` and `<!-- continues -->` must be directly before their block. */
const BLOCK =
  /(?:^[ \t]*<!-- (?:preamble(?<preamble>[\s\S]*?)|(?<continues>continues)|[^\n]*?) ?-->\n\s*?)?^(?<indent>[ \t]*)(?<fence>`{3,})(?<language>[^\n`]*)\n(?<code>[\s\S]*?)^[ \t]*\k<fence>[ \t]*$/gm;

export function codeBlocks(page: string, text = readFileSync(page, "utf8")): CodeBlock[] {
  return [...text.matchAll(BLOCK)].map(({ index, 0: whole, groups }) => {
    const { preamble = "", continues, indent, fence, language, code } = groups!;
    const before = text.slice(0, index + whole.indexOf(`${fence}${language}`)).split("\n").length;
    return {
      page,
      line: before + 1,
      language: language!.trim().split(/\s/)[0]!,
      code: code!.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      preamble: preamble.trim(),
      continues: continues !== undefined,
    };
  });
}

export function prose(page: string): string {
  return readFileSync(page, "utf8").replace(BLOCK, "");
}
