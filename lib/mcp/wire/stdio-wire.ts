/**
 * JSON-RPC over the stdin and stdout of a child process, both eras. Emulates the sessions of streamable HTTP,
 * so that callers need no second path: `initialize` returns a session id, which is gone when the child exits.
 */

import type { ServerMessage } from "../messages.ts";
import { type CallOptions, type CommandEndpoint, PeerError, type Stream } from "../peer.ts";
import { Conversation } from "./conversation.ts";
import { Deadline } from "./deadline.ts";
import {
  framed,
  type HeldHandlers,
  nextId,
  type Reply,
  type Request,
  type StreamHandlers,
  type Wire,
} from "./wire.ts";

/** A child that exits sooner than this delays the next start. */
const QUICK_DEATH_MS = 30_000;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 60_000;

/** A child and its session. */
interface Running {
  talk: Conversation;
  initialized: Promise<Reply> | null;
  /** Settles when `notifications/initialized` is written. Calls of the session wait for this promise. */
  announced: Promise<void> | null;
  /** The child was ended on purpose, with its session. */
  isOver: boolean;
}

export class StdioWire implements Wire {
  readonly kind = "stdio";
  readonly #endpoint: CommandEndpoint;
  readonly #log: (line: string, startedAt: Date) => void;
  /** Children by the session id that each serves. */
  readonly #running = new Map<string, Running>();
  #quickDeaths = 0;
  #notBefore = 0;
  #ended = false;

  constructor(endpoint: CommandEndpoint, log: (line: string, startedAt: Date) => void) {
    this.#endpoint = endpoint;
    this.#log = log;
  }

  async request(request: Request, options: CallOptions, handlers?: StreamHandlers): Promise<Reply> {
    if (request.method !== "initialize")
      return this.#ask(this.#child(request.headers), request, options, handlers);
    const running = this.#childForSession();
    // A child has one session, so later callers get the first reply.
    running.initialized ??= this.#initialize(running, request, options);
    return running.initialized;
  }

  /** Returns a child for a new session: a new child where the operator allows several. */
  #childForSession(): Running {
    const { processes = 1 } = this.#endpoint;
    const unused = [...this.#running.values()].find(({ initialized }) => initialized === null);
    if (processes === 1 || unused) return unused ?? this.#child({});
    if (this.#running.size >= processes)
      throw new PeerError("sessions_full", "no", "As many of the command run as the operator allows");
    return this.#start();
  }

  async #initialize(running: Running, request: Request, options: CallOptions): Promise<Reply> {
    try {
      const reply = await this.#ask(running, request, options);
      const accepted = "result" in (JSON.parse(reply.text) as object);
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
        onReply(text) {
          deadline.met();
          resolve({ text, id, method: request.method, headers: {} });
        },
        onGone(wasWritten) {
          deadline.met();
          reject(new PeerError("unreachable", wasWritten ? "maybe" : "no", "The command has ended"));
        },
        onServerMessage: handlers ? shown(handlers, options) : null,
      });
    });
  }

  /** Always throws, since a pipe has no events to resume from. */
  async resume(): Promise<Reply> {
    throw new PeerError("unreachable", "maybe", "The reply of a command can't be waited for again");
  }

  /** Resolves once the request is written, or at once for the standalone stream. */
  async hold(
    request: Request | { headers: Record<string, string> },
    options: CallOptions,
    handlers: HeldHandlers,
  ): Promise<Stream> {
    const { talk } = this.#child(request.headers);
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
        onReply(text) {
          try {
            handlers.onReply({ text, id, method, headers: {} });
          } catch {
            return close("failed");
          }
          close("ended");
        },
        onGone(wasWritten) {
          deadline.met();
          if (wasWritten) return close("failed");
          reject(new PeerError("unreachable", "no", "The command has ended"));
        },
      });
    });
  }

  async post(
    message: { method?: string } & Record<string, unknown>,
    headers: Record<string, string>,
    options: CallOptions,
  ): Promise<void> {
    const running = this.#child(headers);
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

  /** Ends the session's child if the operator allows several. A single child is kept. */
  async remove(headers: Record<string, string>): Promise<void> {
    const running = this.#running.get(headers["mcp-session-id"] ?? "");
    if (!running || (this.#endpoint.processes ?? 1) === 1) return;
    running.isOver = true;
    await running.talk.end();
  }

  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all([...this.#running.values()].map(({ talk }) => talk.end()));
  }

  /** Returns the child of the named session. Without a session, returns the first child or starts one. */
  #child(headers: Record<string, string>): Running {
    const session = headers["mcp-session-id"];
    if (session !== undefined) {
      const running = this.#running.get(session);
      if (running) return running;
      throw new PeerError("session_gone", "no", "The command was started anew since");
    }
    const [first] = this.#running.values();
    return first ?? this.#start();
  }

  #start(): Running {
    if (this.#ended) throw new PeerError("unreachable", "no", "The command was ended");
    const startedAt = performance.now();
    if (startedAt < this.#notBefore) {
      // Plus 1, since a timer may fire a millisecond early.
      const retryAfterMs = Math.ceil(this.#notBefore - startedAt) + 1;
      throw new PeerError("unreachable", "no", "The command ended at once and is not started again yet", {
        retryAfterMs,
      });
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
      const talk = new Conversation(this.#endpoint, this.#log, onGone);
      running = { talk, initialized: null, announced: null, isOver: false };
      this.#running.set(talk.sessionId, running);
      return running;
    } catch (error) {
      throw new PeerError("unreachable", "no", "The command could not be run", { cause: error });
    }
  }
}

function shown(handlers: StreamHandlers, { onMessage }: CallOptions): (message: ServerMessage) => void {
  return (message) => {
    onMessage?.("in", message.method, message);
    handlers.onServerMessage(message, false);
  };
}
