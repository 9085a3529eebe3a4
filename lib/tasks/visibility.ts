import type { Principal } from "../access/principal.ts";
import { Prisma } from "../base/db/db.ts";

/**
 * Which tasks a principal may see, as a condition on the alias `t`: everything that the organization sees, and of
 * the private ones those it requested or was assigned a question of. The organization itself is the caller's
 * condition and row security's.
 */
export function visibleTask(principal: Principal): Prisma.Sql {
  if (principal.userId === null) return Prisma.sql`t.visibility = 'organization'`;
  return Prisma.sql`(t.visibility = 'organization' OR t.requester_user_id = ${principal.userId}::uuid OR EXISTS (
    SELECT FROM input_request visible WHERE visible.organization_id = t.organization_id AND visible.task_id = t.id
      AND visible.assignee_user_id = ${principal.userId}::uuid))`;
}
