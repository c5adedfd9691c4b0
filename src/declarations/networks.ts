import { BlockList, isIP } from "node:net";

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
