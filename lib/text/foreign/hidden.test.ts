import { expect, test } from "vitest";
import { bareText, countHidden, hiddenWords, splitHidden, visibleText } from "./hidden.ts";

test.each([
  ["marks of Vietnamese", "Nguye\u0302\u0303n", "Nguye\u0302\u0303n"],
  [
    "marks of Hebrew and Thai",
    "\u05d1\u05bc\u05b0\u05a3 \u0e17\u0e35\u0e48",
    "\u05d1\u05bc\u05b0\u05a3 \u0e17\u0e35\u0e48",
  ],
  ["marks that draw over other lines", `i${"\u0304".repeat(7)}`, `i${"\u0304".repeat(4)}\ufffd`],
])("%s", (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test("a box says which hidden characters its text has, also far into it", () => {
  expect(hiddenWords("rm -rf /tmp\n")).toBeNull();
  expect(hiddenWords("a\u202eb")).toBe("Contains invisible characters: “a\ufffdb”");
  const words = hiddenWords(`${"x ".repeat(5_000)}rm \u202e/atad`)!;
  expect(words).toMatch(/^Contains invisible characters: “…[x ]+rm \ufffd\/atad”$/);
  expect(words.length).toBeLessThan(450);
});

test.each([
  "a",
  "Pay 10.00 EUR?",
  "a b\\c ~!",
  "a  b",
  " a",
  "a ",
  "",
  "a\tb",
  "a\x7fb",
  "a\nb",
  "x".repeat(100),
])("%j is read the same alone as before a hidden character", (text) => {
  const hidden = `${text}\u200b`;
  expect(bareText(text)).toBe(bareText(hidden));
  expect(countHidden(text, 10)).toBe(countHidden(hidden, 10) - 1);
  expect(visibleText(text)).toBe(visibleText(hidden).slice(0, -1));
  expect(
    splitHidden(text)
      .map(({ text }) => text)
      .join(""),
  ).toBe(text);
});
