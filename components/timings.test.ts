import { afterEach, expect, test } from "vitest";
import { timing } from "./timings.ts";

const SET = Symbol.for("intray.timings");
const scope = globalThis as { [SET]?: unknown };

afterEach(() => {
  delete scope[SET];
});

test("people have two seconds after G, hold for one, and cannot decide in the first 0.6", () => {
  expect([timing("go"), timing("hold"), timing("unread")]).toEqual([2_000, 1_000, 600]);
});

test.each([
  ["a number", { hold: 20_000 }, 20_000],
  ["another time only", { go: 20_000 }, 1_000],
  ["a text", { hold: "0" }, 1_000],
  ["nothing", {}, 1_000],
])("a journey that sets %s", (_, set, expected) => {
  scope[SET] = set;
  expect(timing("hold")).toBe(expected);
});
