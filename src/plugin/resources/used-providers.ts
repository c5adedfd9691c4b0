import { decideDeletion, isRefusal } from "../../decision/deletion";
import { usedBy, withRemedies } from "../../lifecycle/refused-deletion";
import type { ObjectRef } from "../../model/object-ref";
import type { ProviderCall } from "../server/provider";
import { reportingFailures } from "./failures";
import type { Leaving, Ledger } from "./ledger";
import type { Session } from "./session";

/**
 * Refuses to delete or replace providers that clusters use after the apply. `clusterplatform_ready` calls it, because Terraform
 * plans that after all objects.
 */
export async function refuseUsedProviders(ledger: Ledger, call: Pick<ProviderCall<Session>, "configured">): Promise<void> {
  if (ledger.isApplying) return;
  for (const { object, leaving } of ledger.leavingProviders()) {
    await reportingFailures(leaving.value, call, () => refuseUsed(object, leaving, ledger, call.configured));
  }
}

/**
 * A list may still show a cluster that is deleted, so the last list of ten seconds decides. A cluster that is not in the state is
 * somebody else's.
 */
export async function refuseUsed(
  provider: ObjectRef,
  { facts }: Leaving,
  ledger: Ledger,
  { presence, context }: Session,
): Promise<void> {
  if (facts.live === "absent") return;
  const mayStay = (user: ObjectRef) =>
    ["stays", "not in the state"].includes(ledger.fateOf(user)) && context.journal.of(user).recentDeletion() === undefined;
  if (!(await presence.usersOf(provider)).some(mayStay)) return;
  const users = (await presence.usersLater(provider)).filter(mayStay);
  if (users.length === 0) return;
  const outcome = decideDeletion({ ...facts, isUsed: true });
  if (isRefusal(outcome)) throw withRemedies([{ object: provider, refusal: outcome }], usedBy([{ provider, users }]));
}
