import { expect, test } from "vitest";
import { unreadableIn } from "./refuse-arguments.ts";

test.each([
  ['{"a":[1,{"b":9007199254740993}]}', ["a[1].b"]],
  ['{"a":1e999}', ["a"]],
  ['{"a":{"__proto__":{"iban":"DE00"}}}', ["a.__proto__"]],
  ['{"__proto__":1,"b":[{"__proto__":9007199254740993}]}', ["__proto__", "b[0].__proto__", "b[0].__proto__"]],
  ['{"a":"__proto__","b":{"proto":1.5},"c":9007199254740991}', []],
])("what people can't read as it is sent is found in %s", (json, fields) => {
  expect(unreadableIn(JSON.parse(json)).map(({ field }) => field)).toEqual(fields);
});
