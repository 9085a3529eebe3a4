import { expect, test } from "vitest";
import type { ToolCalls } from "../../mcp/tool-calls.ts";
import { RecipePeer } from "./peer.ts";
import { recipeSchema } from "./recipe-schema.ts";

test("the size of a reply is all of it, however little the recipe reads: large ones are asked for less often", async () => {
  const recipe = recipeSchema.parse({
    ...{ name: "job", title: "Job", start: { tool: "start", handle: "result.text" } },
    status: {
      tool: "look",
      state: "result.structuredContent.state",
      working: ["RUNNING"],
      completed: ["DONE"],
    },
  });
  const reply = {
    content: [],
    structuredContent: { state: "RUNNING", log: Array(1_000).fill("x".repeat(1_000)) },
  };
  const calls = { call: async () => reply } as unknown as ToolCalls;
  const peer = new RecipePeer(calls, recipe, {});
  const task = { taskId: JSON.stringify({ recipe: "job", handle: "7" }) };
  const { size } = await peer.get(task as never, { signal: new AbortController().signal } as never);
  expect(size).toBeGreaterThan(1_000_000);
  expect(size).toBeLessThan(1_100_000);
});
