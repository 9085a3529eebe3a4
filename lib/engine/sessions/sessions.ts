/**
 * The 2025-11-25 sessions of one connection, in a watcher's memory. A task has its own session if the server allows
 * that. Then every question in the session belongs to the task. On a server that limits its sessions, or is a child
 * process with one pipe, tasks share one; questions are then told apart by the task they name, or by asking one task
 * at a time.
 */

import type { RpcId } from "../../mcp/peer.ts";
import { Announced, type SessionTask } from "../../mcp/stream-messages/attribute.ts";
import type { Traits } from "../../servers/traits.ts";
import type { TaskState } from "../../tasks/task-status.ts";
import {
  BACKOFF_CAP_MS,
  CALL_DEADLINE_MS,
  CALLER_GONE_MS,
  MAY_ASK_ON_MS,
  REPLACED_MS,
  SAID_GONE,
  SAID_GONE_CAP_MS,
  SAID_GONE_MS,
  SAID_GONE_WHERE_UNSURE,
} from "../tunables.ts";
import type { LiveSession, SessionRecord, WatchedTask } from "../watcher/watched-task.ts";
import { clockMs, isStale, setCalls } from "../watcher/watched-task.ts";

export class Sessions {
  #byKey = new Map<string, LiveSession>();
  /** Until when no session is opened because the server just refused one; monotonic, in ms. */
  fullUntil = 0;
  /** True if a session that the server denied answered again, which means that the server has several instances. */
  #hasReturned = false;
  /** Consecutive sessions that the server denied right after opening them. */
  #inVain = 0;
  /** Consecutive sessions that never answered. */
  #useless = 0;
  /** The earliest time of the next session after useless ones; monotonic, in ms. */
  #notBefore = 0;
  /** The server sends the headers of its standalone stream only with the first event, so nobody waits for them. */
  opensLate = false;

  get size(): number {
    return this.#byKey.size;
  }

  /** Puts a task into a session and registers the session. */
  attach(task: WatchedTask, kept: SessionRecord): LiveSession {
    const session = this.#byKey.get(keyOf(kept)) ?? this.#add(kept);
    // Each of the session's tasks has stored its own, maybe older, list of other tasks.
    if (kept.others && kept !== session.record)
      session.record.others = [...new Set([...(session.record.others ?? []), ...kept.others])];
    // A repeated call with an idempotency key returns the first call's task, so this task was not left behind.
    if (session.record.others && task.work.toolHints?.honoursIdempotencyKey)
      session.record.others = session.record.others.filter((id) => id !== task.id);
    session.tasks.add(task);
    session.shared ||= session.tasks.size > 1;
    task.session = session;
    return session;
  }

  /** Takes a task out of its session. Returns the session if that was its last task, else null. */
  detach(task: WatchedTask): LiveSession | null {
    const session = task.session;
    task.session = null;
    if (!session) return null;
    session.tasks.delete(task);
    noteLeft(session, task);
    session.callers.delete(task);
    session.askQueue.delete(task);
    if (session.tasks.size > 0) return null;
    // The last one has moved: the session that replaced this one has only its own tasks.
    session.renewal?.then(
      (fresh) => {
        if (fresh.former === session) fresh.former = null;
      },
      () => undefined,
    );
    closeStandalone(session);
    this.#byKey.delete(keyOf(session.record));
    // The server has room for another session now.
    this.fullUntil = 0;
    return session;
  }

  /** Records an answered request. */
  answered(session: LiveSession): void {
    if (session.saidGone > 0) this.#hasReturned = true;
    session.saidGone = 0;
    session.answered = true;
    this.#inVain = 0;
    this.#useless = 0;
    this.#notBefore = 0;
  }

  /**
   * Records that the server denies knowing a session. Returns the pause before the next try, in ms; 0 if the
   * session counts as gone. A load balancer may have sent the request to another instance than the session's.
   */
  saidGone(session: LiveSession): number {
    session.saidGone++;
    const enough = this.#hasReturned ? SAID_GONE_WHERE_UNSURE : SAID_GONE;
    if (session.saidGone >= enough) return 0;
    return Math.min(SAID_GONE_CAP_MS, SAID_GONE_MS * 2 ** (session.saidGone - 1));
  }

