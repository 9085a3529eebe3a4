/**
 * The messages exchanged with one child process: open calls, and listeners for the child's own messages. A
 * pipe has no streams, so a message goes to the open call that the message names, else to the standalone
 * stream.
 */
import { randomUUID } from "node:crypto";
import { INSTANT_REPLIES } from "../limits.ts";
import { relatedTaskId, type ServerMessage, serverMessageSchema } from "../messages.ts";
import { type CommandEndpoint, PeerError, type RpcId } from "../peer.ts";
import { Child } from "./child.ts";
import { parseJson } from "./json.ts";

/** Messages kept for the next listener while none is registered. */
const MAX_KEPT = 100;
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

export interface Call {
  method: string;
  params: Record<string, unknown>;
  /** Called with the reply as received. */
  onReply(text: string): void;
  onWritten?(): void;
  /** Called when the child has exited. `written`: the child may have read the call. */
  onGone(written: boolean): void;
  /** Null if the caller needs only the reply. */
  onServerMessage: ((message: ServerMessage) => void) | null;
}

export interface Listener {
  onServerMessage(message: ServerMessage): void;
  onGone(): void;
}

interface OpenCall extends Call {
  written: boolean;
  /** Ids of the child's requests passed to this call, whose cancellations go to the call too. */
  asked: Set<RpcId>;
}

export class Conversation {
  /** Serves as `Mcp-Session-Id`; lives as long as the child. */
  readonly sessionId = randomUUID();
  readonly #child: Child;
  readonly #calls = new Map<number, OpenCall>();
  readonly #log: (line: string) => void;
  #standalone: Listener | null = null;
  #kept: ServerMessage[] = [];
  /** Replies to pings that are still being written. */
  #pongs = 0;

  /** Starts the child. `onGone` is called once, after all open calls have failed. */
  constructor(endpoint: CommandEndpoint, log: (line: string, startedAt: Date) => void, onGone: () => void) {
    const startedAt = new Date();
    this.#log = (line) => log(line, startedAt);
    this.#child = new Child(endpoint, {
      onLog: this.#log,
      onLine: (line) => {
        try {
          this.#readLine(line);
        } catch (error) {
          // A message whose handler throws must not end the conversation for all others.
          this.#log(`A message could not be handled: ${(error as Error).message.slice(0, 200)}`);
        }
      },
      onGone: () => {
        for (const call of this.#calls.values()) call.onGone(call.written);
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
    this.#child.write(text, (written) => {
      open.written = written;
      if (written && this.#calls.get(id) === open) open.onWritten?.();
    });
    return () => this.#calls.delete(id);
  }

  /** Writes a message that needs no reply. */
  say(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#child.write(text, (written) =>
        written ? resolve() : reject(new PeerError("unreachable", "no", "The command has ended")),
      );
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
    return this.#child.end();
  }

  #readLine(line: string): void {
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
      this.#child.write(reply, () => {
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
