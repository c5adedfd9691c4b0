import { flatten, type Declared } from "../declaration";
import type { ObjectType } from "../object-type";
import { overrideProblems } from "../override-rules";
import { problemsOf, type Problem } from "../rules";
import { segmentsOf } from "../trigger-keys";
import { renderPath } from "../../model/prop-path";
import type { JsonObject } from "../../model/provider-type";
import type { Diagnostic } from "../../terraform/diagnostic";
import { renderAttributePath, type AttributePath, type Attributes } from "../../terraform/attributes";
import type { Type } from "../../terraform/type";
import { isWhollyKnown, Unknown, type ObjectValue, type Value } from "../../terraform/value";
import { formOfObject, snakeCase, type ObjectForm } from "./forms";

/** A flat declaration that may hold unknown values. */
export type Fields = Readonly<Record<string, string | Unknown>>;

/**
 * How the objects of a kind and type are declared in Terraform's language, derived from the rules of their declarations.
 * Props have their names in snake case. What is not declared is null, also where there is a default: a release that
 * changes one replaces nothing. A value that is unknown in Terraform stands as {@link Unknown} in the declaration.
 */
export class DeclarationSchema {
  private readonly root: ObjectForm;

  constructor(private readonly type: ObjectType) {
    this.root = formOfObject(type.spec);
  }

  get attributes(): Attributes {
    return this.root.attributes;
  }

  /** The declaration that a configuration or a state has. Of a state, whose secrets have no values, it cannot be sent. */
  declarationOf(value: ObjectValue): JsonObject {
    return this.root.toDeclaration(value) as JsonObject;
  }

  /** Every attribute of a declaration. */
  valueOf(declaration: JsonObject): ObjectValue {
    return this.root.toTerraform(declaration) as ObjectValue;
  }

  /** What a value declares, flat, without defaults and secrets: what the object is. */
  fieldsOf(value: ObjectValue): Fields {
    const declaration = this.declarationOf(value);
    const { services } = declaration;
    const spec =
      services !== undefined && !isWhollyKnown(services as Value) ? { ...declaration, services: new Unknown() } : declaration;
    const type = { ...this.type, defaults: (declared: JsonObject) => this.defaults(declared) };
    const flat = flatten(type, spec, (leaf) => leaf instanceof Unknown);
    return Object.fromEntries(Object.entries(flat).map(([key, leaf]) => [key, leaf instanceof Unknown ? leaf : String(leaf)]));
  }

  /** Where in Terraform's value a field of {@link fieldsOf} is. */
  pathOf(field: string): AttributePath {
    return placeIn(this.attributes, segmentsOf(field));
  }

  /** What is wrong with a configuration, as far as it is known. */
  problems(config: ObjectValue): Diagnostic[] {
    const declared = this.declarationOf(config);
    const isOpen = (value: unknown) => value instanceof Unknown;
    const found = [...problemsOf(this.type.spec, declared), ...overrideProblems(this.type, declared, isOpen)].filter(
      ({ path }) => !isUndecided(declared, path),
    );
    return [...this.root.problems(config, []), ...found.map((problem) => this.diagnostic(problem, declared))];
  }

  /** The defaults of a declaration in which whole props may be missing or unknown. */
  private defaults(declared: JsonObject): JsonObject {
    const usable = this.type.structure
      .filter(({ prop, isOptional }) => declared[prop] instanceof Unknown || (!isOptional && declared[prop] === undefined))
      .map(({ prop, isList }) => [prop, isList ? [] : {}] as const);
    return this.type.defaults({ ...declared, ...Object.fromEntries(usable) });
  }

  /** Names and places are Terraform's: a list that is a map there has no indices. */
  private diagnostic({ path, message }: Problem, declared: JsonObject): Diagnostic {
    const place = this.root.pathOf(path, declared);
    const rest = message.replace(`'${renderPath(path)}'`, "").replace(/'(\w+)'/g, (quoted, prop: string) => {
      const [name] = this.root.pathOf([prop], declared);
      return name === undefined ? quoted : `'${String(name)}'`;
    });
    return { severity: "error", summary: `'${renderAttributePath(place)}'${rest}`, path: place };
  }
}

/** The fields that are known. */
export function knownOf(fields: Fields): Declared {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => !(entry[1] instanceof Unknown)));
}

/** As much of the place as the attributes have: what is declared as a whole has no places in it. */
function placeIn(attributes: Attributes, [prop, ...rest]: readonly (string | number)[]): AttributePath {
  const name = snakeCase(String(prop ?? ""));
  const attribute = attributes[name];
  if (attribute === undefined) return [];
  const [step, ...deeper] = rest;
  if (!("nested" in attribute)) return isMap(attribute.type) && typeof step === "string" ? [name, { key: step }] : [name];
  const { nesting, attributes: nested } = attribute.nested;
  if (nesting === "single") return [name, ...placeIn(nested, rest)];
  if (nesting === "map" && typeof step === "string") return [name, { key: step }, ...placeIn(nested, deeper)];
  return nesting === "list" && typeof step === "number" ? [name, step, ...placeIn(nested, deeper)] : [name];
}

function isMap(type: Type): boolean {
  return typeof type !== "string" && type[0] === "map";
}

/** Whether a rule cannot be decided yet, because what is at the path, or above it, or below it, is unknown. */
function isUndecided(declared: unknown, path: readonly PropertyKey[]): boolean {
  if (declared instanceof Unknown) return true;
  const [key, ...rest] = path;
  if (key === undefined) return !isWhollyKnown((declared ?? null) as Value);
  return isUndecided((declared as Record<PropertyKey, unknown> | undefined | null)?.[key], rest);
}
