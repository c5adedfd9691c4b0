import * as z from "zod/mini";
import { misspelled, nearest } from "../util/nearest";
import { idOf, type ObjectRef } from "../model/object-ref";
import { matchingNone } from "../model/protection";
import type { JsonObject } from "../model/provider-type";
import { canonicalAddress, contains, withoutHostBits } from "./networks";
import { cidr } from "./rules";
import { SERVICE_PRESETS, type ServicesSpec } from "./services";

/** Sentences about valid declarations that are probably not meant. Values that synth does not know are undefined. */

export interface MemoryField {
  readonly prop: string;
  /** In MiB. Undefined if the value or its unit is not known. */
  readonly mebibytes: (value: unknown) => number | undefined;
}

export function hostBits(schema: z.ZodMiniObject, declared: JsonObject): string[] {
  return Object.entries(schema.shape).flatMap(([prop, rule]) => {
    const network = declared[prop];
    if (rule !== cidr || typeof network !== "string") return [];
    const clean = withoutHostBits(network);
    const [address] = network.split("/") as [string];
    if (clean === undefined || clean.startsWith(`${canonicalAddress(address)}/`)) return [];
    return [`'${prop}' is ${network}, which has host bits set: the network is ${clean}`];
  });
}

export function addressesInside(cluster: JsonObject): string[] {
  return ["apiEndpoint", "ingressVip"].flatMap((prop) =>
    ["podSubnet", "serviceSubnet"].flatMap((subnet) => {
      const [address, network] = [cluster[prop], cluster[subnet]];
      if (typeof address !== "string" || address === "" || typeof network !== "string") return [];
      if (!contains(network, address)) return [];
      return [`'${prop}' is ${address}, which is inside '${subnet}' (${network}): the cluster uses these addresses itself`];
    }),
  );
}

export function evenControlPlane({ count }: { readonly count?: number }): string[] {
  if (count === undefined || count % 2 !== 0) return [];
  const losses = count / 2 - 1;
  const nodes = losses === 1 ? "1 node" : `${losses} nodes`;
  return [
    `'controlPlane.count' is ${count}, which survives the loss of ${nodes}, as ${count - 1} does: etcd needs a majority; use an odd number`,
  ];
}

const LISTED: readonly string[] = SERVICE_PRESETS.all;

export function doubtfulServices(services: ServicesSpec | undefined): string[] {
  if (services === undefined || "preset" in services) return [];
  const names = "enabled" in services ? services.enabled : services.disabled;
  if ("enabled" in services && names.length === 0) {
    return [
      "'services' is Services.only() without names, so an empty list is sent; for the services that every cluster needs, use Services.criticalOnly()",
    ];
  }
  return names
    .filter((name) => typeof name === "string" && !LISTED.includes(name))
    .map((name) => {
      const near = nearest(name, LISTED);
      return `'services' names ${name}, which the service's interface does not list${near === undefined ? "" : `; did you mean ${near}?`}`;
    });
}

/** A Kubernetes node does not run with less. */
const LEAST_MEBIBYTES = 512;

/** @param path of the node in the declaration */
export function littleMemory({ prop, mebibytes }: MemoryField, node: JsonObject | undefined, path: string): string[] {
  const memory = mebibytes(node?.[prop]);
  if (memory === undefined || memory >= LEAST_MEBIBYTES) return [];
  return [`'${path}.${prop}' is ${String(node![prop])}: a node with less than ${LEAST_MEBIBYTES} MiB does not run Kubernetes`];
}

/** MB is close enough to MiB. */
export function asMebibytes(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/**
 * An entry that names no declared object is usual: it names one that leaves the code. It is doubtful if it is nearly the name of one.
 * @param entries names or `type/kind/name` of the Platform's setting
 */
export function misspelledNames(setting: string, entries: readonly string[], declared: readonly ObjectRef[]): string[] {
  const ids = declared.map(idOf);
  return matchingNone(entries, ids).flatMap((entry) => {
    const near = misspelled(entry, entry.includes("/") ? ids : declared.map(({ name }) => name));
    return near === undefined ? [] : [`'${setting}' has ${entry}, which the code does not declare; did you mean ${near}?`];
  });
}
