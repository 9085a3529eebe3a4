import { expect, test } from "vitest";
import { holdsMoreThan, sizeOfJson } from "./json.ts";

test.each<[string, { depth: number; values: number }]>([
  ["1", { depth: 0, values: 1 }],
  ['{"a":[1,2,{"b":"x,[{"}]}', { depth: 3, values: 6 }],
  ['"\\",[{"', { depth: 0, values: 1 }],
  ["[[[]]]", { depth: 3, values: 4 }],
])("the size of %s", (text, size) => {
  expect(sizeOfJson(text)).toEqual(size);
});

test("what is deeper than is asked for is read no further", () => {
  expect(sizeOfJson("[[[[1,2,3]]]]", 2)).toEqual({ depth: 3, values: 4 });
});

test.each<[unknown, number, boolean]>([
  [null, 1, false],
  [[1, 2, 3], 4, false],
  [[1, 2, 3], 3, true],
  [{ a: { b: [1, 2] } }, 5, false],
  [{ a: { b: [1, 2] } }, 4, true],
])("whether %j holds more than %i values: %s", (value, most, expected) => {
  expect(holdsMoreThan(value, most)).toBe(expected);
});
