import { connection } from "../api/connection";
import { isDeclaredElsewhere, type DeclaredElsewhere } from "../contract/declared-elsewhere";
import type { ObjectRef } from "../model/object-ref";
import type { Run } from "./run";

/**
 * The objects that another Platform of the stack declares. It adopts them in this apply, or has them already, so this one must not
 * delete them.
 */
export function declaredElsewhere(
  run: Run,
  elsewhere: readonly DeclaredElsewhere[],
  objects: readonly ObjectRef[],
): readonly ObjectRef[] {
  if (elsewhere.length === 0) return [];
  const { url } = connection(run.settings.connection, run.env);
  return objects.filter((object) => isDeclaredElsewhere(elsewhere, object, url, run.env));
}
