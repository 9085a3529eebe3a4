/**
 * 2026-07-28: one stream on which a server tells when a watched task changed, where it honours that. Only a speed-up:
 * the polls go on. It follows the set of tasks by being opened anew.
 */
import { PeerError, type Stream, type StreamListener } from "../mcp/peer.ts";
import type { WatcherContext } from "./entry.ts";
import { MIN_POLL_MS, OPEN_DEADLINE_MS, RESUBSCRIBE_MS, SUBSCRIBE_AFTER_MS } from "./tunables.ts";

/** More ids than this make a request that servers refuse; the tasks beyond are polled all the same. */
const MOST_TASKS = 500;

export class Subscription {
  #ctx: WatcherContext;
  #handles: () => string[];
  #stream: Stream | null = null;
  #told = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #notBefore = 0;
  #closed = false;

  /** `handles`: the tasks that are running now, by the server's ids. */
  constructor(ctx: WatcherContext, handles: () => string[]) {
    this.#ctx = ctx;
    this.#handles = handles;
  }

  /** A running task wants to be told of. */
  follow(handle: string): void {
    const isTold = this.#stream !== null && (this.#told.has(handle) || this.#told.size >= MOST_TASKS);
    if (isTold || this.#timer || this.#closed || performance.now() < this.#notBefore) return;
    this.#timer = setTimeout(() => {
      void this.#open().finally(() => {
        this.#timer = undefined;
      });
    }, SUBSCRIBE_AFTER_MS);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stream?.close();
    this.#stream = null;
  }

  async #open(): Promise<void> {
    const handles = this.#handles().slice(0, MOST_TASKS);
    if (handles.length === 0 || this.#ctx.paused) return;
    try {
      const peer = this.#ctx.peer("2026-07-28");
      const stream = await peer.subscribe(handles, this.#listener(), { deadlineMs: OPEN_DEADLINE_MS });
      if (this.#closed) return stream?.close();
      this.#stream?.close();
      this.#stream = stream;
      this.#told = new Set(handles);
      // What changed before the server listened is found by a look.
      if (stream) for (const handle of handles) this.#wake(handle);
      else this.#notBefore = performance.now() + RESUBSCRIBE_MS;
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      this.#ctx.log.debug({ err: error }, "a subscription was refused");
      this.#notBefore = performance.now() + RESUBSCRIBE_MS / 60;
    }
  }

  #listener(): StreamListener {
    const listener: StreamListener = {
      onQuestion: () => undefined,
      onRetracted: () => undefined,
      onStatus: (handle) => {
        this.#ctx.learn({ notifies: true });
        this.#wake(handle);
      },
      onProgress: () => undefined,
      onEventId: () => undefined,
      onClosed: (reason) => {
        // Opened anew by the next step of any task.
        if (reason !== "closed_here") this.#stream = null;
      },
    };
    return listener;
  }

  #wake(handle: string): void {
    const task = this.#ctx.taskByHandle(handle);
    if (!task) return;
    this.#ctx.wake(task.id, Math.max(0, task.polledAt + MIN_POLL_MS - performance.now()));
  }
}
