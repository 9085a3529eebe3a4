import { expect, test } from "vitest";
import { visibleText } from "./hidden.ts";

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
