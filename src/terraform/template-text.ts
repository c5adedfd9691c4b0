/**
 * Text in Terraform's JSON syntax is a template: `${` and `%{` begin an expression, and `$${` and `%%{` stand for the plain text.
 */

export function isTemplate(text: string): boolean {
  return /[$%]\{/.test(text.replaceAll("$${", "").replaceAll("%%{", ""));
}

/** The texts with expressions in a JSON value. */
export function templatesIn(value: unknown): string[] {
  if (typeof value === "string") return isTemplate(value) ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(templatesIn) : [];
}

/** A JSON value as Terraform reads it, as far as it has no expressions. */
export function withoutEscapes(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("$${", "${").replaceAll("%%{", "%{");
  if (Array.isArray(value)) return value.map(withoutEscapes);
  // Not JSON, for example Unknown.
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [withoutEscapes(key) as string, withoutEscapes(item)]));
}

/** What may be addresses of elements in an expression, without the attributes after them. */
export function addressesIn(expression: string): string[] {
  return (expression.match(/[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+/g) ?? []).map((path) => {
    const parts = path.split(".");
    return parts.slice(0, TYPED_KINDS.has(parts[0]!) ? 3 : 2).join(".");
  });
}

/** Kinds of elements with a type after the kind in their addresses. */
export const TYPED_KINDS: ReadonlySet<string> = new Set(["data", "ephemeral"]);
