/**
 * What the engine needs of an MCP server, whatever era it speaks. Peers hold no database, no timers of their
 * own and no state between calls: the caller keeps sessions, handles and questions, and decides when to call.
 *
 * Implementations: peer-2025-11-25.ts, peer-2026-07-28.ts, and for recipes `RecipePeer` (lib/servers/recipes/peer.ts).
 */

import type { ResourcePart } from "./resources.ts";

export const ERAS = ["2025-11-25", "2026-07-28"] as const;
export type Era = (typeof ERAS)[number];

/** A server's address and the credentials that go with every call to it. */
export interface HttpEndpoint {
  url: string;
  /** Sent as is, e.g. `{authorization: "Bearer …"}`. Never logged. */
  headers: Record<string, string>;
  /** Where tokens expire: the one that goes with each request. */
  access?: Access;
}

/** Tokens that expire, are renewed, and can be taken away while a wire is open. */
export interface Access {
  /** The token to send now, from memory; null: ask `fresh()` first. */
  current(): string | null;
  /** A token that may be sent. Throws PeerError: `unauthorized` where a person has to sign in, else `unreachable`. */
  fresh(): Promise<string>;
  /** The server refused this token (401). True: there is another one now, so the call may be made once more. */
  refused(token: string): Promise<boolean>;
  /** It refused the one after that too, or wants more rights (403): only a person can help. */
  exhausted(token: string, neededScope: string | null): Promise<void>;
  /** What is in memory may be out of date. */
  forget(): void;
}

/** A program of the operator's that speaks MCP on its stdin and stdout. `env` may hold secrets: never logged. */
export interface CommandEndpoint {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** As many run at a time for one connection, each with a session of its own; without it all sessions are one child's. */
  processes?: number;
}

export type Endpoint = HttpEndpoint | CommandEndpoint;

/** A protocol session of 2025-11-25. `2026-07-28` is stateless and has none. */
export interface Session {
  /** The server's `Mcp-Session-Id`, or null where the server issues none. A secret. */
  id: string | null;
  protocolVersion: string;
  /** Last SSE event id seen on a stream of this session, for `Last-Event-ID`. */
  lastEventId: string | null;
  /** Intray has declared in this session that questions may be put as tasks. */
  takesTasks?: boolean;
}

/** Where one task lives at its server. `taskId` may be a bearer secret: sealed at rest, never in URLs or logs. */
export interface TaskRef {
  taskId: string;
  session: Session | null;
}

type RemoteStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** A JSON-RPC id, with its type: 0 and "0" are different questions. */
export type RpcId = string | number;

/** Where an answer to a question has to go. `original`: the server's key, where `key` stands for one that can't be kept. */
export type AskAddress = { kind: "key"; key: string; original?: string } | { kind: "rpc"; rpcId: RpcId };

/** An elicitation as received; `requestedSchema` and `url` untouched. A missing mode is `form`. */
export interface Question {
  address: AskAddress;
  mode: "form" | "url";
  message: string;
  requestedSchema: unknown;
  url: string | null;
  /** Of one that is too large to be shown, of which this is the beginning: its size, and what tells it from others. */
  cut?: { characters: number; digest: string };
  /** Of one that can't be shown, for which this stands: why, for people, and what tells it from others. */
  unreadable?: { reason: string; digest: string };
  /**
   * Of a recipe's: tells one time that it is asked from the next. While this stays, and its answer was accepted, whatever else
   * changes of the question makes no new one of it.
   */
  round?: string;
}

/** A task as its server describes it, both eras in one shape. Durations in ms, times ISO 8601, null = not said. */
export interface RemoteTask {
  taskId: string;
  status: RemoteStatus;
  statusMessage: string | null;
  /** Intray does not know what the server reports: a status of no version, or a state that a recipe does not name. */
  isUnknown?: boolean;
  createdAt: string | null;
  lastUpdatedAt: string | null;
  ttlMs: number | null;
  pollIntervalMs: number | null;
  /** 2026-07-28: the open questions, inlined while `input_required`. 2025-11-25: always empty. */
  questions: Question[];
  /** 2026-07-28: inlined at the end. 2025-11-25: undefined, ask `result()`. */
  result?: unknown;
  error?: unknown;
}

export interface Tool {
  name: string;
  title: string | null;
  description: string | null;
  inputSchema: Record<string, unknown>;
  /** 2026-07-28 servers decide for themselves: `optional`. */
  taskSupport: "required" | "optional" | "forbidden";
  /** The server's own, untrusted claims (readOnlyHint, destructiveHint, idempotentHint, …). */
  annotations: Record<string, unknown> | null;
  /** The tool's `_meta` says `intray/idempotency-key: true`: a repeated call with the same key is the same task. */
  honoursIdempotencyKey: boolean;
  /**
   * The tool is a recipe of ours over tools of the server (lib/servers/recipes), in this version. `tools`: digests of what the
   * tools that it calls say of themselves.
   */
  recipe?: { version: number; tools?: Record<string, string> };
  /** Of a recipe: what the tools that it calls say of themselves. `inputSchema`: only where headers repeat arguments. */
  calls?: Record<string, Pick<Tool, "annotations"> & { inputSchema: Record<string, unknown> | null }>;
}

