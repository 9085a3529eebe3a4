/**
 * What a watcher holds of the few tasks that are called, listened to or in trouble. Of a hundred thousand that are only
 * polled none has an object of its own for it.
 */
import type { Stream } from "../../mcp/peer.ts";
import type { StatusNews } from "../../task-lifecycle/progress.ts";
import type { KeptSession } from "../sessions/sessions.ts";
import type { HeldCall } from "../task/call.ts";

/** Of the call that makes the task, or is the task. */
export interface CallState {
  /** While its reply is awaited. */
  call: HeldCall | null;
  /** When its turn to be called came, on a session that others share; monotonic, in ms. */
  callsAt: number;
  /** Its JSON-RPC id, for resuming it after a restart. */
  callId: number | null;
  /** The last event id on a stream of its own, from which the server may replay what came after. */
  ownEventId: string | null;
  /** It was tried to go on with a call that another process made. */
  hasResumed: boolean;
  /** How often its call was made from here. */
  tries: number;
  /** How often the server broke down over its call. */
  brokenCalls: number;
  /** Header rules of the tool's schema were read anew for this start. */
  rereadTool: boolean;
}

/** As the server reported it last, and not stored yet. */
export interface Progress {
  progress: number;
  total: number | null;
  message: string | null;
}

/** Of its streams, and of answers that its server does not give. Times are monotonic, in ms. */
export interface RareState {
  /** Until when it wants its session's standalone stream. */
  listenUntil: number;
  resultStream: Stream | null;
  resultStreamUntil: number;
  resultStreamAgainAt: number;
  /** How often in a row the server was asked for its question and did not put it. */
  unasked: number;
  /** What the last poll said, where that differs by a number only from what was written a moment ago. */
  minorNews: StatusNews | null;
  /** When the server notified that the task waits for an answer, in whole ms; Infinity: not since the last poll. */
  saidToWaitAt: number;
  progress: Progress | null;
  /** When progress was written last. */
  progressAt: number;
  pollsInSending: number;
  /** Requests whose question was missing in the last poll, and since when. */
  missing: ReadonlyMap<string, number>;
  notFoundAt: number | null;
  /** How often a result that should be there was not. */
  missingResults: number;
  /** The session before this one, which the server said it does not know. */
  formerSession: KeptSession | null;
}

export const NO_CALL: Readonly<CallState> = {
  call: null,
  callsAt: Number.NEGATIVE_INFINITY,
  callId: null,
  ownEventId: null,
  hasResumed: false,
  tries: 0,
  brokenCalls: 0,
  rereadTool: false,
};

export const NOTHING_RARE: Readonly<RareState> = {
  listenUntil: Number.POSITIVE_INFINITY,
  resultStream: null,
  resultStreamUntil: 0,
  resultStreamAgainAt: 0,
  unasked: 0,
  minorNews: null,
  saidToWaitAt: Number.POSITIVE_INFINITY,
  progress: null,
  progressAt: Number.NEGATIVE_INFINITY,
  pollsInSending: 0,
  missing: new Map(),
  notFoundAt: null,
  missingResults: 0,
  formerSession: null,
};

export function setCalls(entry: { calls: Readonly<CallState> }, values: Partial<CallState>): void {
  entry.calls = withValues(entry.calls, values);
}

export function setRare(entry: { rare: Readonly<RareState> }, values: Partial<RareState>): void {
  entry.rare = withValues(entry.rare, values);
}

/** The state itself where it says all that already, so that what is usual takes nothing. */
function withValues<S extends object>(state: Readonly<S>, values: Partial<S>): Readonly<S> {
  const isNews = (Object.keys(values) as (keyof S)[]).some((key) => state[key] !== values[key]);
  return isNews ? { ...state, ...values } : state;
}

/** Whole ms of the monotonic clock: as a field, a number with a fraction takes sixteen bytes more. */
export function clockMs(): number {
  return Math.floor(performance.now());
}

/** Of that clock: longer ago than anything. */
export const NEVER = -1_000_000_000;
