import { describe, expect, test } from "vitest";
import { mentionsIn, typedMention, withMention } from "./composer.tsx";

describe("a name is being typed", () => {
  test.each<[string, string, string | null]>([
    ["at the begin", "@", ""],
    ["after a space", "Is it @cl", "cl"],
    ["with a space in it", "@Cleo Ha", "Cleo Ha"],
    ["after a bracket", "(@b", "b"],
    ["not within an address", "ben@acme", null],
    ["not after a line's end", "@Cleo\nand", null],
    ["not where a space follows the sign", "five @ 3", null],
    ["not without the sign", "Cleo", null],
  ])("%s", (_, text, words) => {
    expect(typedMention(text, text.length)?.words ?? null).toBe(words);
  });
});

test("the name takes the place of what was typed, before what follows", () => {
  const text = "Is it @cl of yours?";
  const typed = typedMention(text, 9)!;
  expect(withMention(text, typed, { id: "1", name: "Cleo Hart" })).toEqual({
    text: "Is it @Cleo Hart of yours?",
    caret: 17,
  });
});

test("who was deleted from the text is not mentioned", () => {
  const people = [
    { id: "1", name: "Cleo" },
    { id: "2", name: "Ben" },
    { id: "1", name: "Cleo" },
  ];
  expect(mentionsIn("@Cleo, and not Ben", people)).toEqual(["1"]);
});

test("of two names of which one begins with the other, the one that stands there is mentioned", () => {
  const people = [
    { id: "1", name: "Ann" },
    { id: "2", name: "Anna" },
    { id: "3", name: "Anna" },
  ];
  expect(mentionsIn("@Anna, look", people)).toEqual(["2", "3"]);
  expect(mentionsIn("@Ann, look", people)).toEqual(["1"]);
  expect(mentionsIn("@Anna and @Ann", people)).toEqual(["2", "3", "1"]);
});
