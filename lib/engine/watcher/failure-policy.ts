/** Failures of steps: classifies errors, records the server's health, and decides on the next try. */
import type { Logger } from "pino";
import { isUnavailable } from "../../base/content/content.ts";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import { failures } from "../../history/metrics/engine.ts";
import { PeerError, TokensUnreadable } from "../../mcp/peer-error.ts";
import { MAX_TIMER_MS } from "../../mcp/wire/deadline.ts";
import { LeaseLost } from "../db/fence.ts";
import { SessionsForgotten } from "../sessions/session-moves.ts";
import { CONTENT_RETRY_MS, DATABASE_RETRY_MS, SCOPE_RETRY_MS, UNREADABLE_REPLIES } from "../tunables.ts";
import { Circuit } from "./circuit.ts";
import { backoffDelay } from "./poll-schedule.ts";
import { isReply, type ServerLink } from "./server-link.ts";
import type { TaskIndex } from "./task-index.ts";
import { markStale, type WatchedTask } from "./watched-task.ts";

interface Dependencies {
  taskIndex: TaskIndex;
  link: ServerLink;
  log: Logger;
  /** Aborted when the watcher leaves. */
  leaving: AbortSignal;
  onLeaseLost(): void;
  /** Owns the errors of work that nobody awaits. */
  own(work: Promise<unknown>): void;
}

export class FailurePolicy {
  #deps: Dependencies;
  #circuit = new Circuit();
  /** Tasks about which the server repeatedly sends unreadable replies. */
  #unreadable = new Set<string>();
  /** Value of `link.replies` at the server's last failure. */
  #repliesAtFailure = 0;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** The server has failed and has not answered since. */
  get lasts(): boolean {
    return this.#circuit.state(performance.now()).failures > 0;
  }

  /** The circuit is open: the server gets no calls. */
  get isOpen(): boolean {
    return this.#circuit.isOpen(performance.now());
  }

  /** Returns how long a step must wait before a call, in ms. */
  waitFor(task: WatchedTask): number {
    return this.#circuit.waitFor(task.id, performance.now());
  }

  /** Ends the task's probe of the server, if any, whatever the step's outcome. */
  release(task: WatchedTask): void {
    this.#circuit.release(task.id);
  }

  /** Lets the next step probe the server now. */
  tryNow(): void {
    this.#circuit.tryNow();
  }

  /** Forgets past failures, because their cause may be gone. */
  forgive(): void {
    this.#circuit.succeed();
  }

  /** Forgets a task that is no longer watched. */
  forget(task: WatchedTask): void {
    this.#unreadable.delete(task.id);
  }

  /**
   * Records a successful step, which proves nothing if the step called no server: many tasks wait for people.
   * Returns true if the server has answered for the first time since its last failure.
   */
  succeeded(task: WatchedTask): boolean {
    task.failures = 0;
    this.#unreadable.delete(task.id);
    if (this.#deps.link.replies === this.#repliesAtFailure || !this.#circuit.succeed()) return false;
    this.answered();
    return true;
  }

  /** Records the server as healthy, unless the replies about some task are still unreadable. */
  answered(): void {
    const { link, own } = this.#deps;
    if (this.#unreadable.size === 0) own(link.answered());
  }

  /** Handles every error of a step. Returns the pause until the next one, in ms. */
  async failed(task: WatchedTask, error: unknown): Promise<number> {
    const { log, leaving, onLeaseLost } = this.#deps;
    // This watcher aborted the call, so the timeout says nothing about the server.
    if (error instanceof PeerError && error.code === "timeout" && leaving.aborted) return 0;
    markStale(task);
    // Wake-ups during the failed step must not skip its pause.
    if (!task.urgent) task.due = Number.POSITIVE_INFINITY;
    failures.inc({ class: classOf(error) });
    if (error instanceof LeaseLost) {
      onLeaseLost();
      return MAX_TIMER_MS;
    }
    const isOurs = error instanceof TokensUnreadable;
    if (error instanceof PeerError && !isOurs) return this.#callFailed(task, error);
    if (isUnavailable(error)) {
      // Neither the server nor the task has failed: its call and its session stay.
      log.warn({ err: error, taskId: task.id }, "a task's content can't be opened");
      return CONTENT_RETRY_MS;
    }
    if (isOurs || isDatabaseDown(error)) {
      log.warn({ err: error, taskId: task.id }, "the database can't be reached");
      return DATABASE_RETRY_MS;
    }
    task.failures++;
    log.error({ err: error, taskId: task.id, requestId: task.work.requestId }, "a step failed");
    return backoffDelay(task.failures + 2);
  }

  async #callFailed(task: WatchedTask, error: PeerError): Promise<number> {
    const { requestId } = task.work;
    const { code } = error;
    const isServers = error.neededScope === null && isServerFailure(error);
    // Failures of the server, or of a missing sign-in, must not count against the task once they are over.
    if (!isServers) task.failures++;
    const failures = isServers ? undefined : task.failures;
    this.#deps.log.info({ taskId: task.id, requestId, code, failures }, "a call to a server failed");
    // Only a broader grant helps, and granting one makes the engine take the connection anew.
    if (error.neededScope !== null) return SCOPE_RETRY_MS;
    this.#noteUnreadable(task, error);
    return isServers ? this.#serverFailed(error) : backoffDelay(task.failures);
  }

  /** Reports an unreadable task in the server's health without opening the circuit for the other tasks. */
  #noteUnreadable(task: WatchedTask, error: PeerError): void {
    if (!UNREADABLE.has(error.code) || task.failures < UNREADABLE_REPLIES) return;
    const { link, own } = this.#deps;
    if (this.#unreadable.size === 0) own(link.failed(error, [], this.#circuit.state(performance.now())));
    this.#unreadable.add(task.id);
  }

  /** Opens the circuit for a failure of the server, not of one task. Returns the pause in ms. */
  async #serverFailed(error: PeerError): Promise<number> {
    const { taskIndex, link, log } = this.#deps;
    this.#repliesAtFailure = link.replies;
    const { pause, isNews } = this.#circuit.fail(performance.now(), error.retryAfterMs);
    if (!isNews) return pause;
    const ids = [...taskIndex].map(({ id }) => id);
    await link
      .failed(error, ids, this.#circuit.state(performance.now()))
      .catch((cause: unknown) => log.warn({ err: cause }, "a server's health was not stored"));
    // Recording the health marks accepted answers in the database.
    for (const task of taskIndex) markStale(task);
    return pause;
  }
}

const UNREADABLE = new Set<PeerError["code"]>(["bad_reply", "too_large"]);

/** The metrics label of an error. */
function classOf(error: unknown): string {
  if (error instanceof TokensUnreadable) return "database";
  if (error instanceof PeerError) return error.code;
  if (error instanceof LeaseLost) return "lease_lost";
  if (isUnavailable(error)) return "content";
  return isDatabaseDown(error) ? "database" : "internal";
}

/** Returns whether the failure concerns the whole server, not one task or session. */
function isServerFailure(error: PeerError): boolean {
  if (error instanceof SessionsForgotten) return true;
  return error.code !== "sessions_full" && !isReply(error);
}
