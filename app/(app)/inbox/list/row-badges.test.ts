import { expect, test } from "vitest";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { rowBadges } from "./row-badges.ts";

const me = { user: { id: "ben", name: "Ben", email: "" } };
const person = (id: string, name: string) => ({ id, name, at: "", until: "" });
const ana = person("ana", "Ana");
const ben = person("ben", "Ben");
const OPEN = {
  state: "open",
  origin: "server",
  requestedBy: { kind: "member", id: "ola", name: "Ola" },
  answer: null,
  delivery: null,
  approval: null,
  claimedBy: null,
  task: { cancelRequestedAt: null },
  fourEyes: false,
  mode: "form",
  urlOwner: null,
  actions: ["accept", "decline"],
  warnings: [],
  gate: null,
  expiresAt: null,
  assignedTo: null,
  askedAgain: false,
  needsInfo: null,
  snoozedUntil: null,
  comments: 0,
} as unknown as InputRequestSummary;

test.each<[string, object, string[]]>([
  ["nothing is said of a plain request", {}, []],
  [
    "what it warns of",
    { warnings: ["destructive", "sum_differs"] },
    ["warning Irreversible bad", "warning Amounts differ bad"],
  ],
  ["that it is before a call", { gate: {} }, ["gate Approval before the call"]],
  ["that it opens a site", { mode: "url" }, ["Opens a site accent"]],
  ["how long it lasts", { expiresAt: "2026-11-21" }, ["until 2026-11-21"]],
  ["whose claim keeps it", { claimedBy: ana }, ["lock Claimed by Ana"]],
  ["one's own claim", { claimedBy: ben }, ["Claimed by you"]],
  ["that a second person is needed", { fourEyes: true }, ["lock Needs a second person"]],
  ["that it is assigned to oneself", { assignedTo: ben }, ["Assigned to you"]],
  ["to whom it is assigned", { assignedTo: ana }, ["Assigned to Ana"]],
  ["not to whom it is assigned, once it is claimed", { assignedTo: ana, claimedBy: ben }, ["Claimed by you"]],
  ["that it was asked again", { askedAgain: true }, ["Asked again"]],
  ["who has to say more", { needsInfo: { of: ana } }, ["talk Waiting for Ana wait"]],
  ["that one has to say more oneself", { needsInfo: { of: ben } }, ["talk Waiting for you wait"]],
  ["that it is snoozed", { snoozedUntil: "2026-11-22" }, ["clock Snoozed"]],
  ["one comment", { comments: 1 }, ["talk 1 comment"]],
  ["comments", { comments: 3 }, ["talk 3 comments"]],
  [
    "how a decided one was decided, and by whom",
    {
      state: "settled",
      answer: { action: "accept", words: "Approved", by: { kind: "member", name: "Cleo" } },
      warnings: ["destructive"],
    },
    ["yes Approved by Cleo good"],
  ],
  [
    "a no by its word, its icon and its colour",
    {
      state: "settled",
      answer: { action: "accept", words: "Rejected", by: { kind: "member", name: "Cleo" } },
    },
    ["no Rejected by Cleo bad"],
  ],
  [
    "what is neither",
    {
      state: "settled",
      answer: { action: "accept", words: "Answered “North”", by: { kind: "member", name: "Cleo" } },
    },
    ["answer Answered “North” by Cleo neutral"],
  ],
  [
    "who declined to answer",
    {
      state: "settled",
      answer: { action: "decline", words: "Declined", by: { kind: "member", name: "Cleo" } },
    },
    ["none Declined by Cleo neutral"],
  ],
  [
    "that the server does not have a decision yet",
    {
      state: "answered",
      answer: { action: "accept", words: "Approved", by: { kind: "member", name: "Cleo" } },
      delivery: { state: "held", acceptedAt: null, inDoubt: false },
    },
    ["yes Approved by Cleo · not sent yet good"],
  ],
  [
    "that the server has a decision, and does not move on",
    {
      state: "answered",
      answer: { action: "accept", words: "Approved", by: { kind: "member", name: "Cleo" } },
      delivery: { state: "accepted", acceptedAt: "2026-11-21", inDoubt: false },
    },
    ["yes Approved by Cleo · accepted by server good"],
  ],
  [
    "that nobody knows whether a lost task got its answer",
    {
      state: "withdrawn",
      answer: { action: "accept", words: "Approved", by: { kind: "member", name: "Cleo" } },
      delivery: { state: "failed", acceptedAt: null, inDoubt: true },
    },
    ["ended Delivery unknown bad"],
  ],
  [
    "that the answer to an agent can still be undone",
    {
      state: "answered",
      origin: "intray",
      answer: { action: "accept", words: "Approved", by: { kind: "member", name: "Cleo" } },
    },
    ["yes Approved by Cleo · not final yet good"],
  ],
  [
    "which rule decided",
    {
      state: "settled",
      answer: { action: "accept", words: "Approved", by: { kind: "rule", name: "Small" } },
    },
    ["yes Approved by the rule Small good"],
  ],
  ["that an ended one was withdrawn", { state: "withdrawn", comments: 2 }, ["ended Withdrawn neutral"]],
  [
    "that an answered one is, where its answer is not known",
    { state: "settled" },
    ["ended Answered neutral"],
  ],
  ["that an expired one is over", { state: "expired", claimedBy: ana }, ["clock Expired bad"]],
])("%s", (_, more, expected) => {
  const badges = rowBadges({ ...OPEN, ...more }, { gone: false }, me);
  const said = badges.map((badge) =>
    "time" in badge
      ? `until ${badge.time}`
      : [badge.icon, badge.words, badge.more, badge.tone].filter(Boolean).join(" "),
  );
  expect(said).toEqual(expected);
});

test("a row that has left the list says only that", () => {
  const badges = rowBadges({ ...OPEN, warnings: ["destructive"], comments: 2 }, { gone: true }, me);
  expect(badges).toEqual([{ words: "No longer waiting", icon: "gone" }]);
});

test("a row that has left the list says what the reader did, where they did it", () => {
  const said = (more: object) => rowBadges({ ...OPEN, ...more } as InputRequestSummary, { gone: true }, me);
  const answer = { action: "accept", words: "Approved", by: { kind: "member", id: "ben", name: "Ben" } };
  expect(said({ state: "answered", answer })).toEqual([
    { words: "Approved by Ben", tone: "good", icon: "yes" },
  ]);
  const voted = (agrees: boolean) => ({ approval: { why: "already_voted", mine: { agrees } } });
  expect(said(voted(true))).toEqual([{ words: "You agreed", icon: "gone" }]);
  expect(said(voted(false))).toEqual([{ words: "You rejected", icon: "gone" }]);
});

test("a row says that a decision made here is being recorded, or was not", () => {
  const said = (decision: "recording" | "refused") =>
    rowBadges({ ...OPEN, comments: 1 }, { gone: false, decision }, me).map(
      (badge) => "words" in badge && badge.words,
    );
  expect(said("recording")).toEqual(["Recording your decision…"]);
  expect(said("refused")).toEqual(["Not recorded", "1"]);
});
