/**
 * JSON-RPC over channels that carry all messages of a session: the pipes of a child process (stdio-wire.ts), or the event stream
 * of an old server (sse-wire.ts). Emulates the sessions of streamable HTTP, so that callers need no second path: `initialize`
 * returns a session id, which is gone when its channel is.
 */

import type { ServerMessage } from "../../messages.ts";
import type { CallOptions, Stream } from "../../peer.ts";
import { PeerError } from "../../peer-error.ts";
import { Deadline } from "../deadline.ts";
import {
  framed,
  type HeldHandlers,
  nextId,
  type Reply,
  type Request,
  type StreamHandlers,
  type Wire,
} from "../wire.ts";
import { type Channel, type ChannelListener, Conversation } from "./conversation.ts";

/** A channel that ends sooner than this delays the next one. */
const QUICK_DEATH_MS = 30_000;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 60_000;

/** A channel and its session. */
interface Running {
  talk: Conversation;
  initialized: Promise<Reply> | null;
  /** Settles when `notifications/initialized` is written. Calls of the session wait for this promise. */
  announced: Promise<void> | null;
  /** The channel was ended on purpose, with its session. */
  isOver: boolean;
}

/** How channels are opened, and what is said of them. */
export interface Channels {
  open(listener: ChannelListener): Channel;
  newSessionId(): string;
  /** How many may be open at a time, each with a session of its own; with one, all sessions are the same. */
  most: number;
  words: {
    gone: string;
    sessionGone: string;
    full: string;
    ended: string;
    failed: string;
    paused: string;
    noResume: string;
  };
}

export abstract class ConversationWire implements Wire {
  abstract readonly kind: Wire["kind"];
  readonly #channels: Channels;
  readonly #log: (line: string, startedAt: Date) => void;
  /** By the session id that each serves. */
  readonly #running = new Map<string, Running>();
  #quickDeaths = 0;
  #notBefore = 0;
  #ended = false;

  constructor(channels: Channels, log: (line: string, startedAt: Date) => void) {
    this.#channels = channels;
    this.#log = log;
  }

  async request(request: Request, options: CallOptions, handlers?: StreamHandlers): Promise<Reply> {
    if (request.method !== "initialize")
      return this.#ask(this.#of(request.headers), request, options, handlers);
    const running = this.#forSession();
    // A channel has one session, so later callers get the first reply.
    running.initialized ??= this.#initialize(running, request, options);
    return running.initialized;
  }

  /** Returns a channel for a new session: a new one where there may be several. */
  #forSession(): Running {
    const { most, words } = this.#channels;
    const unused = [...this.#running.values()].find(({ initialized }) => initialized === null);
    if (most === 1 || unused) return unused ?? this.#of({});
    if (this.#running.size >= most) throw new PeerError("sessions_full", "no", words.full);
    return this.#start();
  }

  async #initialize(running: Running, request: Request, options: CallOptions): Promise<Reply> {
    try {
      const reply = await this.#ask(running, request, options);
      const accepted = reply.message !== undefined && "result" in reply.message;
      if (!accepted) running.initialized = null;
      return accepted ? { ...reply, headers: { "mcp-session-id": running.talk.sessionId } } : reply;
    } catch (error) {
      running.initialized = null;
      throw error;
    }
  }

