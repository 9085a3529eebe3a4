/**
 * Scoped reads of servers. Removed servers, and the built-in one (lib/lifecycle/human-tasks/human-task-writes.ts), are visible only
 * through their tasks.
 */

import { z } from "zod";
import { actorSchema } from "../access/access-schema.ts";
import { allows, reachesServer, reachOf, serversOf } from "../access/key-scope.ts";
import type { Principal } from "../access/principal.ts";
import { readPosition, toPage } from "../base/cursor.ts";
import type { Prisma, Tx } from "../base/db/db.ts";
import { notFound } from "../base/errors.ts";
import type { Page, PageQuery } from "../base/page.ts";
import type { Tool } from "../mcp/peer.ts";
import { summaryOf } from "./call-statistics/call-statistics-schema.ts";
import { currentRecipes, recipesIn, recipesOf } from "./recipes/recipe-reads.ts";
import { withRecipes } from "./recipes/tool.ts";
import { type Asker, readSeen, type Seen } from "./seen.ts";
import {
  eraSchema,
  eraSettingSchema,
  healthSchema,
  lastErrorSchema,
  listedToolSchema,
  type Pause,
  type Server,
  type ServerDetail,
  type ServerTraits,
  serverSchema,
} from "./server-schema.ts";
import { type Traits, traitsSchema } from "./traits.ts";

/** Lists servers, oldest first. */
export async function listServers(tx: Tx, principal: Principal, query: PageQuery): Promise<Page<Server>> {
  const after = readPosition(query.cursor);
  const reach = reachOf(principal);
  const rows = await tx.server.findMany({
    where: {
      organizationId: tx.organizationId,
      removedAt: null,
      builtin: false,
      ...(reach && { id: { in: serversOf(reach) } }),
      ...(after && {
        OR: [{ createdAt: { gt: after.createdAt } }, { createdAt: after.createdAt, id: { gt: after.id } }],
      }),
    },
    select: SELECT,
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    take: query.limit + 1,
  });
  const seen = await readSeen(
    tx,
    principal,
    rows.map(({ id }) => id),
  );
  return toPage(
    rows,
    query.limit,
    (row) => row,
    (row) => toServer(row, seen),
  );
}

/** Returns a server. Throws `not_found`. */
export async function readServer(tx: Tx, principal: Asker, serverId: string): Promise<Server> {
  const row = await tx.server.findFirst({
    where: { organizationId: tx.organizationId, id: serverId, removedAt: null, builtin: false },
    select: SELECT,
  });
  if (!row) throw notFound("server");
  return toServer(row, await readSeen(tx, principal, [serverId]));
}

/** Returns the details for the server's own page: traits, and for operators the log. Throws `not_found`. */
export async function readServerDetail(
  tx: Tx,
  principal: Principal,
  serverId: string,
): Promise<ServerDetail> {
  const row = await tx.server.findFirst({
    where: { organizationId: tx.organizationId, id: serverId, removedAt: null, builtin: false },
    select: { ...SELECT, traits: true, tools: true },
  });
  if (!row || !reachesServer(principal, serverId)) throw notFound("server");
  const connection = await tx.connection.findFirst({
    where: { organizationId: tx.organizationId, serverId, userId: null },
    select: { logTail: true, logTailAt: true },
  });
  const tail = connection?.logTail ?? "";
  return {
    ...toServer(row, await readSeen(tx, principal, [serverId])),
    traits: toTraits(row.traits),
    honoursIdempotencyKey: honouredByAll(keptToolsSchema.nullable().parse(row.tools) ?? []),
    log:
      connection?.logTailAt && tail !== "" && allows(principal, "protocol:read") && !reachOf(principal)
        ? { tail, at: connection.logTailAt.toISOString() }
        : null,
  };
}

/** Returns what the server was seen to do; nothing for an unknown one. */
export async function readTraits(tx: Tx, serverId: string): Promise<Traits> {
  const row = await tx.server.findFirst({
    where: { organizationId: tx.organizationId, id: serverId },
    select: { traits: true },
  });
  return traitsSchema.catch({}).parse(row?.traits);
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
    opensStream: known.opensStream ?? null,
    refusesTasks: known.refusesTasks ?? null,
    putsTasks: known.putsTasks ?? null,
    fetches: known.fetches ?? null,
  };
}

/** Returns null if only some tools do, or no tool is known. */
function honouredByAll(tools: Pick<Tool, "honoursIdempotencyKey">[]): boolean | null {
  const said = new Set(tools.map((tool) => tool.honoursIdempotencyKey));
  return said.size === 1 ? said.has(true) : null;
}

/** A stored tool, with data needed by starts. */
const keptToolsSchema = z.array(listedToolSchema.extend({ honoursIdempotencyKey: z.boolean() }));

