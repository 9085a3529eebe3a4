import { expect, test } from "vitest";
import { formatsOf } from "../../text/formats/formats.ts";
import {
  NO_TASK_FILTERS,
  readTaskFilters,
  setTaskFilters,
  taskApiFilters,
  taskChipsOf,
} from "./task-filters.ts";

const NOW = new Date(2026, 10, 21, 15, 30, 20).getTime();
const asked = (filters: Partial<typeof NO_TASK_FILTERS>) =>
  taskApiFilters({ ...NO_TASK_FILTERS, ...filters }, NOW);

test.each([
  ["nothing", {}, {}],
  ["a system view", { show: "waiting" }, { state: "queued,input_required", waiting: "true" }],
  [
    "a system view and one's own filter",
    { show: "stuck", q: "INV", tool: "pay" },
    expect.objectContaining({ q: "INV", tool: "pay" }),
  ],
  [
    "states that both allow",
    { show: "working", state: "queued,failed" },
    { state: "queued", waiting: "false" },
  ],
  ["codes that both allow", { show: "stuck", attention: "stalled,lost" }, { attention: "stalled" }],
  ["states that exclude each other", { show: "failed", state: "queued" }, null],
  [
    "today, from midnight on",
    { show: "failed" },
    { state: "failed", finishedAfter: new Date(2026, 10, 21).toISOString() },
  ],
  ["a span, to the minute", { since: "1h" }, { createdAfter: new Date(2026, 10, 21, 14, 30).toISOString() }],
] as const)("a list of %s", (_what, filters, expected) => {
  expect(asked(filters)).toEqual(expected);
});

test("an address is read as far as it is understood, and written as it was", () => {
  const address: Record<string, string> = {
    show: "stuck",
    state: "working,nonsense",
    since: "2y",
    serverId: "x",
    q: "a",
  };
  const filters = readTaskFilters((name) => address[name]);
  expect(setTaskFilters(filters)).toEqual({ show: "stuck", state: "working", q: "a" });
  expect(readTaskFilters((name) => ({ show: "toString" })[name as "show"]).show).toBe("");
});

test("what narrows a list has words", () => {
  const filters = {
    ...NO_TASK_FILTERS,
    attention: "stuck",
    tool: "pay",
    requester: "me",
    since: "7d" as const,
  };
  const words = taskChipsOf(filters, formatsOf("en-GB"), { server: () => "ERP", person: () => "Ana" }).map(
    (chip) => chip.words,
  );
  expect(words).toEqual(["Stuck", "pay", "By me"]);
});
