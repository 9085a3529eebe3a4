import { expect, test } from "vitest";
import { keyFigures } from "./key-figures.ts";
import { judgeParty } from "./party.ts";
import type { Answer } from "./similar-schema.ts";

const by = { kind: "member", id: null, name: "Ben" } as const;
const answer = (value: string, at = "2026-11-20T10:00:00.000Z"): Answer => ({
  action: "accept",
  content: { value },
  comment: null,
  revise: false,
  words: "Approved",
  by,
  at,
});
const bill = (value: number | null, args: object = { supplier: "ACME" }, currency: string | null = "USD") =>
  keyFigures({ ...args }, { label: null, amount: value === null ? null : { value, currency } });
const decided = (values: (number | null)[], said = "approve", args?: object, currency?: string | null) =>
  values.map((value) => ({
    ...{ ...bill(value, args, currency), answer: answer(said) },
    isLetThrough: said === "approve",
  }));
const usd = (from: number, to: number) => ({
  from: { value: from, currency: "USD" },
  to: { value: to, currency: "USD" },
});
const judge = (asked: ReturnType<typeof bill>, before: ReturnType<typeof decided>) => {
  const party = judgeParty(asked, before, { mayBeMore: false });
  return party && [party.count, party.usual, party.times];
};

test.each<[string, ReturnType<typeof bill>, ReturnType<typeof decided>, unknown]>([
  ["nothing was decided", bill(1000), [], null],
  ["two were", bill(1000), decided([900, 950]), null],
  ["three were", bill(1000), decided([800, 1000, 1200]), [3, usd(800, 1200), null]],
  ["the amount is three times the usual", bill(3000), decided([800, 1000, 1200]), [3, usd(800, 1200), 3]],
  ["it is nearly three times", bill(2999), decided([800, 1000, 1200]), [3, usd(800, 1200), 2]],
  ["it is half as much again", bill(1500), decided([800, 1000, 1200]), [3, usd(800, 1200), 1.5]],
  ["it is a little beyond", bill(1300), decided([800, 1000, 1200]), [3, usd(800, 1200), null]],
  [
    "it is twice the median, and was seen before",
    bill(2000),
    decided([800, 1000, 2000]),
    [3, usd(800, 2000), null],
  ],
  ["it is far below", bill(1), decided([800, 1000, 1200]), [3, usd(800, 1200), null]],
  ["one of many is extreme", bill(3000), decided([9000, ...Array(9).fill(1000)]), [10, usd(1000, 1000), 3]],
  ["an even number", bill(4000), decided([800, 1000, 1000, 1200]), [4, usd(800, 1200), 4]],
  [
    "most were refused: counted, but not usual",
    bill(5000),
    [...decided([5000, 5000], "reject"), ...decided([800, 900])],
    [4, null, null],
  ],
  ["other parties do not count", bill(1000), decided([1, 2, 3], "approve", { supplier: "Other" }), null],
  [
    "who is paid is another one: what was decided about the supplier says nothing of them",
    bill(1000, { supplier: "ACME", payee: "Mallory" }),
    decided([900, 950, 990]),
    null,
  ],
  [
    "both parties are the same",
    bill(1000, { supplier: "ACME", payee: "Globex" }),
    decided([900, 950, 990], "approve", { payee: "globex", supplier: "ACME" }),
    [3, usd(900, 990), null],
  ],
  [
    "case and spaces do not matter",
    bill(1000, { supplier: "  acme " }),
    decided([900, 950, 990]),
    [3, usd(900, 990), null],
  ],
  [
    "a customer of the same name is another party",
    bill(1000, { customer: "ACME" }),
    decided([1, 2, 3]),
    null,
  ],
  ["other currencies do not count", bill(1000), decided([900, 950, 990], "approve", undefined, "EUR"), null],
  [
    "$ may be US dollars",
    bill(1000),
    decided([900, 950, 990], "approve", undefined, "$"),
    [3, usd(900, 990), null],
  ],
  ["the request has no amount", bill(null), decided([900, null, 990]), [3, null, null]],
  ["those before had none", bill(1000), decided([null, null, null]), null],
  ["credits have no usual", bill(10), decided([-900, -950, -990]), [3, usd(-990, -900), null]],
  ["the request has no party", bill(1000, { project: "ACME" }), decided([1, 2, 3]), null],
])("%s", (_what, asked, before, expected) => {
  expect(judge(asked, before)).toEqual(expected);
});

test("the party is named as the request has it, with the last decision", () => {
  const before = decided([900, 950, 990]);
  const last = { ...bill(900), answer: answer("reject", "2026-11-22T10:00:00.000Z"), isLetThrough: false };
  expect(
    judgeParty(bill(1000, { vendor_name: "x", supplier: "Acme" }), [last, ...before], { mayBeMore: true }),
  ).toBe(null);
  expect(judgeParty(bill(1000, { supplier: "Acme" }), [last, ...before], { mayBeMore: true })).toMatchObject({
    name: "Acme",
    kind: "supplier",
    count: 4,
    mayBeMore: true,
    last: { content: { value: "reject" }, at: "2026-11-22T10:00:00.000Z" },
  });
});
