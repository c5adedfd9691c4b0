import { ClusterPlatformError, ConfigurationError } from "../api/errors";
import { isProtected, isRetained, matchingNone, WAY_PAST_PROTECTION } from "../api/protection";
import { readAfter, readBefore } from "./environment";
import { removedObjects } from "./removed-objects";
import { enumerated, type Run } from "./run";

/**
 * Runs before anything is deleted, and refuses if any of it is protected, or if it may be what a misspelled `retain` was
 * to keep.
 */
export async function guard({ env, settings }: Run): Promise<void> {
  const going = removedObjects(env).filter((id) => !isRetained(settings, id));
  if (going.length === 0) return;
  const known = [...readBefore(env), ...(readAfter(env) ?? [])];
  const refused = going.filter((id) => isProtected(settings, id));
  if (refused.length > 0) {
    const allowed = matchingNone(settings.allowDeletion, known);
    const misspelled =
      allowed.length > 0 ? `. allowDeletion has ${enumerated(allowed)}, which names nothing: is it misspelled?` : "";
    // A destroy of everything looks to a hook like one of a few.
    const targeted = readAfter(env)
      ? ""
      : ". To delete others only, remove their constructs and apply: a hook cannot see what -target spares";
    throw new ClusterPlatformError(
      "PROTECTED",
      `${enumerated(refused)} ${refused.length === 1 ? "is" : "are"} protected from deletion; nothing was deleted. To delete, ${WAY_PAST_PROTECTION}${targeted}${misspelled}`,
    );
  }
  const unknown = matchingNone(settings.retain, known);
  if (unknown.length === 0) return;
  throw new ConfigurationError(
    "INVALID_SETTING",
    `Platform: 'retain' must name what the state or the code has, got ${enumerated(unknown)}: were that misspelled, what it is to keep would be deleted now. ` +
      `Nothing was deleted; about to be: ${enumerated(going)}. Correct it, or take it out if an earlier apply has let go of it, and apply again`,
  );
}
