import { BlockList, isIP } from "node:net";
import type { JsonObject } from "../model/provider-type";
import type { Finding } from "./rules";

/** What is wrong with the networks of a declaration that keeps all other rules. */
export function networkFindings({ podSubnet, serviceSubnet }: JsonObject): Finding[] {
  if (typeof podSubnet !== "string" || typeof serviceSubnet !== "string" || !overlap(podSubnet, serviceSubnet)) return [];
  return [
    {
      path: ["podSubnet"],
      message: `'podSubnet' (${podSubnet}) must not overlap 'serviceSubnet' (${serviceSubnet})`,
    },
  ];
}

/** Whether two networks in CIDR notation have addresses in common. */
export function overlap(one: string, other: string): boolean {
  const [outer, inner] = prefixOf(one) <= prefixOf(other) ? [one, other] : [other, one];
  return contains(outer, inner);
}

/** An address in the one form of the many that IPv6 allows for it; other text as it is. */
export function canonicalAddress(text: string): string {
  return isIP(text) === 6 && URL.canParse(`http://[${text}]`) ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;
}

function prefixOf(network: string): number {
  return Number(network.split("/")[1]);
}

/** Whether the network address of `inner` lies in `outer`. */
function contains(outer: string, inner: string): boolean {
  const [network, prefix] = outer.split("/") as [string, string];
  const [address] = inner.split("/") as [string];
  const family = (text: string) => (isIP(text) === 6 ? "ipv6" : "ipv4");
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family(network));
  return list.check(address, family(address));
}
