import { expect, test } from "vitest";
import { TaskIndex } from "./task-index.ts";
import type { WatchedTask } from "./watched-task.ts";

const task = (id: string, handle: string | null) =>
  ({ id, handle, work: { state: "working" } }) as WatchedTask;

test("a task is found by the handle that it came with, or was given", () => {
  const taskIndex = new TaskIndex();
  const [came, given] = [task("1", "a"), task("2", null)];
  taskIndex.add(came);
  taskIndex.add(given);
  taskIndex.name(given, "b");
  expect(given.handle).toBe("b");
  expect(taskIndex.byHandle("a")).toBe(came);
  expect(taskIndex.byHandle("b")).toBe(given);
  taskIndex.remove(given);
  expect(taskIndex.byHandle("b")).toBeNull();
});

test("a task that is named before it is taken on is found once it is", () => {
  const taskIndex = new TaskIndex();
  const early = task("1", null);
  taskIndex.name(early, "a");
  expect(taskIndex.byHandle("a")).toBeNull();
  taskIndex.add(early);
  expect(taskIndex.byHandle("a")).toBe(early);
});

test("a server that names tasks which nobody knows costs a look each, however many are watched", () => {
  const taskIndex = new TaskIndex();
  let reads = 0;
  for (let at = 0; at < 1_000; at++) {
    const watched = task(`${at}`, null);
    taskIndex.add(watched);
    Object.defineProperty(watched, "handle", {
      get: () => {
        reads++;
        return `task-${at}`;
      },
    });
  }
  for (let at = 0; at < 100; at++) expect(taskIndex.byHandle(`stranger-${at}`)).toBeNull();
  expect(reads).toBe(0);
});
