import { z } from "zod";
import { IDEMPOTENCY_KEY } from "./client.ts";
import { hasSoundHeaders } from "./headers.ts";
import type { Era, Tool } from "./peer.ts";

const MAX_PAGES = 20;
const MAX_TOOLS = 1000;

const record = z.record(z.string(), z.unknown());
const toolSchema = z.looseObject({
  name: z.string().min(1),
  title: z.string().nullish().catch(null),
  description: z.string().nullish().catch(null),
  inputSchema: record.default({ type: "object" }),
  annotations: record.nullish().catch(null),
  execution: z
    .looseObject({
      taskSupport: z.enum(["required", "optional", "forbidden"]).default("forbidden").catch("forbidden"),
    })
    .nullish()
    .catch(null),
  _meta: record.nullish().catch(null),
});
export const toolsPageSchema = z.looseObject({
  tools: z.array(toolSchema),
  nextCursor: z.string().nullish(),
});

/**
 * Walks `tools/list`: at most 20 pages and 1,000 tools, the rest is left out, as are tools of 2026-07-28 that must not be
 * called. Throws what `page` throws.
 */
export async function listTools(
  era: Era,
  page: (params: { cursor?: string }) => Promise<z.infer<typeof toolsPageSchema>>,
): Promise<Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < MAX_PAGES && tools.length < MAX_TOOLS; count++) {
    const reply = await page(cursor === undefined ? {} : { cursor });
    const callable = reply.tools.filter((tool) => era === "2025-11-25" || hasSoundHeaders(tool.inputSchema));
    tools.push(...callable.map((tool) => toTool(era, tool)));
    if (!reply.nextCursor) break;
    cursor = reply.nextCursor;
  }
  return tools.slice(0, MAX_TOOLS);
}

function toTool(era: Era, tool: z.infer<typeof toolSchema>): Tool {
  const annotatedTitle = tool.annotations?.title;
  return {
    name: tool.name,
    title: tool.title ?? (typeof annotatedTitle === "string" ? annotatedTitle : null),
    description: tool.description ?? null,
    inputSchema: tool.inputSchema,
    taskSupport: era === "2026-07-28" ? "optional" : (tool.execution?.taskSupport ?? "forbidden"),
    annotations: tool.annotations ?? null,
    honoursIdempotencyKey: tool._meta?.[IDEMPOTENCY_KEY] === true,
  };
}
