import { knownOf, type Fields } from "../../declarations/terraform/declaration-schema";
import { isLeaving, type Live } from "../../lifecycle/live";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { decide } from "../../lifecycle/remedy";
import { unofferedLiveVersion } from "../../lifecycle/unoffered-version";
import { describeObject, enumerated, unchecked } from "../../lifecycle/wording";
import { idOf, type ObjectRef } from "../../model/object-ref";
import { renderAttributePath, withoutWriteOnly, type AttributePath } from "../../terraform/attributes";
import { isSame, Unknown, UNKNOWN, type ObjectValue, type Value } from "../../terraform/value";
import { isPlainObject } from "../../util/prop-path";
import type { Call, PlanRequest, PlanResult } from "../server/provider";
import { differsOnAnotherService, isOnService, refuseAnotherService } from "./another-service";
import {
  acceptedLive,
  attributeName,
  changedFields,
  compareWithLive,
  driftOf,
  fieldName,
  isAnotherObject,
  valueText,
} from "./comparison";
import { inTwoPlaces, type Ledger } from "./ledger";
import { isOfConstruct, type ObjectKind } from "./object-kind";
import { lasting, type ObjectMemory } from "./object-memory";
import { PlannedDeletion } from "./planned-deletion";
import { PlannedName } from "./planned-name";
import { PlannedNeeds } from "./planned-needs";
import type { Session } from "./session";
import { refuseUsed } from "./used-provider";
import { refuseWithoutPlatform } from "./without-platform";
import { addressOf } from "./words";

/** Plans an object by what Terraform proposes for it: a creation, a change or a removal. */
export class ObjectPlan {
  private readonly deletion: PlannedDeletion;
  private readonly needs: PlannedNeeds;
  private readonly name: PlannedName;

  constructor(
    private readonly kind: ObjectKind,
    private readonly ledger: Ledger,
    private readonly session: Session,
    private readonly call: Pick<Call<unknown>, "report">,
  ) {
    this.deletion = new PlannedDeletion(ledger, session, call);
    this.needs = new PlannedNeeds(kind, ledger, session, call);
    this.name = new PlannedName(kind, ledger, session, call);
  }

  async decide({ prior, proposed, private: memory = {} }: PlanRequest): Promise<PlanResult> {
    if (proposed === null) {
      const leaving = this.leavesWithAll(prior!) && { leavesWithAll: true };
      return {
        ...(await this.removal(prior!, memory as ObjectMemory)),
        private: { ...lasting(memory as ObjectMemory), ...leaving },
      };
    }
    if (prior === null) return this.creation(proposed, memory as ObjectMemory);
    return this.change(prior, proposed, memory as ObjectMemory);
  }

  /** Only a destroy removes what is declared. */
  private leavesWithAll(prior: ObjectValue): boolean {
    const { declared } = this.session.settings;
    return declared?.length === 0 || (declared?.includes(idOf(this.kind.refOf(prior)!)) ?? false);
  }

  private async removal(prior: ObjectValue, memory: ObjectMemory): Promise<PlanResult> {
    const object = this.kind.refOf(prior)!;
    this.ledger.record(object, prior);
    if (await this.isGoneWithItsService(object, prior)) return { planned: null };
    refuseWithoutPlatform(object, prior, memory, this.session);
    refuseAnotherService(object, prior, this.session);
    this.planRemoval(object);
    const facts = { ...this.session.deletionOf(object, prior.deletion_protection === true), isAdopted: false };
    const decided = await this.deletion.decide(object, prior, { ...facts, transition: "remove" }, "the plan deletes it");
    // Only a destroy removes what is declared. Terraform plans it after all that depends on it.
    if (decided === "DESTROY" && this.session.settings.declared?.includes(idOf(object))) {
      await refuseUsed(object, this.ledger, { ...this.call, configured: this.session });
    }
    return { planned: null };
  }

  /** In a plan of a part of the code, Terraform does not ask about the address where the code declares the object. */
  private planRemoval(object: ObjectRef): void {
    const { isPartial, settings } = this.session;
    if (isPartial && settings.declared?.includes(idOf(object))) throw inTwoPlaces(object);
    this.ledger.planRemoval(object);
  }

  /** Terraform before 1.12 plans such a removal, although the refresh says that the object is gone. */
  private async isGoneWithItsService(object: ObjectRef, prior: ObjectValue): Promise<boolean> {
    return this.session.isSaidGone(object) && !isOnService(prior, this.session) && this.deletion.isGone(object, prior);
  }

