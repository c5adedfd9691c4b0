import { knownOf } from "../../declarations/terraform/declaration-schema";
import { LifecycleError, type Failure } from "../../lifecycle/lifecycle-error";
import { unmetProviderNeed } from "../../lifecycle/provider-needs";
import type { ObjectRef } from "../../model/object-ref";
import { secretsIn, type SecretUse } from "../../model/secret-reference";
import { isWhollyKnown, type ObjectValue } from "../../terraform/value";
import { warning } from "./failures";
import type { ObjectKind } from "./object-kind";
import type { NamedSecrets } from "./object-memory";
import type { Planning } from "./planning";

/** What the create of a planned object needs: its provider, a version that this offers, and its secrets. */

/**
 * The secrets of the object that are given by name. Refuses values of secrets that the create would refuse. The plan may run where
 * no secrets are, so it does not look for those that are given by name.
 */
export function namedSecrets(
  { kind, session }: Planning,
  object: ObjectRef | undefined,
  proposed: ObjectValue,
): NamedSecrets | undefined {
  const isByValue = ({ reference }: SecretUse) => "value" in reference.$secret;
  const known = secretsIn(kind.declarationOf(proposed)).filter(({ reference }) =>
    isWhollyKnown(reference.$secret as ObjectValue),
  );
  const where = session.whereIs(object, proposed);
  session.resolveSecrets(where, known.filter(isByValue), "nothing was sent");
  const uses = known.filter((use) => !isByValue(use));
  return uses.length > 0 ? { where, uses } : undefined;
}

/** These secrets, and those of the provider if the plan creates it. The private data has their names and not their values. */
export function secretsToCreate(
  { kind, ledger }: Planning,
  own: NamedSecrets | undefined,
  proposed: ObjectValue,
): NamedSecrets[] {
  const provider = providerOf(kind, proposed);
  const ofProvider = provider && ledger.secretsToCreate(provider);
  return [own, ofProvider].filter((each) => each !== undefined);
}

/** Before a replacement deletes the object. An adoption finds nothing then. */
export async function refuseUnmet(planning: Planning, object: ObjectRef, proposed: ObjectValue): Promise<void> {
  const unmet = await unmetNeed(planning, object, proposed);
  if (unmet) throw new LifecycleError(unmet);
}

/** Nothing is lost if a creation fails, and another stack may register the provider before the apply. */
export async function warnOfUnmet(planning: Planning, object: ObjectRef, proposed: ObjectValue): Promise<void> {
  const unmet = await unmetNeed(planning, object, proposed);
  if (unmet) planning.report(warning({ ...unmet, detail: "The apply fails until that is mended" }, planning.session));
}

async function unmetNeed(
  { kind, ledger, session }: Planning,
  object: ObjectRef,
  proposed: ObjectValue,
): Promise<Failure | undefined> {
  const provider = providerOf(kind, proposed);
  if (!provider || ledger.isKnown(provider) || session.isDeclared(provider)) return undefined;
  const { kubernetesVersion } = knownOf(kind.fieldsOf(proposed));
  const found = await session.presence.findProvider(provider);
  return unmetProviderNeed({ provider, clusters: [object], kubernetesVersion }, found, "Nothing was changed");
}

/** Undefined for a provider, and for a cluster whose provider is unknown. */
function providerOf(of: ObjectKind, proposed: ObjectValue): ObjectRef | undefined {
  const name = of.kind === "clusters" ? knownOf(of.fieldsOf(proposed)).provider : undefined;
  return name === undefined ? undefined : { type: of.type, kind: "providers", name };
}
