import { expect, test } from "vitest";
import { attribute, attributeByStatus, type SessionTask } from "../../stream-messages/attribute.ts";
import type { TaskWork } from "../../task-lifecycle/work.ts";
import { type LiveSession, newWatchedTask, type WatchedTask } from "../watcher/watched-task.ts";
import { endTurn, Sessions, takeCallTurn, takeTurn } from "./sessions.ts";

const runs = (id: string): SessionTask => ({ id, isStarting: false, awaitsQuestion: true });
const starts = (id: string): SessionTask => ({ id, isStarting: true, awaitsQuestion: false });
const asked = (id: string): SessionTask => ({ id, isStarting: false, awaitsQuestion: false });
const stranger = { taskId: null };

test.each<
  [string, Parameters<typeof attribute>[0], SessionTask[], { taskId: string } | { candidates: string[] }]
>([
  [
    "it names its task",
    { streamTaskId: null, named: { taskId: "b" } },
    [runs("a"), runs("b")],
    { taskId: "b" },
  ],
  [
    "it names its task, on another's stream",
    { streamTaskId: "a", named: { taskId: "b" } },
    [runs("a"), runs("b")],
    { taskId: "b" },
  ],
  [
    "it names a task that nobody knows, and one is being started",
    { streamTaskId: null, named: stranger },
    [runs("a"), starts("b")],
    { taskId: "b" },
  ],
  [
    "it names a task that nobody knows, and two are being started",
    { streamTaskId: null, named: stranger },
    [starts("a"), starts("b")],
    { candidates: ["a", "b"] },
  ],
  [
    "it names a task that nobody knows, on the stream of a call",
    { streamTaskId: "b", named: stranger },
    [starts("a"), starts("b")],
    { taskId: "b" },
  ],
  [
    "it names a task of others",
    { streamTaskId: "a", named: stranger },
    [runs("a"), runs("b")],
    { candidates: [] },
  ],
  [
    "it came on a task's own stream",
    { streamTaskId: "a", named: null },
    [runs("a"), runs("b")],
    { taskId: "a" },
  ],
  ["a session of its own", { streamTaskId: null, named: null }, [asked("a")], { taskId: "a" }],
  [
    "two may have asked",
    { streamTaskId: null, named: null },
    [runs("a"), runs("b")],
    { candidates: ["a", "b"] },
  ],
  [
    "one of two has asked already",
    { streamTaskId: null, named: null },
    [asked("a"), runs("b")],
    { taskId: "b" },
  ],
  [
    "both have asked already",
    { streamTaskId: null, named: null },
    [asked("a"), asked("b")],
    { candidates: ["a", "b"] },
  ],
  [
    "one runs, another is being started",
    { streamTaskId: null, named: null },
    [runs("a"), starts("b")],
    { candidates: ["a", "b"] },
  ],
])("whose question it is: %s", (_, message, tasks, verdict) => {
  expect(attribute(message, tasks)).toEqual(verdict);
});

const looked = { wasLookedAt: true, waitsUnasked: false, works: false };
test("the server's own word leaves one: it waits, and all others work", () => {
  const waits = { ...looked, id: "a", waitsUnasked: true };
  const works = { ...looked, id: "b", works: true };
  expect(attributeByStatus([waits, works])).toBe("a");
  expect(attributeByStatus([waits, { ...works, wasLookedAt: false }])).toBeNull();
  expect(attributeByStatus([waits, { ...waits, id: "c" }, works])).toBeNull();
  // One that waits for an answer may have asked twice.
  expect(attributeByStatus([waits, { ...looked, id: "b" }])).toBeNull();
});

const kept = { id: "s", own: "o", protocolVersion: "2025-11-25", lastEventId: null };
function scene() {
  const sessions = new Sessions();
  const tasks = ["a", "b", "c"].map((id) =>
    newWatchedTask({
      id,
      state: "working",
      cancelRequested: false,
      requests: [],
      unchangedPolls: 0,
    } as unknown as TaskWork),
  ) as [WatchedTask, WatchedTask, WatchedTask];
  let live!: LiveSession;
  for (const task of tasks) live = sessions.attach(task, kept);
  return { sessions, live, tasks };
}

test("where the server does not name its tasks, one at a time is asked for its question, in order", () => {
  const { live, tasks } = scene();
  const [a, b, c] = tasks;
  expect(takeTurn(live, a, {})).toBe(true);
  expect(takeTurn(live, b, {})).toBe(false);
  expect(takeTurn(live, c, {})).toBe(false);
  expect(endTurn(live, b)).toBeNull();
  expect(takeTurn(live, b, {})).toBe(false);
  expect(endTurn(live, a)).toBe(c);
  expect(takeTurn(live, c, {})).toBe(true);
});

test("where it names them, all are asked at once", () => {
  const { live, tasks } = scene();
  for (const task of tasks) expect(takeTurn(live, task, { namesTask: true })).toBe(true);
});

test("calls on a shared session go one after the other, first come, first served; none waits for one that is over", () => {
  const { sessions, live, tasks } = scene();
  const [a, b, c] = tasks;
  expect(takeCallTurn(live, a, {})).toBe(true);
  expect(takeCallTurn(live, b, {})).toBe(false);
  expect(takeCallTurn(live, c, {})).toBe(false);
  // The first gave up before its call was made, and left.
  sessions.detach(a);
  expect(takeCallTurn(live, c, {})).toBe(false);
  expect(takeCallTurn(live, b, {})).toBe(true);
});

test("the last task to leave a session leaves it to be closed", () => {
  const { sessions, live, tasks } = scene();
  expect(sessions.detach(tasks[0])).toBeNull();
  expect(sessions.detach(tasks[1])).toBeNull();
  expect(sessions.detach(tasks[2])).toBe(live);
  expect(sessions.size).toBe(0);
});
