/** Which tools an agent is offered, and which of them are not as they were granted. */

import type { ToolPosition } from "../base/cursor.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import type { Tool } from "../mcp/peer.ts";
import { digestOf, textOf } from "../servers/tool-changes.ts";
import { isChanged } from "./agent-reads.ts";
import type { Before } from "./agent-schema.ts";
import { type KeptTool, type KeptTools, keptTools } from "./kept-tools.ts";
import { beginningOfNames, prefixFor, toolName } from "./tool-names.ts";

/** A tool as an agent is offered it. */
export interface GrantedTool {
  /** As the agent calls it: of the characters and the length that clients take, and never another tool's. */
  name: string;
  serverId: string;
  serverName: string;
  tool: Tool;
  /** What comes before a call that no rule of the organization names; null: nothing. */
  before: Before | null;
  askAgentToo: boolean;
  /** Not as it was granted: a person is asked before a call. */
  changed: boolean;
}

interface GrantRow {
  id: string;
  tool: string | null;
  before: Before | null;
  askAgentToo: boolean;
  digests: Record<string, string> | null;
}

interface ServerRow {
  id: string;
  name: string;
  prefix: string | null;
  checkedAt: string | null;
  grants: GrantRow[];
}

/** The weight of one page of an agent's tools (kept-tools.ts): a tenth of a second of the processor, and a thousand ordinary tools. */
const PAGE_WEIGHT = 4_000_000;
/** Lists of servers that are read together. */
const LISTS_AT_ONCE = 4;

/**
 * Returns the tools that an agent is granted, by the age of their servers and in the servers' order. A grant of one tool goes
 * before that of its whole server. Tools that a server no longer lists, and those of removed servers, are left out. `called`: of the
 * servers alone whose tools may have this name.
 */
export async function grantedTools(tx: Tx, agentId: string, called?: string): Promise<GrantedTool[]> {
  const granting = await readGranted(tx, agentId, null);
  if (granting.length === 0) return [];
  const prefixes = await prefixesOf(tx, granting);
  const servers = granting.filter(
    ({ id }) => called?.startsWith(beginningOfNames(prefixes.get(id) ?? id)) ?? true,
  );
  const lists = await listsOf(tx, servers);
  const granted: GrantedTool[] = [];
  for (const server of servers)
    for (const { offered } of await offeredOf(tx, server, prefixes, lists)) granted.push(offered);
  return granted;
}

/** As `grantedTools`, of the tools behind `after`, as many as a page has. `next`: behind which further ones come. */
export async function grantedPage(
  tx: Tx,
  agentId: string,
  after: ToolPosition | null,
): Promise<{ tools: GrantedTool[]; next: ToolPosition | null }> {
  const granting = await readGranted(tx, agentId, after);
  const prefixes = await prefixesOf(tx, granting);
  const tools: GrantedTool[] = [];
  let [weight, last]: [number, ToolPosition | null] = [0, null];
  let lists = new Map<string, KeptTools>();
  for (const [at, server] of granting.entries()) {
    if (at % LISTS_AT_ONCE === 0) lists = await listsOf(tx, granting.slice(at, at + LISTS_AT_ONCE));
    const candidates = await offeredOf(tx, server, prefixes, lists);
    const start = server.id === after?.serverId ? startAfter(candidates, after) : 0;
    for (const [index, { offered, kept }] of candidates.entries()) {
      if (index < start) continue;
      weight += kept.weight;
      if (last !== null && weight > PAGE_WEIGHT) return { tools, next: last };
      tools.push(offered);
      last = { serverId: server.id, tool: kept.tool.name, index };
    }
  }
  return { tools, next: null };
}

function startAfter(candidates: Offered[], { tool, index }: ToolPosition): number {
  const found = candidates.findIndex(({ kept }) => kept.tool.name === tool);
  return found < 0 ? index : found + 1;
}

interface Offered {
  offered: GrantedTool;
  kept: KeptTool;
}

/** The granted tools of a server, in its order. */
async function offeredOf(
  tx: Tx,
  server: ServerRow,
  prefixes: ReadonlyMap<string, string>,
  lists: ReadonlyMap<string, KeptTools>,
): Promise<Offered[]> {
  const listed = lists.get(server.id) ?? null;
  await pinFirstList(tx, server.grants, listed);
  const granted = new Map<string, Offered>();
  for (const kept of listed?.values() ?? []) {
    const { tool, digest } = kept;
    const grant = coveringOf(server.grants, tool.name);
    if (!grant) continue;
    const name = toolName(prefixes.get(server.id) ?? server.id, tool.name);
    if (granted.has(name)) continue;
    const offered = {
      name,
      serverId: server.id,
      serverName: server.name,
      tool,
      before: grant.before,
      askAgentToo: grant.askAgentToo,
      changed: isChanged(grant, tool.name, digest),
    };
    granted.set(name, { offered, kept });
  }
  return [...granted.values()];
}

function listsOf(tx: Tx, servers: ServerRow[]): Promise<Map<string, KeptTools>> {
  return keptTools(
    tx,
    servers.map(({ id, checkedAt }) => ({ id, checkedAt: checkedAt === null ? null : new Date(checkedAt) })),
  );
}

