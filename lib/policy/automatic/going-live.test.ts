import { describe, expect, test } from "vitest";
import { policyInputSchema } from "../policy-schema.ts";
import { againstRecord } from "./automatic-status.ts";
import { frees } from "./going-live.ts";

const rule = (name: string, more: object = {}) => ({
  ...{ name, when: `tool == "${name}"`, answer: { action: "accept" }, mode: "live" },
  ...more,
});
const no = rule("no", { answer: { action: "decline" } });
const people = (when: string | null, more: object = {}) => ({
  ...{ name: "People", when, stages: [{ name: "One", approvers: { roles: ["owner"] } }] },
  ...more,
});
const policyOf = ({ groups = {}, rules = [], automatic = [] }: Record<string, object>) => ({
  policy: policyInputSchema.parse({ groups, rules, automatic }),
  people: { "ana@x": "ana", "ben@x": "ben" },
  groups: {},
});

describe("rules that stay live answer more", () => {
  const [one, two] = [rule("one"), rule("two")];
  test.each<[string, object, object, boolean]>([
    ["where nothing changes", { automatic: [one] }, { automatic: [one] }, false],
    [
      "without a condition that asked people",
      { rules: [people("true")], automatic: [one] },
      { automatic: [one] },
      true,
    ],
    [
      "with a narrower one",
      { rules: [people(null)], automatic: [one] },
      { rules: [people("false")], automatic: [one] },
      true,
    ],
    ["not with more of them", { automatic: [one] }, { rules: [people("true")], automatic: [one] }, false],
    [
      "not with other stages",
      { rules: [people("true")], automatic: [one] },
      { rules: [people("true", { name: "Other", due: "1d" })], automatic: [one] },
      false,
    ],
    [
      "with others in a group that such a condition asks for",
      { groups: { a: ["ana@x"] }, rules: [people('"a" in requester.groups')], automatic: [one] },
      { groups: { a: ["ben@x"] }, rules: [people('"a" in requester.groups')], automatic: [one] },
      true,
    ],
    ["without one that declines", { automatic: [one, no] }, { automatic: [one] }, true],
    ["without one that stood before", { automatic: [one, two] }, { automatic: [two] }, true],
    ["in another order", { automatic: [one, two] }, { automatic: [two, one] }, true],
    [
      "without the last one, which says something else",
      { automatic: [one, rule("two", { answer: { action: "accept", content: { value: "no" } } })] },
      { automatic: [one] },
      true,
    ],
    ["not without the last one", { automatic: [one, two] }, { automatic: [one] }, false],
    [
      "not where none is live any more",
      { rules: [people(null)], automatic: [one, no] },
      { automatic: [{ ...one, mode: "off" }] },
      false,
    ],
  ])("%s", (_name, before, after, expected) => {
    expect(frees(policyOf(before as Record<string, object>), policyOf(after as Record<string, object>))).toBe(
      expected,
    );
  });
});

test.each([
  [
    { name: "Small", agreed: 0, disagreed: 0 },
    "“Small” goes live against its record: people decided 0 requests while it was in shadow, 0 of them otherwise. 20 should agree.",
  ],
  [
    { name: "Small”. It agreed. “", agreed: 14, disagreed: 1 },
    "“Small. It agreed.” goes live against its record: people decided 15 requests while it was in shadow, 1 of them otherwise. 20 should agree.",
  ],
])("of a rule that was acknowledged: %j", (record, words) => {
  expect(againstRecord(record)).toBe(words);
});
