import { createHash } from "node:crypto";
import { listedAs, type JsonObject } from "../model/provider-type";
import { requestedCluster, requestedProvider, wildcard } from "./bodies";
import { clusterStatus, type ClusterStatus } from "./cluster-lifecycle";
import type { Inventory } from "./inventory";
import type { SimulatedCluster } from "./objects";

/** Caches each cluster until its status changes, and the whole list until any change, for many polling clients. */
export class RenderedClusterList {
  readonly #items = new WeakMap<SimulatedCluster, { readonly json: string; readonly until: number; readonly cacheKey: string }>();
  #list?: { readonly json: Uint8Array<ArrayBuffer>; readonly until: number; readonly cacheKey: string };

  constructor(readonly inventory: Inventory) {}

  render(): Uint8Array<ArrayBuffer> {
    const clusters = this.inventory.clusters;
    const now = this.inventory.now();
    const { version, timing } = this.inventory;
    const cacheKey = `${version} ${timing.provisionSeconds}`;
    if (this.#list?.cacheKey === cacheKey && now < this.#list.until) return this.#list.json;

    const items: string[] = [];
    let until = Infinity;
    for (const cluster of clusters) {
      const item = this.#item(cluster, now);
      items.push(item.json);
      until = Math.min(until, item.until);
    }
    const json = new TextEncoder().encode(`{"items":[${items.join(",")}],"count":${items.length}}`) as Uint8Array<ArrayBuffer>;
    this.#list = { json, until, cacheKey };
    return json;
  }

  #item(cluster: SimulatedCluster, now: number) {
    const { provisionSeconds } = this.inventory.timing;
    const cacheKey = `${cluster.goneAt} ${provisionSeconds}`;
    const known = this.#items.get(cluster);
    if (known?.cacheKey === cacheKey && now < known.until) return known;
    const status = clusterStatus(cluster, provisionSeconds * 1000, now);
    const item = { json: JSON.stringify(listItem(cluster, status)), until: status.until, cacheKey };
    this.#items.set(cluster, item);
    return item;
  }
}

export function listItem({ name, type, provider, body }: SimulatedCluster, { phase, conditions }: ClusterStatus): JsonObject {
  const { apiEndpoint, controlPlaneNodesCount, ingress, podSubnet, secure, serviceSubnet } = requestedCluster(body);
  const young = phase === "";
  return {
    id: name,
    clusterName: name,
    annotations: young ? null : [],
    providerType: listedAs(type),
    providerConfigID: provider,
    apiEndpoint: young && !apiEndpoint ? "" : withPort(apiEndpoint || assignedAddress(name)),
    networks: [
      { type: "Service CIDR", network: serviceSubnet, netmask: "" },
      { type: "Pod CIDR", network: podSubnet, netmask: "" },
    ],
    ingress: wildcard(ingress),
    secure,
    phase,
    conditions,
    controlplaneNodesCount: controlPlaneNodesCount,
    workersGroups: young
      ? null
      : requestedProvider(body).workerNodeConfigs.map(({ nodeConfig, workersCount }) => ({
          groupName: nodeConfig.groupName,
          workersScale: null,
          workersCount,
        })),
  };
}

function withPort(address: string): string {
  return address.includes(":") ? `[${address}]:6443` : `${address}:6443`;
}

/** For a cluster that requested no address. The same name always gets the same one. */
function assignedAddress(name: string): string {
  const [a, b, c] = createHash("sha256").update(name).digest();
  return `10.${a}.${b}.${1 + (c! % 254)}`;
}
