import { expect, test } from "vitest";
import {
  changed,
  type Draft,
  moved,
  namesOfGroups,
  readDraft,
  unusedName,
  withGroupRenamed,
} from "./draft.ts";

test("what a form doesn't know stays in the draft", () => {
  const value = { version: 1, other: 1, rules: [{ name: "All", more: [], stages: [{ extra: true }] }] };
  expect(readDraft(value)).toEqual({ draft: value });
});

test.each([
  [[], ""],
  [{ rules: {} }, "rules"],
  [{ rules: [{ stages: [{ need: "2" }] }] }, "rules.0.stages.0.need"],
  [{ groups: { finance: "ben" } }, "groups.finance"],
])("%j is nothing that a form can show, and the place is named", (value, field) => {
  expect(readDraft(value)).toEqual({ problem: { field, message: expect.any(String) } });
});

test("what lets rules go live is typed for that, and never read from a policy's text", () => {
  expect(readDraft({ rules: {}, acknowledge: ["Small"] })).toEqual({
    problem: { field: "acknowledge", message: "acknowledge is no part of a policy" },
  });
});

test("a change leaves out what has no value, and keeps the order in which policies are written", () => {
  const rule = { name: "All", stages: [], due: "3d" };
  expect(Object.entries(changed(rule as object, { when: "true", due: undefined } as object))).toEqual([
    ["name", "All"],
    ["when", "true"],
    ["stages", []],
  ]);
});

test("a rule moves within the list", () => {
  expect(moved(["a", "b", "c"], 0, 1)).toEqual(["b", "a", "c"]);
  expect(moved(["a", "b", "c"], 0, -1)).toEqual(["a", "b", "c"]);
  expect(moved(["a", "b", "c"], 2, 1)).toEqual(["a", "b", "c"]);
});

test("a copy has a name of its own", () => {
  expect(unusedName("Large", ["Large", "Large 2"])).toBe("Large 3");
});

test("a group that has another name keeps its stages", () => {
  const draft: Draft = {
    groups: { finance: ["ben@x"], cfo: [] },
    rules: [
      {
        name: "All",
        stages: [
          { name: "A", approvers: { groups: ["finance", "cfo"] } },
          {
            name: "B",
            approvers: { roles: ["owner"] },
            escalate: { after: "2d", to: { groups: ["finance"] } },
          },
        ],
      },
    ],
  };
  expect(withGroupRenamed(draft, "finance", "money")).toEqual({
    groups: { money: ["ben@x"], cfo: [] },
    rules: [
      {
        name: "All",
        stages: [
          { name: "A", approvers: { groups: ["money", "cfo"] } },
          {
            name: "B",
            approvers: { roles: ["owner"] },
            escalate: { after: "2d", to: { groups: ["money"] } },
          },
        ],
      },
    ],
  });
});

test("a group can't be given a name that a stage has for the organization's", () => {
  const stages = [
    { name: "A", approvers: { groups: ["fin"] } },
    {
      name: "B",
      approvers: { roles: ["owner" as const] },
      escalate: { after: "2d", to: { groups: ["board"] } },
    },
    { name: "C" },
  ];
  expect(namesOfGroups({ groups: { fin: [] }, rules: [{ name: "All", stages }] })).toEqual(["fin", "board"]);
});
