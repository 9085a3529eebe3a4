/** Watches one connection: holds its open tasks in memory and runs their steps when due. */
import { unavailable } from "../../base/content/content.ts";
import type { Tx } from "../../base/db/db.ts";
import { leaveOpenCalls } from "../../lifecycle/call-attempt-writes.ts";
import { isUnopened, type TaskWork } from "../../lifecycle/engine-task.ts";
import { watchedTasks } from "../../lifecycle/engine-task-reads.ts";
import { openMessages } from "../../mcp/stream-messages/stream-message-reads.ts";
import { FENCE, LeaseLost, type ServerPause } from "../db/fence.ts";
import { ElicitationTaskServer } from "../sessions/elicitation-task-server.ts";
import { leaveStreams } from "../sessions/session-moves.ts";
import { Sessions } from "../sessions/sessions.ts";
import { StreamInbox } from "../sessions/stream-inbox.ts";
import { Subscription } from "../sessions/subscription.ts";
import { storeAfterLeaseLost } from "../task/call-outcome.ts";
import { storeIds } from "../task/open-call.ts";
import { handleOf } from "../task/task-secrets.ts";
import * as tunables from "../tunables.ts";
import type { WatcherContext } from "./context.ts";
import { FailurePolicy } from "./failure-policy.ts";
import { flush, flushMinorStatuses } from "./flush.ts";
import { firstLookIn } from "./poll-schedule.ts";
import { Scans } from "./scans.ts";
import { LatenessJudge } from "./server-latency.ts";
import { ServerLink } from "./server-link.ts";
import { TaskIndex } from "./task-index.ts";
import { isStart, TaskRunner } from "./task-runner.ts";
import { markStale, newUnreadTask, newWatchedTask, type OpenCall, type WatchedTask } from "./watched-task.ts";
import { WatcherDatabase, type WatcherOptions } from "./watcher-database.ts";

export class Watcher {
  readonly connectionId: string;
  readonly organizationId: string;
  #options: WatcherOptions;
  #context: WatcherContext;
  #link: ServerLink;
  #subscription: Subscription;
  #taskIndex = new TaskIndex();
  #database: WatcherDatabase;
  #runner: TaskRunner;
  #failurePolicy: FailurePolicy;
  #scans: Scans;
  #inbox: StreamInbox;
  #taskServer: ElicitationTaskServer;
  #stopped: Promise<void> | null = null;
  /** Aborted on halt: pending reads are not awaited. */
  #leaving = new AbortController();
  #paused = false;
  #renewals = 0;
  /** `pauses` counter of the newest pause state seen. */
  #pauseSeen = -1;
  #lastWork = performance.now();
  #flush: NodeJS.Timeout | undefined;
  #flushMinorNews: NodeJS.Timeout | undefined;

