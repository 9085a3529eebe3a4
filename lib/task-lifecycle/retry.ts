/** Retries of a failed call: each attempt is a task of its own, queued when the last one ends. */

import { PERMISSIONS } from "../access/permissions.ts";
import { ROLES, roleAllows } from "../access/roles.ts";
import { ACCOUNT_ROLE, IN_FORCE } from "../api-keys/queries.ts";
import { type ContentColumn, PLAIN, sealedFor, unavailable } from "../base/db/content.ts";
import { asStored, contentOf } from "../base/db/content-keys.ts";
import { storable, type Tx } from "../base/db/db.ts";
import { uuidv7 } from "../base/ids.ts";
import { ENGINE_ACTOR, type NewEvent } from "../events/transitions.ts";
import { publishChange, wakeEngine } from "../live-updates/transitions.ts";
import { MAX_RETRY_PAUSE_MS } from "../tasks/schema.ts";

const MAY_START = ROLES.filter((role) => roleAllows(role, PERMISSIONS["tasks:start"]));

/**
 * Queues the next attempt of a task that this transaction has ended as a failure, if one is left, no cancel
 * was requested, and the requester, a person or a key, may still start tasks. The unique index lets one of
 * two concurrent tries through. Unknown outcomes (`start_unknown`, `lost`) are never retried. Returns history
 * lines, to append last.
 */
export async function queueRetry(organizationId: string, tx: Tx, taskId: string): Promise<NewEvent[]> {
  const id = uuidv7();
  const [made] = await tx.$queryRaw<
    {
      connectionId: string;
      attempt: number;
      attempts: number;
      startAfter: Date;
      tool: string;
      serverId: string;
    }[]
  >`
    INSERT INTO task (organization_id, id, server_id, connection_id, tool, tool_hints, arguments, label, state, watched,
      visibility, requested_by, requester_user_id, requested_ttl_ms, restart_of, retry_of, attempt, attempts,
      retry_backoff_ms, retry_errors, start_after)
    SELECT t.organization_id, ${id}::uuid, t.server_id, t.connection_id, t.tool, t.tool_hints, t.arguments, t.label,
      'queued', true, t.visibility, t.requested_by, t.requester_user_id, t.requested_ttl_ms, t.id, t.id, t.attempt + 1,
      t.attempts, t.retry_backoff_ms, t.retry_errors, now() + interval '1 ms' *
        least(${MAX_RETRY_PAUSE_MS}::float8, t.retry_backoff_ms * 2.0 ^ (t.attempt - 1))
    FROM task t WHERE t.organization_id = ${organizationId}::uuid AND t.id = ${taskId}::uuid
      AND t.attempt < t.attempts AND t.cancel_requested_at IS NULL
      AND (t.state = 'failed' OR (t.state = 'completed' AND t.retry_errors AND t.outcome_is_error))
      AND (t.requester_user_id IS NULL OR EXISTS (SELECT FROM membership m WHERE m.organization_id = t.organization_id
        AND m.user_id = t.requester_user_id AND m.role = ANY (${MAY_START})))
      AND (t.requested_by->>'kind' <> 'key' OR EXISTS (SELECT FROM api_key k WHERE k.organization_id = t.organization_id
        AND k.id::text = t.requested_by->>'id' AND ${IN_FORCE} AND k.role = ANY (${MAY_START})
        AND coalesce(${ACCOUNT_ROLE} = ANY (${MAY_START}), true)))
    ON CONFLICT (organization_id, retry_of) WHERE retry_of IS NOT NULL DO NOTHING
    RETURNING connection_id AS "connectionId", attempt, attempts, start_after AS "startAfter", tool,
      server_id AS "serverId"`;
  if (!made) return [];
  const { connectionId, attempt, attempts, tool, serverId } = made;
  await sealForCopy(organizationId, tx, taskId, id);
  await tx.taskWatch.create({ data: { organizationId, taskId: id } });
  await publishChange(organizationId, tx, "task", [id]);
  await wakeEngine(tx, connectionId, id);
  const plan = { attempt, attempts, startAfter: made.startAfter.toISOString() };
  return [
    { type: "task.retry_queued", actor: ENGINE_ACTOR, taskId, data: { ...plan, nextTaskId: id } },
    {
      type: "task.queued",
      actor: ENGINE_ACTOR,
      taskId: id,
      data: { tool, serverId, retryOf: taskId, ...plan },
    },
  ];
}

/**
 * Sealed values are bound to their row, so the copy's are sealed for the copy. Throws `content_unavailable` while a key is
 * away, as in a transaction that began before the organization had it: a later one ends the task and copies it.
 */
async function sealForCopy(organizationId: string, tx: Tx, fromId: string, toId: string): Promise<void> {
  const content = contentOf(tx);
  const stored = await asStored(tx).task.findFirstOrThrow({
    where: { organizationId, id: fromId },
    select: { arguments: true, label: true },
  });
  const opened = (column: ContentColumn, value: unknown) => {
    const kid = sealedFor(column, fromId, value);
    if (kid === null) return { value };
    const found = content.openOne(column, fromId, value);
    if (!found && !(content.knows(kid) && content.opens)) throw unavailable(`the task ${fromId}`);
    return found;
  };
  const [args, label] = [opened("task.arguments", stored.arguments), opened("task.label", stored.label)];
  // What was changed in the database stays as it is, bound to another row: the copy is never sent.
  if (!args || !label || content === PLAIN) return;
  await tx.task.updateMany({
    where: { organizationId, id: toId, state: "queued" },
    data: { arguments: storable(args.value), label: label.value as string | null },
  });
}
