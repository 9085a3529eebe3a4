/**
 * The messages on the streams of a connection's sessions. Each is stored on arrival, whatever the state of the start, the
 * circuit, a pause or the lease. stream-messages.ts then handles them. One inbox per watcher.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Tx } from "../../base/db/db.ts";
import { hintStreams } from "../../base/engine-hints.ts";
import { uuidv7 } from "../../base/ids.ts";
import { UNHANDLED_CHARACTERS, UNHANDLED_MESSAGES, UNHANDLED_OF_SESSION } from "../../mcp/limits.ts";
import type { RpcId } from "../../mcp/peer.ts";
import type { NewStreamMessage, StreamMessage } from "../../mcp/stream-messages/stream-message-schema.ts";
import { recordStreamMessages } from "../../mcp/stream-messages/stream-message-writes.ts";
import { openElicitationTask } from "../../requests/elicitation-tasks/elicitation-task-writes.ts";
import { readTaskRoom } from "../../requests/elicitation-tasks/task-limit.ts";
import { restoreSession } from "../task/task-secrets.ts";
import { DATABASE_RETRY_MS, DRAIN_STREAMS_MS, STORED_TOGETHER } from "../tunables.ts";
import type { Heard, WatcherContext } from "../watcher/context.ts";
import { clockMs, type LiveSession, type WatchedTask } from "../watcher/watched-task.ts";
import { isAway } from "./elicitation-task-replies.ts";
import { noteHeard } from "./sessions.ts";
import { StreamMessages } from "./stream-messages.ts";
import {
  asElicitationTask,
  candidatesAtFirst,
  sizeOf,
  type UnhandledMessage,
  unhandled,
} from "./unhandled-message.ts";

interface Dependencies {
  /** Runs a transaction without the fence: what a server said is true whichever engine holds the lease. */
  inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  tasks(): Iterable<WatchedTask>;
  onLeaseLost(): void;
  /** A question that was put as an elicitation task is stored: the server may be told of the task. */
  onTaskStored(id: string, rpcId: RpcId, session: LiveSession | null): void;
  /** There is no room for one more elicitation task: nothing of the question is kept, and the server is told why. */
  onTaskRefused(rpcId: RpcId, session: LiveSession | null, why: string): void;
}

export class StreamInbox {
  #ctx: WatcherContext;
  #deps: Dependencies;
  /** Messages that are not stored yet. */
  #unstored: UnhandledMessage[] = [];
  #storing: Promise<void> | null = null;
  /** Messages that are stored and not handled. */
  readonly #stored: StreamMessages;

  constructor(ctx: WatcherContext, deps: Dependencies) {
    this.#ctx = ctx;
    this.#deps = deps;
    this.#stored = new StreamMessages(ctx, deps);
  }

