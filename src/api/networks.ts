import { BlockList, isIP } from "node:net";

/** Whether two networks in CIDR notation have addresses in common. */
export function overlap(one: string, other: string): boolean {
  return contains(one, other) || contains(other, one);
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
