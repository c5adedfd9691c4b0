import type { Difference } from "../../lifecycle/compare";
import type { Failure } from "../../lifecycle/lifecycle-error";
import { isLeaving, type Live } from "../../lifecycle/live";
import { decide, type Remedy } from "../../lifecycle/remedy";
import { describeObject, differing } from "../../lifecycle/wording";
import type { ObjectRef } from "../../model/object-ref";
import type { ObjectValue } from "../../terraform/value";
import type { ProviderCall, ReadResult } from "../server/provider";
import { driftAttributes, fieldName, isAnotherObject } from "./comparison";
import { warning } from "./failures";
import type { ObjectKind } from "./object-kind";
import { lasting, type ObjectMemory } from "./object-memory";
import { isOnService } from "./service-url";
import type { Session } from "./session";

/** Refreshes an object of the state, and warns of what the plan does not mend. */
export async function readObject(
  kind: ObjectKind,
  state: ObjectValue,
  memory: ObjectMemory,
  call: ProviderCall<Session>,
): Promise<ReadResult> {
  const session = call.configured;
  const { journal } = session.context;
  const warn = (summary: string, detail: string) => call.report({ severity: "warning", summary, detail });
  const object = kind.refOf(state)!;
  const uid = state.uid as string;
  const live = await session.presence.read(object, state.service as string, uid);
  if (live === undefined) {
    journal.foundGone(object, uid);
    const who = journal.of(object).wasDeletionSent(uid)
      ? "An earlier apply has asked the service to delete it"
      : "Somebody deleted it";
    warn(
      `${describeObject(object)} is not on the service any more`,
      `${who}. If it is still declared, a plan without -refresh-only creates it again.`,
    );
    return { state: null };
  }
  // The plan compares the service. This one may be another one, with somebody else's object of the name.
  if (!isOnService(state, session)) return { state, private: memory };
  if (isLeaving(live)) {
    warn(
      `${describeObject(object)} is being deleted on the service`,
      "Nothing is planned for this. When it is gone, a plan creates it again if it is still declared.",
    );
  }
  const current = { ...state, ...kubernetesVersions(state, live) };
  // The state of an imported object does not hold its whole declaration, so drift cannot be told.
  if (memory.imported) return { state: { ...current, ...(live.type === object.type && kind.shownBy(live)) } };
  const { differences, drift, live: found } = driftAttributes(kind, state, live);
  if (differences.length > 0) {
    const summary = `${describeObject(object)} differs from its declaration: ${differing(differences, (field) => fieldName(kind, field, state))}`;
    call.report(warning({ summary, ...(await explained(object, live, differences, session)) }, session));
  }
  const { live: _, ...rest } = lasting(memory);
  return { state: { ...current, drift }, private: { ...rest, ...(found && { live: found }) } };
}

async function explained(
  object: ObjectRef,
  live: Live,
  differences: readonly Difference[],
  { presence }: Session,
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
  if (object.kind === "providers" && (await presence.usersOf(object)).length > 0)
    return { detail: `${nothing}. Clusters use it, so it cannot be replaced either`, remedies: [declare] };
  return { detail: nothing, remedies: [declare, { code: "REPLACE", objects }] };
}

/** An empty list may be late, so it takes no known versions away. */
function kubernetesVersions(state: ObjectValue, live: Live): ObjectValue {
  if (!("kubernetesVersions" in live)) return {};
  const isKnown = live.kubernetesVersions.length > 0 || (state.kubernetes_versions ?? null) === null;
  return isKnown ? { kubernetes_versions: [...live.kubernetesVersions].sort() } : {};
}
