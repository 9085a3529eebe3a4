import { describe, expect, test } from "vitest";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import {
  newsIn,
  readAhead,
  rowAfter,
  type StableRow,
  settle,
  successorOf,
  withDecisions,
} from "./row-changes.ts";

const request = (id: string, state: InputRequestSummary["state"] = "open") =>
  ({ id, state }) as InputRequestSummary;
const row = (id: string, gone = false, state?: InputRequestSummary["state"]): StableRow => ({
  request: request(id, state),
  gone,
});
const recording = (id: string): StableRow => ({ ...row(id), decision: "recording" });
const voted = (id: string): StableRow => ({
  ...row(id),
  request: { ...request(id), approval: { why: "already_voted" } as InputRequestSummary["approval"] },
});
const words = (rows: StableRow[]) =>
  rows.map(({ request: { id }, gone }) => (gone ? `(${id})` : id)).join(" ");

test("the next two open requests below are read ahead", () => {
  const rows = [row("a"), row("b", true), row("c", false, "answered"), row("d"), row("e"), row("f")];
  expect(readAhead(rows, "a")).toEqual(["d", "e"]);
  expect(readAhead(rows, "e")).toEqual(["f"]);
  expect(readAhead(rows, "f")).toEqual([]);
  expect(readAhead(rows, null)).toEqual([]);
  expect(readAhead(rows, "elsewhere")).toEqual([]);
});

describe("rows that change", () => {
  const before = [row("a"), row("b"), row("c")];
  test.each([
    ["take the server's order when nobody points at them", ["b", "x", "c"], false, null, "b x c"],
    [
      "stay where they are under the pointer; new ones come last",
      ["x", "a", "b", "c"],
      true,
      null,
      "a b c x",
    ],
    ["stay under the pointer when they have left", ["a", "c"], true, null, "a (b) c"],
    ["leave when nobody points at them", ["a", "c"], false, null, "a c"],
    ["stay while they are read", ["a", "c"], false, "b", "a (b) c"],
    ["stay while they are read, also as the last", [], false, "c", "(c)"],
  ])("%s", (_, fresh, frozen, keep, expected) => {
    expect(
      words(
        settle(
          before,
          fresh.map((id) => request(id)),
          frozen,
          keep,
        ),
      ),
    ).toBe(expected);
  });

  test("show what they are now", () => {
    expect(settle(before, [request("a", "answered")], true, null)[0]?.request.state).toBe("answered");
  });
});

test("rows say what became of the decisions made here", () => {
  const rows = [row("a"), row("b"), row("c")];
  expect(withDecisions(rows, {}, {})).toBe(rows);
  expect(withDecisions(rows, { a: 1 }, { b: 1, z: 1 }).map(({ decision }) => decision)).toEqual([
    "recording",
    "refused",
    undefined,
  ]);
});

describe("after a decision", () => {
  test.each([
    ["the one below", [row("a"), row("b"), row("c")], "b", "c"],
    ["not one that has left", [row("a"), row("b"), row("c", true), row("d")], "b", "d"],
    ["not one that is answered", [row("a"), row("b"), row("c", false, "answered")], "b", "a"],
    ["at the end the nearest above", [row("a"), row("b"), row("c")], "c", "b"],
    ["not one that is being recorded", [row("a"), row("b"), recording("c"), row("d")], "b", "d"],
    ["not one that the reader has voted on", [row("a"), row("b"), voted("c"), row("d")], "b", "d"],
    ["none when nothing waits", [row("a", true), row("b")], "b", undefined],
    ["the first when the decided one is not in the list", [row("a"), row("b")], "z", "a"],
  ])("%s", (_, rows, id, expected) => {
    expect(rowAfter(rows, id)?.request.id).toBe(expected);
  });
});

describe("what opens after a decision", () => {
  const rows = [row("a"), row("b"), row("c")];
  const there = { shown: "a", typing: false, looksBack: false };
  const words = { empty: "Nothing left in this list", titleOf: ({ id }: { id: string }) => `INV-${id}` };
  test.each<[string, StableRow[], string, "over" | "skip" | "recording", object, object | null]>([
    ["the next request", rows, "a", "over", {}, { id: "b", words: "Next: INV-b" }],
    ["the next request after a skip", rows, "a", "skip", {}, { id: "b", words: "Next: INV-b" }],
    ["nothing after the last", [row("a")], "a", "over", {}, { id: null, words: "Nothing left in this list" }],
    [
      "nothing after a skip of the last",
      [row("a")],
      "a",
      "skip",
      {},
      { id: null, words: "No more requests in this list" },
    ],
    [
      "the next request while this one is recorded",
      rows,
      "a",
      "recording",
      {},
      { id: "b", words: "Next: INV-b" },
    ],
    ["nothing yet while the last one is recorded", [row("a")], "a", "recording", {}, null],
    ["nothing where the person has opened another", rows, "a", "over", { shown: "c" }, null],
    ["nothing where the person has closed it", rows, "a", "over", { shown: null }, null],
    ["nothing while the person types in the search", rows, "a", "over", { typing: true }, null],
    ["nothing among what is done", rows, "a", "over", { looksBack: true }, null],
  ])("%s", (_, list, id, why, person, expected) => {
    expect(successorOf(list, { id, why }, { ...there, ...person }, words)).toEqual(expected);
  });
});

describe("news", () => {
  const at = (id: string, minute = 0) => ({ id, createdAt: `2026-11-21T12:0${minute}:00Z` });
  const known = { ids: new Set(["a"]), latestAt: "2026-11-21T12:05:00Z" };
  const list = { loaded: [at("a")], latest: [], paging: false };
  test.each([
    ["none when nothing changed", known, list, []],
    ["a row that came", known, { ...list, loaded: [at("a"), at("b")] }, ["b"]],
    [
      "not the first rows of a list",
      { ids: null, latestAt: "" },
      { ...list, loaded: [at("a"), at("b")] },
      [],
    ],
    ["not the rows of the next page", known, { ...list, loaded: [at("a"), at("b")], paging: true }, []],
    ["one at the end that is not loaded", known, { ...list, latest: [at("z", 6)] }, ["z"]],
    ["not an earlier one that became one of the latest", known, { ...list, latest: [at("z", 4)] }, []],
    [
      "not the latest ones when the list is opened",
      { ids: null, latestAt: "" },
      { ...list, latest: [at("z", 6)] },
      [],
    ],
    [
      "one that is loaded and among the latest, once",
      known,
      { ...list, loaded: [at("b", 6)], latest: [at("b", 6)] },
      ["b"],
    ],
  ])("%s", (_, before, now, expected) => {
    expect(newsIn(before, now)).toEqual(expected);
  });
});
