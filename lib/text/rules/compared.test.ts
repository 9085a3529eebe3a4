import { expect, test } from "vitest";
import { createLanguage } from "./language.ts";

const language = createLanguage({ tool: { name: "string" }, arguments: "map" });

test.each<[string, string[]]>([
  ['tool.name == "a"', ["tool.name equals a"]],
  ['!("a" != tool.name)', ["tool.name equals a"]],
  ['tool["name"] in ["a", "b"]', ["tool.name equals a", "tool.name equals b"]],
  [
    'tool.name.startsWith("a__") || tool.name.endsWith("_b")',
    ["tool.name startsWith a__", "tool.name endsWith _b"],
  ],
  ['arguments.list.all(x, tool.name.contains("a"))', ["tool.name contains a"]],
  ['tool.name == "a" || tool.name == "a"', ["tool.name equals a"]],
  ['arguments.to == "a"', ["arguments.to equals a"]],
  ['tool.name == arguments.a || "a" == "b" || arguments.a.b == "c" || "abc".contains(tool.name)', []],
])("in %s", (text, expected) => {
  const read = language.read(text);
  if ("problem" in read) throw new Error(read.problem.message);
  const compared = read.condition.compared.map(({ property, by, text }) => `${property} ${by} ${text}`);
  expect(compared).toEqual(expected);
});

const asking = createLanguage({ requester: { id: "string", groups: "list<string>" }, tool: "string" });

test.each<[string, string[] | null]>([
  ['tool == "a" && requester.id == "b"', []],
  ['"A" in requester.groups', ["A"]],
  ['!("A" in requester["groups"]) || (requester["id"] == "b" ? "A" : "B") in ["C"]', ["A"]],
  ['"A" in requester.groups && "B" in requester.groups', ["A", "B"]],
  ['"\\u0041" in requester.groups', ["A"]],
  ['"A" + "B" in requester.groups', null],
  ["tool in requester.groups", null],
  ["size(requester.groups) > 0", null],
  ['"A" in requester.groups && requester.groups.exists(one, one == "B")', null],
  ['["A", "B"].exists(one, one in requester.groups)', null],
  ["has(requester.groups)", null],
  ["dyn(requester).groups == []", null],
])("%s asks who is in %s", (text, expected) => {
  const read = asking.read(text);
  if ("problem" in read) throw new Error(read.problem.message);
  expect(read.condition.sought("requester", "groups")).toEqual(expected);
});
