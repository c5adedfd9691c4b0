import type { Journal } from "../../lifecycle/journal";
import { idOf, parseObjectId, type ObjectRef } from "../../model/object-ref";
import type { ProviderCall } from "../server/provider";
import type { Ledger } from "./ledger";
import { refuseLeftBehind, refuseOrphansElsewhere, warnOfOrphans } from "./orphan-check";
import type { ReadyMemory } from "./ready-memory";
import type { Session } from "./session";
import { inNoState, ofOtherPlatforms, undeclared, undeclaredElsewhere } from "./suspects";
import { refuseUsedProviders } from "./used-providers";

/**
 * What a run checks once for a whole Platform: what interrupted applies have left, and whether clusters stay on providers that leave.
 * `clusterplatform_ready` asks, because Terraform plans it after all objects, and deletes it before them.
 *
 * These objects may live without being in the state or in the code:
 *
 * | objects | plan | before the wait | before the removal |
 * | --- | --- | --- | --- |
 * | whose creates this machine has noted: `undeclared`, and in a removal `inNoState` | warns | refuses | refuses |
 * | that earlier applies have not finished, as the state says: `suspected`, and in a destroy `lost` | warns | refuses | refuses |
 * | whose creates this machine has sent to another URL: `undeclaredElsewhere` | warns | | refuses |
 * | of Platforms that have left the code: `ofLeftPlatforms` | warns | refuses | |
 */
export class PlatformChecks {
  readonly #session: Session;
  /** Has the creates of the Platform. */
  readonly #journal: Journal;

  constructor(
    private readonly ledger: Ledger,
    private readonly memory: ReadyMemory,
    private readonly call: ProviderCall<Session>,
  ) {
    this.#session = call.configured;
    const { journal } = this.#session.context;
    // Without its Platform, Terraform configures the provider with an empty block.
    this.#journal = memory.place && this.#session.settings.declared === undefined ? journal.at(memory.place) : journal;
  }

  /**
   * Warns of what earlier applies may have left, and refuses a provider that goes and is in use. The ledger knows all objects of the
   * state, except in the plan of a removal. Then `waitedFor` counts as the state.
   * @returns whether the resource must run in the apply, to look for orphans
   */
  async plan(waitedFor: readonly ObjectRef[], isRemoval: boolean): Promise<boolean> {
    if (!this.memory.hasAllObjects) return false;
    const own = this.#suspects(waitedFor).map((object) => ({ object }));
    const left = isRemoval ? [] : this.#ofLeftPlatforms().map((object) => ({ object, isOfAnotherPlatform: true as const }));
    if (!this.ledger.isApplying) {
      const elsewhere = undeclaredElsewhere(this.#journal, this.ledger, waitedFor.map(idOf));
      await warnOfOrphans([...own, ...left, ...elsewhere], this.call);
    }
    if (!isRemoval) await refuseUsedProviders(this.ledger, this.call);
    return own.length + left.length > 0;
  }

  async beforeWait(waitedFor: readonly ObjectRef[]): Promise<void> {
    if (!this.memory.hasAllObjects) return;
    await refuseLeftBehind([...this.#suspects(waitedFor), ...this.#ofLeftPlatforms()], this.call);
  }

  async beforeRemoval(): Promise<void> {
    // Its successor looks when it knows all objects.
    if (this.memory.isNotRemoved || !this.memory.hasAllObjects) return;
    await this.ledger.checkOrphansOnce(async () => {
      refuseOrphansElsewhere(undeclaredElsewhere(this.#journal, this.ledger, []), this.call);
      // A killed replacement may have left one of the objects that the resource waited for.
      const suspects = union(inNoState(this.#journal, this.ledger), this.#lost());
      await refuseLeftBehind(suspects, this.call, "Nothing was deleted");
    });
  }

  /** The first two rows. */
  #suspects(waitedFor: readonly ObjectRef[]): readonly ObjectRef[] {
    const suspected = this.memory.isNotRemoved ? (this.memory.suspected ?? []) : this.#lost();
    return union(undeclared(this.#journal, this.ledger, waitedFor.map(idOf)), suspected);
  }

  /** What a destroy does not find in the state. If a Platform leaves the code, no refresh plans its objects, so nothing shows which are lost. */
  #lost(): readonly string[] {
    if (!this.#session.settings.declared?.length) return [];
    return (this.memory.suspected ?? []).filter((id) => !this.ledger.isStored(parseObjectId(id)!));
  }

  /**
   * Also of a Platform that had another name. If the state has nothing of them, Terraform asks no provider about them. In a plan, they
   * may still be in the state, because another process plans what leaves with a Platform. That process removes their notes when it ends.
   */
  #ofLeftPlatforms(): readonly ObjectRef[] {
    const left = ofOtherPlatforms(this.#session.context.journal, this.ledger);
    return left.filter((object) => !this.#session.isDeclared(object));
  }
}

function union(noted: readonly ObjectRef[], ids: readonly string[]): readonly ObjectRef[] {
  const known = new Set(noted.map(idOf));
  return [...noted, ...ids.filter((id) => !known.has(id)).map((id) => parseObjectId(id)!)];
}
