/**
 * The only way out to addresses that others chose: MCP servers, authorization servers, webhooks. A request
 * may only reach a public address, or one that the installation's operator allowed. The connected address
 * itself is checked, so DNS rebinding between check and use is impossible.
 */
import { lookup as dnsLookup, type LookupAddress } from "node:dns";
import type { IncomingHttpHeaders } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import type { Transform } from "node:stream";
import { connect as connectTls, type TLSSocket } from "node:tls";
import ipaddr from "ipaddr.js";
import { Agent, buildConnector, type Dispatcher, Pool, fetch as undiciFetch } from "undici";
import { unpackerFor } from "../unpack.ts";

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
}

export interface NetworkOptions {
  /** CIDRs, hosts, or host:port that may be private. Without a port an entry never covers `denyPorts`. */
  allowHosts: string[];
  /** Ports of Intray's own parts (Postgres, web, engine). */
  denyPorts: number[];
  /** More `host:port` that may be private, asked for at each judgement. They never cover `denyPorts`. */
  allowedLater?: () => string[];
  /** Connections per origin for short calls, as many as rate × latency needs. Default 256. */
  connections?: number;
  /** Resolves names; the system's resolver by default, replaced in tests. */
  resolve?: typeof dnsLookup;
  /** Told why a name was not connected to, which callers cannot see. For the operator's log. */
  onNameFailed?: (failure: NameFailure) => void;
}

/** `not_allowed`: the name leads to an address that is not allowed. `not_found`: the name leads nowhere. */
export interface NameFailure {
  host: string;
  port: number;
  why: "not_allowed" | "not_found";
}

/**
 * A lookup that fails ends at the next multiple of this time, whether the name leads nowhere or to a forbidden
 * address: resolvers know names of their own network sooner than others, or say later that there is none.
 */
const NAME_FAILURE_STEP_MS = 1_000;

/** `call`: short, on kept connections. `held`: a dedicated connection, unlimited in time and number. */
export type Lane = "call" | "held";

export interface Outgoing {
  method: "GET" | "POST" | "DELETE";
  headers: Record<string, string>;
  body: string | null;
  lane: Lane;
}

interface Flow {
  pause(): void;
  resume(): void;
}

/** Callbacks of a reply, in order: head, data (unpacked)…, then end or error. `sent`: bytes may have left. */
interface Reception {
  /**
   * Called right before the first byte is written, after name lookup, connection and TLS. Throwing here ends
   * the request unsent.
   */
  onStart?(): void;
  onHead(status: number, headers: IncomingHttpHeaders): void;
  /** `flow` pauses and resumes further data. */
  onData(chunk: Buffer, flow: Flow): void;
  onEnd(): void;
  onError(error: Error, sent: boolean): void;
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

const FETCH_BODY_CAP = 8 * 1024 * 1024;
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
        const url = check(new URL(String(origin)), allowed);
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

