import { expect, test } from "vitest";
import { changesOf, changeWords, compared, valueText } from "./value-changes.ts";

const words = (before: unknown, after: unknown) => changesOf(before, after).changes.map(changeWords);

test.each<[string, unknown, unknown, string[]]>([
  ["nothing, where the members stand in another order", { a: 1, b: [1] }, { b: [1], a: 1 }, []],
  ["a number", { amount: 5000, to: "ACME" }, { amount: 400, to: "ACME" }, ["amount: 5000 → 400"]],
  ["a number and a text of the same figures", { a: 1 }, { a: "1" }, ['a: 1 → "1"']],
  ["what came and what went", { a: 1 }, { b: null }, ["a: 1 → nothing", "b: nothing → null"]],
  [
    "a line of a list",
    { lines: [{ sum: 1 }, { sum: 2 }] },
    { lines: [{ sum: 1 }] },
    ['lines[1]: {"sum":2} → nothing'],
  ],
  ["a member of a line", { lines: [{ sum: 1 }] }, { lines: [{ sum: 3 }] }, ["lines[0].sum: 1 → 3"]],
  ["a list that became an object", { a: [1] }, { a: { 0: 1 } }, ['a: [1] → {"0":1}']],
  ["a name with signs in it", { "a.b": 1 }, { "a.b": 2 }, ['"a.b": 1 → 2']],
])("finds %s", (_, before, after, expected) => {
  expect(words(before, after)).toEqual(expected);
});

test("shortens long values, and stops after two hundred", () => {
  expect(words({ a: "x".repeat(10_000) }, { a: "" })[0]?.length).toBeLessThan(300);
  const many = (n: number) => Object.fromEntries(Array.from({ length: 10_000 }, (__, at) => [`n${at}`, n]));
  const { changes, isAll } = changesOf(many(1), many(2));
  expect([changes.length, isAll]).toEqual([200, false]);
});

test("of long values the words begin shortly before the difference", () => {
  const long = "a".repeat(300);
  expect(words({ note: `${long}x` }, { note: `${long}y` })).toEqual([
    `note: …${"a".repeat(40)}x" → …${"a".repeat(40)}y"`,
  ]);
});

test("of several values, what is the same in all stands apart from what each has besides", () => {
  const call = (user: string, more: object) => ({ user, role: "admin", scope: { team: 7, ...more } });
  expect(
    compared([call("bob", { until: "May" }), call("mallory", { until: null }), call("eve", {})]),
  ).toEqual({
    same: [
      { path: "role", value: "admin" },
      { path: "scope.team", value: 7 },
    ],
    each: [
      [
        { path: "user", value: "bob" },
        { path: "scope.until", value: "May" },
      ],
      [
        { path: "user", value: "mallory" },
        { path: "scope.until", value: null },
      ],
      [{ path: "user", value: "eve" }],
    ],
  });
  // Neither is the other, however they look.
  expect(compared([{ a: {} }, { a: [] }])?.same).toEqual([]);
  expect(
    compared([{ a: 1 }, { a: "1" }])
      ?.each.flat()
      .map(({ value }) => valueText(value)),
  ).toEqual(["1", '"1"']);
  expect(compared([{ "a.b": 1 }, { a: { b: 1 } }])?.same).toEqual([]);
});

test("values that nobody could compare by reading are not", () => {
  expect(compared([{ a: "x".repeat(100_000) }, { a: "x".repeat(100_000) }])).toBeNull();
  expect(
    compared([Array.from({ length: 2_001 }, () => 1), Array.from({ length: 2_001 }, () => 2)]),
  ).toBeNull();
});
