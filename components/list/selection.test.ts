import { describe, expect, test } from "vitest";
import { NONE_SELECTED, rangeOf, type Selected, type Step, selectedIn, selectionAfter } from "./selection.ts";

describe("a range", () => {
  const ids = ["a", "b", "c", "d"];
  test.each([
    ["downwards", "b", "d", ["b", "c", "d"]],
    ["upwards", "c", "a", ["a", "b", "c"]],
    ["to itself", "b", "b", ["b"]],
    ["from nowhere", null, "c", ["c"]],
    ["from a row that left", "z", "c", ["c"]],
    ["to a row that left", "a", "z", []],
  ])("%s", (_, from, to, expected) => {
    expect(rangeOf(ids, from, to)).toEqual(expected);
  });
});

describe("a selection", () => {
  const present = ["a", "b", "c", "d"];
  const of = (ids: string[], last: string | null = ids.at(-1) ?? null): Selected => ({
    ids,
    last,
    all: false,
  });
  const all: Selected = { ids: present, last: null, all: true };
  test.each<[string, Selected, Step, Selected]>([
    ["gets a row", NONE_SELECTED, { kind: "toggle", id: "b" }, of(["b"])],
    ["loses a row", of(["a", "b"]), { kind: "toggle", id: "a" }, of(["b"], "a")],
    ["gets a range from the last row", of(["a"]), { kind: "extend", id: "c" }, of(["a", "b", "c"])],
    ["gets a range upwards", of(["d"]), { kind: "extend", id: "c" }, of(["d", "c"], "c")],
    ["gets one row where there is no last", NONE_SELECTED, { kind: "extend", id: "c" }, of(["c"])],
    [
      "keeps what it has when a range comes",
      of(["a", "c"], "c"),
      { kind: "extend", id: "d" },
      of(["a", "c", "d"]),
    ],
    ["is replaced", of(["a"]), { kind: "select", ids: ["b", "c"] }, of(["b", "c"])],
    ["is cleared", of(["a"]), { kind: "select", ids: [] }, NONE_SELECTED],
    ["is of all that match", of(["a"]), { kind: "select-all" }, all],
    [
      "of all that match loses a row, and means the loaded ones",
      all,
      { kind: "toggle", id: "b" },
      of(["a", "c", "d"], "b"),
    ],
    ["forgets rows that have left", of(["x", "a"]), { kind: "toggle", id: "b" }, of(["a", "b"])],
  ])("%s", (_, before, step, expected) => {
    expect(selectionAfter(before, present, step)).toEqual(expected);
  });

  test("is shown in list order, without rows that have left; all means those that are there by now", () => {
    expect(selectedIn(of(["d", "x", "a"]), present)).toEqual(["a", "d"]);
    expect(selectedIn(all, ["a", "b", "c", "d", "e"])).toEqual(["a", "b", "c", "d", "e"]);
  });
});
