import { digestOf } from "../../../contract/snapshot";
import type { LiveUnderName } from "../../../decision/creation";
import type { LiveObject } from "../../../decision/deletion";
import { possibleAbsences } from "../../../decision/platform";
import { UNSEEN } from "../../../decision/possible";
import { propOf } from "../../../declarations/trigger-keys";
import { compareKnown } from "../../../lifecycle/compare";
import { type Creating, sighting, type Sighting } from "../../../lifecycle/creation-facts";
import { identify } from "../../../lifecycle/deletion-facts";
import { liveNamed, liveObject, liveUnder } from "../../../lifecycle/live";
import { suggestionFor, unmetProviderNeed } from "../../../lifecycle/provider-needs";
import { idOf, type ObjectRef } from "../../../model/object-ref";
import type { JsonObject } from "../../../model/provider-type";
import { declaredIn, textIn, unknownIn } from "../../report/declared-fields";
import type { Look } from "../plan/look";
import type { ResourceChange } from "../plan/plan";
import type { NoteOfStack } from "./note";

/** What a look shows of the objects of a plan, as the facts of the engines. */

/** What has the name of an object that the plan creates, and what the notes say about it. */
export function sightOf(
  look: Look,
  object: ObjectRef,
  change: ResourceChange,
  { isReleased, ...planned }: Pick<Creating, "isAdopted" | "isOfState"> & { readonly isReleased: boolean },
): Sighting {
  const { kind, type } = object;
  const { after, after_unknown: later } = change.change;
  const [declared, unknown] = [declaredIn(change, after, later), unknownIn(change, after, later)];
  const known = unknown === true ? undefined : declared;
  const open = new Set(unknown === true ? [] : [...unknown].map(propOf));
  const live = liveUnder(object, look.lists);
  const comparison = live && known && compareKnown(kind, type, known, live, open);
  const makers = isReleased ? [] : undefined;
  return sighting(look, { ...planned, object, live, declared: known, open, comparison, makers, looked: LOOKED });
}

/** The look polls, as a create does. */
const LOOKED: ReadonlySet<LiveUnderName> = new Set(["perhaps deleted"]);

/**
 * What has the name of an object that the plan deletes.
 * @param others of the Platform. If one of them lives, the service is the right one
 */
export function liveToDelete(
  look: Look,
  object: ObjectRef,
  change: ResourceChange,
  others: () => readonly ObjectRef[],
): LiveObject | typeof UNSEEN {
  const { before, after, after_unknown: later } = change.change;
  const { id, uid = id } = (before ?? {}) as JsonObject;
  const record = look.journal.of(object);
  const live = liveUnder(object, look.lists);
  if (live) {
    const [had, has] = [before, unknownIn(change, after, later) === true ? undefined : after].map((values) =>
      digestIn(change, values),
    );
    // A taint and -replace replace the object again.
    const isEdited = has !== undefined && has !== had && change.action_reason !== "replace_because_tainted";
    if (isEdited && record.isReplacedBy(String(uid), has)) return "replaced";
    return identify(object, textIn(change, before, "provider"), live).live;
  }
  if (record.mayStillBeCreated) return UNSEEN;
  const isWitness = (other: ObjectRef) => liveObject(other, look.lists) !== undefined && !look.journal.of(other).wasNameTaken;
  const outcomes = possibleAbsences({
    service: "this one",
    isSaidGone: look.ofRun.gone.has(idOf(object)),
    hasWitness: others().some(isWitness),
    isSeen: false,
    isDeletionNoted: record.wasDeletionSent(String(uid)) ? UNSEEN : false,
  });
  const gone = outcomes.filter(({ happens }) => happens === "GONE").length;
  if (gone === outcomes.length) return "absent";
  return gone > 0 ? UNSEEN : "absent from a doubtful service";
}

function digestIn(change: ResourceChange, values: unknown): string | undefined {
  const declared = declaredIn(change, values);
  return declared && digestOf(declared, () => false);
}

/** A cluster whose create the service would refuse, because of its provider. Undefined if the plan registers that provider. */
export function unmetNeed(look: Look, cluster: ObjectRef, change: ResourceChange): NoteOfStack | undefined {
  const { after, after_unknown: later } = change.change;
  const { provider: name, kubernetesVersion } = declaredIn(change, after, later) ?? {};
  if (name === undefined) return undefined;
  const provider = { type: cluster.type, kind: "providers" as const, name };
  const live = liveNamed(provider, look.lists);
  const suggestion = live ? "" : suggestionFor(provider, look.lists);
  const unmet = unmetProviderNeed({ provider, kubernetesVersion, clusters: [cluster] }, { live, suggestion }, "");
  // A replacement is refused before it deletes the cluster. Before another create, somebody may still register the provider.
  const risk = change.change.actions.includes("delete") ? "high" : "medium";
  return unmet && { because: "provider missing", risk, object: idOf(cluster), problem: unmet.summary };
}
