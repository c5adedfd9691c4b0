import { spawnSync } from "node:child_process";
import { parseAllDocuments } from "yaml";
import { terraform } from "../support/tools";
import { type CodeBlock, codeBlocks, pages, prose } from "./pages";
import { ownOptions, shellErrors } from "./shell-blocks";
import { typescriptErrors } from "./typescript-blocks";

/** All code blocks on all pages, by language. */

const blocks = pages.flatMap((page) => codeBlocks(page));
const of = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language));

const TYPESCRIPT = ["ts", "typescript"];
const SHELL = ["sh", "bash"];
const JSON_LIKE = ["json"];
const YAML = ["yaml", "yml"];
const HCL = ["hcl", "terraform"];
/** Languages that are shown but not checked. */
const TO_LOOK_AT = ["text", "diff", "dockerfile"];
const GRAPHS = ["mermaid"];

const emptyBlock: CodeBlock = { page: "", line: 0, language: "", code: "", preamble: "", continues: false };

test("every block has a language, so that it can be checked", () => {
  const known = [...TYPESCRIPT, ...SHELL, ...JSON_LIKE, ...YAML, ...HCL, ...GRAPHS, ...TO_LOOK_AT];
  expect(blocks.filter(({ language }) => !known.includes(language)).map(({ page, line }) => `${page}:${line}`)).toEqual([]);
});

test("TypeScript compiles", () => {
  expect(of(...TYPESCRIPT).length).toBeGreaterThan(10);
  expect(typescriptErrors(of(...TYPESCRIPT))).toEqual([]);
});

test("Mermaid can draw the graphs", () => {
  const graphs = of(...GRAPHS);
  expect(graphs.length).toBeGreaterThan(0);
  const input = graphs.map(({ code }) => JSON.stringify(`\`\`\`mermaid\n${code}\`\`\`\n`)).join("\n");
  // The program fails if Mermaid cannot parse a graph.
  const { status, stderr } = spawnSync(process.execPath, ["test/cli/review/parse-markdown.mjs"], { input, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("shell commands and their options exist", async () => {
  expect(of(...SHELL).length).toBeGreaterThan(5);
  expect(await shellErrors(of(...SHELL))).toEqual([]);
});

test("commands in running text exist, with their options", async () => {
  const spoken = pages.flatMap((page) =>
    [...prose(page).matchAll(/`((?:cluster-platform|npm run) [^`]+)`/g)].map(([, code]) => ({
      ...emptyBlock,
      page,
      code: code!,
    })),
  );
  expect(spoken.length).toBeGreaterThan(5);
  const faults = await shellErrors(spoken);
  expect(faults.filter((fault) => !fault.endsWith("lacks an argument"))).toEqual([]);
});

test("options in running text without a command exist", async () => {
  const own = await ownOptions();
  // Options of cdktf, Terraform, esbuild, node and the benchmarks.
  const others = "hcl only tiny external packages parallelism report-on-fatalerror skip-provider-lock max-semi-space-size"
    .split(" ")
    .map((name) => `--${name}`);
  const spoken = pages.flatMap((page) =>
    [...prose(page).matchAll(/`(--[a-z-]+)/g)].map(([, option]) => ({ page, option: option! })),
  );
  expect(spoken.length).toBeGreaterThan(20);
  expect(spoken.filter(({ option }) => !own.has(option) && !others.includes(option))).toEqual([]);
});

test("JSON parses", () => {
  expect(faults(of(...JSON_LIKE), (code) => void JSON.parse(code))).toEqual([]);
});

test("YAML parses", () => {
  const parse = (code: string) => {
    for (const { errors } of parseAllDocuments(code)) if (errors[0]) throw errors[0];
  };
  expect(faults(of(...YAML), parse)).toEqual([]);
});

test("Terraform's language parses", () => {
  const parse = (code: string) => {
    const { status, stderr } = spawnSync(terraform, ["fmt", "-no-color", "-"], { input: code, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  };
  expect(faults(of(...HCL), parse)).toEqual([]);
});

describe("the checks themselves", () => {
  const block = (code: string, more: Partial<CodeBlock> = {}) => ({
    ...emptyBlock,
    page: "docs/page.md",
    line: 7,
    code,
    ...more,
  });

  test("use a preamble and the block before, and find a wrong prop on its line", () => {
    const preamble = "declare const vsphere: CapvsProvider;";
    const use = "const name: string = vsphere.providerName;\n";
    const errors = typescriptErrors([
      block('new Platform(this, "platform", {\n  uri: "https://platform.example.com",\n});\n'),
      block(use, { page: "docs/other.md" }),
      block(use, { page: "docs/third.md", preamble }),
      block("name.trim();\n", { page: "docs/third.md", line: 12, continues: true }),
    ]);
    expect(errors).toEqual([
      expect.stringMatching(/^docs\/page\.md:8: .*'uri' does not exist/),
      "docs/other.md:7: Cannot find name 'vsphere'.",
    ]);
  });

  test.each([
    ["cluster-platform reviw plan.json", "cluster-platform reviw: no such command"],
    ["cluster-platform review plan.json --fail=high", "cluster-platform review --fail: no such option"],
    ["cluster-platform review plan.json --fail-on dangerous", "cluster-platform review --fail-on: not dangerous"],
    ["cluster-platform get cluster", "cluster-platform get: not cluster"],
    ["terraform show -json | cluster-platform drift", "cluster-platform drift: lacks an argument"],
    ["FORMAT=1 npm run doc # builds", "npm run doc: no such script"],
    ["terraform aply && npm ci", "terraform aply: no such command"],
    ["if true; then", "bash: line 2: syntax error: unexpected end of file"],
  ])("find the error in %s", async (code, fault) => {
    expect(await shellErrors([block(`${code}\n`)])).toEqual([`docs/page.md:7: ${fault}`]);
  });
});

function faults(all: readonly CodeBlock[], check: (code: string) => void): string[] {
  return all.flatMap(({ page, line, code }) => {
    try {
      check(code);
      return [];
    } catch (error) {
      return [`${page}:${line}: ${(error as Error).message}`];
    }
  });
}
