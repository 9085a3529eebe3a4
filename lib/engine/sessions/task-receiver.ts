/**
 * Answers what a server of 2025-11-25 asks of the tasks that Intray keeps for it: questions that it put as tasks. All that is
 * said comes from rows, so that the next process goes on where one was killed; only requests that are being answered are in
 * memory. One receiver per watcher.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "../../base/content/content.ts";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import type { Tx } from "../../base/db/db.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { readLockedWork } from "../../lifecycle/engine-task-reads.ts";
import { type AnswerBody, PeerError, type RpcId, type TaskRequest, type ToServer } from "../../mcp/peer.ts";
import { askedMeanwhile } from "../../requests/capture/asks.ts";
import { carryOutVerdict } from "../../requests/capture/settle.ts";
import {
  markAccepted,
  markSending,
  markUnsent,
  releaseHeld,
} from "../../requests/deliveries/delivery-writes.ts";
import { judgeDelivery } from "../../requests/deliveries/judge.ts";
import {
  answerOf,
  type ElicitationTask,
  findElicitationTask,
  listElicitationTasks,
  type UnattendedTask,
  unattendedTasks,
} from "../../requests/elicitation-tasks/elicitation-task-reads.ts";
import type { WaitingResult } from "../../requests/elicitation-tasks/elicitation-task-schema.ts";
import { statusOf } from "../../requests/elicitation-tasks/elicitation-task-status.ts";
import {
  addWaiting,
  cancelElicitationTask,
  cancelUnlinked,
  completeElicitationTasks,
  markAnnounced,
  noteFetch,
  noteLook,
  removeWaiting,
} from "../../requests/elicitation-tasks/elicitation-task-writes.ts";
import { toResult, toTask } from "../../requests/elicitation-tasks/wire.ts";
import { retractAsk } from "../../requests/retract.ts";
import { mayPutTasks } from "../../servers/traits.ts";
import { statusOf as statusText } from "../task/judge-poll.ts";
import { restoreSession, sessionDigest } from "../task/task-secrets.ts";
import {
  AFTER_ANSWER_MS,
  CALL_DEADLINE_MS,
  DATABASE_RETRY_MS,
  DRAIN_STREAMS_MS,
  LISTED_TOGETHER,
  RETELL_MS,
  TASK_REQUESTS,
  TASK_REQUESTS_AT_ONCE,
  UNATTENDED_TOGETHER,
  WAITING_RESULTS,
} from "../tunables.ts";
import { callOptions, LeaseLost, type WatcherContext } from "../watcher/context.ts";
import { requestIds, retryUntilStored } from "../watcher/fenced-writes.ts";
import type { LiveSession, WatchedTask } from "../watcher/watched-task.ts";

interface Dependencies {
  /** Runs a transaction without the fence: what a server asked is true whichever engine holds the lease. */
  inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  tasks(): Iterable<WatchedTask>;
  /** Drops the question of a cancelled task whose asking task is not known. */
  dropQuestion(id: string): Promise<void>;
  onLeaseLost(): void;
}

/** A task of which the server is still to be told something. */
interface Unattended extends Omit<UnattendedTask, "createdAt"> {
  /** When the server may be told again after a failure; monotonic, in ms. */
  againAt: number;
}

/** A request whose only waiting reader is a `tasks/result` of this task. */
type Dropped = WaitingResult & { exceptFor: string | null };

/** An answer that is about to be handed over: that is committed. */
interface Begun {
  body: AnswerBody;
  /** The attempt that the fetch is, or null if the server has had the answer before. */
  attempt: number | null;
  ids: { taskId: string; inputRequestId: string; deliveryId: string };
}

