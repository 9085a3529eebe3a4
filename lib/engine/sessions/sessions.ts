/**
 * The 2025-11-25 sessions of one connection, in a watcher's memory. A task has a session of its own where the server
 * allows it: then every question on it is the task's. Where a server caps its sessions, or is a child process with
 * one pipe, tasks share one, and questions are told apart by the task they name, or by asking one task after the other.
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
  /** Until then no further one is asked for: the server has just refused; monotonic. */
  fullUntil = 0;
  /** One that the server did not know has answered again: its requests reach more than one instance. */
  #comeBack = false;
  /** How often in a row one could not be opened, for the server did not know it when it had just given it. */
  #inVain = 0;
  /** Sessions in a row in which nothing was ever answered, and until when there is no further one; monotonic. */
  #useless = 0;
  #notBefore = 0;
  /** The server opens its standalone stream with the first event: nobody waits for its headers. */
  opensLate = false;

  get size(): number {
    return this.#byKey.size;
  }

  /** Puts a task into a session, which becomes known by that. */
  attach(entry: WatchedTask, kept: SessionRecord): LiveSession {
    const live = this.#byKey.get(keyOf(kept)) ?? this.#add(kept);
    // It was stored with each of its tasks, at different times.
    if (kept.others && kept !== live.record)
      live.record.others = [...new Set([...(live.record.others ?? []), ...kept.others])];
    // The repeated call brings the task that the first one made, if it did.
    if (live.record.others && entry.work.toolHints?.honoursIdempotencyKey)
      live.record.others = live.record.others.filter((id) => id !== entry.id);
    live.tasks.add(entry);
    live.shared ||= live.tasks.size > 1;
    entry.live = live;
    return live;
  }

  /** Takes a task out of its session. The session where that was its last task, else null. */
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
    // There is room for another one.
    this.fullUntil = 0;
    return live;
  }

  /** A request in it was answered. */
  answered(live: LiveSession): void {
    if (live.saidGone > 0) this.#comeBack = true;
    live.saidGone = 0;
    live.answered = true;
    this.#inVain = 0;
    this.#useless = 0;
    this.#notBefore = 0;
  }

  /**
   * The server says that it does not know a session. Returns the pause before it is asked again, in ms; 0: it is taken
   * at its word. What balances its load may have sent the request to another instance than the session's.
   */
  saidGone(live: LiveSession): number {
    live.saidGone++;
    const enough = this.#comeBack ? SAID_GONE_WHERE_UNSURE : SAID_GONE;
    if (live.saidGone >= enough) return 0;
    return Math.min(SAID_GONE_CAP_MS, SAID_GONE_MS * 2 ** (live.saidGone - 1));
  }

  /** Sessions are opened now. Where nothing was ever answered in the last ones, the next would be no better. */
  get mayOpen(): boolean {
    return performance.now() >= this.#notBefore;
  }

  /** Nothing was answered in the last sessions. */
  get areUseless(): boolean {
    return this.#useless > 0;
  }

  /** A session is given up. */
  gone(live: LiveSession): void {
    if (!live.answered) this.#putOff();
  }

  /** The server gave a session, and did not know it a moment later. True: it does so each time. */
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

  /** The session to share where there can be no further one: the one with the fewest tasks. */
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

/** Its call is under way, or nobody knows what became of it: the server's id of it is not known. */
export function isStarting({ handle, calls, work }: WatchedTask): boolean {
  return handle === null && (calls.call !== null || work.state === "starting");
}

/**
 * Those that may ask in the session, whether anybody wants to hear them or not: a task that is cancelled here, or whose start
 * nobody knows the outcome of, may live at the server. One that was never called, or has ended by the server's word, does not.
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

/** So many are kept of one session; beyond that nothing is told by who is left, for there are as many as that. */
const MOST_OTHERS = 100;

/**
 * Where several tasks share a session, and nobody knows that the server names them, one at a time has its question stream
 * (`tasks/result`) open: then what comes without a name is its own. False: the turn is another's, or a call is under way,
 * whose question it could be as well; the task is woken when it may be its turn.
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

/** Ends a task's turn, if it has it. Returns the one that waits longest, which is to be woken, or null. */
export function endTurn(live: LiveSession, entry: WatchedTask): WatchedTask | null {
  live.line.delete(entry);
  if (live.asking !== entry) return null;
  live.asking = null;
  const [next] = live.line;
  return next ?? null;
}

/** A call whose handle is due any moment, or that is about to be made: what the server asks without a name could be its. */
function isFreshCall({ calls: { call, callsAt } }: WatchedTask): boolean {
  return call?.result == null && performance.now() < callsAt + CALL_DEADLINE_MS;
}

/** Takes a place in the line of those whose calls are to be made. */
export function waitForCall(live: LiveSession, entry: WatchedTask): void {
  live.callers.set(entry, performance.now());
}

/**
 * The same for calls, which go one after the other in the order of their tasks' ids, as they were asked for, as long as their
 * handles come soon: where they do not, nobody waits for them. A start that has not come back for its turn has lost it.
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