export interface StartInput {
  tool: string;
  arguments: Record<string, unknown>;
  /** From the tool's listing. `forbidden` calls the tool without a task; 2026-07-28 leaves it to the server. */
  taskSupport?: Tool["taskSupport"];
  /** From the tool's listing: 2026-07-28 repeats arguments marked `x-mcp-header` in headers. */
  inputSchema?: Record<string, unknown>;
  /** Requested only when the caller asked for one; never above 2147483647. 2026-07-28 cannot ask. */
  ttlMs: number | null;
  /** Sent as `_meta["intray/idempotency-key"]`; in 2025-11-25 also the progress token. */
  idempotencyKey: string;
  /** Multi round trip (2026-07-28): the retry of the same call with answers and the exact state echoed. */
  retry?: { inputResponses: Record<string, AnswerBody>; requestState: string | null };
  /** Told the call's JSON-RPC id just before it goes out: with it and the last event id, `resume` goes on. */
  onCall?(callId: number): void;
}

export type StartOutcome =
  | { kind: "task"; task: RemoteTask }
  /** The tool answered at once. */
  | { kind: "result"; result: unknown }
  /**
   * Asked before it made a task: multi round trip of 2026-07-28, or 2025-11-25's error -32042 (URLs to visit first).
   * The call is made again with the answers.
   */
  | { kind: "input_required"; questions: Question[]; requestState: string | null };

export interface AnswerBody {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, unknown>;
}

/** How a task ended: the tool's own result, or a protocol error. */
export type TaskResult = { kind: "result"; result: unknown } | { kind: "error"; error: unknown };

/** A question is put as an elicitation task. `ttlMs`: how long the server wants to ask for it; null: it does not say. */
export interface AsTask {
  ttlMs: number | null;
}

/** 2025-11-25: what a server asks of the tasks that Intray keeps for it. */
export type TaskRequest = { rpcId: RpcId } & (
  | { method: "tasks/get" | "tasks/result" | "tasks/cancel"; taskId: string }
  | { method: "tasks/list"; cursor: string | null }
);

/** A response to a server's request, or a notification. */
export type ToServer =
  | { id: RpcId; result: Record<string, unknown> }
  | { id: RpcId; error: { code: number; message: string } }
  | { method: string; params: Record<string, unknown> };

/**
 * How a message came: on the stream of a request; on one that goes on after an event of an earlier one, where the server may
 * say it again; or on a channel, which has no streams, so that only what the message names says which request it is about.
 */
export type Via = "stream" | "replay" | "channel";

/** What arrives on a held stream of 2025-11-25. Called synchronously, in the order of arrival. */
export interface StreamListener {
  onQuestion(question: Question, relatedTaskId: string | null, via: Via, asTask: AsTask | null): void;
  /** Only in a session that takes tasks. The listener answers by `post()`; without it, such requests are refused. */
  onTaskRequest?(request: TaskRequest): void;
  /** The server took a question back: `notifications/cancelled`. */
  onRetracted(rpcId: RpcId): void;
  /**
   * `notifications/tasks/status`: a wake-up only; the truth is `get()`. Also where a URL was visited
   * (`notifications/elicitation/complete`), with the elicitation's id where no task is named. `announced`: the question that
   * the task is about to put; FastMCP 3 names the task there alone. Its address says nothing.
   */
  onStatus(taskId: string, announced?: Question): void;
  onProgress(token: RpcId, progress: number, total: number | null, message: string | null): void;
  onEventId(eventId: string): void;
  /** The stream ended, on either side. Called once. */
  onClosed(reason: "closed_here" | "ended" | "failed"): void;
}

/** A held stream. `close()` drops the connection and sends nothing: no answer, no cancel, no DELETE. */
export interface Stream {
  close(): void;
}

export interface CallOptions {
  /**
   * Hard end of the call in ms from now; the connection is dropped then. For `listen` and `openResult` it ends the
   * opening only, as does `signal`: an open stream lives until it is closed.
   */
  deadlineMs: number;
  /**
   * `start` and `resume`: once the call was written, its reply may take this long, in ms; `deadlineMs` then covers no more
   * than the sending. A reply that is cut off is `unreachable`, `maybe`.
   */
  replyWithinMs?: number;
  signal?: AbortSignal;
  /**
   * What the server knows and people are not told: it is taken out of its errors, status messages and results. Not out
   * of its questions, which are shown as they are asked.
   */
  secrets?: () => string[];
  /** Goes with every request of the call, in its `_meta` (SEP-414): for servers of the person who runs Intray, and no others. */
  traceparent?: string;
  /** Sees every message in both directions, before masking. */
  onMessage?: (direction: "out" | "in", method: string, body: unknown) => void;
}

