import { expect, test } from "vitest";
import type { Question } from "../peer.ts";
import { Announced, attribute, attributeByStatus, type SessionTask } from "./attribute.ts";

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
  const waits = { id: "a", seen: "waiting", waitsUnasked: true, isCall: false } as const;
  const works = { id: "b", seen: "working", waitsUnasked: false, isCall: false } as const;
  expect(attributeByStatus([waits, works])).toBe("a");
  expect(attributeByStatus([waits, { ...waits, id: "c" }, works])).toBeNull();
  // A task that waits for an answer may have asked twice, and one that waited may have asked this question.
  expect(attributeByStatus([waits, { ...waits, id: "b", waitsUnasked: false }])).toBeNull();
  // A task without a status was not polled yet, or has ended.
  expect(attributeByStatus([waits, { ...works, seen: null }])).toBeNull();
  expect(attributeByStatus([waits])).toBe("a");
  expect(attributeByStatus([{ ...waits, seen: null }, works])).toBeNull();
});

test("a call, of which no poll tells, has asked if all tasks have worked ever since", () => {
  const call = { id: "a", seen: null, waitsUnasked: false, isCall: true } as const;
  const works = { id: "b", seen: "working", waitsUnasked: false, isCall: false } as const;
  expect(attributeByStatus([call, works])).toBe("a");
  expect(attributeByStatus([call])).toBe("a");
  expect(attributeByStatus([call, { ...call, id: "c" }, works])).toBeNull();
  expect(attributeByStatus([call, { ...works, seen: "waiting", waitsUnasked: true }])).toBeNull();
  expect(attributeByStatus([call, { ...works, seen: null }])).toBeNull();
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
  expect(announced.take(asks("Pay B?"), 10)).toEqual(["b"]);
  expect(announced.take(asks("Pay B?"), 10)).toEqual([]);
  expect(announced.take(asks("Pay C?"), 10)).toEqual([]);
  // Of two tasks that announce the same words, either may have asked.
  announced.note("b", asks("Pay A?"), 20);
  expect(announced.take(asks("Pay A?"), 30)).toEqual(["a", "b"]);
  // What was announced long ago was not put.
  expect(announced.take(asks("Pay A?"), 30_010)).toEqual(["b"]);
});
