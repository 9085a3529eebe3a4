/** Scoped reads of servers. Removed ones are gone for all but the tasks they ran. */
import { z } from "zod";
import { readPosition, toPage } from "../cursor.ts";
import type { Prisma, Tx } from "../db.ts";
import { notFound } from "../errors.ts";
import type { Tool } from "../mcp/peer.ts";
import type { Page, PageQuery } from "../page.ts";
import {
  eraSchema,
  eraSettingSchema,
  healthSchema,
  type Server,
  serverSchema,
  toolSchema,
} from "./schema.ts";

/** Oldest first. */
export async function listServers(organizationId: string, tx: Tx, query: PageQuery): Promise<Page<Server>> {
  const after = readPosition(query.cursor);
  const rows = await tx.server.findMany({
    where: {
      organizationId,
      removedAt: null,
      ...(after && {
        OR: [{ createdAt: { gt: after.createdAt } }, { createdAt: after.createdAt, id: { gt: after.id } }],
      }),
    },
    select: SELECT,
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    take: query.limit + 1,
  });
  return toPage(rows, query.limit, (row) => row, toServer);
}

/** Throws `not_found`. */
export async function readServer(organizationId: string, tx: Tx, serverId: string): Promise<Server> {
  const row = await tx.server.findFirst({
    where: { organizationId, id: serverId, removedAt: null },
    select: SELECT,
  });
  if (!row) throw notFound("server");
  return toServer(row);
}

/** A tool as it is kept: what a start needs to know of it too. */
const keptToolsSchema = z.array(toolSchema.extend({ honoursIdempotencyKey: z.boolean() }));

/** The tools as last seen; null: never seen. Throws `not_found`. */
export async function readKeptTools(
  organizationId: string,
  tx: Tx,
  serverId: string,
): Promise<{ tools: Tool[]; checkedAt: Date } | null> {
  const row = await tx.server.findFirst({
    where: { organizationId, id: serverId, removedAt: null },
    select: { tools: true, toolsCheckedAt: true },
  });
  if (!row) throw notFound("server");
  if (row.tools === null || row.toolsCheckedAt === null) return null;
  return { tools: keptToolsSchema.parse(row.tools), checkedAt: row.toolsCheckedAt };
}

const SELECT = {
  id: true,
  name: true,
  url: true,
  operatorEntry: true,
  era: true,
  eraSetting: true,
  authKind: true,
  capabilities: true,
  healthState: true,
  healthMessage: true,
  healthCheckedAt: true,
  createdAt: true,
} satisfies Prisma.ServerSelect;

function toServer(row: Prisma.ServerGetPayload<{ select: typeof SELECT }>): Server {
  const eraSetting = eraSettingSchema.parse(row.eraSetting);
  return {
    id: row.id,
    name: row.name,
    origin: row.operatorEntry === null ? "admin" : "operator",
    kind: row.url.startsWith("command:") ? "command" : "http",
    url: row.url,
    era: eraSetting === "auto" ? eraSchema.nullable().parse(row.era) : eraSetting,
    eraSetting,
    authKind: serverSchema.shape.authKind.parse(row.authKind),
    capabilities: serverSchema.shape.capabilities.parse(row.capabilities),
    health: healthSchema.parse({
      state: row.healthState,
      checkedAt: row.healthCheckedAt?.toISOString() ?? null,
      message: row.healthMessage,
    }),
    createdAt: row.createdAt.toISOString(),
  };
}
