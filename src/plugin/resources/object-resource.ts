import { create } from "../../lifecycle/create";
import { noteAbsence, remove } from "../../lifecycle/delete";
import type { Difference } from "../../lifecycle/compare";
import type { Failure } from "../../lifecycle/lifecycle-error";
import { decide, type Remedy } from "../../lifecycle/remedy";
import { isLeaving, liveUnder, type Live } from "../../lifecycle/live";
import { describeObject, differing } from "../../lifecycle/wording";
import { singular, type JsonObject } from "../../model/provider-type";
import { idOf, parseObjectId, type ObjectRef } from "../../model/object-ref";
import { isName, NAME_RULE } from "../../model/object-name";
import { isProtectedInState } from "../../model/protection";
import { ConfigurationError } from "../../model/errors";
import type { Redactor } from "../../util/redaction";
import { secretsIn } from "../../model/secret-reference";
import { stringsIn, toJson } from "../../declarations/terraform/json";
import { writeOnlyIn } from "../../terraform/attributes";
import type { ObjectValue } from "../../terraform/value";
import type { Call, Private, ReadResult, Resource } from "../server/provider";
import { isOnService, refuseAnotherService, refuseUnplannedService } from "./another-service";
import { fieldName, isAnotherObject } from "./comparison";
import { reportingFailures, warning } from "./failures";
import { inNoState } from "./suspects";
import type { Ledger } from "./ledger";
import { isOfConstruct, type ObjectKind } from "./object-kind";
import { lasting, type ObjectMemory } from "./object-memory";
import { driftAttributes, ObjectPlan } from "./object-plan";
import { refuseOrphans } from "./orphan-check";
import { seenUnderName } from "./seen-under-name";
import type { Session } from "./session";
import { refuseWithoutPlatform } from "./without-platform";

export function objectResource(kind: ObjectKind, ledger: Ledger, redactor: Redactor): Resource<Session> {
  /** Secret values occur in configurations only, never in states. */
  const learnSecrets = (config: ObjectValue | null) => {
    if (config === null) return;
    for (const { value } of writeOnlyIn(kind.attributes, config)) stringsIn(toJson(value)).forEach((text) => redactor.add(text));
    for (const { reference } of secretsIn(kind.declarationOf(config))) {
      if ("value" in reference.$secret && typeof reference.$secret.value === "string") redactor.add(reference.$secret.value);
    }
  };

  return {
    attributes: kind.attributes,
    identity: ["name"],
    description: `A ${singular(kind.kind)} of type ${kind.type} on the cluster and provider management service.`,

    validate: (config, call) => {
      learnSecrets(config);
      const object = kind.refOf(config);
      if (object) ledger.validated(object, config);
      const place = isOfConstruct(config) ? `${String(config.declared_at)}: ` : "";
      for (const problem of kind.problems(config)) {
        call.report({ ...problem, summary: `[INVALID_PROP] ${place}${problem.summary}` });
      }
    },

    loaded: (state) => {
      const object = kind.refOf(state);
      if (!object) return;
      ledger.record(object, state);
      if (typeof state.uid === "string") ledger.loadedUid(object, state.uid);
      ledger.stored(object);
    },

    read: ({ state, private: memory }, call) =>
      reportingFailures(state, call, async () => {
        ledger.record(kind.refOf(state)!, state);
        if ((memory as ObjectMemory | undefined)?.imported) ledger.readImport(kind.refOf(state)!);
        const result = await new Reading(kind, call).read(state, memory);
        // The plan then creates the object, and does not replace it.
        if (result.state === null) ledger.deleted(kind.refOf(state)!);
        else if (typeof state.uid === "string") ledger.readUid(kind.refOf(state)!, state.uid);
        return result;
      }),

    plan: (request, call) =>
      reportingFailures(request.proposed ?? request.prior, call, () => {
        learnSecrets(request.config);
        return new ObjectPlan(kind, ledger, call.configured, call).decide(request);
      }),

    create: ({ planned, config }, call) =>
      reportingFailures(planned, call, async () => {
        ledger.isApplying = true;
        learnSecrets(config);
        const object = kind.refOf(planned)!;
        ledger.beginToCreate(object);
        // Terraform has validated the configuration again with all values known.
        const declaration = kind.declarationOf(config!);
        await createObject(kind, object, planned, declaration, call);
        const uid = call.configured.newId();
        ledger.created(object, uid);
        const ofProviders = kind.kind === "providers" && {
          kubernetes_versions: await kubernetesVersions(object, declaration, call),
        };
        call.configured.presence.changed();
        return { state: { ...planned, id: idOf(object), uid, ...ofProviders }, private: {} };
      }),

    // A change of a declared field is planned as a replacement, so only settings of Terraform are left here.
    update: ({ prior, planned }, call) =>
      reportingFailures(prior, call, async () => {
        ledger.isApplying = true;
        await refuseLeftBehind(prior, {}, ledger, call, "Nothing was changed");
        ledger.stored(kind.refOf(planned)!);
        return { state: planned };
      }),

    delete: ({ prior, private: memory }, call) =>
      reportingFailures(prior, call, async () => {
        ledger.isApplying = true;
        await deleteObject(kind, prior, memory as ObjectMemory, ledger, call);
        ledger.deleted(kind.refOf(prior)!);
        call.configured.presence.changed();
      }),

    import: ({ id, identity }, call) => reportingFailures(null, call, () => imported(kind, id ?? String(identity.name), call)),
  };
}

