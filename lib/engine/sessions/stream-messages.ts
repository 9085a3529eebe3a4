/**
 * Handles the stored messages of a connection's streams: each becomes a task's question, or withdraws one. A question whose task
 * is not known waits until it is. stream-inbox.ts stores them.
 */
import { setTimeout as pause } from "node:timers/promises";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import { publishChange } from "../../base/live-updates.ts";
import { attribute, attributeByStatus, wordsHash } from "../../mcp/stream-messages/attribute.ts";
import { askUnder, namedTasks, unfinished } from "../../mcp/stream-messages/stream-message-reads.ts";
import type { StreamMessage } from "../../mcp/stream-messages/stream-message-schema.ts";
import { markHandled, noteCandidates } from "../../mcp/stream-messages/stream-message-writes.ts";
import { cancelUnlinked } from "../../requests/elicitation-tasks/elicitation-task-writes.ts";
import { LeaseLost } from "../db/fence.ts";
import { isPlain } from "../task/send-call.ts";
import { restoreSession, sessionDigest } from "../task/task-secrets.ts";
import { CAPTURED_TOGETHER, DATABASE_RETRY_MS, SCAN_ALL_MS } from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { type LiveSession, setCold, type WatchedTask } from "../watcher/watched-task.ts";
import { noteAsked, storeQuestions, withdrawQuestion } from "./question-writes.ts";
import { isKnownToWait, noteHeard } from "./sessions.ts";
import { taskOfHandle, type UnhandledMessage, unhandled } from "./unhandled-message.ts";

interface Dependencies {
  tasks(): Iterable<WatchedTask>;
  onLeaseLost(): void;
}

export class StreamMessages {
  #ctx: WatcherContext;
  #deps: Dependencies;
  #stored: UnhandledMessage[] = [];
  #handling: Promise<void> | null = null;
  #handleOnceMore = false;
  /** Failed writes since all messages were last handled without one. */
  #failed = 0;
  /** The lease is lost or being released: messages are only stored, for another engine to handle. */
  #isGone = false;
  /** The tasks are leaving their sessions, so elimination proves nothing about who asked. */
  #isEnding = false;
  /** Sessions about which a warning was logged, once each. */
  #warned = new WeakSet<LiveSession>();

  constructor(ctx: WatcherContext, deps: Dependencies) {
    this.#ctx = ctx;
    this.#deps = deps;
  }

  get all(): readonly UnhandledMessage[] {
    return this.#stored;
  }

