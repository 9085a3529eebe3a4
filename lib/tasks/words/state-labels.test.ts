import { expect, test } from "vitest";
import { statusSentence, taskTone } from "./state-labels.ts";

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

const failed = {
  state: "failed" as const,
  progress: null,
  statusMessage: "The ledger is closed",
  error: { code: "task_failed", message: "The ledger is closed" },
};

test.each([
  ["of a failed task is not its error once more", failed, null],
  ["of a failed task may be what it did last", { ...failed, statusMessage: "Paying" }, "Paying"],
  ["stays while the task lives", { ...failed, state: "working" as const }, "The ledger is closed"],
  [
    "is its progress, if that has words",
    { ...failed, state: "working" as const, progress: { progress: 1, total: null, message: "Page 1" } },
    "Page 1",
  ],
])("the status's sentence %s", (_, task, sentence) => {
  expect(statusSentence(task)).toBe(sentence);
});
