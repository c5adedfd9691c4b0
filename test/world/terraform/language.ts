import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { UNKNOWN, Unknown } from "../../../src/terraform/value";

/** The names that an expression may use: `local`, `each`, `self`, resource types. */
export type Scope = Readonly<Record<string, unknown>>;
export type Compiled = (scope: Scope) => unknown;

/** The functions that the package writes into cdk.tf.json. */
const FUNCTIONS: Readonly<Record<string, (...args: never[]) => unknown>> = {
  base64gzip: (text: string) => zipped(text),
  jsonencode: (value: unknown) => sortedJson(value),
  jsondecode: (text: string) => decoded(text),
  tostring: (value: unknown) => (value === null ? null : String(value)),
  sensitive: (value: unknown) => value,
  nonsensitive: (value: unknown) => value,
  sha256: (text: string) => createHash("sha256").update(text).digest("hex"),
  contains: (list: readonly unknown[], value: unknown) => list.includes(value),
  merge: (...all: object[]) => Object.assign({}, ...all) as object,
  substr: (text: string, from: number, length: number) => text.slice(from, from + length),
};

/** Remembers results, because many runs of the world evaluate the same texts. */
function remembered<Result>(make: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    let result = known.get(text);
    if (result === undefined) {
      if (known.size > 10_000) known.clear();
      known.set(text, (result = make(text)));
    }
    return result;
  };
}

const zipped = remembered((text) => gzipSync(text, { level: 1 }).toString("base64"));
const decoded = remembered((text) => JSON.parse(text) as unknown);

/** Terraform sorts the keys of objects. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${sortedJson(item)}`).join(",")}}`;
}

/** Any value of cdk.tf.json. A text with an unknown part becomes {@link UNKNOWN}. */
export function compileValue(value: unknown): Compiled {
  if (typeof value === "string") return template(value);
  if (Array.isArray(value)) {
    const items = value.map(compileValue);
    return (scope) => items.map((item) => item(scope));
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => [key, compileValue(item)] as const);
    return (scope) => Object.fromEntries(entries.map(([key, item]) => [key, item(scope)]));
  }
  return () => value;
}

const template = remembered((text) => orUnknown(compileTemplate(text)));

function orUnknown(compiled: Compiled): Compiled {
  return (scope) => {
    try {
      return compiled(scope);
    } catch (error) {
      if (error === UNKNOWN) return UNKNOWN;
      throw error;
    }
  };
}

/** Throws UNKNOWN if a part is not known. */
function compileTemplate(text: string): Compiled {
  const parts: (string | Compiled)[] = [];
  let literal = "";
  for (let at = 0; at < text.length;) {
    if (text.startsWith("$${", at) || text.startsWith("%%{", at)) {
      literal += text.slice(at + 1, at + 3);
      at += 3;
    } else if (text.startsWith("${", at)) {
      const parser = new Parser(text, at + 2);
      const expression = parser.expression();
      parser.expect("}");
      if (literal !== "") parts.push(literal);
      literal = "";
      parts.push(expression);
      at = parser.at;
    } else if (text.startsWith("%{", at)) throw new Error(`the world does not know directives such as in ${text}`);
    else literal += text[at++];
  }
  if (literal !== "" || parts.length === 0) parts.push(literal);
  const [only] = parts;
  if (parts.length === 1) return typeof only === "string" ? () => only : only!;
  return (scope) => parts.map((part) => (typeof part === "string" ? part : String(part(scope)))).join("");
}

/** Reads as much of Terraform's language as the package writes. Throws on anything else. */
class Parser {
  constructor(
    private readonly text: string,
    public at: number,
  ) {}

  expect(token: string): void {
    if (!this.#take(token)) throw new Error(`expected ${token} at ${this.#rest()} in ${this.text.slice(0, 200)}`);
  }

  expression(): Compiled {
    const condition = this.#equality();
    if (!this.#take("?")) return condition;
    const yes = this.expression();
    this.expect(":");
    const no = this.expression();
    return (scope) => (condition(scope) ? yes(scope) : no(scope));
  }

  #rest(): string {
    return this.text.slice(this.at, this.at + 40);
  }

  #space(): void {
    while (/\s/.test(this.text[this.at] ?? "")) this.at++;
  }

  #take(token: string): boolean {
    this.#space();
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  #equality(): Compiled {
    const left = this.#postfix();
    const isEqual = this.#take("==");
    if (!isEqual && !this.#take("!=")) return left;
    const right = this.#postfix();
    return (scope) => (left(scope) === right(scope)) === isEqual;
  }