  /** Resolves when all has been handled that can be now; null: nothing is being handled. */
  get handling(): Promise<void> | null {
    return this.#handling;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Takes messages that this engine has just stored. `handleAgain()` then handles them. */
  add(messages: UnhandledMessage[]): void {
    this.#stored.push(...messages);
  }

  /** Takes messages that other engines stored. The watched tasks are known by now. */
  adopt(fresh: StreamMessage[]): void {
    // Messages that could not be handled are tried once more.
    if (this.#stored.length > 0) this.handleAgain();
    if (fresh.length === 0) return;
    const byDigest = new Map<string, LiveSession>();
    for (const task of this.#deps.tasks()) {
      const session = restoreSession(this.#ctx, task);
      if (session) byDigest.set(sessionDigest(this.#ctx, session.record).toString("hex"), session);
    }
    for (const message of fresh) {
      const candidates = message.candidates.length > 0 ? message.candidates : null;
      const session = byDigest.get(message.sessionDigest.toString("hex")) ?? null;
      this.#stored.push(unhandled(message, session, candidates));
    }
    this.handleAgain();
  }

  /** From now on questions are attributed only where their task is named. */
  beginEnd(): void {
    this.#isEnding = true;
  }

  /** Handles no more: another engine does. */
  leave(): void {
    this.#isGone = true;
  }

  /** Handles the messages that wait for this task, because a step of it is over. */
  reconsider(task: WatchedTask): void {
    const { id } = task;
    const { report } = task.cold;
    const affected = this.#stored.filter(
      ({ candidates, handle, waitsFor }) =>
        waitsFor === id || candidates?.includes(id) || (handle !== null && handle === task.handle),
    );
    if (affected.length === 0) return;
    // Counts only polls that began after the message came.
    for (const { receivedAt, seen } of affected)
      if (report && report.at > receivedAt && seen.get(id) !== "waiting")
        seen.set(id, report.waits ? "waiting" : "working");
    this.handleAgain();
  }

  /** Drops the question of a cancelled elicitation task whose asking task is not known. */
  async dropTask(elicitationTaskId: string): Promise<void> {
    const one = this.#stored.find(({ message }) => message.elicitationTask?.id === elicitationTaskId);
    if (one) await this.#settle(one, null);
  }

  /** Whether a question came in this session whose task is not known. */
  hasUnattributed(session: LiveSession): boolean {
    return this.#stored.some((one) => one.session === session && one.message.question !== null);
  }

  /** Handles all that is stored, again if it is being handled. */
  handleAgain(): void {
    this.#handleOnceMore = true;
    this.#handling ??= this.#handleAll().finally(() => {
      this.#handling = null;
      if (this.#handleOnceMore) this.handleAgain();
    });
  }

  async #handleAll(): Promise<void> {
    while (this.#handleOnceMore && !this.#isGone) {
      this.#handleOnceMore = false;
      await this.#handle();
    }
    this.#handleOnceMore = false;
  }

  /** Handles messages in order of arrival; questions of different tasks concurrently. */
  async #handle(): Promise<void> {
    const failed = this.#failed;
    try {
      const named = await this.#named();
      const run: UnhandledMessage[] = [];
      for (const one of [...this.#stored]) {
        if (one.message.question) {
          run.push(one);
          continue;
        }
        await this.#handleQuestions(run.splice(0), named);
        await this.#isolated(() => this.#retract(one));
      }
      await this.#handleQuestions(run, named);
      if (this.#failed === failed) this.#failed = 0;
      else this.#retryLater();
    } catch (error) {
      if (error instanceof LeaseLost) {
        this.#isGone = true;
        this.#deps.onLeaseLost();
      } else if (isDatabaseDown(error)) {
        await pause(DATABASE_RETRY_MS);
        this.#handleOnceMore = true;
      } else this.#ctx.log.error({ err: error }, "a stream message could not be processed");
    }
  }

  #retryLater(): void {
    const pauseMs = Math.min(DATABASE_RETRY_MS * 2 ** Math.min(this.#failed, 10), SCAN_ALL_MS);
    setTimeout(() => this.handleAgain(), pauseMs).unref();
  }

  /** Logs an error of one task, so that its failed write does not block the others. */
  async #isolated(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      if (error instanceof LeaseLost || isDatabaseDown(error)) throw error;
      this.#failed++;
      this.#ctx.log.error({ err: error }, "a stream message could not be processed");
    });
  }

  async #named(): Promise<Map<string, string>> {
    const digests = this.#stored.flatMap(({ message }) => message.namedDigest ?? []);
    if (digests.length === 0) return new Map();
    const { connectionId } = this.#ctx;
    return this.#ctx.read((tx) => namedTasks(tx, connectionId, digests));
  }

