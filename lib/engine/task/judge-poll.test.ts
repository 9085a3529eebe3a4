import { describe, expect, test } from "vitest";
import type { RequestWork, TaskWork } from "../../lifecycle/engine-task.ts";
import type { Question, RemoteTask } from "../../mcp/peer.ts";
import { isEmpty, judgeKeyed, judgeUnkeyed, type Memory, type Plan } from "./judge-poll.ts";

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
    isUnknown: false,
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
  more: Partial<RequestWork> = {},
) =>
  ({
    id,
    key,
    questionHash: hash,
    state: delivery ? "answered" : "open",
    mode: "form",
    ageMs: 1_000,
    replaced: false,
    rewordedAgoMs: null,
    rewordings: 0,
    delivery: delivery
      ? {
          id: `d-${id}`,
          attempts: 1,
          accepted: delivery.state === "accepted",
          inDoubt: false,
          pollsSinceAccepted: 0,
          sentAgoMs: 60_000,
          unreachableSinceAccepted: false,
          automaticResends: 0,
          flagged: false,
          statusBefore: null,
          anyWording: false,
          action: "accept",
          content: {},
          ...delivery,
        }
      : null,
    asks: [],
    ...more,
  }) as unknown as RequestWork;
const memory = (more: Partial<Memory> = {}): Memory => ({
  pollsInSending: 0,
  elapsedMs: 0,
  missingForMs: () => 0,
  hadOthers: false,
  callOf: () => undefined,
  ...more,
});
const said = ({ verdicts }: Plan) => verdicts.map((each) => `${each.request.id} ${each.verdict}`);

test("a new question is captured", () => {
  const plan = judgeKeyed(work([]), remote({ questions: [question("a", "A?")] }), hashOf, memory());
  expect(plan.capture.map((c) => c.key)).toEqual(["a"]);
});

test("the same question again changes nothing", () => {
  expect(
    isEmpty(
      judgeKeyed(
        work([request("1", "a", "A?")]),
        remote({ questions: [question("a", "A?")] }),
        hashOf,
        memory(),
      ),
    ),
  ).toBe(true);
});

test("another text under the same key is captured, for capture to replace or confirm the old one", () => {
  const plan = judgeKeyed(
    work([request("1", "a", "A?", { state: "accepted" })]),
    remote({ questions: [question("a", "B?")] }),
    hashOf,
    memory(),
  );
  expect(plan.capture).toHaveLength(1);
  expect(said(plan)).toEqual([]);
});

test("a question whose text changes at every poll is stored now and then, not every time", () => {
  const changed = remote({ questions: [question("a", "B?")] });
  const restless = (more: Partial<RequestWork>, elapsedMs = 0) =>
    judgeKeyed(work([request("1", "a", "A?", undefined, more)]), changed, hashOf, memory({ elapsedMs }));
  expect(restless({}).capture).toHaveLength(1);
  expect(isEmpty(restless({ rewordedAgoMs: 1_000 }))).toBe(true);
  expect(restless({ rewordedAgoMs: 1_000 }, 30_000).capture).toHaveLength(1);
});

test("an answer given for any wording is delivered although the text changes", () => {
  const agreed = request("1", "a", "A?", { state: "pending", anyWording: true }, { rewordedAgoMs: 1_000 });
  const plan = judgeKeyed(work([agreed]), remote({ questions: [question("a", "B?")] }), hashOf, memory());
  expect(plan.verdicts).toEqual([]);
  // Where its form is another one as well, which only the capture knows, it is not.
  expect(plan.capture).toHaveLength(1);
});

test("a task with the maximum number of questions opens no more, and nothing is written for it", () => {
  const full = work([], { full: true });
  expect(isEmpty(judgeKeyed(full, remote({ questions: [question("a", "A?")] }), hashOf, memory()))).toBe(
    true,
  );
});

test.each([
  { delivery: undefined, first: [], second: ["1 withdraw"] },
  { delivery: { state: "pending" as const }, first: [], second: ["1 withdraw"] },
  { delivery: { state: "held" as const }, first: [], second: ["1 withdraw"] },
  { delivery: { state: "sending" as const }, first: [], second: ["1 confirm"] },
  { delivery: { state: "accepted" as const }, first: ["1 confirm"], second: ["1 confirm"] },
])("a key that is gone, once and twice: $delivery", ({ delivery, first, second }) => {
  const looks = [0, 2_000].map((ms) =>
    judgeKeyed(
      work([request("1", "a", "A?", delivery)]),
      remote({ status: "input_required" }),
      hashOf,
      memory({ missingForMs: () => ms }),
    ),
  );
  expect(looks.map(said)).toEqual([first, second]);
  expect(looks[0]!.missing).toEqual(first.length > 0 ? [] : ["1"]);
});

