import { expect, test } from "vitest";
import { describeEvent } from "../../web/words/activity-words.ts";
import {
  askedWords,
  comingWords,
  commentNeed,
  doneWords,
  missingWords,
  needsWords,
  nextVoteWords,
  tooFewWords,
  voteEffect,
  whyWords,
} from "./vote-words.ts";

const stage = (name: string, state: "waiting" | "open" | "done", need: number, missing: number) => ({
  ...{
    name,
    state,
    need,
    missing,
    rejections: 1,
    stepUp: false,
    requireReason: [],
    votes: [],
    reminded: [],
    escalated: [],
    groups: [],
    tooFew: null,
  },
});
const stages = [stage("Finance", "open", 2, 2), stage("CFO", "waiting", 1, 1)];

test("what it takes, and what is missing", () => {
  expect(needsWords(stages)).toBe("2 of Finance, then CFO must agree · 0 so far");
  expect(needsWords([stage("Approvers", "open", 2, 2)])).toBe("2 approvers must agree · 0 so far");
  expect(needsWords([stage("Approvers", "done", 1, 0), stage("CFO", "open", 2, 1)])).toBe(
    "1 approver, then 2 of CFO must agree · 2 so far",
  );
  expect(stages.map((each) => missingWords(each))).toEqual(["2 more of Finance", "1 more of CFO"]);
  expect(missingWords(stage("Finance", "done", 2, 0))).toBeNull();
  expect(nextVoteWords({ stages })).toBe("2 more of Finance have to agree");
  expect(nextVoteWords({ stages: [stage("CFO", "open", 1, 1)] })).toBe("1 more of CFO has to agree");
  expect(nextVoteWords({ stages: [stage("CFO", "done", 1, 0)] })).toBeNull();
});

test("who could still agree in the open stage", () => {
  const finance = stage("Finance", "open", 2, 2);
  const people = ["Ben", "Cleo", "Dora"].map((name) => ({ id: name, name }));
  const among = (count: number) => missingWords(finance, { people: people.slice(0, count), count }, "Cleo");
  expect(among(2)).toBe("2 more of Finance: Ben, you");
  expect(among(3)).toBe("2 more of Finance: Ben, you, Dora");
  expect(among(5)).toBe("2 more of Finance: Ben, you, Dora +2 more");
  expect(among(100)).toBe("2 more of Finance: Ben, you, Dora and many more");
  expect(among(0)).toBe("2 more of Finance");
  expect(missingWords(finance, null, "Cleo")).toBe("2 more of Finance");
  expect(missingWords(stage("CFO", "waiting", 1, 1), { people, count: 3 }, "Cleo")).toBe("1 more of CFO");
});

test("that too few are left who could vote", () => {
  const left = (tooFew: number | null, missing: number) => tooFewWords({ name: "Finance", tooFew, missing });
  expect(left(null, 2)).toBeNull();
  expect(left(0, 1)).toMatch(/^Nobody of Finance can still vote, and 1 more is needed\./);
  expect(left(1, 2)).toMatch(/^Only 1 of Finance can still vote, and 2 more are needed\./);
});

test("what the reader has to do with it", () => {
  const ola = { kind: "member" as const, id: "ola", name: "Ola" };
  type Voting = Parameters<typeof whyWords>[0]["approval"];
  const why = (more: Partial<Voting>, readerId = "ben") =>
    whyWords(
      {
        approval: { why: "approver", mine: null, stages, requester: "excluded", hasAsked: false, ...more },
        requestedBy: ola,
      },
      readerId,
    );
  expect(why({})).toBe("Your vote is needed: you are one of Finance.");
  expect(why({ why: "four_eyes", hasAsked: true }, "ola")).toBe("You asked for this. Others decide.");
  expect(why({ why: "four_eyes", hasAsked: true })).toBe(
    "Ola asked for this, and counts as the same person as you. Others decide.",
  );
  const voted = "Somebody who counts as the same person as you has voted. Others decide.";
  expect(why({ why: "four_eyes" })).toBe(voted);
  expect(why({ why: "four_eyes", hasAsked: true, requester: "allowed" }, "ola")).toBe(voted);
  expect(askedWords({ kind: "agent", id: "ola", name: "Claude" }, "ola")).toBe(
    "The agent “Claude” asked for this, and counts as the same person as you.",
  );
  const mine = { stage: "Finance", action: "accept" as const, agrees: true, at: "", canTakeBack: true };
  expect(why({ why: "already_voted", mine })).toBe("You agreed. It waits for Finance.");
  expect(why({ why: "not_open", mine })).toBeNull();
});