  /** Whether a session may be opened now; false for a while after sessions that never answered. */
  get mayOpen(): boolean {
    return performance.now() >= this.#notBefore;
  }

  /** The last sessions never answered. */
  get areUseless(): boolean {
    return this.#useless > 0;
  }

  /** Records that a session is given up. */
  gone(session: LiveSession): void {
    if (!session.answered) this.#putOff();
  }

  /**
   * Records a session that the server denied right after opening it. Returns true if that happens each time.
   */
  openedInVain(): boolean {
    this.#inVain++;
    if (this.#inVain < SAID_GONE) return false;
    this.#putOff();
    return true;
  }

  #putOff(): void {
    const pause = REPLACED_MS * 2 ** Math.min(this.#useless++, 20);
    this.#notBefore = performance.now() + Math.min(BACKOFF_CAP_MS, pause);
  }

  /** Returns the session with the fewest tasks, for sharing, or null if none is open. */
  leastUsed(): LiveSession | null {
    const all = [...this.#byKey.values()].filter((session) => session.renewal === null);
    return all.sort((a, b) => a.tasks.size - b.tasks.size)[0] ?? null;
  }

  #add(kept: SessionRecord): LiveSession {
    const session: LiveSession = {
      record: kept,
      tasks: new Set(),
      stream: null,
      isListening: false,
      streamAgainAt: 0,
      hasStream: true,
      shared: false,
      asking: null,
      askQueue: new Set(),
      callers: new Map(),
      announced: new Announced(),
      mayHoldMore: false,
      renewal: null,
      former: null,
      left: new Map(),
      heard: new Map(),
      answered: true,
      saidGone: 0,
    };
    this.#byKey.set(keyOf(kept), session);
    return session;
  }
}

/** Notes a task that may ask on in its session, and forgets those whose time is over. */
function noteLeft({ left }: LiveSession, { id, cold }: WatchedTask): void {
  const now = performance.now();
  for (const [known, until] of left) if (until <= now) left.delete(known);
  if (cold.mayAskOn) left.set(id, now + MAY_ASK_ON_MS);
}

/** Ids of a session of which it is known when a message under them last came, or was handled. */
const MOST_HEARD = 200;

/** Notes that a message came under this id, or was handled just now. */
export function noteHeard({ heard }: LiveSession, rpcId: RpcId): void {
  heard.delete(rpcId);
  heard.set(rpcId, clockMs());
  const [oldest] = heard.keys();
  if (heard.size > MOST_HEARD && oldest !== undefined) heard.delete(oldest);
}

export function closeStandalone(session: LiveSession): void {
  const { stream } = session;
  session.stream = null;
  session.isListening = false;
  stream?.close();
}

/** Returns whether the task's call is under way or of unknown outcome, with the handle still unknown. */
function isStarting({ handle, calls, work }: WatchedTask): boolean {
  return handle === null && (calls.call !== null || work.state === "starting");
}

/**
 * Returns the tasks that may ask in the session, even if nobody waits for their questions. For example, a task that
 * was cancelled here, or whose start is unknown, may still run at the server. Excludes tasks that were never called,
 * and tasks that the server reported as ended.
 */
export function tasksThatMayAsk({ tasks, record, shared, former, left }: LiveSession): SessionTask[] {
  const now = performance.now();
  const ended = [...left].flatMap(([id, until]) => (now < until ? [id] : []));
  const all = new Set([...tasks, ...(former?.tasks ?? [])]);
  // In a session that was opened for one task alone, every question is that task's, however early it comes.
  const isOwn = !shared && !record.others?.length && ended.length === 0 && all.size === tasks.size;
  const known = [...all].filter((task) => isOwn || !livesNowhere(task));
  const others = [...(record.others ?? []), ...ended].filter((id) => !known.some((task) => task.id === id));
  return [
    ...known.map((task) => ({ id: task.id, isStarting: isStarting(task) })),
    ...others.map((id) => ({ id, isStarting: true })),
  ];
}

/** A call whose outcome is not stored yet may have made a task, whatever state is stored. */
function livesNowhere({ work, cold, calls }: WatchedTask): boolean {
  return (LIVES_NOWHERE.has(work.state) && calls.call === null) || cold.endReported;
}

const LIVES_NOWHERE = new Set<TaskState>(["queued", "start_unknown", "completed", "failed"]);

/**
 * Notes a task that leaves its session but may still run in it at the server. The note is stored with the tasks that
 * stay.
 */
export function leaveBehind({ id, session }: WatchedTask): void {
  if (!session || session.record.others?.includes(id)) return;
  session.record.others = [...(session.record.others ?? []), id].slice(-MOST_OTHERS);
  for (const task of session.tasks) task.idsChanged = true;
}

/** Maximum number of tasks noted per session. A longer list would not help to find the task that asked. */
const MOST_OTHERS = 100;

/**
 * Claims the session's turn for a question stream (`tasks/result`). On a shared session whose server does not name
 * tasks, only one task at a time has such a stream open. So a question without a task's name belongs to that task, if all
 * others wait (`askersInTurn`).
 * Returns false while another task has the turn, or while a call is open that could ask a question too. `endTurn`
 * returns the next task to wake.
 */
export function takeTurn(session: LiveSession, task: WatchedTask, traits: Traits): boolean {
  if (session.asking === task) return true;
  const isAlone = session.tasks.size === 1 || traits.namesTask === true;
  const isFree = session.asking === null && ![...session.tasks].some(isFreshCall);
  if (!isAlone && !isFree) {
    session.askQueue.add(task);
    return false;
  }
  session.askQueue.delete(task);
  session.asking = task;
  return true;
}

/**
 * Returns the ids of the tasks that may have put an unnamed question during the turn of `asking`: that task, and those that
 * may have begun to wait just now. A task that waited before the turn waits for its own turn.
 */
export function askersInTurn({ tasks }: LiveSession, asking: WatchedTask): string[] {
  const others = [...tasks].filter((task) => task !== asking && !livesNowhere(task) && !isKnownToWait(task));
  return [asking.id, ...others.map(({ id }) => id)];
}

/** By the last poll, which is stored, the task waits for an answer. */
export function isKnownToWait(task: WatchedTask): boolean {
  return task.work.state === "input_required" && !isStale(task);
}

/**
 * Ends a task's turn, if it has one. Returns the task that waits longest, for the caller to wake, or null.
 */
export function endTurn(session: LiveSession, task: WatchedTask): WatchedTask | null {
  session.askQueue.delete(task);
  if (session.asking !== task) return null;
  session.asking = null;
  const [next] = session.askQueue;
  return next ?? null;
}

/** Returns whether the task may ask an unnamed question: about to call, or expecting a handle any moment. */
function isFreshCall({ calls: { call, callsAt } }: WatchedTask): boolean {
  return call?.result == null && performance.now() < callsAt + CALL_DEADLINE_MS;
}

/** Puts the task into the line of those waiting to call. */
export function waitForCall(session: LiveSession, task: WatchedTask): void {
  session.callers.set(task, performance.now());
}

/**
 * Claims the session's turn for a call. Calls are sent in the order of their tasks' ids, as long as each handle comes
 * soon. A start that does not return in time loses its place. Returns false if the task has to wait.
 */
export function takeCallTurn(session: LiveSession, watched: WatchedTask, traits: Traits): boolean {
  const now = performance.now();
  const { callers } = session;
  for (const [task, cameAt] of callers)
    if (now > cameAt + CALLER_GONE_MS || task.session !== session) callers.delete(task);
  let first = watched;
  for (const task of callers.keys()) if (task.id < first.id) first = task;
  const isBusy = [...session.tasks].some((task) => task !== watched && isFreshCall(task));
  if (traits.namesTask !== true && session.tasks.size > 1 && (isBusy || first !== watched)) {
    waitForCall(session, watched);
    return false;
  }
  callers.delete(watched);
  setCalls(watched, { callsAt: now });
  return true;
}

const keyOf = (kept: SessionRecord) => kept.id ?? kept.own;
