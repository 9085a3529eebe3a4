/** What narrows lists and counts of input requests, as conditions on the alias `r`. Only its own columns are read. */
import { Prisma } from "../db.ts";
import type { Principal } from "../principal.ts";
import { CLAIM_IS_LIVE } from "./row.ts";
import type { RequestFilter, RequestListQuery } from "./schema.ts";

/**
 * As `visibleTask`, on the request's copies of what its task says. An array, which is made once: the planner would count
 * a subquery's cost for every row that it looks up.
 */
export function visibleRequest(organizationId: string, { userId }: Principal): Prisma.Sql {
  if (userId === null) return Prisma.sql`r.visibility = 'organization'`;
  return Prisma.sql`(r.visibility = 'organization' OR r.requester_user_id = ${userId}::uuid OR r.task_id = ANY (ARRAY(
    SELECT task_id FROM input_request WHERE organization_id = ${organizationId}::uuid AND visibility = 'private'
      AND assignee_user_id = ${userId}::uuid)))`;
}

export function matching(organizationId: string, query: RequestFilter): Prisma.Sql {
  const conditions = [Prisma.sql`true`];
  const { taskId, serverId, tool, askedAfter, askedBefore, expiresBefore, amountMin, amountMax } = query;
  if (taskId) conditions.push(Prisma.sql`r.task_id = ${taskId}::uuid`);
  if (serverId) conditions.push(Prisma.sql`r.server_id = ${serverId}::uuid`);
  if (tool) conditions.push(Prisma.sql`r.tool = ${tool}`);
  if (askedAfter) conditions.push(Prisma.sql`r.created_at >= ${askedAfter}::timestamptz`);
  if (askedBefore) conditions.push(Prisma.sql`r.created_at < ${askedBefore}::timestamptz`);
  if (expiresBefore) conditions.push(Prisma.sql`r.expires_at < ${expiresBefore}::timestamptz`);
  if (amountMin !== undefined) conditions.push(Prisma.sql`r.amount >= ${String(amountMin)}::float8`);
  if (amountMax !== undefined) conditions.push(Prisma.sql`r.amount <= ${String(amountMax)}::float8`);
  if (query.q?.trim()) {
    const words = Prisma.sql`lower(${query.q.trim()})`;
    // Servers can be renamed, so that their names are looked up now. strpos: several times as quick as LIKE.
    conditions.push(Prisma.sql`(strpos(r.search, ${words}) > 0 OR r.server_id = ANY (ARRAY(SELECT s.id FROM server s
      WHERE s.organization_id = ${organizationId}::uuid AND strpos(lower(s.name), ${words}) > 0)))`);
  }
  return Prisma.join(conditions, " AND ");
}

export function heldBy(
  organizationId: string,
  principal: Principal,
  assignee: RequestListQuery["assignee"],
): Prisma.Sql {
  if (assignee === "me") return mine(organizationId, principal);
  if (assignee === "none") return Prisma.sql`r.state = 'open' AND ${unassigned(organizationId)}`;
  return Prisma.sql`true`;
}

/** Assigned to the principal, or claimed by it. Nothing is ever a key's. */
export function mine(organizationId: string, { userId }: Principal): Prisma.Sql {
  if (userId === null) return Prisma.sql`false`;
  return Prisma.sql`r.id = ANY (ARRAY(SELECT id FROM input_request WHERE organization_id = ${organizationId}::uuid
      AND assignee_user_id = ${userId}::uuid
    UNION ALL SELECT c.input_request_id FROM claim c WHERE c.organization_id = ${organizationId}::uuid
      AND c.user_id = ${userId}::uuid AND ${CLAIM_IS_LIVE}))`;
}

/** Of an open one: nobody's. */
export function unassigned(organizationId: string): Prisma.Sql {
  return Prisma.sql`r.assignee_user_id IS NULL AND r.id NOT IN (
    SELECT c.input_request_id FROM claim c WHERE c.organization_id = ${organizationId}::uuid AND ${CLAIM_IS_LIVE})`;
}
