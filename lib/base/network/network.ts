/**
 * The only way out to addresses that others chose: MCP servers, authorization servers, webhooks. A request
 * may only reach a public address, or one that the installation's operator allowed. The connected address
 * itself is checked, so DNS rebinding between check and use is impossible.
 */
import { isIP } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import ipaddr from "ipaddr.js";
import { Agent, buildConnector, type Dispatcher, Pool, fetch as undiciFetch } from "undici";
import { type Allowed, bareHost, checkUrl, NetworkError, parseRule, portOf, toUrl } from "./address-rules.ts";
import { guardedLookup, type Resolving } from "./guarded-lookup.ts";
import { type Lane, type Outgoing, type Reception, send } from "./send.ts";

export interface NetworkOptions extends Resolving {
  /** CIDRs, hosts, or host:port that may be private. Without a port an entry never covers `denyPorts`. */
  allowHosts: string[];
  /** Ports of Intray's own parts (Postgres, web, engine). */
  denyPorts: number[];
  /** More `host:port` that may be private, asked for at each judgement. They never cover `denyPorts`. */
  allowedLater?: () => string[];
  /** Connections per origin for short calls, as many as rate × latency needs. Default 256. */
  connections?: number;
}

export interface Network {
  /** Throws NetworkError if the URL's scheme, credentials or literal address are forbidden. */
  checkUrl(url: string | URL): URL;
  /** Returns true if the operator named this host. Named hosts may use plain http where others need https. */
  isNamed(url: URL): boolean;
  /** The dispatcher follows no redirects and checks every connection, whatever URL is requested on it. */
  dispatcherFor(url: string | URL, lane?: Lane): Dispatcher;
  request(url: string | URL, options?: RequestOptions): Promise<Dispatcher.ResponseData>;
  /** The hot path of MCP requests: no streams and no promises. The returned function drops the connection. */
  send(url: URL, outgoing: Outgoing, reception: Reception): (reason: Error) => void;
  /** For the official client package and webhooks: a global Response, no redirects, body capped. */
  fetch(url: string | URL, init?: RequestInit, lane?: Lane): Promise<Response>;
  /**
   * Opens a connection by TLS, for protocols other than HTTP. Resolves once the certificate was checked: its name
   * against `host`, its chain against `ca` (PEM) or, if null, against the authorities that this machine trusts.
   */
  connectTls(to: TlsAddress, signal: AbortSignal): Promise<TLSSocket>;
  close(): Promise<void>;
}

export interface TlsAddress {
  /** A name or an IP address. */
  host: string;
  port: number;
  ca: string | null;
}

type RequestOptions = Omit<Dispatcher.RequestOptions, "origin" | "path" | "method"> & {
  method?: Dispatcher.HttpMethod;
};

/** Documents of sign-in, metadata, and replies to webhooks: what is larger would be parsed for too long. */
const FETCH_BODY_CAP = 512 * 1024;
/** A backstop only: every call has its own deadline. */
const SILENCE_MS = 60_000;

export function createNetwork(options: NetworkOptions): Network {
  const rules = options.allowHosts.map(parseRule);
  const denyPorts = new Set(options.denyPorts);
  const allowed: Allowed = (host, address, port) =>
    rules.some(
      (rule) =>
        (rule.port === null ? !denyPorts.has(port) : rule.port === port) && rule.covers(host, address),
    ) || isAllowedLater(host, address, port);
  const isAllowedLater: Allowed = (host, address, port) =>
    options.allowedLater !== undefined &&
    !denyPorts.has(port) &&
    options
      .allowedLater()
      .map(parseRule)
      .some((rule) => rule.port === port && rule.covers(host, address));

  const guarded = (extra: Agent.Options) =>
    new Agent({
      ...extra,
      factory: (origin, poolOptions) => {
        const url = checkUrl(new URL(String(origin)), allowed);
        return new Pool(url.origin, { ...poolOptions, connect: connector(url, allowed, options) });
      },
    });
  const lanes: Record<Lane, Agent> = {
    call: guarded({
      connections: options.connections ?? 256,
      // Longer than the slowest regular poll, so that sockets survive between polls.
      keepAliveTimeout: 65_000,
      headersTimeout: SILENCE_MS,
      bodyTimeout: SILENCE_MS,
    }),
    // No reuse: a kept socket may die under a request with side effects, whose outcome is then unknown.
    held: guarded({ pipelining: 0, headersTimeout: 0, bodyTimeout: 0 }),
  };

  const checked = (url: string | URL) => checkUrl(toUrl(url), allowed);
  const dispatcherFor = (url: string | URL, lane: Lane = "call") => {
    checked(url);
    return lanes[lane];
  };
  return {
    checkUrl: checked,
    isNamed(url) {
      const host = bareHost(url.hostname);
      return allowed(host, isIP(host) ? ipaddr.process(host) : null, portOf(url));
    },
    dispatcherFor,
    async request(url, { method = "GET", ...rest } = {}) {
      const target = checked(url);
      return lanes.call.request({
        ...rest,
        method,
        origin: target.origin,
        path: target.pathname + target.search,
      });
    },
    send: (url, outgoing, reception) => send(lanes[outgoing.lane], url, outgoing, reception),
    async fetch(url, init, lane) {
      const dispatcher = dispatcherFor(url, lane);
      const reply = await undiciFetch(toUrl(url), {
        ...(init as Parameters<typeof undiciFetch>[1]),
        dispatcher,
        redirect: "manual",
      }).catch((error: Error) => {
        throw error.cause instanceof NetworkError ? error.cause : error;
      });
      // The global class, since the official client checks `instanceof Response`.
      const body =
        (reply.body as ReadableStream<Uint8Array> | null)?.pipeThrough(capped(FETCH_BODY_CAP)) ?? null;
      const headers = [...reply.headers] as [string, string][];
      return new Response(body, { status: reply.status, statusText: reply.statusText, headers });
    },
    async connectTls({ host, port, ca }, signal) {
      const name = bareHost(checked(`https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`).hostname);
      signal.throwIfAborted();
      return new Promise((resolve, reject) => {
        const socket = connectTls({
          host: name,
          port,
          lookup: guardedLookup(port, allowed, options),
          minVersion: "TLSv1.2",
          ...(isIP(name) === 0 && { servername: name }),
          ...(ca !== null && { ca }),
        });
        const abort = () => socket.destroy(signal.reason as Error);
        signal.addEventListener("abort", abort, { once: true });
        socket.once("error", (error) => {
          signal.removeEventListener("abort", abort);
          reject(error);
        });
        socket.once("secureConnect", () => {
          signal.removeEventListener("abort", abort);
          resolve(socket);
        });
      });
    },
    async close() {
      await Promise.all([lanes.call.destroy(), lanes.held.destroy()]);
    },
  };
}

/** Returns the address of something that Intray sends to: https, unless the operator named the host. Throws NetworkError. */
export function receiverUrl(network: Network, address: string): URL {
  const url = network.checkUrl(address);
  if (url.protocol !== "https:" && !network.isNamed(url)) throw new NetworkError("Only https");
  return url;
}

function connector(url: URL, allowed: Allowed, resolving: Resolving): buildConnector.connector {
  const connect = buildConnector({ lookup: guardedLookup(portOf(url), allowed, resolving), timeout: 10_000 });
  return (options, callback) => {
    try {
      // A pool outlives what was allowed when it was made, and `lookup` never sees a literal address.
      checkUrl(url, allowed);
    } catch (error) {
      return queueMicrotask(() => callback(error as Error, null));
    }
    connect(options, callback);
  };
}

function capped(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > limit) controller.error(new Error(`The reply is larger than ${limit} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
