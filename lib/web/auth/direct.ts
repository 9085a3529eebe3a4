/**
 * Tells whether a request came straight from a program on this machine, and not through a proxy. Only the
 * socket's own request can say so: Next adds `x-forwarded-*` to every request before a handler sees it.
 * scripts/web.ts marks direct requests by a header whose value is secret to this process.
 */

import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isLoopback, isLoopbackHost } from "../../base/network/address.ts";
import { onePerProcess } from "../../base/process/process-wide.ts";

const DIRECT_HEADER = "x-intray-direct";

const mark = onePerProcess("mark of direct requests", () => randomBytes(32).toString("base64url"))();

/** The parts of a request that show how it came. */
export interface Arrival {
  httpVersion: string;
  /** The request line's target, e.g. `/sign-in`. */
  target: string;
  /** Names and values in turns, as they were sent. */
  rawHeaders: readonly string[];
  /** The address at the other end of the socket. */
  peer: string | undefined;
}

/** Marks a request that came directly, and strips a forged mark from any other. */
export function markDirect(request: IncomingMessage): void {
  delete request.headers[DIRECT_HEADER];
  const { httpVersion, url, rawHeaders, socket } = request;
  const arrival = { httpVersion, target: url ?? "", rawHeaders, peer: socket.remoteAddress };
  if (cameDirectly(arrival)) request.headers[DIRECT_HEADER] = mark;
}

/** Whether scripts/web.ts has marked the request. Without that server in front, no request is direct. */
export function isDirect(headers: Headers): boolean {
  const given = Buffer.from(headers.get(DIRECT_HEADER) ?? "");
  return given.length === mark.length && timingSafeEqual(given, Buffer.from(mark));
}

/** Marks requests in tests of handlers, which run without scripts/web.ts. */
export function directHeaders(): Record<string, string> {
  return { [DIRECT_HEADER]: mark };
}

/**
 * Judges by all known traces of proxies: their headers, HTTP/1.0 (nginx's default before 1.29.7), an absolute
 * target, another peer. A page under another name shows in Origin even when a proxy has replaced Host.
 */
export function cameDirectly({ httpVersion, target, rawHeaders, peer }: Arrival): boolean {
  if (httpVersion !== "1.1" || !target.startsWith("/")) return false;
  if (!isLoopback((peer ?? "").replace(/^::ffff:/, ""))) return false;
  const pairs = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [{ name: name.toLowerCase().replaceAll("_", "-"), value: rawHeaders[at + 1] ?? "" }] : [],
  );
  if (pairs.some(({ name }) => isOfProxy(name))) return false;
  const hosts = pairs.filter(({ name }) => name === "host");
  if (hosts.length !== 1 || !isLoopbackHost(hosts[0]?.value)) return false;
  return pairs.every(({ name, value }) => name !== "origin" || isLoopbackOrigin(value));
}

/** `x-` headers that browsers and our own pages send; any other `x-` header is taken for a proxy's. */
const KNOWN_X = /^x-(requested-with|intray-(organization|unattended)|moz|purpose|nextjs-[a-z-]+)$/;

/** Headers of proxies, load balancers, CDNs and tunnels without `x-`. */
const OF_PROXIES =
  /^(forwarded|via|client-ip|real-ip|max-forwards|front-end-https)$|^(forwarded|proxy|wl-proxy|remote|cf|cdn|fastly|fly|akamai|incap|tailscale|ngrok|original|ssl)-|-forwarded-|-(client|connecting)-ip$/;

function isOfProxy(name: string): boolean {
  return OF_PROXIES.test(name) || (name.startsWith("x-") && !KNOWN_X.test(name));
}

function isLoopbackOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackHost(new URL(origin).host);
}
