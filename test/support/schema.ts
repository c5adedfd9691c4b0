import fc from "fast-check";
import * as rules from "../../src/declarations/rules";
import { definitionOf, type Schema } from "../../src/declarations/schema-definition";
import { keyedLists } from "../../src/declarations/structure";

/** The paths of everything that can be declared. List elements are `[0]`: `workers[0].cpu.cores`. */
export function propPaths(schema: Schema, path = ""): string[] {
  const def = definitionOf(schema);
  if (def.type === "optional") return propPaths(def.innerType, path);
  if (def.type === "array" && definitionOf(def.element).type === "object") return propPaths(def.element, `${path}[0]`);
  if (def.type !== "object") return [path];
  return Object.entries(def.shape).flatMap(([key, prop]) => propPaths(prop, path ? `${path}.${key}` : key));
}

/** The MessagePack library and the provider refuse the key `__proto__`. */
const label = fc
  .string({ unit: "grapheme", maxLength: 12 })
  .filter((text) => !/[\u0000-\u001f\u007f]/.test(text) && text !== "__proto__");
const text = label.filter((value) => value.length > 0);
const number = fc.nat({ max: 255 });
const ipV4 = fc.tuple(number, number, number, number).map((parts) => parts.join("."));
const version = fc.tuple(number, number, number).map((parts) => parts.join("."));
const secret = text.map((value) => ({ $secret: { value } }));
const url = fc.webUrl({ validSchemes: ["https"], withQueryParameters: true });

/** Values for rules whose format cannot be derived from the schema. */
const arbitraries = new Map<unknown, fc.Arbitrary<unknown>>([
  [rules.name, fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,20}[A-Za-z0-9])?$/)],
  [rules.text, text],
  [rules.optionalText, label],
  [rules.multilineText, fc.string({ unit: "grapheme", maxLength: 40 })],
  [rules.secret, secret],
  [rules.textOrSecret, fc.oneof(text, secret)],
  [
    rules.labels,
    fc.dictionary(
      text.filter((key) => key !== "__proto__"),
      label,
      { noNullPrototype: true, maxKeys: 3 },
    ),
  ],
  [rules.httpUrl, url],
  [rules.httpsUrl, url],
  [rules.hostPort, fc.tuple(fc.domain(), fc.integer({ min: 1, max: 65535 })).map(([host, port]) => `${host}:${port}`)],
  [rules.ipAddress, fc.oneof(ipV4, fc.ipV6())],
  [rules.optionalIpAddress, fc.oneof(ipV4, fc.constant(""))],
  [rules.cidr, fc.tuple(ipV4, fc.integer({ min: 0, max: 32 })).map((parts) => parts.join("/"))],
  [rules.version, version],
  [rules.optionalVersion, fc.oneof(version, fc.constant(""))],
  [rules.kubeVersion, version.map((value) => `v${value}`)],
  [
    rules.wantedKubeVersion,
    fc.oneof(
      version,
      version.map((value) => `v${value}`),
    ),
  ],
  [rules.quantity, fc.tuple(number, fc.constantFrom("Gi", "Mi", "GB", "T")).map((parts) => parts.join(""))],
  [rules.serviceName, fc.stringMatching(/^product-[a-z0-9]{1,12}$/)],
]);

/** Values that `schema` accepts, with and without optional props, and with text of any script. */
export function accepted(schema: Schema): fc.Arbitrary<unknown> {
  const known = arbitraries.get(schema);
  if (known) return known;
  const def = definitionOf(schema);
  switch (def.type) {
    case "object":
      return recordOf(def.shape).filter((value) => schema.safeParse(value).success);
    case "array": {
      const key = keyedLists.get(schema)?.key;
      const selector = (item: unknown) => (key === undefined ? Symbol() : (item as Record<string, unknown>)[key]);
      return fc.uniqueArray(accepted(def.element), { minLength: 1, maxLength: 3, selector });
    }
    case "union":
      return fc.oneof(...def.options.map(accepted));
    case "enum":
      return fc.constantFrom(...Object.values(def.entries));
    case "boolean":
      return fc.boolean();
    case "number":
      return fc.integer({ min: 1, max: 1_000_000 });
    case "string":
      return fc.constantFrom("workers", "infra", "control-plane", "example.com/gpu");
    default:
      throw new Error(`no arbitrary for a schema of type ${def.type}: add one to test/support/schema.ts`);
  }
}

/** The schema cannot describe the result of `bodyOverrides`, which may hold anything. */
const UNBOUNDED = ["bodyOverrides"];

function recordOf(shape: Record<string, Schema>) {
  const props = Object.entries(shape).filter(([key]) => !UNBOUNDED.includes(key));
  const isOptional = ([, prop]: [string, Schema]) => definitionOf(prop).type === "optional";
  const model = Object.fromEntries(
    props.map(([key, prop]) => [key, accepted(isOptional([key, prop]) ? definitionOf(prop).innerType : prop)]),
  );
  return fc.record(model, {
    requiredKeys: props.filter((entry) => !isOptional(entry)).map(([key]) => key),
    noNullPrototype: true,
  });
}
