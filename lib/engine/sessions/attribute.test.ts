import { expect, test } from "vitest";
import type { TaskWork } from "../../lifecycle/engine-task.ts";
import type { Question } from "../../mcp/peer.ts";
import {
  Announced,
  attribute,
  attributeByStatus,
  type SessionTask,
} from "../../mcp/stream-messages/attribute.ts";
import { type LiveSession, newWatchedTask, type WatchedTask } from "../watcher/watched-task.ts";
import { endTurn, leaveBehind, Sessions, takeCallTurn, takeTurn, tasksThatMayAsk } from "./sessions.ts";

const runs = (id: string): SessionTask => ({ id, isStarting: false });
const starts = (id: string): SessionTask => ({ id, isStarting: true });
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
  ["a session of its own", { streamTaskId: null, named: null }, [runs("a")], { taskId: "a" }],
  [
    "two may have asked",
    { streamTaskId: null, named: null },
    [runs("a"), runs("b")],
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

test("the server's own word leaves one: it waits, and all others have worked ever since", () => {
  const waits = { id: "a", seen: "waiting", waitsUnasked: true } as const;
  const works = { id: "b", seen: "working", waitsUnasked: false } as const;
  expect(attributeByStatus([waits, works])).toBe("a");
  expect(attributeByStatus([waits, { ...waits, id: "c" }, works])).toBeNull();
  // A task that waits for an answer may have asked twice, and one that waited may have asked this question.
  expect(attributeByStatus([waits, { ...waits, id: "b", waitsUnasked: false }])).toBeNull();
  // A task without a status was not polled yet, or has ended.
  expect(attributeByStatus([waits, { ...works, seen: null }])).toBeNull();
  expect(attributeByStatus([waits])).toBe("a");
  expect(attributeByStatus([{ ...waits, seen: null }, works])).toBeNull();
});

test("a question that a status notification has announced is of the task that it names", () => {
  const asks = (message: string): Question => ({
    address: { kind: "rpc", rpcId: 7 },
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: {} },
    url: null,
  });
  const announced = new Announced();
  announced.note("a", asks("Pay A?"), 0);
  announced.note("b", asks("Pay B?"), 0);
  expect(announced.take(asks("Pay B?"), 10)).toBe("b");
  expect(announced.take(asks("Pay B?"), 10)).toBeNull();
  expect(announced.take(asks("Pay C?"), 10)).toBeNull();
  // Of two tasks that announce the same words, either may have asked.
  announced.note("b", asks("Pay A?"), 20);
  expect(announced.take(asks("Pay A?"), 30)).toBeNull();
  // What was announced long ago was not put.
  expect(announced.take(asks("Pay A?"), 30_010)).toBe("b");
});

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
