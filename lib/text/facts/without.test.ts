import { expect, test } from "vitest";
import { withoutValuesAt } from "./without.ts";

const memo = { type: "resource", resource: { uri: "note://1", text: "Hello" } };

test.each<[string, Record<string, unknown>, string[], Record<string, unknown>]>([
  ["nothing named", { a: 1, memo }, [], { a: 1, memo }],
  ["a value", { a: 1, memo }, ["/memo"], { a: 1 }],
  ["one of a list", { scans: [memo, "x", memo] }, ["/scans/0"], { scans: ["x", memo] }],
  ["all of a list", { a: 1, scans: [memo, memo] }, ["/scans/0", "/scans/1"], { a: 1 }],
  ["all there is, nested", { report: { scans: [memo] } }, ["/report/scans/0"], {}],
  ["not the whole", { type: "image", data: "aGk=" }, [""], { type: "image", data: "aGk=" }],
  ["names that a pointer escapes", { "a/b~c": memo, d: 1 }, ["/a~1b~0c"], { d: 1 }],
  ["what is not there", { a: { b: 1 } }, ["/a/x", "/c", "/a/b/c"], { a: { b: 1 } }],
])("%s", (_, values, pointers, left) => {
  expect(withoutValuesAt(values, pointers)).toEqual(left);
});
