import type { Declared } from "../../declarations/declaration";
import { flatten, requestBody } from "../../declarations/declaration";
import type { ObjectType } from "../../declarations/object-type";
import { objectTypeOf } from "../../declarations/types";
import { unflatten } from "../../declarations/unflatten";
import { segmentsOf } from "../../declarations/trigger-keys";
import { DeclarationSchema } from "../../declarations/terraform/declaration-schema";
import { snakeCase } from "../../declarations/terraform/forms";
import type { ObjectRef } from "../../model/object-ref";
import type { JsonObject, Kind, TypeCode } from "../../model/provider-type";
import { typeOf, type AttributePath, type Attributes } from "../../terraform/attributes";
import type { Diagnostic } from "../../terraform/diagnostic";
import type { Type } from "../../terraform/type";
import { isWhollyKnown, Unknown, type ObjectValue, type Value } from "../../terraform/value";
import { objectAttributes } from "./attributes";

/** A flat declaration in which values may be unknown. */
export type Fields = Readonly<Record<string, string | Unknown>>;

/** Converts between Terraform's values and this package's declarations, for the objects of one type and kind. */
export class ObjectKind {
  readonly attributes: Attributes;
  readonly valueType: Type;
  private readonly objectType: ObjectType;
  private readonly schema: DeclarationSchema;

  constructor(
    readonly type: TypeCode,
    readonly kind: Kind,
  ) {
    this.objectType = objectTypeOf(type, kind);
    this.schema = new DeclarationSchema(this.objectType);
    this.attributes = objectAttributes(this.schema, kind);
    this.valueType = typeOf(this.attributes);
  }

  /** The object that a value describes, or undefined if its name is unknown. */
  refOf({ name = null }: ObjectValue): ObjectRef | undefined {
    return typeof name === "string" ? { type: this.type, kind: this.kind, name } : undefined;
  }

  problems(config: ObjectValue): Diagnostic[] {
    return this.schema.problems(config);
  }

  declarationOf(value: ObjectValue): JsonObject {
    return this.schema.declarationOf(value);
  }

  /** A state with this declaration. All other attributes are null. */
  valueOf(declaration: JsonObject): ObjectValue {
    const nothing = Object.fromEntries(Object.keys(this.attributes).map((name) => [name, null]));
    return { ...nothing, ...this.schema.valueOf(declaration) };
  }

  /** The request body of a declaration without unknown values. Secrets are still references. */
  bodyOf(declaration: JsonObject): JsonObject {
    return requestBody(this.objectType, declaration);
  }

  /** The flat declaration without defaults and secrets. Two values with equal fields declare the same object. */
  fieldsOf(value: ObjectValue): Fields {
    const declaration = this.declarationOf(value);
    const { services } = declaration;
    const spec =
      services !== undefined && !isWhollyKnown(services as Value) ? { ...declaration, services: new Unknown() } : declaration;
    const flat = flatten(
      { ...this.objectType, defaults: (declared) => this.defaults(declared) },
      spec,
      (leaf) => leaf instanceof Unknown,
    );
    return Object.fromEntries(Object.entries(flat).map(([key, leaf]) => [key, leaf instanceof Unknown ? leaf : String(leaf)]));
  }

  /** Like {@link fieldsOf}, without the fields that are unknown. */
  declaredOf(value: ObjectValue): Declared {
    return knownOf(this.fieldsOf(value));
  }

  /** Restores a declaration from its flat form, or returns undefined if the flat form does not hold all of it. */
  unflattened(declared: Declared): JsonObject | undefined {
    return unflatten(this.objectType, declared);
  }

  /** The path of a field in Terraform's value. */
  pathOf(field: string): AttributePath {
    return placeIn(this.attributes, segmentsOf(field));
  }

  /** The defaults of a declaration in which whole props may be missing or unknown. */
  private defaults(declared: JsonObject): JsonObject {
    const usable = this.objectType.structure
      .filter(({ prop, isOptional }) => declared[prop] instanceof Unknown || (!isOptional && declared[prop] === undefined))
      .map(({ prop, isList }) => [prop, isList ? [] : {}] as const);
    return this.objectType.defaults({ ...declared, ...Object.fromEntries(usable) });
  }
}

/** Follows the segments as far as the attributes have nested attributes. */
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

export function knownOf(fields: Fields): Declared {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => !(entry[1] instanceof Unknown)));
}
