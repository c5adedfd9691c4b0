/**
 * Terraform brings all text to Unicode's normal form C, drops a byte order mark at its beginning, misreads escaped
 * dollars after a carriage return that ends no line, and does not see the quote behind some letters that join what
 * follows. Text that it may not leave as it is travels encoded, and the hook decodes it.
 */
const MARK = "\u001fbase64:";

export function keepText(text: string): string {
  return survives(text) ? text : MARK + Buffer.from(text).toString("base64");
}

/** Whether Terraform leaves text as it is. Letters of other scripts are not told apart: some of them are misread. */
export function survives(text: string): boolean {
  return /^(?:[\t\n\x20-\x7e]|\r\n)*$/.test(text);
}

/** A value as it was before {@link keepText} went over its strings and keys. */
export function keptText(value: unknown): unknown {
  if (typeof value === "string") return decoded(value);
  if (Array.isArray(value)) return value.map(keptText);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [decoded(key), keptText(item)]));
}

function decoded(text: string): string {
  return text.startsWith(MARK) ? Buffer.from(text.slice(MARK.length), "base64").toString() : text;
}
