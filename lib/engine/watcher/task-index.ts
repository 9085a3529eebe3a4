import { isRunning } from "../../tasks/task-status.ts";
import type { WatchedTask } from "./watched-task.ts";

/** A watcher's tasks in memory, by id and by the server's handle. */
export class TaskIndex {
  #tasks = new Map<string, WatchedTask>();
  /** A separate index, because notifications name tasks by handle, including unknown ones. */
  #byHandle = new Map<string, WatchedTask>();

  get size(): number {
    return this.#tasks.size;
  }

  get(id: string): WatchedTask | null {
    return this.#tasks.get(id) ?? null;
  }

  has(id: string): boolean {
    return this.#tasks.has(id);
  }

  byHandle(handle: string): WatchedTask | null {
    return this.#byHandle.get(handle) ?? null;
  }

  /** Sets the task's handle; null if the handle turned out to be another task's. */
  name(task: WatchedTask, handle: string | null): void {
    this.#forgetHandle(task);
    task.handle = handle;
    if (handle !== null && this.#tasks.get(task.id) === task) this.#byHandle.set(handle, task);
  }

  /** Handles of the running tasks. */
  runningHandles(): string[] {
    return [...this.#tasks.values()].flatMap(({ handle, work }) =>
      handle !== null && isRunning(work.state) && work.recipeVersion === null ? [handle] : [],
    );
  }

  add(task: WatchedTask): void {
    this.#tasks.set(task.id, task);
    if (task.handle !== null) this.#byHandle.set(task.handle, task);
  }

  remove(task: WatchedTask): void {
    this.#tasks.delete(task.id);
    this.#forgetHandle(task);
  }

  #forgetHandle(task: WatchedTask): void {
    if (task.handle !== null && this.#byHandle.get(task.handle) === task) this.#byHandle.delete(task.handle);
  }

  [Symbol.iterator](): IterableIterator<WatchedTask> {
    return this.#tasks.values();
  }
}
