import { expect, test } from "vitest";
import { taskTone } from "./outcome.ts";

const done = { state: "completed" as const, stalled: false, outcome: "PAID", outcomeIsError: false };

test.each([
  ["a good outcome is green", done, "good"],
  ["a rejection is not", { ...done, outcome: "REJECTED" }, "neutral"],
  ["a denial in a sentence is not", { ...done, outcome: "Request was denied" }, "neutral"],
  ["an error is red, though the task completed", { ...done, outcomeIsError: true }, "bad"],
  ["waiting is amber", { ...done, state: "input_required" as const }, "wait"],
  ["a stall is red", { ...done, state: "working" as const, stalled: true }, "bad"],
])("%s", (_, task, tone) => {
  expect(taskTone(task)).toBe(tone);
});
