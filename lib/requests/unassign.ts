import type { Actor } from "../access/access-schema.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import type { NewEvent } from "../history/events/event-writes.ts";
import { CLAIM_IDLE_MS } from "./request-status.ts";

/**
 * Ends the assignment of a request whose lock is held, if it has one, so that it waits for everybody who may decide. In a private task
 * the assignment stays: the assignee sees nothing of the task without it. `of`: if it is this user's. Returns the line of history.
 */
export async function endAssignment(
  tx: Tx,
  actor: Actor,
  requestId: string,
  of: string | null = null,
): Promise<NewEvent[]> {
  const its = of === null ? Prisma.sql`IS NOT NULL` : Prisma.sql`= ${of}::uuid`;
  const ended = await tx.$queryRaw<{ taskId: string; from: string }[]>`
    WITH held AS (SELECT r.id, r.assignee_user_id FROM input_request r
      WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${requestId}::uuid AND r.visibility <> 'private'
        AND r.assignee_user_id ${its})
    UPDATE input_request r SET assignee_user_id = NULL, assigned_by = NULL, assigned_at = NULL, assignment_note = NULL
    FROM held WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = held.id
    RETURNING r.task_id AS "taskId", held.assignee_user_id AS "from"`;
  return ended.map(({ taskId, from }) => {
    const data = { userId: null, from };
    return { type: "request.assigned" as const, actor, taskId, inputRequestId: requestId, data };
  });
}

/** Ends the claim of a request, if it has lapsed. */
export async function endIdleClaim(tx: Tx, requestId: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM claim WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${requestId}::uuid
    AND active_at <= now() - ${CLAIM_IDLE_MS} * interval '1 ms'`;
}
