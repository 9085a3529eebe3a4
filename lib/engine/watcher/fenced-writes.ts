/** How the steps of a watched task write: with its lock, its messages, and a fresh reading of the task. */
import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import type { Tx } from "../../base/db/db.ts";
import { storeProtocolMessages } from "../../history/protocol-messages/protocol-message-writes.ts";
import { endTask, type TaskEnd } from "../../lifecycle/end-task.ts";
import type { TaskWork } from "../../lifecycle/engine-task.ts";
import { readLockedWork } from "../../lifecycle/engine-task-reads.ts";
import { LAST_TRIES, STORE_AGAIN_MS } from "../tunables.ts";
import { secretsOf, type WatcherContext } from "./context.ts";
import { toStore } from "./protocol-messages.ts";
import { clockMs, markStale, setCold, type WatchedTask } from "./watched-task.ts";

/**
 * Runs a fenced transaction about one task, stores the task's messages, and reads the task again, for the next
 * step. The task row is locked first, as in people's answers, undos and cancels, so that these and the engine lock in
 * one order.
 */
export function fencedTransaction<T>(
  ctx: WatcherContext,
  task: WatchedTask,
  store: (tx: Tx) => Promise<T>,
): Promise<T> {
  return write(task, store, ctx.transaction, true);
}

/**
 * As `fencedTransaction`, where the task need not be read: a request to the server and another write follow, or the task has ended.
 */
export function fencedBeginning<T>(
  ctx: WatcherContext,
  task: WatchedTask,
  store: (tx: Tx) => Promise<T>,
): Promise<T> {
  return write(task, store, ctx.transaction, false);
}

/**
 * As `fencedBeginning`, for a task for which a hint came and that was not read since: reads it under its lock. `begin` returns
 * null if there is nothing to begin; then the next step need not read the task. It reads before it writes, so it can't be `write()`.
 */
export async function readAndBegin<T>(
  ctx: WatcherContext,
  task: WatchedTask,
  begin: (tx: Tx, work: TaskWork) => Promise<T | null>,
): Promise<{ begun: T; work: TaskWork; at: number } | null> {
  markStale(task);
  const { messages, hints } = task;
  const toKeep = toStore(messages, secretsOf(task));
  const { begun, work, at } = await ctx.transaction(async (tx) => {
    await storeProtocolMessages(tx, task.id, toKeep);
    const work = await readLockedWork(tx, ctx.connectionId, task.id);
    const at = clockMs();
    return { begun: work && (await begin(tx, work)), work, at };
  }, task.id);
  task.messages = task.messages.filter((message) => !messages.includes(message));
  if (work && begun === null && task.hints === hints) setCold(task, { written: { work, hints, at } });
  else markStale(task);
  return work && begun !== null ? { begun, work, at } : null;
}

/** Stores a call's outcome without the fence, because only this engine knows that outcome. */
export function storeOutcome<T>(
  ctx: WatcherContext,
  task: WatchedTask,
  store: (tx: Tx) => Promise<T>,
): Promise<T> {
  return write(task, store, ctx.unfenced, true);
}

async function write<T>(
  task: WatchedTask,
  store: (tx: Tx) => Promise<T>,
  transaction: WatcherContext["unfenced"],
  reads: boolean,
): Promise<T> {
  markStale(task);
  const { messages, hints } = task;
  let read: { work: TaskWork | null; at: number } | null = null;
  const toKeep = toStore(messages, secretsOf(task));
  const result = await transaction(
    async (tx) => {
      await storeProtocolMessages(tx, task.id, toKeep);
      return store(tx);
    },
    task.id,
    reads
      ? (newest) => {
          read = { work: newest, at: clockMs() };
        }
      : undefined,
  );
  task.messages = task.messages.filter((message) => !messages.includes(message));
  // After two writes at a time, or a change by others meanwhile, nobody knows which reading is the newest.
  if (read && task.hints === hints)
    setCold(task, { written: { ...(read as { work: TaskWork | null; at: number }), hints } });
  else markStale(task);
  return result;
}

/**
 * Retries `store` while the database is down, because what the server said exists only in memory until then.
 * Once the watcher leaves, gives up after `LAST_TRIES`, because a process that ends must not take long.
 */
export async function retryUntilStored<T>(
  ctx: Pick<WatcherContext, "leaving">,
  store: () => Promise<T>,
): Promise<T> {
  for (let triesLeft = LAST_TRIES; ; ) {
    try {
      return await store();
    } catch (error) {
      if (ctx.leaving.aborted) triesLeft--;
      if (!isDatabaseDown(error) || triesLeft <= 0) throw error;
      await sleep(STORE_AGAIN_MS);
    }
  }
}

/** Ends the task here, whatever goes on at the server. */
export async function endWatched(ctx: WatcherContext, task: WatchedTask, how: TaskEnd): Promise<void> {
  setCold(task, { mayAskOn: how.state !== "completed" && how.state !== "failed" });
  const ended = await fencedBeginning(ctx, task, (tx) => endTask(tx, task.id, how));
  // It is watched no more, so nothing is left to read.
  if (ended && how.watchForMs === undefined)
    setCold(task, { written: { work: null, hints: task.hints, at: clockMs() } });
}

/** Returns the ids that writes of a delivery take. */
export function idsOf(task: WatchedTask, inputRequestId: string, deliveryId: string) {
  return { taskId: task.id, inputRequestId, deliveryId };
}
