/** Scoped reads of current and earlier versions of a server's tools. */

import { actorSchema } from "../access/access-schema.ts";
import { reachesServer, reachesTool } from "../access/key-scope.ts";
import type { Principal } from "../access/principal.ts";
import { readSequence, toPage } from "../base/cursor.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { notFound } from "../base/errors.ts";
import type { Page, PageQuery } from "../base/page.ts";
import type { Services } from "../base/process/services.ts";
import type { Tool } from "../mcp/peer.ts";
import { toolsOf } from "./check.ts";
import {
  type ServerTool,
  type ToolList,
  type ToolListQuery,
  type ToolText,
  type ToolVersion,
  type ToolVersionsQuery,
  toolTextSchema,
} from "./server-schema.ts";
import { digestOf, textOf } from "./tool-changes.ts";

/** Returns a page of a server's tools, each with its change since the last use. Throws like `toolsOf`. */
export async function listTools(
  services: Services,
  principal: Principal,
  serverId: string,
  query: ToolListQuery & PageQuery,
): Promise<ToolList> {
  if (!reachesServer(principal, serverId)) throw notFound("server");
  const seen = await toolsOf(services, principal, serverId, query.asSeen === "true");
  const tools = seen.tools.filter(({ name }) => reachesTool(principal, serverId, name));
  const page = toolPage(tools, query);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const shown = page.items.map(({ name }) => byName.get(name)!);
  const known = await services.db.withOrganization(principal.organizationId, (tx) =>
    readKnown(tx, serverId, shown),
  );
  return {
    ...page,
    items: page.items.map((shown) => withChange(shown, byName.get(shown.name)!, known)),
    checkedAt: seen.checkedAt?.toISOString() ?? null,
  };
}

interface Known {
  /** Times of the current versions, by tool and digest. */
  since: Map<string, Date>;
  /** Last used versions, by tool; with the text where it is none of today's. */
  used: Map<string, { digest: string; text: ToolText | null; at: Date }>;
}

function withChange(shown: Omit<ServerTool, "digest" | "change">, tool: Tool, known: Known): ServerTool {
  const digest = digestOf(textOf(tool));
  const used = known.used.get(tool.name);
  if (!used?.text || used.digest === digest) return { ...shown, digest, change: null };
  const at = known.since.get(`${tool.name} ${digest}`) ?? new Date();
  return {
    ...shown,
    digest,
    change: { at: at.toISOString(), lastUsedAt: used.at.toISOString(), before: used.text },
  };
}

/** Of these tools alone: a server may have had any number of others, each with a long text. */
async function readKnown(tx: Tx, serverId: string, tools: Tool[]): Promise<Known> {
  const names = tools.map(({ name }) => name);
  const digests = tools.map((tool) => digestOf(textOf(tool)));
  const current = await tx.$queryRaw<{ tool: string; digest: string; since: Date }[]>`
    SELECT tool, encode(digest, 'hex') AS digest, since FROM server_tool_version
    WHERE organization_id = ${tx.organizationId}::uuid AND server_id = ${serverId}::uuid AND until IS NULL
      AND tool = ANY (${names}::text[])`;
  const used = await tx.$queryRaw<{ tool: string; digest: string; text: unknown; at: Date }[]>`
    SELECT DISTINCT ON (v.tool) v.tool, encode(v.digest, 'hex') AS digest, v.used_at AS at,
      CASE WHEN encode(v.digest, 'hex') <> now.digest THEN v.described END AS text
    FROM server_tool_version v JOIN unnest(${names}::text[], ${digests}::text[]) AS now (tool, digest) ON now.tool = v.tool
    WHERE v.organization_id = ${tx.organizationId}::uuid AND v.server_id = ${serverId}::uuid
      AND v.used_at IS NOT NULL ORDER BY v.tool, v.used_at DESC`;
  return {
    since: new Map(current.map((row) => [`${row.tool} ${row.digest}`, row.since])),
    used: new Map(
      used.map(({ tool, digest, text, at }) => [
        tool,
        { digest, text: text === null ? null : toolTextSchema.parse(text), at },
      ]),
    ),
  };
}

/** A page ends earlier than asked for when its texts become as many, or after as many versions: one may have 256 KB. */
const PAGE_CHARACTERS = 1024 * 1024;
const MOST_VERSIONS = 50;

/** Lists tool versions, newest first. Throws `not_found`. */
export async function listToolVersions(
  tx: Tx,
  serverId: string,
  query: ToolVersionsQuery & PageQuery,
): Promise<Page<ToolVersion>> {
  if (
    (await tx.server.count({
      where: { organizationId: tx.organizationId, id: serverId, removedAt: null, builtin: false },
    })) === 0
  )
    throw notFound("server");
  const from = Number(readSequence(query.cursor) ?? 0n);
  const most = Math.min(query.limit, MOST_VERSIONS);
  const rows = await tx.serverToolVersion.findMany({
    where: {
      organizationId: tx.organizationId,
      serverId,
      ...(query.tool !== undefined && { tool: query.tool }),
      ...(query.digest !== undefined && { digest: Uint8Array.from(Buffer.from(query.digest, "hex")) }),
    },
    orderBy: [{ since: "desc" }, { tool: "asc" }, { digest: "asc" }],
    skip: from,
    take: most + 1,
  });
  let characters = 0;
  const tooMany = rows.findIndex(({ described }) => {
    characters += JSON.stringify(described).length;
    return characters > PAGE_CHARACTERS;
  });
  return toPage(
    rows.map((row, index) => ({ row, next: BigInt(from + index + 1) })),
    tooMany === -1 ? most : Math.min(most, Math.max(1, tooMany)),
    ({ next }) => next,
    ({ row }) => ({
      tool: row.tool,
      digest: Buffer.from(row.digest).toString("hex"),
      ...toolTextSchema.parse(row.described),
      firstSeenAt: row.firstSeenAt.toISOString(),
      since: row.since.toISOString(),
      until: row.until?.toISOString() ?? null,
      usedAt: row.usedAt?.toISOString() ?? null,
      usedBy: row.usedBy === null ? null : actorSchema.parse(row.usedBy),
    }),
  );
}

/** SQL condition: the server says something else of the tool of the task `t` than when it was last used, and nobody has looked since. */
export const HAS_CHANGED_TOOL = Prisma.sql`EXISTS (SELECT FROM server_tool_version v
  WHERE v.organization_id = t.organization_id AND v.server_id = t.server_id AND v.tool = t.tool AND v.until IS NULL
    AND v.digest <> (SELECT u.digest FROM server_tool_version u
      WHERE u.organization_id = t.organization_id AND u.server_id = t.server_id AND u.tool = t.tool AND u.used_at IS NOT NULL
      ORDER BY u.used_at DESC LIMIT 1))`;

/** Returns a page of a server's tools, in the server's order. */
function toolPage(tools: Tool[], query: PageQuery): Page<Omit<ServerTool, "digest" | "change">> {
  const start = Number(readSequence(query.cursor) ?? 0n);
  const numbered = tools.map((tool, index) => ({ tool, next: BigInt(index + 1) }));
  return toPage(
    numbered.slice(start, start + query.limit + 1),
    query.limit,
    (row) => row.next,
    ({ tool: { honoursIdempotencyKey: _ours, calls: _its, ...shown } }) => shown,
  );
}
