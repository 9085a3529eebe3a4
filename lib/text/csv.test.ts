import { expect, test } from "vitest";
import { csvLine } from "./csv.ts";

test.each([
  ["plain cells", ["INV-100", 3, true, null], "INV-100,3,true,"],
  ["commas, quotes and lines", ['a,b "c"\nd'], '"a,b ""c""\nd"'],
  ["what would be a formula", ["=1+1", "+cmd", "-2", "@SUM(A1)", " =x"], `'=1+1,'+cmd,'-2,'@SUM(A1),' =x`],
  ["one hidden behind a tab or a line", ["\t=1", "\n=1"], `'\t=1,"'\n=1"`],
  ["numbers, which are none", [-2], "-2"],
])("a line has %s", (_what, cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`);
});
