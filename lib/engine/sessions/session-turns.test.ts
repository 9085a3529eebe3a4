import { expect, test } from "vitest";
import type { TaskWork } from "../../lifecycle/engine-task.ts";
import { type LiveSession, newWatchedTask, type WatchedTask } from "../watcher/watched-task.ts";
import { endTurn, leaveBehind, Sessions, takeCallTurn, takeTurn, tasksThatMayAsk } from "./sessions.ts";

const kept = { id: "s", own: "o", protocolVersion: "2025-11-25", lastEventId: null };
const mayAsk = (session: LiveSession) =>
  tasksThatMayAsk(session)
    .map(({ id }) => id)
    .sort();

test("whoever may live at the server may ask: cancelled here, of unknown start, or gone from here", () => {
  const { sessions, session, tasks } = fixture();
  const [a, b, c] = tasks;
  expect(mayAsk(session)).toEqual(["a", "b", "c"]);
  a.work = { ...a.work, cancelRequested: true };
  b.work = { ...b.work, state: "cancelled", serverState: "working" };
  c.work = { ...c.work, state: "completed" };
  expect(mayAsk(session)).toEqual(["a", "b"]);
  leaveBehind(b);
  sessions.detach(b);
  expect(mayAsk(session)).toEqual(["a", "b"]);
  // Another process reads it from the session stored with the remaining tasks.
  const elsewhere = new Sessions();
  elsewhere.attach(a, { ...kept });
  expect(mayAsk(elsewhere.attach(c, session.record))).toEqual(["a", "b"]);
});

function fixture() {
  const sessions = new Sessions();
  const record = { ...kept };
  const tasks = ["a", "b", "c"].map((id) =>
    newWatchedTask({
      id,
      state: "working",
      cancelRequested: false,
      requests: [],
      unchangedPolls: 0,
    } as unknown as TaskWork),
  ) as [WatchedTask, WatchedTask, WatchedTask];
  let session!: LiveSession;
  for (const task of tasks) session = sessions.attach(task, record);
  return { sessions, session, tasks };
}

test("where the server does not name its tasks, one at a time is asked for its question, in order", () => {
  const { session, tasks } = fixture();
  const [a, b, c] = tasks;
  expect(takeTurn(session, a, {})).toBe(true);
  expect(takeTurn(session, b, {})).toBe(false);
  expect(takeTurn(session, c, {})).toBe(false);
  expect(endTurn(session, b)).toBeNull();
  expect(takeTurn(session, b, {})).toBe(false);
  expect(endTurn(session, a)).toBe(c);
  expect(takeTurn(session, c, {})).toBe(true);
});

test("where it names them, all are asked at once", () => {
  const { session, tasks } = fixture();
  for (const task of tasks) expect(takeTurn(session, task, { namesTask: true })).toBe(true);
});

test("calls on a shared session go one after the other, first come, first served; none waits for one that is over", () => {
  const { sessions, session, tasks } = fixture();
  const [a, b, c] = tasks;
  expect(takeCallTurn(session, a, {})).toBe(true);
  expect(takeCallTurn(session, b, {})).toBe(false);
  expect(takeCallTurn(session, c, {})).toBe(false);
  // The first task gave up before its call and left the session.
  sessions.detach(a);
  expect(takeCallTurn(session, c, {})).toBe(false);
  expect(takeCallTurn(session, b, {})).toBe(true);
});

test("the last task to leave a session leaves it to be closed", () => {
  const { sessions, session, tasks } = fixture();
  expect(sessions.detach(tasks[0])).toBeNull();
  expect(sessions.detach(tasks[1])).toBeNull();
  expect(sessions.detach(tasks[2])).toBe(session);
  expect(sessions.size).toBe(0);
});
