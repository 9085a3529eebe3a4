import { describe, expect, test } from "vitest";
import { formatsOf } from "../formats/formats.ts";
import { describeFirst } from "./facts.ts";
import { figureWords, isLongOverdue, judgeFigures } from "./figure-warnings.ts";

const EN = formatsOf("en-GB");
const NOW = Date.parse("2026-11-23T12:00:00Z");
const lines = [
  { name: "A", amount: 100 },
  { name: "B", amount: 200.5 },
];
const kinds = (values: Record<string, unknown>, message: string) => {
  const { differences, dueDates } = judgeFigures(values, message, EN);
  return [
    ...differences.map(({ kind }) => kind),
    ...(dueDates[0] && isLongOverdue(dueDates[0], NOW) ? ["overdue"] : []),
  ];
};

describe("figures are warned of", () => {
  test.each<[string, Record<string, unknown>, string, string[]]>([
    ["nothing when all agrees", { lines, total: 300.5 }, "Pay $300.50?", []],
    ["figures behind spaces", { total: 500 }, "Pay 12 500,00 EUR?", ["sum_differs"]],
    ["not what the message may say", { total: 12_500 }, "Pay 12.500 EUR?", []],
    ["what no reading of the message says", { total: 700 }, "Pay 12.500 EUR?", ["sum_differs"]],
    ["not what a word multiplies", { total: 3_000_000 }, "Pay EUR 3 million?", []],
    [
      "a price that lines contradict",
      { lines, total_price: 5000 },
      "Pay $300.50?",
      ["sum_differs", "sum_differs"],
    ],
    ["a currency that no dollar is", { total: 5, currency: "USDT" }, "Pay $5.00?", ["currency_differs"]],
    ["a currency in the name", { total_eur: 5 }, "Pay $5.00?", ["currency_differs"]],
    ["nothing without figures", { build: 4812 }, "Promote build 4812?", []],
    ["lines that do not add up to the total", { lines, total: 310 }, "Pay?", ["sum_differs"]],
    ["a total that the message contradicts", { total: 1000 }, "Pay $9,500.00?", ["sum_differs"]],
    ["lines that the message contradicts", { invoice: { lines } }, "Pay $310.50?", ["sum_differs"]],
    ["another currency", { total: 1000, currency: "EUR" }, "Pay $1,000.00?", ["currency_differs"]],
    ["another currency of lines", { lines, currency: "EUR" }, "Pay $300.50?", ["currency_differs"]],
    ["a dollar that may be the same", { total: 1000, currency: "CAD" }, "Pay $1,000.00?", []],
    ["an amount that only lists show", { total_price: 12 }, "Pay $15.00?", ["sum_differs"]],
    [
      "a line that is not quantity times price",
      { items: [{ quantity: 3, unit_price: 300, amount: 1000 }], total: 1000 },
      "",
      ["sum_differs"],
    ],
    ["a line due years ago", { lines: [{ amount: 1, due_date: "2024-06-30" }] }, "", ["overdue"]],
    ["a due date of long ago", { dueDate: "2026-08-01T00:00:00Z" }, "", ["overdue"]],
    ["not a due date of last month", { due: "2026-10-23" }, "", []],
    ["not a date of long ago that nothing was due on", { issued: "2020-01-01", until: "2020-02-01" }, "", []],
    [
      "all at once",
      { total: 5, lines: [{ amount: 6, due: "2023-01-01" }] },
      "Pay $7.00",
      ["sum_differs", "sum_differs", "overdue"],
    ],
  ])("%s", (_, values, message, expected) => {
    expect(kinds(values, message)).toEqual(expected);
  });

  test.each<[Record<string, unknown>, string, string[]]>([
    [{ total: 9500, currency: "USD" }, "Pay $1,000.00?", ["Total 9,500.00 USD: message says $1,000.00"]],
    [{ total_price: 12 }, "Pay $15.00?", ["Total price 12.00: message says $15.00"]],
    [{ total: 700 }, "Pay 12.500 EUR?", ["Total 700.00: message says 12.500 EUR"]],
    [
      { items: [{ quantity: 3, unit_price: 300, amount: 1000 }], total: 1000 },
      "",
      ["Amount 1,000.00: 3 × 300.00 is 900.00"],
    ],
  ])("%o asked as “%s” in words", (values, message, words) => {
    expect(figureWords(judgeFigures(values, message, EN), EN, NOW)).toEqual(words);
  });

  test("long overdue, in words, with the first of the dates", () => {
    const due = ["2024-06-30", "2024-07-05", "2027-02-28"].map((due) => ({ amount: 1, due }));
    expect(figureWords(judgeFigures({ lines: due, total: 4 }, "", EN), EN, NOW)).toEqual([
      "Sum of 3 lines 3.00: total says 4.00",
      "2 due dates passed, the first 30 Jun 2024, 2 years overdue",
    ]);
    expect(figureWords(judgeFigures({ due: "2023-11-20" }, "", EN), EN, NOW)).toEqual([
      "Due 20 Nov 2023, 3 years overdue",
    ]);
  });
});

test("of arguments with any number of names, the first ones alone are read", () => {
  let reads = 0;
  const names = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`name${n}`, n]));
  const counted = new Proxy(names, {
    get: (of, name) => {
      reads++;
      return of[name as string];
    },
  });
  for (const values of [counted, { order: counted }]) {
    reads = 0;
    expect(judgeFigures(values, "Pay $5.00?", EN)).toEqual({ differences: [], dueDates: [] });
    expect(reads).toBeLessThan(5_000);
  }
});

test("a small total is vouched for by no tick where something else is larger", () => {
  const ticks = (values: Record<string, unknown>, message: string) =>
    JSON.stringify(describeFirst(values, formatsOf("en-GB"), message).blocks).match(/Matches \w+/g) ?? [];
  expect(ticks({ total: 5, currency: "EUR" }, "Pay EUR 5.00 to ACME?")).toEqual(["Matches message"]);
  expect(ticks({ total: 5, payment: 9000, currency: "EUR" }, "Pay EUR 5.00 to ACME?")).toEqual([]);
  expect(ticks({ lines: [{ amount: 5 }], total: 5 }, "")).toEqual(["Matches total"]);
  expect(ticks({ lines: [{ amount: 5 }], total: 5, refund: 9000 }, "")).toEqual([]);
  const words = (values: Record<string, unknown>) =>
    judgeFigures(values, "Pay EUR 5.00?", formatsOf("en-GB")).differences.map((each) => each.words);
  expect(words({ payment: 9000 })).toEqual(["Amount 9,000.00: message says 5.00 EUR"]);
  expect(words({ payment: 5 })).toEqual([]);
});
