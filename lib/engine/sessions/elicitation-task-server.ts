/**
 * Answers what a server of 2025-11-25 asks of the tasks that Intray keeps for it: questions that it put as tasks. All that is
 * said comes from rows, so that the next process goes on where one was killed; only requests that are being answered are in
 * memory. One per watcher.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Tx } from "../../base/db/db.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import type { RpcId, TaskRequest } from "../../mcp/peer.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import { retractAsk } from "../../requests/capture/ask-writes.ts";
import { carryOutVerdict } from "../../requests/capture/close-request.ts";
import { judgeDelivery } from "../../requests/deliveries/judge-delivery.ts";
import {
  type ElicitationTask,
  listElicitationTasks,
} from "../../requests/elicitation-tasks/elicitation-task-reads.ts";
import { statusOf, toTask } from "../../requests/elicitation-tasks/elicitation-task-status.ts";
import {
  cancelElicitationTask,
  cancelUnlinked,
} from "../../requests/elicitation-tasks/elicitation-task-writes.ts";
import { LeaseLost } from "../db/fence.ts";
import {
  DATABASE_RETRY_MS,
  DRAIN_STREAMS_MS,
  LISTED_TOGETHER,
  TASK_REQUESTS,
  TASK_REQUESTS_AT_ONCE,
} from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import type { LiveSession, WatchedTask } from "../watcher/watched-task.ts";
import { ElicitationTaskReplies, isAway } from "./elicitation-task-replies.ts";
import { UnattendedElicitationTasks } from "./unattended-elicitation-tasks.ts";

/** How often a request is processed before its failure ends the server's own task. */
const REQUEST_TRIES = 3;

interface Dependencies {
  /** Runs a transaction without the fence: what a server asked is true whichever engine holds the lease. */
  inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  tasks(): Iterable<WatchedTask>;
  /** Drops the question of a cancelled task whose asking task is not known. */
  dropQuestion(id: string): Promise<void>;
  onLeaseLost(): void;
}

export class ElicitationTaskServer {
  #ctx: WatcherContext;
  #deps: Dependencies;
  #queue: { rpcId: RpcId; session: LiveSession; answer: () => Promise<void> }[] = [];
  #running = 0;
  readonly #replies: ElicitationTaskReplies;
  readonly #unattended: UnattendedElicitationTasks;
  #hasWarned = false;
  #hasEnded = false;

  constructor(ctx: WatcherContext, deps: Dependencies) {
    this.#ctx = ctx;
    this.#deps = deps;
    this.#replies = new ElicitationTaskReplies(ctx, { ...deps, tell: (task, ids) => this.tell(task, ids) });
    this.#unattended = new UnattendedElicitationTasks(ctx, this.#replies, deps);
  }

