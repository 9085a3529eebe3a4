import { describe, expect, test } from "vitest";
import { formatsOf } from "./formats/formats.ts";
import { areAlike, changedFacts } from "./question-changes.ts";

const values = { build: "4816", vendor: "Northwind Traders", invoice: { approver: "Dana" }, total: 1000 };

test("of thousands of names in a call the first are looked for", () => {
  const many = Object.fromEntries(Array.from({ length: 48_000 }, (_, at) => [`k${at}`, `name${at}x`]));
  const changed = changedFacts("Pay.", "Pay name3x and name4000x.", many, formatsOf("en-GB"));
  expect(changed.map(({ after }) => after)).toEqual(["name3x"]);
});

describe("what matters in a changed question", () => {
  test.each<[string, string, string, [string, string | null, string | null][]]>([
    ["nothing but words", "Pay $10.00?", "Please pay $10.00?", []],
    ["an amount", "Pay $1,000.00?", "Pay $9,500.00?", [["Amount", "$1,000.00", "$9,500.00"]]],
    ["a currency", "Pay $10.00?", "Pay €10.00?", [["Amount", "$10.00", "10.00 EUR"]]],
    ["an amount that is gone", "Pay $10.00?", "Pay?", [["Amount", "$10.00", null]]],
    ["a date", "Due 2026-12-01.", "Due 2026-11-24.", [["Date", "2026-12-01", "2026-11-24"]]],
    ["a reference", "Pay INV-100?", "Pay INV-101?", [["Reference", "INV-100", "INV-101"]]],
    [
      "a name of the call that is no longer mentioned",
      "Pay Northwind Traders?",
      "Pay Contoso?",
      [["Vendor", "Northwind Traders", null]],
    ],
    ["a number of the call", "Promote build 4816?", "Promote build 4817?", [["Build", "4816", null]]],
    ["a name one level down", "Pay?", "Pay for Dana?", [["Approver", null, "Dana"]]],
    [
      "several, amounts first",
      "Pay INV-1 $5.00",
      "Pay INV-2 $6.00",
      [
        ["Amount", "$5.00", "$6.00"],
        ["Reference", "INV-1", "INV-2"],
      ],
    ],
    [
      "not a list too long to compare at a glance",
      "Pay?",
      Array.from({ length: 20 }, (_, at) => `$${at}.00`).join(" "),
      [],
    ],
  ])("%s", (_, before, after, expected) => {
    const facts = changedFacts(before, after, values, formatsOf("en-GB"));
    expect(facts.map((fact) => [fact.label, fact.before, fact.after])).toEqual(expected);
  });
});

test.each([
  [
    "Promote build 4816 to production?",
    "Promote build 4817 to production? One of 1,204 tests has failed.",
    true,
  ],
  ["Which sense of “python” do you mean?", "Delete the archive for good?", false],
  ["", "Anything", false],
  ["Same", "Same", true],
])("“%s” and “%s” are alike: %s", (before, after, alike) => {
  expect(areAlike(before, after)).toBe(alike);
});
