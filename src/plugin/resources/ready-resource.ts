import { randomUUID } from "node:crypto";
import { Call as LifecycleCall } from "../../lifecycle/call";
import { liveObject, look, type Lists } from "../../lifecycle/live";
import { wait } from "../../lifecycle/wait";
import { idOf, parseObjectId, type ObjectRef } from "../../model/object-ref";
import type { Diagnostic } from "../../terraform/diagnostic";
import { typeOf } from "../../terraform/attributes";
import { isSame, Unknown, UNKNOWN, type ObjectValue, type Value } from "../../terraform/value";
import type { Call, Resource } from "../server/provider";
import { READY_ATTRIBUTES } from "./attributes";
import { explained } from "./failures";
import { undeclared, undeclaredElsewhere } from "./journal";
import type { Ledger } from "./ledger";
import { refuseOrphans, warnOfOrphans, warnOfOrphansElsewhere } from "./orphan-check";
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

    plan: ({ prior, proposed, private: before }, call) =>
      explained(proposed ?? prior, async () => {
        const memory = proposed === null ? before : { hasAllObjects: hasAllObjects(proposed, call) };
        const suspects = suspectsOf(ledger, memory, (proposed ?? prior)!, call);
        if (!ledger.isApplying) {
          await warnOfOrphans(suspects, call);
          await warnOfOrphansElsewhere(suspectsElsewhere(ledger, memory, (proposed ?? prior)!, call), call);
        }
        if (proposed === null) return { planned: null };
        const isSettled = prior !== null && isSame(typeOf(READY_ATTRIBUTES), prior, proposed) && suspects.length === 0;
        if (isSettled && isReady(prior)) return { planned: prior };
        return {
          planned: { ...proposed, id: prior?.id ?? UNKNOWN, endpoints: UNKNOWN, phases: UNKNOWN },
          private: memory,
        };
      }),

    create: ({ planned, private: memory }, call) =>
      explained(planned, async () => {
        await refuseOrphans(suspectsOf(ledger, memory, planned, call), call);
        return ready({ ...planned, id: randomUUID() }, call);
      }),
    update: ({ planned, private: memory }, call) =>
      explained(planned, async () => {
        await refuseOrphans(suspectsOf(ledger, memory, planned, call), call);
        return ready(planned, call);
      }),
    delete: ({ prior, private: memory }, call) =>
      explained(prior, () => refuseOrphans(suspectsOf(ledger, memory, prior, call), call, "Nothing was deleted")),
  };
}

/** What the state keeps of the resource besides its attributes. */
type ReadyMemory = {
  /** Whether it waits for all objects of its provider block. Then it also looks for orphans. */
  readonly hasAllObjects?: boolean;
};

function hasAllObjects(value: ObjectValue, { configured }: Call<Session>): boolean {
  const { declared } = configured.settings;
  const own = new Set(objectsIn(value).map(idOf));
  return declared?.length === own.size && declared.every((id) => own.has(id));
}

/**
 * Possible orphans. Terraform plans this resource after all objects, so the ledger is complete then. When Terraform deletes this
 * resource, the ledger is not complete, but the objects that it waited for are in the state.
 */
function suspectsOf(ledger: Ledger, memory: ReadyMemory = {}, value: ObjectValue, call: Call<Session>): ObjectRef[] {
  if (!memory.hasAllObjects) return [];
  return undeclared(call.configured.context.journal, ledger, objectsIn(value).map(idOf));
}

/** The same for creates on services with other URLs. */
function suspectsElsewhere(ledger: Ledger, memory: ReadyMemory = {}, value: ObjectValue, call: Call<Session>) {
  if (!memory.hasAllObjects) return [];
  return undeclaredElsewhere(call.configured.context.journal, ledger, objectsIn(value).map(idOf));
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
