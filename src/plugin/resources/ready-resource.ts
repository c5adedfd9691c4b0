import type { LiveCluster } from "../../api/client";
import { appearing } from "../../lifecycle/absence";
import { Call } from "../../lifecycle/call";
import type { Context } from "../../lifecycle/context";
import { liveUnder, look } from "../../lifecycle/live";
import { waitForObjects } from "../../lifecycle/wait";
import { LOOK_FOR_MISSING_MS, MISSING_MS } from "../../lifecycle/times";
import { idOf, type ObjectRef } from "../../model/object-ref";
import { typeOf } from "../../terraform/attributes";
import { isSame as isSameValue, Unknown, UNKNOWN, type ObjectValue } from "../../terraform/value";
import type { ProviderCall, Resource } from "../server/provider";
import { READY_ATTRIBUTES } from "./attributes";
import { reportingFailures } from "./failures";
import type { Ledger } from "./ledger";
import { PlatformChecks } from "./platform-checks";
import { appliedMemory, plannedMemory, type ReadyMemory, refreshedMemory, removedMemory } from "./ready-memory";
import {
  clustersIn,
  isReady,
  type LiveClusters,
  liveById,
  mapOf,
  objectsIn,
  plannedEndpoints,
  problems,
  refreshed,
  texts,
} from "./ready-values";
import { isOnService } from "./service-url";
import type { Session } from "./session";

/** A resource of its own, because a create that waits would occupy one of Terraform's ten slots. */
export function readyResource(ledger: Ledger): Resource<Session> {
  const checkAndWait = (planned: ObjectValue, memory: ReadyMemory = {}, call: ProviderCall<Session>) =>
    reportingFailures(planned, call, async () => {
      await new PlatformChecks(ledger, memory, call).beforeWait(objectsIn(planned));
      return { state: await waited(planned, call), private: appliedMemory(memory) };
    });
  const remember = (memory: ReadyMemory) => {
    if (memory.hasAllObjects) ledger.readyMemory = memory;
  };
  return {
    attributes: READY_ATTRIBUTES,
    description: "Waits until the clusters of a Platform are ready, and has their live attributes.",

    validate: (config, call) => problems(config).forEach((problem) => call.report(problem)),

    read: ({ state, private: before = {} }, call) =>
      reportingFailures(state, call, async () => {
        const memory = refreshedMemory(before, ledger, call.configured);
        remember(memory);
        const clusters = clustersIn(state);
        if (clusters.length === 0) return { state, private: memory };
        const { presence } = call.configured;
        // Another service may have somebody else's clusters of the same names.
        const isElsewhere = (cluster: ObjectRef) => {
          const recorded = ledger.stateOf(cluster);
          return recorded !== undefined && !isOnService(recorded, call.configured);
        };
        const found = await Promise.all(
          clusters.map(async (cluster) => (isElsewhere(cluster) ? undefined : presence.find(cluster))),
        );
        return { state: refreshed(state, liveById(clusters, found), ledger), private: memory };
      }),

    plan: ({ prior, proposed, private: before = prior ? {} : ledger.readyMemory }, call) =>
      reportingFailures(proposed ?? prior, call, async () => {
        if (proposed === null) {
          const memory = removedMemory(before);
          await new PlatformChecks(ledger, memory, call).plan(objectsIn(prior!), true);
          return { planned: null, private: memory };
        }
        const memory = plannedMemory(before, proposed, ledger, call.configured);
        const mustRun = await new PlatformChecks(ledger, memory, call).plan(objectsIn(proposed), false);
        const isSame = prior !== null && isSameValue(typeOf(READY_ATTRIBUTES), prior, proposed);
        // Its private data stays that of the state, with what is suspected.
        if (isSame && !mustRun && isReady(prior)) return { planned: prior };
        const computed = { id: prior?.id ?? UNKNOWN, endpoints: plannedEndpoints(prior, proposed), phases: UNKNOWN };
        return { planned: { ...proposed, ...computed }, private: memory };
      }),

    create: ({ planned, private: memory }, call) => checkAndWait({ ...planned, id: call.configured.newId() }, memory, call),

    update: ({ planned, private: memory }, call) => checkAndWait(planned, memory, call),

    // Sends nothing, and may refuse what follows: Terraform deletes it before its objects.
    delete: ({ prior, private: memory = {} }, call) =>
      reportingFailures(prior, call, () => {
        remember(memory);
        return new PlatformChecks(ledger, memory, call).beforeRemoval();
      }),
  };
}

async function waited(planned: ObjectValue, call: ProviderCall<Session>): Promise<ObjectValue> {
  const context = call.configured.contextOf(call);
  const waitedFor = new Set(texts(planned.wait_for));
  const objects = objectsIn(planned);
  const uids = planned.objects as Readonly<Record<string, string>>;
  const expected = objects.map((object) => {
    const id = idOf(object);
    return { ...object, waitedFor: waitedFor.has(id), uid: uids[id] };
  });
  await waitForObjects(context, expected);
  const clusters = clustersIn(planned);
  const live = clusters.length === 0 ? new Map<string, LiveCluster>() : await shownBy(context, clusters);
  const endpoints = planned.endpoints instanceof Unknown ? {} : (planned.endpoints as ObjectValue);
  // Terraform refuses another value than the planned one. The next refresh records a change.
  const endpointOf = (id: string) => (typeof endpoints[id] === "string" ? endpoints[id] : (live.get(id)?.apiEndpoint ?? ""));
  return {
    ...planned,
    endpoints: mapOf(clusters, endpointOf),
    phases: mapOf(clusters, (id) => live.get(id)?.phase ?? ""),
  };
}

/** Polls while the list lacks a cluster, because the list may lag behind. */
function shownBy(context: Context, clusters: readonly ObjectRef[]): Promise<LiveClusters> {
  return Call.run(context, clusters, async (each) => {
    let live: LiveClusters = new Map();
    const hasAll = async () => {
      const lists = await look(each, clusters, each.lastLook(each.now()));
      live = liveById(
        clusters,
        clusters.map((cluster) => liveUnder(cluster, lists)),
      );
      return live.size === clusters.length || undefined;
    };
    if (!(await hasAll())) await appearing(each, MISSING_MS, LOOK_FOR_MISSING_MS, hasAll);
    return live;
  });
}
