import { describe, expect, test } from "vitest";
import { findAmounts, formatMoney, isMoneyName, judgeSum, sumAmounts } from "./money.ts";

describe("amounts in a message", () => {
  test.each([
    ["Invoice INV-100 for ACME Corp ($1000.00) requires approval. Lines: 4 items.", [1000]],
    ["Pay $1,000.00.", [1000]],
    ["Pay 1.234,50 € now", [1234.5]],
    ["Pay CHF 12'000", [12000]],
    ["Pay 1,000 USD", [1000]],
    ["Refund -$5.00 of $20", [5, 20]],
    ["Build 4812, 4 items, 50 %", []],
  ])("%s", (message, amounts) => {
    expect(findAmounts(message)).toEqual(amounts);
  });
});

describe("a recomputed sum", () => {
  test("agrees with the amount that the message states", () => {
    expect(judgeSum(1000, "($1000.00)")).toEqual({ kind: "agrees" });
  });
  test("is flagged when the message states another", () => {
    expect(judgeSum(1000, "($1100.00)")).toEqual({ kind: "differs", stated: [1100] });
  });
  test("is not judged when the message states none", () => {
    expect(judgeSum(1000, "Approve it?")).toEqual({ kind: "not_stated" });
  });
  test("has no drift of binary fractions", () => {
    expect(sumAmounts([0.1, 0.2, 0.3])).toBe(0.6);
  });
});

test("money has separators and at least two decimals, and loses none", () => {
  expect([1000, 8600.5, 0.125].map(formatMoney)).toEqual(["1,000.00", "8,600.50", "0.125"]);
});

test("names tell what is money", () => {
  expect(["amount", "totalCost", "unit_price", "count", "taxonomy"].map(isMoneyName)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