export class TaskReceiver {
  #ctx: WatcherContext;
  #deps: Dependencies;
  #queue: { rpcId: RpcId; session: LiveSession; answer: () => Promise<void> }[] = [];
  #running = 0;
  /** Ids of tasks that have changed, of which the server is to be told; beyond `TASK_REQUESTS` it is not. */
  #changed: { id: string; task: WatchedTask; session: LiveSession }[] = [];
  #telling = 0;
  /** By the task's id. Null: what a process before left is not read yet. */
  #unattended: Map<string, Unattended> | null = null;
  /** What came as long as that is not read. */
  #early: Unattended[] = [];
  /** Requests that nobody waits for, as long as it is not read who waits. */
  #dropped: Dropped[] = [];
  #attending: Promise<void> | null = null;
  /** Ids of the tasks of which the server may have to be told now. */
  #toAttend = new Set<string>();
  #digests = new WeakMap<LiveSession, string>();
  /** Work whose outcome is to be stored before the process ends. */
  #underWay = new Set<Promise<void>>();
  #hasWarned = false;
  #hasEnded = false;

  constructor(ctx: WatcherContext, deps: Dependencies) {
    this.#ctx = ctx;
    this.#deps = deps;
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
    this.#queue.push({ rpcId, session, answer: () => this.#refuse(session, rpcId, -32603, why) });
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
    const dropped = { session: this.#digest(session), rpcId, exceptFor };
    if (this.#unattended) this.#dropAmong(this.#unattended, dropped);
    else {
      this.#dropped.push(dropped);
      if (this.#dropped.length > MOST_DROPPED) this.#dropped.shift();
      for (const one of this.#early)
        if (one.id !== exceptFor) one.waiting = one.waiting.filter((other) => !isSame(other, dropped));
    }
  }

  #dropAmong(unattended: Map<string, Unattended>, { exceptFor, ...dropped }: Dropped): void {
    for (const one of unattended.values()) {
      if (one.id === exceptFor) continue;
      if (isSame({ session: one.sessionDigest, rpcId: one.rpcId }, dropped)) one.isAnnounced = true;
      if (one.waiting.some((other) => isSame(other, dropped)))
        this.#own(this.#removeWaiting(one.id, dropped));
    }
  }

  /** A question was stored that the server put as a task: tells it the task's id. */
  announce(id: string, rpcId: RpcId, session: LiveSession | null): void {
    if (this.#hasEnded || !session) return;
    // The id was reused: answer the newest request with it.
    for (const dropped of this.#dropped)
      if (isSame(dropped, { session: this.#digest(session), rpcId })) dropped.exceptFor = id;
    const one = { id, sessionDigest: this.#digest(session), rpcId, taskId: null, waiting: [] };
    this.#attendTo({ ...one, isAnnounced: false, againAt: 0 });
  }

  /** Tells the server that tasks of ours have changed, and answers whoever waits for their results. */
  tell(task: WatchedTask, ids: string[]): void {
    if (this.#hasEnded || ids.length === 0) return;
    const { session } = task;
    if (session?.record.takesTasks) {
      const room = Math.max(0, TASK_REQUESTS - this.#changed.length);
      this.#changed.push(...ids.slice(0, room).map((id) => ({ id, task, session })));
      this.#pumpChanged();
    }
    this.#attend(ids);
  }

  #pumpChanged(): void {
    while (this.#telling < TASK_REQUESTS_AT_ONCE && this.#changed.length > 0) {
      const { id, task, session } = this.#changed.shift()!;
      this.#telling++;
      const tell = async () => {
        const found = await this.#find(id);
        if (found)
          await this.#send(session, { method: "notifications/tasks/status", params: toTask(found) }, task);
      };
      this.#own(
        tell().finally(() => {
          this.#telling--;
          this.#pumpChanged();
        }),
      );
    }
  }

  /** Looks again at what waits for the task, because a step of it is over. */
  reconsider({ id }: WatchedTask): void {
    if (this.#hasEnded) return;
    const now = performance.now();
    if (this.#unattended === null) {
      if (mayPutTasks(this.#ctx.traits) || this.#ctx.traits.putsTasks) this.#attend([]);
      return;
    }
    const concerned: string[] = [];
    for (const { id: one, taskId, againAt } of this.#unattended.values())
      if (now >= againAt && (taskId === id || taskId === null)) concerned.push(one);
    if (concerned.length > 0) this.#attend(concerned);
  }

  /** Answers what still waits at the end of an asking task, before its session goes; for as long as a drain may take. */
  async settle(task: WatchedTask): Promise<void> {
    this.reconsider(task);
    await Promise.race([this.#attending, sleep(DRAIN_STREAMS_MS, null, { ref: false })]);
  }

  /**
   * Ends the receiver: resolves once the outcome of what is under way is stored, or after `DRAIN_STREAMS_MS`. What it was
   * asked and has not answered stays in rows, or is asked again.
   */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#queue = [];
    this.#changed = [];
    const done = async () => {
      while (this.#attending || this.#underWay.size > 0)
        await Promise.all([this.#attending, ...this.#underWay]);
    };
    await Promise.race([done(), sleep(DRAIN_STREAMS_MS, null, { ref: false })]);
  }

  #pump(): void {
    while (this.#running < TASK_REQUESTS_AT_ONCE && this.#queue.length > 0) {
      const { answer } = this.#queue.shift()!;
      this.#running++;
      this.#own(
        answer().finally(() => {
          this.#running--;
          this.#pump();
        }),
      );
    }
  }

  /** Answers a request; waits for the database where that is down, since an error would end the server's own task. */
  async #answer(request: TaskRequest, session: LiveSession): Promise<void> {
    while (!this.#hasEnded) {
      try {
        return await this.#process(request, session);
      } catch (error) {
        if (isAway(error)) await sleep(DATABASE_RETRY_MS, null, { ref: false });
        else if (error instanceof PeerError || error instanceof LeaseLost) throw error;
        else {
          this.#ctx.log.error({ err: error, method: request.method }, "a request for a task of ours failed");
          return this.#refuse(session, request.rpcId, -32603, "Internal error");
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
      if (!page) return this.#refuse(session, rpcId, -32602, "Invalid cursor");
      const { tasks, next } = page;
      return this.#send(session, {
        id: rpcId,
        result: { tasks: tasks.map(toTask), ...(next !== null && { nextCursor: next }) },
      });
    }
    const { taskId: id } = request;
    const found = await this.#find(id, true);
    if (!found) return this.#refuse(session, rpcId, -32602, "Task not found");
    this.#ctx.learn({ fetches: true });
    switch (request.method) {
      case "tasks/get": {
        const task = await this.#completed(found);
        if (!task) return this.#refuse(session, rpcId, -32602, "Task not found");
        return this.#send(session, { id: rpcId, result: toTask(task) });
      }
      case "tasks/cancel":
        return this.#cancel(found, rpcId, session);
      case "tasks/result": {
        const waiting = { session: this.#digest(session), rpcId };
        const isAdded = await this.#deps.inTransaction((tx) => addWaiting(tx, id, waiting, WAITING_RESULTS));
        if (!isAdded) return this.#refuse(session, rpcId, -32603, "Too many requests wait for this result");
        const { taskId } = found;
        const one = { id, sessionDigest: waiting.session, rpcId, taskId, waiting: [waiting] };
        this.#attendTo({ ...one, isAnnounced: true, againAt: 0 });
      }
    }
  }

  /** Cancels a task for the server, and withdraws its question. */
  async #cancel(found: ElicitationTask, rpcId: RpcId, session: LiveSession): Promise<void> {
    const { connectionId } = this.#ctx;
    const { id, taskId } = found;
    const status = statusOf(found);
    if (status !== "working")
      return this.#refuse(
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
        await appendEvents(tx, await carryOutVerdict(tx, requestIds(taskId, request), verdict, ending));
      }, taskId);
      this.#ctx.wake(taskId, 0);
    }
    const now = await this.#find(id);
    // Its question became known, or its answer due, meanwhile.
    if (!now || statusOf(now) !== "cancelled") {
      if (now && statusOf(now) === "working") return this.#cancel(now, rpcId, session);
      return this.#refuse(session, rpcId, -32602, "Cannot cancel task: it is over");
    }
    await this.#send(session, { id: rpcId, result: toTask(now) });
    this.#attend([id]);
  }

  /** Completes the task first, if its answer waits for nothing but that. Returns it as it is now; null: it is gone. */
  async #completed(found: ElicitationTask): Promise<ElicitationTask | null> {
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
    if (task) this.tell(task, completed);
    if (completed.length > 0) this.#ctx.wake(taskId, 0);
    return this.#find(id);
  }

  #find(id: string, looks = false): Promise<ElicitationTask | null> {
    const { connectionId } = this.#ctx;
    return this.#deps.inTransaction(async (tx) => {
      const found = await findElicitationTask(tx, connectionId, id);
      if (looks && found) await noteLook(tx, id);
      return found;
    });
  }

  #attendTo(one: Unattended): void {
    if (this.#unattended) merge(this.#unattended, one);
    else this.#early.push(one);
    this.#attend([one.id]);
  }

  /** Looks at these tasks, and at what a process before left, if that is still to be read. */
  #attend(ids: string[]): void {
    for (const id of ids) this.#toAttend.add(id);
    this.#attending ??= this.#attendAll().finally(() => {
      this.#attending = null;
      if (this.#toAttend.size > 0 && !this.#hasEnded) this.#attend([]);
    });
  }

  /** Never rejects. */
  async #attendAll(): Promise<void> {
    const { log } = this.#ctx;
    do {
      try {
        this.#unattended ??= await this.#readUnattended();
      } catch (error) {
        if (!isAway(error)) log.error({ err: error }, "could not read the answer for a server's task");
        await sleep(DATABASE_RETRY_MS, null, { ref: false });
        continue;
      }
      const sessions = this.#sessions();
      const due = [...this.#toAttend].slice(0, TASK_REQUESTS_AT_ONCE);
      for (const id of due) this.#toAttend.delete(id);
      await Promise.all(
        due.flatMap((id) => {
          const one = this.#unattended?.get(id);
          return one && performance.now() >= one.againAt ? [this.#attendOne(one, sessions)] : [];
        }),
      );
    } while (this.#toAttend.size > 0 && !this.#hasEnded);
  }

  async #readUnattended(): Promise<Map<string, Unattended>> {
    const { connectionId } = this.#ctx;
    const read = new Map<string, Unattended>();
    let last: UnattendedTask | null = null;
    do {
      const after: UnattendedTask | null = last;
      const rows: UnattendedTask[] = await this.#deps.inTransaction((tx) =>
        unattendedTasks(tx, connectionId, after, UNATTENDED_TOGETHER),
      );
      for (const row of rows) read.set(row.id, { ...row, againAt: 0 });
      last = rows.length === UNATTENDED_TOGETHER ? rows.at(-1)! : null;
    } while (last);
    for (const dropped of this.#dropped.splice(0)) this.#dropAmong(read, dropped);
    // The rows may have been read before these were stored.
    for (const one of this.#early.splice(0)) merge(read, one);
    for (const id of read.keys()) this.#toAttend.add(id);
    return read;
  }

  /** The live sessions of the connection, by their digests in hex. */
  #sessions(): Map<string, LiveSession> {
    const sessions = new Map<string, LiveSession>();
    for (const task of this.#deps.tasks()) {
      const session = task.work.state === "queued" ? task.session : restoreSession(this.#ctx, task);
      if (session) sessions.set(this.#digest(session), session);
    }
    return sessions;
  }

  /** Tells the server what it is to be told of one task. Never rejects. */
  async #attendOne(one: Unattended, sessions: Map<string, LiveSession>): Promise<void> {
    try {
      const found = await this.#find(one.id);
      one.taskId = found?.taskId ?? one.taskId;
      if (!one.isAnnounced) await this.#announceNow(one, found, sessions);
      // The server may have given up on it meanwhile.
      for (const waiting of [...one.waiting])
        if (one.waiting.some((other) => isSame(other, waiting)))
          await this.#answerWaiting(one, waiting, sessions);
      if (one.isAnnounced && one.waiting.length === 0) this.#unattended?.delete(one.id);
    } catch (error) {
      one.againAt = performance.now() + RETELL_MS;
      if (error instanceof LeaseLost) this.#deps.onLeaseLost();
      else {
        const level = isAway(error) || error instanceof PeerError ? "debug" : "error";
        this.#ctx.log[level]({ err: error }, "a server could not be told of a task of ours yet");
      }
      setTimeout(() => this.#attend([one.id]), RETELL_MS).unref();
    }
  }

  async #announceNow(
    one: Unattended,
    found: ElicitationTask | null,
    sessions: Map<string, LiveSession>,
  ): Promise<void> {
    const session = sessions.get(one.sessionDigest);
    // The server asks for its task at once, and not again where nobody listens: the next step opens the stream.
    if (session?.hasStream && !session.isListening && !(session.stream && this.#ctx.sessions.opensLate))
      return;
    // Without its session, nobody waits for the reply any more.
    if (session && found) {
      const reply = { id: one.rpcId, result: { task: toTask({ ...found, ...AT_FIRST }) } };
      await this.#send(session, reply, this.#askingTask(one)).catch((error: unknown) => {
        if (!isNeverTaken(error)) throw error;
      });
    }
    await this.#deps.inTransaction((tx) => markAnnounced(tx, one.id));
    one.isAnnounced = true;
  }

  /** Answers one `tasks/result`, if the task has ended. */
  async #answerWaiting(
    one: Unattended,
    waiting: WaitingResult,
    sessions: Map<string, LiveSession>,
  ): Promise<void> {
    const session = sessions.get(waiting.session);
    // The server asks again from the session that it has now.
    if (!session) return this.#removeWaiting(one.id, waiting);
    const found = await this.#find(one.id);
    const task = found && (await this.#completed(found));
    const status = task && statusOf(task);
    if (status === "working") return;
    if (task && status === "completed") return this.#hand(task, waiting, session);
    const message = status === "cancelled" ? "The task was cancelled" : "Task not found";
    await this.#refuse(session, waiting.rpcId, status === "cancelled" ? -32603 : -32602, message).catch(
      (error: unknown) => {
        if (!isNeverTaken(error)) throw error;
      },
    );
    await this.#removeWaiting(one.id, waiting);
  }

  /** Hands the answer over to a `tasks/result`. The attempt is committed before the first byte, as of any answer. */
  async #hand(task: ElicitationTask, waiting: WaitingResult, session: LiveSession): Promise<void> {
    const { log } = this.#ctx;
    await this.#ctx.mayChange();
    const begun = await this.#ctx.transaction(
      (tx) => this.#beginFetch(tx, task, waiting.session),
      task.taskId!,
    );
    // The server is paused, or the answer was withdrawn this moment.
    if (!begun) return;
    const { ids, attempt } = begun;
    try {
      await this.#send(
        session,
        { id: waiting.rpcId, result: toResult(task.id, begun.body) },
        this.#ctx.task(ids.taskId),
      );
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      // Of unknown outcome the answer stays in `sending`: the same response is sent again, or the server asks again.
      if (error.reached === "maybe" || error.code === "bad_reply" || error.code === "too_large") throw error;
      if (attempt !== null)
        await this.#ctx.transaction((tx) => markUnsent(tx, ids, error.code, 0), ids.taskId);
      if (!isNeverTaken(error)) throw error;
      return this.#removeWaiting(task.id, waiting);
    }
    await retryUntilStored(this.#ctx, () =>
      this.#ctx.unfenced(async (tx) => {
        await removeWaiting(tx, task.id, waiting);
        if (attempt === null) return;
        await markAccepted(tx, ids, attempt);
        await appendEvents(tx, await askedMeanwhile(tx, ids.taskId, ids.inputRequestId));
      }, ids.taskId),
    );
    this.#forgetWaiting(task.id, waiting);
    log.info({ taskId: ids.taskId, inputRequestId: ids.inputRequestId }, "an answer was fetched");
    this.#ctx.wake(ids.taskId, AFTER_ANSWER_MS);
  }

  /** `session`: the one that the answer goes to, as a digest in hex. */
  async #beginFetch(
    tx: Tx,
    { id, taskId, inputRequestId }: ElicitationTask,
    session: string,
  ): Promise<Begun | null> {
    const { connectionId, epoch } = this.#ctx;
    if (!this.#ctx.mayBegin || taskId === null || inputRequestId === null) return null;
    const task = await findElicitationTask(tx, connectionId, id);
    if (!task || statusOf(task) !== "completed" || task.deliveryId === null) return null;
    const ids = { taskId, inputRequestId, deliveryId: task.deliveryId };
    const body = await answerOf(tx, inputRequestId);
    if (!body) return null;
    await noteFetch(tx, id, session);
    if (task.deliveryState !== "pending" && task.deliveryState !== "sending")
      return { body, ids, attempt: null };
    const work = await readLockedWork(tx, connectionId, taskId);
    const request = work?.requests.find((one) => one.id === inputRequestId);
    const ask = request?.asks.find(({ kept }) => kept?.id === id);
    if (!work || !request?.delivery || !ask) return null;
    const { attempts } = request.delivery;
    if (task.deliveryState === "sending") return { body, ids, attempt: attempts };
    const marked = await markSending(tx, ids, {
      epoch,
      askId: ask.id,
      statusBefore: statusText({ status: reportedState(work.state), statusMessage: work.statusMessage }),
      rung: "fetched",
    });
    return marked ? { body, ids, attempt: attempts + 1 } : null;
  }

  async #removeWaiting(id: string, waiting: WaitingResult): Promise<void> {
    this.#forgetWaiting(id, waiting);
    await this.#deps.inTransaction((tx) => removeWaiting(tx, id, waiting));
  }

