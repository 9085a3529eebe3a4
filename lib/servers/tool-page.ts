import { readSequence, toPage } from "../base/cursor.ts";
import type { Page, PageQuery } from "../base/page.ts";
import type { Tool } from "../mcp/peer.ts";
import type { ServerTool } from "./schema.ts";

/** Returns a page of a server's tools, in the server's order. */
export function toolPage(tools: Tool[], query: PageQuery): Page<Omit<ServerTool, "digest" | "change">> {
  const start = Number(readSequence(query.cursor) ?? 0n);
  const numbered = tools.map((tool, index) => ({ tool, next: BigInt(index + 1) }));
  return toPage(
    numbered.slice(start, start + query.limit + 1),
    query.limit,
    (row) => row.next,
    ({ tool: { honoursIdempotencyKey: _ours, calls: _its, ...shown } }) => shown,
  );
}
