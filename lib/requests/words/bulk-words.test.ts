import { describe, expect, test } from "vitest";
import { callParts, MOST_AT_ONCE, notAlike, notTold, totals } from "./bulk-words.ts";

describe("requests are answered together", () => {
  const one = {
    alike: "x",
    message: "Pay?",
    mode: "form" as const,
    server: { id: "s1", name: "ERP" },
    tool: "pay",
  };
  test.each([
    ["when they are alike", [one, { ...one, message: "Pay that?" }], null],
    ["not when their tools differ", [one, { ...one, tool: "grant_admin" }], /different tools/],
    ["not without any", [], /Select requests/],
    ["not when one opens a site", [one, { ...one, mode: "url" as const, alike: null }], /opens a site/],
    [
      "not across servers",
      [one, { ...one, server: { id: "s2", name: "CRM" }, alike: "y" }],
      /different servers/,
    ],
    ["not with a message that the list cuts", [one, { ...one, message: "x".repeat(1_000) }], /too long/],
    ["not with a secret", [{ ...one, alike: null }], /secret/],
    ["not with another form", [one, { ...one, alike: "y" }], /different answers/],
    ["not more than one call takes", Array(MOST_AT_ONCE + 1).fill(one), /at most 200/],
  ])("%s", (_, requests, expected) => {
    const reason = notAlike(requests);
    if (expected === null) expect(reason).toBeNull();
    else expect(reason).toMatch(expected);
    // It says why declining is off, too.
    if (requests.length > 1 && requests.length <= MOST_AT_ONCE && reason)
      expect(reason).toMatch(/Answer or decline them one by one\.$/);
  });
});

describe("requests are accepted together", () => {
  const one = { message: "Go ahead?", label: "INV-1", party: "ACME", amount: { value: 5, currency: "EUR" } };
  const bare = { message: "Go ahead?", label: null, party: null, amount: null };
  test.each([
    ["with another message", one, { ...one, message: "Pay INV-2?" }, true],
    ["with another label", one, { ...one, label: "INV-2" }, true],
    ["with another party", one, { ...one, party: "Mallory" }, true],
    ["with another amount", one, { ...one, amount: { value: 6, currency: "EUR" } }, true],
    ["not where two read the same", one, one, false],
    ["not where two look the same", one, { ...one, party: "ACM\u200bE", message: "Go  ahead?" }, false],
    ["not where two say no more than the same message", bare, bare, false],
  ])("%s", (_, first, second, isTold) => {
    const reason = notTold([first, second]);
    if (isTold) expect(reason).toBeNull();
    else expect(reason).toMatch(/read the same.*Accept them one by one\.$/);
  });

  test("and each says which call it is about", () => {
    const call = { tool: "grant_admin", label: "INV-1", party: "Mall\u202eory" };
    expect(callParts(call)).toEqual(["grant_admin", "INV-1", "Mall\ufffdory"]);
    expect(callParts({ ...call, label: null, party: null })).toEqual(["grant_admin"]);
    // It would stand there as Intray writes amounts.
    expect(callParts({ ...call, label: "Bill · 5.00 EUR", party: null })).toEqual(["grant_admin"]);
  });
});

describe("amounts", () => {
  test("are added for each currency by itself, without the drift of fractions", () => {
    const usd = (value: number) => ({ value, currency: "USD" });
    expect(totals([usd(0.1), null, { value: 5, currency: "EUR" }, usd(0.2)])).toEqual([
      usd(0.3),
      { value: 5, currency: "EUR" },
    ]);
    expect(totals([null])).toEqual([]);
  });
});
