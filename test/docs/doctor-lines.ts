import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { CODES } from "../../src/decision/deletion";

/** A place in the code where `doctor` makes a line that is not good. */
export interface Line {
  /** Source text of the subject, or the subject itself. */
  readonly subject: string;
  readonly mark: "WRONG" | "check" | "WRONG or check";
  /** In brackets. `any` if the failure or the refusal decides. */
  readonly code: string;
}

type Mark = "WRONG" | "check";

/** What makes a line: the marks, and which argument is the subject. */
interface Maker {
  readonly marks: ReadonlySet<Mark>;
  readonly subject: number;
}

const FOLDER = "src/cli/doctor";
const BASIC: Readonly<Record<string, Maker>> = {
  wrong: { marks: new Set(["WRONG"]), subject: 0 },
  doubtful: { marks: new Set(["check"]), subject: 0 },
};

/** Finds all lines. A function that passes its parameter on as the subject makes a line where it is called. */
export function doctorLines(): Line[] {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && file !== "check-result.ts")
    .map((file) => join(FOLDER, file))
    .map((file) => ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true));
  const makers = new Map(Object.entries(BASIC));
  const calls = () => files.flatMap((file) => callsIn(file, makers));
  for (let known = 0; known !== makers.size;) {
    known = makers.size;
    for (const file of files) aliases(file, makers);
    for (const call of calls()) {
      const subject = call.arguments[makerOf(call, makers)!.subject];
      const wrapper = subject && wrapperOf(subject);
      if (wrapper && !(wrapper.name in BASIC)) add(makers, wrapper.name, marksOf(call, makers), wrapper.index);
    }
  }
  const lines = new Map<ts.Node, Line & { readonly marks: ReadonlySet<Mark> }>();
  for (const call of calls()) {
    const maker = makerOf(call, makers)!;
    const [subject, ...others] = call.arguments.slice(maker.subject);
    if (!subject || wrapperOf(subject) || isTakenApart(call)) continue;
    const place = isOneOfTwoMarks(call, makers) ? call.parent : call;
    const marks = new Set([...marksOf(call, makers), ...(lines.get(place)?.marks ?? [])]);
    const passesOn = call.expression.getText() === "failed";
    lines.set(place, {
      marks,
      subject: ts.isStringLiteralLike(subject) ? subject.text : subject.getText(),
      mark: marks.size > 1 ? "WRONG or check" : [...marks][0]!,
      code: passesOn ? "any" : codeIn(others.map((each) => resolvedText(each)).join(" ")),
    });
  }
  return [...lines.values()].map(({ subject, mark, code }) => ({ subject, mark, code }));
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

function callsIn(file: ts.SourceFile, makers: ReadonlyMap<string, Maker>): ts.CallExpression[] {
  const found: ts.CallExpression[] = [];
  walk(file, (node) => {
    if (ts.isCallExpression(node) && makerOf(node, makers)) found.push(node);
  });
  return found;
}

function makerOf(call: ts.CallExpression, makers: ReadonlyMap<string, Maker>): Maker | undefined {
  const { expression } = call;
  return ts.isIdentifier(expression) ? (makers.get(localName(expression)) ?? makers.get(expression.text)) : undefined;
}

function localName(name: ts.Identifier): string {
  return `${name.getSourceFile().fileName} ${name.text}`;
}

function marksOf(call: ts.CallExpression, makers: ReadonlyMap<string, Maker>): ReadonlySet<Mark> {
  return makerOf(call, makers)!.marks;
}

function add(makers: Map<string, Maker>, name: string, marks: ReadonlySet<Mark>, subject: number): void {
  makers.set(name, { marks: new Set([...(makers.get(name)?.marks ?? []), ...marks]), subject });
}

/** Variables and parameters that stand for one of the makers, as in `const verdict = isCertain ? wrong : doubtful`. */
function aliases(file: ts.SourceFile, makers: Map<string, Maker>): void {
  walk(file, (node) => {
    const isAlias = (ts.isVariableDeclaration(node) || ts.isParameter(node)) && ts.isIdentifier(node.name);
    if (!isAlias) return;
    const text = node.initializer?.getText() ?? node.type?.getText() ?? "";
    if (/\? wrong : doubtful$|\? doubtful : wrong$|^typeof wrong$/.test(text)) {
      add(makers, localName(node.name), new Set(["WRONG", "check"]), 0);
    }
  });
}

/** The function that has the expression as a parameter. */
function wrapperOf(subject: ts.Expression): { readonly name: string; readonly index: number } | undefined {
  if (!ts.isIdentifier(subject)) return undefined;
  for (let node: ts.Node = subject; !ts.isSourceFile(node); node = node.parent) {
    if (!ts.isFunctionDeclaration(node)) continue;
    const index = node.parameters.findIndex(({ name }) => name.getText() === subject.text);
    return index >= 0 && node.name ? { name: node.name.text, index } : undefined;
  }
  return undefined;
}

/** Only a part of the line is used, as in `const { message } = failed(…)`. */
function isTakenApart(call: ts.CallExpression): boolean {
  return ts.isVariableDeclaration(call.parent) && ts.isObjectBindingPattern(call.parent.name);
}

/** Whether a condition decides on the mark of one line, as in `isCreated ? wrong(…) : doubtful(…)`. */
function isOneOfTwoMarks(call: ts.CallExpression, makers: ReadonlyMap<string, Maker>): boolean {
  const { parent } = call;
  if (!ts.isConditionalExpression(parent)) return false;
  const other = parent.whenTrue === call ? parent.whenFalse : parent.whenTrue;
  if (!ts.isCallExpression(other) || !makerOf(other, makers)) return false;
  return [...marksOf(other, makers)].join() !== [...marksOf(call, makers)].join();
}

/** The text of an expression, with that of the variables in it. */
function resolvedText(expression: ts.Expression, known: ReadonlySet<string> = new Set()): string {
  const texts = [expression.getText()];
  walk(expression, (node) => {
    if (!ts.isIdentifier(node) || known.has(node.text)) return;
    walk(expression.getSourceFile(), (other) => {
      const isMeant = ts.isVariableDeclaration(other) && other.name.getText() === node.text && other.initializer;
      if (isMeant) texts.push(resolvedText(isMeant, new Set([...known, node.text])));
    });
  });
  return texts.join(" ");
}

function codeIn(text: string): string {
  if (text.includes("[${code}]") || /\b(waysOut|waysOutOfDeletion|failingRun|messageOf)\(/.test(text)) return "any";
  const named = [...text.matchAll(/ \[([A-Z_]+)\]/g)].map(([, code]) => code!);
  const decided = [...text.matchAll(/\[\$\{CODES(?:\.(\w+)|\["([^"]+)"\])\}\]/g)].map(
    ([, one, other]) => CODES[(one ?? other) as keyof typeof CODES],
  );
  return [...new Set([...named, ...decided])].sort().join(", ");
}
