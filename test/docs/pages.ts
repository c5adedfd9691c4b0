import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Every page that people read, but for those that are generated. */
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

/** A block of code between fences. */
export interface CodeBlock {
  readonly page: string;
  /** Line of the page that the code begins on. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** What the comment before the block says, which nobody sees who reads the page; see CONTRIBUTING.md. */
  readonly preamble: string;
  /** Whether that comment says that the block goes on where the one before it ended. */
  readonly continues: boolean;
}

/** `<!-- preamble … -->` and `<!-- continues -->` stand right before their block. */
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

/** The page without its blocks of code. */
export function prose(page: string): string {
  return readFileSync(page, "utf8").replace(BLOCK, "");
}
