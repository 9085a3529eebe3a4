/**
 * The messages exchanged on one channel, a child process's pipes or the event stream of an old server: open calls, and
 * listeners for the server's own messages. A channel has no streams, so a message goes to the open call that the message
 * names, else to the standalone stream.
 */
import { INSTANT_REPLIES } from "../../limits.ts";
import { relatedTaskId, type ServerMessage, serverMessageSchema } from "../../messages.ts";
import { PeerError, type RpcId } from "../../peer.ts";
import { parseJson } from "../json.ts";

/** Carries messages in both directions, one a line. */
export interface Channel {
  /** Writes a message. `done` receives why it was certainly not taken, or null. Never called once the channel is gone. */
  write(message: string, done: (failure: PeerError | null) => void): void;
  /** Ends the channel for good. */
  end(): Promise<void>;
}

export interface ChannelListener {
  onMessage(text: string): void;
  /** Called with a line for the operator's log. */
  onLog(line: string): void;
  /** Called once; nothing is read or written afterwards. `why`: where there is more to say than that it is gone. */
  onGone(why?: PeerError): void;
}

/** Messages kept for the next listener while none is registered. */
const MAX_KEPT = 100;
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

export interface Call {
  method: string;
  params: Record<string, unknown>;
  /** Called with the reply as received. */
  onReply(text: string): void;
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
  #standalone: Listener | null = null;
  #kept: ServerMessage[] = [];
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
      onMessage: (text) => {
        try {
          this.#read(text);
        } catch (error) {
          // A message whose handler throws must not end the conversation for all others.
          this.#log(`A message could not be handled: ${(error as Error).message.slice(0, 200)}`);
        }
      },
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
        listener.onServerMessage(this.#kept.shift() as ServerMessage);
    });
    return () => {
      if (this.#standalone === listener) this.#standalone = null;
    };
  }

  end(): Promise<void> {
    return this.#channel.end();
  }

  #read(line: string): void {
    let value: unknown;
    try {
      value = parseJson(line);
    } catch {
      this.#log(`Not a message: ${line.slice(0, 200)}`);
      return;
    }
    const message = serverMessageSchema.safeParse(value).data;
    if (message) {
      this.#route(message);
      return;
    }
    const { id } = (value ?? {}) as { id?: unknown };
    const call = this.#calls.get(id as number);
    if (!call) return;
    this.#calls.delete(id as number);
    call.onReply(line);
  }

  #route(message: ServerMessage): void {
    if (message.method === "ping" && message.id !== undefined) {
      if (this.#pongs >= INSTANT_REPLIES) return;
      this.#pongs++;
      const reply = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: {} });
      this.#channel.write(reply, () => {
        this.#pongs--;
      });
      return;
    }
    const call = this.#takerOf(message);
    if (call?.onServerMessage) {
      if (message.id !== undefined) call.asked.add(message.id);
      call.onServerMessage(message);
    } else if (this.#standalone && this.#kept.length === 0) this.#standalone.onServerMessage(message);
    else if (message.id !== undefined || message.method === "notifications/cancelled") this.#keep(message);
  }

  #keep(message: ServerMessage): void {
    this.#kept.push(message);
    if (this.#kept.length > MAX_KEPT) this.#kept.shift();
  }

  /** Returns the open call that a message names. A question that names none goes to the sole listener. */
  #takerOf({ id, method, params }: ServerMessage): OpenCall | undefined {
    const listening = [...this.#calls.entries()].filter(([, call]) => call.onServerMessage !== null);
    const find = (fits: (call: OpenCall, id: number) => boolean) =>
      listening.find(([callId, call]) => fits(call, callId))?.[1];
    const meta = (params?._meta ?? {}) as Record<string, unknown>;
    if (meta[SUBSCRIPTION] !== undefined) return find((_, callId) => callId === meta[SUBSCRIPTION]);
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
