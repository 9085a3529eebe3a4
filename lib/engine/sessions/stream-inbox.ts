/**
 * The messages on the streams of a connection's sessions. Each is stored on arrival, whatever the state of the start, the
 * circuit, a pause or the lease. Stored messages become a task's question or withdraw one. One inbox per watcher.
 */
import { setTimeout as pause } from "node:timers/promises";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import type { Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { hintStreams, publishChange } from "../../base/live-updates.ts";
import { appendEvents, type NewEvent } from "../../history/events/event-writes.ts";
import { UNHANDLED_CHARACTERS, UNHANDLED_MESSAGES, UNHANDLED_OF_SESSION } from "../../mcp/limits.ts";
import type { RpcId } from "../../mcp/peer.ts";
import {
  attribute,
  attributeByStatus,
  contentOf,
  type SessionTask,
} from "../../mcp/stream-messages/attribute.ts";
import { askUnder, namedTasks, unfinished } from "../../mcp/stream-messages/stream-message-reads.ts";
import type { NewStreamMessage, StreamMessage } from "../../mcp/stream-messages/stream-message-schema.ts";
import {
  markHandled,
  noteCandidates,
  recordMessages,
} from "../../mcp/stream-messages/stream-message-writes.ts";
import { captureQuestion, hasRoom } from "../../requests/capture/question.ts";
import { carryOutVerdict } from "../../requests/capture/settle.ts";
import { judgeDelivery } from "../../requests/deliveries/judge.ts";
import {
  cancelElicitationTask,
  cancelUnlinked,
  linkQuestion,
  lockUnlinked,
  openElicitationTask,
} from "../../requests/elicitation-tasks/elicitation-task-writes.ts";
import { type PutQuestion, readTaskRoom } from "../../requests/elicitation-tasks/room.ts";
import { retractAsk } from "../../requests/retract.ts";
import { isRunning } from "../../tasks/task-status.ts";
import { isPlain } from "../task/send-call.ts";
import { restoreSession, sessionDigest } from "../task/task-secrets.ts";
import {
  CAPTURED_TOGETHER,
  DATABASE_RETRY_MS,
  DRAIN_STREAMS_MS,
  SCAN_ALL_MS,
  STORED_TOGETHER,
} from "../tunables.ts";
import { LeaseLost, type WatcherContext } from "../watcher/context.ts";
import { fencedTransaction, requestIds } from "../watcher/fenced-writes.ts";
import { endingOf, learnFromQuestion, learnWithdrawn, TraitUpdates } from "../watcher/learning.ts";
import { clockMs, isStale, type LiveSession, setCold, type WatchedTask } from "../watcher/watched-task.ts";
import { resetSilence } from "./result-stream.ts";
import { tasksThatMayAsk } from "./sessions.ts";

/** A message that is not handled yet. */
interface UnhandledMessage {
  message: NewStreamMessage;
  /** The handle that the message names; null if it names none, or was read from its row, which has a digest. */
  handle: string | null;
  /** Size of the question, in characters. */
  size: number;
  /** Null if no task of the session is watched any more. */
  session: LiveSession | null;
  /** The tasks of the session when the message came. */
  tasks: SessionTask[];
  receivedAt: number;
  /** Ids of the tasks that may have asked; null before the first try to attribute the message. */
  candidates: string[] | null;
  /** What polls of the candidates have shown since the message came. */
  seen: Map<string, "waiting" | "working">;
  /** The task that asked, if it has the maximum number of open questions already. */
  waitsFor: string | null;
}

interface Dependencies {
  /** Runs a transaction without the fence: what a server said is true whichever engine holds the lease. */
  inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  tasks(): Iterable<WatchedTask>;
  onLeaseLost(): void;
  /** A question that was put as a task of ours is stored: the server may be told of the task. */
  onTaskStored(id: string, rpcId: RpcId, session: LiveSession | null): void;
  /** There is no room for one more task of ours: nothing of the question is kept, and the server is told why. */
  onTaskRefused(rpcId: RpcId, session: LiveSession | null, why: string): void;
}

export class StreamInbox {
  #ctx: WatcherContext;
  #deps: Dependencies;
  /** Messages that are not stored yet. */
  #unstored: UnhandledMessage[] = [];
  /** Messages that are stored and not handled. */
  #stored: UnhandledMessage[] = [];
  #storing: Promise<void> | null = null;
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

  /** Takes a message that just arrived. Returns false if its session has too many unhandled messages already. */
  receive(received: Omit<NewStreamMessage, "id">, session: LiveSession, handle: string | null): boolean {
    this.#bringAllIntoSessions();
    const isQuestion = received.question !== null;
    const most = Math.min(UNHANDLED_MESSAGES * Math.max(1, session.tasks.size), UNHANDLED_OF_SESSION);
    const unsettled = [...this.#unstored, ...this.#stored].filter(
      (one) => one.session === session && (one.message.question !== null) === isQuestion,
    ).length;
    const isLarge = this.#characters() + sizeOf(received) > UNHANDLED_CHARACTERS;
    if (unsettled >= most || isLarge) {
      if (received.elicitationTask)
        this.#deps.onTaskRefused(received.rpcId, session, "Too many questions wait: ask again later");
      return false;
    }
    const message = { ...received, id: uuidv7() };
    this.#unstored.push({ ...unhandled(message, session, null), handle });
    this.#begin();
    return true;
  }

  /** Returns the known messages' ids, and room for how many more characters, for reading rows that others stored. */
  room(): { known: string[]; characters: number } {
    const known = [...this.#unstored, ...this.#stored].map(({ message }) => message.id);
    return { known, characters: UNHANDLED_CHARACTERS - this.#characters() };
  }

  #characters(): number {
    let sum = 0;
    for (const { size } of this.#unstored) sum += size;
    for (const { size } of this.#stored) sum += size;
    return sum;
  }

  /** Takes over messages that other engines stored. The watched tasks are known by now. */
  adopt(messages: StreamMessage[]): void {
    const known = new Set([...this.#unstored, ...this.#stored].map(({ message }) => message.id));
    const fresh = messages.filter(({ id }) => !known.has(id));
    // Messages that could not be handled are tried once more.
    if (this.#stored.length > 0) this.#handleAgain();
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
    this.#handleAgain();
  }

  /** Handles the messages that wait for this task, because a step of it is over. */
  reconsider(task: WatchedTask): void {
    const { id, polledAt, checkedAt, work } = task;
    const affected = this.#stored.filter(
      ({ candidates, handle, waitsFor }) =>
        waitsFor === id || candidates?.includes(id) || (handle !== null && handle === task.handle),
    );
    if (affected.length === 0) return;
    // Counts only polls that began after the message came, and were answered.
    for (const { receivedAt, seen } of affected)
      if (polledAt > receivedAt && checkedAt >= polledAt && isRunning(work.state))
        if (seen.get(id) !== "waiting") seen.set(id, work.state === "working" ? "working" : "waiting");
    this.#handleAgain();
  }

  /** Drops the question of a cancelled task of ours whose asking task is not known. */
  async dropTask(elicitationTaskId: string): Promise<void> {
    const one = this.#stored.find(({ message }) => message.elicitationTask?.id === elicitationTaskId);
    if (one) await this.#settle(one, null);
  }

  /** Whether any message is not handled yet. */
  get hasOpen(): boolean {
    return this.#unstored.length + this.#stored.length > 0;
  }

  /** Whether a question came in this session whose task is not known. */
  hasUnattributed(session: LiveSession): boolean {
    return this.#stored.some((one) => one.session === session && one.message.question !== null);
  }

  /** Ends the inbox: resolves when all messages are stored and handled, or after `DRAIN_STREAMS_MS`. */
  async end(): Promise<void> {
    this.#isEnding = true;
    const done = async () => {
      while (this.#unstored.length > 0 || this.#handling) {
        this.#begin();
        await Promise.all([this.#storing, this.#handling]);
      }
    };
    await Promise.race([done(), pause(DRAIN_STREAMS_MS, null, { ref: false })]);
    this.#isGone = true;
  }

  /** Storing and handling run side by side, so that a lock that blocks handling does not delay storing. */
  #begin(): void {
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = null;
      if (this.#unstored.length > 0) this.#begin();
    });
  }

  /** Stores until nothing is left. Never rejects. */
  async #storeAll(): Promise<void> {
    while (this.#unstored.length > 0) {
      if (await this.#store()) this.#handleAgain();
      else await pause(DATABASE_RETRY_MS / 4);
    }
  }

  #handleAgain(): void {
    this.#handleOnceMore = true;
    this.#handling ??= this.#handleAll().finally(() => {
      this.#handling = null;
      if (this.#handleOnceMore) this.#handleAgain();
    });
  }

  async #handleAll(): Promise<void> {
    while (this.#handleOnceMore && !this.#isGone) {
      this.#handleOnceMore = false;
      await this.#handle();
    }
    this.#handleOnceMore = false;
  }

  /** Returns false if the database is down. */
  async #store(): Promise<boolean> {
    const some = this.#unstored.slice(0, STORED_TOGETHER);
    try {
      await this.#record(some);
    } catch (error) {
      const { log } = this.#ctx;
      if (isDatabaseDown(error)) {
        log.warn(
          { err: error, messages: this.#unstored.length },
          "what came on streams waits for the database",
        );
        return false;
      }
      // One of them can't be stored. Stores each alone, so that this one does not block the others.
      for (const one of some)
        await this.#record([one]).catch((cause: unknown) => {
          if (isDatabaseDown(cause)) return;
          log.error({ err: cause }, "a message of a stream could not be stored");
          this.#unstored = this.#unstored.filter((other) => other !== one);
        });
    }
    return true;
  }

  async #record(some: UnhandledMessage[]): Promise<void> {
    const { connectionId } = this.#ctx;
    const { stored, opened, refused } = await this.#deps.inTransaction(async (tx) => {
      const opened = new Map<UnhandledMessage, string>();
      const refused = new Map<UnhandledMessage, string>();
      const news: UnhandledMessage[] = [];
      const waiting = this.#stored.flatMap((one) => this.#put(one) ?? []);
      const next = some.flatMap((one) => this.#put(one) ?? []);
      const room = next.length > 0 ? await readTaskRoom(tx, connectionId, waiting, next) : () => null;
      for (const one of some) {
        const put = this.#put(one);
        const { elicitationTask: task, question } = one.message;
        if (!put || !task || !question) {
          news.push(one);
          continue;
        }
        const asked = { ...one.message, task, question };
        const made = await openElicitationTask(tx, connectionId, asked, () => room(put));
        if ("refusal" in made) {
          refused.set(one, made.refusal);
          continue;
        }
        opened.set(one, made.id);
        if (made.isNew) news.push(one);
      }
      const stored = await recordMessages(
        tx,
        connectionId,
        news.map(({ message, receivedAt }) => ({ ...message, heardAgoMs: clockMs() - receivedAt })),
      );
      // Another engine may watch the connection by now, and gets a hint.
      if (this.#isGone) await hintStreams(tx, connectionId);
      return { stored, opened, refused };
    });
    this.#unstored = this.#unstored.filter((one) => !some.includes(one));
    this.#stored.push(...some.filter(({ message }) => stored.has(message.id)));
    for (const [{ message, session }, id] of opened) this.#deps.onTaskStored(id, message.rpcId, session);
    for (const [{ message, session }, why] of refused) this.#deps.onTaskRefused(message.rpcId, session, why);
  }

  /** A question that is put as a task of ours, and who may have asked it; null: it is none. */
  #put(one: UnhandledMessage): PutQuestion | null {
    const { elicitationTask: task, question, streamTaskId } = one.message;
    if (!task || !question) return null;
    const asking = one.waitsFor ?? this.#taskByHandle(one)?.id ?? streamTaskId;
    const askingTasks = asking ? [asking] : (one.candidates ?? one.tasks.map(({ id }) => id));
    return { id: task.id, question, askingTasks };
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
    setTimeout(() => this.#handleAgain(), pauseMs).unref();
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
      const taskId = one.waitsFor ?? (await this.#taskOf(one, named, attributed));
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
      taskId: named.get(namedDigest.toString("hex")) ?? this.#taskByHandle(one)?.id ?? null,
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
        const waits = task?.work.state === "input_required" && !isStale(task);
        return {
          id,
          seen: (task && seen.get(id)) ?? null,
          waitsUnasked: waits && task.work.requests.length === 0,
        };
      }),
    );
    if (taskId === null || attributed.has(taskId)) return null;
    attributed.add(taskId);
    return taskId;
  }

  /** Finds the task in memory, because the reply that names the handle may not be stored yet. */
  #taskByHandle({ handle }: UnhandledMessage): WatchedTask | null {
    return handle === null ? null : this.#ctx.taskByHandle(handle);
  }

  /** Restores every task's session, because a task may ask there before its first step in this watcher. */
  #bringAllIntoSessions(): void {
    for (const task of this.#deps.tasks()) if (task.work.state !== "queued") restoreSession(this.#ctx, task);
  }

  /** Keeps a question whose task is not known, and wakes every task that may have asked. */
  async #leaveOpen(one: UnhandledMessage, candidates: string[]): Promise<void> {
    const { log, serverId } = this.#ctx;
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
    await this.#ctx.transaction(async (tx) => {
      await noteCandidates(tx, one.message.id, candidates);
      await publishChange(tx, "task", candidates);
      await publishChange(tx, "server", [serverId]);
    });
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
    const task = this.#ctx.task(taskId);
    const done: UnhandledMessage[] = [];
    const work = async (tx: Tx) => {
      done.length = 0;
      const lessons = new TraitUpdates(this.#ctx);
      const events: NewEvent[] = [];
      for (const one of questions) {
        const { message } = one;
        const question = message.question!;
        if (!(await hasRoom(tx, taskId, question))) {
          one.waitsFor = taskId;
          break;
        }
        const isHandled = !(await markHandled(tx, message.id, taskId));
        const kept = message.elicitationTask?.id;
        if (isHandled || (kept !== undefined && !(await lockUnlinked(tx, kept)))) {
          done.push(one);
          continue;
        }
        const digest = message.sessionDigest;
        if (task) learnFromQuestion(lessons, task, question, digest.toString("hex"));
        events.push(
          ...(await captureQuestion(tx, taskId, {
            question,
            key: null,
            rpc: {
              sessionDigest: digest,
              rpcId: message.rpcId,
              messageId: message.id,
              replayed: message.replayed,
              elicitationTaskId: kept,
            },
            // A task of ours lives as long as its ttl says.
            lifetimeMs: kept === undefined ? (lessons.known.questionLifetimeMs ?? null) : null,
          })),
        );
        if (kept !== undefined) await linkQuestion(tx, kept);
        done.push(one);
        const repeated = this.#sameUnattributed(one, taskId, done);
        // As a task of ours it is another way to the same question, and gets the answer as well.
        if (repeated?.message.elicitationTask) questions.push(repeated);
        else if (repeated && (await markHandled(tx, repeated.message.id, taskId))) done.push(repeated);
      }
      await appendEvents(tx, events);
      return lessons;
    };
    await this.#write(task, taskId, work);
    this.#stored = this.#stored.filter((one) => !done.includes(one));
    if (!task || done.length === 0) return;
    const isUnnamed = done.some(({ message }) => message.namedDigest === null);
    if (isUnnamed && task.handle !== null && this.#ctx.traits.namesTask === undefined)
      this.#ctx.learn({ namesTask: false });
    resetSilence(task);
    if (task.calls.call) task.calls.call.hasAsked = true;
    this.#ctx.wake(taskId, 0);
  }

  /** Writes about a task in a fenced transaction, and learns the traits that `work` returns. */
  async #write(
    task: WatchedTask | null,
    taskId: string,
    work: (tx: Tx) => Promise<TraitUpdates>,
  ): Promise<void> {
    const lessons = await (task
      ? fencedTransaction(this.#ctx, task, work)
      : this.#ctx.transaction(work, taskId));
    lessons.learn(this.#ctx);
  }

  /** Returns the same question without a known task, if the server repeated it on a stream that names the task. */
  #sameUnattributed(
    one: UnhandledMessage,
    taskId: string,
    done: UnhandledMessage[],
  ): UnhandledMessage | null {
    const content = contentOf(one.message.question!);
    const same = this.#stored.find(
      (other) =>
        other !== one &&
        !done.includes(other) &&
        other.session === one.session &&
        other.candidates?.includes(taskId) &&
        other.message.question !== null &&
        contentOf(other.message.question) === content,
    );
    return same ?? null;
  }

  /** Handles the server's withdrawal of a question. */
  async #retract(one: UnhandledMessage): Promise<void> {
    const { connectionId } = this.#ctx;
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
    const { taskId, elicitationTaskId } = ask;
    const task = this.#ctx.task(taskId);
    const work = async (tx: Tx) => {
      const lessons = new TraitUpdates(this.#ctx);
      await markHandled(tx, one.message.id, taskId);
      const wasTask = elicitationTaskId !== null;
      if (wasTask) await cancelElicitationTask(tx, connectionId, elicitationTaskId);
      const way = wasTask ? { elicitationTaskId } : { sessionDigest, rpcId };
      const request = await retractAsk(tx, taskId, way);
      if (!request) return lessons;
      const verdict = judgeDelivery(request.delivery, { kind: "retracted" });
      // By the row, since the task in memory may not have the question yet, and would teach nothing.
      const ageMs = wasTask ? null : request.ageMs;
      if (verdict === "withdraw") learnWithdrawn(lessons, ageMs);
      const ending = endingOf(lessons, ageMs);
      const events = await carryOutVerdict(tx, requestIds(taskId, request), verdict, ending);
      await appendEvents(tx, events);
      return lessons;
    };
    await this.#write(task, taskId, work);
    this.#stored = this.#stored.filter((other) => other !== one);
    this.#ctx.wake(taskId, 0);
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
    this.#stored = this.#stored.filter((other) => other !== one);
  }
}

function unhandled(
  message: NewStreamMessage,
  session: LiveSession | null,
  candidates: string[] | null,
): UnhandledMessage {
  const tasks = session ? tasksThatMayAsk(session) : [];
  const size = sizeOf(message);
  return {
    message,
    handle: null,
    size,
    session,
    tasks,
    receivedAt: clockMs(),
    candidates,
    seen: new Map(),
    waitsFor: null,
  };
}

function sizeOf({ question }: Pick<NewStreamMessage, "question">): number {
  if (!question) return 0;
  const schema = JSON.stringify(question.requestedSchema)?.length ?? 0;
  return question.message.length + schema + (question.url?.length ?? 0);
}
