export type Synthesized = Partial<Record<"resource" | "data" | "locals" | "module", Record<string, unknown>>>;

/** By the address of the referring element. Overrides and Aspects are included. */
export type References = ReadonlyMap<string, ReadonlySet<string>>;

/** The shortest chain of addresses from `start` to one of `ends`. */
export function wayTo(ends: ReadonlySet<string>, start: string, references: References): string[] | undefined {
  const seen = new Set([start]);
  const ways = [[start]];
  for (const way of ways) {
    const last = way.at(-1)!;
    if (ends.has(last)) return way;
    for (const next of references.get(last) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}

export function referencesOf({ resource = {}, data = {}, locals = {}, module = {} }: Synthesized): References {
  const elements = new Map<string, unknown>();
  const addAll = (prefix: string, group: Record<string, unknown>) =>
    Object.entries(group).forEach(([id, body]) => elements.set(`${prefix}.${id}`, body));
  Object.entries(resource).forEach(([type, group]) => addAll(type, group as Record<string, unknown>));
  Object.entries(data).forEach(([type, group]) => addAll(`data.${type}`, group as Record<string, unknown>));
  addAll("local", locals);
  addAll("module", module);
  return new Map(
    [...elements].map(([address, body]) => [
      address,
      new Set(
        expressionsIn(body)
          .flatMap(addressesIn)
          .filter((found) => elements.has(found)),
      ),
    ]),
  );
}

/** The texts of an element that Terraform parses for references. */
function expressionsIn(body: unknown, key = ""): string[] {
  if (typeof body === "string") return key === "depends_on" || body.includes("${") ? [body] : [];
  if (Array.isArray(body)) return body.flatMap((item) => expressionsIn(item, key));
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, item]) =>
    name === "//" ? [] : [...expressionsIn(name), ...expressionsIn(item, name)],
  );
}

function addressesIn(expression: string): string[] {
  return (expression.match(/[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+/g) ?? []).map((path) => {
    const parts = path.split(".");
    return parts.slice(0, parts[0] === "data" ? 3 : 2).join(".");
  });
}
