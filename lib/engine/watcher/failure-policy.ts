/** What steps fail by: whose fault it is, who is told, and when it is tried again. */
import type { Logger } from "pino";
import { isDatabaseDown } from "../../base/db/db.ts";
import { PeerError, TokensUnreadable } from "../../mcp/peer.ts";
import { failures } from "../../metrics/engine.ts";
import { SessionsForgotten } from "../sessions/streams.ts";
import { DATABASE_RETRY_MS, MAX_TIMER_MS, SCOPE_RETRY_MS, UNREADABLE_REPLIES } from "../tunables.ts";
import { Circuit } from "./circuit.ts";
import { LeaseLost } from "./context.ts";
import { backoffDelay } from "./poll-schedule.ts";
import { isReply, type ServerLink } from "./server-link.ts";
import type { TaskIndex } from "./task-index.ts";
import type { WatchedTask } from "./watched-task.ts";

interface Dependencies {
  taskIndex: TaskIndex;
  link: ServerLink;
  log: Logger;
  /** Aborted when the watcher leaves. */
  leaving: AbortSignal;
  onLeaseLost(): void;
  /** Owns work that nobody waits for. */
  own(work: Promise<unknown>): void;
}

export class FailurePolicy {
  #deps: Dependencies;
  #circuit = new Circuit();
  /** Tasks of which the server says, again and again, what can't be read. */
  #unreadable = new Set<string>();
  /** How many calls the server had answered when it failed last. */
  #repliesAtFailure = 0;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** The server failed, and has not answered since. */
  get lasts(): boolean {
    return this.#circuit.state(performance.now()).failures > 0;
  }

  /** The server is left alone. */
  get isOpen(): boolean {
    return this.#circuit.isOpen(performance.now());
  }

  /** How long a step has to wait before it may call, in ms. */
  waitFor(entry: WatchedTask): number {
    return this.#circuit.waitFor(entry.id, performance.now());
  }

  /** A step is over, however it went. */
  release(entry: WatchedTask): void {
    this.#circuit.release(entry.id);
  }

  /** Somebody wants the server tried. */
  tryNow(): void {
    this.#circuit.tryNow();
  }

  /** What it failed by is over, as far as anybody knows. */
  forgive(): void {
    this.#circuit.succeed();
  }

  /** The task is not watched any more. */
  forget(entry: WatchedTask): void {
    this.#unreadable.delete(entry.id);
  }

  /**
   * A step went well, which says nothing of a server that it asked nothing: many wait for people. True: the server has
   * answered, for the first time since it failed.
   */
  succeeded(entry: WatchedTask): boolean {
    entry.failures = 0;
    this.#unreadable.delete(entry.id);
    if (this.#deps.link.replies === this.#repliesAtFailure || !this.#circuit.succeed()) return false;
    this.answered();
    return true;
  }

  /** The server is well again, unless there is a task of which it still says what can't be read. */
  answered(): void {
    const { link, own } = this.#deps;
    if (this.#unreadable.size === 0) own(link.answered());
  }

  /** Owns every error of a step. Returns the pause until the next one, in ms. */
  async failed(entry: WatchedTask, error: unknown): Promise<number> {
    const { log, leaving, onLeaseLost } = this.#deps;
    // Of our own making: it says nothing of the server.
    if (error instanceof PeerError && error.code === "timeout" && leaving.aborted) return 0;
    entry.stale = true;
    // What came during the step is seen by the next one, which has its pause: the failed call's own end wakes the task.
    if (!entry.urgent) entry.due = Number.POSITIVE_INFINITY;
    failures.inc({ class: classOf(error) });
    if (error instanceof LeaseLost) {
      onLeaseLost();
      return MAX_TIMER_MS;
    }
    const isOurs = error instanceof TokensUnreadable;
    if (error instanceof PeerError && !isOurs) return this.#callFailed(entry, error);
    if (isOurs || isDatabaseDown(error)) {
      log.warn({ err: error, taskId: entry.id }, "the database can't be reached");
      return DATABASE_RETRY_MS;
    }
    entry.failures++;
    log.error({ err: error, taskId: entry.id, requestId: entry.work.requestId }, "a step failed");
    return backoffDelay(entry.failures + 2);
  }

  async #callFailed(entry: WatchedTask, error: PeerError): Promise<number> {
    const { requestId } = entry.work;
    const { code } = error;
    const isServers = error.neededScope === null && isTroubleOfServer(error);
    // What is the server's, or nobody's sign-in, is not held against the task when that is over.
    if (!isServers) entry.failures++;
    const failures = isServers ? undefined : entry.failures;
    this.#deps.log.info({ taskId: entry.id, requestId, code, failures }, "a call to a server failed");
    // Only more rights help, and who gives them has the connection taken anew.
    if (error.neededScope !== null) return SCOPE_RETRY_MS;
    this.#noteUnreadable(entry, error);
    return isServers ? this.#serverFailed(error) : backoffDelay(entry.failures);
  }

  /** Nobody waits for a server over one such task, but people are told whose fault it is. */
  #noteUnreadable(entry: WatchedTask, error: PeerError): void {
    if (!UNREADABLE.has(error.code) || entry.failures < UNREADABLE_REPLIES) return;
    const { link, own } = this.#deps;
    if (this.#unreadable.size === 0) own(link.failed(error, [], this.#circuit.state(performance.now())));
    this.#unreadable.add(entry.id);
  }

  /** Trouble of the server, not of one task: everybody waits, and one at a time tries again. */
  async #serverFailed(error: PeerError): Promise<number> {
    const { taskIndex, link, log } = this.#deps;
    this.#repliesAtFailure = link.replies;
    const { pause, isNews } = this.#circuit.fail(performance.now(), error.retryAfterMs);
    if (!isNews) return pause;
    const ids = [...taskIndex].map(({ id }) => id);
    await link
      .failed(error, ids, this.#circuit.state(performance.now()))
      .catch((cause: unknown) => log.warn({ err: cause }, "a server's health was not stored"));
    // Answers that were accepted are marked by it.
    for (const entry of taskIndex) entry.stale = true;
    return pause;
  }
}

const UNREADABLE = new Set<PeerError["code"]>(["bad_reply", "too_large"]);

/** For the figures: whose trouble it was. */
function classOf(error: unknown): string {
  if (error instanceof TokensUnreadable) return "database";
  if (error instanceof PeerError) return error.code;
  if (error instanceof LeaseLost) return "lease_lost";
  return isDatabaseDown(error) ? "database" : "internal";
}

/** Not of one task or session. */
function isTroubleOfServer(error: PeerError): boolean {
  if (error instanceof SessionsForgotten) return true;
  return error.code !== "sessions_full" && !isReply(error);
}
