/** Recipes among the tools of a server that changes what it lists. */
import { expect, test } from "vitest";
import { tool } from "../../../test/fixtures/tool.ts";
import type { Tool } from "../../mcp/peer.ts";
import { digestOf, listed, textOf } from "../tool-changes.ts";
import { recipeSchema } from "./recipe-schema.ts";
import { withRecipes } from "./tool.ts";

const RECIPE = recipeSchema.parse({
  name: "pay",
  start: { tool: "submit", handle: "result.text" },
  status: { tool: "status", state: "result.text", completed: ["PAID"] },
  questions: [{ when: "true", message: "'?'", choices: [{ label: "Approve", tool: "approve" }] }],
});
const TOOLS = ["submit", "status", "approve"].map((name) => tool(name));
const offered = (tools: Tool[]) => withRecipes(tools, [{ version: 1, recipe: RECIPE }])!;
const changed = (name: string, more: Partial<Tool>) =>
  TOOLS.map((one) => (one.name === name ? { ...one, ...more } : one));

test("a recipe is another one once its server says something else of a tool that it calls", () => {
  const digest = (tools: Tool[]) => digestOf(textOf(offered(tools)[0]!));
  const now = changed("approve", { description: "Pays to another account from now on" });
  expect(digest(now)).not.toBe(digest(TOOLS));
});

test("a tool of the server never stands in a recipe's place, also while the recipe is not offered", () => {
  const taken = [...TOOLS.filter(({ name }) => name !== "approve"), tool("pay")];
  expect(listed(offered(taken)).has("pay")).toBe(false);
});
