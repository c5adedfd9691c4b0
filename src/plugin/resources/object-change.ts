import type { Fields } from "../../declarations/terraform/declaration-schema";
import { isLeaving, type Live } from "../../lifecycle/live";
import { describeObject, enumerated } from "../../lifecycle/wording";
import { idOf, type ObjectRef } from "../../model/object-ref";
import { withoutWriteOnly, type AttributePath } from "../../terraform/attributes";
import { isSame, Unknown, type ObjectValue } from "../../terraform/value";
import { acceptedLive, type Accepted, confirmedLive } from "./accepted-live";
import { attributeName, changedFields, driftAttributes, fieldName, isAnotherObject, valueText } from "./comparison";
import type { ObjectKind } from "./object-kind";
import { lasting, type ObjectMemory } from "./object-memory";
import { claimRemoval, planDeletion } from "./planned-deletion";
import { planSighting } from "./planned-name";
import { namedSecrets, refuseUnmet, secretsToCreate } from "./planned-needs";
import { keptValue, warnOfUnconfirmed, type ObjectPlan, type Planning } from "./planning";
import { differsAtOtherUrl, goneAtOtherUrl, isOnService, refuseOtherUrl } from "./service-url";

/** An object that the state and the code have. */
interface ObjectChange {
  readonly object: ObjectRef;
  readonly prior: ObjectValue;
  readonly proposed: ObjectValue;
  readonly memory: ObjectMemory;
}

/** A changed field replaces the object, unless the live object has the new value already. Other changes stay in the state. */
export async function planChange(planning: Planning, change: ObjectChange): Promise<ObjectPlan> {
  const { kind, ledger, session } = planning;
  const { object, prior, proposed, memory } = change;
  const compared = comparedFields(kind, change);
  const accepted = await acceptedOf(planning, change, compared);
  const changed = changedFields(...compared).filter((field) => !accepted.keys.has(field));
  const replacing = withoutSentAlready(changed, compared, kind.fieldsOf(proposed));
  if (replacing.length > 0) return planReplacement(planning, change, replacing);
  const kept = keptValue(session, prior, proposed);
  ledger.claim(object, "keep");
  if (!isOnService(prior, session)) return planOtherUrl(planning, change, kept);
  if (isSame(kind.valueType, prior, kept)) return { planned: prior, effect: {} };
  const what = `the declaration of ${describeObject(object)} takes over live values`;
  warnOfUnconfirmed(planning, accepted.unconfirmed, proposed, what);
  const live = without(memory.live, accepted.fields);
  const attributes = accepted.fields.map((field) => attributeName(kind, field));
  const drift = without(prior.drift as ObjectValue | null, attributes) ?? null;
  return { planned: { ...kept, drift }, private: live ? { live } : {}, effect: {} };
}

/** The live values that the code declares now, as lists of ten seconds show them. */
async function acceptedOf(planning: Planning, { object, prior, memory }: ObjectChange, compared: Compared): Promise<Accepted> {
  const { kind, session } = planning;
  const { live = {} } = memory;
  // Another object may be somebody else's, so its values are not taken over.
  const differing = !isOnService(prior, session) || isAnotherObject(Object.keys(live)) ? {} : live;
  const seen = acceptedLive(kind, differing, ...compared);
  if (seen.fields.length === 0) return seen;
  return acceptedLive(kind, await confirmedLive(planning, object, prior, differing), ...compared);
}

type Compared = readonly [before: Fields, after: Fields];

/** The state has no write-only values, so they are not compared. */
function comparedFields(kind: ObjectKind, { prior, proposed }: Pick<ObjectChange, "prior" | "proposed">): Compared {
  return [kind.fieldsOf(prior), kind.fieldsOf(withoutWriteOnly(kind.attributes, proposed))];
}

/** A field that has become write-only may be sent as before. */
function withoutSentAlready(changed: readonly string[], [before]: Compared, sent: Fields): string[] {
  return changed.filter((field) => !(field in before && before[field] === sent[field]));
}

