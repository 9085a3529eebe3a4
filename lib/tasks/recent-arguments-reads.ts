/** A person's recent arguments for a tool, to call it with again. */
import { z } from "zod";
import type { Principal } from "../access/principal.ts";
import type { Tx } from "../base/db/db.ts";
import { type RecentArguments, type RecentArgumentsQuery, taskStateSchema } from "./task-schema.ts";

/** Latest calls that are read. */
const CALLS = 30;
/** Distinct arguments that are returned. */
const SHOWN = 8;
/** Longest arguments returned, in characters of JSON, to keep the list small. */
const LONGEST = 32_768;

/** The distinct arguments of the latest calls, newest first. API keys have none. */
export async function listRecentArguments(
  tx: Tx,
  { userId }: Principal,
  { serverId, tool }: RecentArgumentsQuery,
): Promise<{ items: RecentArguments[] }> {
  if (userId === null) return { items: [] };
  const rows = await tx.$queryRaw<
    { taskId: string; label: string | null; state: string; at: Date; arguments: unknown }[]
  >`
    SELECT * FROM (
      SELECT t.id AS "taskId", t.label, t.state, t.created_at AS at, t.arguments FROM task t
      WHERE t.organization_id = ${tx.organizationId}::uuid AND t.requester_user_id = ${userId}::uuid
        AND t.server_id = ${serverId}::uuid AND t.tool = ${tool} AND NOT t.adopted AND t.attempt = 1
      ORDER BY t.created_at DESC LIMIT ${CALLS}) lately
    WHERE length(lately.arguments::text) <= ${LONGEST}`;
  const seen = new Set<string>();
  const items = rows.filter((row) => {
    const text = JSON.stringify(row.arguments);
    return !seen.has(text) && seen.add(text);
  });
  return {
    items: items.slice(0, SHOWN).map((row) => ({
      ...row,
      state: taskStateSchema.parse(row.state),
      at: row.at.toISOString(),
      arguments: z.record(z.string(), z.unknown()).parse(row.arguments),
    })),
  };
}
