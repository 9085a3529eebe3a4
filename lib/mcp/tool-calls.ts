/** Calls of tools that answer at once, in a session of their own where the era has sessions. */
import { randomUUID } from "node:crypto";
import type { CallOptions, Peer, Session, StreamListener } from "./peer.ts";
import { PeerError } from "./peer-error.ts";

export interface ToolCall {
  tool: string;
  arguments: Record<string, unknown>;
  /** From the tool's listing: 2026-07-28 repeats arguments marked `x-mcp-header` in headers. */
  inputSchema?: Record<string, unknown> | null;
  /** Names the call for servers that honour it; a new one by default. */
  idempotencyKey?: string;
}

export class ToolCalls {
  #peer: () => Promise<Peer>;
  #session: Promise<Session | null> | null = null;

  /** `peer`: of the server, asked for at every call. */
  constructor(peer: () => Promise<Peer>) {
    this.#peer = peer;
  }

  /**
   * Returns the reply to `tools/call`. `options.deadlineMs` covers a session that has to be opened first, too. Throws
   * PeerError: as `Peer.start`; `rejected` if the tool asks before it answers, and `bad_reply` if it makes a task.
   */
  async call(call: ToolCall, options: CallOptions): Promise<Record<string, unknown>> {
    const peer = await this.#peer();
    const before = this.#session;
    const session = await this.#open(peer, options);
    try {
      return await callOnce(peer, session, call, options);
    } catch (error) {
      if (!(error instanceof PeerError) || error.code !== "session_gone") throw error;
      if (this.#session === before) this.#session = null;
      // The server no longer knows the session, so it did not take the call. Only a session opened earlier can have ended.
      if (before === null) throw error;
      // Another call that found out may have opened a new one.
      return callOnce(peer, await this.#open(peer, options), call, options);
    }
  }

  /** Ends the session, if one is open. */
  async close(options: CallOptions): Promise<void> {
    const session = this.#session;
    this.#session = null;
    if (session) await (await this.#peer()).close(await session, options);
  }

  #open(peer: Peer, options: CallOptions): Promise<Session | null> {
    if (this.#session) return this.#session;
    const opened = peer.open({ ...options, replyWithinMs: undefined }).catch((error: unknown) => {
      if (this.#session === opened) this.#session = null;
      // Nothing but a session was asked for.
      throw error instanceof PeerError && error.reached === "maybe"
        ? new PeerError(error.code, "no", error.message, { cause: error })
        : error;
    });
    this.#session = opened;
    return opened;
  }
}

async function callOnce(
  peer: Peer,
  session: Session | null,
  { tool, arguments: args, inputSchema, idempotencyKey = randomUUID() }: ToolCall,
  options: CallOptions,
): Promise<Record<string, unknown>> {
  const outcome = await peer.start(
    session,
    {
      tool,
      arguments: args,
      taskSupport: "forbidden",
      ttlMs: null,
      idempotencyKey,
      ...(inputSchema && { inputSchema }),
    },
    DEAF,
    options,
  );
  if (outcome.kind === "result" && typeof outcome.result === "object" && outcome.result !== null)
    return outcome.result as Record<string, unknown>;
  // A tool that asks first has done nothing yet; one that made a task works on.
  if (outcome.kind === "input_required")
    throw new PeerError("rejected", "yes", "The tool asks before it answers", {
      rpcError: { code: ASKS_FIRST, message: `The tool ${tool} asks before it answers.` },
    });
  throw new PeerError("bad_reply", "yes", `The tool ${tool} does not answer at once`);
}

/** Intray's own, where a server's error would stand. */
const ASKS_FIRST = -32000;

/** Hears nothing. Questions on such a call's stream have nobody to be asked: the tool's deadline ends them. */
export const DEAF: StreamListener = {
  onQuestion: () => undefined,
  onRetracted: () => undefined,
  onStatus: () => undefined,
  onProgress: () => undefined,
  onEventId: () => undefined,
  onClosed: () => undefined,
};
