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
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const listedIn = ({ items }: ReturnType<typeof toolPage>) => items.map(({ name }) => byName.get(name)!);
  return services.db.withOrganization(principal.organizationId, async (tx) => {
    const asked = toolPage(tools, query);
    const used = await readUsed(tx, serverId, listedIn(asked));
    const bytes = asked.items.map(({ name }) => used.get(name)?.bytes ?? 0);
    const page = toolPage(tools, { ...query, limit: fitting(bytes, query.limit) });
    const known = await readKnown(tx, serverId, listedIn(page), used);
    return {
      ...page,
      items: page.items.map((shown) => withChange(shown, byName.get(shown.name)!, known)),
      checkedAt: seen.checkedAt?.toISOString() ?? null,
    };
  });
}

/** How many texts of these lengths a page has, at most `most`, and at least one. */
function fitting(lengths: number[], most: number): number {
  let sum = 0;
  for (const [place, length] of lengths.entries()) {
    sum += length;
    if (place >= most || (place > 0 && sum > PAGE_CHARACTERS)) return place;
  }
  return most;
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
  const at = known.since.get(keyOf({ tool: tool.name, digest })) ?? new Date();
  return {
    ...shown,
    digest,
    change: { at: at.toISOString(), lastUsedAt: used.at.toISOString(), before: used.text },
  };
}

interface Used {
  digest: string;
  at: Date;
  /** Of its text; 0 where that is today's. */
  bytes: number;
}

/** The last used versions of these tools, by tool: a server may have had any number of others, each with a long text. */
async function readUsed(tx: Tx, serverId: string, tools: Tool[]): Promise<Map<string, Used>> {
  const rows = await tx.$queryRaw<(Used & { tool: string })[]>`
    SELECT used.tool, encode(used.digest, 'hex') AS digest, used.at,
      CASE WHEN encode(used.digest, 'hex') = now.digest THEN 0 ELSE octet_length(v.described::text) END AS bytes
    FROM (SELECT DISTINCT ON (tool) tool, digest, used_at AS at FROM server_tool_version
        WHERE organization_id = ${tx.organizationId}::uuid AND server_id = ${serverId}::uuid AND used_at IS NOT NULL
          AND tool = ANY (${tools.map(({ name }) => name)}::text[]) ORDER BY tool, used_at DESC) used
      JOIN unnest(${tools.map(({ name }) => name)}::text[], ${tools.map((tool) => digestOf(textOf(tool)))}::text[])
        AS now (tool, digest) ON now.tool = used.tool
      JOIN server_tool_version v ON v.organization_id = ${tx.organizationId}::uuid AND v.server_id = ${serverId}::uuid
        AND v.tool = used.tool AND v.digest = used.digest`;
  return new Map(rows.map(({ tool, ...used }) => [tool, used]));
}

async function readKnown(
  tx: Tx,
  serverId: string,
  tools: Tool[],
  used: ReadonlyMap<string, Used>,
): Promise<Known> {
  const current = await tx.$queryRaw<{ tool: string; digest: string; since: Date }[]>`
    SELECT tool, encode(digest, 'hex') AS digest, since FROM server_tool_version
    WHERE organization_id = ${tx.organizationId}::uuid AND server_id = ${serverId}::uuid AND until IS NULL
      AND tool = ANY (${tools.map(({ name }) => name)}::text[])`;
  const changed = tools.flatMap(({ name }) => {
    const { digest = "", bytes = 0 } = used.get(name) ?? {};
    return bytes > 0 ? [{ tool: name, digest }] : [];
  });
  const texts = await readTexts(tx, serverId, changed);
  return {
    since: new Map(current.map((row) => [keyOf(row), row.since])),
    used: new Map(
      [...used].map(([tool, { digest, at }]) => [
        tool,
        { digest, text: texts.get(keyOf({ tool, digest })) ?? null, at },
      ]),
    ),
  };
}

const keyOf = ({ tool, digest }: { tool: string; digest: string }) => `${tool} ${digest}`;

/** The texts of these versions, by `keyOf`. */
async function readTexts(
  tx: Tx,
  serverId: string,
  versions: { tool: string; digest: string }[],
): Promise<Map<string, ToolText>> {
  const rows = await tx.$queryRaw<{ tool: string; digest: string; described: unknown }[]>`
    SELECT v.tool, wanted.digest, v.described
    FROM unnest(${versions.map(({ tool }) => tool)}::text[], ${versions.map(({ digest }) => digest)}::text[]) AS wanted (tool, digest)
      JOIN server_tool_version v ON v.organization_id = ${tx.organizationId}::uuid AND v.server_id = ${serverId}::uuid
        AND v.tool = wanted.tool AND v.digest = decode(wanted.digest, 'hex')`;
  return new Map(rows.map((row) => [keyOf(row), toolTextSchema.parse(row.described)]));
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
  const rows = await tx.$queryRaw<VersionRow[]>`
    SELECT tool, encode(digest, 'hex') AS digest, octet_length(described::text) AS bytes, first_seen_at AS "firstSeenAt",
      since, until, used_at AS "usedAt", used_by AS "usedBy"
    FROM server_tool_version WHERE organization_id = ${tx.organizationId}::uuid AND server_id = ${serverId}::uuid
      ${query.tool === undefined ? Prisma.empty : Prisma.sql`AND tool = ${query.tool}`}
      ${query.digest === undefined ? Prisma.empty : Prisma.sql`AND digest = decode(${query.digest}, 'hex')`}
    ORDER BY since DESC, tool, digest LIMIT ${most + 1} OFFSET ${from}`;
  const limit = fitting(
    rows.map(({ bytes }) => bytes),
    most,
  );
  const texts = await readTexts(tx, serverId, rows.slice(0, limit));
  return toPage(
    rows.map((row, index) => ({ row, next: BigInt(from + index + 1) })),
    limit,
    ({ next }) => next,
    ({ row: { tool, digest, firstSeenAt, since, until, usedAt, usedBy } }) => ({
      tool,
      digest,
      ...texts.get(keyOf({ tool, digest }))!,
      firstSeenAt: firstSeenAt.toISOString(),
      since: since.toISOString(),
      until: until?.toISOString() ?? null,
      usedAt: usedAt?.toISOString() ?? null,
      usedBy: usedBy === null ? null : actorSchema.parse(usedBy),
    }),
  );
}

interface VersionRow {
  tool: string;
  digest: string;
  /** Of its text. */
  bytes: number;
  firstSeenAt: Date;
  since: Date;
  until: Date | null;
  usedAt: Date | null;
  usedBy: unknown;
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