  #ask(running: Running, request: Request, options: CallOptions, handlers?: StreamHandlers): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const id = nextId();
      const deadline = new Deadline(options, (error) => {
        forget();
        reject(error);
      });
      request.onId?.(id);
      const forget = running.talk.call(id, framed(request, id, options), {
        method: request.method,
        params: request.params,
        onWritten: () => deadline.written(),
        onReply(text, message) {
          deadline.met();
          resolve({ text, message, id, method: request.method, headers: {} });
        },
        onFailed(error) {
          deadline.met();
          reject(error);
        },
        onServerMessage: handlers ? shown(handlers, options) : null,
      });
    });
  }

  /** Always throws, since a channel has no events to resume from. */
  async resume(): Promise<Reply> {
    throw new PeerError("unreachable", "maybe", this.#channels.words.noResume);
  }

  /** Resolves once the request is written, or at once for the standalone stream. */
  async hold(
    request: Request | { headers: Record<string, string> },
    options: CallOptions,
    handlers: HeldHandlers,
  ): Promise<Stream> {
    const { talk } = this.#of(request.headers);
    let isClosed = false;
    let leave = () => {};
    const close = (reason: "closed_here" | "ended" | "failed") => {
      if (isClosed) return;
      isClosed = true;
      leave();
      handlers.onClosed(reason);
    };
    const stream = { close: () => close("closed_here") };
    const onServerMessage = shown(handlers, options);
    if (!("method" in request)) {
      const left = talk.listen({ onServerMessage, onGone: () => close("failed") });
      if (!left)
        throw new PeerError("rejected", "yes", "There is such a stream already", { httpStatus: 409 });
      leave = left;
      return stream;
    }
    return new Promise((resolve, reject) => {
      const id = nextId();
      const deadline = new Deadline(options, (error) => {
        leave();
        reject(error);
      });
      request.onId?.(id);
      const { method, params } = request;
      leave = talk.call(id, framed(request, id, options), {
        method,
        params,
        onServerMessage,
        onWritten() {
          deadline.met();
          resolve(stream);
        },
        onReply(text, message) {
          try {
            handlers.onReply({ text, message, id, method, headers: {} });
          } catch {
            return close("failed");
          }
          close("ended");
        },
        onFailed(error) {
          deadline.met();
          if (error.reached !== "no") close("failed");
          reject(error); // does nothing once the stream was open
        },
      });
    });
  }

  async post(
    message: { method?: string } & Record<string, unknown>,
    headers: Record<string, string>,
    options: CallOptions,
  ): Promise<void> {
    const running = this.#of(headers);
    if (message.method !== "notifications/initialized") return this.#say(running, message, options);
    running.announced ??= this.#say(running, message, options).catch((error: unknown) => {
      running.announced = null;
      throw error;
    });
    return running.announced;
  }

  async #say(
    running: Running,
    message: { method?: string } & Record<string, unknown>,
    options: CallOptions,
  ): Promise<void> {
    const full = { jsonrpc: "2.0", ...message };
    return new Promise((resolve, reject) => {
      const deadline = new Deadline(options, reject);
      options.onMessage?.("out", message.method ?? "response", full);
      running.talk
        .say(JSON.stringify(full))
        .then(resolve, reject)
        .finally(() => deadline.met());
    });
  }

  /** Ends the session's channel if there may be several. A single one is kept. */
  async remove(headers: Record<string, string>): Promise<void> {
    const running = this.#running.get(headers["mcp-session-id"] ?? "");
    if (!running || this.#channels.most === 1) return;
    running.isOver = true;
    await running.talk.end();
  }

  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all([...this.#running.values()].map(({ talk }) => talk.end()));
  }

  /** Returns the channel of the named session. Without a session, returns the first one or opens one. */
  #of(headers: Record<string, string>): Running {
    const session = headers["mcp-session-id"];
    if (session !== undefined) {
      const running = this.#running.get(session);
      if (running) return running;
      throw new PeerError("session_gone", "no", this.#channels.words.sessionGone);
    }
    const [first] = this.#running.values();
    return first ?? this.#start();
  }

  #start(): Running {
    const { open, newSessionId, words } = this.#channels;
    if (this.#ended) throw new PeerError("unreachable", "no", words.ended);
    const startedAt = performance.now();
    if (startedAt < this.#notBefore) {
      // Plus 1, since a timer may fire a millisecond early.
      const retryAfterMs = Math.ceil(this.#notBefore - startedAt) + 1;
      throw new PeerError("unreachable", "no", words.paused, { retryAfterMs });
    }
    let running: Running | null = null;
    const onGone = () => {
      if (running) this.#running.delete(running.talk.sessionId);
      if (running?.isOver) return;
      const now = performance.now();
      this.#quickDeaths = now - startedAt < QUICK_DEATH_MS ? this.#quickDeaths + 1 : 0;
      if (this.#quickDeaths > 0)
        this.#notBefore = now + Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.#quickDeaths - 1));
    };
    try {
      const channel = { sessionId: newSessionId(), open, gone: words.gone };
      const talk = new Conversation(channel, this.#log, onGone);
      running = { talk, initialized: null, announced: null, isOver: false };
      this.#running.set(talk.sessionId, running);
      return running;
    } catch (error) {
      throw new PeerError("unreachable", "no", words.failed, { cause: error });
    }
  }
}

function shown(handlers: StreamHandlers, { onMessage }: CallOptions): (message: ServerMessage) => void {
  return (message) => {
    onMessage?.("in", message.method, message);
    handlers.onServerMessage(message, "channel");
  };
}
