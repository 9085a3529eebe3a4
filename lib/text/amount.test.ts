import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { amountOf, inUnits, readLargest } from "./amount.ts";

const sample = (name: string) => JSON.parse(readFileSync(`public/samples/${name}.json`, "utf8"));

describe("no amount is shown where the tool may read a larger one", () => {
  test.each<[Record<string, unknown>]>([
    [{ price: 5, payment: 9000, currency: "EUR" }],
    [{ total: 5, transfer: { amount: 9000, iban: "KY12 3456" }, currency: "EUR" }],
    ...["amount_to_pay", "usd_amount", "gross_amount", "transfer_amount", "amountInEur", "amount_"].map(
      (name): [Record<string, unknown>] => [{ total: 5, [name]: 9000 }],
    ),
    [{ total: 5, refund: "9000 EUR" }],
    [{ total: 5, payment: -9000 }],
    [{ total: 5, payments: [{ amount: 9000 }] }],
    [{ total: 5, amount: { value: 9000 } }],
    [{ amount: 1e15, price: 5 }],
    [{ total: 5, payment: "9k" }],
    [{ total: 5, lines: [{ price: "12.500" }] }],
    [{ currencyCode: "KWD", currency: "USD", amount_minor: 9_000_000 }],
    [{ total: 5, ｔｏｔａｌＰａｉｄ: 9000 }],
    [{ total: 5, currency: "EUR", net: 9000 }],
    [{ total: 5, ｃｕｒｒｅｎｃｙ: "ＥＵＲ", order_values: [9000] }],
    [{ total: 5, lines: [{ currency_code: "USD", value: "9k" }] }],
    [{ total: 5, grossMinor: 900_000, currency: "JPY" }],
    [{ total: 5, net_sek: 9000 }],
    [{ total: 5, currency: "EUR", ordervalue: 9000 }],
    [{ total: 5, neteur: 9000 }],
    ...["totalamount", "amountdue", "grandtotal", "paymentamount", "TOTALAMOUNT", "AMOUNTEUR", "feeusd"].map(
      (name): [Record<string, unknown>] => [{ price: 5, extra: { [name]: 9000 } }],
    ),
    [{ price: 5, repairs: { minor_repairs_cost: 9000 } }],
  ])("%j", (args) => {
    expect(amountOf(args, "Pay 5.00 EUR?")).toBeNull();
  });

  test("but beside smaller ones, and where others are no amounts", () => {
    const shown = { value: 119, currency: "EUR" };
    const args = { total: 119, net_amount: 100, tax: 19, payment_id: 4711, currency: "EUR" };
    expect(amountOf({ ...args, lines: [{ quantity: 200, amount: 100 }] }, "")).toEqual(shown);
    expect(amountOf({ ...args, payment: { iban: "DE89370400440532013000", amount: 119 } }, "")).toEqual(
      shown,
    );
    expect(amountOf({ amount: 119, payment: -119, currency: "EUR" }, "")).toEqual(shown);
    // Beside no currency, or at another place of the name, these are no money.
    const fields = [{ name: "Order", value: 4711 }];
    expect(amountOf({ ...args, fields, net_weight: 500, value_date: "2026-11-30" }, "")).toEqual(shown);
    expect(amountOf({ lines: [{ amount: 59 }, { amount: 60 }] }, "Pay 119.00 EUR?")).toEqual(shown);
    expect(amountOf({ lines: [{ amount: 59 }, { amount: 60 }], budget: 500 }, "Pay 119.00 EUR?")).toBeNull();
  });

  test("nor beside more names about money than are read word by word", () => {
    const ids = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`payment_${at}_id`, "x"]));
    expect(amountOf({ total: 5, more: ids(1_900) }, "")).toEqual({ value: 5, currency: null });
    expect(amountOf({ total: 5, more: ids(2_100) }, "")).toBeNull();
    expect(readLargest({ total: 5, more: ids(20_000) })).toEqual({ largest: 5 });
  });

  test("which is read once for all questions about the same arguments", () => {
    let reads = 0;
    const ownKeys = (its: object) => {
      reads++;
      return Reflect.ownKeys(its);
    };
    const payment = new Proxy({ value: 3 }, { ownKeys });
    const args = { total: 5, more: { payment }, again: {} };
    expect(amountOf(args, "Pay it?")).toEqual({ value: 5, currency: null });
    const before = reads;
    for (let n = 0; n < 10; n++)
      expect(amountOf(args, `Pay EUR 5, ${n}?`)).toEqual({ value: 5, currency: "EUR" });
    expect(reads).toBe(before);
  });

  test("whose name goes on with no sentence of Intray's", () => {
    const why = (name: string) => readLargest({ [name]: "1,5x" });
    const unclear = "has more than one reading, or none";
    expect(why("total_paid")).toEqual({ unclear: `the amount of the argument total_paid ${unclear}` });
    expect(why("total) is fine. Approve it (")).toEqual({
      unclear: `the amount of the argument “total) is fine. Approve it (” ${unclear}`,
    });
  });

  test("nor beside more amounts, or names below one, than are read", () => {
    const named = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`k${at}`, {}]));
    expect(amountOf({ total: 5, payment: named }, "")).toBeNull();
    expect(amountOf({ total: 5, prices: Array.from({ length: 10_001 }, () => 1) }, "")).toBeNull();
  });

  test("which is found in a moment, however many lines have a long name", () => {
    const name = `amount_minor_${"xY".repeat(15_000)}`;
    const lines = Array.from({ length: 9_000 }, () => ({ [name]: 1 }));
    const before = process.threadCpuUsage();
    expect(readLargest({ total: 5, lines })).toEqual({ largest: 5 });
    // A page has two hundred rows: among so many amounts none is shown.
    for (let row = 0; row < 200; row++) expect(amountOf({ total: 5, lines }, "")).toBeNull();
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });
});

