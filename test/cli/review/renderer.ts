import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Markdown as a reader of GitHub sees it. */
export interface Rendered {
  readonly headings: readonly number[];
  /** The number of cells per row, for each table. */
  readonly tables: readonly (readonly number[])[];
  readonly links: readonly string[];
  /** Text outside of code. */
  readonly bareText: string;
  readonly code: readonly string[];
  readonly comments: readonly string[];
  readonly graphs: readonly { readonly nodes: readonly string[]; readonly edges: readonly [string, string][] }[];
  readonly details: number;
  /** Unbalanced HTML. */
  readonly faults: readonly string[];
}

/** Parses with GitHub's and Mermaid's parsers. They are ES modules, so they run in another process. */
export class Renderer {
  #child: ChildProcess | undefined;
  #lines: AsyncIterator<string> | undefined;

  async render(markdown: string): Promise<Rendered> {
    if (!this.#child) {
      this.#child = spawn(process.execPath, [join(__dirname, "parse-markdown.mjs")], { stdio: ["pipe", "pipe", "inherit"] });
      this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
    }
    this.#child.stdin!.write(`${JSON.stringify(markdown)}\n`);
    const { value, done } = await this.#lines!.next();
    if (done) throw new Error("the parser of Markdown failed, see above");
    return JSON.parse(value) as Rendered;
  }

  stop(): void {
    this.#child?.kill();
  }
}

/** Whether all rows of each table have the same number of cells. */
export function tablesAreEven({ tables }: Rendered): boolean {
  return tables.every((rows) => rows.every((cells) => cells === rows[0]));
}