test.each(["open", "pending", "sending", "accepted"] as const)(
  "a report that is not understood says nothing of a question that it does not show: %s",
  (state) => {
    const asked = request("1", "a", "A?", state === "open" ? undefined : { state, statusBefore: "working" });
    const unknown = remote({ isUnknown: true, statusMessage: "?" });
    const plan = judgeKeyed(work([asked]), unknown, hashOf, memory({ missingForMs: () => 9_000 }));
    expect({ said: said(plan), missing: plan.missing }).toEqual({ said: [], missing: [] });
    expect(said(judgeUnkeyed(work([asked]), unknown, memory()))).toEqual([]);
  },
);

test("an accepted answer stays that of its question while the round is the same, whatever else changes", () => {
  const accepted = request("1", "a", "A?", { state: "accepted", statusBefore: "1", pollsSinceAccepted: 9 });
  const judged = (round: string) =>
    judgeKeyed(
      work([accepted]),
      remote({ questions: [{ ...question("a", "B?"), round }] }),
      hashOf,
      memory({ callOf: () => "repeatable" }),
    );
  expect(judged("1").capture).toEqual([]);
  expect(said(judged("1"))).toEqual(["1 flag"]);
  expect(judged("2").capture).toHaveLength(1);
});

test("an answer found in sending is repeated only after two polls that still ask", () => {
  const sending = work([request("1", "a", "A?", { state: "sending" })]);
  const asks = remote({ questions: [question("a", "A?")] });
  expect(said(judgeKeyed(sending, asks, hashOf, memory({ pollsInSending: 1 })))).toEqual([]);
  expect(said(judgeKeyed(sending, asks, hashOf, memory({ pollsInSending: 2 })))).toEqual(["1 repeat"]);
});

test("after a cancel nothing new is captured", () => {
  const plan = judgeKeyed(
    work([], { cancelRequested: true }),
    remote({ questions: [question("a", "A?")] }),
    hashOf,
    memory(),
  );
  expect(plan.capture).toEqual([]);
});

const unkeyed = (of: TaskWork, now: Partial<RemoteTask>, pollsInSending = 0) =>
  said(judgeUnkeyed(of, remote(now), memory({ pollsInSending })));

test("without keys, only a changed status or message confirms", () => {
  const accepted = work([request("1", "e", "A?", { state: "accepted", statusBefore: "input_required " })]);
  expect(unkeyed(accepted, { lastUpdatedAt: "later" })).toEqual(["1 count"]);
  expect(unkeyed(accepted, { statusMessage: "paying" })).toEqual(["1 confirm"]);
  expect(unkeyed(accepted, { status: "working" })).toEqual(["1 confirm"]);
});

test("without keys, an answer of unknown outcome is not confirmed by a message that changes by itself", () => {
  const unknown = work([request("1", "e", "A?", { state: "sending", statusBefore: "input_required 1 s" })]);
  expect(unkeyed(unknown, { statusMessage: "2 s" }, 1)).toEqual([]);
  expect(unkeyed(unknown, { statusMessage: "paying" }, 2)).toEqual(["1 repeat"]);
  expect(unkeyed(unknown, { status: "working" }, 1)).toEqual(["1 confirm"]);
});

test("without keys, leaving input_required withdraws an unanswered question, and confirms an accepted answer", () => {
  expect(unkeyed(work([request("1", "e", "A?")]), { status: "working" })).toEqual(["1 withdraw"]);
  const again = { state: "pending" as const, accepted: true, statusBefore: "input_required " };
  expect(unkeyed(work([request("1", "e", "A?", again)]), { status: "working" })).toEqual(["1 confirm"]);
  // The question came while the server reported "working" all along.
  const never = work([request("1", "e", "A?")], { state: "working" });
  expect(unkeyed(never, { status: "working" })).toEqual([]);
});

