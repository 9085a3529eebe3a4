import type { Logger } from "pino";
import type { Tx } from "../../base/db/db.ts";
import type { Seal } from "../../base/seal.ts";
import type { TaskWork } from "../../lifecycle/engine-task.ts";
import type { CallOptions, Era, Peer, RpcId, TaskRequest, Via } from "../../mcp/peer.ts";
import type { NewStreamMessage as StreamMessage } from "../../mcp/stream-messages/stream-message-schema.ts";
import type { ToolCalls } from "../../mcp/tool-calls.ts";
import type { Recipe } from "../../servers/recipes/recipe-schema.ts";
import type { Traits } from "../../servers/traits.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { recordProtocolMessage } from "./protocol-messages.ts";
import type { LiveSession, WatchedTask } from "./watched-task.ts";

/** How a message came, and whose it may be. */
export interface Heard {
  /** The handle that the message names, or null. */
  handle: string | null;
  via: Via;
  /** The ids of the tasks that may have asked; null: all that may ask in the session. */
  among: string[] | null;
  /** The task whose turn it was to be asked for its question, on a channel. */
  turnOf: string | null;
}

/** Services and state shared by the steps of one connection. */
export interface WatcherContext {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly serverId: string;
  readonly epoch: bigint;
  readonly seal: Seal;
  readonly log: Logger;
  /**
   * Runs a fenced transaction, with the task locked if `taskId` is given. It may commit together with other
   * transactions of the organization. Throws LeaseLost if another engine has raised the epoch. After the commit,
   * `read` gets the task as the transaction left it, or null if the task is no longer watched. `read` is called only
   * while this engine has the lease.
   */
  transaction<T>(
    work: (tx: Tx) => Promise<T>,
    taskId?: string,
    read?: (work: TaskWork | null) => void,
  ): Promise<T>;
  /**
   * Runs a transaction without the fence, to store what a server has said. That is true whichever engine holds the
   * lease. `work` must check that the attempt is still the expected one.
   */
  unfenced<T>(
    work: (tx: Tx) => Promise<T>,
    taskId: string,
    read?: (work: TaskWork | null) => void,
  ): Promise<T>;
  /** Runs a transaction that only reads and locks nothing. Throws LeaseLost. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Returns the task as it is now, or null if it is watched no more. Locks nothing. Throws LeaseLost, and
   * `content_unavailable` if its content can't be opened now.
   */
  load(taskId: string): Promise<TaskWork | null>;
  /** Waits until a change may begin on the server. This needs a fresh heartbeat. Throws LeaseLost. */
  mayChange(): Promise<void>;
  /**
   * The server is paused, so nothing new is sent. Read again in every transaction, so that the transaction commits
   * with the current value.
   */
  readonly paused: boolean;
  /**
   * Whether a change may begin on the server, by the pause and the heartbeat that the database has. Read it inside
   * the transaction that commits the beginning. If false, write nothing and take the step again.
   */
  readonly mayBegin: boolean;
  /** Returns the server's era; probes the server if unknown. Throws PeerError. */
  era(): Promise<Era>;
  peer(era: Era): Peer;
  /** Calls of tools that answer at once. */
  readonly toolCalls: ToolCalls;
  /** Returns a recipe of the server in this version. A version never changes, so it is read once. */
  recipe(name: string, version: number): Promise<Recipe>;
  /** Ensures a valid access token where the server requires one. Throws PeerError. */
  ready(): Promise<void>;
  /** How often the connection's tokens were replaced or revoked. */
  readonly renewals: number;
  /**
   * Returns the shortest possible poll interval, in ms, given the number of tasks and the server's latency.
   */
  leastPauseMs(): number;
  /** Records the latency of an answered poll, in ms. */
  answered(ms: number): void;
  /** Schedules a task's next step in `afterMs`. */
  wake(taskId: string, afterMs: number): void;
  /** 2026-07-28: subscribes to a task's changes, if the server supports subscriptions. */
  follow(handle: string): void;
  /** Aborted when this watcher stops. Calls that only read use this signal, because nobody waits for their result. */
  readonly leaving: AbortSignal;
  readonly sessions: Sessions;
  /** Returns the watched task with this id, or null if none has it. */
  task(id: string): WatchedTask | null;
  /** Returns the watched task with this server handle, or null if none has it. */
  taskByHandle(handle: string): WatchedTask | null;
  /** Records the task's handle and indexes the task by it. */
  name(task: WatchedTask, handle: string | null): void;
  /** Traits of the server learned so far. */
  readonly traits: Traits;
  /** Stores a message of a session's stream. Returns false if the session has too many unhandled messages. */
  receive(said: Omit<StreamMessage, "id">, session: LiveSession, heard: Heard): boolean;
  /** 2025-11-25: answers a request of the server, on a session, about the tasks that Intray keeps for the server. */
  takeTaskRequest(request: TaskRequest, session: LiveSession): void;
  /** 2025-11-25: the server no longer waits for the reply to a request of its own. */
  dropTaskRequest(rpcId: RpcId, session: LiveSession): void;
  /**
   * 2025-11-25: tells the server which elicitation tasks have changed, and answers the server's requests that wait
   * for these tasks.
   */
  tellOfTasks(task: WatchedTask, ids: string[]): void;
  /** At the end of the task that asked: answers the requests that still wait for its elicitation tasks. */
  settleTasks(task: WatchedTask): Promise<void>;
  /** Whether a message came in the session under this id, or was handled, since then (monotonic, in ms), or is not handled yet. */
  isReused(session: LiveSession, rpcId: RpcId, since: number): boolean;
  /** Whether a message of this session's streams is not stored yet. */
  hasUnstored(session: LiveSession): boolean;
  /** Whether a question came in this session for which no task is known. */
  hasUnattributed(session: LiveSession): boolean;
  /** Records observed traits of the server. Not awaited: a lost observation is made again. */
  learn(seen: Traits): void;
}

/**
 * Returns options for a call about a task: its deadline, and a recorder that keeps its masked messages until
 * the next write.
 */
export function callOptions(task: WatchedTask, deadlineMs: number): CallOptions {
  const secrets = () => secretsOf(task);
  const { traced, traceparent } = task.work;
  return {
    deadlineMs,
    secrets,
    ...(traced && traceparent !== null && { traceparent }),
    onMessage: (direction, method, body) => {
      task.messages = recordProtocolMessage(task.messages, { direction, method, body }, secrets());
    },
  };
}

/** The ids by which the task's server knows it: bearer secrets, masked in stored messages. */
export function secretsOf({ handle, session }: WatchedTask): string[] {
  return [handle, session?.record.id].filter((secret) => typeof secret === "string");
}
