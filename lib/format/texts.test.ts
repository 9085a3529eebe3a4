import { expect, test } from "vitest";
import { describeEvent } from "./events.ts";
import { humanise, shorten } from "./labels.ts";
import { parseJsonText, readResult } from "./result.ts";
import { diffWords } from "./text-diff.ts";

const actor = { kind: "member" as const, id: null, name: "Ben" };

test("names become words", () => {
  expect(["due_date", "dueDate", "invoice_id", "x"].map(humanise)).toEqual([
    "Due date",
    "Due date",
    "Invoice ID",
    "X",
  ]);
});

test("long text is cut at a word", () => {
  expect(shorten("one two three", 9)).toBe("one two…");
});

test("an event is a sentence; an unknown one its type in plain words", () => {
  expect(describeEvent({ type: "answer.recorded", actor, data: { action: "decline" } }).text).toBe(
    "Ben declined",
  );
  expect(describeEvent({ type: "request.withdrawn", actor, data: { reason: "replaced" } }).text).toBe(
    "Question withdrawn: the server asked something else instead",
  );
  expect(describeEvent({ type: "moon.phase_changed", actor, data: {} }).text).toBe("Moon phase changed");
});

test.each([
  ["task.started", { durable: false }, "The call is under way; the server made no task of it"],
  ["task.started", { ttlMs: null }, "Task accepted by the server"],
  ["task.adopted", {}, "Ben took it over from the server"],
  ["task.start_settled", { started: false }, "Ben found that it never started"],
  ["task.lost", { code: "connection_lost" }, "Lost: the connection ended before the result came"],
  ["request.expired", { reason: "question_lifetime" }, /: the server gives up on questions after a while$/],
])("%s with %o is told in words", (type, data, words) => {
  expect(describeEvent({ type, actor, data }).text).toMatch(words);
});

test("a difference names what went and what came", () => {
  expect(diffWords("pay $400 now", "pay $410 now")).toEqual([
    { kind: "same", text: "pay " },
    { kind: "gone", text: "$400" },
    { kind: "new", text: "$410" },
    { kind: "same", text: " now" },
  ]);
});

test("a result is read part by part; structured content is not repeated as text", () => {
  const read = readResult({
    content: [{ type: "text", text: '{"a":1}' }, { odd: 1 }],
    structuredContent: { a: 1 },
  });
  expect(read?.parts).toEqual([{ type: "other", value: { odd: 1 } }]);
  expect(readResult("text")).toBeNull();
  expect(parseJsonText("{broken")).toBeNull();
});
