import { expect, test } from "vitest";
import { withMarksAt } from "./mask.ts";

const memo = { type: "resource", resource: { uri: "note://1", text: "Hello" } };

test.each<[string, Record<string, unknown>, string[], Record<string, unknown>]>([
  ["nothing named", { a: 1, memo }, [], { a: 1, memo }],
  ["a value", { a: 1, memo }, ["/memo"], { a: 1, memo: "0" }],
  ["one of a list", { scans: [memo, "x", memo] }, ["/scans/0"], { scans: ["0", "x", memo] }],
  ["all of a list", { a: 1, scans: [memo, memo] }, ["/scans/0", "/scans/1"], { a: 1, scans: "0+1" }],
  ["all there is, nested", { report: { scans: [memo] } }, ["/report/scans/0"], { report: { scans: "0" } }],
  ["an empty list", { a: [], memo }, ["/memo"], { a: [], memo: "0" }],
  ["a list of lists", { a: [[memo], 1] }, ["/a/0/0"], { a: ["0", 1] }],
  ["not the whole", { type: "image", data: "aGk=" }, [""], { type: "image", data: "aGk=" }],
  ["names that a pointer escapes", { "a/b~c": memo, d: 1 }, ["/a~1b~0c"], { "a/b~c": "0", d: 1 }],
  ["what is not there", { a: { b: 1 } }, ["/a/x", "/c", "/a/b/c"], { a: { b: 1 } }],
])("%s", (_, values, pointers, marked) => {
  const things = pointers.map((pointer, at) => ({ pointer, at }));
  expect(withMarksAt(values, things, (found) => found.map(({ at }) => at).join("+"))).toEqual(marked);
});
