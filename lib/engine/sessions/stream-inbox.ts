/**
 * What comes on the streams of a connection's sessions: stored as it arrives, whatever state the start, the circuit, a pause
 * or the lease is in, and made a task's question, or the end of one, from the stored rows. One of each watcher.
 */
import { setTimeout as pause } from "node:timers/promises";
import { isDatabaseDown, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { appendEvents, type NewEvent } from "../../events/transitions.ts";
import { captureQuestion, carryOutVerdict, hasRoom } from "../../input-requests/capture.ts";
import { judgeDelivery } from "../../input-requests/deliveries/judge.ts";
import { retractAsk } from "../../input-requests/retract.ts";
import { lookAtStreams, publishChange } from "../../live-updates/transitions.ts";
import { questionHash } from "../../mcp/forms/question.ts";
import { NEWS, NEWS_CHARACTERS } from "../../mcp/limits.ts";
import type { Question } from "../../mcp/peer.ts";
import { attribute, attributeByStatus, type SessionTask } from "../../stream-messages/attribute.ts";
import { namedTasks, taskAskedUnder, unfinished } from "../../stream-messages/queries.ts";
import type { NewStreamMessage, StreamMessage } from "../../stream-messages/schema.ts";
import { markHandled, noteCandidates, recordMessages } from "../../stream-messages/transitions.ts";
import { isRunning } from "../../tasks/status.ts";
import { isPlain } from "../task/call.ts";
import { restoreSession, sessionDigest } from "../task/sealed.ts";
import { CAPTURED_TOGETHER, DATABASE_RETRY_MS, DRAIN_STREAMS_MS, STORED_TOGETHER } from "../tunables.ts";
import { fencedTransaction, LeaseLost, type WatcherContext } from "../watcher/context.ts";
import { endingOf, learnFromQuestion, learnWithdrawn, TraitUpdates } from "../watcher/learning.ts";
import { clockMs, type LiveSession, setCold, type WatchedTask } from "../watcher/watched-task.ts";
import { thoseThatMayAsk } from "./sessions.ts";
import { resetSilence } from "./streams.ts";

/** A message that is not dealt with yet. */
interface Open {
  message: NewStreamMessage;
  /** Of the task that it names; null: it names none, or was read from its row, which has a digest of it. */
  handle: string | null;
  /** Of its question, in characters. */
  size: number;
  /** Null: no task of its session is watched any more. */
  session: LiveSession | null;
  /** The tasks of its session when it came. */
  tasks: SessionTask[];
  heardAt: number;
  /** Those that it may be of; null: nobody has looked yet. */
  candidates: string[] | null;
  /** What the looks at them since it came have shown. */
  seen: Map<string, "waiting" | "working">;
  /** The task that it is of, which has as many open questions as are taken at a time. */
  waitsFor: string | null;
}

interface Surroundings {
  /** A transaction of the organization under no fence: what was said is true whoever watches. */
  record<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  tasks(): Iterable<WatchedTask>;
  onLeaseLost(): void;
}

export class StreamInbox {
  #ctx: WatcherContext;
  #around: Surroundings;
  /** Not stored yet. */
  #heard: Open[] = [];
  /** Stored, and not dealt with. */
  #open: Open[] = [];
  #storing: Promise<void> | null = null;
  #dealing: Promise<void> | null = null;
  #again = false;
  /** The lease is gone, or going: what comes now is only stored, and another engine deals with it. */
  #isGone = false;
  /** Its tasks are leaving their sessions, which says nothing of whose a question is. */
  #isEnding = false;
  /** Said once a session, whatever comes on it. */
  #warned = new WeakSet<LiveSession>();

  constructor(ctx: WatcherContext, around: Surroundings) {
    this.#ctx = ctx;
    this.#around = around;
  }

  /** Takes what was just heard. False: more is unsettled in its session than any server could mean. */
  hear(said: Omit<NewStreamMessage, "id">, session: LiveSession, handle: string | null): boolean {
    this.#bringAllIntoSessions();
    const isQuestion = said.question !== null;
    const most = NEWS * Math.max(1, session.tasks.size);
    const unsettled = [...this.#heard, ...this.#open].filter(
      (one) => one.session === session && (one.message.question !== null) === isQuestion,
    ).length;
    const isLarge = this.#characters() + sizeOf(said) > NEWS_CHARACTERS;
    if (unsettled >= most || isLarge) return false;
    const message = { ...said, id: uuidv7() };
    this.#heard.push({ ...opened(message, session, null), handle });
    this.#begin();
    return true;
  }

  /** For reading what was stored by others: what is known of it, and for how many characters of more there is room. */
  room(): { known: string[]; characters: number } {
    const known = [...this.#heard, ...this.#open].map(({ message }) => message.id);
    return { known, characters: NEWS_CHARACTERS - this.#characters() };
  }

  #characters(): number {
    let sum = 0;
    for (const { size } of this.#heard) sum += size;
    for (const { size } of this.#open) sum += size;
    return sum;
  }

  /** Takes on what was stored by others. The watched tasks are known. */
  adopt(messages: StreamMessage[]): void {
    const known = new Set([...this.#heard, ...this.#open].map(({ message }) => message.id));
    const fresh = messages.filter(({ id }) => !known.has(id));
    // What could not be dealt with is looked at once more.
    if (this.#open.length > 0) this.#lookAgain();
    if (fresh.length === 0) return;
    const byDigest = new Map<string, LiveSession>();
    for (const task of this.#around.tasks()) {
      const session = restoreSession(this.#ctx, task);
      if (session) byDigest.set(sessionDigest(this.#ctx, session.record).toString("hex"), session);
    }
    for (const message of fresh) {
      const candidates = message.candidates.length > 0 ? message.candidates : null;
      const session = byDigest.get(message.sessionDigest.toString("hex")) ?? null;
      this.#open.push(opened(message, session, candidates));
    }
    this.#lookAgain();
  }

  /** A step of this task is over: what waits for news of it may be dealt with now. */
  reconsider(task: WatchedTask): void {
    const { id, polledAt, checkedAt, work } = task;
    const mine = this.#open.filter(
      ({ candidates, handle, waitsFor }) =>
        waitsFor === id || candidates?.includes(id) || (handle !== null && handle === task.handle),
    );
    if (mine.length === 0) return;
    // The poll began after it came, and was answered.
    for (const { heardAt, seen } of mine)
      if (polledAt > heardAt && checkedAt >= polledAt && isRunning(work.state))
        if (seen.get(id) !== "waiting") seen.set(id, work.state === "working" ? "working" : "waiting");
    this.#lookAgain();
  }

  /** Something is not dealt with yet. */
  get hasOpen(): boolean {
    return this.#heard.length + this.#open.length > 0;
  }

  /** A question came in this session of which nobody knows whose it is. */
  hasUnattributed(session: LiveSession): boolean {
    return this.#open.some((one) => one.session === session && one.message.question !== null);
  }

  /** The last of this watcher: resolves when all that was heard is stored and dealt with, or after a while. */
  async end(): Promise<void> {
    this.#isEnding = true;
    const done = async () => {
      while (this.#heard.length > 0 || this.#dealing) {
        this.#begin();
        await Promise.all([this.#storing, this.#dealing]);
      }
    };
    await Promise.race([done(), pause(DRAIN_STREAMS_MS, null, { ref: false })]);
    this.#isGone = true;
  }

  /** Neither waits for the other: what is said is stored while something else is held up by a lock. */
  #begin(): void {
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = null;
      if (this.#heard.length > 0) this.#begin();
    });
  }

  /** Never rejects, and goes on as long as anything is to be stored. */
  async #storeAll(): Promise<void> {
    while (this.#heard.length > 0) {
      if (await this.#store()) this.#lookAgain();
      else await pause(DATABASE_RETRY_MS / 4);
    }
  }

  #lookAgain(): void {
    this.#again = true;
    this.#dealing ??= this.#dealAll().finally(() => {
      this.#dealing = null;
      if (this.#again) this.#lookAgain();
    });
  }

  async #dealAll(): Promise<void> {
    while (this.#again && !this.#isGone) {
      this.#again = false;
      await this.#deal();
    }
    this.#again = false;
  }

  /** False: the database is away. */
  async #store(): Promise<boolean> {
    const some = this.#heard.slice(0, STORED_TOGETHER);
    try {
      await this.#record(some);
    } catch (error) {
      const { log } = this.#ctx;
      if (isDatabaseDown(error)) {
        log.warn({ err: error, messages: this.#heard.length }, "what came on streams waits for the database");
        return false;
      }
      // One of them can't be stored: it holds up none of the others.
      for (const one of some)
        await this.#record([one]).catch((cause: unknown) => {
          if (isDatabaseDown(cause)) return;
          log.error({ err: cause }, "a message of a stream could not be stored");
          this.#heard = this.#heard.filter((other) => other !== one);
        });
    }
    return true;
  }

  async #record(some: Open[]): Promise<void> {
    const { organizationId, connectionId } = this.#ctx;
    const stored = await this.#around.record(async (tx) => {
      const ids = await recordMessages(
        organizationId,
        tx,
        connectionId,
        some.map(({ message, heardAt }) => ({ ...message, heardAgoMs: clockMs() - heardAt })),
      );
      // Whoever watches the connection by now is told.
      if (this.#isGone) await lookAtStreams(tx, connectionId);
      return ids;
    });
    this.#heard = this.#heard.filter((one) => !some.includes(one));
    this.#open.push(...some.filter(({ message }) => stored.has(message.id)));
  }

  /** In order of arrival; questions of different tasks beside each other. */
  async #deal(): Promise<void> {
    try {
      const named = await this.#named();
      const run: Open[] = [];
      for (const one of [...this.#open]) {
        if (one.message.question) {
          run.push(one);
          continue;
        }
        await this.#dealWithQuestions(run.splice(0), named);
        await this.#alone(() => this.#takeBack(one));
      }
      await this.#dealWithQuestions(run, named);
    } catch (error) {
      if (error instanceof LeaseLost) {
        this.#isGone = true;
        this.#around.onLeaseLost();
      } else if (isDatabaseDown(error)) {
        await pause(DATABASE_RETRY_MS);
        this.#again = true;
      } else this.#ctx.log.error({ err: error }, "what came on a stream could not be dealt with");
    }
  }

  /** What can't be written of one task holds up none of the others. */
  async #alone(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      if (error instanceof LeaseLost || isDatabaseDown(error)) throw error;
      this.#ctx.log.error({ err: error }, "what came on a stream could not be dealt with");
    });
  }

  async #named(): Promise<Map<string, string>> {
    const digests = this.#open.flatMap(({ message }) => message.namedDigest ?? []);
    if (digests.length === 0) return new Map();
    const { organizationId, connectionId } = this.#ctx;
    return this.#ctx.read((tx) => namedTasks(organizationId, tx, connectionId, digests));
  }

  async #dealWithQuestions(run: Open[], named: Map<string, string>): Promise<void> {
    const byTask = new Map<string, Open[]>();
    const told = new Set<string>();
    for (const one of run) {
      const taskId = one.waitsFor ?? (await this.#whose(one, named, told));
      if (taskId) byTask.set(taskId, [...(byTask.get(taskId) ?? []), one]);
    }
    await Promise.all(
      [...byTask].map(async ([taskId, questions]) => {
        for (let first = 0; first < questions.length; first += CAPTURED_TOGETHER) {
          const some = questions.slice(first, first + CAPTURED_TOGETHER);
          await this.#alone(() => this.#capture(taskId, some));
        }
      }),
    );
  }

  /**
   * The task that a question is of, as far as anybody can know by now. `told`: those that a question was told to be of by
   * their status just now, which tells one of each.
   */
  async #whose(one: Open, named: Map<string, string>, told: Set<string>): Promise<string | null> {
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
      // A start of unknown outcome is not watched, and may have asked.
      const open = await this.#ctx.read((tx) => unfinished(this.#ctx.organizationId, tx, candidates));
      // Nobody is left whose it could be. One that names a task of others' stays as long as its session.
      const isOver = open.length === 0 && (candidates.length > 0 || !session || session.tasks.size === 0);
      if (isOver) await this.#settle(one, null);
      return null;
    }
    if (names) return null;
    const taskId = attributeByStatus(
      candidates.map((id) => {
        const task = this.#ctx.task(id);
        const waits = task?.work.state === "input_required" && !task.stale;
        return {
          id,
          seen: (task && seen.get(id)) ?? null,
          waitsUnasked: waits && task.work.requests.length === 0,
        };
      }),
    );
    if (taskId === null || told.has(taskId)) return null;
    told.add(taskId);
    return taskId;
  }

  /** The server's reply to the call may be here, and not stored yet. */
  #taskByHandle({ handle }: Open): WatchedTask | null {
    return handle === null ? null : this.#ctx.taskByHandle(handle);
  }

  /** A task that was not looked at since its watcher began lives in its session all the same, and may ask there. */
  #bringAllIntoSessions(): void {
    for (const task of this.#around.tasks())
      if (task.work.state !== "queued") restoreSession(this.#ctx, task);
  }

  /** A question that nobody knows the task of: it stays in sight, and each of those that may have asked is looked at. */
  async #leaveOpen(one: Open, candidates: string[]): Promise<void> {
    const { organizationId, log, serverId } = this.#ctx;
    one.candidates = candidates;
    if (one.session && !this.#warned.has(one.session)) {
      this.#warned.add(one.session);
      log.warn({ serverId, candidates }, "a question came that no task can be told for yet");
    }
    // It names a task that is none of ours: nobody can do anything about it.
    if (candidates.length === 0) return;
    await this.#ctx.transaction(async (tx) => {
      await noteCandidates(organizationId, tx, one.message.id, candidates);
      await publishChange(organizationId, tx, "task", candidates);
      await publishChange(organizationId, tx, "server", [serverId]);
    });
    const tasks = candidates.flatMap((id) => this.#ctx.task(id) ?? []);
    // A call that is no task has no task to be named.
    const isProof =
      one.message.namedDigest === null &&
      tasks.length === candidates.length &&
      tasks.every(({ work }) => work.durable && !isPlain(work));
    if (isProof && candidates.length > 1) this.#ctx.learn({ namesTask: false });
    for (const task of tasks) {
      // Asked for its question alone, and soon: what it puts then is its own.
      setCold(task, { resultStreamAgainAt: 0, resultStreamUntil: 0 });
      this.#ctx.wake(task.id, 0);
    }
  }

  /** Makes questions a task's, in the order in which they came. */
  async #capture(taskId: string, questions: Open[]): Promise<void> {
    const { organizationId } = this.#ctx;
    const task = this.#ctx.task(taskId);
    const done: Open[] = [];
    const work = async (tx: Tx) => {
      done.length = 0;
      const lessons = new TraitUpdates(this.#ctx);
      const events: NewEvent[] = [];
      for (const one of questions) {
        const { message } = one;
        const question = message.question!;
        if (!(await hasRoom(organizationId, tx, taskId, question))) {
          one.waitsFor = taskId;
          break;
        }
        if (!(await markHandled(organizationId, tx, message.id, taskId))) {
          done.push(one);
          continue;
        }
        const digest = message.sessionDigest;
        if (task) learnFromQuestion(lessons, task, question, digest.toString("hex"));
        events.push(
          ...(await captureQuestion(organizationId, tx, taskId, {
            question,
            key: null,
            rpc: {
              sessionDigest: digest,
              rpcId: message.rpcId,
              messageId: message.id,
              replayed: message.replayed,
            },
            lifetimeMs: lessons.known.questionLifetimeMs ?? null,
          })),
        );
        done.push(one);
        const repeated = this.#sameUnattributed(one, taskId, done);
        if (repeated && (await markHandled(organizationId, tx, repeated.message.id, taskId)))
          done.push(repeated);
      }
      await appendEvents(organizationId, tx, events);
      return lessons;
    };
    const lessons = await (task
      ? fencedTransaction(this.#ctx, task, work)
      : this.#ctx.transaction(work, taskId));
    lessons.learn(this.#ctx);
    this.#open = this.#open.filter((one) => !done.includes(one));
    if (!task || done.length === 0) return;
    const isUnnamed = done.some(({ message }) => message.namedDigest === null);
    if (isUnnamed && task.handle !== null && this.#ctx.traits.namesTask === undefined)
      this.#ctx.learn({ namesTask: false });
    resetSilence(task);
    if (task.calls.call) task.calls.call.hasAsked = true;
    this.#ctx.wake(taskId, 0);
  }

  /** The same question, of which it was not known whose it is: put again, on a stream that says so. */
  #sameUnattributed(one: Open, taskId: string, done: Open[]): Open | null {
    const content = contentOf(one.message.question!);
    const same = this.#open.find(
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

  /** The server takes a question back. */
  async #takeBack(one: Open): Promise<void> {
    const { organizationId } = this.#ctx;
    const { sessionDigest: digest, rpcId } = one.message;
    const taskId = await this.#ctx.read((tx) => taskAskedUnder(organizationId, tx, digest, rpcId));
    if (taskId === null) {
      const asked = this.#open.find(
        ({ message }) =>
          message.question !== null && message.rpcId === rpcId && message.sessionDigest.equals(digest),
      );
      if (asked) await this.#settle(asked, null);
      return this.#settle(one, null);
    }
    const task = this.#ctx.task(taskId);
    const work = async (tx: Tx) => {
      const lessons = new TraitUpdates(this.#ctx);
      await markHandled(organizationId, tx, one.message.id, taskId);
      const request = await retractAsk(organizationId, tx, taskId, digest, rpcId);
      if (!request) return lessons;
      const verdict = judgeDelivery(request.delivery, { kind: "retracted" });
      const known = task?.work.requests.find(({ id }) => id === request.id);
      if (task && known && verdict === "withdraw") learnWithdrawn(lessons, task, known);
      const ending = task ? endingOf(lessons, task, request.id) : RETRACTED;
      const judged = { taskId, inputRequestId: request.id, deliveryId: request.delivery?.id ?? null };
      const events = await carryOutVerdict(organizationId, tx, judged, verdict, ending);
      await appendEvents(organizationId, tx, events);
      return lessons;
    };
    const lessons = await (task
      ? fencedTransaction(this.#ctx, task, work)
      : this.#ctx.transaction(work, taskId));
    lessons.learn(this.#ctx);
    this.#open = this.#open.filter((other) => other !== one);
    this.#ctx.wake(taskId, 0);
  }

  async #settle(one: Open, taskId: string | null): Promise<void> {
    const { organizationId, serverId } = this.#ctx;
    await this.#ctx.transaction(async (tx) => {
      await markHandled(organizationId, tx, one.message.id, taskId);
      if (!one.candidates) return;
      await publishChange(organizationId, tx, "task", one.candidates);
      await publishChange(organizationId, tx, "server", [serverId]);
    });
    this.#open = this.#open.filter((other) => other !== one);
  }
}

function opened(message: NewStreamMessage, session: LiveSession | null, candidates: string[] | null): Open {
  const tasks = session ? thoseThatMayAsk(session) : [];
  const size = sizeOf(message);
  return {
    message,
    handle: null,
    size,
    session,
    tasks,
    heardAt: clockMs(),
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

/** Of a task that nobody watches. */
const RETRACTED = { state: "withdrawn", reason: "retracted" } as const;

/** What is asked, whoever is asked. */
function contentOf(question: Question): string {
  return questionHash({ taskId: "", ...question });
}
