/** Statements of TypeScript in the body of a constructor, and constants before it, in the format of Prettier's defaults. */

import { visible } from "../../util/printable";

const WIDTH = 80;
const STATEMENT = "    ";
const STEP = "  ";

/** A name that begins with `...` is a spread, and its value is not rendered. */
export type Properties = Readonly<Record<string, Code>>;

export interface Code {
  /**
   * @param indent of the line that it begins on
   * @param width of what is before and after it on its line
   */
  readonly render: (indent: string, width: number) => string;
}

export function code(source: string): Code {
  return { render: () => source };
}

/** Characters besides printable ASCII, and quotes, which Prettier would choose anew, are escaped. */
export function text(value: string): Code {
  const escaped = JSON.stringify(value)
    .slice(1, -1)
    .replace(/\\"/g, "\\u0022")
    .replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return { render: () => `"${escaped}"` };
}

/** Does not compile, because nothing declares `TODO`. */
export const TODO = code("TODO");

export function spread(name: string): Properties {
  return { [`...${name}`]: code("") };
}

export function callOf(callee: string, argument: string): Code {
  const [flat, value] = [`${callee}("${argument}")`, `"${argument}"`];
  return { render: (indent, width) => fitting(flat, width) ?? `${callee}(\n${indent}${STEP}${value},\n${indent})` };
}

export function block(properties: Properties): Code {
  return { render: (indent, width) => fitting(flat(properties), width) ?? rendered(properties, indent) };
}

export function list(items: readonly Properties[]): Code {
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
function flat(properties: Properties): string {
  const parts = Object.entries(properties).map(([name, { render }]) => property(name, render("", 0)));
  return `{ ${parts.join(", ")} }`;
}

function property(name: string, value: string): string {
  return isShort(name, value) ? name : `${name}: ${value}`;
}

function rendered(properties: Properties, indent: string): string {
  const inner = indent + STEP;
  const lines = Object.entries(properties).map(([name, { render }]) => {
    const value = render(inner, `${inner}${name}: ,`.length);
    // Prettier keeps a value beside a name of a few letters.
    const breaks = !value.includes("\n") && name.length > STEP.length + 2 && `${inner}${name}: ${value},`.length > WIDTH;
    const isBroken = breaks && !isShort(name, value);
    return `${inner}${isBroken ? `${name}:\n${inner}${STEP}${value}` : property(name, value)},\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function isShort(name: string, value: string): boolean {
  return name.startsWith("...") || name === value;
}

export interface CallExpression extends Code {
  /** Up to its arguments. */
  readonly head: string;
}

/** A call whose last argument is an object, if `properties` are given. */
export function call(callee: string, args: readonly (string | Code)[], properties?: Properties): CallExpression {
  const given = args.map((argument) => (typeof argument === "string" ? argument : argument.render("", 0)));
  const inline = properties && oneLine(properties);
  const head = `${callee}(`;
  return {
    head,
    render: (indent, width) => {
      const flat = `${head}${[...given, ...(inline === undefined ? [] : [inline])].join(", ")})`;
      if ((properties === undefined || inline !== undefined) && width + flat.length <= WIDTH) return flat;
      const hugging = `${head}${[...given, "{"].join(", ")}`;
      if (properties && width + hugging.length <= WIDTH) return `${hugging}${rendered(properties, indent).slice(1)})`;
      const inner = indent + STEP;
      const all = [...given, ...(properties === undefined ? [] : [inline ?? rendered(properties, inner)])];
      return `${head}\n${all.map((argument) => `${inner}${argument},\n`).join("")}${indent})`;
    },
  };
}

/** An object of one short property. */
function oneLine(properties: Properties): string | undefined {
  return Object.keys(properties).length === 1 ? flat(properties) : undefined;
}

/** @param method a call of a method on the result, such as `.importFrom()` */
export function statementOf({ render }: CallExpression, method = ""): string {
  return `${STATEMENT}${render(STATEMENT, STATEMENT.length)}${method};`;
}

/** A constant before the class. */
export function constantOf(name: string, { render }: Code): string {
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

export function constant(name: string, { head, render }: CallExpression): string {
  const start = `${STATEMENT}const ${name} =`;
  if (`${start} ${head}`.length <= WIDTH) return `${start} ${render(STATEMENT, start.length + 2)};`;
  const indent = STATEMENT + STEP;
  return `${start}\n${indent}${render(indent, indent.length + 1)};`;
}
