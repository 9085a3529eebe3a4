/** In-memory state of a watcher: tasks, their calls, and 2025-11-25 sessions. Data only. */

import { type TaskWork, unreadWork } from "../../lifecycle/engine-task.ts";
import type { StatusChange } from "../../lifecycle/running-task-writes.ts";
import type { RpcId, Session, StartOutcome, Stream } from "../../mcp/peer.ts";
import type { Announced } from "../../mcp/stream-messages/attribute.ts";
import type { ProtocolMessage } from "./protocol-messages.ts";
import type { LaneName } from "./scheduler.ts";

/**
 * A task in a watcher's memory, restorable from the database at any time. An engine may hold 100,000, so
 * fields that few tasks need are in `calls` and `cold`. Times are monotonic, in whole ms, unless noted.
 */
export interface WatchedTask {
  readonly id: string;
  work: TaskWork;
  /** The number of hints that the row changed. `hintsRead`: this number when `work` was read. See `isStale`. */
  hints: number;
  hintsRead: number;
  /** A person waits for the next step, so the step runs even while the server's circuit breaker is open. */
  urgent: boolean;
  running: boolean;
  /**
   * When the next step is due; written by the scheduler. During a step: the earliest wake-up, or Infinity.
   */
  due: number;
  heapIndex: number;
  lane: LaneName;
  fingerprint: string | undefined;
  /** Size of the last poll's reply, in characters. */
  replySize: number;
  unchangedPolls: number;
  failures: number;
  /** The server's id of the task; written by the task index. */
  handle: string | null;
  /** 2025-11-25: the task's session. */
  session: LiveSession | null;
  calls: Readonly<CallState>;
  cold: Readonly<ColdState>;
  /** JSON-RPC or event ids were seen that are not stored yet. */
  idsChanged: boolean;
  /** When a status change was last written. */
  minorStatusAt: number;
  /** When `work` was read. */
  loadedAt: number;
  messages: readonly ProtocolMessage[];
  /** When the last poll began. */
  polledAt: number;
  /** When the last poll ended; 0 before the first. */
  checkedAt: number;
  /** When the next poll is due; 0 before the first one has ended. */
  nextCheckAt: number;
  /** The last stored poll interval, in ms; 0 if none. Polls at a steady interval write nothing. */
  pace: number;
  timesChanged: boolean;
}

/** A stored session. `own` identifies sessions to which the server gives no id. */
export type SessionRecord = Session & {
  own: string;
  /** Ids of our tasks that left the session but may live on at the server and ask questions. */
  others?: string[];
};

export interface LiveSession {
  readonly record: SessionRecord;
  readonly tasks: Set<WatchedTask>;
  /** The standalone stream, open or opening; at most one per session. */
  stream: Stream | null;
  /** The server has accepted the stream's request, so messages on the stream are read. */
  isListening: boolean;
  streamAgainAt: number;
  /** False if the server has no standalone stream. */
  hasStream: boolean;
  /** Several tasks were in it at a time. */
  shared: boolean;
  /**
   * `asking`: the task whose question is requested now, alone. `askQueue`: the tasks that wait for their turn, in
   * order.
   */
  asking: WatchedTask | null;
  readonly askQueue: Set<WatchedTask>;
  /** Tasks that wait for earlier tasks' calls, with the time of each one's last try. */
  readonly callers: Map<WatchedTask, number>;
  readonly announced: Announced;
  /** A start of unknown outcome may have left a task in the session, so the session is not closed. */
  mayHoldMore: boolean;
  /** The session that replaces this one, which the server forgot. */
  renewal: Promise<LiveSession> | null;
  /** The session that this one replaces: its tasks may ask here, also before they have moved. */
  former: LiveSession | null;
  /** Tasks that ended here and may run on at the server, with the time until which they may ask; monotonic, in ms. */
  readonly left: Map<string, number>;
  /** When a message last came, or was handled, under each JSON-RPC id, the oldest first; monotonic, in ms. */
  readonly heard: Map<RpcId, number>;
  /** A request in the session was answered; also true for sessions loaded from the database. */
  answered: boolean;
  /** Consecutive replies by which the server denies knowing the session. */
  saidGone: number;
}

/** `hasNewAccess`: the connection's tokens have changed since the call was made. */
export type CallOutcome = { outcome: StartOutcome } | { error: unknown; hasNewAccess: boolean };

/** A call whose reply is awaited. Ends with its connection: no other process can receive the reply. */
export interface OpenCall {
  readonly attempt: string;
  /** When it was made; monotonic, in ms. */
  readonly at: number;
  readonly done: Promise<CallOutcome>;
  /** The outcome, once known. */
  result: CallOutcome | null;
  /** A question of the call arrived before its reply. */
  hasAsked: boolean;
  /**
   * For a call resumed from another process: its JSON-RPC id and the time of resumption (monotonic, in ms).
   */
  readonly resumed: { callId: number; at: number } | null;
  /** Drops the connection without sending anything. */
  close(): void;
}

/**
 * State of the call that makes the task, or is the task. Tasks that are only polled share one default object
 * to save memory.
 */
export interface CallState {
  /** The call whose reply is awaited. */
  call: OpenCall | null;
  /** When the task got its turn to call on a shared session; monotonic, in ms. */
  callsAt: number;
  /** The call's JSON-RPC id, for resuming after a restart. */
  callId: number | null;
  /** The JSON-RPC id of the last `tasks/result` that was held for questions; null once it was answered. */
  resultId: number | null;
  /** Last event id on the call's own stream; the server may replay later events from there. */
  ownEventId: string | null;
  /** A resumption of another process's call was tried. */
  hasResumed: boolean;
  /** The call is open in another process, and an event has told people so. */
  isElsewhere: boolean;
  /** How often this watcher has made the call. */
  tries: number;
  /** How often the server broke down over the call. */
  brokenCalls: number;
  /** The tool's header rules were read again for this start. */
  rereadTool: boolean;
}

