import { expect, test } from "vitest";
import type { TaskWork } from "../tasks/work.ts";
import { newEntry, type TaskEntry } from "./entry.ts";
import { askedUnder, attribute, type LiveSession, mayShare, Sessions } from "./sessions.ts";

const work = (id: string, more: Partial<TaskWork> = {}) =>
  ({ id, state: "working", cancelRequested: false, requests: [], unchangedPolls: 0, ...more }) as TaskWork;
const open = { state: "open", asks: [{ sessionDigest: "d", rpcId: 0 }] };
const kept = { id: "s", own: "o", protocolVersion: "2025-11-25", lastEventId: null };

/** A session with tasks of these handles; null: its call is under way. */
function scene(...handles: (string | null)[]) {
  const sessions = new Sessions();
  const tasks = handles.map((handle, at) => {
    const entry = newEntry(work(`task ${at}`));
    entry.handle = handle;
    return entry;
  });
  let live!: LiveSession;
  for (const task of tasks) live = sessions.attach(task, kept);
  const byHandle = (handle: string) => tasks.find((task) => task.handle === handle) ?? null;
  return { sessions, live, tasks: tasks as [TaskEntry, TaskEntry], byHandle };
}

test("a question that names its task is that task's, on whatever stream it came", () => {
  const { live, tasks, byHandle } = scene("a", "b");
  expect(attribute(live, null, "b", byHandle)).toBe(tasks[1]);
  expect(attribute(live, tasks[0], "b", byHandle)).toBe(tasks[1]);
});

test("a question of a task that is not known yet is of the one that is being started", () => {
  const { live, tasks, byHandle } = scene("a", null);
  expect(attribute(live, null, "new", byHandle)).toBe(tasks[1]);
  const two = scene(null, null);
  expect(attribute(two.live, null, "new", two.byHandle)).toBeNull();
  two.live.caller = two.tasks[1];
  expect(attribute(two.live, null, "new", two.byHandle)).toBe(two.tasks[1]);
  expect(attribute(live, null, "new", byHandle)).toBe(tasks[1]);
  expect(attribute(live, tasks[1], "new", byHandle)).toBe(tasks[1]);
});

test("a question of a task that nobody here knows is nobody's", () => {
  const { live, tasks, byHandle } = scene("a", "b");
  expect(attribute(live, tasks[0], "stranger", byHandle)).toBeNull();
});

test("without a name it is the task's whose stream it came on, or the only one that can have asked", () => {
  const { live, tasks, byHandle } = scene("a", "b");
  expect(attribute(live, tasks[1], null, byHandle)).toBe(tasks[1]);
  expect(attribute(live, null, null, byHandle)).toBeNull();
  tasks[0].work = work("task 0", { requests: [open] as unknown as TaskWork["requests"] });
  expect(attribute(live, null, null, byHandle)).toBe(tasks[1]);
});

test("a session of its own needs no names", () => {
  const { live, tasks, byHandle } = scene("a");
  expect(attribute(live, null, null, byHandle)).toBe(tasks[0]);
});

test("a retraction goes to the task that was asked under the id, with its type", () => {
  const { live, tasks } = scene("a", "b");
  tasks[1].work = work("task 1", { requests: [open] as unknown as TaskWork["requests"] });
  expect(askedUnder(live, "d", 0)).toEqual([tasks[1]]);
  expect(askedUnder(live, "d", "0")).toEqual(tasks);
});

test("only servers that name their tasks have several in one session", () => {
  const { live, tasks } = scene("a", "b");
  expect(mayShare(live, tasks[0], {})).toBe(true);
  expect(mayShare(live, tasks[0], { namesTask: false })).toBe(false);
  const alone = scene("a");
  expect(mayShare(alone.live, alone.tasks[0], { namesTask: false })).toBe(true);
});

test("the last task to leave a session leaves it to be closed", () => {
  const { sessions, live, tasks } = scene("a", "b");
  expect(sessions.detach(tasks[0])).toBeNull();
  expect(sessions.detach(tasks[1])).toBe(live);
  expect(sessions.size).toBe(0);
});
