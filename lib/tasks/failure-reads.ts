/** Failed tasks, grouped by cause within a server and a tool. */
import type { Principal } from "../access/principal.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { planForValues } from "../base/db/plan-mode.ts";
import { CAUSE, CODE, LAST_MESSAGE, lastFailures, MAY_REPEAT, MESSAGE } from "./failure-sql.ts";
import { matching } from "./task-filter-sql.ts";
import { type FailureGroups, failureGroupsSchema, type TaskFilter } from "./task-schema.ts";

const MOST_GROUPS = 50;

/** Groups the last failures that match a filter and that the principal may see, the largest group first. */
export async function groupFailures(
  tx: Tx,
  principal: Principal,
  filter: TaskFilter,
): Promise<FailureGroups> {
  const columns = Prisma.sql`t.id, t.finished_at, t.server_id, t.tool, t.state, ${CODE} AS code, ${MESSAGE} AS message,
    ${LAST_MESSAGE} AS last_message, ${CAUSE} AS cause, ${MAY_REPEAT} AS repeatable`;
  const where = matching(tx.organizationId, principal, filter);
  const plan = await planForValues(tx);
  const rows = await tx.$queryRaw<GroupRow[]>`
    ${plan} WITH last AS MATERIALIZED (${lastFailures(columns, where, filter.state)}), grouped AS (
      SELECT server_id, tool, state, cause, min(code) AS code, min(message) AS message, (array_agg(last_message ORDER BY finished_at DESC))[1] AS last_message, count(*)::integer AS count,
        (count(*) FILTER (WHERE repeatable))::integer AS repeatable, min(finished_at) AS first, max(finished_at) AS last
      FROM last GROUP BY server_id, tool, state, cause)
    SELECT s.id AS "serverId", s.name AS "serverName", g.tool, g.state, g.cause, g.code, g.message, g.last_message AS "lastMessage", g.count, g.repeatable,
      g.first AS "firstAt", g.last AS "lastAt", (SELECT count(*)::integer FROM last) AS counted
    FROM grouped g JOIN server s ON s.organization_id = ${tx.organizationId}::uuid AND s.id = g.server_id
    ORDER BY g.count DESC, g.last DESC, g.cause LIMIT ${MOST_GROUPS}`;
  return failureGroupsSchema.parse({
    counted: rows[0]?.counted ?? 0,
    items: rows.map(({ serverId, serverName, firstAt, lastAt, ...row }) => ({
      ...row,
      server: { id: serverId, name: serverName },
      firstAt: firstAt.toISOString(),
      lastAt: lastAt.toISOString(),
    })),
  });
}

interface GroupRow {
  serverId: string;
  serverName: string;
  tool: string;
  state: string;
  cause: string;
  code: string;
  message: string;
  lastMessage: string;
  count: number;
  repeatable: number;
  firstAt: Date;
  lastAt: Date;
  counted: number;
}