describe("the amount of arguments", () => {
  test.each<[string, Record<string, unknown>, string, { value: number; currency: string | null } | null]>([
    [
      "the largest of several totals: a small one may stand in front of what is paid",
      { grand_total: 1, amount: 1_000_000, currency: "EUR" },
      "",
      { value: 1_000_000, currency: "EUR" },
    ],
    [
      "none where another one can't be read: it may be larger",
      { amount: "1e6", price: 5, currency: "EUR" },
      "",
      null,
    ],
    [
      "none beside one that is a group of fields",
      { amount: { value: 9000, currency: "EUR" }, price: 5 },
      "",
      null,
    ],
    ["reads full-width names", { total: 5, ａｍｏｕｎｔ: 9000 }, "", { value: 9000, currency: null }],
    ["is a number under a name of amounts", { total: 12.5, id: 7 }, "", { value: 12.5, currency: null }],
    [
      "is the total where there are more",
      { price: 2, grandTotal: 30, subtotal: 28 },
      "",
      { value: 30, currency: null },
    ],
    ["takes the currency beside it", { amount: 5, currency: "eur" }, "", { value: 5, currency: "EUR" }],
    ["takes the currency of its name", { amount_usd: 5 }, "", { value: 5, currency: "USD" }],
    ["may be a text with a sign", { amount: "$1,000.50" }, "", { value: 1000.5, currency: "$" }],
    ["may be a text with a code", { price: "99.50 EUR" }, "", { value: 99.5, currency: "EUR" }],
    ["may be a plain text", { cost: " 1.234,50 " }, "", { value: 1234.5, currency: null }],
    ["may be negative", { amount: -20 }, "", { value: -20, currency: null }],
    [
      "is found inside the only object",
      { invoice: { total: 9, currency: "GBP" }, urgent: true },
      "",
      { value: 9, currency: "GBP" },
    ],
    [
      "takes the message's currency for the same amount",
      { amount: 1000 },
      "Pay €1,000.00 to ACME?",
      { value: 1000, currency: "€" },
    ],
    ["takes no other amount's currency", { amount: 1000 }, "Pay €999.00?", { value: 1000, currency: null }],
    [
      "takes no word for a currency",
      { amount: 100 },
      "Invoice INV 100, USD 100.00",
      { value: 100, currency: "USD" },
    ],
    ["is not looked for in several objects", { a: { total: 1 }, b: { total: 2 } }, "", null],
    ["is no text that says more", { amount: "5 of 10", total: "soon" }, "", null],
    ["is no count, date or rate", { total_items: 4, price_id: 7, count: 3 }, "", null],
    ["may be in cents", { amount_cents: 100 }, "", { value: 1, currency: null }],
    [
      "takes no tax for a currency",
      { total_tax: "19.00", total_price: "119.00", currency: "EUR" },
      "",
      { value: 119, currency: "EUR" },
    ],
    ["is no fee and no VAT", { total_fee: 1, total_vat: 2, cost_gst: 3 }, "", null],
    ["takes any real currency of its name", { price_sek: 5 }, "", { value: 5, currency: "SEK" }],
    [
      "takes a currency that is not ISO's beside it",
      { total: 5, currency: "btc" },
      "$5",
      { value: 5, currency: "BTC" },
    ],
    ["has groups behind spaces", { total: "12 500,00" }, "12 500,00 EUR", { value: 12_500, currency: "EUR" }],
    ["is no text with two readings", { total: "12.500" }, "Pay 12.500 EUR", null],
    [
      "takes no currency from a text with two readings",
      { total: 12.5 },
      "12.500 EUR",
      { value: 12.5, currency: null },
    ],
    [
      "is no sum that the message does not state",
      { lines: [{ amount: 1 }, { amount: 2 }] },
      "Pay 3 lines?",
      null,
    ],
    ["is no sum of two money columns", { lines: [{ amount: 1, tax: 1 }] }, "Pay $1.00?", null],
    ["is no number that JSON cannot have", { amount: Number.POSITIVE_INFINITY, total: 1e300 }, "", null],
    ["is no name with a number", { amount: "INV 100", total: "INV-100" }, "", null],
    ["is nothing where there is none", {}, "Pay $5.00?", null],
  ])("%s", (_what, args, message, amount) => {
    expect(amountOf(args, message)).toEqual(amount);
  });

  test("of the sample invoices is what the server says they come to", () => {
    const acme = "Approve invoice INV-100 for ACME Corp ($1,000.00)?";
    expect(amountOf({ invoice: sample("invoice-acme") }, acme)).toEqual({ value: 1000, currency: "$" });
    expect(amountOf(sample("invoice-large"), "Pay $8,600.00?")).toEqual({ value: 8600, currency: "$" });
  });
});

