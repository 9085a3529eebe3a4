import { expect, test } from "vitest";
import { csvLine } from "./task-export.ts";

test.each([
  ["plain cells", ["INV-100", 3, true, null], "INV-100,3,true,"],
  ["commas, quotes and lines", ['a,b "c"\nd'], '"a,b ""c""\nd"'],
  ["what would be a formula", ["=1+1", "+cmd", "-2", "@SUM(A1)", " =x"], `'=1+1,'+cmd,'-2,'@SUM(A1),' =x`],
  ["one hidden behind a tab or a line", ["\t=1", "\n=1"], `'\t=1,"'\n=1"`],
  [
    "one where a spreadsheet takes semicolons, tabs or line ends for the beginning of a cell",
    ["paid;=cmd|' /C calc'!A0;", "a\n=1", "a\t+1", "a; \r\n @SUM(A1)", "a;b; - c"],
    `paid;'=cmd|' /C calc'!A0;,"a\n'=1",a\t'+1,"a; \r\n '@SUM(A1)",a;b; '- c`,
  ],
  ["wide signs", ["\uFF1D1+1", "\uFF20SUM(A1)"], `'\uFF1D1+1,'\uFF20SUM(A1)`],
  ["words with signs in them, as they are", ["a - b", "x = 1; y", "50 %"], "a - b,x = 1; y,50 %"],
  ["hidden characters, marked", ["Pay\u202e", "\u200b=1"], "Pay\ufffd,\ufffd=1"],
  ["numbers, which are none", [-2], "-2"],
])("a line has %s", (_what, cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`);
});
