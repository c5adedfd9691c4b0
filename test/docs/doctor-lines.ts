import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** A place in the code where `doctor` makes a line that is not good. */
export interface Line {
  /** Source text of the subject, or the subject itself. */
  readonly subject: string;
  readonly mark: "WRONG" | "check" | "WRONG or check";
  /** In brackets. `any` if the failure decides. */
  readonly code: string;
}

const FOLDER = "src/cli/doctor";
/** What makes a line. Its first argument is the subject. `report` is `wrong` or `doubtful`, as a caller says. */
const MARKS: Readonly<Record<string, Line["mark"]>> = {
  wrong: "WRONG",
  failed: "WRONG",
  silent: "WRONG",
  doubtful: "check",
  report: "WRONG or check",
};

export function doctorLines(): Line[] {
  return readdirSync(FOLDER)
    .filter((file) => file !== "check-result.ts")
    .map((file) => join(FOLDER, file))
    .flatMap((file) => callsIn(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true)))
    .flatMap((call): Line[] => {
      const { text: maker } = call.expression as ts.Identifier;
      const [subject, ...others] = call.arguments as unknown as readonly [ts.Expression, ...ts.Expression[]];
      // The body of `silent` makes the lines of its callers. Of `failed`, only a part may be used.
      if (isInside(call, "silent") || ts.isVariableDeclaration(call.parent)) return [];
      const text = others.map((each) => each.getText()).join(" ");
      const passesOn = maker === "failed" || text.startsWith("message.");
      return [
        {
          subject: ts.isStringLiteralLike(subject) ? subject.text : subject.getText(),
          mark: MARKS[maker]!,
          code: passesOn ? "any" : [...text.matchAll(/\[([A-Z_]+)\] /g)].map(([, code]) => code).join(", "),
        },
      ];
    });
}

function callsIn(node: ts.Node): ts.CallExpression[] {
  const found: ts.CallExpression[] = [];
  const visit = (each: ts.Node): void => {
    if (ts.isCallExpression(each) && ts.isIdentifier(each.expression) && Object.hasOwn(MARKS, each.expression.text))
      found.push(each);
    ts.forEachChild(each, visit);
  };
  visit(node);
  return found;
}

function isInside(node: ts.Node, name: string): boolean {
  for (let each = node; !ts.isSourceFile(each); each = each.parent)
    if (ts.isFunctionDeclaration(each) && each.name?.text === name) return true;
  return false;
}
