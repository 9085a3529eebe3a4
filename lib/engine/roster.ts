import { isRunning } from "../tasks/status.ts";
import type { TaskEntry } from "./entry.ts";

/** The tasks that a watcher holds in memory, by their ids and by the handles that the server knows them by. */
export class Roster {
  #entries = new Map<string, TaskEntry>();
  /** Found once: notifications name tasks by their handles, again and again. */
  #idByHandle = new Map<string, string>();

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): TaskEntry | null {
    return this.#entries.get(id) ?? null;
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  byHandle(handle: string): TaskEntry | null {
    const known = this.#entries.get(this.#idByHandle.get(handle) ?? "");
    if (known?.handle === handle) return known;
    for (const entry of this.#entries.values()) {
      if (entry.handle !== handle) continue;
      this.#idByHandle.set(handle, entry.id);
      return entry;
    }
    return null;
  }

  /** What they are called where they run. */
  runningHandles(): string[] {
    return [...this.#entries.values()].flatMap(({ handle, work }) =>
      handle !== null && isRunning(work.state) ? [handle] : [],
    );
  }

  add(entry: TaskEntry): void {
    this.#entries.set(entry.id, entry);
  }

  remove(entry: TaskEntry): void {
    this.#entries.delete(entry.id);
    if (entry.handle !== null) this.#idByHandle.delete(entry.handle);
  }

  [Symbol.iterator](): IterableIterator<TaskEntry> {
    return this.#entries.values();
  }
}