  /** Takes a request. Beyond `TASK_REQUESTS` waiting ones it gets no answer. */
  take(request: TaskRequest, session: LiveSession): void {
    if (this.#hasEnded || this.#isFlooded()) return;
    const { rpcId } = request;
    this.drop(rpcId, session, request.method === "tasks/result" ? request.taskId : null);
    this.#queue.push({ rpcId, session, answer: () => this.#answer(request, session) });
    this.#pump();
  }

  /** Refuses to keep one more task for the server. Beyond `TASK_REQUESTS` waiting ones it is told nothing. */
  refuse(rpcId: RpcId, session: LiveSession | null, why: string): void {
    if (this.#hasEnded || !session || this.#isFlooded()) return;
    this.#queue.push({ rpcId, session, answer: () => this.#replies.refuse(session, rpcId, -32603, why) });
    this.#pump();
  }

  #isFlooded(): boolean {
    if (this.#queue.length < TASK_REQUESTS) return false;
    if (!this.#hasWarned)
      this.#ctx.log.warn({ serverId: this.#ctx.serverId }, "a server floods us with requests for tasks");
    this.#hasWarned = true;
    return true;
  }

  /**
   * Nobody waits for a reply to this request any more, which may be a `tasks/result` or have made a task: the server said
   * so, or uses its id for another request, which a late reply would answer. `exceptFor`: the task whose result it is said
   * again to wait for.
   */
  drop(rpcId: RpcId, session: LiveSession, exceptFor: string | null = null): void {
    if (!session.record.takesTasks) return;
    this.#queue = this.#queue.filter((one) => one.session !== session || one.rpcId !== rpcId);
    this.#unattended.drop(rpcId, session, exceptFor);
  }

  /** A question was stored that the server put as a task: tells it the task's id. */
  announce(id: string, rpcId: RpcId, session: LiveSession | null): void {
    this.#unattended.announce(id, rpcId, session);
  }

  /** Tells the server that elicitation tasks have changed, and answers the requests that wait for their results. */
  tell(task: WatchedTask, ids: string[]): void {
    if (this.#hasEnded || ids.length === 0) return;
    const { session } = task;
    if (session?.record.takesTasks) this.#replies.notifyChanged(task, session, ids);
    this.#unattended.attend(ids);
  }

  /** Looks again at what waits for the task, because a step of it is over. */
  reconsider(task: WatchedTask): void {
    this.#unattended.reconsider(task);
  }

  /** Answers what still waits at the end of an asking task, before its session goes; for as long as a drain may take. */
  async settle(task: WatchedTask): Promise<void> {
    this.reconsider(task);
    await Promise.race([this.#unattended.attending, sleep(DRAIN_STREAMS_MS, null, { ref: false })]);
  }

  /**
   * Ends the service: resolves once the outcome of what is under way is stored, or after `DRAIN_STREAMS_MS`. What it was
   * asked and has not answered stays in rows, or is asked again.
   */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#unattended.end();
    this.#queue = [];
    this.#replies.dropChanged();
    const done = async () => {
      while (this.#unattended.attending || this.#replies.underWay.size > 0)
        await Promise.all([this.#unattended.attending, ...this.#replies.underWay]);
    };
    await Promise.race([done(), sleep(DRAIN_STREAMS_MS, null, { ref: false })]);
  }

  #pump(): void {
    while (this.#running < TASK_REQUESTS_AT_ONCE && this.#queue.length > 0) {
      const { answer } = this.#queue.shift()!;
      this.#running++;
      this.#replies.own(
        answer().finally(() => {
          this.#running--;
          this.#pump();
        }),
      );
    }
  }

  /** Answers a request; waits for the database where that is down, since an error would end the server's own task. */
  async #answer(request: TaskRequest, session: LiveSession): Promise<void> {
    for (let failed = 0; !this.#hasEnded; ) {
      try {
        return await this.#process(request, session);
      } catch (error) {
        if (error instanceof PeerError || error instanceof LeaseLost) throw error;
        if (isAway(error) || ++failed < REQUEST_TRIES) await sleep(DATABASE_RETRY_MS, null, { ref: false });
        else {
          this.#ctx.log.error(
            { err: error, method: request.method },
            "a request for an elicitation task failed",
          );
          return this.#replies.refuse(session, request.rpcId, -32603, "Internal error");
        }
      }
    }
  }

  async #process(request: TaskRequest, session: LiveSession): Promise<void> {
    const { connectionId } = this.#ctx;
    const { rpcId } = request;
    if (request.method === "tasks/list") {
      const { cursor } = request;
      const page = await this.#deps.inTransaction((tx) =>
        listElicitationTasks(tx, connectionId, cursor, LISTED_TOGETHER),
      );
      if (!page) return this.#replies.refuse(session, rpcId, -32602, "Invalid cursor");
      const { tasks, next } = page;
      return this.#replies.send(session, {
        id: rpcId,
        result: { tasks: tasks.map(toTask), ...(next !== null && { nextCursor: next }) },
      });
    }
    const { taskId: id } = request;
    const found = await this.#replies.find(id, true);
    if (!found) return this.#replies.refuse(session, rpcId, -32602, "Task not found");
    this.#ctx.learn({ fetches: true });
    switch (request.method) {
      case "tasks/get": {
        const task = await this.#replies.completed(found);
        if (!task) return this.#replies.refuse(session, rpcId, -32602, "Task not found");
        return this.#replies.send(session, { id: rpcId, result: toTask(task) });
      }
      case "tasks/cancel":
        return this.#cancel(found, rpcId, session);
      case "tasks/result": {
        if (await this.#unattended.wait(found, rpcId, session)) return;
        return this.#replies.refuse(session, rpcId, -32603, "Too many requests wait for this result");
      }
    }
  }

  /** Cancels a task for the server, and withdraws its question. */
  async #cancel(found: ElicitationTask, rpcId: RpcId, session: LiveSession): Promise<void> {
    const { connectionId } = this.#ctx;
    const { id, taskId } = found;
    const status = statusOf(found);
    if (status !== "working")
      return this.#replies.refuse(
        session,
        rpcId,
        -32602,
        `Cannot cancel task: already in terminal status '${status}'`,
      );
    if (taskId === null) {
      await this.#deps.inTransaction((tx) => cancelUnlinked(tx, id));
      await this.#deps.dropQuestion(id);
    } else {
      await this.#ctx.transaction(async (tx) => {
        if (!(await cancelElicitationTask(tx, connectionId, id))) return;
        const request = await retractAsk(tx, taskId, { elicitationTaskId: id });
        if (!request) return;
        const verdict = judgeDelivery(request.delivery, { kind: "retracted" });
        const ending = { state: "withdrawn", reason: "retracted" } as const;
        await appendEvents(tx, await carryOutVerdict(tx, taskId, request, verdict, ending));
      }, taskId);
      this.#ctx.wake(taskId, 0);
    }
    const now = await this.#replies.find(id);
    // Its question became known, or its answer due, meanwhile.
    if (!now || statusOf(now) !== "cancelled") {
      if (now && statusOf(now) === "working") return this.#cancel(now, rpcId, session);
      return this.#replies.refuse(session, rpcId, -32602, "Cannot cancel task: it is over");
    }
    await this.#replies.send(session, { id: rpcId, result: toTask(now) });
    this.#unattended.attend([id]);
  }
}