  /** Terraform plans a replacement twice: first as a change, and then as a creation that gets the private data of the first plan. */
  private async creation(proposed: ObjectValue, { replacement }: ObjectMemory): Promise<PlanResult> {
    const object = this.kind.refOf(proposed);
    this.ledger.planWrite(object ? describeObject(object) : "an object with an unknown name");
    if (object) {
      const recorded = this.ledger.recorded(object);
      this.ledger.planCreation(object);
      if (recorded) {
        refuseAnotherService(object, recorded, this.session);
        const isProtected = recorded.deletion_protection === true || proposed.deletion_protection === true;
        await this.deletion.decide(
          object,
          recorded,
          { ...this.session.deletionOf(object, isProtected), transition: "replace", isAdopted: false },
          "the plan replaces it, because of -replace, a taint or replace_triggered_by",
        );
        await this.needs.refuseUnmet(object, proposed);
      } else if (!this.ledger.isApplying) {
        await this.name.refuseTaken(object, proposed);
        if (proposed.adopt !== true && !this.session.isAdopted(object)) await this.needs.warnOfUnmet(object, proposed);
      }
    }
    const planned = { ...proposed, ...this.computedOf(object) };
    const secrets = this.needs.namedSecrets(object, proposed);
    return { planned, private: { ...(replacement !== undefined && { replacement }), secrets } };
  }

  /**
   * The computed attributes of an object that the apply creates.
   * @param object undefined if its name is unknown
   */
  private computedOf(object: ObjectRef | undefined): ObjectValue {
    const ofProviders = this.kind.kind === "providers" && { kubernetes_versions: UNKNOWN };
    return { id: object ? idOf(object) : UNKNOWN, uid: UNKNOWN, service: this.session.url, drift: null, ...ofProviders };
  }

  private async change(prior: ObjectValue, proposed: ObjectValue, memory: ObjectMemory): Promise<PlanResult> {
    const object = this.kind.refOf(prior)!;
    this.ledger.record(object, prior);
    if (memory.imported) return this.confirmation(object, prior, proposed);
    const before = this.kind.fieldsOf(prior);
    // The state has no write-only values, so they are not compared.
    const after = this.kind.fieldsOf(withoutWriteOnly(this.kind.attributes, proposed));
    const isMoved = !isOnService(prior, this.session);
    // Another object may be somebody else's, so its values are not taken over.
    const differing = isMoved || isAnotherObject(Object.keys(memory.live ?? {})) ? {} : (memory.live ?? {});
    const seen = acceptedLive(this.kind, differing, before, after);
    const confirmed = () => this.confirmed(object, prior, differing);
    const accepted = seen.fields.length === 0 ? seen : acceptedLive(this.kind, await confirmed(), before, after);
    const changed = changedFields(before, after).filter((field) => !accepted.keys.has(field));
    const replacing = changed.length === 0 ? [] : withoutHidden(changed, before, this.kind.fieldsOf(proposed));
    if (replacing.length > 0) {
      return this.replacement(object, prior, proposed, replacing, before, after);
    }
    const kept = { ...proposed, ...this.keptPath(prior, proposed), service: this.session.url };
    if (isMoved) return this.move(object, prior, kept, memory);
    this.ledger.planStay(object);
    if (isSame(this.kind.valueType, prior, kept)) return { planned: prior };
    this.warnOfUnconfirmed(accepted.unconfirmed, proposed, `the declaration of ${describeObject(object)} takes over live values`);
    const live = without(memory.live, accepted.fields);
    return { planned: { ...kept, drift: this.remainingDrift(prior, accepted.fields) }, private: live ? { live } : {} };
  }

  /** The run has another URL than the state. That may be another service, so the live object must be as the state has it. */
  private async move(object: ObjectRef, prior: ObjectValue, kept: ObjectValue, memory: ObjectMemory): Promise<PlanResult> {
    const service = String(prior.service);
    const live = await this.session.presence.read(object, service, prior.uid as string);
    if (live === undefined) throw goneMeanwhile(object);
    const known = (prior.drift ?? {}) as ObjectValue;
    const { drift } = driftAttributes(this.kind, prior, live);
    const differing = Object.keys(drift ?? {}).filter((name) => drift![name] !== known[name]);
    if (differing.length > 0) throw differsOnAnotherService(object, prior, this.session, differing);
    if (this.ledger.planMove(object, service)) {
      this.call.report({
        severity: "warning",
        summary: `the plan changes the service in the state from ${service} to ${this.session.url}`,
        detail:
          "The objects there are like those in the state, as far as the lists show, and nothing is sent. If the URL is wrong, do not apply this plan, and correct it.",
      });
    }
    return { planned: { ...kept, drift: prior.drift ?? null }, private: lasting(memory) };
  }

