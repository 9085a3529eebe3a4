import { describe, expect, test } from "vitest";
import { formatsOf } from "../../text/formats/formats.ts";
import { chipsOf, isNarrowed, ORDER_WORDS } from "./filter-words.ts";
import {
  apiFilters,
  type InboxFilters,
  NO_FILTERS,
  ORDERS,
  readFilters,
  setFilters,
} from "./inbox-filters.ts";

const server = "0198f0a0-0000-7000-8000-000000000001";
const read = (address: string) => {
  const params = new URLSearchParams(address);
  return readFilters((name) => params.get(name));
};

describe("an address", () => {
  test("gives back what was put into it", () => {
    const filters: InboxFilters = {
      q: "acme & co",
      serverId: server,
      tool: "process_invoice",
      age: "1d",
      expiring: "1w",
      overdue: "true",
      voted: "true",
      needsInfo: "true",
      snoozed: "true",
      amountMin: "10.5",
      amountMax: "-3",
      order: "amount",
      group: "tool",
    };
    expect(read(new URLSearchParams(setFilters(filters) as Record<string, string>).toString())).toEqual(
      filters,
    );
    expect(setFilters(NO_FILTERS)).toEqual({});
  });

  test.each(ORDERS)("keeps the order %s", (order) => {
    expect(read(`order=${order}`)).toEqual({ ...NO_FILTERS, order });
    expect(ORDER_WORDS[order]).toMatch(/^[A-Z]/);
  });

  test.each([
    ["an unknown span", "age=2y"],
    ["a name that every object has", "expiring=constructor"],
    ["an unknown order", "order=random"],
    ["an amount that is no number", "amountMin=many&amountMax=%20"],
    ["a server that is no id", "serverId=1%20or%201"],
  ])("with %s is read without it", (_, address) => {
    expect(read(address)).toEqual(NO_FILTERS);
  });
});

describe("the API", () => {
  const now = Date.parse("2026-11-21T12:00:00Z");

  test("is told instants instead of spans, and nothing of what is not set", () => {
    expect(apiFilters({ ...NO_FILTERS, age: "1h", expiring: "1d", q: "x", order: "expiring" }, now)).toEqual({
      q: "x",
      order: "expiring",
      askedBefore: "2026-11-21T11:00:00.000Z",
      expiresBefore: "2026-11-22T12:00:00.000Z",
    });
    expect(apiFilters(NO_FILTERS, now)).toEqual({});
  });
});

describe("chips", () => {
  const formats = formatsOf("en-GB");
  const words = (filters: Partial<InboxFilters>) =>
    chipsOf({ ...NO_FILTERS, ...filters }, formats, (id) => (id === server ? "Finance ERP" : undefined)).map(
      (chip) => chip.words,
    );

  test.each([
    [{ serverId: server }, ["Finance ERP"]],
    [{ serverId: "gone" }, ["A server"]],
    [{ age: "1d" as const, expiring: "1h" as const }, ["Waiting over 1 day", "Ends within 1 hour"]],
    [{ amountMin: "1000" }, ["Amount from 1,000.00"]],
    [{ amountMax: "5" }, ["Amount up to 5.00"]],
    [{ amountMin: "0", amountMax: "5" }, ["Amount 0.00 to 5.00"]],
    [{ q: "x", order: "amount" as const }, []],
  ])("for %o say %o", (filters, expected) => {
    expect(words(filters)).toEqual(expected);
  });

  test("take away what they name, and nothing else", () => {
    const filters = { ...NO_FILTERS, tool: "promote", amountMin: "1", amountMax: "2" };
    const [tool, amount] = chipsOf(filters, formats, () => undefined);
    expect({ ...filters, ...tool?.clears }).toEqual({ ...filters, tool: "" });
    expect({ ...filters, ...amount?.clears }).toEqual({ ...NO_FILTERS, tool: "promote" });
  });

  test("an order alone narrows nothing", () => {
    expect(isNarrowed({ ...NO_FILTERS, order: "amount" })).toBe(false);
    expect(isNarrowed({ ...NO_FILTERS, q: "x" })).toBe(true);
  });
});
