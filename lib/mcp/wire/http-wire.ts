/** JSON-RPC over streamable HTTP, both eras: one POST, one reply, framed as JSON or as an event stream. */
import type { IncomingHttpHeaders } from "node:http";
import type { Network } from "../../base/network/network.ts";
import type { Lane } from "../../base/network/send.ts";
import { underOneDeadline } from "../client.ts";
import { badReply, transportError } from "../errors.ts";
import type { CallOptions, HttpEndpoint, Stream } from "../peer.ts";
import { PeerError } from "../peer-error.ts";
import { type ExchangeHandlers, exchange, isEventStream, withAccess } from "./exchange.ts";
import { Reader } from "./incoming.ts";
import { brokeOff, followReply, type Get, type Place } from "./resume.ts";
import {
  framed,
  type HeldHandlers,
  nextId,
  type Reply,
  type Request,
  type SentCall,
  type StreamHandlers,
  type Wire,
} from "./wire.ts";

export class HttpWire implements Wire {
  readonly kind = "http";
  private readonly endpoint: HttpEndpoint;
  private readonly network: Network;
  private url: URL | null = null;

  constructor(endpoint: HttpEndpoint, network: Network) {
    this.endpoint = endpoint;
    this.network = network;
  }

  request(request: Request, options: CallOptions, handlers?: StreamHandlers): Promise<Reply> {
    const next = underOneDeadline(options);
    return withAccess(this.endpoint.access, (token) => this.requestWith(token, request, next(), handlers));
  }

  private async requestWith(
    token: string | null,
    request: Request,
    options: CallOptions,
    handlers?: StreamHandlers,
  ): Promise<Reply> {
    const next = underOneDeadline(options);
    const endsAt = endOf(options);
    const place: Place = { lastEventId: null, retryMs: null };
    const id = nextId();
    try {
      return await this.attempt(token, id, request, options, place, handlers);
    } catch (error) {
      // A server may close a kept connection just as it is used again. What only reads is then sent once more.
      if (request.lane !== "held" && wasCutOff(error)) {
        return this.attempt(token, nextId(), request, next(), place, handlers);
      }
      if (!request.resumes || place.lastEventId === null || !brokeOff(error)) throw error;
      const { method, headers } = request;
      return this.follow(
        { id, method, headers, lastEventId: place.lastEventId },
        place,
        options,
        endsAt,
        handlers,
      );
    }
  }

  private attempt(
    token: string | null,
    id: number,
    request: Request,
    options: CallOptions,
    place: Place,
    handlers?: StreamHandlers,
  ) {
    request.onId?.(id);
    return new Promise<Reply>((resolve, reject) => {
      let headers: IncomingHttpHeaders = {};
      const { method, known } = request;
      const reader = new Reader({ id, method, known }, options, {
        onServerMessage: (message) => handlers?.onServerMessage(message, "stream"),
        onReply: (answer) => {
          resolve({ ...answer, headers });
          // Such a deadline is too far away to end what a server leaves open.
          if (options.replyWithinMs !== undefined) drop();
        },
      });
      const drop = this.exchange("POST", token, request, framed(request, id, options), options, {
        onHead: (received) => {
          headers = received;
        },
        onText: (text) => reader.read(text),
        // Some servers send the errors of JSON-RPC under this name, and the official clients wait on.
        onNamed: (name, data) => name === "error" && reader.readReply(data),
        onUnfinished: (data) => reader.readReply(data),
        onEventId: (eventId) => {
          place.lastEventId = eventId;
          handlers?.onEventId(eventId);
        },
        onRetry: (afterMs) => {
          place.retryMs = afterMs;
        },
        // An error takes longer to make than all the rest of a poll.
        onEnd: () => {
          reader.end();
          if (!reader.isAnswered) reject(unanswered(headers, reader, place));
        },
        onError: reject,
      });
    });
  }

  resume(call: SentCall, options: CallOptions, handlers: StreamHandlers): Promise<Reply> {
    const place: Place = { lastEventId: call.lastEventId, retryMs: 0 };
    return this.follow(call, place, options, endOf(options), handlers);
  }

  private follow(
    call: SentCall,
    place: Place,
    options: CallOptions,
    endsAt: number,
    handlers?: StreamHandlers,
  ): Promise<Reply> {
    const goOn = <T>(run: (get: Get) => Promise<T>) =>
      withAccess(this.endpoint.access, (token) =>
        run((headers, getOptions, getHandlers) =>
          this.exchange("GET", token, { headers, lane: "held", method: null }, null, getOptions, getHandlers),
        ),
      );
    return followReply(goOn, call, place, options, endsAt, handlers);
  }

