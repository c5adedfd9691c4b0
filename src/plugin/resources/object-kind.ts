import { digestOf } from "../../contract/snapshot";
import type { FlatDeclaration } from "../../declarations/declaration";
import { requestBody } from "../../declarations/declaration";
import { declaredWithDefaults } from "../../declarations/declared-with-defaults";
import type { ObjectType } from "../../declarations/object-type";
import { objectTypeOf } from "../../declarations/types";
import { unflatten } from "../../declarations/unflatten";
import { type DeclarationSchema, knownOf, schemaOf, type Fields } from "../../declarations/terraform/declaration-schema";
import { shownFields } from "../../lifecycle/compare";
import type { Live } from "../../lifecycle/live";
import { idOf, type ObjectRef } from "../../model/object-ref";
import type { JsonObject, Kind, TypeCode } from "../../model/provider-type";
import { typeOf, withoutWriteOnly, type AttributePath, type Attributes } from "../../terraform/attributes";
import type { Diagnostic } from "../../terraform/diagnostic";
import type { Type } from "../../terraform/type";
import { UNKNOWN, type ObjectValue } from "../../terraform/value";
import { objectAttributes } from "./attributes";

/** Otherwise the block is written by hand. */
export function isOfConstruct({ declared_at: path }: ObjectValue): boolean {
  return typeof path === "string";
}

/** Converts between Terraform's values and this package's declarations, for one type and kind. */
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
    this.schema = schemaOf(this.objectType);
    this.attributes = objectAttributes(this.schema, kind);
    this.valueType = typeOf(this.attributes);
  }

  /** Undefined if the name is unknown. */
  refOf({ name = null }: ObjectValue): ObjectRef | undefined {
    return typeof name === "string" ? { type: this.type, kind: this.kind, name } : undefined;
  }

  problems(config: ObjectValue): Diagnostic[] {
    return this.schema.problems(config, isOfConstruct(config));
  }

  declarationOf(value: ObjectValue): JsonObject {
    return this.schema.declarationOf(value);
  }

  /** A state with this declaration. All other attributes are null. */
  valueOf(declaration: JsonObject): ObjectValue {
    const nothing = Object.fromEntries(Object.keys(this.attributes).map((name) => [name, null]));
    return { ...nothing, ...this.schema.valueOf(declaration) };
  }

  /** The attributes of the declaration, as far as the service's lists show it. A default is null, as if it were not declared. */
  shownBy(live: Live): ObjectValue {
    const defaults = declaredWithDefaults(this.type, this.kind, {});
    const shown = Object.entries(shownFields(this.kind, live)).filter(([field, value]) => value !== defaults[field]);
    return this.schema.valueOf(unflatten(this.objectType, Object.fromEntries(shown)));
  }

  /** The request body of a declaration without unknown values. Secrets are still references. */
  bodyOf(declaration: JsonObject): JsonObject {
    return requestBody(this.objectType, declaration);
  }

  /** The flat declaration without defaults and secrets. Two values with equal fields declare the same object. */
  fieldsOf(value: ObjectValue): Fields {
    return this.schema.fieldsOf(value);
  }

  /** Like {@link fieldsOf}, without the fields that are unknown. */
  declaredOf(value: ObjectValue): FlatDeclaration {
    return knownOf(this.fieldsOf(value));
  }

  /** A digest of the declaration without its write-only values, which are not in a state. */
  digestOf(value: ObjectValue): string {
    return digestOf(this.declaredOf(withoutWriteOnly(this.attributes, value)), () => false);
  }

  /**
   * The computed attributes of an object that the apply creates.
   * @param object undefined if its name is unknown
   */
  computedOf(object: ObjectRef | undefined, service: string): ObjectValue {
    const ofProviders = this.kind === "providers" && { kubernetes_versions: UNKNOWN };
    return { id: object ? idOf(object) : UNKNOWN, uid: UNKNOWN, service, drift: null, ...ofProviders };
  }

  pathOf(field: string): AttributePath {
    return this.schema.pathOf(field);
  }
}