export interface ListOptions extends CallOptions {
  /** Called if the server lists tools that are odd, or beyond the limits, with their number. */
  onLeftOut?(count: number): void;
}

export interface GetOptions extends CallOptions {
  /** Fingerprint of the last reply: an unchanged reply is not parsed and comes back as `task: null`. */
  fingerprint?: string;
}

export interface GetReply {
  /** Strong hash of the reply without its volatile parts (JSON-RPC id, lastUpdatedAt). */
  fingerprint: string;
  task: RemoteTask | null;
  /** Of the reply, in characters. */
  size: number;
}

export interface TaskList {
  tasks: RemoteTask[];
  /** The server's clock (`Date` header) minus ours, in ms; null when not sent. */
  clockOffsetMs: number | null;
}

export interface Peer {
  readonly era: Era;
  /**
   * 2025-11-25: initialize and initialized; `takesTasks` declares that questions may be put as tasks. 2026-07-28: null, no
   * traffic.
   */
  open(options: CallOptions & { takesTasks?: boolean }): Promise<Session | null>;
  /** 2025-11-25: the standalone GET stream; resolves when it is open, null where the server has none (405). 2026-07-28: null. */
  listen(session: Session | null, listener: StreamListener, options: CallOptions): Promise<Stream | null>;
  listTools(session: Session | null, options: ListOptions): Promise<Tool[]>;
  /** Reads a resource by its address, as the server hands it out. */
  readResource(session: Session | null, uri: string, options: CallOptions): Promise<ResourcePart[]>;
  /** The one call with side effects. A question that arrives on its own reply stream goes to the listener. */
  start(
    session: Session | null,
    input: StartInput,
    listener: StreamListener,
    options: CallOptions,
  ): Promise<StartOutcome>;
  /**
   * 2025-11-25: waits again for the reply to a `tools/call` that a process before us sent on this session, from the
   * last event on that it saw. Throws `unreachable` or `timeout`, reached `maybe`, when there is no going on, for
   * whatever reason; so do 2026-07-28 and commands at once.
   */
  resume(
    session: Session | null,
    lastEventId: string,
    callId: number,
    listener: StreamListener,
    options: CallOptions,
  ): Promise<StartOutcome>;
  /** 2025-11-25: tells the server that a call, which is no task, is given up. 2026-07-28: dropping it says that. */
  cancelCall(session: Session | null, callId: number, options: CallOptions): Promise<void>;
  get(task: TaskRef, options: GetOptions): Promise<GetReply>;
  /**
   * 2025-11-25: opens `tasks/result` as a held stream on which the server (re-)issues its pending question, and on
   * which the final result may come (onResult). `onCall`: the JSON-RPC id, right before it is sent. 2026-07-28: null;
   * questions are inlined in `get()`.
   */
  openResult(
    task: TaskRef,
    listener: StreamListener & { onResult(result: TaskResult): void; onCall?(id: number): void },
    options: CallOptions,
  ): Promise<Stream | null>;
  /** Sends one answer. Resolves when the server accepted it (2xx), which proves no more than that. */
  answer(task: TaskRef, address: AskAddress, answer: AnswerBody, options: CallOptions): Promise<void>;
  cancel(task: TaskRef, options: CallOptions): Promise<void>;
  /** 2025-11-25: sends a message of ours on a session. Resolves when the server accepted it (2xx). 2026-07-28 has none. */
  post(session: Session, message: ToServer, options: CallOptions): Promise<void>;
  /** How a task ended. 2026-07-28: from the inlined fields of `remote`; 2025-11-25: `tasks/result`. */
  result(task: TaskRef, remote: RemoteTask, options: CallOptions): Promise<TaskResult>;
  /**
   * 2026-07-28: one stream (`subscriptions/listen`) on which the server tells when one of these tasks changed
   * (`onStatus`); null where it does not honour that. 2025-11-25: null, it tells on the session's streams.
   */
  subscribe(taskIds: string[], listener: StreamListener, options: CallOptions): Promise<Stream | null>;
  /** All tasks the server lists for this credential (at most `limit`), or null where it cannot list. */
  list(session: Session | null, limit: number, options: CallOptions): Promise<TaskList | null>;
  /**
   * 2025-11-25: DELETE of the session, only after the end of its tasks. The server's refusal or silence is no error and
   * takes little time. 2026-07-28: nothing.
   */
  close(session: Session | null, options: CallOptions): Promise<void>;
}