  /** Resolves at the head of the event stream; or, where the reply is plain JSON, at its end. */
  hold(
    request: Request | { headers: Record<string, string> },
    options: CallOptions,
    handlers: HeldHandlers,
  ): Promise<Stream> {
    const next = underOneDeadline(options);
    return withAccess(this.endpoint.access, (token) => this.holdWith(token, request, next(), handlers));
  }

  private holdWith(
    token: string | null,
    request: Request | { headers: Record<string, string> },
    options: CallOptions,
    handlers: HeldHandlers,
  ): Promise<Stream> {
    const id = nextId();
    if ("method" in request) request.onId?.(id);
    const method = "method" in request ? request.method : null;
    const via = "last-event-id" in request.headers ? "replay" : "stream";
    return new Promise((resolve, reject) => {
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
      const reader = new Reader(method === null ? null : { id, method }, options, {
        onServerMessage: (message) => handlers.onServerMessage(message, via),
        onReply: (answer) => handlers.onReply({ ...answer, headers: {} }),
      });
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
        token,
        { headers: request.headers, lane: "held", method },
        body,
        { ...options, replyWithinMs: undefined, opensOnly: true },
        {
          onHead: (headers) => {
            if (isEventStream(headers)) open();
            else if (method === null) throw badReply("The reply is not an event stream");
          },
          onText: (text) => (isClosed ? 1 : reader.read(text)),
          onNamed: (name, data) => isClosed || (name === "error" && reader.readReply(data)),
          onUnfinished: (data) => isClosed || reader.readReply(data),
          onEventId: (eventId) => isClosed || handlers.onEventId(eventId),
          onEnd: () => {
            if (!isClosed) reader.end();
            // A body without a reply; a stream may be opened again.
            if (!isOpen && reader.odd && !reader.isAnswered) return reject(reader.odd);
            open();
            end("ended");
          },
          onError: (error) => (isOpen ? end("failed") : reject(error)),
        },
      );
    });
  }

  /** Resolves at the 2xx, whose body is not read. */
  post(
    message: { method?: string } & Record<string, unknown>,
    headers: Record<string, string>,
    options: CallOptions,
  ) {
    const full = { jsonrpc: "2.0", ...message };
    options.onMessage?.("out", message.method ?? "response", full);
    const next = underOneDeadline(options);
    return withAccess(this.endpoint.access, (token) =>
      this.headOf("POST", token, headers, JSON.stringify(full), next()),
    );
  }

  /** DELETE of a session. A refusal says nothing about the token, and none is made anew for it. */
  async remove(headers: Record<string, string>, options: CallOptions): Promise<void> {
    const { access } = this.endpoint;
    const token = access?.current() ?? null;
    if (!access || token !== null) await this.headOf("DELETE", token, headers, null, options);
  }

  async end(): Promise<void> {}

  private headOf(
    verb: "POST" | "DELETE",
    token: string | null,
    headers: Record<string, string>,
    body: string | null,
    options: CallOptions,
  ) {
    return new Promise<void>((resolve, reject) => {
      this.exchange(verb, token, { headers, lane: "held", method: null }, body, options, {
        onHead: () => resolve(),
        onText: () => 1,
        onEventId: () => {},
        onEnd: () => {},
        onError: reject,
      });
    });
  }

  private exchange(
    verb: "GET" | "POST" | "DELETE",
    token: string | null,
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
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    };
    const { deadlineMs, replyWithinMs, signal, opensOnly, secrets = () => [] } = options;
    const outgoing = { method: verb, headers: all, body, lane };
    return exchange(
      this.network,
      this.url,
      outgoing,
      { deadlineMs, replyWithinMs, signal, opensOnly, secrets: secrets(), rpcMethod: method },
      handlers,
    );
  }
}

/** Why an exchange ended without a reply. What a stream with event ids says before it breaks off is no reply yet. */
function unanswered(headers: IncomingHttpHeaders, { odd }: Reader, { lastEventId }: Place): PeerError {
  if (odd && lastEventId === null) return odd;
  return isEventStream(headers)
    ? new PeerError("unreachable", "maybe", "The stream ended before the reply")
    : badReply("The reply is empty");
}

function wasCutOff(error: unknown): boolean {
  const cause = error instanceof PeerError && error.code === "unreachable" ? error.cause : null;
  return cause instanceof Error && CUT_OFF.has((cause as NodeJS.ErrnoException).code ?? "");
}

const CUT_OFF = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

const endOf = ({ deadlineMs, replyWithinMs = 0 }: CallOptions) =>
  performance.now() + deadlineMs + replyWithinMs;
