/**
 * The caller's address, as scripts/web.ts wrote it: the one entry of `x-forwarded-for` (forwarded.ts). Where another
 * server runs Next, the last entry, which the proxy next to it appended.
 */
import ipaddr from "ipaddr.js";

export function clientAddress(forwardedFor: string | null | undefined): string {
  return forwardedFor?.split(",").at(-1)?.trim().slice(0, 64) || "unknown";
}

/**
 * The network that tries and calls of an address are counted by: an IPv4 address by itself, and the /64 of an IPv6
 * address, since one host has all of them. `unknown` for anything else.
 */
export function countedNetworkOf(address: string): string {
  const bare = address.split("%", 1)[0] ?? "";
  if (!isAddress(bare)) return "unknown";
  const parsed = ipaddr.process(bare);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const start = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`);
  return `${start.toRFC5952String()}/64`;
}

/** Whether a text is an IP address as it is commonly written: `127.1` is not. */
export function isAddress(text: string): boolean {
  return text.includes(":") ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text);
}

/** Whether an address is none of the internet's: a private network's, this machine's, or none at all. */
export function isPrivate(address: string): boolean {
  const [bare = ""] = address.split("%", 1);
  return !isAddress(bare) || PRIVATE.includes(ipaddr.process(bare).range());
}

const PRIVATE: string[] = [
  "private",
  "loopback",
  "linkLocal",
  "uniqueLocal",
  "carrierGradeNat",
  "unspecified",
];