  /**
   * The change only corrects the state, because the live object has the new values already. The lists do not show all fields, so
   * a person says that with `retain` and `adopt` in one plan, as with hooks.
   */
  private async correction(
    object: ObjectRef,
    prior: ObjectValue,
    proposed: ObjectValue,
    live: Live,
    changed: readonly string[],
  ): Promise<PlanResult> {
    const seen = { isAdopted: true, isImported: false };
    const { uncertain } = await this.name.seen(object, proposed, live, seen);
    const doubtful = new Set([...changed, ...uncertain]);
    this.call.report({
      severity: "warning",
      summary: `${describeObject(object)} stays as it is, and the state takes over its declaration (retain and adopt)`,
      detail: `Check that the live object has the declared values of these fields: ${enumerated([...doubtful].map((field) => fieldName(this.kind, field, proposed)))}.`,
    });
    this.ledger.planStay(object);
    return { planned: { ...proposed, ...this.keptPath(prior, proposed), service: this.session.url, drift: null }, private: {} };
  }

  /**
   * The live values that lists still show ten seconds later. Right after a replacement, a list may show the replaced object. None if
   * a killed run has replaced the object of the state, because the new one may differ in fields that lists do not show.
   */
  private async confirmed(object: ObjectRef, prior: ObjectValue, seen: NonNullable<ObjectMemory["live"]>) {
    if (this.session.context.journal.wasReplaced(object, prior.uid as string)) return {};
    const later = await this.session.presence.findLater(object);
    if (later === undefined) throw goneMeanwhile(object);
    const live = driftAttributes(this.kind, prior, later).live ?? {};
    return Object.fromEntries(Object.entries(seen).filter(([field, value]) => live[field] === value));
  }

