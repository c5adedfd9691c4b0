import { isName } from "./object-name";
import { isKind, isTypeCode, type Kind, type TypeCode } from "./provider-type";

/** A provider or cluster by what tells it from all others. Names of clusters are the service's, those of providers a type's. */
export interface ObjectRef {
  readonly type: TypeCode;
  readonly kind: Kind;
  readonly name: string;
}

/**
 * `type/kind/name`, as it stands in CLUSTER_PLATFORM_ADOPT, in the lists of a Platform and in messages.
 *
 * @param type also one that only the service knows
 */
export function objectId(type: string, kind: Kind, name: string): string {
  return `${type}/${kind}/${name}`;
}

export function idOf({ type, kind, name }: ObjectRef): string {
  return objectId(type, kind, name);
}

/** The object of an id that is known to be one. */
export function objectOf(id: string): ObjectRef {
  return parseObjectId(id)!;
}

/** The object that a text names; undefined where it is no id. */
export function parseObjectId(text: string): ObjectRef | undefined {
  const [type, kind, name = "", ...rest] = text.split("/");
  return isTypeCode(type) && isKind(kind) && isName(name) && rest.length === 0 ? { type, kind, name } : undefined;
}