/** Returns the tools of several servers as last seen, with their recipes; those of a removed one too. */
export async function readListedTools(
  tx: Tx,
  serverIds: string[],
): Promise<{ id: string; tools: Tool[] | null; checkedAt: Date | null }[]> {
  const rows = await tx.server.findMany({
    where: { organizationId: tx.organizationId, id: { in: serverIds } },
    select: { id: true, tools: true, toolsCheckedAt: true },
  });
  const recipes = await currentRecipes(tx, serverIds);
  return rows.map(({ id, tools, toolsCheckedAt }) => ({
    id,
    tools: withRecipes(keptToolsSchema.nullable().parse(tools), recipes.get(id) ?? []),
    checkedAt: toolsCheckedAt,
  }));
}

/** Returns the tools that the server itself lists, as last seen; null: it never has. Throws `not_found`. */
export async function readOwnTools(tx: Tx, serverId: string): Promise<Tool[] | null> {
  const row = await tx.server.findFirst({
    where: { organizationId: tx.organizationId, id: serverId, removedAt: null, builtin: false },
    select: { tools: true },
  });
  if (!row) throw notFound("server");
  return keptToolsSchema.nullable().parse(row.tools);
}

/** Returns the tools as last seen, with the server's recipes. Throws `not_found`. */
export async function readKeptTools(tx: Tx, serverId: string): Promise<KeptTools> {
  const row = await tx.server.findFirst({
    where: { organizationId: tx.organizationId, id: serverId, removedAt: null, builtin: false },
    select: { tools: true, toolsCheckedAt: true, pausedAt: true, healthState: true },
  });
  if (!row) throw notFound("server");
  const recipes = await currentRecipes(tx, [serverId]);
  return {
    tools: withRecipes(keptToolsSchema.nullable().parse(row.tools), recipes.get(serverId) ?? []),
    checkedAt: row.toolsCheckedAt,
    isPaused: row.pausedAt !== null,
    isWell: row.healthState === "ok",
  };
}

/** As `readKeptTools`, and keeps the server from being removed until the transaction ends. */
export async function lockKeptTools(tx: Tx, serverId: string): Promise<KeptTools> {
  const [row] = await tx.$queryRaw<
    { tools: unknown; recipes: unknown; checkedAt: Date | null; isPaused: boolean; isWell: boolean }[]
  >`
    SELECT tools, tools_checked_at AS "checkedAt", paused_at IS NOT NULL AS "isPaused", health_state = 'ok' AS "isWell",
      ${recipesOf(tx.organizationId)} AS recipes
    FROM server s WHERE organization_id = ${tx.organizationId}::uuid AND id = ${serverId}::uuid AND removed_at IS NULL
      AND NOT builtin FOR SHARE`;
  if (!row) throw notFound("server");
  const { recipes, ...kept } = row;
  return { ...kept, tools: withRecipes(keptToolsSchema.nullable().parse(row.tools), recipesIn(recipes)) };
}

export interface KeptTools {
  /** Null if never seen. */
  tools: Tool[] | null;
  checkedAt: Date | null;
  /** Whether the server is paused. */
  isPaused: boolean;
  isWell: boolean;
}

const SELECT = {
  id: true,
  name: true,
  url: true,
  operatorEntry: true,
  era: true,
  eraSetting: true,
  authKind: true,
  trace: true,
  capabilities: true,
  healthState: true,
  healthMessage: true,
  healthCheckedAt: true,
  pausedAt: true,
  pausedBy: true,
  pauseReason: true,
  lastError: true,
  lastErrorAt: true,
  createdAt: true,
} satisfies Prisma.ServerSelect;

function toServer(
  row: Prisma.ServerGetPayload<{ select: typeof SELECT }>,
  { connected, circuits, late, lastDays }: Seen,
): Server {
  const circuit = circuits.get(row.id);
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
    trace: row.trace,
    capabilities: serverSchema.shape.capabilities.parse(row.capabilities),
    health: healthSchema.parse({
      state: row.healthState,
      checkedAt: row.healthCheckedAt?.toISOString() ?? null,
      message: row.healthMessage,
    }),
    startsOn: row.authKind === "oauth" ? (connected.get(row.id) ?? null) : "shared",
    pause: toPause(row),
    lastDay: lastDays.get(row.id) ?? summaryOf({ calls: 0, failures: [], latency: [] }),
    lastError: toLastError(row),
    circuit: circuit
      ? { failures: circuit.failures, openUntil: circuit.openUntil?.toISOString() ?? null }
      : null,
    late: late.get(row.id) ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}

function toLastError(row: { lastError: unknown; lastErrorAt: Date | null }) {
  if (row.lastErrorAt === null) return null;
  return lastErrorSchema.parse({ ...(row.lastError as object), at: row.lastErrorAt.toISOString() });
}

/** Returns a pause's time, author and reason, or null if the server is not paused. */
export function toPause(row: {
  pausedAt: Date | null;
  pausedBy: unknown;
  pauseReason: string | null;
}): Pause | null {
  if (row.pausedAt === null) return null;
  return { at: row.pausedAt.toISOString(), by: actorSchema.parse(row.pausedBy), reason: row.pauseReason };
}
