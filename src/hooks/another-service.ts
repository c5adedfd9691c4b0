import { decideAbsence, possibleAbsences } from "../decision/platform";
import { UNKNOWN } from "../decision/possible";
import { witnessesAmong } from "../lifecycle/absence";
import { LifecycleError } from "../lifecycle/lifecycle-error";
import { findLive } from "../lifecycle/live";
import { noneOf } from "../lifecycle/refused-absence";
import type { Remedy } from "../lifecycle/remedy";
import { enumerated } from "../lifecycle/wording";
import { idOf, objectOf } from "../model/object-ref";
import type { Run } from "./run";

interface Asked {
  /** Who has the objects, as the end of "objects that …". */
  readonly owner: "the state has" | "the code declares" | "the last apply declared";
  /** What the apply has not done yet, as a sentence without its full stop. */
  readonly soFar: string;
  /** The objects that the code declares, if the run knows them. */
  readonly declared?: readonly string[];
  readonly isSeen?: boolean;
}

/** Throws if the service lacks objects, and nothing shows that they are gone: it is probably another service. */
export async function refuseAnotherService(
  run: Run,
  all: readonly string[],
  { owner, soFar, declared = [], isSeen = false }: Asked,
): Promise<void> {
  const { gone } = run.ofRun;
  const ids = all.filter((id) => !gone.includes(objectOf(id)));
  const facts = { service: "this one", isSaidGone: ids.length === 0, isSeen, isDeletionNoted: false } as const;
  if (possibleAbsences({ ...facts, witnesses: UNKNOWN }).every(({ happens }) => happens === "GONE")) return;
  const live = await findLive(run.context(), ids.map(objectOf), soFar);
  const absent = ids.filter((id) => !live.some((object) => idOf(object) === id));
  // Another workspace may have found a name taken by this one, because a destroy hook does not know its workspace.
  const witnesses = witnessesAmong(live, (object) => run.journal().wasRefused(object));
  const outcome = decideAbsence({ ...facts, witnesses });
  if (absent.length === 0 || outcome.happens === "GONE") return;
  const others = enumerated(live.map(idOf));
  const none =
    live.length > 0
      ? `only ${others} ${live.length === 1 ? "lives" : "live"}, whose name was taken when an apply tried to create it. ${enumerated(absent)} ${absent.length === 1 ? "is" : "are"} not`
      : noneOf(ids, owner);
  const objects = absent.map(objectOf);
  const [staying, removed] = [absent.filter((id) => declared.includes(id)), absent.filter((id) => !declared.includes(id))];
  const wayOut: Remedy =
    staying.length > 0
      ? { code: "RECREATE_MISSING", objects: staying.map(objectOf), all: true, removed: removed.map(objectOf) }
      : { code: "ACCEPT_GONE", objects, orNeverCreated: owner !== "the state has" };
  throw new LifecycleError({
    code: "OBJECT_MISSING",
    objects,
    summary: `${none} on the service at ${run.client().url}. Is it the right one?`,
    detail: soFar,
    remedies: [{ code: "CORRECT_URL" }, wayOut],
  });
}