  async #handleQuestions(run: UnhandledMessage[], named: Map<string, string>): Promise<void> {
    const byTask = new Map<string, UnhandledMessage[]>();
    const attributed = new Set<string>();
    for (const one of run) {
      let taskId = one.waitsFor;
      if (taskId === null)
        await this.#isolated(async () => {
          taskId = await this.#taskOf(one, named, attributed);
        });
      if (taskId) byTask.set(taskId, [...(byTask.get(taskId) ?? []), one]);
    }
    await Promise.all(
      [...byTask].map(async ([taskId, questions]) => {
        for (let first = 0; first < questions.length; first += CAPTURED_TOGETHER) {
          const some = questions.slice(first, first + CAPTURED_TOGETHER);
          await this.#isolated(() => this.#capture(taskId, some));
        }
      }),
    );
  }

  /**
   * Returns the task that asked the question, or null if that is not known yet. `attributed`: tasks that got a question
   * by their status in this run; a status proves one question per task.
   */
  async #taskOf(
    one: UnhandledMessage,
    named: Map<string, string>,
    attributed: Set<string>,
  ): Promise<string | null> {
    const { message, session } = one;
    const { streamTaskId, namedDigest } = message;
    const names = namedDigest && {
      taskId: named.get(namedDigest.toString("hex")) ?? taskOfHandle(this.#ctx, one)?.id ?? null,
    };
    if (names?.taskId) return names.taskId;
    if (one.candidates === null) {
      const verdict = attribute({ streamTaskId, named: names }, one.tasks);
      if ("taskId" in verdict) return verdict.taskId;
      await this.#leaveOpen(one, verdict.candidates);
      return null;
    }
    if (this.#isEnding) return null;
    const { candidates, seen } = one;
    if (!candidates.some((id) => this.#ctx.task(id))) {
      // A task whose start has an unknown outcome is not watched, and may have asked.
      const open = await this.#ctx.read((tx) => unfinished(tx, candidates));
      // No candidate is left. A question that names a task of somebody else stays as long as its session.
      const isOver = open.length === 0 && (candidates.length > 0 || !session || session.tasks.size === 0);
      if (isOver) await this.#settle(one, null);
      return null;
    }
    if (names) return null;
    const taskId = attributeByStatus(
      candidates.map((id) => {
        const task = this.#ctx.task(id);
        // One that ended here is asked for nothing any more, where another one waits. One that was asked for its question since
        // the turn in which this one came has put its own.
        const isOut =
          session?.left.has(id) ||
          (one.turnOf !== null && one.turnOf !== id && task !== null && task.work.requests.length > 0);
        return {
          id,
          seen: isOut ? "working" : ((task && seen.get(id)) ?? null),
          waitsUnasked: task !== null && isKnownToWait(task) && task.work.requests.length === 0,
          isCall: one.via === "channel" && task?.handle === null && task.calls.call?.result === null,
        };
      }),
    );
    if (taskId === null || attributed.has(taskId)) return null;
    attributed.add(taskId);
    return taskId;
  }

  /** Keeps a question whose task is not known, and wakes every task that may have asked. */
  async #leaveOpen(one: UnhandledMessage, candidates: string[]): Promise<void> {
    const { log, serverId } = this.#ctx;
    // Noted first: a message whose note failed is tried again as one that was never tried.
    if (candidates.length > 0)
      await this.#ctx.transaction(async (tx) => {
        await noteCandidates(tx, one.message.id, candidates);
        await publishChange(tx, "task", candidates);
        await publishChange(tx, "server", [serverId]);
      });
    one.candidates = candidates;
    if (one.session && !this.#warned.has(one.session)) {
      this.#warned.add(one.session);
      log.warn(
        { serverId, candidates },
        "a question matches several tasks, or none; it is kept until its task is known",
      );
    }
    // It names a task that is none of ours: nobody can do anything about it.
    if (candidates.length === 0) return;
    const tasks = candidates.flatMap((id) => this.#ctx.task(id) ?? []);
    // A plain call makes no task that the question could name.
    const isProof =
      one.message.namedDigest === null &&
      tasks.length === candidates.length &&
      tasks.every(({ work }) => work.durable && !isPlain(work));
    if (isProof && candidates.length > 1) this.#ctx.learn({ namesTask: false });
    for (const task of tasks) {
      // Requests the task's own question soon; a question on that stream is certainly the task's.
      setCold(task, { resultStreamAgainAt: 0, resultStreamUntil: 0 });
      this.#ctx.wake(task.id, 0);
    }
  }

  /** Stores the questions as the task's, in order of arrival. */
  async #capture(taskId: string, questions: UnhandledMessage[]): Promise<void> {
    const done = await storeQuestions(this.#ctx, taskId, questions, (one, done) =>
      this.#sameUnattributed(one, taskId, done),
    );
    this.#drop(done);
    noteAsked(this.#ctx, taskId, done);
  }

  /** Returns the same question without a known task, if the server repeated it on a stream that names the task. */
  #sameUnattributed(
    one: UnhandledMessage,
    taskId: string,
    done: UnhandledMessage[],
  ): UnhandledMessage | null {
    const words = wordsHash(one.message.question!);
    const same = this.#stored.find(
      (other) =>
        other !== one &&
        !done.includes(other) &&
        other.session === one.session &&
        other.candidates?.includes(taskId) &&
        other.message.question !== null &&
        wordsHash(other.message.question) === words,
    );
    return same ?? null;
  }

  /** Handles the server's withdrawal of a question. */
  async #retract(one: UnhandledMessage): Promise<void> {
    const { sessionDigest, rpcId } = one.message;
    const waiting = this.#stored
      .slice(0, this.#stored.indexOf(one))
      .findLast(
        ({ message }) =>
          message.question !== null && message.rpcId === rpcId && message.sessionDigest.equals(sessionDigest),
      );
    const ask = await this.#ctx.read((tx) => askUnder(tx, sessionDigest, rpcId));
    // Such a question is stored once, so that an ask under its id is of a question before.
    if (ask === null || waiting?.message.elicitationTask) {
      if (waiting) await this.#settle(waiting, null);
      return this.#settle(one, null);
    }
    await withdrawQuestion(this.#ctx, one, ask);
    this.#drop([one]);
    this.#ctx.wake(ask.taskId, 0);
  }

  async #settle(one: UnhandledMessage, taskId: string | null): Promise<void> {
    const { serverId } = this.#ctx;
    await this.#ctx.transaction(async (tx) => {
      await markHandled(tx, one.message.id, taskId);
      const kept = one.message.elicitationTask?.id;
      if (kept !== undefined) await cancelUnlinked(tx, kept);
      if (!one.candidates) return;
      await publishChange(tx, "task", one.candidates);
      await publishChange(tx, "server", [serverId]);
    });
    this.#drop([one]);
  }

  /** These are handled: answers that were chosen before may go to another question's id. */
  #drop(handled: UnhandledMessage[]): void {
    this.#stored = this.#stored.filter((one) => !handled.includes(one));
    for (const { session, message } of handled) if (session) noteHeard(session, message.rpcId);
  }
}