  /** Plans an object after its import. Fields that the service does not show are taken from the declaration. */
  private async confirmation(object: ObjectRef, prior: ObjectValue, proposed: ObjectValue): Promise<PlanResult> {
    refuseAnotherService(object, prior, this.session);
    this.ledger.planStay(object);
    const declared = this.kind.refOf(proposed);
    if (declared && idOf(declared) !== idOf(object)) {
      // A block that is written by hand may have any address.
      const address = isOfConstruct(proposed)
        ? `'${addressOf(this.session.settings, declared)}'`
        : "with the address of this block";
      throw new LifecycleError({
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
    this.refuseIgnored(object, proposed);
    const live = await this.session.presence.read(object, this.session.url, prior.uid as string);
    // For an adoption, the create warns of both.
    if (live && !isLeaving(live)) {
      const how = { isAdopted: false, isImported: true };
      const { unconfirmed } = await this.name.seen(object, proposed, live, how);
      this.warnOfUnconfirmed(unconfirmed, proposed, `${describeObject(object)} is imported`);
      await this.warnOfVersion(object, proposed);
    }
    const planned = { ...proposed, ...this.keptPath(prior, proposed), service: this.session.url, drift: null };
    return { planned, private: {} };
  }

  /** An import has no values that `ignore_changes` could keep, so the state would lack a declared value that the live object may have. */
  private refuseIgnored(object: ObjectRef, proposed: ObjectValue): void {
    const config = this.ledger.importConfigOf(object);
    const declared = config && withoutWriteOnly(this.kind.attributes, config);
    // Without a refresh, only the rules show that something is missing.
    const ignored = declared
      ? Object.keys(declared).filter((name) => isLost(declared[name]!, proposed[name]))
      : this.kind.problems(proposed).map(({ path = [] }) => renderAttributePath(path));
    if (ignored.length === 0) return;
    throw new LifecycleError({
      code: "INVALID_PROP",
      objects: [object],
      summary: `${describeObject(object)} cannot be imported with ignore_changes of ${enumerated(ignored.sort())}`,
      detail: "An import has no values to keep. Nothing was changed",
      remedies: [decide("Remove lifecycle.ignoreChanges, apply, and write it again afterwards")],
    });
  }

  private async replacement(
    object: ObjectRef,
    prior: ObjectValue,
    proposed: ObjectValue,
    replacing: readonly string[],
    before: Fields,
    after: Fields,
  ): Promise<PlanResult> {
    refuseAnotherService(object, prior, this.session);
    const what = replacing.map(
      (field) =>
        `${fieldName(this.kind, field, proposed)} changes from ${valueText(before[field])} to ${valueText(after[field])}`,
    );
    const byState = prior.deletion_protection === true || proposed.deletion_protection === true;
    const isAdopted = proposed.adopt === true || this.session.isAdopted(object);
    const live = isAdopted ? await this.session.presence.find(object) : undefined;
    const successor = this.kind.refOf(proposed);
    // The object leaves, and another one comes at its address.
    const isRenamed = successor !== undefined && idOf(successor) !== idOf(object);
    const decided = await this.deletion.decide(
      object,
      prior,
      {
        ...this.session.deletionOf(object, byState),
        transition: isRenamed ? "remove" : "replace",
        // An object with another name, or one that the service is deleting, is not the same one.
        isAdopted: live !== undefined && !isLeaving(live) && !replacing.includes("name"),
      },
      `the plan replaces it: ${enumerated(what)}`,
      isRenamed ? successor : undefined,
    );
    if (decided === "ADOPT" && live) return this.correction(object, prior, proposed, live, replacing);
    await this.needs.refuseUnmet(object, proposed);
    const isKnown = Object.values(after).every((value) => !(value instanceof Unknown));
    if (isRenamed) this.planRemoval(object);
    return {
      planned: { ...proposed, ...this.computedOf(successor) },
      requiresReplace: distinct(replacing.map((field) => this.kind.pathOf(field))),
      private: {
        ...(isKnown && !isRenamed && { replacement: this.kind.digestOf(proposed) }),
        secrets: this.needs.namedSecrets(successor, proposed),
      },
    };
  }

  private async warnOfVersion({ type, kind, name }: ObjectRef, proposed: ObjectValue): Promise<void> {
    const declared = knownOf(this.kind.fieldsOf(proposed));
    if (kind === "providers" || declared.provider === undefined) return;
    const doubt = unofferedLiveVersion(
      declared,
      await this.session.presence.find({ type, kind: "providers", name: declared.provider }),
    );
    if (doubt !== undefined)
      this.call.report({ severity: "warning", summary: `${describeObject({ type, kind, name })}: ${doubt}` });
  }

  private warnOfUnconfirmed(fields: readonly string[], proposed: ObjectValue, what: string): void {
    if (fields.length === 0) return;
    const [summary, ...detail] = unchecked(fields.map((field) => fieldName(this.kind, field, proposed))).split(". ");
    this.call.report({ severity: "warning", summary: `${what}; ${summary}`, detail: `${detail.join(". ")}.` });
  }

  /** Moving a construct in the tree must plan no change. */
  private keptPath(prior: ObjectValue, proposed: ObjectValue): ObjectValue {
    const isKept = (prior.declared_at ?? null) !== null && (proposed.declared_at ?? null) !== null;
    return isKept ? { declared_at: prior.declared_at! } : {};
  }

  private remainingDrift(prior: ObjectValue, accepted: readonly string[]): Value {
    return (
      without(
        prior.drift as ObjectValue | null,
        accepted.map((field) => attributeName(this.kind, field)),
      ) ?? null
    );
  }
}

export function driftAttributes(kind: ObjectKind, state: ObjectValue, live: Live) {
  const { differences } = compareWithLive(kind, kind.fieldsOf(state), live);
  const byField = Object.fromEntries(differences.map(({ field, live: found }) => [field, found]));
  return { differences, drift: driftOf(kind, differences), live: differences.length > 0 ? byField : undefined };
}

/** A list has shown live values, and ten seconds later the object is gone. A plan of both would forget or delete something. */
function goneMeanwhile(object: ObjectRef): LifecycleError {
  return new LifecycleError({
    code: "OBJECT_MISSING",
    objects: [object],
    summary: `${describeObject(object)}: a list showed it with the values of the code, and a list ten seconds later lacks it`,
    detail: "Nothing was changed",
    remedies: [{ code: "APPLY", when: "later" }],
  });
}

/**
 * Without the fields that have become write-only and are sent as before.
 * @param sent with the write-only values
 */
function withoutHidden(changed: readonly string[], before: Fields, sent: Fields): readonly string[] {
  return changed.filter((field) => !(field in before && before[field] === sent[field]));
}

/** Whether `kept` lacks a declared value, or an element of a map in it. */
function isLost(declared: Value, kept: Value = null): boolean {
  if (declared === null || kept === null) return declared !== null;
  if (!isPlainObject(declared) || !isPlainObject(kept)) return false;
  return Object.entries(declared).some(([key, item]) => isLost(item as Value, kept[key] as Value | undefined));
}

function distinct(paths: readonly AttributePath[]): AttributePath[] {
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}

function without<Item>(record: Readonly<Record<string, Item>> | null | undefined, keys: readonly string[]) {
  const rest = Object.entries(record ?? {}).filter(([key]) => !keys.includes(key));
  return rest.length > 0 ? (Object.fromEntries(rest) as Record<string, Item>) : undefined;
}