  #postfix(): Compiled {
    let value = this.#primary();
    for (;;) {
      const inner = value;
      if (this.text[this.at] === ".") {
        this.at++;
        const name = this.#identifier()!;
        value = (scope) => attribute(inner(scope), name);
      } else if (this.text[this.at] === "[") {
        this.at++;
        const index = this.expression();
        this.expect("]");
        value = (scope) => attribute(inner(scope), String(index(scope)));
      } else return value;
    }
  }

  #identifier(): string | undefined {
    this.#space();
    const name = /^[A-Za-z_][A-Za-z0-9_-]*/.exec(this.text.slice(this.at, this.at + 200))?.[0];
    this.at += name?.length ?? 0;
    return name;
  }

  #primary(): Compiled {
    this.#space();
    if (this.#take("(")) {
      const inner = this.expression();
      this.expect(")");
      return inner;
    }
    if (this.text[this.at] === '"') return this.#quoted();
    if (this.#take("[")) return this.#list();
    if (this.#take("{")) return this.#object();
    const number = /^\d+/.exec(this.text.slice(this.at, this.at + 20))?.[0];
    if (number) {
      this.at += number.length;
      return () => Number(number);
    }
    const name = this.#identifier();
    if (name === undefined) throw new Error(`cannot read ${this.#rest()} in ${this.text.slice(0, 200)}`);
    if (name === "null") return () => null;
    if (name === "true" || name === "false") return () => name === "true";
    if (this.#take("(")) return this.#call(name);
    return (scope) => attribute(scope, name);
  }

  #call(name: string): Compiled {
    const args: Compiled[] = [];
    while (!this.#take(")")) {
      args.push(this.expression());
      this.#take(",");
    }
    if (name === "try") return firstThatWorks(args);
    const act = FUNCTIONS[name];
    if (!act) throw new Error(`the world does not know the function ${name}`);
    return (scope) => act(...(args.map((arg) => arg(scope)) as never[]));
  }

  #list(): Compiled {
    const items: Compiled[] = [];
    while (!this.#take("]")) {
      items.push(this.expression());
      this.#take(",");
    }
    return (scope) => items.map((item) => item(scope));
  }

  #object(): Compiled {
    if (this.#take("}")) return () => ({});
    if (!/^\s*for\s/.test(this.text.slice(this.at, this.at + 10))) return this.#literalObject();
    this.#identifier();
    const key = this.#identifier()!;
    this.expect(",");
    const value = this.#identifier()!;
    if (this.#identifier() !== "in") throw new Error(`expected in at ${this.#rest()}`);
    const over = this.expression();
    this.expect(":");
    const newKey = this.expression();
    this.expect("=>");
    const newValue = this.expression();
    this.expect("}");
    return (scope) =>
      Object.fromEntries(
        Object.entries(over(scope) as object).map(([each, item]) => {
          const inner = { ...scope, [key]: each, [value]: item as unknown };
          return [newKey(inner), newValue(inner)];
        }),
      );
  }

  /** A value of it may be unknown. */
  #literalObject(): Compiled {
    const entries: (readonly [string, Compiled])[] = [];
    while (!this.#take("}")) {
      const key = this.#identifier()!;
      this.expect("=");
      entries.push([key, orUnknown(this.expression())]);
      this.#take(",");
    }
    return (scope) => Object.fromEntries(entries.map(([key, value]) => [key, value(scope)]));
  }

  #quoted(): Compiled {
    let end = this.at + 1;
    while (this.text[end] !== '"') end += this.text[end] === "\\" ? 2 : 1;
    const raw = this.text.slice(this.at, end + 1);
    this.at = end + 1;
    return compileTemplate(JSON.parse(raw) as string);
  }
}

function firstThatWorks(args: readonly Compiled[]): Compiled {
  return (scope) => {
    for (const arg of args) {
      try {
        return arg(scope);
      } catch (error) {
        if (error === UNKNOWN) throw error;
      }
    }
    throw new Error("no argument of try works");
  };
}

function attribute(value: unknown, name: string): unknown {
  if (value instanceof Unknown) throw UNKNOWN;
  if (typeof value !== "object" || value === null)
    throw new Error(`Attempt to get attribute from ${value === null ? "null" : typeof value} value: ${name}`);
  if (!Object.hasOwn(value, name)) throw new Error(`no attribute ${name}`);
  const found = (value as Scope)[name];
  if (found instanceof Unknown) throw UNKNOWN;
  return found;
}
