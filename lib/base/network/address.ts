import { BlockList, isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/** Returns true if `address` is in one of the networks (CIDR, or single addresses). False for what is no address. */
export function isWithin(networks: readonly string[], address: string): boolean {
  // The zone of a link-local address names an interface of this machine, and no list can.
  const [bare = ""] = address.split("%", 1);
  const family = familyOf(bare);
  if (!family) return false;
  const list = new BlockList();
  for (const network of networks) {
    const [start = "", bits] = network.split("/");
    const of = familyOf(start);
    if (!of) continue;
    if (bits === undefined) list.addAddress(start, of);
    else list.addSubnet(start, Number(bits), of);
  }
  return list.check(bare, family);
}

/** Returns the network that an address is remembered by: /24, and /48 of IPv6. Null for what is no address. */
export function rememberedNetworkOf(address: string): string | null {
  if (!familyOf(address)) return null;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return `${parsed.octets.slice(0, 3).join(".")}.0/24`;
  const bytes = parsed.toByteArray().map((byte, at) => (at < 6 ? byte : 0));
  return `${ipaddr.fromByteArray(bytes)}/48`;
}

function familyOf(address: string): "ipv4" | "ipv6" | null {
  if (isIPv4(address)) return "ipv4";
  return isIPv6(address) ? "ipv6" : null;
}