test("without keys, a new status message withdraws no open question, because the task may continue beside it", () => {
  const beside = work([request("1", "e", "A?")], { state: "working", statusMessage: "reading" });
  expect(unkeyed(beside, { status: "working", statusMessage: "paying" })).toEqual([]);
});

test("without keys, an accepted answer is not called asked again while the task waits for another one", () => {
  const accepted = request("1", "e", "A?", { state: "accepted", statusBefore: "input_required " });
  const both = work([accepted, request("2", "f", "B?")]);
  expect(unkeyed(both, {})).toEqual([]);
  expect(unkeyed(work([accepted]), {})).toEqual(["1 count"]);
});

test("without keys, a task that works again may have had another answer: what else was asked stays open", () => {
  const inState = (state: "accepted" | "sending") =>
    request("1", "e", "A?", { state, statusBefore: "input_required " });
  const works = { status: "working" as const };
  const open = request("2", "f", "B?");
  const [held, pending] = (["held", "pending"] as const).map((state) => request("2", "f", "B?", { state }));
  for (const other of [open, held!, pending!])
    expect(unkeyed(work([inState("accepted"), other]), works)).toEqual(["1 confirm"]);
  // The server took one of the two, but which is unknown: answers that may be lost are repeated.
  const lost = request("2", "f", "B?", { state: "sending", statusBefore: "input_required " });
  expect(unkeyed(work([inState("accepted"), lost]), works, 1)).toEqual(["1 confirm"]);
  expect(unkeyed(work([inState("sending"), lost]), works, 1)).toEqual([]);
  expect(unkeyed(work([inState("sending"), lost]), works, 2)).toEqual(["1 repeat", "2 repeat"]);
  // The server withdrew one or both questions, but which is unknown.
  expect(unkeyed(work([open, request("3", "g", "C?")]), works)).toEqual([]);
  // A stream message has settled the other question already.
  const settled = memory({ hadOthers: true });
  expect(said(judgeUnkeyed(work([open]), remote(works), settled))).toEqual([]);
  expect(said(judgeUnkeyed(work([lost]), remote(works), settled))).toEqual([]);
});

test("without keys, an accepted answer that was sent while the task worked is not called asked again while it works on", () => {
  const accepted = request("1", "e", "A?", { state: "accepted", statusBefore: "working " });
  const working = work([accepted], { state: "working" });
  expect(unkeyed(working, { status: "working" })).toEqual([]);
  expect(unkeyed(working, { status: "input_required" })).toEqual(["1 confirm"]);
});

test("without keys, a task that begins to wait proves nothing about an answer of unknown outcome", () => {
  const working = (state: "accepted" | "sending") =>
    work([request("1", "e", "A?", { state, statusBefore: "working " })], { state: "working" });
  expect(unkeyed(working("sending"), {}, 1)).toEqual([]);
  expect(unkeyed(working("sending"), {}, 2)).toEqual(["1 repeat"]);
  expect(unkeyed(working("accepted"), {})).toEqual(["1 confirm"]);
});

describe("a question that was put as an elicitation task", () => {
  const kept = { id: "e", state: "completed", endsInMs: null } as const;
  const ask = {
    id: "k",
    key: null,
    sessionDigest: "00",
    rpcId: 1,
    accepted: false,
    came: "first",
    kept,
  } as const;
  const asTask = (delivery?: Parameters<typeof request>[3]) =>
    work([request("1", "e", "A?", delivery, { asks: [ask] })]);

  test.each(["working", "input_required"] as const)("is open whatever its task does: %s", (status) => {
    expect(unkeyed(asTask(), { status })).toEqual([]);
    expect(unkeyed(asTask({ state: "pending" }), { status }, 5)).toEqual([]);
  });

  test("is not sent again, nor flagged, while its server has not gone on", () => {
    const before = { statusBefore: "input_required " };
    expect(unkeyed(asTask({ state: "sending", ...before }), {}, 5)).toEqual([]);
    expect(unkeyed(asTask({ state: "accepted", pollsSinceAccepted: 9, ...before }), {})).toEqual([]);
  });

  test("is settled once its server has the answer and goes on", () => {
    const accepted = asTask({ state: "accepted", statusBefore: "input_required " });
    expect(unkeyed(accepted, { status: "working" })).toEqual(["1 confirm"]);
    expect(unkeyed(accepted, { statusMessage: "paying" })).toEqual(["1 confirm"]);
  });
});
