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
    ["Pay 12 500,00 EUR?", ["12,500.00 EUR"]],
    ["Pay EUR 1 234 567 now", ["1,234,567.00 EUR"]],
    ["Pay 12 5000 EUR, INV 100 EUR", ["5,000.00 EUR", "100.00 EUR"]],
    ["Pay PLN 5, RON 6 and 7 THB", ["5.00 PLN", "6.00 RON", "7.00 THB"]],
    ["Pay $100 CAD, EUR 5 USD 10", ["100.00 CAD", "5.00 EUR", "10.00 USD"]],
    ["Pay 12,34,567 INR and 0.125 EUR", ["1,234,567.00 INR", "0.125 EUR"]],
    ["Pay the $500 bill, $3 back", ["$500.00", "$3.00"]],
    ["Build 4812, 4 items, 50 %, A4 USDX 5", []],
    ["Delete ALL 14 files, the TOP 3, SOS 5", []],
  ])("%s", (message, amounts) => {
    expect(findMoney(message).map(formatsOf("en-GB").amount)).toEqual(amounts);
  });
  test.each([
    ["Pay 12.500 EUR", "12.500 EUR", [12_500, 12.5]],
    ["Pay -1.234 €", "-1.234 €", [-1234, -1.234]],
    ["Pay EUR 3 million.", "EUR 3 million", []],
    ["Pay $3k now", "$3k", []],
    ["Pay EUR 1,5 Mio. now", "EUR 1,5 Mio", []],
    ["Pay USD 3-5 bn", "USD 3-5 bn", []],
    ["Pay €5 USD", "€5 USD", []],
    ["Pay 1.2.3 EUR", "1.2.3 EUR", []],
    ["Pay 0,900000 EUR", "0,900000 EUR", [900_000, 0.9]],
  ])("%s can be read in more ways than one", (message, text, readings) => {
    expect(findMoney(message)).toMatchObject([{ value: Number.NaN, text, readings }]);
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
    ["12 500,00", 12_500, null],
    ["$100 USD", 100, "USD"],
  ])("%j", (sent, value, currency) => {
    expect(readMoney(sent)).toEqual({ value, currency });
  });
  test.each([
    "12.500",
    "1.234 EUR",
    "EUR 3 million",
    "",
    "about 5",
    "0012",
    "5 pieces",
    "INV-100",
    "99999999999999999",
    null,
    true,
  ])("%j is none", (sent) => {
    expect(readMoney(sent)).toBeNull();
  });
});

describe("a program that drops commas reads another amount where one stands, unless what follows it is cents", () => {
  // A group has three digits or more everywhere, and in China four: one or two digits are cents, as most of Europe writes them.
  test.each([
    ["999,99", 999.99],
    ["9,5", 9.5],
    ["0,99", 0.99],
    ["1.234,56", 1234.56],
    ["1 234,56", 1234.56],
    ["1,000", 1000],
    ["1,000.0000", 1000],
    ["12.5000", 12.5],
    ["0.900000", 0.9],
  ])("%s has one reading", (sent, value) => {
    expect(readMoney(sent)?.value).toBe(value);
  });
  test.each([
    "0,900000",
    "1,0000",
    "12,3456",
    "1,000000",
    "$1,0000",
    "0,900",
    "1234,567",
    "1 234,5678",
    "-1,0000",
  ])("%s has two", (sent) => {
    expect(readMoney(sent)).toBeNull();
  });
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

test("words of money are found where they are written together with others", () => {
  const joined =
    "totalamount amountdue grandtotal paymentamount TOTALAMOUNT AMOUNTEUR orderUSD orderusd wireamountusd unitcost salestax servicefee feeusd sumdue repayment unitprices netsalary";
  expect(joined.split(" ").filter((name) => !isMoneyName(name))).toEqual([]);
  const others =
    "paramount tantamount checksum coffee feedback syntax taxonomy cravat loadbalancer balancer_port rebalance accost costume prepaid unpaid private entrepreneur recents";
  expect(others.split(" ").filter(isMoneyName)).toEqual([]);
});
