/**
 * Terraform changes some text on its way from the stack to a hook. It normalizes Unicode to form C, drops a leading byte order
 * mark, and misreads escaped dollars after a carriage return without a line feed and quotes after some combining letters. So any
 * text beyond printable ASCII, tabs and line breaks travels as base64.
 */
const MARK = "\u001fbase64:";

export function keepText(text: string): string {
  return survives(text) ? text : MARK + Buffer.from(text).toString("base64");
}

export function survives(text: string): boolean {
  return /^(?:[\t\n\x20-\x7e]|\r\n)*$/.test(text);
}

/** Decodes all strings and keys in a value. */
export function keptText(value: unknown): unknown {
  if (typeof value === "string") return decoded(value);
  if (Array.isArray(value)) return value.map(keptText);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [decoded(key), keptText(item)]));
}

/** Parses JSON with kept text in it. @throws SyntaxError */
export function parseKept(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return MARK_IN_JSON.test(json) ? keptText(value) : value;
}

/** JSON has a control character only as an escape. */
const MARK_IN_JSON = /\\u001f/i;

function decoded(text: string): string {
  return text.startsWith(MARK) ? Buffer.from(text.slice(MARK.length), "base64").toString() : text;
}

/** For arguments of resources: an expression, whose value Terraform still normalizes to form C. */
export function encodeLiteral(text: string): string {
  return `\${base64decode("${Buffer.from(text).toString("base64")}")}`;
}

/** The text of {@link encodeLiteral}. Undefined for any other template. */
export function encodedLiteral(template: string): string | undefined {
  const [, base64] = /^\$\{base64decode\("([\w+/=]*)"\)\}$/.exec(template) ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, "base64").toString().normalize("NFC");
}
