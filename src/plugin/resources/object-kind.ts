import type { Declared } from "../../declarations/declaration";
import { requestBody } from "../../declarations/declaration";
import type { ObjectType } from "../../declarations/object-type";
import { objectTypeOf } from "../../declarations/types";
import { unflatten } from "../../declarations/unflatten";
import { DeclarationSchema, knownOf, type Fields } from "../../declarations/terraform/declaration-schema";
import type { ObjectRef } from "../../model/object-ref";
import type { JsonObject, Kind, TypeCode } from "../../model/provider-type";
import { typeOf, type AttributePath, type Attributes } from "../../terraform/attributes";
import type { Diagnostic } from "../../terraform/diagnostic";
import type { Type } from "../../terraform/type";
import type { ObjectValue } from "../../terraform/value";
import { objectAttributes } from "./attributes";

/** The objects of one kind and type, between Terraform's values and this package's declarations. */
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

  /** The object that a value is about; undefined where its name is not known. */
  refOf({ name = null }: ObjectValue): ObjectRef | undefined {
    return typeof name === "string" ? { type: this.type, kind: this.kind, name } : undefined;
  }

  problems(config: ObjectValue): Diagnostic[] {
    return this.schema.problems(config);
  }

  declarationOf(value: ObjectValue): JsonObject {
    return this.schema.declarationOf(value);
  }

  /** Every attribute of a state that has such a declaration, and nothing else. */
  valueOf(declaration: JsonObject): ObjectValue {
    const nothing = Object.fromEntries(Object.keys(this.attributes).map((name) => [name, null]));
    return { ...nothing, ...this.schema.valueOf(declaration) };
  }

  /** The request of a declaration whose values are all known, its secrets still by reference. */
  bodyOf(declaration: JsonObject): JsonObject {
    return requestBody(this.objectType, declaration);
  }

  /** What a value declares, flat, without defaults and secrets: what the object is. */
  fieldsOf(value: ObjectValue): Fields {
    return this.schema.fieldsOf(value);
  }

  /** The same of a value in which everything is known. */
  declaredOf(value: ObjectValue): Declared {
    return knownOf(this.fieldsOf(value));
  }

  /** The declaration that a flat one was made of; undefined where that does not say enough. */
  unflattened(declared: Declared): JsonObject | undefined {
    return unflatten(this.objectType, declared);
  }

  /** Where in Terraform's value a field is. */
  pathOf(field: string): AttributePath {
    return this.schema.pathOf(field);
  }
}
