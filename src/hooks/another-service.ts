import { possibleAbsences } from "../decision/platform";
import { UNSEEN } from "../decision/possible";
import { LifecycleError } from "../lifecycle/lifecycle-error";
import { findLive, liveObject, type Lists } from "../lifecycle/live";
import { doubtfulService } from "../lifecycle/refused-absence";
import type { Remedy } from "../lifecycle/remedy";
import { idOf, objectOf, type ObjectRef } from "../model/object-ref";
import type { Run } from "./run";

interface Asked {
  /** Who has the objects, as the end of "objects that …". */
  readonly owner: "the state has" | "the state has or the code declares" | "the last apply declared";
  /** What the apply has not done yet, as a sentence without its full stop. */
  readonly soFar: string;
  /** The objects that the code declares, if the run knows them. */
  readonly declared?: readonly string[];
  readonly isSeen?: boolean;
  /** Both lists. @default - it looks */
  readonly lists?: Lists;
}

/** Throws if the service lacks objects, and nothing shows that they are gone: it is probably another service. */
export async function refuseAnotherService(
  run: Run,
  all: readonly string[],
  { owner, soFar, declared = [], isSeen = false, lists }: Asked,
): Promise<void> {
  const { gone } = run.ofRun;
  const asked = all.map(objectOf).filter((object) => !gone.has(idOf(object)));
  const facts = { service: "this one", isSaidGone: asked.length === 0, isSeen, isDeletionNoted: false } as const;
  if (possibleAbsences({ ...facts, witnesses: UNSEEN }).every(({ happens }) => happens === "GONE")) return;
  const live = lists
    ? asked.filter((object) => liveObject(object, lists) !== undefined)
    : await findLive(run.context(), asked, soFar);
  const doubt = doubtfulService({
    all: asked,
    live,
    idOf,
    // Another workspace may have found a name taken by this one, because a destroy hook does not know its workspace.
    wasRefused: (object) => run.journal().of(object).wasRefused,
    url: run.client().url,
    owner,
    isSeen,
  });
  if (!doubt) return;
  const { absent: objects, summary } = doubt;
  const isDeclared = (object: ObjectRef) => declared.includes(idOf(object));
  const [staying, removed] = [objects.filter(isDeclared), objects.filter((object) => !isDeclared(object))];
  const wayOut: Remedy =
    staying.length > 0
      ? { code: "RECREATE_MISSING", objects: staying, all: true, removed }
      : { code: "ACCEPT_GONE", objects, orNeverCreated: owner !== "the state has" };
  throw new LifecycleError({
    code: "OBJECT_MISSING",
    objects,
    summary: `${summary}. Is it the right one?`,
    detail: soFar,
    remedies: [{ code: "CORRECT_URL" }, wayOut],
  });
}