/** `after`: from its server on. Throws `invalid_input` if there is no such server. */
async function readGranted(tx: Tx, agentId: string, after: ToolPosition | null): Promise<ServerRow[]> {
  const place = Prisma.sql`SELECT f.created_at, f.id FROM server f
    WHERE f.organization_id = ${tx.organizationId}::uuid AND f.id = ${after?.serverId ?? null}::uuid`;
  const [row] = await tx.$queryRaw<{ servers: ServerRow[]; isPlace: boolean }[]>`
    SELECT ${after === null} OR EXISTS (${place}) AS "isPlace", coalesce((SELECT json_agg(json_build_object('id', s.id, 'name', s.name, 'prefix', s.tool_prefix,
          'checkedAt', s.tools_checked_at, 'grants', g.all) ORDER BY s.created_at, s.id)
        FROM (SELECT g.server_id, json_agg(json_build_object('id', g.id, 'tool', g.tool, 'before', g.before,
              'askAgentToo', coalesce(g.ask_agent_too, a.ask_agent_too), 'digests', g.digests)) AS all
            FROM agent_grant g JOIN agent_credential a ON a.organization_id = g.organization_id AND a.id = g.agent_id
            WHERE g.organization_id = ${tx.organizationId}::uuid AND g.agent_id = ${agentId}::uuid GROUP BY g.server_id) g
          JOIN server s ON s.organization_id = ${tx.organizationId}::uuid AND s.id = g.server_id
            AND s.removed_at IS NULL AND (${after === null} OR (s.created_at, s.id) >= (${place}))), '[]') AS servers`;
  if (row?.isPlace === false) throw new AppError("invalid_input", "The cursor is not one of ours.");
  return row?.servers ?? [];
}

/** Returns each server's prefix, by id. One that has none is given it here. */
async function prefixesOf(tx: Tx, servers: ServerRow[]): Promise<ReadonlyMap<string, string>> {
  const isComplete = servers.every(({ prefix }) => prefix !== null);
  if (!isComplete)
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(
      ${JSON.stringify(["tool prefixes", tx.organizationId])}, 0))`;
  const known = isComplete
    ? servers.map(({ id, prefix }) => ({ id, prefix }))
    : await tx.$queryRaw<{ id: string; prefix: string }[]>`SELECT id, tool_prefix AS prefix FROM server
        WHERE organization_id = ${tx.organizationId}::uuid AND tool_prefix IS NOT NULL`;
  const prefixes = new Map(known.map(({ id, prefix }) => [id, prefix as string]));
  for (const server of servers) {
    if (prefixes.has(server.id)) continue;
    const prefix = prefixFor(server, new Set(prefixes.values()));
    await tx.$executeRaw`UPDATE server SET tool_prefix = ${prefix}
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${server.id}::uuid AND tool_prefix IS NULL`;
    prefixes.set(server.id, prefix);
  }
  return prefixes;
}

/** Grants of earlier versions may have nothing pinned: lib/servers pins a first list when it comes in. */
async function pinFirstList(tx: Tx, grants: GrantRow[], tools: KeptTools): Promise<void> {
  for (const { id, tool, digests } of grants) {
    if (digests !== null || tools === null) continue;
    const pinned = pinsOf(tools, tool, [], []);
    await tx.$executeRaw`UPDATE agent_grant SET digests = ${JSON.stringify(pinned)}::jsonb
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid AND digests IS NULL`;
  }
}

/** A grant that an agent had, with what it pinned. */
interface EarlierGrant {
  tool: string | null;
  /** Null: its server had listed nothing yet. */
  digests: Readonly<Record<string, string>> | null;
}

/**
 * Returns the digests that a grant of a server's tool, or of all of them, pins. A tool that the agent had before, by whichever
 * grant, stays as it was pinned, unless its digest is named: else an admin who changes something else, or grants less or more,
 * would let changes pass unseen. Other tools are pinned as listed now. Null: the server has listed nothing yet.
 */
export function pinsOf(
  tools: KeptTools,
  tool: string | null,
  earlier: readonly EarlierGrant[],
  accept: readonly string[],
): Record<string, string> | null {
  const pinnedBefore = earlier.flatMap(({ digests }) => Object.keys(digests ?? {}));
  const pinned = new Map<string, string>();
  for (const name of new Set([...(tools?.keys() ?? []), ...pinnedBefore])) {
    if (tool !== null && name !== tool) continue;
    const listed = tools?.get(name)?.digest;
    const covering = coveringOf(earlier, name);
    const before = new Map(Object.entries(covering?.digests ?? {})).get(name);
    const isSeen = !covering || covering.digests === null || (listed && accept.includes(listed));
    const digest = isSeen ? (listed ?? before) : before;
    if (digest !== undefined) pinned.set(name, digest);
  }
  const isUnknown = tools === null && earlier.every(({ digests }) => digests === null);
  return isUnknown ? null : Object.fromEntries(pinned);
}

/** The grant by which a tool is granted: one of its own goes before that of its server. */
function coveringOf<T extends { tool: string | null }>(grants: readonly T[], tool: string): T | undefined {
  return grants.find((one) => one.tool === tool) ?? grants.find((one) => one.tool === null);
}

/** Returns what an agent is granted of a tool as it is now, or null if it is not granted it. */
export async function grantOf(
  tx: Tx,
  agentId: string,
  serverId: string,
  tool: Tool,
): Promise<{ before: Before | null; changed: boolean } | null> {
  const [grant] = await tx.$queryRaw<Pick<GrantRow, "before" | "digests">[]>`
    SELECT before, digests FROM agent_grant
    WHERE organization_id = ${tx.organizationId}::uuid AND agent_id = ${agentId}::uuid AND server_id = ${serverId}::uuid
      AND (tool = ${tool.name} OR tool IS NULL)
    ORDER BY tool NULLS LAST LIMIT 1`;
  if (!grant) return null;
  return { before: grant.before, changed: isChanged(grant, tool.name, digestOf(textOf(tool))) };
}
