/** Frees requests from people who can't accept them any more. */
import { may } from "../../access/permissions.ts";
import { ROLES } from "../../access/roles.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { publishChange } from "../../base/live-updates.ts";
import { appendEvents, ENGINE_ACTOR } from "../../history/events/event-writes.ts";
import { refusedByFourEyes } from "./one-maker.ts";

const MAY_ANSWER = ROLES.filter((role) => may(role, "requests:answer"));

/**
 * SQL condition: the request `r` of the task `t` is open, or may be again: an answer may be undone, and one that could not be delivered be
 * asked for again, until the task has ended.
 */
const MAY_BE_OPEN = Prisma.sql`r.state IN ('open', 'answered', 'undeliverable') AND (r.state = 'open' OR t.finished_at IS NULL)`;

/**
 * Ends assignments and claims of requests that are open, or may be again, by people who could not accept them any more: they left, lost the
 * role, or asked for the task where a second person is required. The requests would wait for nobody. The same for the
 * wait for information from people who have left; an engine has the reminders go on. Each unassignment and each such wait
 * leaves a line of history, so that the others are told. Call it after the change that it follows from, in the same
 * transaction. `userId`: this person's alone; null: everybody's.
 */
export async function unassignUnable(tx: Tx, userId: string | null): Promise<void> {
  const { organizationId } = tx;
  const unable = (
    person: Prisma.Sql,
  ) => Prisma.sql`r.organization_id = ${organizationId}::uuid AND ${MAY_BE_OPEN}
    AND ${userId === null ? Prisma.sql`${person} IS NOT NULL` : Prisma.sql`${person} = ${userId}::uuid`}
    AND (NOT EXISTS (SELECT FROM membership m WHERE m.organization_id = r.organization_id AND m.user_id = ${person}
        AND m.role = ANY (${MAY_ANSWER}::text[]))
      OR ${refusedByFourEyes(organizationId, person)})`;
  const task = Prisma.sql`JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id`;
  // In the order of ids, so that two that free the same requests wait for each other.
  const freed = await tx.$queryRaw<{ id: string; taskId: string; from: string }[]>`
    WITH held AS (SELECT r.id, r.assignee_user_id FROM input_request r ${task}
      WHERE ${unable(Prisma.sql`r.assignee_user_id`)} ORDER BY r.id FOR NO KEY UPDATE OF r)
    UPDATE input_request r SET assignee_user_id = NULL, assigned_by = NULL, assigned_at = NULL, assignment_note = NULL
    FROM held WHERE r.organization_id = ${organizationId}::uuid AND r.id = held.id
    RETURNING r.id, r.task_id AS "taskId", held.assignee_user_id AS "from"`;
  const released = await tx.$queryRaw<{ id: string; taskId: string }[]>`
    DELETE FROM claim c USING input_request r ${task}
    WHERE c.organization_id = ${organizationId}::uuid AND r.id = c.input_request_id AND ${unable(Prisma.sql`c.user_id`)}
    RETURNING r.id, r.task_id AS "taskId"`;
  const given = await endWaits(tx, userId);
  const changed = [...freed, ...released, ...given];
  const distinct = (ids: string[]) => [...new Set(ids)];
  await publishChange(tx, "input_request", distinct(changed.map(({ id }) => id)));
  await publishChange(tx, "task", distinct(changed.map(({ taskId }) => taskId)));
  const told = [
    ...freed.map(({ id, taskId, from }) => {
      return { type: "request.assigned" as const, taskId, inputRequestId: id, data: { userId: null, from } };
    }),
    ...given.map(({ id, taskId, name }) => {
      return { type: "request.info_given" as const, taskId, inputRequestId: id, data: { via: "left", name } };
    }),
  ];
  // Intray's own doing: what somebody does is told to everybody else alone.
  await appendEvents(
    tx,
    told.map((line) => ({ ...line, actor: ENGINE_ACTOR })),
  );
}

/** Of requests that wait for information from this person, or anybody, who is no member any more. */
async function endWaits(
  tx: Tx,
  userId: string | null,
): Promise<{ id: string; taskId: string; name: string }[]> {
  const asked = Prisma.sql`(r.needs_info -> 'of' ->> 'id')::uuid`;
  return tx.$queryRaw<{ id: string; taskId: string; name: string }[]>`
    WITH alone AS (SELECT r.id, r.needs_info -> 'of' ->> 'name' AS name FROM input_request r
      WHERE r.organization_id = ${tx.organizationId}::uuid AND r.needs_info IS NOT NULL
        AND ${userId === null ? Prisma.sql`true` : Prisma.sql`${asked} = ${userId}::uuid`}
        AND NOT EXISTS (SELECT FROM membership m WHERE m.organization_id = r.organization_id AND m.user_id = ${asked})
      ORDER BY r.id FOR NO KEY UPDATE OF r),
    told AS (UPDATE request_timer w SET due_at = now() FROM alone
      WHERE w.organization_id = ${tx.organizationId}::uuid AND w.input_request_id = alone.id
        AND w.fired_at IS NULL AND w.paused_at IS NOT NULL)
    UPDATE input_request r SET needs_info = NULL FROM alone
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = alone.id
    RETURNING r.id, r.task_id AS "taskId", alone.name`;
}
