import { baseUrlIn } from "../model/base-url";
import { idOf, type ObjectRef } from "../model/object-ref";

/** What another Platform of the stack declares. */
export interface DeclaredElsewhere<T = string> {
  /** Its name, or empty. Hooks do not need it. */
  readonly platform?: string;
  /** Empty for CLUSTER_PLATFORM_URL of the run. */
  readonly url: string;
  /** In settings, as `type/kind/name`. */
  readonly objects: readonly T[];
}

/** @param fits which objects are meant */
export function declaredElsewhere(
  all: readonly DeclaredElsewhere<ObjectRef>[],
  fits: (object: ObjectRef) => boolean,
): DeclaredElsewhere[] {
  const ids = all.map(({ url, objects }) => ({ url, objects: objects.filter(fits).map(idOf).sort() }));
  return ids.filter(({ objects }) => objects.length > 0);
}

/** Whether another Platform declares the object on the service at this URL. Without CLUSTER_PLATFORM_URL, it may be any service. */
export function isDeclaredElsewhere(
  elsewhere: readonly DeclaredElsewhere[],
  object: ObjectRef,
  url: string,
  { CLUSTER_PLATFORM_URL }: NodeJS.ProcessEnv,
): boolean {
  const isHere = (other: string) => (baseUrlIn(other || CLUSTER_PLATFORM_URL?.trim()) ?? url) === url;
  return elsewhere.some((each) => each.objects.includes(idOf(object)) && isHere(each.url));
}