  /** Takes a message that just arrived. Returns false if its session has too many unhandled messages already. */
  receive(
    received: Omit<NewStreamMessage, "id">,
    session: LiveSession,
    { handle, via, among, turnOf }: Heard,
  ): boolean {
    this.#bringAllIntoSessions();
    const isQuestion = received.question !== null;
    noteHeard(session, received.rpcId);
    const most = Math.min(UNHANDLED_MESSAGES * Math.max(1, session.tasks.size), UNHANDLED_OF_SESSION);
    const unsettled = this.#all().filter(
      (one) => one.session === session && (one.message.question !== null) === isQuestion,
    ).length;
    const isLarge = this.#characters() + sizeOf(received) > UNHANDLED_CHARACTERS;
    if (unsettled >= most || isLarge) {
      if (received.elicitationTask)
        this.#deps.onTaskRefused(received.rpcId, session, "Too many questions wait: ask again later");
      return false;
    }
    const message = { ...received, id: uuidv7() };
    const one = unhandled(message, session, null);
    const tasks = among ? one.tasks.filter(({ id }) => among.includes(id)) : one.tasks;
    this.#unstored.push({ ...one, tasks, handle, via, turnOf });
    this.#begin();
    return true;
  }

  /** Returns the known messages' ids, and room for how many more characters, for reading rows that others stored. */
  room(): { known: string[]; characters: number } {
    const known = this.#all().map(({ message }) => message.id);
    return { known, characters: UNHANDLED_CHARACTERS - this.#characters() };
  }

  #all(): UnhandledMessage[] {
    return [...this.#unstored, ...this.#stored.all];
  }

  #characters(): number {
    let sum = 0;
    for (const { size } of this.#unstored) sum += size;
    for (const { size } of this.#stored.all) sum += size;
    return sum;
  }

  /** Takes over messages that other engines stored. The watched tasks are known by now. */
  adopt(messages: StreamMessage[]): void {
    const known = new Set(this.#all().map(({ message }) => message.id));
    this.#stored.adopt(messages.filter(({ id }) => !known.has(id)));
  }

  /** Handles the messages that wait for this task, because a step of it is over. */
  reconsider(task: WatchedTask): void {
    this.#stored.reconsider(task);
  }

  /** Drops the question of a cancelled elicitation task whose asking task is not known. */
  dropTask(elicitationTaskId: string): Promise<void> {
    return this.#stored.dropTask(elicitationTaskId);
  }

  /** Whether any message is not handled yet. */
  get hasOpen(): boolean {
    return this.#unstored.length + this.#stored.all.length > 0;
  }

  /** Whether a question came in this session whose task is not known. */
  hasUnattributed(session: LiveSession): boolean {
    return this.#stored.hasUnattributed(session);
  }

  /**
   * Whether a message came under this id, or was handled, since `since` (monotonic, in ms), or is not handled yet. The id may be another
   * question's by now.
   */
  isReused(session: LiveSession, rpcId: RpcId, since: number): boolean {
    if ((session.heard.get(rpcId) ?? Number.NEGATIVE_INFINITY) >= since) return true;
    return this.#all().some((one) => one.session === session && one.message.rpcId === rpcId);
  }

  /** Whether anything that came in the session is not stored yet. */
  hasUnstored(session: LiveSession): boolean {
    return this.#unstored.some((one) => one.session === session);
  }

  /** Ends the inbox: resolves when all messages are stored and handled, or after `DRAIN_STREAMS_MS`. */
  async end(): Promise<void> {
    this.#stored.beginEnd();
    const done = async () => {
      while (this.#unstored.length > 0 || this.#stored.handling) {
        this.#begin();
        await Promise.all([this.#storing, this.#stored.handling]);
      }
    };
    await Promise.race([done(), pause(DRAIN_STREAMS_MS, null, { ref: false })]);
    this.#stored.leave();
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
      if (await this.#store()) this.#stored.handleAgain();
      else await pause(DATABASE_RETRY_MS / 4);
    }
  }

  /** Returns false if the database is down, or the key of what it holds is away. */
  async #store(): Promise<boolean> {
    const some = this.#unstored.slice(0, STORED_TOGETHER);
    try {
      await this.#record(some);
    } catch (error) {
      const { log } = this.#ctx;
      if (isAway(error)) {
        log.warn(
          { err: error, messages: this.#unstored.length },
          "what came on streams waits for the database",
        );
        return false;
      }
      // One of them can't be stored. Stores each alone, so that this one does not block the others.
      for (const one of some)
        await this.#record([one]).catch((cause: unknown) => {
          if (isAway(cause)) return;
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
      const waiting = this.#stored.all.flatMap((one) => asElicitationTask(this.#ctx, one) ?? []);
      const next = some.flatMap((one) => asElicitationTask(this.#ctx, one) ?? []);
      const room = next.length > 0 ? await readTaskRoom(tx, connectionId, waiting, next) : () => null;
      for (const one of some) {
        const put = asElicitationTask(this.#ctx, one);
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
      const stored = await recordStreamMessages(
        tx,
        connectionId,
        news.map((one) => ({
          ...one.message,
          heardAgoMs: clockMs() - one.receivedAt,
          candidates: candidatesAtFirst(one),
        })),
      );
      // Another engine may watch the connection by now, and gets a hint.
      if (this.#stored.isGone) await hintStreams(tx, connectionId);
      return { stored, opened, refused };
    });
    this.#unstored = this.#unstored.filter((one) => !some.includes(one));
    this.#stored.add(some.filter(({ message }) => stored.has(message.id)));
    for (const [{ message, session }, id] of opened) this.#deps.onTaskStored(id, message.rpcId, session);
    for (const [{ message, session }, why] of refused) this.#deps.onTaskRefused(message.rpcId, session, why);
  }

  /** Restores every task's session, because a task may ask there before its first step in this watcher. */
  #bringAllIntoSessions(): void {
    for (const task of this.#deps.tasks()) if (task.work.state !== "queued") restoreSession(this.#ctx, task);
  }
}
