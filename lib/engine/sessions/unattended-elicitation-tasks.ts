/**
 * The elicitation tasks of which their server is still to be told something: that there is a task, or the result for which a
 * `tasks/result` waits. What a process before left is read from rows.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { Tx } from "../../base/db/db.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { readLockedWork } from "../../lifecycle/engine-task-reads.ts";
import type { AnswerBody, RpcId } from "../../mcp/peer.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import { askedMeanwhile } from "../../requests/capture/ask-writes.ts";
import { markAccepted, markSending, markUnsent } from "../../requests/deliveries/delivery-writes.ts";
import {
  answerOf,
  type ElicitationTask,
  findElicitationTask,
  isSame,
  type UnattendedTask,
  unattendedTasks,
  type WaitingResult,
} from "../../requests/elicitation-tasks/elicitation-task-reads.ts";
import {
  reportedState,
  statusOf,
  toResult,
  toTask,
} from "../../requests/elicitation-tasks/elicitation-task-status.ts";
import {
  addWaiting,
  markAnnounced,
  noteFetch,
  removeWaiting,
} from "../../requests/elicitation-tasks/elicitation-task-writes.ts";
import { mayPutTasks } from "../../servers/traits.ts";
import { LeaseLost } from "../db/fence.ts";
import { statusOf as statusText } from "../task/judge-poll.ts";
import { restoreSession } from "../task/task-secrets.ts";
import {
  AFTER_ANSWER_MS,
  DATABASE_RETRY_MS,
  MOST_DROPPED,
  RETELL_MS,
  TASK_REQUESTS_AT_ONCE,
  UNATTENDED_TOGETHER,
  WAITING_RESULTS,
} from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { retryUntilStored } from "../watcher/fenced-writes.ts";
import { clockMs, type LiveSession, type WatchedTask } from "../watcher/watched-task.ts";
import { type ElicitationTaskReplies, isAway, isNeverTaken } from "./elicitation-task-replies.ts";

interface Dependencies {
  tasks(): Iterable<WatchedTask>;
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

export class UnattendedElicitationTasks {
  #ctx: WatcherContext;
  #replies: ElicitationTaskReplies;
  #deps: Dependencies;
  /** By the task's id. Null: what a process before left is not read yet. */
  #unattended: Map<string, Unattended> | null = null;
  /** What came as long as that is not read. */
  #early: Unattended[] = [];
  /** Requests that nobody waits for, as long as it is not read who waits. */
  #dropped: Dropped[] = [];
  #attending: Promise<void> | null = null;
  /** Ids of the tasks of which the server may have to be told now. */
  #toAttend = new Set<string>();
  #hasEnded = false;

  constructor(ctx: WatcherContext, replies: ElicitationTaskReplies, deps: Dependencies) {
    this.#ctx = ctx;
    this.#replies = replies;
    this.#deps = deps;
  }

  /** Resolves when the server was told what it can be told now; null: nothing is under way. */
  get attending(): Promise<void> | null {
    return this.#attending;
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** Nobody waits for a reply to this request any more. `exceptFor`: the task whose result it is said again to wait for. */
  drop(rpcId: RpcId, session: LiveSession, exceptFor: string | null): void {
    const dropped = { session: this.#replies.digest(session), rpcId, exceptFor };
    if (this.#unattended) this.#dropAmong(this.#unattended, dropped);
    else {
      this.#dropped.push(dropped);
      if (this.#dropped.length > MOST_DROPPED) this.#dropped.shift();
      for (const one of this.#early)
        if (one.id !== exceptFor) one.waiting = one.waiting.filter((other) => !isSame(other, dropped));
    }
  }

  /** A `tasks/result` waits for the task's result. Returns false if as many wait as may. */
  async wait({ id, taskId }: ElicitationTask, rpcId: RpcId, session: LiveSession): Promise<boolean> {
    const waiting = { session: this.#replies.digest(session), rpcId };
    const isAdded = await this.#replies.inTransaction((tx) => addWaiting(tx, id, waiting, WAITING_RESULTS));
    if (!isAdded) return false;
    const one = { id, sessionDigest: waiting.session, rpcId, taskId, waiting: [waiting] };
    this.#attendTo({ ...one, isAnnounced: true, againAt: 0 });
    return true;
  }

  #dropAmong(unattended: Map<string, Unattended>, { exceptFor, ...dropped }: Dropped): void {
    for (const one of unattended.values()) {
      if (one.id === exceptFor) continue;
      if (isSame({ session: one.sessionDigest, rpcId: one.rpcId }, dropped)) one.isAnnounced = true;
      if (one.waiting.some((other) => isSame(other, dropped)))
        this.#replies.own(this.#removeWaiting(one.id, dropped));
    }
  }

  /** A question was stored that the server put as a task: tells it the task's id. */
  announce(id: string, rpcId: RpcId, session: LiveSession | null): void {
    if (this.#hasEnded || !session) return;
    // The id was reused: answer the newest request with it.
    for (const dropped of this.#dropped)
      if (isSame(dropped, { session: this.#replies.digest(session), rpcId })) dropped.exceptFor = id;
    const one = { id, sessionDigest: this.#replies.digest(session), rpcId, taskId: null, waiting: [] };
    this.#attendTo({ ...one, isAnnounced: false, againAt: 0 });
  }

  /** Looks again at what waits for the task, because a step of it is over. */
  reconsider({ id }: WatchedTask): void {
    if (this.#hasEnded) return;
    const now = performance.now();
    if (this.#unattended === null) {
      if (mayPutTasks(this.#ctx.traits) || this.#ctx.traits.putsTasks) this.attend([]);
      return;
    }
    const concerned: string[] = [];
    for (const { id: one, taskId, againAt } of this.#unattended.values())
      if (now >= againAt && (taskId === id || taskId === null)) concerned.push(one);
    if (concerned.length > 0) this.attend(concerned);
  }

  #attendTo(one: Unattended): void {
    if (this.#unattended) merge(this.#unattended, one);
    else this.#early.push(one);
    this.attend([one.id]);
  }

  /** Looks at these tasks, and at what a process before left, if that is still to be read. */
  attend(ids: string[]): void {
    for (const id of ids) this.#toAttend.add(id);
    this.#attending ??= this.#attendAll().finally(() => {
      this.#attending = null;
      if (this.#toAttend.size > 0 && !this.#hasEnded) this.attend([]);
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
      const rows: UnattendedTask[] = await this.#replies.inTransaction((tx) =>
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
      if (session) sessions.set(this.#replies.digest(session), session);
    }
    return sessions;
  }

  /** Tells the server what it is to be told of one task. Never rejects. */
  async #attendOne(one: Unattended, sessions: Map<string, LiveSession>): Promise<void> {
    try {
      const found = await this.#replies.find(one.id);
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
        this.#ctx.log[level]({ err: error }, "a server could not be told of an elicitation task yet");
      }
      setTimeout(() => this.attend([one.id]), RETELL_MS).unref();
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
      await this.#replies.send(session, reply, this.#askingTask(one)).catch((error: unknown) => {
        if (!isNeverTaken(error)) throw error;
      });
    }
    await this.#replies.inTransaction((tx) => markAnnounced(tx, one.id));
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
    const found = await this.#replies.find(one.id);
    const task = found && (await this.#replies.completed(found));
    const status = task && statusOf(task);
    if (status === "working") return;
    if (task && status === "completed") return this.#hand(task, waiting, session);
    const message = status === "cancelled" ? "The task was cancelled" : "Task not found";
    await this.#replies
      .refuse(session, waiting.rpcId, status === "cancelled" ? -32603 : -32602, message)
      .catch((error: unknown) => {
        if (!isNeverTaken(error)) throw error;
      });
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
    // The server may have taken the id for another request while the attempt was committed.
    if (!this.#isAwaited(task.id, waiting)) {
      if (attempt !== null) await this.#markUnsent(ids, "asked_again");
      return;
    }
    const sentAt = clockMs();
    try {
      await this.#replies.send(
        session,
        { id: waiting.rpcId, result: toResult(task.id, begun.body) },
        this.#ctx.task(ids.taskId),
      );
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      // Of unknown outcome the answer stays in `sending`: the same response is sent again, or the server asks again.
      if (error.reached === "maybe" || error.code === "bad_reply" || error.code === "too_large") throw error;
      if (attempt !== null) await this.#markUnsent(ids, error.code);
      if (!isNeverTaken(error)) throw error;
      return this.#removeWaiting(task.id, waiting);
    }
    await retryUntilStored(this.#ctx, () =>
      this.#ctx.unfenced(async (tx) => {
        await removeWaiting(tx, task.id, waiting);
        if (attempt === null) return;
        await markAccepted(tx, ids, attempt, clockMs() - sentAt);
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

  #isAwaited(id: string, waiting: WaitingResult): boolean {
    return this.#unattended?.get(id)?.waiting.some((other) => isSame(other, waiting)) ?? false;
  }

  async #markUnsent(ids: Begun["ids"], why: string): Promise<void> {
    await retryUntilStored(this.#ctx, () =>
      this.#ctx.transaction((tx) => markUnsent(tx, ids, why, 0), ids.taskId),
    );
  }

  async #removeWaiting(id: string, waiting: WaitingResult): Promise<void> {
    this.#forgetWaiting(id, waiting);
    await this.#replies.inTransaction((tx) => removeWaiting(tx, id, waiting));
  }

  #forgetWaiting(id: string, waiting: WaitingResult): void {
    const one = this.#unattended?.get(id);
    if (one) one.waiting = one.waiting.filter((other) => !isSame(other, waiting));
  }

  #askingTask({ taskId }: Unattended): WatchedTask | null {
    return taskId === null ? null : this.#ctx.task(taskId);
  }
}

/** A task is announced as the specification has it begin, whatever has become of it since. */
const AT_FIRST = { state: "working", requestState: null } as const;

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
