/** Runs the steps of a watcher's tasks when they are due. */

import { hasToStore, stepWhilePaused } from "../task/paused-step.ts";
import { step } from "../task/step.ts";
import type { WatcherContext } from "./context.ts";
import type { FailurePolicy } from "./failure-policy.ts";
import { trimmedAtRest } from "./protocol-messages.ts";
import { Scheduler } from "./scheduler.ts";
import type { TaskIndex } from "./task-index.ts";
import { clockMs, markStale, type WatchedTask } from "./watched-task.ts";

interface Dependencies {
  taskIndex: TaskIndex;
  failurePolicy: FailurePolicy;
  /** A step of the task is over. */
  onStepped(task: WatchedTask): void;
  /** The task is watched no more. */
  onLeft(): void;
}

export class TaskRunner {
  #context: WatcherContext;
  #deps: Dependencies;
  #scheduler = new Scheduler<WatchedTask>((task) => (task.running ? null : this.#take(task)));
  #halted: Promise<void> | null = null;

  constructor(context: WatcherContext, deps: Dependencies) {
    this.#context = context;
    this.#deps = deps;
  }

  get halted(): boolean {
    return this.#halted !== null;
  }

  /** Begins no more steps. Resolves when those under way are over. */
  halt(): Promise<void> {
    this.#halted ??= this.#scheduler.stop();
    return this.#halted;
  }

  /** Returns the shortest possible poll interval, in ms, given the number of tasks and the server's latency. */
  leastPauseMs(): number {
    return this.#scheduler.leastPauseMs(this.#deps.taskIndex.size);
  }

  /** Watches a task, and takes its first step in `inMs`. */
  add(task: WatchedTask, inMs: number): void {
    this.#deps.taskIndex.add(task);
    this.#schedule(task, performance.now() + inMs);
  }

  /** Takes all steps now. Those under way began before this and may still fail by the old state, so their next step is urgent. */
  tryAll(): void {
    for (const task of this.#deps.taskIndex) this.wake(task.id, 0, task.running);
  }

  /** Schedules a task's next step in `afterMs`. `urgent`: a person waits for it, or the step under way may fail by what was so before. */
  wake(taskId: string, afterMs: number, urgent: boolean): void {
    const task = this.#deps.taskIndex.get(taskId);
    if (!task || this.#halted) return;
    if (urgent) {
      markStale(task);
      task.urgent = true;
      // The flush then stores the check time, which the person sees.
      task.pace = 0;
    }
    const due = performance.now() + afterMs;
    if (task.running) {
      task.due = Math.min(task.due, due);
      return;
    }
    this.#schedule(task, task.heapIndex === -1 ? due : Math.min(due, task.due));
  }

  #schedule(task: WatchedTask, due: number): void {
    this.#scheduler.schedule(task, isStart(task) ? "start" : task.urgent ? "urgent" : "regular", due);
  }

  async #take(task: WatchedTask): Promise<void> {
    task.running = true;
    task.due = Number.POSITIVE_INFINITY;
    let pause: number | null;
    try {
      // A person's action skips the circuit's wait.
      const wait = task.urgent || this.#context.paused ? 0 : this.#deps.failurePolicy.waitFor(task);
      task.urgent = false;
      if (this.#context.paused) pause = await stepWhilePaused(this.#context, task);
      else if (wait > 0) {
        if (hasToStore(task)) await stepWhilePaused(this.#context, task);
        pause = wait;
      } else {
        const { checkedAt } = task;
        pause = await step(this.#context, task);
        if (this.#deps.failurePolicy.succeeded(task))
          for (const { id } of this.#deps.taskIndex) this.wake(id, 0, false);
        if (task.checkedAt !== checkedAt) this.#deps.failurePolicy.answered();
      }
    } catch (error) {
      pause = await this.#deps.failurePolicy.failed(task, error);
      task.nextCheckAt = clockMs() + Math.ceil(pause);
      task.pace = 0;
      task.timesChanged = task.checkedAt > 0;
    } finally {
      // Messages of an open call are stored with its outcome.
      if (!task.calls.call) task.messages = trimmedAtRest(task.messages);
      task.running = false;
      this.#deps.failurePolicy.release(task);
      this.#deps.onStepped(task);
    }
    if (pause === null) {
      this.#deps.taskIndex.remove(task);
      this.#deps.failurePolicy.forget(task);
      this.#deps.onLeft();
      return;
    }
    this.#schedule(task, Math.min(task.due, performance.now() + pause));
  }
}

/** Whether the task's next or present step makes its call. */
export function isStart({ work }: WatchedTask): boolean {
  return work.state === "queued" || work.state === "starting";
}
