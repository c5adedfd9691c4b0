import { ORPHAN_CODES, type OrphanRefusal, type OrphanRemedy } from "../decision/platform";
import { idOf, type ObjectRef } from "../model/object-ref";
import { LifecycleError, type Failure } from "./lifecycle-error";
import { decide, type Remedy } from "./remedy";
import { enumerated, sentences } from "./wording";

/** @param url of the service that the request was sent to, if that is another one */
export function refusedOrphans(
  { because, remedies }: OrphanRefusal,
  objects: readonly ObjectRef[],
  text: Pick<Failure, "summary" | "detail">,
  url?: string,
): LifecycleError {
  return new LifecycleError({ code: ORPHAN_CODES[because], objects, ...text, remedies: orphanRemedies(remedies, objects, url) });
}

export function orphanRemedies(codes: readonly OrphanRemedy[], objects: readonly ObjectRef[], url = ""): readonly Remedy[] {
  return codes.map((code) => {
    switch (code) {
      case "RESTORE_PLATFORM":
        return decide("Write the Platform again, because it has left the code");
      case "CORRECT_URL":
        return { code };
      case "DROP_NOTE":
        return decide(
          `If no service has that URL any more, remove the file in .cluster-platform/objects that names ${url} and the object`,
        );
      case "LET_GO":
      case "ADOPT_AND_REMOVE":
        return { code, objects };
    }
  });
}

/**
 * What is said of objects that leave, and that no destroy hook has deleted.
 * @param refused whether the create of an object sent nothing, because its name was taken
 */
export function removedFromCode(objects: readonly ObjectRef[], refused: (object: ObjectRef) => boolean) {
  const somebodys = objects.filter(refused).map(idOf);
  const ours = objects.map(idOf).filter((id) => !somebodys.includes(id));
  return {
    summary: `removed or destroyed, but still on the service: ${objects.map(idOf).join(", ")}`,
    detail: sentences(
      somebodys.length > 0
        ? `No request was sent to create ${somebodys.join(", ")}, because the name was taken: probably somebody else's`
        : undefined,
      ours.length > 0
        ? `The create of ${ours.join(", ")} was interrupted or failed, or this run has -target, -exclude or -replace`
        : undefined,
    ),
  };
}

/**
 * What is said of objects that no state has.
 * @param isNoted whether notes on this machine say that a request was sent
 * @param soFar what was not done, as a sentence without its full stop
 */
export function leftBehind(objects: readonly ObjectRef[], isNoted: boolean, soFar?: string): Pick<Failure, "summary" | "detail"> {
  const ids = enumerated(objects.map(idOf));
  const who = isNoted ? "An interrupted apply created" : "An apply that did not finish was to create";
  return {
    summary: `on the service but not in the state: ${ids}`,
    detail: sentences(`${who} ${ids}, and no later apply would delete it`, soFar),
  };
}
