import { describe, expect, test } from "vitest";
import type { EventType } from "../../history/events/event-schema.ts";
import { describeTaskEvent } from "../../tasks/words/task-events.ts";
import type {
  DeliveryState,
  InputRequestDetail,
  InputRequestSummary,
  RequestState,
} from "../request-schema.ts";
import { awaitsAgent, deliveryMeaning, deliveryStage, receivedWords } from "./delivery.ts";

const ONCE = {
  attempts: 1,
  deliverAfter: "2026-01-01T00:00:00.000Z",
  sentAt: null,
  acceptedAt: null,
  confirmedAt: null,
  flagged: false,
  inDoubt: false,
  waitingSince: null,
  waitingFor: null,
  error: null,
};

test.each<[RequestState, DeliveryState | null, string]>([
  ["answered", "held", "held"],
  ["answered", "pending", "sending"],
  ["answered", "sending", "sending"],
  ["answered", "accepted", "accepted"],
  ["settled", "confirmed", "accepted"],
  ["open", "undone", "undone"],
  ["withdrawn", "failed", "failed"],
  ["undeliverable", "failed", "failed"],
  ["expired", null, "failed"],
])("a request that is %s with a delivery that is %s: %s", (state, delivery, stage) => {
  expect(
    deliveryStage({
      state,
      delivery: delivery && { ...ONCE, state: delivery },
    }),
  ).toBe(stage);
});

const OF_SERVER = {
  origin: "server",
  gate: null,
  requestedBy: { kind: "agent", id: "1", name: "Claude" },
} as const;
const meaningOf = (
  delivery: Partial<NonNullable<InputRequestDetail["delivery"]>>,
  more: Partial<Parameters<typeof deliveryMeaning>[0]> = {},
) =>
  deliveryMeaning({
    ...OF_SERVER,
    delivery: { ...ONCE, state: "confirmed", ...delivery },
    server: { id: "s", name: "ERP", pause: null, questionLifetimeMs: null },
    connectionState: "connected",
    task: { state: "cancelled" },
    mayUndo: false,
    ...more,
  });

test("an answer to a start of unknown outcome waits for a person, and is not said to be on its way", () => {
  const meaning = meaningOf({ state: "pending", attempts: 0 }, { task: { state: "start_unknown" } });
  expect(meaning).toBe("It is kept until somebody says on the task’s page whether the task started.");
});

test("only people who may undo a held answer read that they can", () => {
  expect(meaningOf({ state: "held" })).toBe("Not sent yet.");
  expect(meaningOf({ state: "held" }, { mayUndo: true })).toBe("Not sent yet. You can still undo it.");
});

test("an answer that took effect without being sent: no reply is said to be lost, and nothing to have been sent", () => {
  expect(meaningOf({ attempts: 0 })).toBe("Nothing had to be sent: ERP is not called again.");
  expect(meaningOf({ inDoubt: true })).toContain("reply was lost");
});

test("the history says of an answer whose reply was lost that it is repeated, never that it was not sent", () => {
  const line = (type: EventType, data: Record<string, unknown>) =>
    describeTaskEvent({ type, actor: { kind: "engine" }, data, detailsDeleted: false } as never).text;
  expect(line("delivery.unsent", { reason: "interrupted" })).toBe(
    "No reply to the answer, and the server still asks: sending it again",
  );
  expect(line("delivery.unsent", { reason: "unreachable" })).toBe("Not sent yet, trying again: unreachable");
  expect(line("delivery.confirmed", { reply: "not_needed" })).toBe("Decision is final");
});

test("a decision on a question of Intray's own is said to go to no server", () => {
  const ofOwn = (state: "held" | "pending" | "confirmed", gate: { rule: null } | null, mayUndo = false) =>
    deliveryMeaning({
      mayUndo,
      ...OF_SERVER,
      origin: "intray",
      gate,
      delivery: { ...ONCE, attempts: 0, state },
      server: { id: "s", name: "ERP", pause: null, questionLifetimeMs: null },
      connectionState: "needs_reauth",
      task: { state: "queued" },
    });
  expect(ofOwn("held", { rule: null }, true)).toBe("The call waits. You can still undo the decision.");
  expect(ofOwn("held", null)).toBe("The answer for the agent “Claude” waits for a moment.");
  expect(ofOwn("pending", null)).toBe("Intray carries it out now.");
  expect(ofOwn("confirmed", { rule: null })).toBeNull();
});

describe("an answer is called received only once it is", () => {
  const ofServer = {
    ...OF_SERVER,
    server: { id: "1", name: "Finance ERP" },
    tool: "pay",
  };
  const gated = { ...ofServer, origin: "intray" as const, gate: { rule: null } };
  const own = { ...gated, gate: null };
  const member = { kind: "member" as const, id: "4", name: "Ola" };
  const key = { kind: "key" as const, id: "5", name: "CI" };
  const fetchedAt = "2026-11-21T12:00:00Z";
  test.each([
    ["a call that was approved", gated, "accept", null, "the call goes ahead", false],
    ["a call that was declined", gated, "decline", null, "the call is not made", false],
    ["an agent that has not asked yet", own, "accept", null, "the agent “Claude” gets it when it asks", true],
    ["an agent that has the answer", own, "accept", fetchedAt, "fetched by the agent “Claude”", false],
    ["a key", { ...own, requestedBy: key }, "accept", null, "the API key CI gets it when it asks", false],
    ["a person", { ...own, requestedBy: member }, "accept", null, "Ola sees it on the task’s page", false],
    ["a server that is not called again", ofServer, "accept", null, "nothing had to be sent", false],
  ] as const)("%s", (_, request, action, fetched, words, isAwaited) => {
    const answer = { action } as NonNullable<InputRequestSummary["answer"]>;
    const received = { ...request, answer, task: { fetchedAt: fetched } };
    expect(receivedWords(received)).toBe(words);
    expect(awaitsAgent(received)).toBe(isAwaited);
  });
});
