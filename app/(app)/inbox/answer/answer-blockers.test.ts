import { describe, expect, test } from "vitest";
import { may, type Permission } from "@/lib/access/permissions.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { waitsFor } from "@/lib/requests/request-status.ts";
import { acceptBlocker, answerBlocker, mayUndo, requestBlocker } from "./answer-blockers.ts";

const ben = { user: { id: "ben", name: "Ben", email: "" }, view: null, may: () => true };
const ana = { id: "ana", name: "Ana" };
const claim = { at: "2026-01-01T00:00:00Z", until: "2026-01-01T00:15:00Z" };
const OPEN = {
  mode: "form",
  requestedBy: { kind: "member", id: "ola", name: "Ola" },
  assignedTo: null,
  standsInFor: null,
  claimedBy: null,
  urlOwner: null,
  fourEyes: false,
  actions: ["accept", "decline", "cancel"],
  task: { cancelRequestedAt: null, fetchedAt: null },
  approval: null,
  snoozedUntil: null,
} satisfies Partial<InputRequestSummary>;
type Question = Pick<InputRequestSummary, keyof typeof OPEN>;

describe("a row says why a request is not one's own to decide, as its page does", () => {
  test.each<[string, Partial<Question>, string | null, RegExp | null]>([
    ["free", {}, null, null],
    ["one's own claim", { claimedBy: { id: "ben", name: "Ben", ...claim } }, null, null],
    [
      "another's claim",
      { claimedBy: { ...ana, ...claim } },
      "Claimed by Ana",
      /^Ana has claimed this request\./,
    ],
    [
      "a second person is required",
      { fourEyes: true },
      "Needs a second person",
      /^Ola asked for this, and counts as the same person as you\. Somebody else has to accept it\. You can decline\.$/,
    ],
    [
      "a second person is required on one's own request",
      { fourEyes: true, requestedBy: { kind: "member", id: "ben", name: "Ben" } },
      "Needs a second person",
      /^You asked for this\. Somebody else has to accept it\. You can decline\.$/,
    ],
    [
      "a second person is required, and there is nothing but to choose",
      { fourEyes: true, actions: ["accept"] },
      "Needs a second person",
      /Somebody else has to accept it\.$/,
    ],
    [
      "a site of another's connection",
      { mode: "url", urlOwner: ana },
      "Only Ana can accept",
      /^Only Ana may open/,
    ],
    ["a site of one's own connection", { mode: "url", urlOwner: { id: "ben", name: "Ben" } }, null, null],
    ["a site that is nobody's", { mode: "url" }, null, null],
    ["a form over another's connection", { urlOwner: ana }, null, null],
    [
      "a task that is being cancelled",
      { task: { cancelRequestedAt: claim.at, fetchedAt: null } },
      "Being cancelled",
      /takes no answers\.$/,
    ],
  ])("%s", (_, more, short, sentence) => {
    const request: Question = { ...OPEN, ...more };
    const blocker = requestBlocker(request, ben) ?? acceptBlocker(request, ben);
    expect(blocker?.short ?? null).toBe(short);
    const onPage = answerBlocker(request, ben, false) ?? acceptBlocker(request, ben)?.sentence ?? null;
    if (sentence) expect(onPage).toMatch(sentence);
    else expect(onPage).toBeNull();
    // What waits for a person is what nothing keeps them from; a cancelled task's questions end by themselves.
    if (request.task.cancelRequestedAt === null) expect(waitsFor(request, "ben")).toBe(blocker === null);
  });
});

describe("an undo is offered to whom it is not refused", () => {
  const by = (kind: string, id: string) =>
    ({ answer: { by: { kind, id, name: id } } }) as unknown as Partial<InputRequestSummary>;
  const HELD = {
    delivery: { state: "held" },
    fourEyes: false,
    approval: null,
  } as unknown as InputRequestSummary;
  const asked = (requester: string) =>
    ({ approval: { hasAsked: true, requester } }) as unknown as Partial<InputRequestSummary>;
  test.each<[string, "viewer" | "approver" | "operator", Partial<InputRequestSummary>, boolean]>([
    ["one's own", "approver", by("member", "ben"), true],
    ["another's", "approver", by("member", "ana"), false],
    ["another's, to an operator", "operator", by("member", "ana"), true],
    ["a key of the same id", "approver", by("key", "ben"), false],
    ["a rule's", "approver", by("rule", "r"), true],
    ["a rule's, to a viewer", "viewer", by("rule", "r"), false],
    ["one's own, to who is a viewer by now", "viewer", by("member", "ben"), false],
    ["another's, of one's own task", "operator", { ...by("member", "ana"), fourEyes: true }, false],
    [
      "another's, of one's own task by the policy",
      "operator",
      { ...by("member", "ana"), ...asked("excluded") },
      false,
    ],
    [
      "another's, where who asked may vote",
      "operator",
      { ...by("member", "ana"), ...asked("allowed") },
      true,
    ],
    ["a rule's, of one's own task", "operator", { ...by("rule", "r"), fourEyes: true }, false],
    [
      "what is being sent",
      "operator",
      { ...by("member", "ben"), delivery: { state: "sending" } as InputRequestSummary["delivery"] },
      false,
    ],
  ])("%s", (_, role, more, expected) => {
    const me = { ...ben, may: (permission: Permission) => may(role, permission) };
    expect(mayUndo({ ...HELD, ...more }, me)).toBe(expected);
  });
});
