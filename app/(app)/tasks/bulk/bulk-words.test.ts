import { describe, expect, test } from "vitest";
import { chosenTasks, leftOutWords, selectAllWords, selectedWords } from "./bulk-words.ts";

const TWO = { ids: ["a", "b"], all: false, more: false, total: "2" };

describe("the selected tasks", () => {
  test.each([
    ["one", { ...TWO, ids: ["a"] }, "1 task selected", null],
    ["two, of a list that is loaded", TWO, "2 tasks selected", null],
    ["two of many", { ...TWO, more: true, total: "220" }, "2 tasks selected", "Select all 220 matching"],
    [
      "two of nobody knows how many",
      { ...TWO, more: true, total: null },
      "2 tasks selected",
      "Select all matching",
    ],
    [
      "all of many",
      { ...TWO, all: true, more: true, total: "10,000+" },
      "All 10,000+ matching tasks selected",
      null,
    ],
    [
      "all of nobody knows how many",
      { ...TWO, all: true, more: true, total: null },
      "All matching tasks selected",
      null,
    ],
    ["all, and all are loaded", { ...TWO, all: true }, "2 tasks selected", null],
  ])("%s", (_, tasks, words, button) => {
    expect(selectedWords(tasks)).toBe(words);
    expect(selectAllWords(tasks)).toBe(button);
  });
});

describe("a bulk action is about", () => {
  const query = { tool: "pay", order: "oldest" };
  test.each([
    ["the selected tasks", TWO, query, { chosen: { taskIds: ["a", "b"] }, count: 2 }],
    [
      "all that match, whatever their order",
      { ...TWO, all: true, more: true },
      query,
      { chosen: { filter: { tool: "pay" } }, count: null },
    ],
    [
      "all that match, once all are loaded",
      { ...TWO, all: true },
      query,
      { chosen: { filter: { tool: "pay" } }, count: 2 },
    ],
  ])("%s", (_, tasks, filter, expected) => {
    expect(chosenTasks(tasks, filter)).toEqual(expected);
  });
});

test.each([
  ["all are taken", 2, 2, null],
  ["nobody knows how many were meant", null, 2, null],
  ["one is left out", 3, 2, "1 task of the 3 selected is not included: they have ended."],
  ["some are left out", 5, 2, "3 tasks of the 5 selected are not included: they have ended."],
])("%s", (_, count, taken, expected) => {
  expect(leftOutWords(count, taken, "they have ended.")).toBe(expected);
});
