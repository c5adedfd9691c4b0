import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** What a text is to a reader of GitHub-flavoured Markdown. */
export interface Rendered {
  readonly headings: readonly number[];
  /** Of each table the number of cells in each of its rows. */
  readonly tables: readonly (readonly number[])[];
  readonly links: readonly string[];
  /** Text that is not code. */
  readonly bareText: string;
  /** Every piece of code inside of text. */
  readonly code: readonly string[];
  readonly comments: readonly string[];
  readonly graphs: readonly { readonly nodes: readonly string[]; readonly edges: readonly [string, string][] }[];
  readonly details: number;
  /** HTML that is not balanced. */
  readonly faults: readonly string[];
}

/** Parses by the parsers of GitHub's dialect and of Mermaid, in a process of their own, being ES modules. */
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

/** Whether every row of every table has as many cells as its head. */
export function tablesAreEven({ tables }: Rendered): boolean {
  return tables.every((rows) => rows.every((cells) => cells === rows[0]));
}
