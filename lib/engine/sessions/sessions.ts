/**
 * The 2025-11-25 sessions of one connection, in a watcher's memory. A task has its own session if the server
 * allows that, so that every question there is the task's. On a server that limits its sessions, or is a
 * child process with one pipe, tasks share one; questions are then told apart by the task they name, or by
 * asking one task at a time.
 */
import type { Traits } from "../../servers/traits.ts";
import type { SessionTask } from "../../stream-messages/attribute.ts";
import type { TaskState } from "../../tasks/status.ts";
import {
  BACKOFF_CAP_MS,
  CALL_DEADLINE_MS,
  CALLER_GONE_MS,
  REPLACED_MS,
  SAID_GONE,
  SAID_GONE_CAP_MS,
  SAID_GONE_MS,
  SAID_GONE_WHERE_UNSURE,
} from "../tunables.ts";
import type { LiveSession, SessionRecord, WatchedTask } from "../watcher/watched-task.ts";
import { setCalls } from "../watcher/watched-task.ts";

export class Sessions {
  #byKey = new Map<string, LiveSession>();
  /** Until when no session is opened because the server just refused one; monotonic, in ms. */
  fullUntil = 0;
  /** A session that the server denied has answered again: the server has several instances. */
  #comeBack = false;
  /** Consecutive sessions that the server denied right after opening them. */
  #inVain = 0;
  /** Consecutive sessions that never answered. */
  #useless = 0;
  /** The earliest time of the next session after useless ones; monotonic, in ms. */
  #notBefore = 0;
  /** The server opens its standalone stream only with the first event, so nobody waits for headers. */
  opensLate = false;

  get size(): number {
    return this.#byKey.size;
  }

  /** Puts a task into a session and registers the session. */
  attach(entry: WatchedTask, kept: SessionRecord): LiveSession {
    const live = this.#byKey.get(keyOf(kept)) ?? this.#add(kept);
    // Each of the session's tasks has stored its own, maybe older, list.
    if (kept.others && kept !== live.record)
      live.record.others = [...new Set([...(live.record.others ?? []), ...kept.others])];
    // A repeated call with an idempotency key returns the first call's task.
    if (live.record.others && entry.work.toolHints?.honoursIdempotencyKey)
      live.record.others = live.record.others.filter((id) => id !== entry.id);
    live.tasks.add(entry);
    live.shared ||= live.tasks.size > 1;
    entry.live = live;
    return live;
  }

  /** Takes a task out of its session. Returns the session if that was its last task, else null. */
  detach(entry: WatchedTask): LiveSession | null {
    const live = entry.live;
    entry.live = null;
    if (!live) return null;
    live.tasks.delete(entry);
    live.callers.delete(entry);
    live.line.delete(entry);
    if (live.tasks.size > 0) return null;
    closeStandalone(live);
    this.#byKey.delete(keyOf(live.record));
    // The server has room for another session now.
    this.fullUntil = 0;
    return live;
  }

  /** Records an answered request. */
  answered(live: LiveSession): void {
    if (live.saidGone > 0) this.#comeBack = true;
    live.saidGone = 0;
    live.answered = true;
    this.#inVain = 0;
    this.#useless = 0;
    this.#notBefore = 0;
  }