class Reading {
  private readonly session: Session;

  constructor(
    private readonly kind: ObjectKind,
    private readonly call: Call<Session>,
  ) {
    this.session = call.configured;
  }

  async read(state: ObjectValue, memory: Private = {}): Promise<ReadResult> {
    const object = this.kind.refOf(state)!;
    const live = await this.session.presence.read(object, state.service as string, state.uid as string);
    if (live === undefined) {
      noteAbsence(this.session.context, object, state.uid as string);
      this.call.report({
        severity: "warning",
        summary: `${describeObject(object)} is not on the service any more`,
        detail: `${this.session.context.journal.wasDeletionSent(object, state.uid as string) ? "An earlier apply has asked the service to delete it" : "Somebody deleted it"}. If it is still declared, a plan without -refresh-only creates it again.`,
      });
      return { state: null };
    }
    // The plan compares the service. This one may be another one, with somebody else's object of the name.
    if (!isOnService(state, this.session)) return { state, private: memory };
    if (isLeaving(live)) {
      this.call.report({
        severity: "warning",
        summary: `${describeObject(object)} is being deleted on the service`,
        detail: "Nothing is planned for this. When it is gone, a plan creates it again if it is still declared.",
      });
    }
    const current = { ...state, ...this.kubernetesVersions(state, live) };
    // The state of an imported object does not hold its whole declaration, so drift cannot be told.
    const { imported } = memory as ObjectMemory;
    if (imported) return { state: { ...current, ...(live.type === object.type && this.kind.shownBy(live)) } };
    const { differences, drift, live: found } = driftAttributes(this.kind, state, live);
    if (differences.length > 0) {
      const summary = `${describeObject(object)} differs from its declaration: ${differing(differences, (field) => fieldName(this.kind, field, state))}`;
      this.call.report(warning({ summary, ...(await this.explain(object, live, differences)) }, this.call));
    }
    const { live: _, ...rest } = lasting(memory as ObjectMemory);
    return { state: { ...current, drift }, private: { ...rest, ...(found && { live: found }) } };
  }

  private async explain(
    object: ObjectRef,
    live: Live,
    differences: readonly Difference[],
  ): Promise<Pick<Failure, "detail" | "remedies">> {
    const objects = [object];
    const nothing = "The service cannot change an object, so nothing is planned for this";
    const declare: Remedy = { code: "DECLARE_LIVE", objects };
    if (live.type !== object.type) {
      const instead = `To manage the ${live.type} cluster, then declare it with adopt: true`;
      return {
        detail: `${nothing}. Somebody has created another object with the name, so it cannot be replaced either`,
        remedies: [{ code: "RETAIN", objects }, decide(instead)],
      };
    }
    if (isAnotherObject(differences.map(({ field }) => field))) {
      return {
        detail: `${nothing}. It may be somebody else's object, so it cannot be replaced either`,
        remedies: [{ code: "RETAIN", objects }],
      };
    }
    if (object.kind === "providers" && (await this.session.presence.usersOf(object)).length > 0)
      return { detail: `${nothing}. Clusters use it, so it cannot be replaced either`, remedies: [declare] };
    return { detail: nothing, remedies: [declare, { code: "REPLACE", objects }] };
  }

  /** An empty list may be late, so it takes no known versions away. */
  private kubernetesVersions(state: ObjectValue, live: Live): ObjectValue {
    if (this.kind.kind !== "providers" || !("kubernetesVersions" in live)) return {};
    const isKnown = live.kubernetesVersions.length > 0 || (state.kubernetes_versions ?? null) === null;
    return isKnown ? { kubernetes_versions: [...live.kubernetesVersions].sort() } : {};
  }
}