/** The run has another URL than the state. That may be another service, so the live object must be as the state has it. */
async function planOtherUrl(
  { kind, ledger, session, report }: Planning,
  { object, prior, memory }: ObjectChange,
  kept: ObjectValue,
): Promise<ObjectPlan> {
  const service = String(prior.service);
  const live = await session.presence.read(object, service, prior.uid as string);
  if (live === undefined) throw goneAtOtherUrl(object, prior, session);
  const known = (prior.drift ?? {}) as ObjectValue;
  const { drift } = driftAttributes(kind, prior, live);
  const differing = Object.keys(drift ?? {}).filter((name) => drift![name] !== known[name]);
  if (differing.length > 0) throw differsAtOtherUrl(object, prior, session, differing);
  if (ledger.changeService(service)) {
    report({
      severity: "warning",
      summary: `the plan changes the service in the state from ${service} to ${session.url}`,
      detail:
        "The objects there are like those in the state, as far as the lists show, and nothing is sent. If the URL is wrong, do not apply this plan, and correct it.",
    });
  }
  return { planned: { ...kept, drift: prior.drift ?? null }, private: lasting(memory), effect: {} };
}

async function planReplacement(planning: Planning, change: ObjectChange, replacing: readonly string[]): Promise<ObjectPlan> {
  const { kind, session } = planning;
  const { object, prior, proposed } = change;
  refuseOtherUrl(object, prior, session);
  const [before, after] = comparedFields(kind, change);
  const what = replacing.map(
    (field) => `${fieldName(kind, field, proposed)} changes from ${valueText(before[field])} to ${valueText(after[field])}`,
  );
  const isAdopted = proposed.adopt === true || session.isAdopted(object);
  const live = isAdopted ? await session.presence.find(object) : undefined;
  const successor = kind.refOf(proposed);
  // The object leaves, and another one comes at its address.
  const isRenamed = successor !== undefined && idOf(successor) !== idOf(object);
  const { happens, leaving } = await planDeletion(planning, {
    object,
    prior,
    proposed,
    transition: isRenamed ? "remove" : "replace",
    // An object with another name, or one that the service is deleting, is not the same one.
    isAdopted: live !== undefined && !isLeaving(live) && !replacing.includes("name"),
    intent: `the plan replaces it: ${enumerated(what)}`,
    ...(isRenamed && { successor }),
  });
  if (happens === "ADOPT" && live) return planCorrection(planning, change, live, replacing);
  await refuseUnmet(planning, object, proposed);
  const isKnown = Object.values(after).every((value) => !(value instanceof Unknown));
  if (isRenamed) claimRemoval(planning, object);
  const own = namedSecrets(planning, successor, proposed);
  return {
    planned: { ...proposed, ...kind.computedOf(successor, session.url) },
    requiresReplace: distinct(replacing.map((field) => kind.pathOf(field))),
    private: {
      ...(isKnown && !isRenamed && { replacement: kind.digestOf(proposed) }),
      secrets: secretsToCreate(planning, own, proposed),
    },
    effect: { leaving },
  };
}

/**
 * The change only corrects the state, because the live object has the new values already. The lists do not show all fields, so
 * a person says that with `retain` and `adopt` in one plan, as with hooks.
 */
async function planCorrection(
  planning: Planning,
  { object, prior, proposed }: ObjectChange,
  live: Live,
  changed: readonly string[],
): Promise<ObjectPlan> {
  const { kind, ledger, session } = planning;
  const { uncertain } = await planSighting(planning, object, proposed, live, { isAdopted: true, isImported: false });
  const doubtful = new Set([...changed, ...uncertain]);
  planning.report({
    severity: "warning",
    summary: `${describeObject(object)} stays as it is, and the state takes over its declaration (retain and adopt)`,
    detail: `Check that the live object has the declared values of these fields: ${enumerated([...doubtful].map((field) => fieldName(kind, field, proposed)))}.`,
  });
  ledger.claim(object, "keep");
  const planned = { ...keptValue(session, prior, proposed), drift: null };
  return { planned, private: {}, effect: {} };
}

function distinct(paths: readonly AttributePath[]): AttributePath[] {
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}

function without<Item>(record: Readonly<Record<string, Item>> | null | undefined, keys: readonly string[]) {
  const rest = Object.entries(record ?? {}).filter(([key]) => !keys.includes(key));
  return rest.length > 0 ? (Object.fromEntries(rest) as Record<string, Item>) : undefined;
}