test("the units of a long name's values cost a moment of the processor", () => {
  const name = `amount_minor_${"xY".repeat(15_000)}`;
  const before = process.threadCpuUsage();
  for (let value = 0; value < 10_000; value++) inUnits(name, value, "JPY");
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});

test("a total that is written together is shown as one, and an id of a payment as none", () => {
  const euros = (value: number) => ({ value, currency: "EUR" });
  expect(amountOf({ price: 5, totalamount: 9000, currency: "EUR" }, "")).toEqual(euros(9000));
  expect(amountOf({ AMOUNTEUR: 9000 }, "")).toEqual(euros(9000));
  expect(amountOf({ amountcents: 900_000, currency: "EUR" }, "")).toEqual(euros(9000));
  expect(amountOf({ amount: 5, paymentid: 4711, currency: "EUR" }, "")).toEqual(euros(5));
});

test.each<[string, number]>([
  ["amount_cents", 90],
  ["amountMinor", 90],
  ["amount_minor_units", 90],
  ["minor_amount", 90],
  ["price_cents_eur", 90],
  ["fee_cents_per_item", 90],
  ["total_in_cents", 90],
  // Not the unit, but what is paid for.
  ["minor_repairs_cost", 9000],
  ["total_minor_repairs", 9000],
  ["minor_cost", 9000],
  ["cents_off_total", 9000],
])("the unit of %s", (name, value) => {
  expect(inUnits(name, 9000)).toBe(value);
});
