import { type DoubtfulService, doubtfulService } from "../lifecycle/deletion-facts";
import { LifecycleError } from "../lifecycle/lifecycle-error";
import { bothLists } from "../lifecycle/live";
import type { Remedy } from "../lifecycle/remedy";
import { enumerated } from "../lifecycle/wording";
import { idOf, objectOf, type ObjectRef } from "../model/object-ref";
import type { Run } from "./run";

interface Asked {
  /** Who has the objects, as the end of "objects that …". */
  readonly owner: "the state has" | "the state has or the code declares" | "the last apply declared";
  /** What the apply has not done yet, as a sentence without its full stop. */
  readonly soFar: string;
  /** The objects that the code declares, if the run knows them. */
  readonly declared?: readonly string[];
}

/** Throws if the service lacks objects, and nothing shows that they are gone: it is probably another service. */
export async function refuseAnotherService(run: Run, all: readonly string[], asked: Asked): Promise<void> {
  const { gone } = run.ofRun;
  const expected = all.filter((id) => !gone.has(id)).map(objectOf);
  if (expected.length === 0) return;
  const lists = await bothLists(run.context(), expected, asked.soFar);
  const service = doubtfulService(run.journal(), all, gone, lists);
  if (service) throw anotherService(run, service, asked);
}

export function anotherService(run: Run, { expected, live }: DoubtfulService, asked: Asked): LifecycleError {
  const { owner, soFar, declared = [] } = asked;
  const objects = expected.filter((object) => !live.includes(object));
  const isDeclared = (object: ObjectRef) => declared.includes(idOf(object));
  const [staying, removed] = [objects.filter(isDeclared), objects.filter((object) => !isDeclared(object))];
  const wayOut: Remedy =
    staying.length > 0
      ? { code: "RECREATE_MISSING", objects: staying, all: true, removed }
      : { code: "ACCEPT_GONE", objects, orNeverCreated: owner !== "the state has" };
  return new LifecycleError({
    code: "OBJECT_MISSING",
    objects,
    summary: `${lacking(expected.length, objects, live, owner)} on the service at ${run.client().url}. Is it the right one?`,
    detail: soFar,
    remedies: [{ code: "CORRECT_URL" }, wayOut],
  });
}

function lacking(count: number, absent: readonly ObjectRef[], live: readonly ObjectRef[], owner: Asked["owner"]): string {
  const [missing, ids] = [absent.map(idOf), live.map(idOf)];
  if (live.length > 0)
    return `only ${enumerated(ids)} ${ids.length === 1 ? "lives" : "live"}, whose name was taken when an apply tried to create it. ${enumerated(missing)} ${missing.length === 1 ? "is" : "are"} not`;
  if (count === 1) return `${missing[0]}, the only object that ${owner}, is not`;
  return `none of the ${count} objects that ${owner} (${enumerated(missing)}) is`;
}
