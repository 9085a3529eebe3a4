import { z } from "zod";
import { countValues } from "../text/json.ts";
import { IDEMPOTENCY_KEY } from "./client.ts";
import {
  TOOL_CHARACTERS,
  TOOL_NAME_CHARACTERS,
  TOOL_PAGES,
  TOOL_TEXT_CHARACTERS,
  TOOL_VALUES,
  TOOLS,
  TOOLS_CHARACTERS,
  TOOLS_VALUES,
} from "./limits.ts";
import { nextCursor, readList } from "./lists.ts";
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
export const toolsPageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor });

/**
 * Walks `tools/list` within the limits. Leaves out odd tools, excess ones, and tools of 2026-07-28 that must not be called;
 * `onLeftOut` gets their number. Throws what `page` throws.
 */
export async function listTools(
  era: Era,
  page: (params: { cursor?: string }) => Promise<z.infer<typeof toolsPageSchema>>,
  onLeftOut?: (count: number) => void,
): Promise<Tool[]> {
  let [characters, values] = [0, 0];
  const known = new Set<string>();
  const { items, leftOut } = await readList<Tool>(
    { pages: TOOL_PAGES, items: TOOLS },
    async (params) => {
      const { tools, nextCursor } = await page(params);
      return { items: tools, nextCursor };
    },
    (item) => {
      // Before anything that copies or walks it.
      const count = countValues(item, TOOL_VALUES);
      if (count > TOOL_VALUES || values + count > TOOLS_VALUES) return null;
      const { data: listed } = toolSchema.safeParse(item);
      if (!listed || listed.name.length > TOOL_NAME_CHARACTERS || !canBeKept(listed.name)) return null;
      if (era === "2026-07-28" && !hasSoundHeaders(listed.inputSchema)) return null;
      const tool = toTool(era, listed);
      if (!known.has(tool.name)) {
        const size = JSON.stringify(tool).length;
        if (size > TOOL_CHARACTERS || characters + size > TOOLS_CHARACTERS) return null;
        characters += size;
        values += count;
        known.add(tool.name);
      }
      return [tool.name, tool];
    },
  );
  if (leftOut > 0) onLeftOut?.(leftOut);
  return items;
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
