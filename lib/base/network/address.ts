/** Addresses of networks and of this machine. */
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

/** Accepts a name or an address without a port, e.g. `localhost`, `127.0.0.1`, `::1` or `[::1]`. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|\[::1\]|::1|127(\.\d{1,3}){3})$/i.test(hostname);
}

/** Accepts the value of a Host header. Rejects other names that resolve to this machine (DNS rebinding). */
export function isLoopbackHost(host: string | null | undefined): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host ?? "");
}

/**
 * Returns true if Intray both listens on loopback and has a loopback `url` for browsers. The demo, where anyone signs in with one
 * click, runs nowhere else.
 */
export function staysOnThisMachine({ host, url }: { host: string; url: string }): boolean {
  return isLoopback(host) && isLoopback(new URL(url).hostname);
}
