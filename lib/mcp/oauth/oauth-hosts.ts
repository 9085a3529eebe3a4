/**
 * Which hosts an authorization server's endpoints are at. Metadata that lends an endpoint of somebody else's server
 * leads codes or tokens of one to the other (mix-up), so that a person allows each such host by name.
 */
import { z } from "zod";

export const ENDPOINTS = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "jwks_uri",
] as const;
type Endpoint = (typeof ENDPOINTS)[number];

type Metadata = { issuer: string } & Partial<Record<Endpoint, string>>;

/** The endpoints that are at others' hosts, by name. Bound to the issuer as published. */
export const foreignEndpointsSchema = z.object({
  issuer: z.string(),
  hosts: z.partialRecord(z.enum(ENDPOINTS), z.string()),
});
export type ForeignEndpoints = z.infer<typeof foreignEndpointsSchema>;

/** Returns the endpoints outside the issuer's own site, or null if there are none. Expects sound URLs. */
export function foreignEndpoints(metadata: Metadata): ForeignEndpoints | null {
  const issuer = new URL(metadata.issuer);
  const hosts: ForeignEndpoints["hosts"] = {};
  for (const name of ENDPOINTS) {
    const url = metadata[name] === undefined ? null : new URL(metadata[name]);
    if (url && !isOwnSite(issuer, url)) hosts[name] = url.host;
  }
  return Object.keys(hosts).length === 0 ? null : { issuer: metadata.issuer, hosts };
}

/** Returns the names for a person: the issuer's host first, then each other host once. */
export function hostsOf({ issuer, hosts }: ForeignEndpoints): [string, ...string[]] {
  return [new URL(issuer).host, ...new Set(Object.values(hosts))];
}

/** Returns true if each endpoint is where it was when it was allowed. */
export function isAllowed(found: ForeignEndpoints, allowed: ForeignEndpoints | null): boolean {
  return (
    allowed?.issuer === found.issuer &&
    ENDPOINTS.every((name) => found.hosts[name] === undefined || found.hosts[name] === allowed.hosts[name])
  );
}

/**
 * The issuer's host or a name below it, at the same port. A name beside it may be a stranger's (`a.github.io`,
 * `b.github.io`), and only a list of the world's registries, which ages, could tell.
 */
function isOwnSite(issuer: URL, url: URL): boolean {
  if (issuer.protocol !== url.protocol || issuer.port !== url.port) return false;
  if (issuer.hostname === url.hostname) return true;
  const isName = /^(?!\[|[\d.]+$).*\./.test(issuer.hostname);
  return isName && url.hostname.endsWith(`.${issuer.hostname}`);
}
