import type { JsonObject, TypeCode } from "../../src/model/provider-type";
import type { Simulator } from "../../src/simulator";
import { goldens } from "../goldens";

/** The constants of a program, and the values that a person knows for them. */
type Known = Map<string, unknown>;

/** Adds clusters that somebody has created without this package, in turn of some types, on one provider of each type. */
export function addEstate(simulator: Simulator, count: number, types: readonly TypeCode[]): Known {
  for (const type of types) simulator.add("providers", type, goldens[type].provider.minimal.body);
  for (let index = 0; index < count; index++) {
    const type = types[index % types.length]!;
    const { body } = goldens[type].cluster.minimal;
    const cluster = body.cluster as JsonObject;
    const own = { clusterName: `${type}-${index}`, ...(cluster.apiEndpoint ? { apiEndpoint: `10.9.${index}.10` } : {}) };
    simulator.add("clusters", type, { ...body, cluster: { ...cluster, ...own } });
  }
  return new Map(types.flatMap(constantsOf));
}

function constantsOf(type: TypeCode): [constant: string, value: unknown][] {
  const { declaration } = goldens[type].cluster.minimal;
  const provider = goldens[type].provider.minimal.declaration;
  return [
    ...Object.entries(declaration),
    [`${type}ControlPlane`, declaration.controlPlane],
    ...(declaration.workers as JsonObject[]).map((each): [string, unknown] => [
      camelCase(type, String(each.group), "workers"),
      each,
    ]),
    [camelCase(type, String(provider.name)), provider],
  ];
}

function camelCase(...words: readonly string[]): string {
  return words.join("-").replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The program with a value for each TODO. Counts a constant as one edit. */
export function edited(program: string, known: Known): { readonly program: string; readonly edits: number } {
  let edits = 0;
  const result = program.replace(/^const (\w+) = (TODO|\{[^;]*TODO[^;]*\});$/gm, (_, name: string, value: string) => {
    edits++;
    const written = value === "TODO" ? known.get(name) : valuesOf(value, known.get(name) as JsonObject);
    return `const ${name} = ${typeof written === "string" && value !== "TODO" ? written : JSON.stringify(written)};`;
  });
  return { program: result, edits };
}

function valuesOf(fields: string, values: JsonObject): string {
  return fields.replace(/(\w+): TODO/g, (_, prop: string) => `${prop}: ${JSON.stringify(values[prop])}`);
}
