/** What a watcher holds in memory: its tasks, their calls and their 2025-11-25 sessions. Data only; who works with it imports it. */
import type { Session, StartOutcome, Stream } from "../../mcp/peer.ts";
import type { StatusNews } from "../../task-lifecycle/progress.ts";
import type { TaskWork } from "../../task-lifecycle/work.ts";
import type { RecordedMessage } from "./recorded-messages.ts";
import type { LaneName } from "./scheduler.ts";

/**
 * One task in a watcher's memory. Everything in it can be made again from the database. There may be a hundred thousand:
 * what few of them need is in `calls` and `cold`. Times are monotonic, in whole ms, where nothing else is said.
 */
export interface WatchedTask {
  readonly id: string;
  work: TaskWork;
  /** Something was committed since `work` was read. */
  stale: boolean;
  /** Somebody waits for the next step: it is taken even while the server's circuit is open. */
  urgent: boolean;
  running: boolean;
  /** Of its next step; written by the lanes. While a step runs: by when it was woken, Infinity for not woken. */
  due: number;
  heapIndex: number;
  lane: LaneName;
  fingerprint: string | undefined;
  /** Of the last poll, in characters. */
  replySize: number;
  unchangedPolls: number;
  failures: number;
  /** The server's id of it; written by the taskIndex. */
  handle: string | null;
  /** 2025-11-25: where it lives. */
  live: LiveSession | null;
  calls: Readonly<CallState>;
  cold: Readonly<ColdState>;
  /** Ids were seen that are not stored yet. */
  idsChanged: boolean;
  /** When news of its status was written last. */
  minorNewsAt: number;
  /** When `work` was read. */
  loadedAt: number;
  messages: readonly RecordedMessage[];
  /** When the last poll began. */
  polledAt: number;
  /** When the last poll ended, and when the next one is due; 0 for not yet. */
  checkedAt: number;
  nextCheckAt: number;
  /** The pause between them that was written last, in ms: polls at an even pace write nothing. 0: none was. */
  pace: number;
  timesChanged: boolean;
}

/** A session as it is kept: `own` stands for it where the server issues no id. */
export type SessionRecord = Session & {
  own: string;
  /** Ids of tasks of ours that left it, and may live on in it and ask. */
  others?: string[];
};

export interface LiveSession {
  readonly record: SessionRecord;
  readonly tasks: Set<WatchedTask>;
  /** The standalone stream, open or opening; a session has one at most. */
  stream: Stream | null;
  streamAgainAt: number;
  /** False: the server has no such stream. */
  hasStream: boolean;
  /** Several tasks were in it at a time. */
  shared: boolean;
  /** The task that is being asked for its question alone, and those that wait for this, in order. */
  asking: WatchedTask | null;
  readonly line: Set<WatchedTask>;
  /** Tasks that wait for the calls before theirs, and when each came last. */
  readonly callers: Map<WatchedTask, number>;
  /** A start of unknown outcome may have left a task in it: it is not closed. */
  mayHoldMore: boolean;
  /** The server forgot it: what all its tasks move to. */
  renewal: Promise<LiveSession> | null;
  /** A request in it was answered, or it was stored by who had seen that. */
  answered: boolean;
  /** How often in a row the server said that it does not know it. */
  saidGone: number;
}

/** `hasNewAccess`: the connection has other tokens than the call was made with. */
export type CallOutcome = { outcome: StartOutcome } | { error: unknown; hasNewAccess: boolean };

/** A call whose reply is awaited. It ends with its connection: nobody else can wait for it. */
export interface OpenCall {
  readonly attempt: string;
  readonly done: Promise<CallOutcome>;
  /** What came of it, once it is known. */
  result: CallOutcome | null;
  /** A question of its came before its reply. */
  hasAsked: boolean;
  /** For a call that another process made: its JSON-RPC id, and when this one went on with it; monotonic. */
  readonly resumed: { callId: number; at: number } | null;
  /** Drops the connection; nothing is sent. */
  close(): void;
}

/**
 * Of the call that makes the task, or is the task. Few tasks have such a state: of a hundred thousand that are only polled
 * none has an object of its own for it.
 */
export interface CallState {
  /** While its reply is awaited. */
  call: OpenCall | null;
  /** When its turn to be called came, on a session that others share; monotonic, in ms. */
  callsAt: number;
  /** Its JSON-RPC id, for resuming it after a restart. */
  callId: number | null;
  /** The last event id on a stream of its own, from which the server may replay what came after. */
  ownEventId: string | null;
  /** It was tried to go on with a call that another process made. */
  hasResumed: boolean;
  /** Another process' call: people were told that its result is awaited. */
  isElsewhere: boolean;
  /** How often its call was made from here. */
  tries: number;
  /** How often the server broke down over its call. */
  brokenCalls: number;
  /** Header rules of the tool's schema were read anew for this start. */
  rereadTool: boolean;
}

/** As the server reported it last, and not stored yet. */
interface Progress {
  progress: number;
  total: number | null;
  message: string | null;
}

/** Of its streams, and of answers that its server does not give. Times are monotonic, in ms. */
export interface ColdState {
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
  /** When an answer was found settled by something else than a poll, and no poll had seen the task move on yet. */
  answerSettledAt: number;
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
  formerSession: SessionRecord | null;
}

export function newWatchedTask(work: TaskWork): WatchedTask {
  return {
    id: work.id,
    work,
    stale: false,
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
    live: null,
    calls: NO_CALL_STATE,
    cold: NO_COLD_STATE,
    idsChanged: false,
    minorNewsAt: NEVER,
    loadedAt: clockMs(),
    messages: NO_MESSAGES,
    polledAt: NEVER,
    checkedAt: 0,
    nextCheckAt: 0,
    pace: 0,
    timesChanged: false,
  };
}

const NO_MESSAGES: readonly RecordedMessage[] = [];

/** Forgets what was said after the first `count` messages. */
export function keepMessages(entry: WatchedTask, count: number): void {
  entry.messages = count === 0 ? NO_MESSAGES : entry.messages.slice(0, count);
}

const NO_CALL_STATE: Readonly<CallState> = {
  call: null,
  callsAt: Number.NEGATIVE_INFINITY,
  callId: null,
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
  minorNews: null,
  saidToWaitAt: Number.POSITIVE_INFINITY,
  answerSettledAt: Number.NEGATIVE_INFINITY,
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

export function setCold(entry: { cold: Readonly<ColdState> }, values: Partial<ColdState>): void {
  entry.cold = withValues(entry.cold, values);
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
const NEVER = -1_000_000_000;
