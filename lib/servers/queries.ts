/** Scoped reads of servers. Removed ones are gone for all but the tasks they ran. */
import { z } from "zod";
import { readPosition, toPage } from "../cursor.ts";
import type { Prisma, Tx } from "../db.ts";
import { notFound } from "../errors.ts";
import type { Tool } from "../mcp/peer.ts";
import { may } from "../members/permissions.ts";
import type { Page, PageQuery } from "../page.ts";
import type { Principal } from "../principal.ts";
import {
  eraSchema,
  eraSettingSchema,
  healthSchema,
  type Server,
  type ServerDetail,
  type ServerTraits,
  serverSchema,
  toolSchema,
} from "./schema.ts";
import { traitsSchema } from "./traits.ts";

/** Oldest first. */
export async function listServers(
  organizationId: string,
  tx: Tx,
  principal: Asker,
  query: PageQuery,
): Promise<Page<Server>> {
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
  const connected = await connectedServers(organizationId, tx, principal);
  return toPage(
    rows,
    query.limit,
    (row) => row,
    (row) => toServer(row, connected),
  );
}

/** Throws `not_found`. */
export async function readServer(
  organizationId: string,
  tx: Tx,
  principal: Asker,
  serverId: string,
): Promise<Server> {
  const row = await tx.server.findFirst({
    where: { organizationId, id: serverId, removedAt: null },
    select: SELECT,
  });
  if (!row) throw notFound("server");
  return toServer(row, await connectedServers(organizationId, tx, principal, serverId));
}

/** What only its own page shows: what it is like, and for operators its log. Throws `not_found`. */
export async function readServerDetail(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  serverId: string,
): Promise<ServerDetail> {
  const row = await tx.server.findFirst({
    where: { organizationId, id: serverId, removedAt: null },
    select: { ...SELECT, traits: true, tools: true },
  });
  if (!row) throw notFound("server");
  const connection = await tx.connection.findFirst({
    where: { organizationId, serverId, userId: null },
    select: { logTail: true, logTailAt: true },
  });
  const tail = connection?.logTail ?? "";
  return {
    ...toServer(row, await connectedServers(organizationId, tx, principal, serverId)),
    traits: toTraits(row.traits),
    honoursIdempotencyKey: honouredByAll(keptToolsSchema.nullable().parse(row.tools) ?? []),
    log:
      connection?.logTailAt && tail !== "" && may(principal.role, "protocol:read")
        ? { tail, at: connection.logTailAt.toISOString() }
        : null,
  };
}

function toTraits(value: unknown): ServerTraits {
  const known = traitsSchema.catch({}).parse(value);
  return {
    reissues: known.reissues ?? null,
    questionLifetimeMs: known.questionLifetimeMs ?? null,
    listsTasks: known.listsTasks ?? null,
    notifies: known.notifies ?? null,
    namesTask: known.namesTask ?? null,
    sessionLimit: known.sessionLimit ?? null,
  };
}

/** Null: some tools do and some don't, or there is none to tell from. */
function honouredByAll(tools: Pick<Tool, "honoursIdempotencyKey">[]): boolean | null {
  const said = new Set(tools.map((tool) => tool.honoursIdempotencyKey));
  return said.size === 1 ? said.has(true) : null;
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

/** Whose connections count; a key, and what asks for nobody, has no own. */
type Asker = Pick<Principal, "userId">;
export const NOBODY: Asker = { userId: null };

/** At which servers with OAuth there is a connection for who asks, and whether it is their own. */
async function connectedServers(
  organizationId: string,
  tx: Tx,
  { userId }: Asker,
  serverId: string | null = null,
): Promise<Map<string, "own" | "shared">> {
  const rows = await tx.$queryRaw<{ serverId: string; isOwn: boolean }[]>`
    SELECT c.server_id AS "serverId", bool_or(c.user_id IS NOT NULL) AS "isOwn" FROM oauth_grant g
      JOIN connection c ON c.organization_id = g.organization_id AND c.id = g.connection_id
    WHERE g.organization_id = ${organizationId}::uuid AND g.state IN ('connected', 'needs_scope')
      AND (c.user_id IS NULL OR c.user_id = ${userId}::uuid)
      AND (${serverId}::uuid IS NULL OR c.server_id = ${serverId}::uuid)
    GROUP BY c.server_id`;
  return new Map(rows.map((row) => [row.serverId, row.isOwn ? "own" : "shared"]));
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

function toServer(
  row: Prisma.ServerGetPayload<{ select: typeof SELECT }>,
  connected: Map<string, "own" | "shared">,
): Server {
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
    startsOn: row.authKind === "oauth" ? (connected.get(row.id) ?? null) : "shared",
    createdAt: row.createdAt.toISOString(),
  };
}
