/**
 * Periodic scans for work whose wake-up was lost. Wake-ups only speed the engine up; scans make it correct.
 */

import { watchedTasks } from "../../lifecycle/engine-task-reads.ts";
import { openMessages } from "../../mcp/stream-messages/stream-message-reads.ts";
import type { StreamMessage } from "../../mcp/stream-messages/stream-message-schema.ts";
import { type Known, readKnown } from "../leases/takeover.ts";
import { CALM_SCAN_MS, EMPTY_SCANS, SCAN_ALL_MS, SLOW_SCAN_MS } from "../tunables.ts";
import type { WatcherContext } from "./context.ts";
import type { FailurePolicy } from "./failure-policy.ts";
import type { TaskIndex } from "./task-index.ts";
import { isStale, markStale, type WatchedTask } from "./watched-task.ts";

interface Dependencies {
  taskIndex: TaskIndex;
  failurePolicy: FailurePolicy;
  /** Returns ids of tasks that need work now. */
  scan(): Promise<string[]>;
  /** Settings and sign-in that the watcher started with. */
  known: Known;
  /** Starts watching tasks that are not watched yet. */
  adopt(taskIds: string[]): Promise<void>;
  renewAccess(): void;
  /** What is known of what came on the connection's streams, and how much more is taken. */
  roomForMessages(): { known: string[]; characters: number };
  /** Takes on what came on the connection's streams, whoever stored it. */
  adoptMessages(messages: StreamMessage[]): void;
  onOutdated(): void;
  /** Owns the errors of work that nobody awaits. */
  own(work: Promise<unknown>): void;
}

export class Scans {
  #ctx: WatcherContext;
  #deps: Dependencies;
  #known: Known;
  #timers: NodeJS.Timeout[] = [];
  #hasEnded = false;
  /** Scans in a row that found nothing to do. */
  #emptyScans = 0;

  constructor(ctx: WatcherContext, deps: Dependencies) {
    this.#ctx = ctx;
    this.#deps = deps;
    this.#known = deps.known;
  }

  begin(): void {
    const { own } = this.#deps;
    const { organizationId, connectionId } = this.#ctx;
    const everyMs = () => (this.#emptyScans < EMPTY_SCANS ? SLOW_SCAN_MS : CALM_SCAN_MS);
    this.#again(0, organizationId, everyMs, () => own(this.run()));
    this.#again(
      1,
      connectionId,
      () => SCAN_ALL_MS,
      () => own(this.#scanAll()),
    );
  }

  end(): void {
    this.#hasEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** Something was told: scans come as often as at first again. */
  noteNews(): void {
    if (this.#hasEnded || this.#emptyScans < EMPTY_SCANS) return;
    this.#emptyScans = 0;
    this.end();
    this.#hasEnded = false;
    this.begin();
  }

  #again(place: number, id: string, everyMs: () => number, work: () => void): void {
    this.#timers[place] = setTimeout(
      () => {
        work();
        if (!this.#hasEnded) this.#again(place, id, everyMs, work);
      },
      timeOf(id, everyMs()),
    );
  }

  /** Scans for tasks that need work. `wantsAll` also reads everything else that hints announce. */
  async run(wantsAll = false): Promise<void> {
    const { taskIndex, failurePolicy, adopt, scan } = this.#deps;
    const ids = await scan();
    this.#emptyScans = ids.length > 0 || failurePolicy.lasts ? 0 : this.#emptyScans + 1;
    const unknown = ids.filter((id) => !taskIndex.has(id));
    if (unknown.length > 0) await adopt(unknown);
    if (wantsAll || failurePolicy.lasts) await this.#scanAll();
    if (this.#ctx.paused || failurePolicy.isOpen) return;
    for (const id of ids) {
      const task = taskIndex.get(id);
      if (!task || task.failures > 0 || waitsForPlace(task)) continue;
      markStale(task);
      this.#ctx.wake(id, 0);
    }
  }

  async #scanAll(): Promise<void> {
    const { connectionId } = this.#ctx;
    const { taskIndex, adopt, renewAccess, roomForMessages, adoptMessages, onOutdated } = this.#deps;
    const { known, ids, messages } = await this.#ctx.read(async (tx) => ({
      known: await readKnown(tx, connectionId),
      ids: await watchedTasks(tx, connectionId),
      messages: await openMessages(tx, connectionId, roomForMessages()),
    }));
    const before = this.#known;
    this.#known = known;
    if (known.settings !== before.settings) onOutdated();
    if (known.signedInAt !== before.signedInAt && this.#isInVain()) renewAccess();
    await adopt(ids.filter((id) => !taskIndex.has(id)));
    adoptMessages(messages);
  }

  /**
   * Returns whether anything fails that a new sign-in might fix. If the hint arrived, `renewAccess` has reset
   * all failures already.
   */
  #isInVain(): boolean {
    const { taskIndex, failurePolicy } = this.#deps;
    if (failurePolicy.lasts) return true;
    for (const { failures } of taskIndex) if (failures > 0) return true;
    return false;
  }
}

/**
 * Returns the ms until this id's next scan. All connections of an organization get the same time, to share
 * one transaction; organizations get different ones.
 */
function timeOf(id: string, everyMs: number): number {
  const phase = Number.parseInt(id.slice(-8), 16) % everyMs;
  return everyMs - ((Date.now() - phase) % everyMs);
}

/** Returns whether the task is a due start that waits in its lane; a reload would not start it sooner. */
function waitsForPlace(task: WatchedTask): boolean {
  const { work, heapIndex, due } = task;
  return work.state === "queued" && !isStale(task) && heapIndex !== -1 && due <= performance.now();
}
