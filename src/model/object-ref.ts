import { isName } from "./object-name";
import { isKind, isTypeCode, type Kind, type TypeCode } from "./provider-type";

/** Identifies a provider or cluster. Cluster names are unique on the service, provider names in their type. */
export interface ObjectRef {
  readonly type: TypeCode;
  readonly kind: Kind;
  readonly name: string;
}

/**
 * `type/kind/name`.
 * @param type may be a type that only the service knows
 */
export function objectId(type: string, kind: Kind, name: string): string {
  return `${type}/${kind}/${name}`;
}

export function idOf({ type, kind, name }: ObjectRef): string {
  return objectId(type, kind, name);
}

/** @param id a valid id */
export function objectOf(id: string): ObjectRef {
  return parseObjectId(id)!;
}

/** Undefined if the text is no id. */
export function parseObjectId(text: string): ObjectRef | undefined {
  const [type, kind, name = "", ...rest] = text.split("/");
  return isTypeCode(type) && isKind(kind) && isName(name) && rest.length === 0 ? { type, kind, name } : undefined;
}
