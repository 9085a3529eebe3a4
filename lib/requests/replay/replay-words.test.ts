import { expect, test } from "vitest";
import { movedWords } from "./replay-words.ts";

const anyone = { people: 1, stages: [] };
const finance = { people: 2, stages: ["Finance"] };

test.each([
  ["more people", anyone, finance, "1 person → 2 people (Finance)"],
  ["no stage any more", finance, anyone, "2 people (Finance) → 1 person"],
  [
    "two stages",
    anyone,
    { people: 3, stages: ["Finance", "CFO"] },
    "1 person → 3 people (Finance, then CFO)",
  ],
  ["other people of a stage", finance, finance, "2 people (Finance) → as many, but other people"],
])("%s", (_, from, to, expected) => {
  expect(movedWords({ from, to })).toBe(expected);
});
