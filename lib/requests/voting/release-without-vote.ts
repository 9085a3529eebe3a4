/**
 * Ends claims and assignments of people who have just lost their vote: by a change of a group, a role, a request's rule, of the
 * accounts that count as one person, or of the requester. Votes themselves are judged when they are cast (judge-voter.ts).
 */
import { Prisma, type Tx } from "../../base/db/db.ts";
import { publishChange } from "../../base/live-updates.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../../history/events/event-writes.ts";
import { hasVote, votesFor } from "./voter-sql.ts";

/** Most requests whose notices follow a change; the inbox shows all of them. */
const MOST_FOLLOWED = 1_000;

/**
 * Ends claims and assignments (`releaseWithoutVote`) on open requests whose stage names one of these groups. Returns the requests,
 * longest waiting first and `most` at most, whose notices may be others' now. For the engine.
 */
export async function followGroups(tx: Tx, groupIds: string[], most = MOST_FOLLOWED): Promise<string[]> {
  if (groupIds.length === 0) return [];
  const namesThem = Prisma.sql`r.state = 'open' AND jsonb_exists_any(r.approval -> 'open' -> 'groups', ${groupIds}::text[])`;
  const rows = await tx.$queryRaw<{ id: string }[]>`SELECT r.id FROM input_request r
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.approval IS NOT NULL AND ${namesThem}
    ORDER BY r.id LIMIT ${most}`;
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  await publishChange(tx, "input_request", ids);
  await free(tx, namesThem);
  return ids;
}

/**
 * Ends claims and assignments (`releaseWithoutVote`) on open requests whose stage names one of these roles, which members have or had.
 * Returns the requests on which any ended. For the engine.
 */
export async function followRoles(tx: Tx, roles: string[]): Promise<string[]> {
  if (roles.length === 0) return [];
  return free(
    tx,
    Prisma.sql`r.state = 'open' AND jsonb_exists_any(r.approval -> 'open' -> 'roles', ${roles}::text[])`,
  );
}

/**
 * Ends claims and assignments (`releaseWithoutVote`) on those of these requests that are open. An undo reopens a request with the
 * assignment that it had, so it is looked at then. For the engine.
 */
export async function followRequests(tx: Tx, requestIds: string[]): Promise<void> {
  if (requestIds.length === 0) return;
  await free(tx, Prisma.sql`r.state = 'open' AND r.id = ANY (${requestIds}::uuid[])`);
}

/**
 * Ends claims and assignments (`releaseWithoutVote`) on open requests on which somebody has voted: who counts as one person with a voter
 * may be another by now. Returns the requests on which any ended. For the engine.
 */
export async function followMakers(tx: Tx): Promise<string[]> {
  return free(tx, Prisma.sql`r.state = 'open' AND r.approval -> 'open' -> 'voted' <> '[]'`);
}

/**
 * Ends claims and assignments (`releaseWithoutVote`) on open requests of tasks that keys asked for: more people may be behind a service
 * account by now. Returns the requests on which any ended. For the engine.
 */
export async function followAskers(tx: Tx): Promise<string[]> {
  return free(tx, Prisma.sql`r.state = 'open' AND t.requested_by ->> 'kind' = 'key'`);
}

/** As `releaseWithoutVote`, with hints and lines written. Returns the requests. */
async function free(tx: Tx, which: Prisma.Sql): Promise<string[]> {
  const { requests, lines } = await releaseWithoutVote(tx, which);
  await publishChange(tx, "input_request", requests);
  await appendEvents(tx, lines);
  return requests;
}

/**
 * Ends claims and assignments of those who have no vote any more, nor one for somebody who is away: they would keep the request from those
 * who have. In a private task the assignment stays. `which`: a condition on the request `r`. Returns the requests, and the lines of history.
 */
export async function releaseWithoutVote(
  tx: Tx,
  which: Prisma.Sql,
): Promise<{ requests: string[]; lines: NewEvent[] }> {
  const { organizationId } = tx;
  const withoutVote = (
    person: Prisma.Sql,
  ) => Prisma.sql`r.organization_id = ${organizationId}::uuid AND r.approval IS NOT NULL AND ${which}
    AND t.organization_id = r.organization_id AND t.id = r.task_id AND ${person} IS NOT NULL
    AND NOT EXISTS (SELECT FROM membership m WHERE m.organization_id = r.organization_id AND m.user_id = ${person} AND m.role <> 'viewer'
      AND ${hasVote(Prisma.sql`r.approval`, person, [Prisma.sql`m.role`])})
    AND ${votesFor(Prisma.sql`r.approval`, Prisma.sql`standing_in(${organizationId}::uuid, ${person})`, person)} IS NULL`;
  // In the order of ids, so that two that free the same requests wait for each other.
  const freed = await tx.$queryRaw<{ id: string; taskId: string; from: string }[]>`
    WITH held AS (SELECT r.id, r.assignee_user_id FROM input_request r, task t
      WHERE ${withoutVote(Prisma.sql`r.assignee_user_id`)} AND r.visibility <> 'private'
      ORDER BY r.id FOR NO KEY UPDATE OF r)
    UPDATE input_request r SET assignee_user_id = NULL, assigned_by = NULL, assigned_at = NULL, assignment_note = NULL
    FROM held WHERE r.organization_id = ${organizationId}::uuid AND r.id = held.id
    RETURNING r.id, r.task_id AS "taskId", held.assignee_user_id AS "from"`;
  const unclaimed = await tx.$queryRaw<{ id: string }[]>`DELETE FROM claim c USING input_request r, task t
    WHERE c.organization_id = ${organizationId}::uuid AND c.input_request_id = r.id AND ${withoutVote(Prisma.sql`c.user_id`)}
    RETURNING r.id`;
  return {
    requests: [...new Set([...freed, ...unclaimed].map(({ id }) => id))],
    lines: freed.map(({ id, taskId, from }) => ({
      type: "request.assigned" as const,
      actor: ENGINE_ACTOR,
      taskId,
      inputRequestId: id,
      data: { userId: null, from },
    })),
  };
}
