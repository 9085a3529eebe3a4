/**
 * JSON-RPC over streamable HTTP, both eras: one POST, one reply, framed as JSON or as an event stream.
 * It knows no methods: the peers bring headers and messages, and say what to do with what the server sends.
 * Nothing is sent but what a peer asked for: no `notifications/cancelled`, no DELETE, no reconnects.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import type { Lane, Network } from "../network.ts";
import { underOneDeadline } from "./client.ts";
import { badReply, rpcFailure, transportError } from "./errors.ts";
import { type ExchangeHandlers, exchange, isEventStream } from "./exchange.ts";
import { asServerMessage, replySchema, type ServerMessage } from "./messages.ts";
import { type CallOptions, type HttpEndpoint, PeerError } from "./peer.ts";

export interface Request {
  method: string;
  params: Record<string, unknown>;
  headers: Record<string, string>;
  /** `held` for calls with side effects and for streams: a connection of their own. Default `call`: only reads. */
  lane?: Lane;
}

export interface Reply {
  /** The JSON-RPC message as received. */
  text: string;
  /** The id that was sent with the request. */
  id: number;
  method: string;
  headers: IncomingHttpHeaders;
}

/** What else may come on the stream of a reply. */
export interface StreamHandlers {
  onServerMessage(message: ServerMessage): void;
  onEventId(eventId: string): void;
}

export interface HeldHandlers extends StreamHandlers {
  /** The reply to the request that opened the stream. */
  onReply(reply: Reply): void;
  /** Once, whoever ended it. */
  onClosed(reason: "closed_here" | "ended" | "failed"): void;
}

export class Wire {
  private readonly endpoint: HttpEndpoint;
  private readonly network: Network;
  private url: URL | null = null;

  constructor(endpoint: HttpEndpoint, network: Network) {
    this.endpoint = endpoint;
    this.network = network;
  }

  /** Sends one request and resolves with its reply, unparsed. Throws PeerError. */
  async request(request: Request, options: CallOptions, handlers?: StreamHandlers): Promise<Reply> {
    const next = underOneDeadline(options);
    try {
      return await this.attempt(request, options, handlers);
    } catch (error) {
      // A server may close a kept connection just as it is used again. What only reads is then sent once more.
      if (request.lane === "held" || !wasCutOff(error)) throw error;
      return this.attempt(request, next(), handlers);
    }
  }

  private attempt(request: Request, options: CallOptions, handlers?: StreamHandlers): Promise<Reply> {
    const id = nextId();
    return new Promise((resolve, reject) => {
      let headers: IncomingHttpHeaders = {};
      this.exchange("POST", request, framed(request, id, options), options, {
        onHead: (received) => {
          headers = received;
        },
        onText: (text) => {
          const message = asServerMessage(text);
          if (!message) return resolve({ text, id, method: request.method, headers });
          options.onMessage?.("in", message.method, message);
          handlers?.onServerMessage(message);
        },
        onEventId: (eventId) => handlers?.onEventId(eventId),
        // After the reply this has no effect.
        onEnd: () =>
          reject(
            isEventStream(headers)
              ? new PeerError("unreachable", "maybe", "The stream ended before the reply")
              : badReply("The reply is empty"),
          ),
        onError: reject,
      });
    });
  }

  /** Sends one request and resolves with its parsed result. Throws PeerError: the server's error, or `bad_reply`. */
  async result<T>(
    request: Request,
    schema: z.ZodType<T>,
    options: CallOptions,
    handlers?: StreamHandlers,
  ): Promise<T> {
    return readResult(await this.request(request, options, handlers), schema, options);
  }

  /**
   * Opens a stream that stays, by a request or by GET. Resolves at the head of the event stream, and the deadline
   * covers no more than that; or, where the reply is plain JSON, at its end. What `onReply` throws fails the stream.
   */
  hold(request: Request | { headers: Record<string, string> }, options: CallOptions, handlers: HeldHandlers) {
    const id = nextId();
    const method = "method" in request ? request.method : null;
    return new Promise<{ close(): void }>((resolve, reject) => {
      let isOpen = false;
      let isClosed = false;
      const close = (reason: "closed_here" | "ended" | "failed") => {
        if (isClosed) return;
        isClosed = true;
        handlers.onClosed(reason);
      };
      // Head and end may come in one packet: the opener has its stream before it hears of the end.
      const end = (reason: "ended" | "failed") => setImmediate(close, reason);
      const body = "method" in request ? framed(request, id, options) : null;
      const open = () => {
        isOpen = true;
        resolve({
          close: () => {
            close("closed_here");
            drop();
          },
        });
      };
      const drop = this.exchange(
        method === null ? "GET" : "POST",
        { headers: request.headers, lane: "held", method },
        body,
        { ...options, opensOnly: true },
        {
          onHead: (headers) => {
            if (isEventStream(headers)) open();
            else if (method === null) throw badReply("The reply is not an event stream");
          },
          onText: (text) => {
            if (isClosed) return;
            const message = asServerMessage(text);
            if (message) {
              options.onMessage?.("in", message.method, message);
              handlers.onServerMessage(message);
            } else if (method !== null) handlers.onReply({ text, id, method, headers: {} });
          },
          onEventId: (eventId) => isClosed || handlers.onEventId(eventId),
          onEnd: () => {
            open();
            end("ended");
          },
          onError: (error) => (isOpen ? end("failed") : reject(error)),
        },
      );
    });
  }

