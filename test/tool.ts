import type { Tool } from "../lib/mcp/peer.ts";

/** A tool as its listing describes it, for starting tasks without listing: it takes anything and promises nothing. */
export function tool(name: string, more: Partial<Tool> = {}): Tool {
  return {
    name,
    title: null,
    description: null,
    inputSchema: { type: "object" },
    taskSupport: "optional",
    annotations: null,
    honoursIdempotencyKey: false,
    ...more,
  };
}
