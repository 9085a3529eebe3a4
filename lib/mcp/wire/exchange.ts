/** One HTTP exchange under a deadline. Handles event streams, size limits and failures, but no JSON-RPC. */
import type { IncomingHttpHeaders } from "node:http";
import { msSince, thisMoment } from "../../base/moment.ts";
import type { Network } from "../../base/network/network.ts";
import type { Outgoing } from "../../base/network/send.ts";
import { badReply, httpError, transportError } from "../errors.ts";
import {
  ERROR_BYTES,
  FLOOD_BYTES,
  FLOOD_BYTES_A_SECOND,
  FLOOD_EVENTS,
  FLOOD_EVENTS_A_SECOND,
  REDIRECTS,
  REPLY_BYTES,
} from "../limits.ts";
import type { Access } from "../peer.ts";
import { PeerError } from "../peer-error.ts";
import { MAX_TIMER_MS } from "./deadline.ts";
import { credentialsIn, hiding, IN_MESSAGES } from "./hide.ts";
import { LargeRead } from "./large-reads.ts";
import { sameOriginTarget } from "./redirect.ts";
import { SseParser } from "./sse.ts";

/** Counts a stream's events and bytes, as a bucket that leaks. Throws PeerError `too_large` beyond any plausible amount. */
class Flood {
  #since = performance.now();
  #events = 0;
  #bytes = 0;

  events(count: number): void {
    this.#count(count, 0);
  }

  bytes(count: number): void {
    this.#count(0, count);
  }

