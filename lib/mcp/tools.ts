import { z } from "zod";
import { IDEMPOTENCY_KEY } from "./client.ts";
import {
  TOOL_CHARACTERS,
  TOOL_NAME_CHARACTERS,
  TOOL_PAGES,
  TOOL_TEXT_CHARACTERS,
  TOOLS,
  TOOLS_CHARACTERS,
} from "./limits.ts";
import { canBeKept } from "./messages.ts";
import type { Era, Tool } from "./peer.ts";
import { hasSoundHeaders } from "./wire/headers.ts";

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
 * Walks `tools/list` within the limits. Leaves out excess tools, and tools of 2026-07-28 that must not be
 * called. Throws what `page` throws.
 */
export async function listTools(
  era: Era,
  page: (params: { cursor?: string }) => Promise<z.infer<typeof toolsPageSchema>>,
): Promise<Tool[]> {
  const tools: Tool[] = [];
  let characters = 0;
  let cursor: string | undefined;
  for (let count = 0; count < TOOL_PAGES; count++) {
    const reply = await page(cursor === undefined ? {} : { cursor });
    for (const listed of reply.tools) {
      if (listed.name.length > TOOL_NAME_CHARACTERS || !canBeKept(listed.name)) continue;
      if (era === "2026-07-28" && !hasSoundHeaders(listed.inputSchema)) continue;
      const tool = toTool(era, listed);
      const size = JSON.stringify(tool).length;
      if (size > TOOL_CHARACTERS) continue;
      characters += size;
      if (characters > TOOLS_CHARACTERS) return tools;
      tools.push(tool);
      if (tools.length === TOOLS) return tools;
    }
    // A repeated cursor means an endless loop.
    if (!reply.nextCursor || reply.nextCursor === cursor) break;
    cursor = reply.nextCursor;
  }
  return tools;
}

function toTool(era: Era, tool: z.infer<typeof toolSchema>): Tool {
  const annotatedTitle = tool.annotations?.title;
  return {
    name: tool.name,
    title: cut(tool.title ?? (typeof annotatedTitle === "string" ? annotatedTitle : null)),
    description: cut(tool.description ?? null),
    inputSchema: tool.inputSchema,
    taskSupport: era === "2026-07-28" ? "optional" : (tool.execution?.taskSupport ?? "forbidden"),
    annotations: tool.annotations ?? null,
    honoursIdempotencyKey: tool._meta?.[IDEMPOTENCY_KEY] === true,
  };
}

function cut(text: string | null): string | null {
  return text === null || text.length <= TOOL_TEXT_CHARACTERS
    ? text
    : `${text.slice(0, TOOL_TEXT_CHARACTERS)}…`;
}
