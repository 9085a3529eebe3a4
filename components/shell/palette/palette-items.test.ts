import { expect, test } from "vitest";
import { isSingleKey, SHORTCUT_GROUPS } from "../keys/shortcuts.ts";
import { grouped, matching, nearlyMatching } from "./palette-items.ts";

const item = (label: string, group = "Go to", words = "") => ({
  id: label,
  label,
  group,
  words,
  run: () => undefined,
});

test("every word must be found, in the label, the group or the further words", () => {
  const items = [item("Settings: Keyboard"), item("Use the dark theme", "Do", "appearance"), item("Tasks")];
  const labels = (text: string) => matching(items, text).map(({ label }) => label);
  expect(labels("key SET")).toEqual(["Settings: Keyboard"]);
  expect(labels("appearance dark")).toEqual(["Use the dark theme"]);
  expect(labels("tasks dark")).toEqual([]);
  expect(labels("  ")).toHaveLength(3);
});

test("what begins with the text comes first", () => {
  const items = [item("Start a task"), item("Tasks")];
  expect(matching(items, "task").map(({ label }) => label)).toEqual(["Tasks", "Start a task"]);
});

test.each([
  ["a letter left out", "setings", ["Settings: Keyboard", "Settings: Members"]],
  ["a letter added", "taasks", ["Tasks"]],
  ["another letter", "memvers", ["Settings: Members"]],
  ["two letters swapped", "taks", ["Tasks", "Start a task"]],
  ["the first two swapped", "atsks", ["Tasks"]],
  ["two typos in a long word", "keyborad", ["Settings: Keyboard"]],
  ["a typo before the word is whole", "settni", ["Settings: Keyboard", "Settings: Members"]],
  ["one word with a typo, one without", "settigns key", ["Settings: Keyboard"]],
  ["further words", "apearance", ["Use the dark theme"]],
  ["nothing for another word", "billing", []],
  ["nothing for two typos in a short word", "tskas", []],
  ["nothing for a short word", "kxy", []],
  ["nothing for a name with figures", "inv-101", []],
  ["nothing near beside what matches", "tasks", ["Tasks"]],
])("the search forgives %s", (_, text, expected) => {
  const items = [
    item("Tasks"),
    item("Start a task", "Do"),
    item("Settings: Keyboard"),
    item("Settings: Members"),
    item("Use the dark theme", "Do", "appearance"),
    item("INV-100"),
  ];
  expect(nearlyMatching(items, text).map(({ label }) => label)).toEqual(expected);
});

test("groups stand in the order of their first items", () => {
  const groups = grouped([item("a", "One"), item("b", "Two"), item("c", "One")]);
  expect(groups.map(({ title, items }) => [title, items.length])).toEqual([
    ["One", 2],
    ["Two", 1],
  ]);
});

test("the switch takes away what types a sign, and nothing else", () => {
  const keys = SHORTCUT_GROUPS.flatMap((group) => group.shortcuts).map((shortcut) => shortcut.keys);
  expect(keys.filter((each) => !isSingleKey(each))).toEqual(["Enter", "Esc", "Ctrl K"]);
  expect(new Set(keys).size).toBe(keys.length);
});
