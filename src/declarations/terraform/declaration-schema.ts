import { flatten, type FlatDeclaration } from "../declaration";
import type { ObjectType } from "../object-type";
import { overrideProblems } from "../override-rules";
import { problemsOf, type Problem } from "../rules";
import { segmentsOf } from "../trigger-keys";
import { renderPath } from "../../util/prop-path";
import type { JsonObject } from "../../model/provider-type";
import type { Diagnostic } from "../../terraform/diagnostic";
import { renderAttributePath, type AttributePath, type Attributes } from "../../terraform/attributes";
import type { Type } from "../../terraform/type";
import { isWhollyKnown, Unknown, UNKNOWN, type ObjectValue, type Value } from "../../terraform/value";
import { formOfObject, snakeCase, type ObjectForm } from "./forms";

export type Fields = Readonly<Record<string, string | Unknown>>;

const schemas = new WeakMap<ObjectType, DeclarationSchema>();

/** Cached, because the derivation takes longer than the use of a schema. */
export function schemaOf(type: ObjectType): DeclarationSchema {
  const schema = schemas.get(type) ?? new DeclarationSchema(type);
  schemas.set(type, schema);
  return schema;
}

/**
 * The Terraform schema for the objects of a kind and type, derived from the rules of their declarations. The names of props are
 * in snake case. A prop that is not declared is null, even if it has a default, so a release that changes a default replaces
 * nothing. A value that is unknown in Terraform is {@link Unknown} in the declaration.
 */
export class DeclarationSchema {
  private readonly root: ObjectForm;

  constructor(private readonly type: ObjectType) {
    this.root = formOfObject(type.spec);
  }

  get attributes(): Attributes {
    return this.root.attributes;
  }

  /** A state has no values of secrets, so its declaration cannot be sent. */
  declarationOf(value: ObjectValue): JsonObject {
    return this.root.toDeclaration(value) as JsonObject;
  }

  /** The value has every attribute. */
  valueOf(declaration: JsonObject): ObjectValue {
    return this.root.toTerraform(declaration) as ObjectValue;
  }

  /** Without defaults and values of secrets. If the fields change, the object is another one. */
  fieldsOf(value: ObjectValue): Fields {
    const declaration = this.declarationOf(value);
    const { services } = declaration;
    const spec =
      services !== undefined && !isWhollyKnown(services as Value) ? { ...declaration, services: new Unknown() } : declaration;
    const type = { ...this.type, defaults: (declared: JsonObject) => this.defaults(declared) };
    const flat = flatten(type, spec, (leaf) => leaf instanceof Unknown);
    return Object.fromEntries(
      Object.entries(flat).map(([key, leaf]) => [key, isWhollyKnown(leaf as Value) ? String(leaf) : UNKNOWN]),
    );
  }

  /** The path in Terraform's value of a field of {@link fieldsOf}. */
  pathOf(field: string): AttributePath {
    return placeIn(this.attributes, segmentsOf(field));
  }

  /**
   * The problems of the known part of a configuration.
   * @param inProps whether the texts name props. Otherwise they name attributes
   */
  problems(config: ObjectValue, inProps = false): Diagnostic[] {
    const declared = this.declarationOf(config);
    const isOpen = (value: unknown) => value instanceof Unknown;
    const found = [...problemsOf(this.type.spec, declared), ...overrideProblems(this.type, declared, isOpen)].filter(
      ({ path }) => !isUndecided(declared, path),
    );
    const ofForm = this.root.problems(config, []);
    const isCovered = ({ path }: Diagnostic) => ofForm.some((problem) => isWithin(path!, problem.path!));
    return [
      ...ofForm,
      ...found.map((problem) => this.diagnostic(problem, declared, inProps)).filter((problem) => !isCovered(problem)),
    ];
  }

  /** Whole props of the declaration may be missing or unknown. */
  private defaults(declared: JsonObject): JsonObject {
    const usable = this.type.structure
      .filter(({ prop, isOptional }) => declared[prop] instanceof Unknown || (!isOptional && declared[prop] === undefined))
      .map(({ prop, isList }) => [prop, isList ? [] : {}] as const);
    return this.type.defaults({ ...declared, ...Object.fromEntries(usable) });
  }

  /** Diagnostics use Terraform's names and paths. For example, a list that is a map in Terraform has keys instead of indices. */
  private diagnostic({ path, message }: Problem, declared: JsonObject, inProps: boolean): Diagnostic {
    const place = this.root.pathOf(path, declared);
    if (inProps) return { severity: "error", summary: message, path: place };
    const rest = message.replace(`'${renderPath(path)}'`, "").replace(/'(\w+)'/g, (quoted, prop: string) => {
      const [name] = this.root.pathOf([prop], declared);
      return name === undefined ? quoted : `'${String(name)}'`;
    });
    return { severity: "error", summary: `'${renderAttributePath(place)}'${rest}`, path: place };
  }
}

export function knownOf(fields: Fields): FlatDeclaration {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => !(entry[1] instanceof Unknown)));
}

/** An attribute that is declared as a whole has no paths inside. */
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

function isWithin(path: AttributePath, outer: AttributePath): boolean {
  return outer.every((step, index) => JSON.stringify(step) === JSON.stringify(path[index]));
}

function isMap(type: Type): boolean {
  return typeof type !== "string" && type[0] === "map";
}

/** A rule is undecided if the value at the path, above it or below it is unknown. */
function isUndecided(declared: unknown, path: readonly PropertyKey[]): boolean {
  if (declared instanceof Unknown) return true;
  const [key, ...rest] = path;
  if (key === undefined) return !isWhollyKnown((declared ?? null) as Value);
  return isUndecided((declared as Record<PropertyKey, unknown> | undefined | null)?.[key], rest);
}
