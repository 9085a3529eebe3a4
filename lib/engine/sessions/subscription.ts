/**
 * 2026-07-28: streams on which a server notifies changes of watched tasks. Only a speed-up: polls continue. A
 * stream's tasks are fixed at its opening, so new tasks take another one.
 */
import type { Stream, StreamListener } from "../../mcp/peer.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import {
  MIN_POLL_MS,
  OPEN_DEADLINE_MS,
  RESUBSCRIBE_AFTER_FAILURE_MS,
  RESUBSCRIBE_MS,
  SUBSCRIBE_AFTER_MS,
} from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import type { WatchedTask } from "../watcher/watched-task.ts";

/** Maximum number of task ids per stream, because servers refuse larger requests. */
const TASKS_A_STREAM = 500;
/** Maximum number of streams per connection. Further tasks are only polled. */
const MOST_STREAMS = 20;
/** A stream that lasted less than this is not reopened at once. */
const SHORT_MS = 10_000;

interface Listening {
  stream: Stream;
  handles: string[];
}

export class Subscription {
  #ctx: WatcherContext;
  #handles: () => string[];
  #all: Listening[] = [];
  /** Handles that any open stream covers. */
  #covered = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #notBefore = 0;
  #closed = false;

  /** `handles` returns the server's ids of the tasks running now. */
  constructor(ctx: WatcherContext, handles: () => string[]) {
    this.#ctx = ctx;
    this.#handles = handles;
  }

  /** Schedules a subscription that covers a running task. */
  follow(handle: string): void {
    if (this.#covered.has(handle) || this.#timer || this.#closed || performance.now() < this.#notBefore)
      return;
    this.#timer = setTimeout(() => {
      void this.#openFor()
        .catch((error: unknown) => {
          // The subscription is only a speed-up: polls continue.
          this.#ctx.log.warn({ err: error }, "a subscription failed");
          this.#notBefore = performance.now() + RESUBSCRIBE_AFTER_FAILURE_MS;
        })
        .finally(() => {
          this.#timer = undefined;
        });
    }, SUBSCRIBE_AFTER_MS);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { stream } of this.#all.splice(0)) stream.close();
  }

  /** Covers tasks without a stream: reopens the emptiest stream with them, or opens another one. */
  async #openFor(): Promise<void> {
    if (this.#ctx.paused) return;
    const running = new Set(this.#handles());
    const uncovered = [...running].filter((handle) => !this.#covered.has(handle));
    if (uncovered.length === 0) return;
    const lists = this.#all.map((listening) => ({
      listening,
      kept: listening.handles.filter((handle) => running.has(handle)),
    }));
    const fewest = lists.sort((a, b) => a.kept.length - b.kept.length)[0];
    const isFull = !fewest || fewest.kept.length >= TASKS_A_STREAM;
    if (isFull && lists.length >= MOST_STREAMS) {
      this.#notBefore = performance.now() + RESUBSCRIBE_AFTER_FAILURE_MS;
      return;
    }
    const kept = isFull ? [] : fewest.kept;
    const added = uncovered.slice(0, TASKS_A_STREAM - kept.length);
    if (!(await this.#open([...kept, ...added]))) return;
    // The old stream closes only now, so that no change in between is missed.
    if (!isFull) this.#drop(fewest.listening);
    // A poll finds what changed before the new stream was open.
    for (const handle of added) this.#pollTask(handle);
  }

  async #open(handles: string[]): Promise<boolean> {
    const since = performance.now();
    let listening: Listening | null = null;
    let isOver = false;
    // The next step of any of its tasks reopens the stream.
    const onBroken = () => {
      isOver = true;
      if (listening) this.#forget(listening);
      if (performance.now() - since < SHORT_MS)
        this.#notBefore = performance.now() + RESUBSCRIBE_AFTER_FAILURE_MS;
    };
    try {
      const peer = this.#ctx.peer("2026-07-28");
      const options = { deadlineMs: OPEN_DEADLINE_MS };
      const stream = await peer.subscribe(handles, this.#listener(onBroken), options);
      if (!stream) this.#notBefore = performance.now() + RESUBSCRIBE_MS;
      if (this.#closed) stream?.close();
      if (!stream || this.#closed || isOver) return false;
      listening = { stream, handles };
      this.#all.push(listening);
      for (const handle of handles) this.#covered.add(handle);
      return true;
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      this.#ctx.log.debug({ err: error }, "a subscription was refused");
      this.#notBefore = performance.now() + RESUBSCRIBE_AFTER_FAILURE_MS;
      return false;
    }
  }

  #drop(listening: Listening): void {
    this.#forget(listening);
    listening.stream.close();
  }

  #forget(listening: Listening): void {
    this.#all = this.#all.filter((one) => one !== listening);
    this.#covered = new Set(this.#all.flatMap(({ handles }) => handles));
  }

  #listener(onBroken: () => void): StreamListener {
    return {
      onQuestion: () => undefined,
      onRetracted: () => undefined,
      onStatus: (handle) => {
        this.#ctx.learn({ notifies: true });
        this.#pollTask(handle);
      },
      onProgress: () => undefined,
      onEventId: () => undefined,
      onClosed: (reason) => {
        if (reason !== "closed_here") onBroken();
      },
    };
  }

  #pollTask(handle: string): void {
    const task = this.#ctx.taskByHandle(handle);
    if (task) pollSoon(this.#ctx, task);
  }
}

/** When the last poll caused by a notification was due; monotonic, in ms. */
const polledFor = new WeakMap<WatchedTask, number>();

/**
 * Polls a task after a notification, even if the last poll was a moment ago. Some servers notify on each
 * poll, so these polls are at least `MIN_POLL_MS` apart.
 */
export function pollSoon(ctx: WatcherContext, task: WatchedTask): void {
  const now = performance.now();
  const last = polledFor.get(task) ?? Number.NEGATIVE_INFINITY;
  const due = last > now ? last : Math.max(now, last + MIN_POLL_MS);
  polledFor.set(task, due);
  ctx.wake(task.id, due - now);
}
