import { CREATION_CODES, type CreationRefusal, type CreationRemedy } from "../decision/creation";
import type { Creating, Sighting } from "./creation-facts";
import { visible } from "../util/printable";
import { ghostMs, type SentCreate } from "./object-record";
import { LifecycleError, type Failure } from "./lifecycle-error";
import { isLeaving } from "./live";
import { decide, type Remedy } from "./remedy";
import type { ObjectRef } from "../model/object-ref";
import { describeObject, differing, duration, enumerated, sentences } from "./wording";

/** What a refusal says of the caller. */
export interface RefusedCreation {
  /** A field as its owner writes it. @default - the name of the prop */
  readonly named?: (field: string) => string;
  /** How long the service has been deleting the object, as in `1m00s`. */
  readonly waited?: string;
  /** The URL of the service. */
  readonly url?: string;
  /** Other declared names that are taken, too. @default - the caller does not know them */
  readonly alsoTaken?: readonly ObjectRef[];
}

export function refusedCreation(
  { because, remedies }: CreationRefusal,
  creating: Pick<Creating, "object" | "live" | "isImported">,
  { makers, record, differences, changed, objections }: Sighting,
  { named = (field) => field, waited, url, alsoTaken }: RefusedCreation = {},
): LifecycleError {
  const { object, live, isImported } = creating;
  const [first] = makers;
  const what = describeObject(object);
  const how = isImported ? "imported" : "adopted";
  const texts = (): Pick<Failure, "summary" | "detail"> => {
    switch (because) {
      case "declared twice":
        return {
          summary: `${what} is declared twice: this run creates or continues with it for another instance, too`,
          detail: "Nothing was changed. If both had it, the removal of one would delete it for the other",
        };
      case "taken": {
        const hint = record.facts.creates.at(-1);
        const ours = first
          ? `This stack sent a request to create it at ${first.sentAt}, but ${objections.join("; ")}`
          : hint && noted(hint);
        const same = object.kind === "clusters" ? `${what} (${found()})` : what;
        return {
          summary: `the service already has ${live!.name === object.name ? same : `${found()}, which is not ${what}`}; nothing was changed`,
          detail: sentences(ours, alsoTaken?.length ? `Taken, too: ${enumerated(alsoTaken.map(describeObject))}` : undefined),
        };
      }
      case "taken by the state":
        return { summary: `the name of ${what} is taken: the state has ${found()}; nothing was changed` };
      case "differs":
        return {
          summary: `${what} cannot be ${how}, because it differs from its declaration: ${differing(differences, named)}; nothing was changed`,
        };
      case "sent otherwise":
        return {
          summary: `${what} cannot be ${how}, because this stack sent a request to create it at ${first!.sentAt}, and since then ${enumerated(changed)} changed in the code; nothing was changed on the service`,
        };
      case "still leaving":
        return {
          summary: `${what}: the service is deleting a ${live!.type} cluster of this name, and still lists it after ${waited} (timeouts.deleteSeconds); nothing was sent to create it`,
        };
      case "still listed":
        return {
          summary: `this stack itself has asked the service to delete ${what} at ${record.recentDeletion()!.at}, and lists still show it`,
          detail: `It may be gone already, so it is not ${how}. Nothing was changed. An apply ${duration(ghostMs(record.recentDeletion()!))} after the deletion finds out whether somebody else has created it since`,
        };
      case "temporary":
        return {
          summary: `${what} is on the service, and terraform test would delete it at its end; nothing was changed`,
        };
      case "nothing to import":
        return {
          summary: `${what} cannot be imported: ${!live ? `it is not on the service at ${url}` : isLeaving(live) ? "the service is deleting it" : `the name is taken by ${found()}`}`,
        };
    }
  };
  const noted = ({ sentAt, workspace }: SentCreate) =>
    `A note says that this stack sent a request to create it at ${sentAt}${workspace && `, in the workspace ${workspace}`}. That does not show that it is still this stack's`;
  const found = () => {
    const kind =
      "phase" in live!
        ? `a ${live.type} cluster on provider ${live.provider || "(unknown)"}, phase ${live.phase || "(none yet)"}`
        : `a ${live!.type} provider`;
    return visible(live!.name === object.name ? kind : `${live!.name}, ${kind}`);
  };
  return new LifecycleError({
    code: CREATION_CODES[because],
    objects: [object],
    ...texts(),
    remedies: [
      ...remedies.map((code) => remedyOf(code, because, creating, alsoTaken)),
      ...(because === "taken" && alsoTaken === undefined ? [mayBeMore(object)] : []),
    ],
    ...(differences.length > 0 && { differences }),
    changed,
  });
}

function mayBeMore({ kind }: ObjectRef): Remedy {
  return decide(`All names that are taken: npx cluster-platform get ${kind}`);
}

function remedyOf(
  code: CreationRemedy,
  because: CreationRefusal["because"],
  { object, live }: Pick<Creating, "object" | "live">,
  alsoTaken: readonly ObjectRef[] = [],
): Remedy {
  const objects = [object];
  switch (code) {
    case "ADOPT":
      return { code, objects: [{ ...object, name: live!.name }, ...alsoTaken], isRenamed: live!.name !== object.name };
    case "APPLY":
      return { code, when: because === "still leaving" ? "object is gone" : "object is unlisted" };
    case "DECLARE_SENT":
      return decide(
        "From that request: declare what was sent then, apply, and change it afterwards. From an apply on another machine: adopt it there",
      );
    case "DECLARE_ONCE":
      return decide(
        "The stack's folder is the source of several modules, or of one with count or for_each: keep one. Take this one out of the code, and out of the state with terraform state rm 'module.NAME'",
      );
    case "REMOVE_FIRST": {
      const [old, own] =
        live!.type === object.type
          ? [describeObject({ ...object, name: live!.name }), describeObject(object)]
          : [`the ${live!.type} cluster`, `the ${object.type} cluster`];
      return decide(`Remove ${old} in one apply, and declare ${own} in the next one`);
    }
    case "CORRECT_IMPORT":
      return decide(
        "Correct the name, the resource type or the URL. Create the object: remove the import (importFrom() on its construct)",
      );
    case "TEST_OTHERS":
      return decide("Test with names that nothing has and without an import, or with command = plan, which changes nothing");
    case "DECLARE_LIVE":
    case "RENAME":
      return { code, objects };
  }
}
