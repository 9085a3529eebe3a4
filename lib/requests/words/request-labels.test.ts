import { expect, test } from "vitest";
import { decidedWords } from "../answers/decided-words.ts";
import { deliveryMeaning } from "./delivery.ts";
import {
  endedWords,
  outcomeOf,
  repeatsRequest,
  requestLabel,
  requestName,
  requestTone,
  whoDecides,
} from "./request-labels.ts";

test.each([
  ["withdrawn", "replaced", "This question was withdrawn: another question took its place."],
  ["withdrawn", null, "This question was withdrawn."],
  ["expired", "question_lifetime", /time ran out: the server gives up on questions after a while\.$/],
  [
    "undeliverable",
    "not_asked_again",
    /not be delivered: the server lost the question and does not ask it again\.$/,
  ],
  ["undeliverable", "outcome_unknown", /: it is unknown whether the tool ran, and it must not run twice\.$/],
  ["undeliverable", "retracted", /not be delivered: it is no longer asked\.$/],
  ["undeliverable", "rejected: no such field", /: the server refused it \(“no such field”\)\.$/],
  ["undeliverable", "rejected", /: the server refused it\.$/],
  ["undeliverable", "The server refused the call.", /: The server refused the call\.$/],
  ["undeliverable", "some_new_reason", /: some new reason\.$/],
] as const)("%s because of %s", (state, reason, words) => {
  expect(endedWords(state, reason).what).toMatch(words);
});

test("an answer to a question that the server has lost: what helps is said", () => {
  const helps = /kept here\. The task may wait forever\.$/;
  expect(endedWords("undeliverable", "not_asked_again", "nothing").next).toMatch(helps);
  expect(endedWords("undeliverable", "not_asked_again", "unknown").next).not.toMatch(helps);
});

test("a question that was withdrawn after an answer says what became of that", () => {
  expect(endedWords("withdrawn", "retracted", "nothing").next).toMatch(/was not sent. It is kept/);
  for (const state of ["withdrawn", "expired", "undeliverable"] as const) {
    expect(endedWords(state, "retracted", "unknown").next).toMatch(/It is unknown whether the server got it/);
    expect(endedWords(state, "retracted", "taken").next).toMatch(/had accepted the answer/);
  }
});

const way = {
  attempts: 0,
  flagged: false,
  inDoubt: false,
  waitingSince: null,
  waitingFor: null,
  deliverAfter: "",
  sentAt: null,
  acceptedAt: null,
  confirmedAt: null,
  error: null,
};
const task = { state: "working" } as const;
const server = { id: "", name: "Finance", pause: null, questionLifetimeMs: null };
const asked = {
  origin: "server",
  gate: null,
  requestedBy: { kind: "member", id: "1", name: "Ola" },
  mayUndo: false,
} as const;
test.each([
  ["held", {}, /^Not sent yet/],
  ["pending", {}, /^Intray sends it to Finance now/],
  ["pending", { attempts: 2 }, /has not reached Finance yet/],
  ["accepted", {}, /has not moved on yet/],
  ["accepted", { flagged: true }, null],
  ["pending", { acceptedAt: "2026-11-22T10:00:00Z" }, /^Finance accepted it once, and asked again/],
  ["pending", { attempts: 1, inDoubt: true }, /^Finance may have it: its reply was lost/],
  [
    "pending",
    { waitingSince: "2026-11-22T10:00:00Z", waitingFor: "question" },
    /no longer asks this question/,
  ],
  [
    "pending",
    { waitingSince: "2026-11-22T10:00:00Z", waitingFor: "fetch" },
    /^It is ready. Finance asked its question/,
  ],
  ["confirmed", { attempts: 1, acceptedAt: "2026-11-22T10:00:00Z" }, /has it, and the task moved on/],
  ["confirmed", { attempts: 1, inDoubt: true }, /reply was lost, and the task moved on/],
  ["failed", {}, null],
] as const)("an answer that is %s %o is explained", (state, more, words) => {
  const connectionState = "connected" as const;
  const said = deliveryMeaning({
    ...asked,
    task,
    server,
    connectionState,
    delivery: { ...way, ...more, state },
  });
  if (words === null) expect(said).toBeNull();
  else expect(said).toMatch(words);
});

test("an answer that the server had when it lost the task is not said to have moved it on", () => {
  const acceptedAt = "2026-11-22T10:00:00Z";
  const delivery = { ...way, state: "confirmed" as const, attempts: 1, acceptedAt };
  const said = (state: "completed" | "lost") =>
    deliveryMeaning({ ...asked, server, connectionState: "connected", task: { state }, delivery });
  expect(said("lost")).toBe("Finance has it. The task ended before it showed its reaction.");
  expect(said("completed")).toMatch(/moved on/);
});

test.each(["needs_reauth", "not_connected"] as const)(
  "an answer on a connection that is %s is not said to be going",
  (connectionState) => {
    const said = deliveryMeaning({
      ...asked,
      task,
      server,
      connectionState,
      delivery: { ...way, state: "pending" },
    });
    expect(said).toMatch(/is kept, and goes to Finance once somebody has signed in/);
  },
);

