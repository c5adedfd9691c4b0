import { randomUUID } from "node:crypto";
import { Call as LifecycleCall } from "../../lifecycle/call";
import { liveObject, look, type Lists } from "../../lifecycle/live";
import { wait } from "../../lifecycle/wait";
import { called } from "../../lifecycle/wording";
import { idOf, parseObjectId, type ObjectRef } from "../../model/object-ref";
import type { Diagnostic } from "../../terraform/diagnostic";
import { typeOf } from "../../terraform/attributes";
import { isSame, Unknown, UNKNOWN, type ObjectValue, type Value } from "../../terraform/value";
import type { Call, Resource } from "../server/provider";
import { READY_ATTRIBUTES } from "./attributes";
import { explained } from "./failures";
import type { Ledger } from "./ledger";
import type { Session } from "./session";

/** A resource of its own, because a create that waits would occupy one of Terraform's ten slots. */
export function readyResource(ledger: Ledger): Resource<Session> {
  return {
    attributes: READY_ATTRIBUTES,
    description: "Waits until the clusters of a Platform are ready, and has their live attributes.",

    validate: (config, call) => problems(config).forEach((problem) => call.report(problem)),

    read: ({ state }, call) =>
      explained(state, async () => {
        const clusters = clustersIn(state);
        if (clusters.length === 0) return { state };
        return { state: { ...state, ...attributesOf(clusters, await call.configured.presence.lists()) } };
      }),

    plan: ({ prior, proposed }, call) =>
      explained(proposed, async () => {
        if (!ledger.isApplying) await warnOfLeftOvers(ledger, proposed, call);
        if (proposed === null) return { planned: null };
        const isOver = prior !== null && isSame(typeOf(READY_ATTRIBUTES), prior, proposed) && isReady(prior);
        if (isOver) return { planned: prior };
        return { planned: { ...proposed, id: prior?.id ?? UNKNOWN, endpoints: UNKNOWN, phases: UNKNOWN } };
      }),

    create: ({ planned }, call) => explained(planned, () => ready({ ...planned, id: randomUUID() }, call)),
    update: ({ planned }, call) => explained(planned, () => ready(planned, call)),
    delete: () => {},
  };
}

/**
 * Warns of objects of interrupted applies. The ledger is complete here: Terraform plans this resource after the objects, and it
 * has read their state before it plans a destroy.
 */
async function warnOfLeftOvers(ledger: Ledger, proposed: ObjectValue | null, call: Call<Session>): Promise<void> {
  const { context, presence } = call.configured;
  const declared = new Set(objectsIn(proposed ?? {}).map(idOf));
  for (const object of context.journal.creations()) {
    if (ledger.isKnown(object) || declared.has(idOf(object)) || !(await presence.find(object))) continue;
    call.report({
      severity: "warning",
      summary: `${called(object)} is on the service but not in the state: an interrupted apply created it`,
      detail:
        "If another Platform of this stack declares it, the next apply of that Platform takes it over. " +
        `If nothing declares it and you want to delete it, declare it again, ${context.remedies.adopt([object])}, and then remove it.`,
    });
  }
}

async function ready(planned: ObjectValue, call: Call<Session>) {
  const context = call.configured.contextOf(call);
  const waitedFor = new Set(texts(planned.wait_for));
  const objects = objectsIn(planned);
  await wait(context, { objects: objects.map((object) => ({ ...object, waitedFor: waitedFor.has(idOf(object)) })) });
  const clusters = clustersIn(planned);
  const lists =
    clusters.length === 0
      ? {}
      : await LifecycleCall.run(context, clusters, (each) => look(each, clusters, each.lastLook(each.now())));
  return { state: { ...planned, ...attributesOf(clusters, lists) } };
}

function objectsIn({ objects = null }: ObjectValue): ObjectRef[] {
  if (objects === null || objects instanceof Unknown) return [];
  return Object.keys(objects as ObjectValue).map((id) => parseObjectId(id)!);
}

function clustersIn(value: ObjectValue): ObjectRef[] {
  return objectsIn(value).filter(({ kind }) => kind === "clusters");
}

function attributesOf(clusters: readonly ObjectRef[], lists: Lists) {
  const live = clusters.flatMap((cluster) => {
    const found = liveObject(cluster, lists);
    return found && "phase" in found ? [[idOf(cluster), found] as const] : [];
  });
  return {
    endpoints: Object.fromEntries(live.map(([id, { apiEndpoint }]) => [id, apiEndpoint])),
    phases: Object.fromEntries(live.map(([id, { phase }]) => [id, phase])),
  };
}

function isReady(state: ObjectValue): boolean {
  const phases = (state.phases ?? {}) as ObjectValue;
  return texts(state.wait_for).every((id) => phases[id] === "Provisioned");
}

function problems({ objects = null, wait_for = null }: ObjectValue): Diagnostic[] {
  if (objects === null || objects instanceof Unknown) return [];
  const ids = Object.keys(objects as ObjectValue);
  const problem = (path: string, rule: string): Diagnostic => ({
    severity: "error",
    summary: `'${path}' must ${rule} [INVALID_PROP]`,
    path: [path],
  });
  return [
    ...ids
      .filter((id) => parseObjectId(id) === undefined)
      .map((id) => problem("objects", `have keys such as capvs/clusters/prod, got ${JSON.stringify(id)}`)),
    ...texts(wait_for)
      .filter((id) => parseObjectId(id)?.kind !== "clusters" || !ids.includes(id))
      .map((id) =>
        problem("wait_for", `have only clusters of 'objects', such as capvs/clusters/prod, got ${JSON.stringify(id)}`),
      ),
  ];
}

function texts(value: Value = null): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
