/** Some clients show their model a result's structured content alone: it says what became of a task, and what to do now. */
import { expect, test } from "vitest";
import type { AgentTaskRow } from "../../lifecycle/agent-calls/agent-call-reads.ts";
import { endedResult, taskResult } from "./results.ts";

const now = new Date();
const ended = (more: Partial<AgentTaskRow>): AgentTaskRow => ({
  id: "01990000-0000-7000-8000-000000000001",
  state: "lost",
  tool: "erp__pay",
  label: null,
  statusMessage: null,
  createdAt: now,
  changedAt: now,
  finishedAt: now,
  cancelRequestedAt: null,
  question: null,
  isAnswered: false,
  isError: false,
  result: null,
  error: null,
  unopened: false,
  changed: null,
  ...more,
});

test.each([
  ["lost", "The server has lost it, and nobody knows how it ended.", /may have run: do not call it again/],
  ["expired", "The server's time limit for it passed.", /may have run: do not call it again/],
  ["failed", "It failed: No such invoice.", /^It is over/],
  ["cancelled", "It was cancelled.", /^It is over/],
] as const)("a task without a result, %s", (state, message, next) => {
  const error = state === "failed" ? { code: "task_failed", message: "No such invoice." } : null;
  const result = endedResult(ended({ state, error }));
  expect(result.isError).toBe(true);
  expect(result.structuredContent).toMatchObject({ state, message, next: expect.stringMatching(next) });
  const told = result.structuredContent as { next: string };
  const text = result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  expect(text).toBe(`${message}\n${told.next}`);
});

test("a call that is to be revised: what to change, and that calling again is wanted", () => {
  const error = {
    ...{ code: "call_declined", message: "Ben asks to revise this call: use the staging table" },
    ...{ by: { id: "b", name: "Ben" }, reason: "use the staging table", revise: true },
  };
  const result = endedResult(ended({ state: "failed", error }));
  expect(result.structuredContent).toMatchObject({
    ...{ revise: true, reason: "use the staging table", error },
    next: "Nothing was called. Change the arguments as asked, then call erp__pay again: people see both calls.",
  });
  expect(result.content).toMatchObject([
    { text: expect.stringMatching(/asks to revise this call: use the staging table\n.*call erp__pay again/) },
  ]);
  // A server's own error, whatever it says, asks for nothing.
  const other = endedResult(ended({ state: "failed", error: { ...error, code: "server_error" } }));
  expect(other.structuredContent).not.toHaveProperty("revise");
});

test("a task that has ended, looked at: what it returned is there, and nothing is left to do", () => {
  const result = { content: [{ type: "text", text: "done" }] };
  const looked = taskResult(ended({ state: "completed", result }));
  expect(looked.structuredContent).toMatchObject({ message: "erp__pay has ended: completed.", result });
  expect(looked.structuredContent).not.toHaveProperty("next");
});

test("a result is made once for all calls that wait for it, and as text where it is not what the protocol says", () => {
  const task = ended({ state: "completed", result: { content: [{ type: "text", text: "done" }] } });
  expect(endedResult(task)).toBe(endedResult(task));
  for (const item of [
    {},
    1,
    null,
    [],
    { type: "text" },
    { type: "image", data: "x" },
    { type: "resource" },
  ]) {
    const result = { content: [{ type: "text", text: "done" }, item], isError: true };
    expect(endedResult(ended({ state: "completed", result }))).toMatchObject({
      content: [{ type: "text", text: JSON.stringify(result) }],
      isError: true,
    });
  }
});

test("a result of a hundred thousand items that are none is read in a moment", () => {
  const result = { content: Array.from({ length: 100_000 }, () => ({})) };
  const before = process.threadCpuUsage();
  endedResult(ended({ state: "completed", result }));
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(500);
});

test.each<[string, object]>([
  [
    "items that are wrong in a part",
    { content: Array(25_000).fill({ type: "text", text: "", annotations: 1 }) },
  ],
  ["names beside the content", Object.fromEntries(Array.from({ length: 90_000 }, (_, n) => [`n${n}`, 1]))],
  [
    "names of the metadata",
    { content: [], _meta: Object.fromEntries(Array.from({ length: 90_000 }, (_, n) => [`n${n}`, 1])) },
  ],
])("a result of as many %s as are taken is told as text, in a moment", (_, result) => {
  const before = process.threadCpuUsage();
  const { content } = endedResult(ended({ state: "completed", result }));
  const { user, system } = process.threadCpuUsage(before);
  expect(content).toEqual([{ type: "text", text: JSON.stringify(result) }]);
  expect((user + system) / 1_000).toBeLessThan(500);
});

test("a call that a person changed says so beside what the tool answered, also where it failed", () => {
  const changed = { by: { name: "Ben" }, before: { a: 1 }, arguments: { a: 2 } };
  const text = "Ben changed the arguments before approving the call. It was made with:\na: 1 → 2";
  const result = { content: [{ type: "text", text: "done" }], structuredContent: { rows: 1 } };
  const done = endedResult(ended({ state: "completed", result, changed }));
  expect(done).toMatchObject({ content: [{ text: "done" }, { text }], structuredContent: { rows: 1 } });
  expect(done._meta?.["io.intray/changed"]).toEqual(changed);
  const failed = endedResult(ended({ state: "failed", error: { code: "x", message: "Away" }, changed }));
  expect(failed.content.at(-1)).toEqual({ type: "text", text });
});

test("structured content stays what the server sent", () => {
  const structuredContent = { rows: Array.from({ length: 20_000 }, (_, n) => n) };
  const result = { content: [{ type: "text", text: "20,000 rows" }], structuredContent };
  expect(endedResult(ended({ state: "completed", result }))).toMatchObject(result);
  const list = { content: [], structuredContent: [1] };
  expect(endedResult(ended({ state: "completed", result: list })).structuredContent).toBeUndefined();
});
