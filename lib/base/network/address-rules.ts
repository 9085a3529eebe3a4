/**
 * Judges addresses that others chose, by the text of a URL and by what a name resolves to: public, or allowed by the installation's
 * operator. Opens nothing.
 */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { isErrorNamed } from "../process/process-wide.ts";

/**
 * Thrown for an address that forbids itself, by its text alone. What a name resolves to is never told this way: that
 * would say which names there are inside. The message is for the operator's log, not for tenants.
 */
export class NetworkError extends Error {
  readonly code = "address_not_allowed";
  constructor(message: string) {
    super(message);
    this.name = "NetworkError";
  }

  static override [Symbol.hasInstance](value: unknown): value is NetworkError {
    return isErrorNamed(value, "NetworkError");
  }
}

/** Whether the operator allows a host at an address, which may be private. */
export type Allowed = (host: string, address: ipaddr.IPv4 | ipaddr.IPv6 | null, port: number) => boolean;

/** Throws NetworkError by the rule of `operatorLookup`, which never sees a literal address. */
export function checkOperatorUrl(url: string | URL): URL {
  return checkUrl(toUrl(url), () => true);
}

export function toUrl(url: string | URL): URL {
  try {
    return new URL(url);
  } catch {
    throw new NetworkError("Not a URL");
  }
}

/** Throws NetworkError if the scheme, the credentials or a literal address are forbidden. */
export function checkUrl(url: URL, allowed: Allowed): URL {
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new NetworkError("Only http and https");
  if (url.username !== "" || url.password !== "") throw new NetworkError("No credentials in a URL");
  // Node's connect never calls `lookup` for a literal address, so literals are checked here.
  const host = bareHost(url.hostname);
  if (isIP(host)) checkAddress(host, host, portOf(url), allowed);
  return url;
}

/** Metadata services that live outside the link-local range: Alibaba, Azure, Oracle, EC2, EKS, GCP. */
const METADATA = new Set(
  ["100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254"].map(
    (ip) => ipaddr.process(ip).toNormalizedString(),
  ),
);
/** Never allowed: link-local holds the metadata services, the others hide an IPv4 address inside. */
const NEVER = new Set([
  "linkLocal",
  "unspecified",
  "broadcast",
  "multicast",
  "rfc6052",
  "rfc6145",
  "6to4",
  "teredo",
]);
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3") as [ipaddr.IPv6, number];

/** Throws NetworkError. `host`: the name that resolved to `ip`, or the address itself. */
export function checkAddress(host: string, ip: string, port: number, allowed: Allowed): void {
  const address = ipaddr.process(ip.split("%", 1)[0] ?? "");
  const range = address.range();
  if (!NEVER.has(range) && !METADATA.has(address.toNormalizedString())) {
    const isGlobal = address.kind() === "ipv4" || (address as ipaddr.IPv6).match(GLOBAL_IPV6);
    if ((range === "unicast" && isGlobal) || allowed(host, address, port)) return;
  }
  throw new NetworkError(`${host} is not a public address`);
}

interface Rule {
  port: number | null;
  covers(host: string, address: ipaddr.IPv4 | ipaddr.IPv6 | null): boolean;
}

/** Reads an entry of INTRAY_ALLOW_HOSTS. Throws for any other text. */
export function parseRule(entry: string): Rule {
  if (ipaddr.isValidCIDR(entry)) {
    const [network, bits] = ipaddr.parseCIDR(entry);
    return {
      port: null,
      covers: (_, address) => address?.kind() === network.kind() && address.match(network, bits),
    };
  }
  // A bare IPv6 address contains colons itself.
  const literal = isIP(entry) === 6 ? `[${entry}]` : entry;
  const [, name = "", port] = /^(\[[^\]]+\]|[^:/@\s]+)(?::(\d{1,5}))?$/.exec(literal) ?? [];
  if (!URL.canParse(`http://${literal}`) || name === "") {
    throw new Error(`"${entry}" is neither a CIDR nor a host nor host:port`);
  }
  const host = bareHost(new URL(`http://${name}`).hostname);
  const ip = isIP(host) ? ipaddr.process(host).toNormalizedString() : null;
  return {
    port: port === undefined ? null : Number(port),
    covers: (other, address) =>
      ip === null ? bareHost(other.toLowerCase()) === host : address?.toNormalizedString() === ip,
  };
}

export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

export function portOf(url: URL): number {
  return url.port !== "" ? Number(url.port) : url.protocol === "https:" ? 443 : 80;
}
