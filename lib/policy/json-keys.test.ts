import { expect, test } from "vitest";
import { keyTwice } from "./json-keys.ts";

test.each<[string, string | null]>([
  ['{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]}', null],
  ['["a", "a", {"b": "b"}]', null],
  ['{"a": "\\"a\\": 1", "b": "{"}', null],
  ['{"a" :1,\n"\\u0061"\t: 2}', "a"],
  ['{"rules": [{"need": 2, "when": "need", "need": 1}]}', "need"],
  ['{"__proto__": 1, "__proto__": 2}', "__proto__"],
  ['"a"', null],
])("%s has %s twice", (text, key) => {
  JSON.parse(text);
  expect(keyTwice(text)?.key ?? null).toBe(key);
});

test("says where the second one is", () => {
  const text = '{\n  "a": 1,\n  "a": 2\n}';
  expect(keyTwice(text)?.at).toBe(text.lastIndexOf('"a"'));
});
