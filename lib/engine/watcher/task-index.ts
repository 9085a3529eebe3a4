import { isRunning } from "../../tasks/status.ts";
import type { WatchedTask } from "./watched-task.ts";

/** A watcher's tasks in memory, by id and by the server's handle. */
export class TaskIndex {
  #entries = new Map<string, WatchedTask>();
  /** A separate index, because notifications name tasks by handle, including unknown ones. */
  #byHandle = new Map<string, WatchedTask>();

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): WatchedTask | null {
    return this.#entries.get(id) ?? null;
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  byHandle(handle: string): WatchedTask | null {
    return this.#byHandle.get(handle) ?? null;
  }

  /** Sets the task's handle; null if the handle turned out to be another task's. */
  name(entry: WatchedTask, handle: string | null): void {
    this.#forgetHandle(entry);
    entry.handle = handle;
    if (handle !== null && this.#entries.get(entry.id) === entry) this.#byHandle.set(handle, entry);
  }

  /** Handles of the running tasks. */
  runningHandles(): string[] {
    return [...this.#entries.values()].flatMap(({ handle, work }) =>
      handle !== null && isRunning(work.state) ? [handle] : [],
    );
  }

  add(entry: WatchedTask): void {
    this.#entries.set(entry.id, entry);
    if (entry.handle !== null) this.#byHandle.set(entry.handle, entry);
  }

  remove(entry: WatchedTask): void {
    this.#entries.delete(entry.id);
    this.#forgetHandle(entry);
  }

  #forgetHandle(entry: WatchedTask): void {
    if (entry.handle !== null && this.#byHandle.get(entry.handle) === entry)
      this.#byHandle.delete(entry.handle);
  }

  [Symbol.iterator](): IterableIterator<WatchedTask> {
    return this.#entries.values();
  }
}
