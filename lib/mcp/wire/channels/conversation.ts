/**
 * The messages exchanged on one channel, a child process's pipes or the event stream of an old server: open calls, and
 * listeners for the server's own messages. A channel has no streams, so a message goes to the open call that the message
 * names, else to the standalone stream.
 */
import { INSTANT_REPLIES, UNHANDLED_CHARACTERS } from "../../limits.ts";
import { relatedTaskId, type ServerMessage } from "../../messages.ts";
import type { RpcId } from "../../peer.ts";
import { PeerError } from "../../peer-error.ts";
import { type Incoming, type IncomingReply, incoming, ownId } from "../incoming.ts";

/** Carries messages in both directions. */
export interface Channel {
  /** Writes a message. `done` receives why it was certainly not taken, or null. Never called once the channel is gone. */
  write(message: string, done: (failure: PeerError | null) => void): void;
  /** Ends the channel for good. */
  end(): Promise<void>;
}

export interface ChannelListener {
  /** Called with a line or the data of an event. Returns how many messages it held. */
  onMessage(text: string): number;
  /** Called with a line for the operator's log. */
  onLog(line: string): void;
  /** Called once; nothing is read or written afterwards. `why`: where there is more to say than that it is gone. */
  onGone(why?: PeerError): void;
}

/** Messages kept for the next listener while none is registered, the newest. */
const MAX_KEPT = 100;
/** Of one call, the newest of the server's requests whose cancellations are passed on to it. */
const MAX_ASKED = 1_000;
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

export interface Call {
  method: string;
  params: Record<string, unknown>;
  /** Called with the reply as received, and parsed. */
  onReply(text: string, message: object): void;
  onWritten?(): void;
  /** Called when there will be no reply: `reached` says whether the server may have read the call. */
  onFailed(error: PeerError): void;
  /** Null if the caller needs only the reply. */
  onServerMessage: ((message: ServerMessage) => void) | null;
}

export interface Listener {
  onServerMessage(message: ServerMessage): void;
  onGone(): void;
}

interface OpenCall extends Call {
  written: boolean;
  /** Ids of the server's requests passed to this call, whose cancellations go to the call too. */
  asked: Set<RpcId>;
}

export class Conversation {
  /** Serves as `Mcp-Session-Id`; lives as long as the channel. */
  readonly sessionId: string;
  readonly #channel: Channel;
  readonly #calls = new Map<number, OpenCall>();
  readonly #log: (line: string) => void;
  readonly #gone: string;
  /** The call that was written last, unless another message was written after it. */
  #last: number | null = null;
  #standalone: Listener | null = null;
  #kept: { message: ServerMessage; characters: number }[] = [];
  /** Replies to pings that are still being written. */
  #pongs = 0;

  /**
   * Opens the channel. `gone`: what is said of calls whose channel is gone. `onGone` is called once, after all open calls
   * have failed.
   */
  constructor(
    {
      sessionId,
      open,
      gone,
    }: { sessionId: string; open: (listener: ChannelListener) => Channel; gone: string },
    log: (line: string, startedAt: Date) => void,
    onGone: () => void,
  ) {
    this.sessionId = sessionId;
    this.#gone = gone;
    const startedAt = new Date();
    this.#log = (line) => log(line, startedAt);
    this.#channel = open({
      onLog: this.#log,
      onMessage: (text) => this.#read(text),
      onGone: (why) => {
        for (const { written, onFailed } of this.#calls.values())
          onFailed(why ?? new PeerError("unreachable", written ? "maybe" : "no", this.#gone));
        this.#calls.clear();
        this.#standalone?.onGone();
        this.#standalone = null;
        onGone();
      },
    });
  }

  /** Writes a request. The returned function drops the call: nothing is sent, and a late reply is ignored. */
  call(id: number, text: string, call: Call): () => void {
    const open: OpenCall = { ...call, written: false, asked: new Set() };
    this.#calls.set(id, open);
    this.#last = id;
    this.#channel.write(text, (failure) => {
      if (this.#calls.get(id) !== open) return;
      if (failure) {
        this.#calls.delete(id);
        return open.onFailed(failure);
      }
      open.written = true;
      open.onWritten?.();
    });
    return () => this.#calls.delete(id);
  }

  /** Writes a message that needs no reply. */
  say(text: string): Promise<void> {
    this.#last = null;
    return new Promise((resolve, reject) => {
      this.#channel.write(text, (failure) => (failure ? reject(failure) : resolve()));
    });
  }