test("whether a comment is required", () => {
  const needs = (requireReason: string[], canVote = true) =>
    commentNeed({ canVote, stages: [{ ...stage("Finance", "open", 1, 1), requireReason }] });
  expect([commentNeed(null), needs([]), needs(["reject"]), needs(["approve", "reject"])]).toEqual([
    "optional",
    "optional",
    "required to reject",
    "required",
  ]);
  expect(needs(["reject"], false)).toBe("optional");
});

test("what a press does", () => {
  expect(voteEffect({ stages, canVote: true }, "ERP")).toBe(
    "If you agree, it still needs 1 more of Finance, then CFO",
  );
  const last = [stage("Finance", "done", 2, 0), stage("CFO", "open", 1, 1)];
  expect(voteEffect({ stages: last, canVote: true }, "ERP")).toBe(
    "If you agree, the answer goes to ERP: yours is the last vote",
  );
  expect(voteEffect({ stages: last, canVote: false }, "ERP")).toBeNull();
});

test("history names whoever stood in, and for whom", () => {
  const actor = { kind: "member" as const, id: "b", name: "Ben" };
  const say = (type: string, data: Record<string, unknown>) => describeEvent({ type, actor, data }).text;
  const data = { stage: "CFO", agrees: true, words: "Approved", onBehalfOf: { id: "a", name: "Ana" } };
  expect(say("vote.recorded", data)).toBe("Ben approved for Ana (CFO)");
  expect(say("vote.recorded", { ...data, onBehalfOf: undefined })).toBe("Ben approved (CFO)");
  expect(say("vote.recorded", { agrees: false, words: "Rejected", stage: "Approvers" })).toBe("Ben rejected");
  expect(say("answer.recorded", { words: "Approved", votes: [{}, {}] })).toBe("Decided by 2 votes: approved");
  expect(say("vote.taken_back", data)).toBe("Ben took the vote for Ana back (CFO)");
  expect(say("vote.taken_back", { stage: "CFO" })).toBe("Ben took their vote back (CFO)");
  const delegate = { id: "c", name: "Cleo" };
  expect(say("away.set", { name: "Ben", delegate })).toBe("Ben set an absence: Cleo stands in");
  expect(say("away.set", { name: "Ana", delegate })).toBe("Ben set an absence of Ana: Cleo stands in");
  expect(say("away.ended", { name: "Ben" })).toBe("Ben is back");
  expect(say("away.ended", { name: "Ana" })).toBe("Ben ended the absence of Ana");
});

test("what happens by itself, and what has", () => {
  const timer = (kind: "remind" | "escalate" | "leave" | "cancel", at: string) => ({ kind, stage: null, at });
  expect(
    comingWords({ timers: [timer("remind", "1"), timer("escalate", "2"), timer("cancel", "3")] }),
  ).toEqual([
    { at: "1", words: "Reminder in" },
    { at: "3", words: "Unless decided, the task is cancelled in" },
  ]);
  expect(comingWords({ timers: [] })).toEqual([]);
  const reminded = [
    { at: "1", of: ["Ben", "Cleo"] },
    { at: "2", of: ["Cleo"] },
  ];
  expect(doneWords({ reminded, escalated: [{ at: "3", to: ["every owner", "Dora"] }] })).toEqual([
    { at: "3", words: "Asked every owner, Dora too" },
    { at: "2", words: "Reminded Cleo (2 times)" },
  ]);
  // Nobody was there to be reminded.
  expect(doneWords({ reminded: [{ at: "1", of: [] }], escalated: [] })).toEqual([]);
});
