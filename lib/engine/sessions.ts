/**
 * The 2025-11-25 sessions of one connection, in a watcher's memory. A task has a session of its own where the server
 * allows it: then every question on it is the task's. Where a server caps its sessions, or is a child process with
 * one pipe, tasks share one, and questions are told apart by the task they name.
 */
import type { RpcId, Session, Stream } from "../mcp/peer.ts";
import type { Traits } from "../servers/traits.ts";
import type { TaskEntry } from "./entry.ts";
import {
  BACKOFF_CAP_MS,
  REPLACED_MS,
  SAID_GONE,
  SAID_GONE_CAP_MS,
  SAID_GONE_MS,
  SAID_GONE_WHERE_UNSURE,
} from "./tunables.ts";

/** A session as it is kept: `own` stands for it where the server issues no id. */
export type KeptSession = Session & { own: string };

export interface LiveSession {
  readonly kept: KeptSession;
  readonly tasks: Set<TaskEntry>;
  /** The standalone stream; a session has one at most. */
  stream: Stream | null;
  streamAgainAt: number;
  /** False: the server has no such stream. */
  hasStream: boolean;
  /** The task whose call is under way: one at a time, so that a question before the handle has one owner. */
  caller: TaskEntry | null;
  /** A start of unknown outcome may have left a task in it: it is not closed. */
  mayHoldMore: boolean;
  /** The server forgot it: what all its tasks move to. */
  renewal: Promise<LiveSession> | null;
  /** A request in it was answered, or it was stored by who had seen that. */
  answered: boolean;
  /** How often in a row the server said that it does not know it. */
  saidGone: number;
}

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

  get size(): number {
    return this.#byKey.size;
  }

  /** Puts a task into a session, which becomes known by that. */
  attach(entry: TaskEntry, kept: KeptSession): LiveSession {
    const live = this.#byKey.get(keyOf(kept)) ?? this.#add(kept);
    live.tasks.add(entry);
    entry.live = live;
    return live;
  }

  /** Takes a task out of its session. The session where that was its last task, else null. */
  detach(entry: TaskEntry): LiveSession | null {
    const live = entry.live;
    entry.live = null;
    if (!live) return null;
    live.tasks.delete(entry);
    if (live.tasks.size > 0) return null;
    closeStandalone(live);
    this.#byKey.delete(keyOf(live.kept));
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

  #add(kept: KeptSession): LiveSession {
    const live: LiveSession = {
      kept,
      tasks: new Set(),
      stream: null,
      streamAgainAt: 0,
      hasStream: true,
      caller: null,
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

/**
 * Whether a task may join a session that has others: on servers that do not name the task with their questions
 * nobody could tell whose they are.
 */
export function mayShare(live: LiveSession, entry: TaskEntry, traits: Traits): boolean {
  const others = [...live.tasks].some((task) => task !== entry);
  return !others || traits.namesTask !== false;
}

/**
 * Whose question it is, that came on a session's stream. `owner` is the task whose own call or `tasks/result` the
 * stream belongs to, null for the standalone one. Null: nobody can tell, and a guess could answer another question.
 */
export function attribute(
  live: LiveSession,
  owner: TaskEntry | null,
  relatedTaskId: string | null,
  byHandle: (handle: string) => TaskEntry | null,
): TaskEntry | null {
  if (relatedTaskId !== null) {
    const named = byHandle(relatedTaskId);
    if (named) return named;
    // A task of which nobody knows yet: the one that is being started here.
    if (owner) return owner.handle === null ? owner : null;
    return live.caller ?? only([...live.tasks].filter((task) => task.handle === null));
  }
  if (owner) return owner;
  if (live.tasks.size === 1) return only([...live.tasks]);
  return only([...live.tasks].filter((task) => task === live.caller || awaitsQuestion(task)));
}

function only(tasks: TaskEntry[]): TaskEntry | null {
  return tasks.length === 1 ? (tasks[0] ?? null) : null;
}

function awaitsQuestion({ work }: TaskEntry): boolean {
  const isRunning = work.state === "working" || work.state === "input_required";
  return isRunning && !work.cancelRequested && !work.requests.some(({ state }) => state === "open");
}

/** The tasks that a retraction may be about: the one that was asked under this id, else all of the session. */
export function askedUnder(live: LiveSession, digest: string, rpcId: RpcId): TaskEntry[] {
  const asked = [...live.tasks].filter((task) =>
    task.work.requests.some(({ asks }) =>
      asks.some((ask) => ask.sessionDigest === digest && ask.rpcId === rpcId),
    ),
  );
  return asked.length > 0 ? asked : [...live.tasks];
}

const keyOf = (kept: KeptSession) => kept.id ?? kept.own;