/** Progress reported by the server that is not stored yet. */
interface Progress {
  progress: number;
  total: number | null;
  message: string | null;
}

/** State of a task's streams and of rare situations. Times are monotonic, in ms. */
export interface ColdState {
  /** Until when the task wants its session's standalone stream open. */
  listenUntil: number;
  resultStream: Stream | null;
  resultStreamUntil: number;
  resultStreamAgainAt: number;
  /** Number of consecutive requests for the pending question that returned no question. */
  unasked: number;
  /**
   * A status message that is not written yet, because only its numbers differ from the message that was just written.
   */
  minorStatus: StatusChange | null;
  /** When an answer was last found settled by something other than a poll. */
  answerSettledAt: number;
  progress: Progress | null;
  /** When progress was last written. */
  progressAt: number;
  pollsInSending: number;
  /** Requests whose question the last poll did not show, and since when. */
  missing: ReadonlyMap<string, number>;
  notFoundAt: number | null;
  /** Number of cancels during which the server broke down. */
  brokenCancels: number;
  /** How often the server did not return a result that should exist. */
  missingResults: number;
  /** The server said that the task has completed or failed, which may not be stored yet. */
  endReported: boolean;
  /** The previous session, which the server denied knowing. */
  formerSession: SessionRecord | null;
  /**
   * What the last poll said whose news are stored, and when that poll began; kept while a question in the session has no known
   * task. Null also after a status that nobody knows.
   */
  report: { at: number; waits: boolean } | null;
  /** The task ended here, but not by a result: its tool may run on at the server, and ask. */
  mayAskOn: boolean;
  /**
   * The task as the last write's transaction read it; null if it is no longer watched. Valid only while the task's
   * `hints` equals this `hints`.
   */
  written: { work: TaskWork | null; hints: number; at: number } | null;
}

/** Returns whether the database may have changed since `work` was read. */
export function isStale({ hints, hintsRead }: WatchedTask): boolean {
  return hints !== hintsRead;
}

/** Marks that the database may have changed, so that the next step reads the task again. */
export function markStale(task: WatchedTask): void {
  task.hints++;
}

export function newWatchedTask(work: TaskWork): WatchedTask {
  return {
    id: work.id,
    work,
    hints: 0,
    hintsRead: 0,
    urgent: false,
    running: false,
    due: 0,
    heapIndex: -1,
    lane: "regular",
    fingerprint: undefined,
    replySize: 0,
    unchangedPolls: work.unchangedPolls,
    failures: 0,
    handle: null,
    session: null,
    calls: NO_CALL_STATE,
    cold: NO_COLD_STATE,
    idsChanged: false,
    minorStatusAt: NEVER,
    loadedAt: clockMs(),
    messages: NO_MESSAGES,
    polledAt: NEVER,
    checkedAt: 0,
    nextCheckAt: 0,
    pace: 0,
    timesChanged: false,
  };
}

/** Makes a task of which only the id is known; its first step reads the row. */
export function newUnreadTask(id: string): WatchedTask {
  const task = newWatchedTask(unreadWork(id));
  markStale(task);
  return task;
}

const NO_MESSAGES: readonly ProtocolMessage[] = [];

/** Keeps only the first `count` messages. */
export function keepMessages(task: WatchedTask, count: number): void {
  task.messages = count === 0 ? NO_MESSAGES : task.messages.slice(0, count);
}

const NO_CALL_STATE: Readonly<CallState> = {
  call: null,
  callsAt: Number.NEGATIVE_INFINITY,
  callId: null,
  resultId: null,
  ownEventId: null,
  hasResumed: false,
  isElsewhere: false,
  tries: 0,
  brokenCalls: 0,
  rereadTool: false,
};

const NO_COLD_STATE: Readonly<ColdState> = {
  listenUntil: Number.POSITIVE_INFINITY,
  resultStream: null,
  resultStreamUntil: 0,
  resultStreamAgainAt: 0,
  unasked: 0,
  minorStatus: null,
  answerSettledAt: Number.NEGATIVE_INFINITY,
  progress: null,
  progressAt: Number.NEGATIVE_INFINITY,
  pollsInSending: 0,
  missing: new Map(),
  notFoundAt: null,
  brokenCancels: 0,
  missingResults: 0,
  endReported: false,
  formerSession: null,
  report: null,
  mayAskOn: false,
  written: null,
};

export function setCalls(task: { calls: Readonly<CallState> }, values: Partial<CallState>): void {
  task.calls = withValues(task.calls, values);
}

export function setCold(task: { cold: Readonly<ColdState> }, values: Partial<ColdState>): void {
  task.cold = withValues(task.cold, values);
}

/** Returns the same object if nothing changes, so that unchanged states take no memory. */
function withValues<S extends object>(state: Readonly<S>, values: Partial<S>): Readonly<S> {
  const isNews = (Object.keys(values) as (keyof S)[]).some((key) => state[key] !== values[key]);
  return isNews ? { ...state, ...values } : state;
}

/** Returns the monotonic clock in whole ms, because V8 stores a fractional field in sixteen more bytes. */
export function clockMs(): number {
  return Math.floor(performance.now());
}

/** Earlier than any time of the monotonic clock. */
const NEVER = -1_000_000_000;
