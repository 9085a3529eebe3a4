import { expect, test } from "vitest";
import { comingWords, doneWords, missingWords, needsWords, voteEffect, whyWords } from "./votes.ts";

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
  },
});
const stages = [stage("Finance", "open", 2, 2), stage("CFO", "waiting", 1, 1)];

test("what it takes, and what is missing", () => {
  expect(needsWords(stages)).toBe("Needs 2 of Finance, then CFO");
  expect(stages.map(missingWords)).toEqual(["2 more of Finance", "1 more of CFO"]);
  expect(missingWords(stage("Finance", "done", 2, 0))).toBeNull();
});

test("what the caller has to do with it", () => {
  expect(whyWords({ why: "approver", mine: null, stages })).toBe("You are asked as one of Finance.");
  const mine = { stage: "Finance", action: "accept" as const, agrees: true, at: "", canTakeBack: true };
  expect(whyWords({ why: "already_voted", mine, stages })).toBe("You agreed; waits for Finance.");
  expect(whyWords({ why: "not_open", mine, stages })).toBeNull();
});

test("what a press does", () => {
  expect(voteEffect({ stages }, "ERP")).toBe(
    "Your vote · goes to ERP once 1 more of Finance, then CFO agreed",
  );
  const last = [stage("Finance", "done", 2, 0), stage("CFO", "open", 1, 1)];
  expect(voteEffect({ stages: last }, "ERP")).toBe("Your vote is the last: the answer goes to ERP");
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
