import { expect, test } from "vitest";
import { Roster } from "./task-index.ts";
import type { TaskEntry } from "./watched-task.ts";

const entry = (id: string, handle: string | null) =>
  ({ id, handle, work: { state: "working" } }) as TaskEntry;

test("a task is found by the handle that it came with, or was given", () => {
  const roster = new Roster();
  const [came, given] = [entry("1", "a"), entry("2", null)];
  roster.add(came);
  roster.add(given);
  roster.name(given, "b");
  expect(given.handle).toBe("b");
  expect(roster.byHandle("a")).toBe(came);
  expect(roster.byHandle("b")).toBe(given);
  roster.remove(given);
  expect(roster.byHandle("b")).toBeNull();
});

test("a task that is named before it is taken on is found once it is", () => {
  const roster = new Roster();
  const early = entry("1", null);
  roster.name(early, "a");
  expect(roster.byHandle("a")).toBeNull();
  roster.add(early);
  expect(roster.byHandle("a")).toBe(early);
});

test("a server that names tasks which nobody knows costs a look each, however many are watched", () => {
  const roster = new Roster();
  let reads = 0;
  for (let at = 0; at < 1_000; at++) {
    const watched = entry(`${at}`, null);
    roster.add(watched);
    Object.defineProperty(watched, "handle", {
      get: () => {
        reads++;
        return `task-${at}`;
      },
    });
  }
  for (let at = 0; at < 100; at++) expect(roster.byHandle(`stranger-${at}`)).toBeNull();
  expect(reads).toBe(0);
});