test("an answer that waits for a paused server is said to wait, and not to be going", () => {
  const pause = {
    at: "2026-11-21T10:00:00.000Z",
    by: { kind: "member", id: null, name: "Ola" },
    reason: null,
  } as const;
  const connectionState = "connected" as const;
  for (const state of ["held", "pending"] as const)
    expect(
      deliveryMeaning({
        ...asked,
        task,
        server: { ...server, pause },
        connectionState,
        delivery: { ...way, state },
      }),
    ).toMatch(/is kept, and goes to Finance when the server’s pause ends/);
});

test("a toast's name of a request cannot hide anything", () => {
  expect(requestName({ label: "INV\u202e-1", message: "" })).toBe("INV\ufffd-1");
});

test("a request that was decided with a plain word says which, and any other that it was answered", () => {
  const answer = { action: "decline", words: "Declined" } as never;
  const gated = { origin: "intray", gate: { rule: null }, tool: "pay", answer, delivery: null } as const;
  expect(requestLabel({ ...gated, state: "settled" })).toBe("Declined");
  expect(requestLabel({ ...gated, state: "answered" })).toBe("Declined");
  expect(requestLabel({ ...gated, state: "expired" })).toBe("Expired");
  expect(requestLabel({ ...gated, state: "open", answer: null })).toBe("Waiting for a person");
  const ofServer = { ...gated, origin: "server", gate: null } as const;
  const answered = (words: string, state: "settled" | "answered" = "settled") =>
    requestLabel({ ...ofServer, state, answer: { action: "accept", words } as never });
  expect(requestLabel({ ...ofServer, state: "settled" })).toBe("Declined");
  expect(answered("Approved")).toBe("Approved");
  expect(answered("Rejected")).toBe("Rejected");
  expect(answered("Answered “North”")).toBe("Answered");
});

test.each([
  ["an answer that can be undone", "answered", { state: "held" }, "Not sent yet"],
  ["an answer that can't be sent now", "answered", { state: "pending", attempts: 3 }, "Not sent yet"],
  ["an answer that is being sent", "answered", { state: "sending" }, "Answer on its way"],
  ["an answer whose reply was lost", "answered", { state: "pending", inDoubt: true }, "Answer on its way"],
  [
    "an answer that is asked for again",
    "answered",
    { state: "pending", acceptedAt: "then" },
    "Answer on its way",
  ],
  [
    "an answer that the server has",
    "answered",
    { state: "accepted", acceptedAt: "then" },
    "Accepted by server",
  ],
  ["an answer that was refused", "undeliverable", { state: "failed" }, "Delivery failed"],
  ["an answer in doubt", "undeliverable", { state: "failed", inDoubt: true }, "Delivery unknown"],
  ["an answer in doubt to a lost task", "withdrawn", { state: "failed", inDoubt: true }, "Delivery unknown"],
  ["an answer that a lost task had", "withdrawn", { state: "failed", acceptedAt: "then" }, "Withdrawn"],
] as const)("%s: the badge says how far it has come", (_, state, delivery, label) => {
  const request = {
    state,
    ...asked,
    tool: "pay",
    answer: { action: "accept", words: "Approved" } as never,
    delivery: { ...way, ...delivery },
  };
  expect(requestLabel(request)).toBe(label);
  expect(requestTone(request) === "bad").toBe(label.startsWith("Delivery"));
});

test.each([
  ["a yes", "accept", { decision: "approve" }, "yes"],
  ["a no", "accept", { decision: "reject" }, "no"],
  ["a tick", "accept", { confirm: true }, "yes"],
  ["no tick", "accept", { confirm: false }, "no"],
  ["access that is denied", "accept", { allow: false }, "no"],
  ["a choice that is neither", "accept", { region: "North" }, "answer"],
  ["a yes to something else than to approve", "accept", { keep_file: true }, "answer"],
  ["several fields", "accept", { approve: true, note: "ok" }, "answer"],
  ["a decline", "decline", null, "none"],
  ["a cancel", "cancel", null, "none"],
] as const)("the outcome of %s", (_, action, content, expected) => {
  expect(outcomeOf({ action, words: decidedWords(action, content) })).toBe(expected);
});

test.each([
  ["Invoice INV-1 requires approval", true],
  ["invoice INV-1: requires approval.", true],
  ["Invoice status: PENDING-APPROVAL", true],
  ["Waiting for your approval", true],
  ["input_required", true],
  ["Waiting for the night window", false],
  ["Pending approval of 3 lines", false],
  ["2 of 4 lines paid", false],
])("the status “%s” says no more than the request: %s", (status, expected) => {
  expect(repeatsRequest(status, "Invoice INV-1 requires approval. Lines: 4 items.")).toBe(expected);
});

test("who decides where the policy has no rule", () => {
  const me = { organization: { name: "Acme" }, user: { id: "ben" } };
  const says = (urlOwner: { id: string; name: string } | null, secondPerson = false) =>
    whoDecides({ urlOwner, secondPerson }, me);
  expect(says(null)).toBe("Any member of Acme except viewers can decide, including the requester");
  expect(says(null, true)).toBe("Any member of Acme can accept, except viewers and the requester");
  expect(says({ id: "ben", name: "Ben" })).toBe("Only you can accept; others except viewers can decline");
  expect(says({ id: "ana", name: "Ana" }, true)).toMatch(/^Only Ana can accept/);
});
