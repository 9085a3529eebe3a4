import { describe, expect, test } from "vitest";
import { isLikeApproved } from "./bounds.ts";

const approved = { to: "ACME", amount: 100, lines: [{ sku: "A" }] };
const bounds = { except: [], mostAmount: null };

test.each<[string, object, { except?: string[]; mostAmount?: number }, boolean]>([
  ["the same", { lines: [{ sku: "A" }], amount: 100, to: "ACME" }, {}, true],
  ["another amount", { ...approved, amount: 101 }, {}, false],
  ["another amount, which may differ", { ...approved, amount: 101 }, { except: ["amount"] }, true],
  [
    "another amount within the bound",
    { ...approved, amount: 500 },
    { except: ["amount"], mostAmount: 500 },
    true,
  ],
  [
    "another amount beyond it",
    { ...approved, amount: 500.01 },
    { except: ["amount"], mostAmount: 500 },
    false,
  ],
  ["a credit beyond it", { ...approved, amount: -501 }, { except: ["amount"], mostAmount: 500 }, false],
  [
    "no amount where there is a bound",
    { to: "ACME", lines: approved.lines },
    { except: ["amount"], mostAmount: 500 },
    false,
  ],
  ["one argument more", { ...approved, force: true }, {}, false],
  ["one argument less", { to: "ACME", amount: 100 }, {}, false],
  ["another list", { ...approved, lines: [{ sku: "A" }, { sku: "B" }] }, { except: ["amount"] }, false],
  ["the same figure as a text", { ...approved, amount: "100" }, {}, false],
])("%s", (_, call, more, expected) => {
  expect(isLikeApproved(approved, { ...call }, { ...bounds, ...more })).toBe(expected);
});

describe("a largest amount of 500, where the arguments that differ may differ", () => {
  const like = (before: object, call: object) =>
    isLikeApproved(
      { ...before },
      { ...call },
      { except: Object.keys({ ...before, ...call }), mostAmount: 500 },
    );

  test.each<[object, object]>([
    [{ amount: 5 }, { amount: 500 }],
    [{ amount: "5.00" }, { amount: "500.00" }],
    [{ amount: "5 EUR" }, { amount: "499.99 EUR" }],
    [{ amount: "$5" }, { amount: "$500" }],
    [
      { amount: 5, currency: "EUR" },
      { amount: 6, currency: "EUR" },
    ],
    [
      { amount: { value: 5, currency: "EUR" }, note: "a" },
      { amount: { value: 5, currency: "EUR" }, note: "b" },
    ],
    [
      { amount: 5, invoice: "INV-7", note: "For May" },
      { amount: 6, invoice: "INV-8", note: "For June" },
    ],
    [{ amount_cents: 50_000 }, { amount_cents: 49_999 }],
  ])("%j is like %j", (before, call) => {
    expect(like(before, call)).toBe(true);
  });

  test.each<[object, object]>([
    // Another unit, or none.
    [{ amount: "5 EUR" }, { amount: "500 KWD" }],
    [{ amount: "EUR 5" }, { amount: "GBP 500" }],
    [{ amount: "5 EUR" }, { amount: "500 BTC" }],
    [{ amount: "5 EUR" }, { amount: "$500" }],
    [{ amount: "5 EUR" }, { amount: "500" }],
    [{ amount: "5 EUR" }, { amount: "5 EUR thousand" }],
    [{ amount: "5" }, { amount: "5 k" }],
    [{ amount: 5 }, { amount: "500 GBP" }],
    [{ amount: 5 }, { amount: "5" }],
    [
      { amount: 5, currency: "EUR" },
      { amount: 5, currency: "KWD" },
    ],
    [
      { amount: 5, asset: "USDT" },
      { amount: 5, asset: "BTC" },
    ],
    [
      { amount: 5, of: "EUR" },
      { amount: 5, of: "BTC" },
    ],
    [
      { amount: 5, of: "€" },
      { amount: 5, of: "£" },
    ],
    [
      { amount: 5, symbol: "usdt" },
      { amount: 5, symbol: "bitcoin" },
    ],
    [
      { amount: 5, decimals: 2 },
      { amount: 5, decimals: 0 },
    ],
    [
      { amount: 5, scale: "2" },
      { amount: 5, scale: "0" },
    ],
    [{ amount: 5, decimals: 2 }, { amount: 5 }],
    // Another shape.
    [{ amount: { eur: 5 } }, { amount: { gbp: 5 } }],
    [{ amount: { value: 5, asset: "USDT" } }, { amount: { value: 5, asset: "BTC" } }],
    [{ amount: { value: 5 } }, { amount: { value: 6 } }],
    [{ amount: [5] }, { amount: [5, 5] }],
    [{ amount: 5 }, { amount: [5] }],
    [{ amount: 5 }, { total: 5 }],
    [
      { amount: 5, fee: 1 },
      { amount: 5, fee: 1, price: 1 },
    ],
    // No amount.
    ...[
      "all",
      "max",
      "nine thousand",
      "",
      " ",
      "5e9",
      "0x5",
      "1,5",
      "12.500",
      "٥",
      "５",
      "05",
      "5!",
      null,
      true,
    ].map((amount): [object, object] => [
      { amount: "5", fee: 1 },
      { amount, fee: 1 },
    ]),
    [
      { amount: "all", fee: 1 },
      { amount: "max", fee: 1 },
    ],
    [
      { amount: 5, pay: "1 EUR" },
      { amount: 5, pay: "everything" },
    ],
    // Too much, or nobody knows what it does.
    [
      { amount: 5, quantity: 1 },
      { amount: 5, quantity: 2 },
    ],
    [
      { amount: 5, order: "1007" },
      { amount: 5, order: "1008" },
    ],
    [{ amount: 5 }, { amount: 500.01 }],
    [{ amount: 5 }, { amount: -501 }],
    [{ amount: "5 EUR" }, { amount: "501 EUR" }],
    [{ amount_cents: 5 }, { amount_cents: 50_001 }],
    [
      { amount_minor: 5, currency: "JPY" },
      { amount_minor: 501, currency: "JPY" },
    ],
    [
      { amount: 5, pay: 1 },
      { amount: 5, pay: 90_000 },
    ],
    [
      { amount: 5, pay: "1" },
      { amount: 5, pay: "90000" },
    ],
    [
      { amount: 5, note: "x" },
      { amount: 5, note: "pay 90000 EUR" },
    ],
    [
      { amount: 5, note: "x" },
      { amount: 5, note: 90_000 },
    ],
    [
      { amount: 5, note: "x" },
      { amount: 5, note: { transfer: 90_000 } },
    ],
    [
      { amount: 5, payments: [{ to: "a" }] },
      { amount: 5, payments: [{ to: "a" }, { to: "b" }] },
    ],
    [
      { amount: 5, force: false },
      { amount: 5, force: true },
    ],
  ])("%j is not like %j", (before, call) => {
    expect(like(before, call)).toBe(false);
  });
});

test("without a largest amount, what was ticked may be anything", () => {
  const free = { except: ["amount"], mostAmount: null };
  expect(isLikeApproved({ amount: "5 EUR" }, { amount: { all: true } }, free)).toBe(true);
});
