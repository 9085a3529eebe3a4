import { expect, test } from "vitest";
import { parseStrictJson, StrictJsonError } from "./strict-json.ts";

test.each([
  '{"a":1,"b":[{"a":1},{"a":2}],"c":{"a":"\\"a\\":1"}}',
  "[0,-0,1.50,1e3,0.1,1E-7,9007199254740992,-9007199254740994,1e300,123456789.000000]",
  '{"":1," ":2,"\\u0061":3,"b\\\\":4,"b":5}',
  '"{\\"a\\":1,\\"a\\":2}"',
  "null",
  " { } ",
  "[]",
])("%s is read as JSON.parse reads it", (text) => {
  expect(parseStrictJson(text)).toEqual(JSON.parse(text));
});

test.each([
  ["a name twice", '{"a":1,"a":1}', "occurs twice"],
  ["a name twice, once escaped", '{"a":1,"\\u0061":2}', "occurs twice"],
  ["a name twice further in", '{"x":[{"y":{"b":1,"c":2,"b":3}}]}', "occurs twice"],
  ["a name twice around an object", '{"a":{"b":1},"a":2}', "occurs twice"],
  ["an integer between two that a double has", '{"id":9007199254740993}', "9007199254740993"],
  ["an id of 18 digits", '{"id":123456789012345678}', "123456789012345678"],
  ["a number beyond doubles", "[1e400]", "1e400"],
  ["a number that would be zero", "[1e-400]", "1e-400"],
  ["more digits than a double has", "[0.1000000000000000055511151231257827]", "0.1000000000"],
  ["a name that objects have themselves", '{"__proto__":{"a":1}}', "__proto__"],
  ["a name that is escaped to the same", '{"\\u005f_proto__":1}', "__proto__"],
  ["no JSON", '{"a":1,}', "not JSON"],
  ["a number that Python writes", "[NaN]", "not JSON"],
  ["nothing", "", "not JSON"],
])("%s is refused", (_what, text, words) => {
  expect(() => parseStrictJson(text)).toThrow(StrictJsonError);
  expect(() => parseStrictJson(text)).toThrow(words);
});

test("a long body is read in time with its length", () => {
  const names = Array.from({ length: 50_000 }, (_, n) => `"k${n}":"${"\\\\".repeat(5)}"`);
  const text = `{${names.join(",")}}`;
  expect(Object.keys(parseStrictJson(text) as object)).toHaveLength(50_000);
});