  #forgetWaiting(id: string, waiting: WaitingResult): void {
    const one = this.#unattended?.get(id);
    if (one) one.waiting = one.waiting.filter((other) => !isSame(other, waiting));
  }

  #askingTask({ taskId }: Unattended): WatchedTask | null {
    return taskId === null ? null : this.#ctx.task(taskId);
  }

  #refuse(session: LiveSession, id: RpcId, code: number, message: string): Promise<void> {
    return this.#send(session, { id, error: { code, message } });
  }

  /** `about`: the task that people see the message at. */
  #send(session: LiveSession, message: ToServer, about: WatchedTask | null = null): Promise<void> {
    const options = about ? callOptions(about, CALL_DEADLINE_MS) : { deadlineMs: CALL_DEADLINE_MS };
    return this.#ctx.peer("2025-11-25").post(session.record, message, options);
  }

  #digest(session: LiveSession): string {
    let digest = this.#digests.get(session);
    if (digest === undefined) {
      digest = sessionDigest(this.#ctx, session.record).toString("hex");
      this.#digests.set(session, digest);
    }
    return digest;
  }

  /** Owns the errors of work that nobody awaits: a server whose reply is lost asks again. */
  #own(work: Promise<void>): void {
    const owned = work
      .catch((error: unknown) => {
        if (error instanceof LeaseLost) this.#deps.onLeaseLost();
        else {
          const level = isAway(error) || error instanceof PeerError ? "debug" : "error";
          this.#ctx.log[level]({ err: error }, "a request for a task of ours was not answered");
        }
      })
      .finally(() => this.#underWay.delete(owned));
    this.#underWay.add(owned);
  }
}

