import { join, resolve } from "node:path";
import ts from "typescript";
import type { CodeBlock } from "./pages";

/** Fragments may use the exports of these modules without an import. */
const WELL_KNOWN = [
  "cdktf-cluster-platform",
  "cdktf",
  "constructs",
  "cdktf-cluster-platform/simulator",
  "cdktf-cluster-platform/testing",
];

/**
 * Compiles TypeScript blocks and returns errors by page and line. A block with imports is a module of its own. Any other block
 * is a fragment of a stack's constructor: `this` is the stack, the exports of {@link WELL_KNOWN} are in scope, and its preamble
 * declares other names.
 */
export function typescriptErrors(blocks: readonly CodeBlock[]): string[] {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile.bind(ts.sys));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const exported = exportsOf(WELL_KNOWN, options);
  const files = new Map(
    joined(blocks).map((block) => [
      join(resolve(block.page), "..", `block-${block.line}-of-${block.page.replaceAll("/", "-")}.ts`),
      block,
    ]),
  );
  const sources = new Map([...files].map(([file, block]) => [file, source(block, exported)]));
  const program = programOf(sources, options);
  return [...files].flatMap(([file, block]) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(file)).map(({ messageText, start = 0 }) => {
      const { text, lineOfBlock } = sources.get(file)!;
      const line = block.line + text.slice(0, start).split("\n").length - lineOfBlock;
      return `${block.page}:${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    }),
  );
}

function joined(blocks: readonly CodeBlock[]): CodeBlock[] {
  const all: CodeBlock[] = [];
  for (const block of blocks) {
    const before = all.at(-1);
    if (!block.continues || before?.page !== block.page) {
      all.push(block);
      continue;
    }
    const blank = "\n".repeat(Math.max(0, block.line - before.line - before.code.split("\n").length + 1));
    all[all.length - 1] = { ...before, code: `${before.code}${blank}${block.code}` };
  }
  return all;
}

interface Source {
  readonly text: string;
  readonly lineOfBlock: number;
}

function source({ code, preamble }: CodeBlock, exported: ReadonlyMap<string, string>): Source {
  const isModule = /^(import|export)\b/m.test(code);
  const words = new Set(`${isModule ? "" : code}\n${preamble}`.match(/[A-Za-z_$][\w$]*/g) ?? []);
  const declared = ts
    .createSourceFile("block.ts", code + preamble, ts.ScriptTarget.Latest)
    .statements.flatMap((statement) => namesOf(statement));
  const imports = [...words]
    .filter((word) => exported.has(word) && !declared.includes(word) && !(isModule && new RegExp(`\\b${word}\\b`).test(code)))
    .map((word) => `import { ${word} } from ${JSON.stringify(exported.get(word))};`)
    .join(" ");
  const head = isModule
    ? `${imports} ${oneLine(preamble)}`
    : `${imports} ${oneLine(preamble)} export async function fragment(this: TerraformStack) {`;
  const needed = isModule || imports.includes("{ TerraformStack }") ? "" : 'import type { TerraformStack } from "cdktf"; ';
  return { text: `${needed}${head}\n${code}${isModule ? "" : "\n}"}`, lineOfBlock: 2 };
}

const oneLine = (text: string) => text.replace(/\s*\n\s*/g, " ");

function namesOf(statement: ts.Statement): string[] {
  if (ts.isImportDeclaration(statement)) {
    const { name, namedBindings } = statement.importClause ?? {};
    const named = namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : [namedBindings];
    return [name, ...named.map((binding) => binding?.name)].flatMap((identifier) => (identifier ? [identifier.text] : []));
  }
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  }
  if (
    (ts.isClassDeclaration(statement) || ts.isFunctionDeclaration(statement) || ts.isInterfaceDeclaration(statement)) &&
    statement.name
  ) {
    return [statement.name.text];
  }
  return [];
}

/** Maps each exported name to the first module that exports it. */
function exportsOf(modules: readonly string[], options: ts.CompilerOptions): Map<string, string> {
  const file = resolve("docs/exports.ts");
  const text = modules.map((module, index) => `import * as m${index} from ${JSON.stringify(module)};`).join("\n");
  const program = programOf(new Map([[file, { text, lineOfBlock: 1 }]]), options);
  const checker = program.getTypeChecker();
  const found = new Map<string, string>();
  for (const [index, statement] of program.getSourceFile(file)!.statements.entries()) {
    const symbol = checker.getSymbolAtLocation((statement as ts.ImportDeclaration).moduleSpecifier);
    if (!symbol) throw new Error(`${modules[index]} cannot be resolved`);
    for (const { name } of checker.getExportsOfModule(symbol)) if (!found.has(name)) found.set(name, modules[index]!);
  }
  return found;
}

/** Shared by all programs. */
const parsed = new Map<string, ts.SourceFile | undefined>();

function programOf(sources: ReadonlyMap<string, Source>, options: ts.CompilerOptions): ts.Program {
  const all = { ...options, module: ts.ModuleKind.ES2022, types: ["node", "jest"], allowUnusedLabels: false };
  const host = ts.createCompilerHost(all);
  const { fileExists } = host;
  const getSourceFile: ts.CompilerHost["getSourceFile"] = (file, ...rest) => {
    if (!parsed.has(file)) parsed.set(file, ts.createCompilerHost(all).getSourceFile(file, ...rest));
    return parsed.get(file);
  };
  host.fileExists = (file) => sources.has(file) || fileExists(file);
  host.getSourceFile = (file, ...rest) =>
    sources.has(file) ? ts.createSourceFile(file, sources.get(file)!.text, rest[0]) : getSourceFile(file, ...rest);
  return ts.createProgram([...sources.keys()], all, host);
}