  /** Sends a notification or a response of ours; resolves at the 2xx, whose body is not read. */
  post(
    message: { method?: string } & Record<string, unknown>,
    headers: Record<string, string>,
    options: CallOptions,
  ) {
    const full = { jsonrpc: "2.0", ...message };
    options.onMessage?.("out", message.method ?? "response", full);
    return this.whole("POST", headers, JSON.stringify(full), options);
  }

  /** DELETE of a session. */
  remove(headers: Record<string, string>, options: CallOptions): Promise<void> {
    return this.whole("DELETE", headers, null, options);
  }

  async end(): Promise<void> {}

  private whole(
    verb: "POST" | "DELETE",
    headers: Record<string, string>,
    body: string | null,
    options: CallOptions,
  ) {
    return new Promise<void>((resolve, reject) => {
      this.exchange(verb, { headers, lane: "held", method: null }, body, options, {
        onHead: () => resolve(),
        onText: () => {},
        onEventId: () => {},
        onEnd: () => {},
        onError: reject,
      });
    });
  }

  private exchange(
    verb: "GET" | "POST" | "DELETE",
    {
      headers,
      lane = "call",
      method,
    }: { headers: Record<string, string>; lane?: Lane; method: string | null },
    body: string | null,
    options: CallOptions & { opensOnly?: boolean },
    handlers: ExchangeHandlers,
  ) {
    try {
      this.url ??= this.network.checkUrl(this.endpoint.url);
    } catch (error) {
      throw transportError(error as Error, false);
    }
    const all = {
      accept: verb === "GET" ? "text/event-stream" : "application/json, text/event-stream",
      ...(body === null ? {} : { "content-type": "application/json" }),
      ...this.endpoint.headers,
      ...headers,
    };
    const { deadlineMs, signal, opensOnly } = options;
    const outgoing = { method: verb, headers: all, body, lane };
    return exchange(
      this.network,
      this.url,
      outgoing,
      { deadlineMs, signal, opensOnly, rpcMethod: method },
      handlers,
    );
  }
}

/** The reply's result. Throws PeerError: the server's error by its meaning for the method, or `bad_reply`. */
export function readResult<T>(reply: Reply, schema: z.ZodType<T>, options: CallOptions): T {
  let message: unknown;
  try {
    message = JSON.parse(reply.text);
  } catch (error) {
    throw badReply("The reply is not JSON", error);
  }
  options.onMessage?.("in", reply.method, message);
  const { data, error } = replySchema.safeParse(message);
  if (error) throw badReply("The reply is not JSON-RPC", error);
  if (data.error) throw rpcFailure(data.error, reply.method);
  if (data.id !== reply.id) throw badReply("The reply is to another request");
  return parseResult(reply.method, schema, data.result);
}

/** The value as the schema has it. Throws PeerError `bad_reply`. */
export function parseResult<T>(method: string, schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value);
  if (error) throw badReply(`The result of ${method} is not what the protocol says`, error);
  return data as T;
}

function wasCutOff(error: unknown): boolean {
  const cause = error instanceof PeerError && error.code === "unreachable" ? error.cause : null;
  return cause instanceof Error && CUT_OFF.has((cause as NodeJS.ErrnoException).code ?? "");
}

const CUT_OFF = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

let lastId = 1_000_000_000 + Math.floor(Math.random() * 1_000_000_000);

/**
 * Ten digits, so that an id can be cut out of a reply's text without parsing it; below 2^31 for servers with small
 * integers. Starts at random: the next process on the same session must not repeat the ids of the last.
 */
function nextId(): number {
  lastId = lastId >= 2_147_483_647 ? 1_000_000_000 : lastId + 1;
  return lastId;
}

function framed(request: Request, id: number, options: CallOptions): string {
  const message = { jsonrpc: "2.0", id, method: request.method, params: request.params };
  options.onMessage?.("out", request.method, message);
  return JSON.stringify(message);
}
