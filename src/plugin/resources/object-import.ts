import { isLeaving } from "../../lifecycle/live";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { decide } from "../../lifecycle/remedy";
import { unofferedLiveVersion } from "../../lifecycle/unoffered-version";
import { describeObject, enumerated } from "../../lifecycle/wording";
import { knownOf } from "../../declarations/terraform/declaration-schema";
import { ConfigurationError } from "../../model/errors";
import { isName, NAME_RULE } from "../../model/object-name";
import { idOf, parseObjectId, type ObjectRef } from "../../model/object-ref";
import { isProtectedInState } from "../../model/protection";
import { singular } from "../../model/provider-type";
import { renderAttributePath, withoutWriteOnly } from "../../terraform/attributes";
import type { ObjectValue, Value } from "../../terraform/value";
import { isPlainObject } from "../../util/prop-path";
import type { StoredObject } from "../server/provider";
import { isOfConstruct, type ObjectKind } from "./object-kind";
import type { ObjectMemory } from "./object-memory";
import { planSighting, seenUnderName } from "./planned-name";
import { keptValue, warnOfUnconfirmed, type ObjectPlan, type Planning } from "./planning";
import { refuseOtherUrl } from "./service-url";
import type { Session } from "./session";
import { addressOf } from "./words";

/** Terraform reads the object next, which adds what the lists show. */
export async function importObject(kind: ObjectKind, id: string, session: Session): Promise<StoredObject> {
  const byId = parseObjectId(id);
  const name = byId ? byId.name : id;
  const object: ObjectRef = { type: kind.type, kind: kind.kind, name };
  if (!isName(name) || (byId && idOf(byId) !== idOf(object))) {
    throw new ConfigurationError(
      "INVALID_SETTING",
      `the id of an import must be the name of a ${kind.type} ${singular(kind.kind)}, or ${kind.type}/${kind.kind}/<name>, and the name must ${NAME_RULE}, got ${JSON.stringify(id)}`,
    );
  }
  const live = await session.presence.find(object);
  await seenUnderName(session, live, { object, declared: undefined, isAdopted: false, isImported: true });
  const hasPlatform = session.settings.declared !== undefined;
  const memory: ObjectMemory = { imported: true, ...(hasPlatform && { hasPlatform }) };
  const state = {
    ...kind.valueOf({ name }),
    // The block may leave the code before an apply has written it.
    deletion_protection: isProtectedInState(session.settings, idOf(object)) || null,
    id: idOf(object),
    uid: session.newId(),
    service: session.url,
  };
  return { state, private: memory };
}

/** The first plan after an import. Fields that the service does not show are taken from the declaration. */
export async function planImported(
  planning: Planning,
  object: ObjectRef,
  prior: ObjectValue,
  proposed: ObjectValue,
): Promise<ObjectPlan> {
  const { kind, ledger, session } = planning;
  refuseOtherUrl(object, prior, session);
  ledger.claim(object, "keep");
  const declared = kind.refOf(proposed);
  if (declared && idOf(declared) !== idOf(object)) throw declaresAnother(object, declared, proposed, session);
  refuseIgnored(planning, object, proposed);
  const live = await session.presence.read(object, session.url, prior.uid as string);
  // For an adoption, the create warns of both.
  if (live && !isLeaving(live)) {
    const how = { isAdopted: false, isImported: true };
    const { unconfirmed } = await planSighting(planning, object, proposed, live, how);
    warnOfUnconfirmed(planning, unconfirmed, proposed, `${describeObject(object)} is imported`);
    await warnOfVersion(planning, object, proposed);
  }
  const planned = { ...keptValue(session, prior, proposed), drift: null };
  return { planned, private: {}, effect: {} };
}

function declaresAnother(object: ObjectRef, declared: ObjectRef, proposed: ObjectValue, { settings }: Session): LifecycleError {
  // A block that is written by hand may have any address.
  const address = isOfConstruct(proposed) ? `'${addressOf(settings, declared)}'` : "with the address of this block";
  return new LifecycleError({
    code: "ADOPT_MISMATCH",
    objects: [object],
    summary: `${describeObject(object)} was imported, and the block declares ${describeObject(declared)}`,
    remedies: [
      decide(
        `If 'terraform import' has put it into the state, remove it: terraform state rm ${address}. ` +
          `To import the object that the block declares, write id = ${JSON.stringify(idOf(declared))}`,
      ),
    ],
  });
}

/** An import has no values that `ignore_changes` could keep, so the state would lack a declared value that the live object may have. */
function refuseIgnored({ kind, ledger }: Planning, object: ObjectRef, proposed: ObjectValue): void {
  const config = ledger.importConfigOf(object);
  const declared = config && withoutWriteOnly(kind.attributes, config);
  // Without a refresh, only the rules show that something is missing.
  const ignored = declared
    ? Object.keys(declared).filter((name) => isLost(declared[name]!, proposed[name]))
    : kind.problems(proposed).map(({ path = [] }) => renderAttributePath(path));
  if (ignored.length === 0) return;
  throw new LifecycleError({
    code: "INVALID_PROP",
    objects: [object],
    summary: `${describeObject(object)} cannot be imported with ignore_changes of ${enumerated(ignored.sort())}`,
    detail: "An import has no values to keep. Nothing was changed",
    remedies: [decide("Remove lifecycle.ignoreChanges, apply, and write it again afterwards")],
  });
}

/** Whether `kept` lacks a declared value, or an element of a map in it. */
function isLost(declared: Value, kept: Value = null): boolean {
  if (declared === null || kept === null) return declared !== null;
  if (!isPlainObject(declared) || !isPlainObject(kept)) return false;
  return Object.entries(declared).some(([key, item]) => isLost(item as Value, kept[key] as Value | undefined));
}

async function warnOfVersion({ kind, session, report }: Planning, object: ObjectRef, proposed: ObjectValue): Promise<void> {
  const declared = knownOf(kind.fieldsOf(proposed));
  if (kind.kind === "providers" || declared.provider === undefined) return;
  const provider = { type: kind.type, kind: "providers", name: declared.provider } as const;
  const doubt = unofferedLiveVersion(declared, await session.presence.find(provider));
  if (doubt !== undefined) report({ severity: "warning", summary: `${describeObject(object)}: ${doubt}` });
}
