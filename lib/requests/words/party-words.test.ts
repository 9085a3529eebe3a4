import { expect, test } from "vitest";
import { formatsOf } from "../../text/formats/formats.ts";
import type { PartySummary } from "../similar/similar-schema.ts";
import { partyCount, partyRange, partyTimes } from "./party-words.ts";

const usd = (value: number) => ({ value, currency: "$" });
const party: PartySummary = {
  name: "ACME",
  kind: "supplier",
  count: 12,
  mayBeMore: false,
  usual: { from: usd(800), to: usd(1200) },
  times: 3,
  last: {
    action: "accept",
    content: { value: "approve" },
    comment: null,
    revise: false,
    words: "Approved",
    by: { kind: "member", id: null, name: "Ben" },
    at: "2026-11-20T10:00:00.000Z",
  },
};

test.each<[string, Partial<PartySummary>, string]>([
  ["process_invoice", {}, "12 invoices from ACME"],
  ["process_invoice", { kind: "customer" }, "12 invoices for ACME"],
  ["process_invoice", { mayBeMore: true }, "12 recent invoices from ACME"],
  ["payments-release", { kind: "payee", count: 3 }, "3 payments to ACME"],
  ["reorder", {}, "12 requests from ACME"],
])("%s, %o: %s", (tool, more, words) => {
  expect(partyCount(tool, { ...party, ...more })).toBe(words);
});

const range = (of: PartySummary) => partyRange(of, formatsOf("en-GB"));

test("the range and the factor are told where they are known", () => {
  expect(range(party)).toBe("usually $800.00–$1,200.00");
  const eur = (value: number) => ({ value, currency: "EUR" });
  expect(range({ ...party, usual: { from: eur(800), to: eur(1200) } })).toBe("usually 800.00–1,200.00 EUR");
  expect(range({ ...party, usual: { from: usd(5), to: usd(5) } })).toBe("always $5.00");
  expect(range({ ...party, usual: null })).toBeNull();
  expect(partyTimes(party)).toBe("3 times the usual");
  expect(partyTimes({ ...party, times: null })).toBeNull();
});
