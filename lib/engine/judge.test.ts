import { expect, test } from "vitest";
import type { Question, RemoteTask } from "../mcp/peer.ts";
import type { RequestWork, TaskWork } from "../tasks/work.ts";
import { isEmpty, judgeKeyed, judgeUnkeyed } from "./judge.ts";

const hashOf = (question: Question) => question.message;
const question = (key: string, message: string): Question => ({
  address: { kind: "key", key },
  mode: "form",
  message,
  requestedSchema: {},
  url: null,
});
const remote = (more: Partial<RemoteTask>): RemoteTask => ({
  taskId: "t",
  status: "input_required",
  statusMessage: null,
  createdAt: null,
  lastUpdatedAt: null,
  ttlMs: null,
  pollIntervalMs: null,
  questions: [],
  ...more,
});
const work = (requests: RequestWork[], more: Partial<TaskWork> = {}) =>
  ({
    state: "input_required",
    statusMessage: null,
    ttlMs: null,
    pollIntervalMs: null,
    cancelRequested: false,
    requests,
    ...more,
  }) as TaskWork;
const request = (
  id: string,
  key: string,
  hash: string,
  delivery?: Partial<NonNullable<RequestWork["delivery"]>>,
) =>
  ({
    id,
    key,
    questionHash: hash,
    state: delivery ? "answered" : "open",
    delivery: delivery
      ? {
          id: `d-${id}`,
          pollsSinceAccepted: 0,
          sentAgoMs: 60_000,
          unreachableSinceAccepted: false,
          automaticResends: 0,
          flagged: false,
          ...delivery,
        }
      : null,
    asks: [],
  }) as unknown as RequestWork;

test("a new question is captured", () => {
  const plan = judgeKeyed(work([]), remote({ questions: [question("a", "A?")] }), hashOf, 0);
  expect(plan.capture.map((c) => c.key)).toEqual(["a"]);
});

test("the same question again changes nothing", () => {
  expect(
    isEmpty(
      judgeKeyed(work([request("1", "a", "A?")]), remote({ questions: [question("a", "A?")] }), hashOf, 0),
    ),
  ).toBe(true);
});

test("another text under the same key is captured, for capture to replace or confirm the old one", () => {
  const plan = judgeKeyed(
    work([request("1", "a", "A?", { state: "accepted" })]),
    remote({ questions: [question("a", "B?")] }),
    hashOf,
    0,
  );
  expect(plan.capture).toHaveLength(1);
  expect(plan.confirm).toEqual([]);
});

test.each([
  { delivery: undefined, confirm: [], retract: ["1"] },
  { delivery: { state: "pending" as const }, confirm: [], retract: ["1"] },
  { delivery: { state: "held" as const }, confirm: [], retract: ["1"] },
  { delivery: { state: "sending" as const }, confirm: ["1"], retract: [] },
  { delivery: { state: "accepted" as const }, confirm: ["1"], retract: [] },
])("a key that is gone: $delivery", ({ delivery, confirm, retract }) => {
  const plan = judgeKeyed(
    work([request("1", "a", "A?", delivery)]),
    remote({ status: "working" }),
    hashOf,
    0,
  );
  expect([plan.confirm, plan.retract]).toEqual([confirm, retract]);
});

test("an answer found in sending is repeated only after two polls that still ask", () => {
  const sending = work([request("1", "a", "A?", { state: "sending" })]);
  const asks = remote({ questions: [question("a", "A?")] });
  expect(judgeKeyed(sending, asks, hashOf, 1).repeat).toHaveLength(0);
  expect(judgeKeyed(sending, asks, hashOf, 2).repeat).toHaveLength(1);
  // A slow server may still be at work on it.
  const justSent = work([request("1", "a", "A?", { state: "sending", sentAgoMs: 6_000 })]);
  expect(judgeKeyed(justSent, asks, hashOf, 9).repeat).toHaveLength(0);
});

test("after a cancel nothing new is captured", () => {
  const plan = judgeKeyed(
    work([], { cancelRequested: true }),
    remote({ questions: [question("a", "A?")] }),
    hashOf,
    0,
  );
  expect(plan.capture).toEqual([]);
});

test("without keys, only a changed status or message confirms", () => {
  const accepted = work([request("1", "e", "A?", { state: "accepted", statusBefore: "input_required " })]);
  expect(judgeUnkeyed(accepted, remote({ lastUpdatedAt: "later" }), 0).confirm).toEqual([]);
  expect(judgeUnkeyed(accepted, remote({ statusMessage: "paying" }), 0).confirm).toEqual(["1"]);
  expect(judgeUnkeyed(accepted, remote({ status: "working" }), 0).confirm).toEqual(["1"]);
});

test("without keys, an answer of unknown outcome is not confirmed by a message that changes by itself", () => {
  const unknown = work([request("1", "e", "A?", { state: "sending", statusBefore: "input_required 1 s" })]);
  const ticking = remote({ statusMessage: "2 s" });
  expect(judgeUnkeyed(unknown, ticking, 1).confirm).toEqual([]);
  expect(judgeUnkeyed(unknown, ticking, 2).repeat).toHaveLength(1);
  expect(judgeUnkeyed(unknown, remote({ status: "working" }), 1).confirm).toEqual(["1"]);
});

test("without keys, leaving input_required takes an unanswered question back", () => {
  expect(judgeUnkeyed(work([request("1", "e", "A?")]), remote({ status: "working" }), 0).retract).toEqual([
    "1",
  ]);
  // asked while the server said "working" all along
  const never = work([request("1", "e", "A?")], { state: "working" });
  expect(judgeUnkeyed(never, remote({ status: "working" }), 0).retract).toEqual([]);
  // It waited between two polls, by its own word.
  expect(judgeUnkeyed(never, remote({ status: "working" }), 0, true).retract).toEqual(["1"]);
});

test("without keys, a new message takes no open question back: a task may go on beside it", () => {
  const beside = work([request("1", "e", "A?")], { state: "working", statusMessage: "reading" });
  expect(judgeUnkeyed(beside, remote({ status: "working", statusMessage: "paying" }), 0).retract).toEqual([]);
});

test("without keys, an accepted answer is not called asked again while the task waits for another one", () => {
  const accepted = request("1", "e", "A?", { state: "accepted", statusBefore: "input_required " });
  const both = work([accepted, request("2", "f", "B?")]);
  expect(judgeUnkeyed(both, remote({}), 0).stillAsked).toEqual([]);
  expect(judgeUnkeyed(work([accepted]), remote({}), 0).stillAsked).toHaveLength(1);
  // It waits for nothing any more.
  const moved = judgeUnkeyed(both, remote({ status: "working" }), 0);
  expect([moved.confirm, moved.retract]).toEqual([["1"], ["2"]]);
});
