/**
 * JSON-RPC over "HTTP with SSE", the transport of 2024-11-05: one event stream that names an address at its beginning, and
 * carries all that the server says; messages to the server are posted to that address.
 */
import { randomUUID } from "node:crypto";
import type { Network } from "../../../base/network/network.ts";
import { badReply, transportError } from "../../errors.ts";
import type { HttpEndpoint } from "../../peer.ts";
import { PeerError } from "../../peer-error.ts";
import { exchange, isEventStream, withAccess } from "../exchange.ts";
import type { Channel, ChannelListener } from "./conversation.ts";
import { ConversationWire } from "./conversation-wire.ts";

/** How long the server may take to open the stream and name its address, in ms. */
const OPENING_MS = 10_000;
/** How long it may take to accept a message. */
const POST_MS = 30_000;
/** Sessions, and so open streams, that one wire has at most. */
const MOST_STREAMS = 16;

const GONE = "The server's event stream has ended";
const SESSION_GONE = "The server no longer knows the session";

/** Begins the ids of these sessions: they are the streams', not the server's. */
const SESSION = "sse-";

export function isSseSession(headers: Record<string, string>): boolean {
  return headers["mcp-session-id"]?.startsWith(SESSION) ?? false;
}

export class SseWire extends ConversationWire {
  readonly kind = "http";

  constructor(endpoint: HttpEndpoint, network: Network) {
    const channels = {
      open: (listener: ChannelListener) => new SseChannel(endpoint, network, listener),
      newSessionId: () => SESSION + randomUUID(),
      most: MOST_STREAMS,
      words: {
        gone: GONE,
        sessionGone: SESSION_GONE,
        full: "As many event streams are open as may be",
        ended: "The connection was ended",
        failed: "The event stream could not be opened",
        paused: "The server's event stream ended at once and is not opened again yet",
        noResume: "A reply can't be waited for again: the server's transport has no way to",
      },
    };
    // What the stream says besides messages is nothing for a log.
    super(channels, () => undefined);
  }
}

interface Waiting {
  message: string;
  done: (failure: PeerError | null) => void;
}

class SseChannel implements Channel {
  readonly #endpoint: HttpEndpoint;
  readonly #network: Network;
  readonly #listener: ChannelListener;
  /** Where messages go; null until the server has named it. */
  #address: URL | null = null;
  /** Messages that wait for that. */
  #waiting: Waiting[] = [];
  #drop: () => void = () => undefined;
  #isGone = false;

  constructor(endpoint: HttpEndpoint, network: Network, listener: ChannelListener) {
    this.#endpoint = endpoint;
    this.#network = network;
    this.#listener = listener;
    const late = setTimeout(() => this.#leave(LATE()), OPENING_MS);
    withAccess(endpoint.access, (token) => this.#open(token, () => clearTimeout(late)))
      .catch((error: PeerError) => this.#leave(error))
      .finally(() => this.#isGone && clearTimeout(late));
  }

  write(message: string, done: (failure: PeerError | null) => void): void {
    if (!this.#address) this.#waiting.push({ message, done });
    else void this.#post(this.#address, { message, done });
  }

  async end(): Promise<void> {
    this.#leave();
  }

  /** Resolves at the head of the stream. Throws PeerError. */
  #open(token: string | null, onNamed: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const url = this.#checked(this.#endpoint.url);
      const outgoing = { method: "GET", headers: this.#headers(token, "text/event-stream") } as const;
      const drop = exchange(
        this.#network,
        url,
        { ...outgoing, body: null, lane: "held" },
        { deadlineMs: OPENING_MS, opensOnly: true, secrets: [], rpcMethod: null },
        {
          onHead: (headers) => {
            if (!isEventStream(headers)) throw badReply("The reply is not an event stream");
            if (this.#isGone) drop();
            resolve();
          },
          onText: (text) => (this.#isGone ? 1 : this.#listener.onMessage(text)),
          onNamed: (name, data) => {
            if (this.#isGone || name !== "endpoint") return;
            this.#address = this.#named(data, url);
            onNamed();
            for (const waiting of this.#waiting.splice(0)) void this.#post(this.#address, waiting);
          },
          onEventId: () => undefined,
          onEnd: () => this.#leave(),
          onError: (error) => {
            reject(error);
            this.#leave(error.reached === "no" || !this.#address ? error : undefined);
          },
        },
      );
      this.#drop = drop;
    });
  }

  /** The address that the server names. It has to be the server's own: credentials go there. */
  #named(text: string, url: URL): URL {
    if (!URL.canParse(text, url)) throw badReply("The server names no address for messages");
    const address = new URL(text, url);
    if (address.origin !== url.origin) throw badReply("The server names an address elsewhere for messages");
    return this.#checked(address);
  }

  #checked(url: string | URL): URL {
    try {
      return this.#network.checkUrl(url);
    } catch (error) {
      throw transportError(error as Error, false);
    }
  }

  #headers(token: string | null, accept: string): Record<string, string> {
    return {
      accept,
      ...this.#endpoint.headers,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
  }

  async #post(address: URL, { message, done }: Waiting): Promise<void> {
    const once = (token: string | null) =>
      new Promise<void>((resolve, reject) => {
        const headers = { ...this.#headers(token, "*/*"), "content-type": "application/json" };
        exchange(
          this.#network,
          address,
          { method: "POST", headers, body: message, lane: "held" },
          { deadlineMs: POST_MS, secrets: [], rpcMethod: null },
          {
            onHead: () => resolve(),
            onText: () => 1,
            onEventId: () => undefined,
            onEnd: () => undefined,
            onError: reject,
          },
        );
      });
    try {
      await withAccess(this.#endpoint.access, once);
      done(null);
    } catch (error) {
      const failure = error as PeerError;
      // Perhaps taken: the stream may bring the reply.
      if (failure.reached === "maybe") return done(null);
      done(failure.httpStatus === 404 ? new PeerError("session_gone", "yes", SESSION_GONE) : failure);
      if (failure.httpStatus === 404) this.#leave();
    }
  }

  #leave(why?: PeerError): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#drop();
    const failure = why?.reached === "no" ? why : new PeerError("unreachable", "no", GONE);
    for (const { done } of this.#waiting.splice(0)) done(why?.reached === "yes" ? why : failure);
    this.#listener.onGone(why);
  }
}

const LATE = () => new PeerError("timeout", "no", "The server named no address for messages in time");
