import { expect, test } from "vitest";
import { amountOf as shownAmount } from "../../text/amount.ts";
import { RuleFailure } from "../../text/rules/language.ts";
import { factsOf } from "./facts.ts";

const factsFor = (args: Record<string, unknown>) =>
  factsOf({
    server: { id: "s", name: "ERP" },
    tool: { name: "pay", title: null, annotations: null } as never,
    arguments: args,
    requester: { actor: { kind: "agent", id: "a", name: "Coder" }, role: "operator" },
    now: new Date(0),
  });
const amountOf = (args: Record<string, unknown>) => factsFor(args).amount;

test.each([
  [{ amount: 90_000, total: 1 }, 90_000],
  [{ amount: -90_000 }, 90_000],
  [{ payment: { amount: 90_000 }, x: {}, y: {} }, 90_000],
  [{ amount_cents: 9_000_000 }, 90_000],
  [{ payment_id: 123_456_789, note: "hello" }, null],
  [{ paymentId: "PAY-12", amount: 5 }, 5],
  // Names that end as a word that is no sum, without that word.
  [{ amount_paid: 9_000 }, 9_000],
  [{ amountPaid: 9_000 }, 9_000],
  [{ total_paid: 9_000 }, 9_000],
  [{ vat: 9_000 }, 9_000],
  [{ totalPrepaid: 9_000 }, 9_000],
  // Other ways to write a name.
  [{ amounts: [1, 9_000] }, 9_000],
  [{ taxes: 9_000, fees: 1 }, 9_000],
  [{ USDAmount: 9_000 }, 9_000],
  [{ PaymentIDs: ["PAY-1"], invoiceTotalDate: "2026-11-24" }, null],
  [{ amount_pence: 900_000 }, 9_000],
  // A name is that of what stands below it, unless this says otherwise.
  [{ amount: { value: 9_000, currency: "EUR" } }, 9_000],
  [{ amount: { value: 9_000, tax: 1 } }, 9_000],
  [{ amount: { of: { it: [{ value: "9,000.00" }] } } }, 9_000],
  [{ amount: { minor: [900_000] } }, 9_000],
  [{ payment: { id: 4_711, iban: "DE89370400440532013000", note: "2 of 3", amount: 5 } }, 5],
  [{ payment_method: { card: 4_111_111 }, amount: 5 }, 5],
  [{ amount: "free", payment: { method: "card" } }, null],
  // Names that are about money beside a currency alone.
  [{ line: { net: 9_000, currency_code: "EUR" } }, 9_000],
  [{ invoiceGross: 9_000, currency: "EUR" }, 9_000],
  [{ orderValueSek: 9_000 }, 9_000],
  [{ currency: "EUR", field: { value: 4_711 } }, null],
  [{ net: 30, currency: 4 }, null],
  // As a program reads them that takes letters of any width.
  [{ ａｍｏｕｎｔ: 9_000 }, 9_000],
  [{ ｎｅｔ: 9_000, ｃｕｒｒｅｎｃｙ: "ＥＵＲ" }, 9_000],
])("of %j the largest amount counts", (args, amount) => {
  expect(amountOf(args)).toBe(amount);
});

test.each([
  { amount: "12.500" },
  { amount: "0,900000" },
  { amount: "５０００" },
  { amount: { value: "٥٠٠٠" } },
  { amount: Number.POSITIVE_INFINITY },
  { amount: "1e999" },
  { amount: { value: "about 9000" } },
  { lines: [{ price: 1 }, { price: "9k" }] },
])("%j has no single reading, which asks a person", (args) => {
  expect(() => amountOf(args)).toThrow(RuleFailure);
});

test.each([
  ...["grand_total", "total", "amountDue", "total_cents", "sum", "price_sek", "totalCost"].map((name) => ({
    [name]: 9_000,
  })),
  { payment: { sum: 9_000 } },
])("of %j at least what the inbox shows", (args) => {
  expect(amountOf(args)).toBe(shownAmount(args, "")?.value);
});

test("an amount in the smallest unit is read by its currency, wherever that is named", () => {
  expect(amountOf({ amount_minor: 5_000_000, currency: "JPY" })).toBe(5_000_000);
  expect(amountOf({ currency: "JPY", lines: [{ price_minor: 700 }] })).toBe(700);
  expect(amountOf({ amount_minor: 5_000_000, currency: "EUR" })).toBe(50_000);
  expect(amountOf({ amount_cents: 5_000, currency: "JPY" })).toBe(50);
  // Whoever calls may name any currency: the larger reading counts.
  expect(amountOf({ currencyCode: "KWD", currency: "USD", amount_minor: 9_000_000 })).toBe(90_000);
  expect(amountOf({ currency: "USD", currency_code: "JPY", amount_minor: 9_000_000 })).toBe(9_000_000);
  const many = Object.fromEntries(
    ["currency_code", "currencyCode", "currency-code"].map((name) => [name, "USD"]),
  );
  expect(amountOf({ ...many, amount_minor: 9_000_000 })).toBe(90_000);
  const codes = "EUR USD JPY KWD GBP CHF SEK NOK DKK PLN CZK".split(" ");
  const named = Object.fromEntries(codes.map((code, at) => [`currency${" ".repeat(at + 1)}code`, code]));
  expect(() => amountOf({ ...named, amount: 1 })).toThrow(/more than 10 currencies/);
});

test("arguments may have more numbers than a function takes; more amounts than anybody sends are left to a person", () => {
  const many = Array.from({ length: 200_000 }, (_, at) => at);
  expect(amountOf({ amount: 5, points: many })).toBe(5);
  expect(amountOf({ amount: many.slice(0, 10_000) })).toBe(9_999);
  const prices = Object.fromEntries(many.map((at) => [`price_${at}`, at]));
  expect(() => amountOf(prices)).toThrow("more than 10000 amounts");
});

test("the currency of the amount that names promise counts, also where no amount is shown beside a larger one", () => {
  expect(factsFor({ total: 5, payment: 9_000, currency: "USD" }).currency).toBe("USD");
  expect(factsFor({ total: 5, payment: "9k", currency: "USD" }).currency).toBe("USD");
});