  constructor(options: WatcherOptions) {
    const { connection } = options;
    this.#options = options;
    this.connectionId = connection.connectionId;
    this.organizationId = connection.organizationId;
    const database = new WatcherDatabase({ ...options, onPause: (server) => this.#seePause(server) });
    this.#database = database;
    const isPaused = () => this.#paused;
    const mayBegin = () => !this.#paused && database.inTime;
    const renewals = () => this.#renewals;
    const link = new ServerLink({
      ...options,
      transaction: (work) => database.fenced(work, FENCE.own),
      own: (work) => this.#own(work),
    });
    this.#link = link;
    const lateness = new LatenessJudge({
      link,
      taskIndex: this.#taskIndex,
      leastPauseMs: () => this.#runner.leastPauseMs(),
      own: (work) => this.#own(work),
    });
    this.#context = {
      organizationId: connection.organizationId,
      connectionId: connection.connectionId,
      serverId: connection.serverId,
      epoch: options.epoch,
      seal: options.seal,
      log: options.log,
      transaction: (work, taskId, read) => database.change(work, taskId ?? null, options.epoch, read),
      unfenced: (work, taskId, read) => database.change(work, taskId, null, read),
      read: (work) => database.fenced(work, FENCE.read),
      load: async (taskId) => {
        const [work = null] = await database.load([taskId]);
        if (work && isUnopened(work)) throw unavailable(`the task ${taskId}`);
        return work;
      },
      mayChange: options.mayChange,
      era: () => link.era(),
      peer: (era) => link.peer(era),
      toolCalls: link.toolCalls,
      recipe: (name, version) => database.recipe(name, version),
      ready: () => link.ready(),
      leastPauseMs: () => this.#runner.leastPauseMs(),
      answered: (ms) => lateness.note(ms),
      wake: (taskId, afterMs) => this.#runner.wake(taskId, afterMs, false),
      follow: (handle) => this.#subscription.follow(handle),
      sessions: new Sessions(),
      task: (id) => this.#taskIndex.get(id),
      taskByHandle: (handle) => this.#taskIndex.byHandle(handle),
      name: (task, handle) => this.#taskIndex.name(task, handle),
      get traits() {
        return link.traits;
      },
      get paused() {
        return isPaused();
      },
      get mayBegin() {
        return mayBegin();
      },
      get renewals() {
        return renewals();
      },
      learn: (seen) => link.learn(seen),
      receive: (said, session, heard) => this.#inbox.receive(said, session, heard),
      takeTaskRequest: (request, session) => this.#taskServer.take(request, session),
      dropTaskRequest: (rpcId, session) => this.#taskServer.drop(rpcId, session),
      tellOfTasks: (task, ids) => this.#taskServer.tell(task, ids),
      settleTasks: (task) => this.#taskServer.settle(task),
      isReused: (session, rpcId, since) => this.#inbox.isReused(session, rpcId, since),
      hasUnstored: (session) => this.#inbox.hasUnstored(session),
      hasUnattributed: (session) => this.#inbox.hasUnattributed(session),
      leaving: this.#leaving.signal,
    };
    const taskIndex = this.#taskIndex;
    const inTransaction = <T>(work: (tx: Tx) => Promise<T>) =>
      options.database.withOrganization(this.organizationId, work);
    this.#inbox = new StreamInbox(this.#context, {
      inTransaction,
      tasks: () => taskIndex,
      onLeaseLost: options.onLeaseLost,
      onTaskStored: (id, rpcId, session) => this.#taskServer.announce(id, rpcId, session),
      onTaskRefused: (rpcId, session, why) => this.#taskServer.refuse(rpcId, session, why),
    });
    this.#taskServer = new ElicitationTaskServer(this.#context, {
      inTransaction,
      tasks: () => taskIndex,
      dropQuestion: (id) => this.#inbox.dropTask(id),
      onLeaseLost: options.onLeaseLost,
    });
    this.#failurePolicy = new FailurePolicy({
      taskIndex,
      link,
      log: options.log,
      leaving: this.#leaving.signal,
      onLeaseLost: options.onLeaseLost,
      own: (work) => this.#own(work),
    });
    this.#runner = new TaskRunner(this.#context, {
      taskIndex,
      failurePolicy: this.#failurePolicy,
      onStepped: (task) => {
        this.#inbox.reconsider(task);
        this.#taskServer.reconsider(task);
      },
      onLeft: () => {
        this.#lastWork = performance.now();
      },
    });
    this.#scans = new Scans(this.#context, {
      taskIndex,
      failurePolicy: this.#failurePolicy,
      scan: () => database.scan(),
      roomForMessages: () => this.#inbox.room(),
      adoptMessages: (messages) => this.#inbox.adopt(messages),
      known: connection.known,
      adopt: (taskIds) => this.#adopt(taskIds, false),
      renewAccess: () => this.renewAccess(),
      onOutdated: options.onOutdated,
      own: (work) => this.#own(work),
    });
    this.#seePause(connection);
    this.#subscription = new Subscription(this.#context, () => taskIndex.runningHandles());
  }

  get size(): number {
    return this.#taskIndex.size;
  }

  /** No task for a while, so the lease may go back. */
  get idle(): boolean {
    const hasWork = this.#taskIndex.size > 0 || this.#inbox.hasOpen;
    return !hasWork && performance.now() - this.#lastWork > tunables.IDLE_LEASE_MS;
  }

  /** Stopping would end a call that is open or is being made, or a command server's process. */
  get carriesCalls(): boolean {
    if (this.#link.isCommand) return true;
    for (const task of this.#taskIndex) if (task.calls.call || (task.running && isStart(task))) return true;
    return false;
  }

  /** `works`: the connection's watched tasks, where they were read already. `hasMessages`: something came on its streams. */
  async begin(works: TaskWork[] | null, hasMessages: boolean): Promise<void> {
    if (works) this.#bringIn(works, true);
    else {
      const all = await this.#context.read((tx) => watchedTasks(tx, this.connectionId));
      await this.#adopt(all, true);
    }
    if (this.#runner.halted) return;
    if (hasMessages) this.readStreams();
    this.#scans.begin();
    this.#flush = setInterval(() => this.#own(this.#flushTimes()), tunables.FLUSH_MS);
    this.#flushMinorNews = setInterval(
      () => this.#own(flushMinorStatuses(this.#context, this.#taskIndex)),
      tunables.MINOR_STATUS_MS,
    );
  }

  /** Handles a change to a task that others committed. */
  wake(taskId: string): void {
    this.#lastWork = performance.now();
    this.#scans.noteNews();
    if (this.#taskIndex.has(taskId)) this.#runner.wake(taskId, 0, true);
    else if (this.#mayStartUnread) this.#runner.add(newUnreadTask(taskId), 0);
    else this.#own(this.#adopt([taskId], false));
  }

  /** Retries everything with the connection's new tokens, or without the revoked ones. */
  renewAccess(): void {
    this.#renewals++;
    this.#link.renewAccess();
    this.#failurePolicy.forgive();
    for (const task of this.#taskIndex) markStale(task);
    this.#runner.tryAll();
  }

  /** Reads the server's pause state with an empty transaction; every transaction reads it. */
  readPause(): void {
    this.#own(this.#context.read(async () => undefined));
  }

  /** Reads stream messages of the connection that others stored. */
  readStreams(): void {
    if (this.#runner.halted) return;
    const { connectionId } = this;
    const read = this.#context.read((tx) => openMessages(tx, connectionId, this.#inbox.room()));
    this.#own(read.then((messages) => this.#inbox.adopt(messages)));
  }

  /** Scans for everything that lost hints may have announced. */
  scanAll(): void {
    if (!this.#runner.halted) this.#own(this.#scans.run(true));
  }

  /** Retries a failing server now, because a person asked. */
  tryNow(): void {
    this.#failurePolicy.tryNow();
    this.#runner.tryAll();
  }

  /** Begins no more steps. Waits for those under way, except for their polls, which are aborted. */
  halt(): Promise<void> {
    const halted = this.#runner.halt();
    this.#leaving.abort();
    return halted;
  }

  /** Stores everything received so far and ends. Tells the server nothing, but that it ends the session of its recipes' calls. */
  stop(): Promise<void> {
    this.#stopped ??= this.#end(false);
    return this.#stopped;
  }

  /**
   * Stops after another engine's takeover. Open calls continue, because only this engine gets their replies.
   */
  stopLate(): Promise<void> {
    this.#stopped ??= this.#end(true);
    return this.#stopped;
  }

  async #end(isLate: boolean): Promise<void> {
    this.#scans.end();
    clearInterval(this.#flush);
    clearInterval(this.#flushMinorNews);
    await this.halt();
    this.#subscription.close();
    // A paused server ends the session by itself in time.
    const toolCallsEnded = this.#paused ? null : this.#link.endToolCalls();
    // The replies that it sends need the sessions, and their outcomes the lease.
    await this.#taskServer.end();
    // A command server's process ends with its watcher, so its open calls bring nothing more.
    const late = [...this.#taskIndex].filter(
      ({ calls: { call } }) => call?.result || (call && isLate && !this.#link.isCommand),
    );
    const calls = late.map((task) => this.#storeAfterLeaseLost(task, task.calls.call!));
    if (!isLate) await this.#leaveCalls();
    if (!isLate) await this.#storeIds();
    for (const task of this.#taskIndex) leaveStreams(this.#context, task, late.includes(task));
    if (!isLate) await Promise.all(calls);
    // Most servers would not send these messages again.
    await this.#inbox.end();
    await this.#flushAll().catch((error: unknown) =>
      this.#options.log.debug({ err: error }, "what the last polls left in memory was not stored"),
    );
    await toolCallsEnded;
    await this.#link.end();
  }

  /** Marks open calls as given up, so that the next engine need not wait for them. */
  async #leaveCalls(): Promise<void> {
    const open = [...this.#taskIndex].filter(({ calls: { call } }) => call && !call.result);
    const ids = open.map(({ id }) => id);
    if (ids.length > 0)
      await this.#database
        .fenced((tx) => leaveOpenCalls(tx, ids), FENCE.own)
        .catch((error: unknown) => this.#options.log.debug({ err: error }, "open calls were not given up"));
  }

  /** Stores what the next engine has to know of sessions, such as who was left behind in them. */
  async #storeIds(): Promise<void> {
    const changed = [...this.#taskIndex].filter(({ idsChanged, session }) => idsChanged && session);
    await Promise.all(
      changed.map((task) =>
        storeIds(this.#context, task).catch((error: unknown) =>
          this.#options.log.debug({ err: error, taskId: task.id }, "the session of a task was not stored"),
        ),
      ),
    );
  }

  #storeAfterLeaseLost(task: WatchedTask, call: OpenCall): Promise<void> {
    return storeAfterLeaseLost(this.#context, task, call).catch((error: unknown) =>
      this.#options.log.error({ err: error, taskId: task.id }, "the outcome of a call could not be stored"),
    );
  }

  /** Applies a pause state; ignores older ones, because reads may end out of order. */
  #seePause({ paused, pauses }: ServerPause): void {
    if (pauses <= this.#pauseSeen) return;
    this.#pauseSeen = pauses;
    const goesOn = this.#paused && !paused;
    this.#paused = paused;
    if (!goesOn) return;
    this.tryNow();
    for (const task of this.#taskIndex) markStale(task);
  }

  /** Loads and watches tasks in batches, so that polls of others can run in between. */
  async #adopt(taskIds: string[], spread: boolean): Promise<void> {
    for (let first = 0; first < taskIds.length && !this.#runner.halted; first += tunables.ADOPTED_AT_ONCE) {
      const some = taskIds.slice(first, first + tunables.ADOPTED_AT_ONCE);
      const works = await this.#database.load(some);
      // A task whose content can't be opened is looked for again by the scans.
      this.#bringIn(
        works.flatMap((work) => (isUnopened(work) ? [] : [work])),
        spread,
      );
    }
  }

  /** Adds loaded tasks that are not watched yet. `spread` delays the first polls of running tasks. */
  #bringIn(works: TaskWork[], spread: boolean): void {
    // Older tasks start before younger ones.
    for (const work of works.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      // A concurrent load added the task already, with streams and possibly older data than this.
      if (this.#taskIndex.has(work.id)) {
        this.#runner.wake(work.id, 0, true);
        continue;
      }
      const task = newWatchedTask(work);
      // Indexes the task's handle, by which questions and notifications name it.
      handleOf(this.#context, task);
      this.#runner.add(task, spread ? firstLookIn(work, this.#taskIndex.size) : 0);
    }
  }

  /** Whether a task that was told of is read by its first step, since mostly it was just started. */
  get #mayStartUnread(): boolean {
    return !this.#runner.halted && !this.#paused && this.#link.knownEra === "2026-07-28";
  }

  async #flushAll(): Promise<void> {
    await flushMinorStatuses(this.#context, this.#taskIndex);
    await this.#flushTimes();
  }

  async #flushTimes(): Promise<void> {
    await this.#link.flushLog();
    await flush(this.#context, this.#link, this.#taskIndex);
  }

  /** Logs failures of background work, which a later step or scan repeats. */
  #own(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (error instanceof LeaseLost) this.#options.onLeaseLost();
      else this.#options.log.warn({ err: error }, "background work of a watcher failed");
    });
  }
}