  #count(events: number, bytes: number): void {
    const now = performance.now();
    const seconds = (now - this.#since) / 1000;
    this.#since = now;
    this.#events = Math.max(0, this.#events - seconds * FLOOD_EVENTS_A_SECOND) + events;
    this.#bytes = Math.max(0, this.#bytes - seconds * FLOOD_BYTES_A_SECOND) + bytes;
    if (this.#events > FLOOD_EVENTS || this.#bytes > FLOOD_BYTES)
      throw new PeerError("too_large", "yes", "The stream is a flood");
  }
}

export interface ExchangeOptions {
  deadlineMs: number;
  /** Replaces the deadline once the request is written. */
  replyWithinMs?: number;
  signal?: AbortSignal;
  /** The deadline covers the opening only: an event stream has no deadline after its head. */
  opensOnly?: boolean;
  /** Secrets to mask in errors, besides the request's credentials. */
  secrets: string[];
  /** The JSON-RPC method, which determines the meaning of errors; null for notifications and responses. */
  rpcMethod: string | null;
}

/** Called in order of arrival. An error that one of them throws ends the exchange: `onError` is called with it. */
export interface ExchangeHandlers {
  /** Called with the headers of a 2xx. */
  onHead(headers: IncomingHttpHeaders): void;
  /**
   * Called with the whole body, or the data of one event without a name, with the request's credentials masked. Returns how
   * many messages it held, all of which count towards a flood.
   */
  onText(text: string): number;
  /** Called with the data of an event that has a name of its own. Such events are no messages. */
  onNamed?(name: string, data: string): void;
  /**
   * Called with the data of an event that a stream ends in, though the blank line after it is missing. The standard drops it:
   * it may be cut short.
   */
  onUnfinished?(data: string): void;
  onEventId(eventId: string): void;
  onRetry?(afterMs: number): void;
  /** Called when the body of a 2xx is complete. `onEnd` or `onError` is called last, or both where `onEnd` throws. */
  onEnd(): void;
  onError(error: PeerError): void;
}

/**
 * Starts the exchange, and follows redirects that send the whole request on within the origin. The returned function
 * drops the connection.
 */
export function exchange(
  network: Network,
  url: URL,
  outgoing: Outgoing,
  options: ExchangeOptions,
  handlers: ExchangeHandlers,
): () => void {
  let at = url;
  const been = new Set([url.pathname + url.search]);
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  let parser: SseParser | null = null;
  const chunks: Buffer[] = [];
  let size = 0;
  let drop: (reason: Error) => void = () => {};
  const flood = new Flood();

  const credentials = credentialsIn(outgoing.headers);
  const hide = hiding(credentials, IN_MESSAGES);
  const begun = thisMoment();

  const stop = (message: string) => drop(new Stopped(message));
  const large = new LargeRead(url.origin, stop);
  const giveUp = () => stop("The call was given up");
  const arm = (ms: number) =>
    setTimeout(stop, Math.min(ms, MAX_TIMER_MS), "The server did not answer in time");
  let timer = arm(options.deadlineMs);
  const settle = () => {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", giveUp);
  };
  const text = () => hide(String(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
  const isRefusal = () => status !== 0 && !isSuccess(status);
  const refusal = () => {
    const inSession = "mcp-session-id" in outgoing.headers;
    const masked = hiding([...credentials, ...options.secrets], IN_MESSAGES);
    const location = headers.location && masked(String(headers.location));
    const answer = { url: at, status, headers: { ...headers, location }, body: masked(text()) };
    return httpError(answer, options.rpcMethod, inSession);
  };
  const errorOf = (error: Error, sent: boolean) => {
    // The status suffices, even if the body is incomplete.
    if (isRefusal()) return refusal();
    if (error instanceof Stopped) return new PeerError("timeout", sent ? "maybe" : "no", error.message);
    return transportError(error, sent);
  };
  const guarded = (read: () => void) => {
    try {
      read();
    } catch (error) {
      drop(badReply("The reply makes no sense", error));
    }
  };

  const reception: Parameters<Network["send"]>[2] = {
    // If the process was frozen, or its machine suspended, this runs before the timers, and another process
    // may have taken over meanwhile.
    onStart() {
      if (msSince(begun) >= options.deadlineMs)
        throw new Stopped("The call's time was over before it was written");
      if (options.replyWithinMs === undefined) return;
      clearTimeout(timer);
      timer = arm(options.replyWithinMs);
    },
    onHead(code, received) {
      status = code;
      headers = received;
      if (!isSuccess(status)) return;
      if (isEventStream(headers)) {
        if (options.opensOnly) settle();
        parser = new SseParser(({ name, data, id, retryMs }) => {
          flood.events(1);
          if (retryMs !== undefined) handlers.onRetry?.(retryMs);
          if (id !== null) handlers.onEventId(id);
          if (data === "") return;
          if (name !== undefined) handlers.onNamed?.(name, data);
          else flood.events(Math.max(0, handlers.onText(hide(data)) - 1));
        });
      }
      guarded(() => handlers.onHead(headers));
    },
    onData(chunk, flow) {
      const tooLarge = () => drop(new PeerError("too_large", "yes", "The reply is larger than 8 MiB"));
      if (parser) {
        const stream = parser;
        return guarded(() => {
          flood.bytes(chunk.length);
          stream.push(chunk);
          // One event at a time: a stream that is held for weeks sends as much in heartbeats.
          if (stream.held > REPLY_BYTES) tooLarge();
          else large.holds(stream.held, flow);
        });
      }
      size += chunk.length;
      if (isRefusal()) {
        if (size <= ERROR_BYTES) chunks.push(chunk);
        else stop("The error's body is too large");
      } else if (size > REPLY_BYTES) {
        tooLarge();
      } else {
        chunks.push(chunk);
        large.holds(size, flow);
      }
    },
    onEnd() {
      const next = been.size <= REDIRECTS ? sameOriginTarget(status, headers.location, at) : null;
      // A call is never made twice at one address.
      if (next && !been.has(next.pathname + next.search)) return follow(next);
      settle();
      large.end();
      if (isRefusal()) return handlers.onError(refusal());
      try {
        if (chunks.length > 0) handlers.onText(text());
        const unfinished = parser?.end();
        if (unfinished) handlers.onUnfinished?.(hide(unfinished));
        handlers.onEnd();
      } catch (error) {
        handlers.onError(badReply("The reply makes no sense", error));
      }
    },
    onError(error, sent) {
      settle();
      large.end();
      handlers.onError(errorOf(error, sent));
    },
  };
  const follow = (next: URL) => {
    been.add(next.pathname + next.search);
    at = next;
    status = 0;
    size = 0;
    chunks.length = 0;
    drop = network.send(at, outgoing, reception);
  };
  drop = network.send(at, outgoing, reception);
  if (options.signal?.aborted) giveUp();
  else options.signal?.addEventListener("abort", giveUp);
  return () => stop("closed");
}

/** Ends an exchange from our side: the deadline, or the caller's signal. */
class Stopped extends Error {}

const isSuccess = (status: number) => status >= 200 && status < 300;

/** Media types ignore case (RFC 9110, 8.3.1). */
export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() === "text/event-stream";
}

/**
 * Runs `call` with a valid token: renews one that the server rejects, and repeats the call once. After a 401 any call
 * may be repeated, since the server refused it before acting. The caller's deadline covers both attempts. Throws like `call` and `access`.
 */
export async function withAccess<T>(
  access: Access | undefined,
  call: (token: string | null) => Promise<T>,
): Promise<T> {
  if (!access) return call(null);
  const token = access.current() ?? (await access.fresh());
  try {
    return await call(token);
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    if (error.neededScope !== null) await access.exhausted(token, error.neededScope);
    if (error.httpStatus !== 401 || !(await access.refused(token))) throw error;
  }
  const next = await access.fresh();
  try {
    return await call(next);
  } catch (error) {
    if (isUnauthorized(error) && error.httpStatus === 401) await access.exhausted(next, null);
    throw error;
  }
}

function isUnauthorized(error: unknown): error is PeerError {
  return error instanceof PeerError && error.code === "unauthorized" && error.reached === "yes";
}
