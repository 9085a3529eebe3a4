import { describe, expect, test } from "vitest";
import { NO_FILTERS, viewQuery } from "@/lib/requests/words/inbox-filters.ts";
import { sameQuery } from "./saved-view-actions.ts";
import { indexBeside } from "./use-list-keys.ts";
import { changedQuery } from "./use-list-place.ts";

describe("J and K", () => {
  const rows = ["a", "b"];
  test.each([
    ["a", 1, "b"],
    ["b", -1, "a"],
    ["b", 1, undefined],
    ["a", -1, undefined],
    [null, 1, "a"],
    ["z", -1, "a"],
  ] as const)("from %s by %i lead to %s", (from, by, expected) => {
    expect(rows[indexBeside(rows, from, by)]).toBe(expected);
  });
});

test("a view is changed when the tab or a filter differs, whatever else a view may hold", () => {
  const saved = viewQuery("all", { ...NO_FILTERS, amountMin: "10" });
  expect(sameQuery(saved, viewQuery("all", { ...NO_FILTERS, amountMin: "10" }))).toBe(true);
  expect(sameQuery({ ...saved, q: "" }, saved)).toBe(true);
  expect(sameQuery(saved, viewQuery("mine", { ...NO_FILTERS, amountMin: "10" }))).toBe(false);
  expect(sameQuery(saved, viewQuery("all", NO_FILTERS))).toBe(false);
});

test("an address keeps what is not changed, and loses what is emptied", () => {
  const params = new URLSearchParams("q=acme&tab=all&view=v");
  expect(changedQuery(params, { q: "beta", tab: undefined, view: null })).toBe("?q=beta&tab=all");
  expect(changedQuery(params, { q: "", tab: null, view: "" })).toBe("");
});