  const checkUrl = (url: string | URL) => check(toUrl(url), allowed);
  const dispatcherFor = (url: string | URL, lane: Lane = "call") => {
    checkUrl(url);
    return lanes[lane];
  };
  return {
    checkUrl,
    isNamed(url) {
      const host = bareHost(url.hostname);
      return allowed(host, isIP(host) ? ipaddr.process(host) : null, portOf(url));
    },
    dispatcherFor,
    async request(url, { method = "GET", ...rest } = {}) {
      const target = checkUrl(url);
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
      const name = bareHost(checkUrl(`https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`).hostname);
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

function send(agent: Agent, url: URL, { method, headers, body }: Outgoing, reception: Reception) {
  let controller: Dispatcher.DispatchController | null = null;
  let aborted: Error | null = null;
  let over = false;
  let unpacker: Transform | null = null;
  const fail = (error: Error) => {
    if (over) return;
    over = true;
    unpacker?.destroy();
    reception.onError(aborted ?? error, controller !== null);
  };
  const end = () => {
    if (over) return;
    over = true;
    reception.onEnd();
  };
  /** undici catches what `reception` throws, but for an unpacker's events, whose errors would end the process. */
  const guarded = (read: () => void) => {
    try {
      read();
    } catch (error) {
      over = false;
      fail(error as Error);
      controller?.abort(error as Error);
    }
  };
  agent.dispatch(
    { origin: url.origin, path: url.pathname + url.search, method, headers, body },
    {
      onRequestStart(started) {
        try {
          if (!aborted) reception.onStart?.();
        } catch (error) {
          aborted = error as Error;
        }
        if (aborted) return started.abort(aborted);
        controller = started;
      },
      onResponseStart(_, status, replyHeaders) {
        if (over) return;
        unpacker = unpackerFor(replyHeaders["content-encoding"]);
        reception.onHead(status, replyHeaders);
        const flow = unpacker;
        // Pausing the unpacker also pauses the socket by backpressure.
        flow?.on("data", (part: Buffer) => over || guarded(() => reception.onData(part, flow)));
        flow
          ?.on("end", () => guarded(end))
          .on("error", (error) => {
            fail(error);
            controller?.abort(error);
          });
      },
      onResponseData(flow, chunk) {
        if (over) return;
        if (!unpacker) return reception.onData(chunk, flow);
        if (unpacker.write(chunk)) return;
        flow.pause();
        unpacker.once("drain", () => flow.resume());
      },
      onResponseEnd() {
        if (unpacker) unpacker.end();
        else end();
      },
      onResponseError: (_, error) => fail(error),
    },
  );
  return (reason: Error) => {
    aborted ??= reason;
    fail(reason);
    controller?.abort(reason);
  };
}

type Allowed = (host: string, address: ipaddr.IPv4 | ipaddr.IPv6 | null, port: number) => boolean;

/**
 * A lookup for addresses that the installation's operator configured: private addresses are allowed, metadata
 * services are not. For clients with sockets of their own; ours use `createNetwork`.
 */
export const operatorLookup: LookupFunction = lookupFor(0, () => true, { isOpen: true });

/** Throws NetworkError by the rule of `operatorLookup`, which never sees a literal address. */
export function checkOperatorUrl(url: string | URL): URL {
  return check(toUrl(url), () => true);
}

function toUrl(url: string | URL): URL {
  try {
    return new URL(url);
  } catch {
    throw new NetworkError("Not a URL");
  }
}

function check(url: URL, allowed: Allowed): URL {
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new NetworkError("Only http and https");
  if (url.username !== "" || url.password !== "") throw new NetworkError("No credentials in a URL");
  // Node's connect never calls `lookup` for a literal address, so literals are checked here.
  const host = bareHost(url.hostname);
  if (isIP(host)) checkAddress(host, host, portOf(url), allowed);
  return url;
}

type Resolving = Pick<NetworkOptions, "resolve" | "onNameFailed">;

function connector(url: URL, allowed: Allowed, resolving: Resolving): buildConnector.connector {
  const connect = buildConnector({ lookup: guardedLookup(portOf(url), allowed, resolving), timeout: 10_000 });
  return (options, callback) => {
    try {
      // A pool outlives what was allowed when it was made, and `lookup` never sees a literal address.
      check(url, allowed);
    } catch (error) {
      return queueMicrotask(() => callback(error as Error, null));
    }
    connect(options, callback);
  };
}

function guardedLookup(port: number, allowed: Allowed, { resolve, onNameFailed }: Resolving): LookupFunction {
  const onFailed = (host: string, why: NameFailure["why"]) => onNameFailed?.({ host, port, why });
  return lookupFor(port, allowed, { resolve, onFailed });
}

interface LookupOptions {
  resolve?: typeof dnsLookup;
  onFailed?: (host: string, why: NameFailure["why"]) => void;
  /** Says that a name was refused, and at once: for callers who are the operator's own. */
  isOpen?: true;
}

/** A refused name fails as one that does not exist, unless the lookup is open. */
function lookupFor(
  port: number,
  allowed: Allowed,
  { resolve = dnsLookup, onFailed, isOpen }: LookupOptions,
): LookupFunction {
  return (hostname, options, callback) => {
    const began = performance.now();
    const fail = (why: NameFailure["why"]) => {
      onFailed?.(hostname, why);
      const elapsed = performance.now() - began;
      const wait = Math.ceil(elapsed / NAME_FAILURE_STEP_MS) * NAME_FAILURE_STEP_MS - elapsed;
      setTimeout(() => callback(nameError(hostname), []), wait);
    };
    resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (isOpen && error) return callback(error, []);
      if (error || addresses.length === 0) return fail("not_found");
      try {
        // One bad address rejects the name: a mixed answer is how rebinding begins.
        for (const { address } of addresses) checkAddress(hostname, address, port, allowed);
      } catch (refusal) {
        return isOpen ? callback(refusal as NodeJS.ErrnoException, []) : fail("not_allowed");
      }
      const first = addresses[0];
      if (options.all || !first) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

function nameError(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: "ENOTFOUND", hostname });
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

function checkAddress(host: string, ip: string, port: number, allowed: Allowed): void {
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

function parseRule(entry: string): Rule {
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

function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

function portOf(url: URL): number {
  return url.port !== "" ? Number(url.port) : url.protocol === "https:" ? 443 : 80;
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