async function createObject(
  kind: ObjectKind,
  object: ObjectRef,
  planned: ObjectValue,
  declaration: JsonObject,
  call: Call<Session>,
): Promise<void> {
  const session = call.configured;
  refuseUnplannedService(object, planned, session);
  const secrets = session.resolveSecrets(session.whereIs(object, planned), secretsIn(declaration));
  const declared = kind.declaredOf(planned);
  const provider = { type: object.type, kind: "providers", name: declared.provider! } as const;
  await create(session.contextOf(call), {
    object,
    body: secrets.in(kind.bodyOf(declaration)) as JsonObject,
    declared,
    byName: session.settings.declared !== undefined && !session.isDeclared(provider),
    digest: kind.digestOf(planned),
    adopt: planned.adopt === true || session.isAdopted(object),
    isTemporary: session.isTest,
  });
}

/** Falls back to the declared versions if the list does not show the registration yet. */
async function kubernetesVersions(object: ObjectRef, declaration: JsonObject, call: Call<Session>): Promise<readonly string[]> {
  const { lookup, cancellation } = call.configured.context;
  const declared = (declaration.templates ?? []) as readonly { readonly kubernetesVersion?: string }[];
  const expected = [...new Set(declared.flatMap(({ kubernetesVersion }) => kubernetesVersion ?? []))].sort();
  try {
    const providers = await lookup.listProviders({ signal: cancellation.signal });
    const live = liveUnder(object, { providers });
    return live && "kubernetesVersions" in live && live.kubernetesVersions.length > 0
      ? [...live.kubernetesVersions].sort()
      : expected;
  } catch {
    return expected;
  }
}

async function deleteObject(
  kind: ObjectKind,
  prior: ObjectValue,
  memory: ObjectMemory = {},
  ledger: Ledger,
  call: Call<Session>,
): Promise<void> {
  const session = call.configured;
  const object = kind.refOf(prior)!;
  // The plan has not found the object here. An object that has the name by now is somebody else's.
  if (session.isSaidGone(object) && !isOnService(prior, session)) {
    const service = String(prior.service);
    call.report({
      severity: "warning",
      summary: `${describeObject(object)} was on the service at ${service}. Terraform forgets it, and nothing was sent`,
    });
    return;
  }
  refuseWithoutPlatform(object, prior, memory, session);
  ledger.planRemoval(object);
  refuseAnotherService(object, prior, session);
  await refuseLeftBehind(prior, memory, ledger, call, "Nothing was deleted");
  // Without them, the object would be deleted and not created again.
  for (const { where, uses } of memory.secrets ?? []) {
    session.resolveSecrets(where, uses, `${describeObject(object)} is not deleted, because it could not be created again`);
  }
  // Terraform plans the replacement of a tainted object as a creation. If the block has another name by now, no plan asks for this.
  const unknownRetained = await session.unknownRetained(object);
  await remove(session.contextOf(call), {
    object,
    provider: typeof prior.provider_name === "string" ? prior.provider_name : undefined,
    uid: prior.uid as string,
    replacement: memory.replacement,
    witnesses: ledger.objects(),
    serviceSeen: false,
    facts: {
      ...session.deletionOf(object, prior.deletion_protection === true),
      transition: memory.replacement === undefined ? "remove" : "replace",
      isAdopted: false,
      hasUnknownRetained: unknownRetained.length > 0,
    },
    refused: { unknownRetained },
  });
}

/**
 * Looks for objects of interrupted applies, once in an apply. `clusterplatform_ready` looks as well, but a saved plan that is older
 * than the interruption may lack it. A plan that creates an object has it. A new URL of the service comes into the state without a look.
 */
async function refuseLeftBehind(
  prior: ObjectValue,
  { leavesWithAll }: ObjectMemory,
  ledger: Ledger,
  call: Call<Session>,
  soFar: string,
): Promise<void> {
  const session = call.configured;
  if (!leavesWithAll && (prior.service !== session.url || session.settings.declared === undefined)) return;
  await ledger.checkedOnce(() => {
    const suspects = inNoState(session.context.journal, ledger);
    return refuseOrphans(leavesWithAll ? suspects : suspects.filter((object) => !session.isDeclared(object)), call, soFar);
  });
}

async function imported(kind: ObjectKind, id: string, call: Call<Session>) {
  const session = call.configured;
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
  // Terraform reads the object next, which adds what the lists show.
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
