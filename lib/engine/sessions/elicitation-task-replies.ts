/** What is said to a server about its elicitation tasks, and what both its requests and its waiting results need for that. */

import { isUnavailable } from "../../base/content/content.ts";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import type { Tx } from "../../base/db/db.ts";
import type { RpcId, ToServer } from "../../mcp/peer.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import { releaseHeld } from "../../requests/deliveries/delivery-writes.ts";
import {
  type ElicitationTask,
  findElicitationTask,
} from "../../requests/elicitation-tasks/elicitation-task-reads.ts";
import { statusOf, toTask } from "../../requests/elicitation-tasks/elicitation-task-status.ts";
import {
  completeElicitationTasks,
  noteLook,
} from "../../requests/elicitation-tasks/elicitation-task-writes.ts";
import { LeaseLost } from "../db/fence.ts";
import { sessionDigest } from "../task/task-secrets.ts";
import { CALL_DEADLINE_MS, TASK_REQUESTS, TASK_REQUESTS_AT_ONCE } from "../tunables.ts";
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import type { LiveSession, WatchedTask } from "../watcher/watched-task.ts";

interface Dependencies {
  /** Runs a transaction without the fence: what a server asked is true whichever engine holds the lease. */
  inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  onLeaseLost(): void;
  /** Tells the server that elicitation tasks have changed, and answers the requests that wait for their results. */
  tell(task: WatchedTask, ids: string[]): void;
}

export class ElicitationTaskReplies {
  #ctx: WatcherContext;
  #deps: Dependencies;
  /** Ids of tasks that have changed, of which the server is to be told; beyond `TASK_REQUESTS` it is not. */
  #changed: { id: string; task: WatchedTask; session: LiveSession }[] = [];
  #telling = 0;
  #digests = new WeakMap<LiveSession, string>();
  /** Work whose outcome is to be stored before the process ends. */
  readonly underWay = new Set<Promise<void>>();

  constructor(ctx: WatcherContext, deps: Dependencies) {
    this.#ctx = ctx;
    this.#deps = deps;
  }

  inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#deps.inTransaction(work);
  }

  find(id: string, looks = false): Promise<ElicitationTask | null> {
    const { connectionId } = this.#ctx;
    return this.#deps.inTransaction(async (tx) => {
      const found = await findElicitationTask(tx, connectionId, id);
      if (looks && found) await noteLook(tx, id);
      return found;
    });
  }

  /** Completes the task first, if its answer waits for nothing but that. Returns it as it is now; null: it is gone. */
  async completed(found: ElicitationTask): Promise<ElicitationTask | null> {
    const { id, taskId, inputRequestId, deliveryId, isDue } = found;
    if (!isDue || statusOf(found) !== "working") return found;
    if (taskId === null || inputRequestId === null || deliveryId === null) return found;
    await this.#ctx.mayChange();
    const completed = await this.#ctx.transaction(async (tx) => {
      if (!this.#ctx.mayBegin) return [];
      await releaseHeld(tx, taskId);
      return completeElicitationTasks(tx, { taskId, inputRequestId, deliveryId });
    }, taskId);
    const task = this.#ctx.task(taskId);
    if (task) this.#deps.tell(task, completed);
    if (completed.length > 0) this.#ctx.wake(taskId, 0);
    return this.find(id);
  }

  /** Notifies the server of changed tasks, a few at a time. */
  notifyChanged(task: WatchedTask, session: LiveSession, ids: string[]): void {
    const room = Math.max(0, TASK_REQUESTS - this.#changed.length);
    this.#changed.push(...ids.slice(0, room).map((id) => ({ id, task, session })));
    this.#pumpChanged();
  }

  /** Forgets the changes of which the server was not told yet. */
  dropChanged(): void {
    this.#changed = [];
  }

  #pumpChanged(): void {
    while (this.#telling < TASK_REQUESTS_AT_ONCE && this.#changed.length > 0) {
      const { id, task, session } = this.#changed.shift()!;
      this.#telling++;
      const tell = async () => {
        const found = await this.find(id);
        if (found)
          await this.send(session, { method: "notifications/tasks/status", params: toTask(found) }, task);
      };
      this.own(
        tell().finally(() => {
          this.#telling--;
          this.#pumpChanged();
        }),
      );
    }
  }

  refuse(session: LiveSession, id: RpcId, code: number, message: string): Promise<void> {
    return this.send(session, { id, error: { code, message } });
  }

  /** `about`: the task that people see the message at. */
  send(session: LiveSession, message: ToServer, about: WatchedTask | null = null): Promise<void> {
    const options = about ? callOptions(about, CALL_DEADLINE_MS) : { deadlineMs: CALL_DEADLINE_MS };
    return this.#ctx.peer("2025-11-25").post(session.record, message, options);
  }

  digest(session: LiveSession): string {
    let digest = this.#digests.get(session);
    if (digest === undefined) {
      digest = sessionDigest(this.#ctx, session.record).toString("hex");
      this.#digests.set(session, digest);
    }
    return digest;
  }

  /** Owns the errors of work that nobody awaits: a server whose reply is lost asks again. */
  own(work: Promise<void>): void {
    const owned = work
      .catch((error: unknown) => {
        if (error instanceof LeaseLost) this.#deps.onLeaseLost();
        else {
          const level = isAway(error) || error instanceof PeerError ? "debug" : "error";
          this.#ctx.log[level]({ err: error }, "a request for an elicitation task was not answered");
        }
      })
      .finally(() => this.underWay.delete(owned));
    this.underWay.add(owned);
  }
}

/** The database, or the key of what it holds, is away. */
export function isAway(error: unknown): boolean {
  return isDatabaseDown(error) || isUnavailable(error);
}

/** The server has read the message and will not take it, however often it is sent. */
export function isNeverTaken(error: unknown): boolean {
  return error instanceof PeerError && error.reached === "yes" && REFUSALS.has(error.code);
}

const REFUSALS = new Set<PeerError["code"]>(["session_gone", "rejected", "not_supported", "task_not_found"]);
