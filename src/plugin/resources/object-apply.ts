import { secretsIn } from "../../model/secret-reference";
import { createObject } from "../../lifecycle/create";
import { deleteObject } from "../../lifecycle/delete";
import { liveUnder } from "../../lifecycle/live";
import { describeObject } from "../../lifecycle/wording";
import { idOf, type ObjectRef } from "../../model/object-ref";
import type { JsonObject } from "../../model/provider-type";
import type { ObjectValue } from "../../terraform/value";
import type { ProviderCall } from "../server/provider";
import type { Ledger } from "./ledger";
import type { ObjectKind } from "./object-kind";
import type { ObjectMemory } from "./object-memory";
import { refuseLeftBehind } from "./orphan-check";
import { refuseWithoutPlatform } from "./planned-deletion";
import { isOnService, refuseOtherUrl, refuseUnplannedUrl } from "./service-url";
import type { Session } from "./session";
import { inNoState } from "./suspects";

/** @returns the object as the state has it from now on */
export async function applyCreation(
  kind: ObjectKind,
  planned: ObjectValue,
  config: ObjectValue,
  ledger: Ledger,
  call: ProviderCall<Session>,
): Promise<ObjectValue> {
  const session = call.configured;
  const object = kind.refOf(planned)!;
  ledger.beginToCreate(object);
  // Terraform has validated the configuration again with all values known.
  const declaration = kind.declarationOf(config);
  refuseUnplannedUrl(object, planned, session);
  const secrets = session.resolveSecrets(session.whereIs(object, planned), secretsIn(declaration));
  const declared = kind.declaredOf(planned);
  const provider = { type: object.type, kind: "providers", name: declared.provider! } as const;
  await createObject(session.contextOf(call), {
    object,
    body: secrets.in(kind.bodyOf(declaration)) as JsonObject,
    declared,
    byName: session.settings.declared !== undefined && !session.isDeclared(provider),
    digest: kind.digestOf(planned),
    adopt: planned.adopt === true || session.isAdopted(object),
    isTemporary: session.isTest,
  });
  const created = { ...planned, id: idOf(object), uid: session.newId() };
  ledger.recordStored(object, created);
  const versions = kind.kind === "providers" && { kubernetes_versions: await kubernetesVersions(object, declaration, session) };
  session.presence.changed();
  return { ...created, ...versions };
}

/** A change of a declared field is planned as a replacement, so only settings of Terraform are left here. */
export async function applyUpdate(
  kind: ObjectKind,
  prior: ObjectValue,
  planned: ObjectValue,
  ledger: Ledger,
  call: ProviderCall<Session>,
): Promise<void> {
  await refuseOrphansBefore(prior, {}, ledger, call, "Nothing was changed");
  ledger.recordStored(kind.refOf(planned)!, planned);
}

/** Falls back to the declared versions if the list does not show the registration yet. */
async function kubernetesVersions(object: ObjectRef, declaration: JsonObject, { context }: Session): Promise<readonly string[]> {
  const { lookup, cancellation } = context;
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

export async function applyDeletion(
  kind: ObjectKind,
  prior: ObjectValue,
  memory: ObjectMemory,
  ledger: Ledger,
  call: ProviderCall<Session>,
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
    ledger.deleted(object);
    return;
  }
  refuseWithoutPlatform(object, prior, memory, session);
  ledger.claim(object, "delete");
  refuseOtherUrl(object, prior, session);
  await refuseOrphansBefore(prior, memory, ledger, call, "Nothing was deleted");
  // Without them, the object would be deleted and not created again.
  for (const { where, uses } of memory.secrets ?? []) {
    session.resolveSecrets(where, uses, `${describeObject(object)} is not deleted, because it could not be created again`);
  }
  // Terraform plans the replacement of a tainted object as a creation. If the block has another name by now, no plan asks for this.
  const unknownRetained = await session.unknownRetained(object);
  await deleteObject(session.contextOf(call), {
    object,
    provider: typeof prior.provider_name === "string" ? prior.provider_name : undefined,
    uid: prior.uid as string,
    replacement: memory.replacement,
    witnesses: ledger.objects(),
    facts: {
      ...session.deletionOf(object, prior.deletion_protection === true),
      transition: memory.replacement === undefined ? "remove" : "replace",
      isAdopted: false,
      hasUnknownRetained: unknownRetained.length > 0,
    },
    refused: { unknownRetained },
  });
  ledger.deleted(object);
  session.presence.changed();
}

/**
 * Looks for objects of interrupted applies, once in an apply. `clusterplatform_ready` looks as well, but a saved plan that is older
 * than the interruption may lack it. A plan that creates an object has it. A new URL of the service comes into the state without a look.
 */
async function refuseOrphansBefore(
  prior: ObjectValue,
  { leavesWithAll }: ObjectMemory,
  ledger: Ledger,
  call: ProviderCall<Session>,
  soFar: string,
): Promise<void> {
  const session = call.configured;
  if (!leavesWithAll && (prior.service !== session.url || session.settings.declared === undefined)) return;
  await ledger.checkOrphansOnce(() => {
    const suspects = inNoState(session.context.journal, ledger);
    return refuseLeftBehind(leavesWithAll ? suspects : suspects.filter((object) => !session.isDeclared(object)), call, soFar);
  });
}
