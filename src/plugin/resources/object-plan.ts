import type { ObjectRef } from "../../model/object-ref";
import type { ObjectValue } from "../../terraform/value";
import type { PlanRequest, PlanResult } from "../server/provider";
import type { Leaving } from "./ledger";
import { planChange } from "./object-change";
import { planImported } from "./object-import";
import { lasting, type ObjectMemory } from "./object-memory";
import { claimRemoval, isGone, planDeletion, refuseWithoutPlatform } from "./planned-deletion";
import { refuseTaken } from "./planned-name";
import { namedSecrets, refuseUnmet, secretsToCreate, warnOfUnmet } from "./planned-needs";
import type { ObjectPlan, Planning } from "./planning";
import { isOnService, refuseOtherUrl } from "./service-url";
import { refuseUsed } from "./used-providers";

/** Plans an object by what Terraform proposes for it, and notes the effect in the ledger. */
export async function planObject(planning: Planning, request: PlanRequest): Promise<PlanResult> {
  const { kind, ledger } = planning;
  const { prior, proposed } = request;
  const memory = (request.private ?? {}) as ObjectMemory;
  const object = kind.refOf((prior ?? proposed)!);
  if (prior) ledger.record(object!, prior);
  // With -refresh=false, no read has told.
  if (memory.imported) ledger.recordImport(object!);
  const { effect, ...result } = await plan(planning, object, prior, proposed, memory);
  if (object && effect) ledger.planned(object, effect);
  return result;
}

function plan(
  planning: Planning,
  object: ObjectRef | undefined,
  prior: ObjectValue | null,
  proposed: ObjectValue | null,
  memory: ObjectMemory,
): Promise<ObjectPlan> {
  if (prior === null) return planCreation(planning, object, proposed!, memory);
  if (proposed === null) return planRemoval(planning, object!, prior, memory);
  if (memory.imported) return planImported(planning, object!, prior, proposed);
  return planChange(planning, { object: object!, prior, proposed, memory });
}

async function planRemoval(planning: Planning, object: ObjectRef, prior: ObjectValue, memory: ObjectMemory): Promise<ObjectPlan> {
  const { ledger, session } = planning;
  const { declared } = session.settings;
  const isDestroy = session.isDestroyOf(object);
  const leavesWithAll = (declared?.length === 0 || isDestroy) && { leavesWithAll: true };
  const result = { planned: null, private: { ...lasting(memory), ...leavesWithAll } };
  // Terraform before 1.12 plans the removal of what the refresh has found gone. Another URL would be refused below.
  if (session.isSaidGone(object) && !isOnService(prior, session) && (await isGone(session, object, prior))) return result;
  refuseWithoutPlatform(object, prior, memory, session);
  refuseOtherUrl(object, prior, session);
  claimRemoval(planning, object);
  const { leaving } = await planDeletion(planning, { object, prior, transition: "remove", intent: "the plan deletes it" });
  // Terraform plans the destroy of an object after that of all that depends on it. In an apply, `clusterplatform_ready` checks this.
  if (leaving && isDestroy && object.kind === "providers") await refuseUsed(object, leaving, ledger, session);
  return { ...result, effect: { leaving } };
}

/**
 * Terraform plans a replacement twice: first as a change, and then as a creation that gets the private data of the first plan. A tainted
 * object is planned as a creation only. In both cases, the ledger has the object of the state.
 * @param object undefined if its name is unknown
 */
async function planCreation(
  planning: Planning,
  object: ObjectRef | undefined,
  proposed: ObjectValue,
  { replacement }: ObjectMemory,
): Promise<ObjectPlan> {
  const { kind, ledger, session } = planning;
  ledger.claim(object, "create");
  const replaced = object && ledger.stateOf(object);
  let leaving: Leaving | undefined;
  if (replaced) {
    refuseOtherUrl(object, replaced, session);
    const intent = "the plan replaces it, because of -replace, a taint or replace_triggered_by";
    ({ leaving } = await planDeletion(planning, { object, prior: replaced, proposed, transition: "replace", intent }));
    await refuseUnmet(planning, object, proposed);
  } else if (object && !ledger.isApplying) {
    await refuseTaken(planning, object, proposed);
    if (proposed.adopt !== true && !session.isAdopted(object)) await warnOfUnmet(planning, object, proposed);
  }
  const planned = { ...proposed, ...kind.computedOf(object, session.url) };
  const own = namedSecrets(planning, object, proposed);
  const secrets = secretsToCreate(planning, own, proposed);
  return {
    planned,
    private: { ...(replacement !== undefined && { replacement }), secrets },
    effect: { leaving, ...(own && { secrets: own }) },
  };
}
