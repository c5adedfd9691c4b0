import { TYPE_CODES, type JsonObject, type TypeCode } from "../../src/model/provider-type";
import type { ServicesSpec } from "../../src/declarations/services";
import type { Simulator } from "../../src/simulator";
import { goldens } from "../goldens";

/** A cluster that somebody has created without this package, and what that person knows of it. */
interface Known {
  readonly name: string;
  readonly type: TypeCode;
  readonly declaration: JsonObject;
}

const EXAMPLES = ["minimal", "maximal"] as const;

/** Adds clusters of all types on two providers of each type. */
export function addEstate(simulator: Simulator, count: number): Known[] {
  for (const type of TYPE_CODES) {
    for (const example of EXAMPLES) simulator.add("providers", type, goldens[type].provider[example].body);
  }
  return Array.from({ length: count }, (_, index) => {
    const type = TYPE_CODES[index % TYPE_CODES.length]!;
    const { declaration, body } = goldens[type].cluster[EXAMPLES[index % 2]!];
    const name = `${type}-${index}`;
    const cluster = body.cluster as JsonObject;
    const apiEndpoint = cluster.apiEndpoint ? `10.9.${index}.10` : cluster.apiEndpoint;
    simulator.add("clusters", type, { ...body, cluster: { ...cluster, clusterName: name, apiEndpoint } });
    return { name, type, declaration };
  });
}

/** The program with each TODO replaced by the live value, or its line removed if the cluster has the default. */
export function filled(program: string, known: readonly Known[]): string {
  let declaration: JsonObject = {};
  let nodes: JsonObject | undefined;
  const lines = program.split("\n").flatMap((line) => {
    const [, name] = /new \w+Cluster\(this, "(.*?)"/.exec(line) ?? [];
    if (name !== undefined) declaration = known.find((cluster) => cluster.name === name)!.declaration;
    if (/^ {6}\w/.test(line)) nodes = undefined;
    if (/^ +controlPlane: \{$/.test(line)) nodes = declaration.controlPlane as JsonObject;
    const [, group] = /^ {10}group: "(.*)",$/.exec(line) ?? [];
    if (group !== undefined) nodes = (declaration.workers as JsonObject[]).find((worker) => worker.group === group)!;
    const [, indent, prop] = /^( +)(\w+): TODO,/.exec(line) ?? [];
    if (prop === undefined) return [line];
    const value = (nodes ?? declaration)[prop];
    if (value === undefined) return [];
    return [`${indent}${prop}: ${prop === "services" ? services(value as ServicesSpec) : JSON.stringify(value)},`];
  });
  return lines.join("\n");
}

function services(spec: ServicesSpec): string {
  if ("preset" in spec) return `Services.${spec.preset}()`;
  const [method, names] = "enabled" in spec ? ["only", spec.enabled] : ["allBut", spec.disabled];
  return `Services.${method}(${names.map((name) => JSON.stringify(name)).join(", ")})`;
}
