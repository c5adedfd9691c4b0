/** Statements of TypeScript in the body of a constructor, in the format of Prettier's defaults. */

const WIDTH = 80;
const STATEMENT = "    ";
const STEP = "  ";

export type Fields = Readonly<Record<string, Value>>;

export interface Value {
  /** @param indent of the line that the value begins on */
  readonly render: (indent: string) => string;
  /** Follows the comma. */
  readonly comment?: string;
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
export function todo(comment: string): Value {
  return { render: () => "TODO", comment };
}

export function block(fields: Fields): Value {
  return { render: (indent) => rendered(fields, indent) };
}

export function list(items: readonly Fields[]): Value {
  return {
    render: (indent) =>
      items.length === 0
        ? "[]"
        : `[\n${items.map((fields) => `${indent}${STEP}${rendered(fields, indent + STEP)},\n`).join("")}${indent}]`,
  };
}

function rendered(fields: Fields, indent: string): string {
  const inner = indent + STEP;
  const lines = Object.entries(fields).map(([name, { render, comment }]) => {
    const value = render(inner);
    // Prettier keeps a value beside a name of a few letters.
    const breaks = !value.includes("\n") && name.length > STEP.length + 2 && `${inner}${name}: ${value},`.length > WIDTH;
    const separator = breaks ? `:\n${inner}${STEP}` : ": ";
    return `${inner}${name}${separator}${value},${comment === undefined ? "" : ` // ${comment}`}\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

export interface Call {
  /** Up to its arguments. */
  readonly head: string;
  /** @param width of what is before and after it on its line */
  readonly render: (indent: string, width: number) => string;
}

/** A call whose last argument is an object, if `fields` are given. */
export function call(callee: string, args: readonly (string | Value)[], fields?: Fields): Call {
  const given = args.map((argument) => (typeof argument === "string" ? argument : argument.render("")));
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
  const [[name, { render }] = ["", code("")], ...others] = Object.entries(fields);
  return others.length === 0 ? `{ ${name}: ${render("")} }` : undefined;
}

/** @param method a call of a method on the result, such as `.importFrom()` */
export function statementOf({ render }: Call, method = ""): string {
  return `${STATEMENT}${render(STATEMENT, STATEMENT.length)}${method};`;
}

export function constant(name: string, { head, render }: Call): string {
  const start = `${STATEMENT}const ${name} =`;
  if (`${start} ${head}`.length <= WIDTH) return `${start} ${render(STATEMENT, start.length + 2)};`;
  const indent = STATEMENT + STEP;
  return `${start}\n${indent}${render(indent, indent.length + 1)};`;
}
