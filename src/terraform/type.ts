/** Terraform's JSON notation, such as `["map", "number"]`. Each value of type `"dynamic"` has its own type. */
export type Type =
  | "string"
  | "number"
  | "bool"
  | "dynamic"
  | readonly ["list" | "set" | "map", Type]
  | readonly ["tuple", readonly Type[]]
  | readonly ["object", Readonly<Record<string, Type>>];

export function parseType(json: unknown): Type {
  if (typeof json === "string" && ["string", "number", "bool", "dynamic"].includes(json)) return json as Type;
  if (Array.isArray(json)) {
    const [kind, of] = json as [unknown, unknown];
    if (kind === "list" || kind === "set" || kind === "map") return [kind, parseType(of)];
    if (kind === "tuple" && Array.isArray(of)) return ["tuple", of.map(parseType)];
    if (kind === "object" && typeof of === "object" && of !== null) {
      return ["object", Object.fromEntries(Object.entries(of).map(([name, type]) => [name, parseType(type)]))];
    }
  }
  throw new TypeError(`${JSON.stringify(json)} is not a type of Terraform`);
}
