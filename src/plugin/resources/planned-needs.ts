import { knownOf } from "../../declarations/terraform/declaration-schema";
import { LifecycleError, type Failure } from "../../lifecycle/lifecycle-error";
import { unmetProviderNeed } from "../../lifecycle/provider-needs";
import type { ObjectRef } from "../../model/object-ref";
import { secretsIn, type SecretUse } from "../../model/secret-reference";
import { isWhollyKnown, type ObjectValue } from "../../terraform/value";
import type { Call } from "../server/provider";
import { warning } from "./failures";
import type { Ledger } from "./ledger";
import type { ObjectKind } from "./object-kind";
import type { NamedSecrets } from "./object-memory";
import type { Session } from "./session";

/** What the create of a planned object needs: its provider, a version that this offers, and its secrets. */
export class PlannedNeeds {
  constructor(
    private readonly kind: ObjectKind,
    private readonly ledger: Ledger,
    private readonly session: Session,
    private readonly call: Pick<Call<unknown>, "report">,
  ) {}

  /**
   * Refuses values of secrets that the create would refuse. The plan may run where no secrets are, so it does not look for those
   * that are given by name.
   * @returns the secrets that are given by name, also those of the provider if the plan creates it. The private data must not have
   *   values
   */
  namedSecrets(object: ObjectRef | undefined, proposed: ObjectValue): NamedSecrets[] {
    const secrets = secretsIn(this.kind.declarationOf(proposed)).filter(({ reference }) =>
      isWhollyKnown(reference.$secret as ObjectValue),
    );
    const isByValue = ({ reference }: SecretUse) => "value" in reference.$secret;
    const where = this.session.whereIs(object, proposed);
    this.session.resolveSecrets(where, secrets.filter(isByValue), "nothing was sent");
    const uses = secrets.filter((use) => !isByValue(use));
    const own = uses.length > 0 ? { where, uses } : undefined;
    if (own && object) this.ledger.createsWith(object, own);
    const provider = this.providerOf(proposed);
    const ofProvider = provider && this.ledger.secretsToCreate(provider);
    return [own, ofProvider].filter((each) => each !== undefined);
  }

  /** Before a replacement deletes the object. An adoption finds nothing then. */
  async refuseUnmet(object: ObjectRef, proposed: ObjectValue): Promise<void> {
    const unmet = await this.unmet(object, proposed);
    if (unmet) throw new LifecycleError(unmet);
  }

  /** Nothing is lost if a creation fails, and another stack may register the provider before the apply. */
  async warnOfUnmet(object: ObjectRef, proposed: ObjectValue): Promise<void> {
    const unmet = await this.unmet(object, proposed);
    if (unmet)
      this.call.report(warning({ ...unmet, detail: "The apply fails until that is mended" }, { configured: this.session }));
  }

  /** Undefined for a provider, and for a cluster whose provider is unknown. */
  private providerOf(proposed: ObjectValue): ObjectRef | undefined {
    const { type, kind } = this.kind;
    const { provider: name } = kind === "clusters" ? knownOf(this.kind.fieldsOf(proposed)) : {};
    return name === undefined ? undefined : { type, kind: "providers", name };
  }

  private async unmet(object: ObjectRef, proposed: ObjectValue): Promise<Failure | undefined> {
    const provider = this.providerOf(proposed);
    if (!provider) return undefined;
    const { kubernetesVersion } = knownOf(this.kind.fieldsOf(proposed));
    if (this.ledger.isKnown(provider) || this.session.isDeclared(provider)) return undefined;
    const found = await this.session.presence.findProvider(provider);
    return unmetProviderNeed({ provider, clusters: [object], kubernetesVersion }, found, "Nothing was changed");
  }
}
