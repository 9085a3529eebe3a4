import { describe, expect, test } from "vitest";
import { MOST_AT_ONCE, notAlike, totals } from "./bulk-words.ts";

describe("requests are answered together", () => {
  const one = {
    alike: "x",
    message: "Pay?",
    mode: "form" as const,
    server: { id: "s1", name: "ERP" },
    tool: "pay",
  };
  test.each([
    ["when they are alike", [one, { ...one, tool: "refund" }], null],
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