/** Dropped requests that are remembered until it is read who waits: a server may flood us with questions. */
const MOST_DROPPED = 1_000;

/** A task is announced as the specification has it begin, whatever has become of it since. */
const AT_FIRST = { state: "working", requestState: null } as const;

/** The status that the server last reported, of a task that goes on. */
function reportedState(state: string): "working" | "input_required" {
  return state === "input_required" ? "input_required" : "working";
}

/** The server has read the message and will not take it, however often it is sent. */
function isNeverTaken(error: unknown): boolean {
  return error instanceof PeerError && error.reached === "yes" && REFUSALS.has(error.code);
}

const REFUSALS = new Set<PeerError["code"]>(["session_gone", "rejected", "not_supported", "task_not_found"]);

/** The database, or the key of what it holds, is away. */
function isAway(error: unknown): boolean {
  return isDatabaseDown(error) || isUnavailable(error);
}

function merge(unattended: Map<string, Unattended>, one: Unattended): void {
  const known = unattended.get(one.id);
  if (!known) {
    unattended.set(one.id, one);
    return;
  }
  known.isAnnounced &&= one.isAnnounced;
  known.againAt = 0;
  const news = one.waiting.filter((waiting) => !known.waiting.some((other) => isSame(other, waiting)));
  known.waiting = [...known.waiting, ...news];
}

function isSame(a: WaitingResult, b: WaitingResult): boolean {
  return a.session === b.session && a.rpcId === b.rpcId;
}
