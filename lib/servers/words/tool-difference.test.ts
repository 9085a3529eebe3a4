import { expect, test } from "vitest";
import type { ToolText } from "../server-schema.ts";
import { toolDifference } from "./tool-difference.ts";

const tool: ToolText = {
  title: "Pay",
  description: "Pays an invoice",
  inputSchema: { type: "object", properties: { id: { type: "string" } } },
  annotations: null,
};
const recipe = (version: number, digest: string) => ({ version, tools: { submit: digest } });

test.each<[what: string, before: Partial<ToolText>, after: Partial<ToolText>, lines: string[]]>([
  ["nothing", {}, {}, []],
  [
    "a field",
    {},
    { inputSchema: { type: "object", properties: { id: { type: "string" }, to: {} } } },
    ["New field: to"],
  ],
  [
    "what must be filled in",
    {},
    { inputSchema: { ...tool.inputSchema, required: ["id"] } },
    ["The input schema changed."],
  ],
  [
    "a claim",
    {},
    { annotations: { readOnlyHint: true } },
    ["The server’s claim readOnlyHint: not said → true"],
  ],
  [
    "a recipe's version",
    { recipe: recipe(1, "a") },
    { recipe: recipe(2, "a") },
    ["The recipe: version 1 → 2"],
  ],
  [
    "a tool that a recipe calls",
    { recipe: recipe(1, "a") },
    { recipe: recipe(1, "b") },
    ["The server says something else of submit, which the recipe calls"],
  ],
  [
    "a tool that became a recipe",
    {},
    { recipe: recipe(1, "a") },
    ["It was a tool of the server, and is a recipe now, version 1"],
  ],
  [
    "a recipe that became a tool",
    { recipe: recipe(1, "a") },
    {},
    ["It was a recipe, and is a tool of the server now"],
  ],
])("says the change of %s", (_, before, after, lines) => {
  expect(toolDifference({ ...tool, ...before }, { ...tool, ...after })).toEqual(lines);
});
