import { expect, test } from "vitest";
import { gistOf } from "./task-message.ts";

test.each([
  ["a call", { method: "tools/call", params: { name: "approve", arguments: { status: "no" } } }, "approve"],
  [
    "a status",
    { result: { resultType: "complete", status: "working", statusMessage: "2 of 4" } },
    "complete · working · 2 of 4",
  ],
  ["an answer", { result: { action: "accept", content: {} } }, "accept"],
  ["a question", { method: "elicitation/create", params: { message: "Pay?" } }, "Pay?"],
  ["an error", { error: { code: -32602, message: "No such task" } }, "error: No such task"],
  ["an error without words", { error: { code: -32602 } }, "error: -32602"],
  ["a failed result", { result: { isError: true, content: [] } }, "isError"],
  ["nothing that stands out", { result: {} }, ""],
  ["no object", "…", ""],
  ["what is not what it should be", { params: [1], result: { status: { a: 1 } } }, ""],
])("%s", (_what, body, gist) => {
  expect(gistOf(body)).toBe(gist);
});

test("a megabyte stays a line", () => {
  expect(gistOf({ error: { message: "x".repeat(1_000_000) } }).length).toBeLessThanOrEqual(120);
});
