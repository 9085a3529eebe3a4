import { expect, test } from "vitest";
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

test("a bound is in the currency of the call that was approved", () => {
  const amount = (value: number, currency?: string) => ({ amount: { value, ...(currency && { currency }) } });
  const like = (call: object) =>
    isLikeApproved(amount(100, "USD"), { ...call }, { except: ["amount"], mostAmount: 500 });
  expect([like(amount(500, "USD")), like(amount(500, "BHD")), like(amount(500))]).toEqual([
    true,
    false,
    false,
  ]);
});
