import { isRunning } from "../../tasks/status.ts";
import type { WatchedTask } from "./watched-task.ts";

/** The tasks that a watcher holds in memory, by their ids and by the handles that the server knows them by. */
export class TaskIndex {
  #entries = new Map<string, WatchedTask>();
  /** Notifications name tasks by their handles, also such as nobody here knows. */
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

  /** The server knows the task by this handle; null: it turned out to be another's. */
  name(entry: WatchedTask, handle: string | null): void {
    this.#forgetHandle(entry);
    entry.handle = handle;
    if (handle !== null && this.#entries.get(entry.id) === entry) this.#byHandle.set(handle, entry);
  }

  /** What they are called where they run. */
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
