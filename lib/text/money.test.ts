import { describe, expect, test } from "vitest";
import { formatsOf } from "./formats/formats.ts";
import { findMoney, isMoneyName, mayBeSameCurrency, readMoney, sumAmounts } from "./money.ts";

describe("amounts in a message", () => {
  test.each([
    ["Invoice INV-100 for ACME Corp ($1000.00) requires approval. Lines: 4 items.", ["$1,000.00"]],
    ["Pay $1,000.00.", ["$1,000.00"]],
    ["Pay 1.234,50 € now", ["1,234.50 EUR"]],
    ["Pay CHF 12'000", ["12,000.00 CHF"]],
    ["Pay 1,000 USD", ["1,000.00 USD"]],
    ["Refund -$5.00 of $20", ["-$5.00", "$20.00"]],
    ["Pay US$ 10, C$11 or EUR -12", ["10.00 USD", "11.00 CAD", "-12.00 EUR"]],
    ["Build 4812, 4 items, 50 %, A4 USDX 5", []],
  ])("%s", (message, amounts) => {
    expect(findMoney(message).map(formatsOf("en-GB").amount)).toEqual(amounts);
  });
  test("are found where they stand", () => {
    expect(findMoney("of ($20)")).toEqual([{ value: 20, currency: "$", index: 4, text: "$20" }]);
  });
});

describe("an amount as an argument", () => {
  test.each([
    [1000, 1000, null],
    ["1000.00", 1000, null],
    ["-12,50", -12.5, null],
    ["$1,000.00", 1000, "$"],
    ["1.000,00 EUR", 1000, "EUR"],
  ])("%j", (sent, value, currency) => {
    expect(readMoney(sent)).toEqual({ value, currency });
  });
  test.each(["", "about 5", "0012", "5 pieces", "INV-100", "99999999999999999", null, true])(
    "%j is none",
    (sent) => {
      expect(readMoney(sent)).toBeNull();
    },
  );
});

test("a dollar sign may be any dollar, and no other currency", () => {
  expect(mayBeSameCurrency("$", "CAD")).toBe(true);
  expect(mayBeSameCurrency("$", "EUR")).toBe(false);
  expect(mayBeSameCurrency("€", "EUR")).toBe(true);
  expect(mayBeSameCurrency(null, "EUR")).toBe(true);
});

test("a sum has no drift of binary fractions", () => {
  expect(sumAmounts([0.1, 0.2, 0.3])).toBe(0.6);
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
