/** Statements of TypeScript in the body of a constructor, and constants before it, in the format of Prettier's defaults. */

import { visible } from "../../util/printable";

const WIDTH = 80;
const STATEMENT = "    ";
const STEP = "  ";

/** A name that begins with `...` is a spread, and its value is not rendered. */
export type Fields = Readonly<Record<string, Value>>;

export interface Value {
  /**
   * @param indent of the line that the value begins on
   * @param width of what is before and after it on its line
   */
  readonly render: (indent: string, width: number) => string;
}

export function code(source: string): Value {
  return { render: () => source };
}

/** Characters besides printable ASCII, and quotes, which Prettier would choose anew, are escaped. */
export function text(value: string): Value {
  const escaped = JSON.stringify(value)
    .slice(1, -1)
    .replace(/\\"/g, "\\u0022")
    .replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return { render: () => `"${escaped}"` };
}

/** Does not compile, because nothing declares `TODO`. */
export const TODO = code("TODO");

export function spread(name: string): Fields {
  return { [`...${name}`]: code("") };
}

export function callOf(callee: string, argument: string): Value {
  const [flat, value] = [`${callee}("${argument}")`, `"${argument}"`];
  return { render: (indent, width) => fitting(flat, width) ?? `${callee}(\n${indent}${STEP}${value},\n${indent})` };
}

export function block(fields: Fields): Value {
  return { render: (indent, width) => fitting(flat(fields), width) ?? rendered(fields, indent) };
}

export function list(items: readonly Fields[]): Value {
  return {
    render: (indent, width) => {
      const [only, ...others] = items;
      if (only === undefined) return "[]";
      const inner = indent + STEP;
      const lines = items.map((item) => `${inner}${block(item).render(inner, inner.length + 1)},\n`);
      return (others.length === 0 ? fitting(`[${flat(only)}]`, width) : undefined) ?? `[\n${lines.join("")}${indent}]`;
    },
  };
}

function fitting(code: string, width: number): string | undefined {
  return width + code.length <= WIDTH ? code : undefined;
}

/** On one line. */
function flat(fields: Fields): string {
  const parts = Object.entries(fields).map(([name, { render }]) => field(name, render("", 0)));
  return `{ ${parts.join(", ")} }`;
}

function field(name: string, value: string): string {
  return isShort(name, value) ? name : `${name}: ${value}`;
}

function rendered(fields: Fields, indent: string): string {
  const inner = indent + STEP;
  const lines = Object.entries(fields).map(([name, { render }]) => {
    const value = render(inner, `${inner}${name}: ,`.length);
    // Prettier keeps a value beside a name of a few letters.
    const breaks = !value.includes("\n") && name.length > STEP.length + 2 && `${inner}${name}: ${value},`.length > WIDTH;
    const isBroken = breaks && !isShort(name, value);
    return `${inner}${isBroken ? `${name}:\n${inner}${STEP}${value}` : field(name, value)},\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function isShort(name: string, value: string): boolean {
  return name.startsWith("...") || name === value;
}

export interface Call {
  /** Up to its arguments. */
  readonly head: string;
  /** @param width of what is before and after it on its line */
  readonly render: (indent: string, width: number) => string;
}

/** A call whose last argument is an object, if `fields` are given. */
export function call(callee: string, args: readonly (string | Value)[], fields?: Fields): Call {
  const given = args.map((argument) => (typeof argument === "string" ? argument : argument.render("", 0)));
  const inline = fields && oneLine(fields);
  const head = `${callee}(`;
  return {
    head,
    render: (indent, width) => {
      const flat = `${head}${[...given, ...(inline === undefined ? [] : [inline])].join(", ")})`;
      if ((fields === undefined || inline !== undefined) && width + flat.length <= WIDTH) return flat;
      const hugging = `${head}${[...given, "{"].join(", ")}`;
      if (fields && width + hugging.length <= WIDTH) return `${hugging}${rendered(fields, indent).slice(1)})`;
      const inner = indent + STEP;
      const all = [...given, ...(fields === undefined ? [] : [inline ?? rendered(fields, inner)])];
      return `${head}\n${all.map((argument) => `${inner}${argument},\n`).join("")}${indent})`;
    },
  };
}

/** An object of one short field. */
function oneLine(fields: Fields): string | undefined {
  return Object.keys(fields).length === 1 ? flat(fields) : undefined;
}

/** @param method a call of a method on the result, such as `.importFrom()` */
export function statementOf({ render }: Call, method = ""): string {
  return `${STATEMENT}${render(STATEMENT, STATEMENT.length)}${method};`;
}

/** A constant before the class. */
export function constantOf(name: string, { render }: Value): string {
  const start = `const ${name} =`;
  const [beside] = render("", start.length + 2).split("\n");
  if (`${start} ${beside}`.length <= WIDTH) return `${start} ${render("", start.length + 2)};`;
  return `${start}\n${STEP}${render(STEP, STEP.length + 1)};`;
}

/**
 * @param text which may be from the service
 * @param indent of the lines after the first one
 */
export function comment(text: string, indent = ""): string {
  const lines = [""];
  for (const word of visible(text).split(" ")) {
    const longer = lines.at(-1) === "" ? word : `${lines.at(-1)} ${word}`;
    if (`// ${indent}${longer}`.length <= WIDTH || lines.at(-1) === "") lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line, index) => `// ${index === 0 ? "" : indent}${line}`).join("\n");
}

export function constant(name: string, { head, render }: Call): string {
  const start = `${STATEMENT}const ${name} =`;
  if (`${start} ${head}`.length <= WIDTH) return `${start} ${render(STATEMENT, start.length + 2)};`;
  const indent = STATEMENT + STEP;
  return `${start}\n${indent}${render(indent, indent.length + 1)};`;
}
