/** All writes to the versions of servers' tools, and to their use. */

import { createHash } from "node:crypto";
import { isPerson, type Principal } from "../access/principal.ts";
import { Prisma, storable, type Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import { ENGINE_ACTOR, type NewEvent } from "../history/events/event-writes.ts";
import { canonicalJson } from "../mcp/forms/jcs.ts";
import type { Tool } from "../mcp/peer.ts";
import type { ToolText } from "./server-schema.ts";

/**
 * Unused versions kept per tool, since a server may send a different one each time. What an agent was granted is kept besides:
 * an admin compares a changed tool with it.
 */
const UNUSED_KEPT = 20;
/** The same of all tools of a server together, since a server may send other names each time: each list is compared with all of them. */
const UNUSED_OF_SERVER = 2_000;
/** Tool names listed in an event. */
const NAMED = 50;

/**
 * Stores a tool list just received. The caller has updated the server's row in this transaction, which
 * serializes lists. Returns the event for history, if an earlier list existed.
 */
export async function recordTools(tx: Tx, serverId: string, tools: Tool[]): Promise<NewEvent[]> {
  const { organizationId } = tx;
  const now = listed(tools);
  const recipes = await tx.recipeVersion.findMany({
    where: { organizationId, serverId, until: null },
    select: { name: true },
  });
  // Recipes are Intray's own: no list of the server has them, and a tool of a recipe's name can't be started.
  for (const { name } of recipes) now.delete(name);
  const before = await tx.$queryRaw<{ tool: string; digest: string; current: boolean }[]>`
    SELECT tool, encode(digest, 'hex') AS digest, until IS NULL AS current FROM server_tool_version
    WHERE organization_id = ${organizationId}::uuid AND server_id = ${serverId}::uuid
      AND NOT tool = ANY (${recipes.map(({ name }) => name)}::text[])`;
  const current = new Map(before.filter((row) => row.current).map((row) => [row.tool, row.digest]));
  if (before.length === 0) await pinFirstList(tx, serverId, now);
  const changed = [...now].filter(([name, { digest }]) => current.has(name) && current.get(name) !== digest);
  const added = [...now].filter(([name]) => !current.has(name));
  const removed = [...current.keys()].filter((name) => !now.has(name));
  if (changed.length + added.length + removed.length === 0) return [];
  const over = [...changed.map(([name]) => name), ...removed];
  await tx.$executeRaw`UPDATE server_tool_version SET until = now() WHERE organization_id = ${organizationId}::uuid
    AND server_id = ${serverId}::uuid AND tool = ANY (${over}::text[]) AND until IS NULL`;
  for (const [name, { digest, text }] of [...changed, ...added])
    await tx.$executeRaw`
      INSERT INTO server_tool_version (organization_id, server_id, tool, digest, described)
      VALUES (${organizationId}::uuid, ${serverId}::uuid, ${name}, decode(${digest}, 'hex'),
        ${JSON.stringify(text)}::json)
      ON CONFLICT (organization_id, server_id, tool, digest) DO UPDATE SET since = now(), until = NULL`;
  await forgetUnused(tx, serverId);
  if (before.length === 0) return [];
  const { name } = await tx.server.findFirstOrThrow({
    where: { organizationId, id: serverId },
    select: { name: true },
  });
  const names = (tools: [name: string, ...unknown[]][]) => tools.slice(0, NAMED).map(([tool]) => tool);
  return [
    {
      type: "server.tools_changed",
      actor: ENGINE_ACTOR,
      data: {
        serverId,
        name,
        changed: names(changed),
        added: names(added),
        removed: removed.slice(0, NAMED),
      },
    },
  ];
}

/**
 * What a server lists first is what was granted before it had listed anything. Pinned here, since the server may say something
 * else by the time an agent comes.
 */
async function pinFirstList(tx: Tx, serverId: string, tools: ReturnType<typeof listed>): Promise<void> {
  const all = JSON.stringify(Object.fromEntries([...tools].map(([name, { digest }]) => [name, digest])));
  await tx.$executeRaw`
    UPDATE agent_grant SET digests = CASE WHEN tool IS NULL THEN ${all}::jsonb
        ELSE jsonb_strip_nulls(jsonb_build_object(tool, ${all}::jsonb -> tool)) END
    WHERE organization_id = ${tx.organizationId}::uuid AND server_id = ${serverId}::uuid AND digests IS NULL`;
}

/** Deletes the oldest versions that nobody has used, was granted or sees now, where there are too many. */
async function forgetUnused(tx: Tx, serverId: string): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM server_tool_version v USING (
      SELECT tool, digest, row_number() OVER (PARTITION BY tool ORDER BY since DESC) AS of_tool,
        row_number() OVER (ORDER BY since DESC) AS of_server
      FROM server_tool_version WHERE organization_id = ${tx.organizationId}::uuid AND server_id = ${serverId}::uuid
        AND used_at IS NULL AND until IS NOT NULL) old
    WHERE v.organization_id = ${tx.organizationId}::uuid AND v.server_id = ${serverId}::uuid AND v.tool = old.tool
      AND v.digest = old.digest AND (old.of_tool > ${UNUSED_KEPT} OR old.of_server > ${UNUSED_OF_SERVER})
      AND NOT EXISTS (SELECT FROM agent_grant g WHERE g.organization_id = v.organization_id
        AND g.server_id = v.server_id AND g.digests ->> v.tool = encode(v.digest, 'hex'))`;
}

/** The digest of the version of a tool that was used last; null: none was. */
export async function lastUsed(tx: Tx, serverId: string, tool: string): Promise<string | null> {
  const [last] = await tx.$queryRaw<{ digest: string }[]>`
    SELECT encode(digest, 'hex') AS digest FROM server_tool_version
    WHERE organization_id = ${tx.organizationId}::uuid AND server_id = ${serverId}::uuid AND tool = ${tool}
      AND used_at IS NOT NULL ORDER BY used_at DESC LIMIT 1`;
  return last?.digest ?? null;
}

/**
 * Stores that a tool is about to be used in its current version. A person must acknowledge a version other
 * than the last used one by its digest (`acknowledged`), else throws `tool_changed`. A key or an agent is not
 * stopped here: the change stays unacknowledged, and its time is returned. `last`: as `lastUsed`.
 */
export async function noteToolUse(
  tx: Tx,
  principal: Principal,
  serverId: string,
  tool: Tool,
  acknowledged: string | null,
  last: string | null,
): Promise<{ changedAt: Date } | null> {
  const text = textOf(tool);
  const digest = digestOf(text);
  const where = Prisma.sql`organization_id = ${tx.organizationId}::uuid AND server_id = ${serverId}::uuid
    AND tool = ${tool.name}`;
  if (last === digest) return null;
  if (last !== null && acknowledged !== digest) {
    const [now] = await tx.$queryRaw<{ since: Date }[]>`
      SELECT since FROM server_tool_version WHERE ${where} AND digest = decode(${digest}, 'hex')`;
    const changedAt = now?.since ?? new Date();
    if (!isPerson(principal)) return { changedAt };
    throw new AppError(
      "tool_changed",
      "The server has changed what it says of this tool since it was last used. Look at the change under New task, and start it from there.",
      { extra: { digest, changedAt: changedAt.toISOString() } },
    );
  }
  // Of several at once the first one's version becomes the current one. The statement behind the lock sees it.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(
    ${JSON.stringify(["tool use", tx.organizationId, serverId, tool.name])}, 0))`;
  await tx.$executeRaw`
    INSERT INTO server_tool_version (organization_id, server_id, tool, digest, described, used_at, used_by, until)
    SELECT ${tx.organizationId}::uuid, ${serverId}::uuid, ${tool.name}, decode(${digest}, 'hex'),
      ${JSON.stringify(text)}::json, clock_timestamp(), ${JSON.stringify(principal.actor)}::jsonb,
      CASE WHEN EXISTS (SELECT FROM server_tool_version WHERE ${where} AND until IS NULL) THEN now() END
    ON CONFLICT (organization_id, server_id, tool, digest)
      DO UPDATE SET used_at = excluded.used_at, used_by = excluded.used_by`;
  return null;
}

/** Returns the parts of a tool by which people and programs decide. Storable, so the digest is stable. */
export function textOf({ title, description, inputSchema, annotations, recipe }: Tool): ToolText {
  // A recipe that was changed calls other tools, maybe under the same description, and its tools may say something else.
  return storable({ title, description, inputSchema, annotations, ...(recipe && { recipe }) }) as ToolText;
}

/** Returns the SHA-256 of the text in canonical JSON, in hex. */
export function digestOf(text: ToolText): string {
  return createHash("sha256").update(canonicalJson(text)).digest("hex");
}

/** Returns a list's tools by name. Of two with one name the first counts, as for calls. */
export function listed(tools: Tool[]): Map<string, { text: ToolText; digest: string }> {
  const found = new Map<string, { text: ToolText; digest: string }>();
  for (const tool of tools) {
    if (found.has(tool.name)) continue;
    const text = textOf(tool);
    found.set(tool.name, { text, digest: digestOf(text) });
  }
  return found;
}
