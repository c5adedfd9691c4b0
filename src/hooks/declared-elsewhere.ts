import { isDeclaredElsewhere, type DeclaredElsewhere } from "../contract/declared-elsewhere";
import { LifecycleError } from "../lifecycle/lifecycle-error";
import { decide } from "../lifecycle/remedy";
import { called, enumerated } from "../lifecycle/wording";
import { idOf, type ObjectRef } from "../model/object-ref";
import { retainLine } from "../model/protection";
import type { Run } from "./run";
import { platformCalled } from "./words";

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
  const { url } = run.client();
  return objects.filter((object) => isDeclaredElsewhere(elsewhere, object, url, run.env));
}

/** @param otherwise what was not done, as the end of a sentence */
export function isElsewhere(run: Run, found: readonly ObjectRef[], otherwise: string): LifecycleError {
  const platform = platformCalled(run.settings);
  const [have, them] = found.length === 1 ? ["has", "it"] : ["have", "them"];
  return new LifecycleError({
    code: "PROTECTED",
    objects: found,
    summary: `${enumerated(found.map((object) => called(object)))} ${have} left ${platform}, but another Platform of the stack declares ${them}; ${otherwise}`,
    remedies: [
      decide(
        `To move ${them} there, write ${retainLine(run.settings, found.map(idOf))} on ${platform} for one apply, and move or adopt ${them} there. To delete ${them} and create ${them} again, remove ${them} from the other Platform, apply, and declare ${them} there again`,
      ),
    ],
  });
}
