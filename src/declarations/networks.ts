import { BlockList, isIP } from "node:net";

export function overlap(one: string, other: string): boolean {
  const [outer, inner] = prefixOf(one) <= prefixOf(other) ? [one, other] : [other, one];
  return contains(outer, inner);
}

/** An IPv6 address in canonical form. Other text is unchanged. */
export function canonicalAddress(text: string): string {
  return isIP(text) === 6 && URL.canParse(`http://[${text}]`) ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;
}

/** Undefined for a network with a zone. */
export function withoutHostBits(network: string): string | undefined {
  const [address] = network.split("/") as [string];
  const groups = isIP(address) === 4 ? address.split(".").map(Number) : groupsOfIPv6(canonicalAddress(address));
  if (!groups) return undefined;
  const [bits, prefix] = [groups.length === 4 ? 8 : 16, prefixOf(network)];
  const masked = groups.map((group, index) => {
    const hostBits = Math.min(bits, Math.max(0, (index + 1) * bits - prefix));
    return (group >> hostBits) << hostBits;
  });
  const text = bits === 8 ? masked.join(".") : canonicalAddress(masked.map((group) => group.toString(16)).join(":"));
  return `${text}/${prefix}`;
}

function groupsOfIPv6(canonical: string): number[] | undefined {
  if (canonical.includes("%")) return undefined;
  const [before, after] = canonical.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - before!.length - (after?.length ?? 0) }, () => "0");
  return [...before!, ...zeros, ...(after ?? [])].map((group) => parseInt(group, 16));
}

function prefixOf(network: string): number {
  return Number(network.split("/")[1]);
}

/** `inner` is an address or a network. */
export function contains(outer: string, inner: string): boolean {
  const [network, prefix] = outer.split("/") as [string, string];
  const [address] = inner.split("/") as [string];
  const family = (text: string) => (isIP(text) === 6 ? "ipv6" : "ipv4");
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family(network));
  return list.check(address, family(address));
}
