import { flatDeclaration, type FlatDeclaration } from "./declaration";
import type { Kind, TypeCode } from "../model/provider-type";
import { objectTypeOf } from "./types";

/** Adds the defaults that do not depend on other props to a flat declaration. */
export function declaredWithDefaults(type: TypeCode, kind: Kind, declared: FlatDeclaration): FlatDeclaration {
  const objectType = objectTypeOf(type, kind);
  const required = objectType.structure.filter(({ isOptional }) => !isOptional);
  const nothing = Object.fromEntries(required.map(({ prop, isList }) => [prop, isList ? [] : {}]));
  return { ...flatDeclaration({ ...objectType, defaults: () => ({}) }, objectType.defaults(nothing)), ...declared };
}