  /**
   * Records that the server denies knowing a session. Returns the pause before the next try, in ms; 0 if the
   * session counts as gone. A load balancer may have sent the request to another instance than the session's.
   */
  saidGone(live: LiveSession): number {
    live.saidGone++;
    const enough = this.#comeBack ? SAID_GONE_WHERE_UNSURE : SAID_GONE;
    if (live.saidGone >= enough) return 0;
    return Math.min(SAID_GONE_CAP_MS, SAID_GONE_MS * 2 ** (live.saidGone - 1));
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
  gone(live: LiveSession): void {
    if (!live.answered) this.#putOff();
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
    const all = [...this.#byKey.values()].filter((live) => live.renewal === null);
    return all.sort((a, b) => a.tasks.size - b.tasks.size)[0] ?? null;
  }

  #add(kept: SessionRecord): LiveSession {
    const live: LiveSession = {
      record: kept,
      tasks: new Set(),
      stream: null,
      streamAgainAt: 0,
      hasStream: true,
      shared: false,
      asking: null,
      line: new Set(),
      callers: new Map(),
      mayHoldMore: false,
      renewal: null,
      answered: true,
      saidGone: 0,
    };
    this.#byKey.set(keyOf(kept), live);
    return live;
  }
}

export function closeStandalone(live: LiveSession): void {
  const { stream } = live;
  live.stream = null;
  stream?.close();
}

/** Returns whether the task's call is under way or of unknown outcome, with the handle still unknown. */
export function isStarting({ handle, calls, work }: WatchedTask): boolean {
  return handle === null && (calls.call !== null || work.state === "starting");
}

/**
 * Returns the tasks that may ask in the session, even if nobody waits for their questions: a task cancelled
 * here, or of unknown start, may live on at the server. Excludes tasks that were never called, and those that
 * have ended by the server's word.
 */
export function thoseThatMayAsk({ tasks, record, shared }: LiveSession): SessionTask[] {
  // A session of its own is opened for its one task: what is asked there is asked of nobody else, however early.
  const isOwn = !shared && !record.others?.length;
  const watched = [...tasks].filter(
    (task) => isOwn || isStarting(task) || !LIVES_NOWHERE.has(task.work.state),
  );
  const others = (record.others ?? []).filter((id) => !watched.some((task) => task.id === id));
  return [
    ...watched.map((task) => ({ id: task.id, isStarting: isStarting(task) })),
    ...others.map((id) => ({ id, isStarting: true })),
  ];
}

const LIVES_NOWHERE = new Set<TaskState>(["queued", "start_unknown", "completed", "failed"]);

/** The task, or what a call of its made, may live on in its session, which it leaves. Stored with the tasks that stay. */
export function leaveBehind({ id, live }: WatchedTask): void {
  if (!live || live.record.others?.includes(id)) return;
  live.record.others = [...(live.record.others ?? []), id].slice(-MOST_OTHERS);
  for (const task of live.tasks) task.idsChanged = true;
}

/** Maximum number of left tasks noted per session; with so long a list, elimination proves nothing anyway. */
const MOST_OTHERS = 100;

/**
 * Claims the session's turn for a question stream (`tasks/result`). On a shared session whose server does not
 * name tasks, one task at a time has such a stream open, so that an unnamed question is its own. Returns
 * false while another task has the turn, or a call is under way, which could ask too; `endTurn` returns the
 * next task to wake.
 */
export function takeTurn(live: LiveSession, entry: WatchedTask, traits: Traits): boolean {
  if (live.asking === entry) return true;
  const isAlone = live.tasks.size === 1 || traits.namesTask === true;
  const isFree = live.asking === null && ![...live.tasks].some(isFreshCall);
  if (!isAlone && !isFree) {
    live.line.add(entry);
    return false;
  }
  live.line.delete(entry);
  live.asking = entry;
  return true;
}

/**
 * Ends a task's turn, if it has one. Returns the task that waits longest, for the caller to wake, or null.
 */
export function endTurn(live: LiveSession, entry: WatchedTask): WatchedTask | null {
  live.line.delete(entry);
  if (live.asking !== entry) return null;
  live.asking = null;
  const [next] = live.line;
  return next ?? null;
}

/** Returns whether the task may ask an unnamed question: about to call, or expecting a handle any moment. */
function isFreshCall({ calls: { call, callsAt } }: WatchedTask): boolean {
  return call?.result == null && performance.now() < callsAt + CALL_DEADLINE_MS;
}

/** Puts the task into the line of those waiting to call. */
export function waitForCall(live: LiveSession, entry: WatchedTask): void {
  live.callers.set(entry, performance.now());
}

/**
 * Claims the session's turn for a call. Calls go out in the order of their tasks' ids, as long as handles
 * come soon: nobody waits for a slow one. A start that does not return in time loses its place. Returns false
 * if the task has to wait.
 */
export function takeCallTurn(live: LiveSession, entry: WatchedTask, traits: Traits): boolean {
  const now = performance.now();
  const { callers } = live;
  for (const [task, cameAt] of callers)
    if (now > cameAt + CALLER_GONE_MS || task.live !== live) callers.delete(task);
  let first = entry;
  for (const task of callers.keys()) if (task.id < first.id) first = task;
  const isBusy = [...live.tasks].some((task) => task !== entry && isFreshCall(task));
  if (traits.namesTask !== true && live.tasks.size > 1 && (isBusy || first !== entry)) {
    waitForCall(live, entry);
    return false;
  }
  callers.delete(entry);
  setCalls(entry, { callsAt: now });
  return true;
}

const keyOf = (kept: SessionRecord) => kept.id ?? kept.own;
