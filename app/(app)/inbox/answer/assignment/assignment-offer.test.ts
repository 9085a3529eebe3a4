import { expect, test } from "vitest";
import { may, type Permission } from "@/lib/access/permissions.ts";
import type { Role } from "@/lib/access/roles.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { assignmentOffer } from "./assignment-offer.ts";

const claim = { at: "2026-01-01T00:00:00Z", until: "2026-01-01T00:15:00Z" };
const ana = { id: "ana", name: "Ana", ...claim };
const ben = { id: "ben", name: "Ben", ...claim };
const OPEN = {
  state: "open",
  task: { cancelRequestedAt: null, fetchedAt: null },
  approval: null,
  requestedBy: { kind: "member", id: "ola", name: "Ola" },
  claimedBy: null,
  assignedTo: null,
  mode: "form",
  urlOwner: null,
  fourEyes: false,
  actions: ["accept", "decline", "cancel"],
} as unknown as InputRequestSummary;
const voting = (more: object) =>
  ({
    approval: { canVote: true, hasAsked: false, stages: [], ...more },
  }) as unknown as Partial<InputRequestSummary>;
const NOT_AN_APPROVER = voting({ canVote: false, why: "not_an_approver" });

/** What Ben is offered. */
test.each<[string, Role, Partial<InputRequestSummary>, string]>([
  ["a viewer", "viewer", {}, ""],
  ["an approver", "approver", {}, "claim give snooze"],
  ["an operator", "operator", {}, "claim toMe give snooze"],
  ["one's own claim", "approver", { claimedBy: ben }, "release give snooze"],
  ["another's claim", "approver", { claimedBy: ana }, "snooze"],
  ["another's claim, to an operator", "operator", { claimedBy: ana }, "takeOver toMe give snooze"],
  ["assigned to another", "approver", { assignedTo: ana }, "claim snooze"],
  ["assigned to another, to an operator", "operator", { assignedTo: ana }, "claim toMe unassign give snooze"],
  ["assigned to oneself", "operator", { assignedTo: ben }, "claim unassign give snooze"],
  [
    "a task that is being cancelled",
    "operator",
    { task: { cancelRequestedAt: claim.at, fetchedAt: null } },
    "",
  ],
  ["a request that is answered", "operator", { state: "answered" }, ""],
  // Who may not accept a request can't have it.
  ["a second person has to accept", "operator", { fourEyes: true }, "give snooze"],
  [
    "claimed, and a second person has to accept",
    "operator",
    { fourEyes: true, claimedBy: ana },
    "give snooze",
  ],
  ["a site of another's connection", "operator", { mode: "url", urlOwner: ana }, "give snooze"],
  ["no vote", "operator", NOT_AN_APPROVER, "give snooze"],
  ["claimed, and no vote", "operator", { ...NOT_AN_APPROVER, claimedBy: ana }, "give snooze"],
  ["a vote, to an admin", "admin", voting({}), "claim toMe give snooze judgeAgain"],
  ["a vote on what an admin asked for", "admin", voting({ hasAsked: true }), "claim toMe give snooze"],
])("%s", (_, role, more, expected) => {
  const me = { user: { id: "ben", name: "Ben", email: "" }, may: (what: Permission) => may(role, what) };
  const { claim, ...others } = assignmentOffer({ ...OPEN, ...more }, me);
  const offered = Object.entries(others).filter(([, is]) => is);
  expect([...(claim ? [claim] : []), ...offered.map(([name]) => name)].join(" ")).toBe(expected);
});