  /** Takes the standalone stream, or returns null if taken. The returned function releases the stream. */
  listen(listener: Listener): (() => void) | null {
    if (this.#standalone) return null;
    this.#standalone = listener;
    // Deferred, so that the caller has its stream before the first message.
    setImmediate(() => {
      while (this.#standalone === listener && this.#kept.length > 0)
        listener.onServerMessage((this.#kept.shift() as { message: ServerMessage }).message);
    });
    return () => {
      if (this.#standalone === listener) this.#standalone = null;
    };
  }

  end(): Promise<void> {
    return this.#channel.end();
  }

  /** A message whose handler throws must not end the conversation for all others. */
  #read(text: string): number {
    const handled = (handle: () => void) => {
      try {
        handle();
      } catch (error) {
        this.#log(`A message could not be handled: ${(error as Error).message.slice(0, 200)}`);
      }
    };
    let messages = 1;
    handled(() => {
      const all = incoming(text);
      messages = all.length;
      for (const one of all) handled(() => this.#take(one, text));
    });
    return messages;
  }

  #take(one: Incoming, text: string): void {
    if (one.kind === "message") this.#route(one.message, text.length);
    else if (one.kind === "reply") this.#answer(one);
    // JSON is not logged: it may be somebody's result, or a heartbeat.
    else if (one.error.cause instanceof SyntaxError) this.#log(`Not a message: ${text.slice(0, 200)}`);
  }

  #answer({ id, text, message }: IncomingReply): void {
    const own = id ?? this.#onlyOne();
    if (own === null) this.#log("An error names no request, and it can't be told which one is meant");
    const call = own === null ? undefined : this.#calls.get(own);
    if (own === null || !call) return;
    this.#calls.delete(own);
    call.onReply(text, message);
  }

  /**
   * Returns the call that an error without an id is about: the only one that waits, if nothing was written after it that
   * the server may not have been able to read. Null: any of several may be meant, and none may be failed for another.
   */
  #onlyOne(): number | null {
    return this.#calls.size === 1 && this.#last !== null && this.#calls.has(this.#last) ? this.#last : null;
  }

  #route(message: ServerMessage, characters: number): void {
    if (message.method === "ping" && message.id !== undefined) {
      if (this.#pongs >= INSTANT_REPLIES) return;
      this.#pongs++;
      const reply = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: {} });
      this.#last = null;
      this.#channel.write(reply, () => {
        this.#pongs--;
      });
      return;
    }
    const call = this.#takerOf(message);
    if (call?.onServerMessage) {
      if (message.id !== undefined) {
        call.asked.add(message.id);
        if (call.asked.size > MAX_ASKED) call.asked.delete(call.asked.values().next().value as RpcId);
      }
      call.onServerMessage(message);
    } else if (this.#standalone && this.#kept.length === 0) this.#standalone.onServerMessage(message);
    else if (message.id !== undefined || message.method === "notifications/cancelled")
      this.#keep(message, characters);
  }

  #keep(message: ServerMessage, characters: number): void {
    this.#kept.push({ message, characters });
    const isFull = () =>
      this.#kept.length > MAX_KEPT ||
      this.#kept.reduce((sum, kept) => sum + kept.characters, 0) > UNHANDLED_CHARACTERS;
    while (isFull()) this.#kept.shift();
  }

  /** Returns the open call that a message names. A question that names none goes to the sole listener, whose own it need not be. */
  #takerOf({ id, method, params }: ServerMessage): OpenCall | undefined {
    const listening = [...this.#calls.entries()].filter(([, call]) => call.onServerMessage !== null);
    const find = (fits: (call: OpenCall, id: number) => boolean) =>
      listening.find(([callId, call]) => fits(call, callId))?.[1];
    const meta = (params?._meta ?? {}) as Record<string, unknown>;
    if (meta[SUBSCRIPTION] !== undefined) return find((_, callId) => callId === ownId(meta[SUBSCRIPTION]));
    if (method === "notifications/cancelled")
      return find((call) => call.asked.has(params?.requestId as RpcId));
    const taskId = relatedTaskId(meta);
    if (taskId !== null) return find((call) => call.params.taskId === taskId);
    if (method === "notifications/progress") {
      return find((call) => progressTokenOf(call) === params?.progressToken);
    }
    return id !== undefined && listening.length === 1 ? listening[0]?.[1] : undefined;
  }
}

function progressTokenOf({ params }: Call): unknown {
  return (params._meta as Record<string, unknown> | undefined)?.progressToken;
}
