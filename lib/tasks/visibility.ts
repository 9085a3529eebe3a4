import { reachOf } from "../access/key-scope.ts";
import { agentOf, type Principal, selfOf } from "../access/principal.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { personBehind, REQUESTER } from "../people/members/one-maker.ts";

/** Condition on the alias `e`: events about a task that the principal may not see. */
export function ofHiddenTask(principal: Principal): Prisma.Sql {
  return Prisma.sql`EXISTS (SELECT FROM task t WHERE t.organization_id = e.organization_id AND t.id = e.task_id
    AND NOT ${visibleTask(principal)})`;
}

/** Condition on the alias `e`: events of private tasks, for external readers with no identity. */
export const OF_PRIVATE_TASK = Prisma.sql`EXISTS (SELECT FROM task t WHERE t.organization_id = e.organization_id
  AND t.id = e.task_id AND t.visibility <> 'organization')`;

/**
 * Condition on the alias `t`: the tasks that a principal may see. These are all tasks open to the
 * organization, and the private ones that the principal requested or was assigned a question of; for a limited key those
 * of its servers and tools; for an agent those that it started. The caller and row security limit the organization.
 */
export function visibleTask(principal: Principal): Prisma.Sql {
  const agentId = agentOf(principal);
  if (agentId !== null) return Prisma.sql`t.agent_id = ${agentId}::uuid`;
  const seen = visibleToPerson(principal);
  return reachOf(principal) ? Prisma.sql`(${seen} AND ${reached(principal, "t")})` : seen;
}

/** Condition on the alias of a task or a request: the caller's key is not limited to other servers or tools. */
export function reached(principal: Principal, alias: "t" | "r"): Prisma.Sql {
  const reach = reachOf(principal);
  if (!reach) return Prisma.sql`true`;
  const of = Prisma.raw(alias);
  return Prisma.sql`(${of}.server_id = ANY (${reach.servers}::uuid[])
    OR ${of}.server_id::text || '/' || ${of}.tool = ANY (${reach.tools}::text[]))`;
}

function visibleToPerson(principal: Principal): Prisma.Sql {
  const userId = selfOf(principal);
  if (userId === null) return Prisma.sql`t.visibility = 'organization'`;
  return Prisma.sql`(t.visibility = 'organization' OR t.requester_user_id = ${userId}::uuid OR EXISTS (
    SELECT FROM input_request visible WHERE visible.organization_id = t.organization_id AND visible.task_id = t.id
      AND visible.assignee_user_id = ${userId}::uuid))`;
}

/** Condition on the aliases `t` and `m`: the member `m` may see the task. The rule of `visibleTask`, for many members at once. */
export const SEEN_BY_MEMBER = Prisma.sql`(t.visibility = 'organization' OR t.requester_user_id = m.user_id OR EXISTS (
  SELECT FROM input_request mine WHERE mine.organization_id = t.organization_id AND mine.task_id = t.id
    AND mine.assignee_user_id = m.user_id))`;

/** Who sees a task: everybody in the organization, or these members. */
export type Viewers = "everybody" | ReadonlySet<string>;

/**
 * Returns who sees each of these tasks, or the tasks of these requests, by the given ids: the rule of `visibleTask` the
 * other way round, for hints that go to many at once. An id that is not there is left out.
 */
export async function viewersOf(
  tx: Tx,
  { taskIds, requestIds }: { taskIds: string[]; requestIds: string[] },
): Promise<Map<string, Viewers>> {
  const rows = await tx.$queryRaw<{ id: string; open: boolean; viewers: string[] | null }[]>`
    WITH asked AS (
      SELECT t.id, t.id AS task_id FROM task t
      WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ANY (${taskIds}::uuid[])
      UNION ALL SELECT r.id, r.task_id FROM input_request r
      WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ANY (${requestIds}::uuid[]))
    SELECT a.id, t.visibility = 'organization' AS open, CASE WHEN t.visibility <> 'organization' THEN ARRAY(
      SELECT t.requester_user_id WHERE t.requester_user_id IS NOT NULL
      UNION SELECT visible.assignee_user_id FROM input_request visible WHERE visible.organization_id = t.organization_id
        AND visible.task_id = t.id AND visible.assignee_user_id IS NOT NULL) END AS viewers
    FROM asked a JOIN task t ON t.organization_id = ${tx.organizationId}::uuid AND t.id = a.task_id`;
  return new Map(rows.map(({ id, open, viewers }) => [id, open ? "everybody" : new Set(viewers)]));
}

/**
 * Condition: the principal requested the task `t`, in person or as the creator of an API key. Another key of
 * the same creator counts; a key without a creator matches only itself.
 */
export function requestedBy({
  actor: caller,
  userId,
  isView,
}: Pick<Principal, "actor" | "userId" | "isView">): Prisma.Sql {
  const actor = isView ? { kind: "member", id: userId } : caller;
  const principal = personBehind(Prisma.sql`${actor.kind}::text`, Prisma.sql`${actor.id}::text`);
  return Prisma.sql`(coalesce(t.requested_by ->> 'id' = ${actor.id}, false) OR coalesce(${REQUESTER} = ${principal}, false))`;
}
