/**
 * Who looks after a stuck task, so that two people do not do the same. An acknowledgement lasts until its
 * holder releases it, another takes it over, the task ends, or has not been stuck for some minutes.
 */
import type { Principal } from "../access/principal.ts";
import { contentOf } from "../base/content/content-keys.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { AppError, notFound } from "../base/errors.ts";
import { publishChange } from "../base/live-updates.ts";
import { appendEvents, ENGINE_ACTOR } from "../history/events/event-writes.ts";
import { memberOnly } from "../requests/lock-request.ts";
import { attentionCode } from "../tasks/attention-sql.ts";
import { codesOf } from "../tasks/task-attention.ts";
import { requireVisibleTask } from "../tasks/task-reads.ts";
import type { Acknowledge } from "../tasks/task-schema.ts";
import { visibleTask } from "../tasks/visibility.ts";

const STUCK = codesOf("stuck");
/** An acknowledgement outlasts its task's being stuck by this much. */
const FREE_MS = 5 * 60_000;

/**
 * Makes the principal look after the task, or changes their note. `takeOver` is the time of the
 * acknowledgement that the principal has seen and takes over. Throws `not_found`, `not_stuck`, and `acknowledged_by_other` with the holder.
 */
export async function acknowledgeTask(
  tx: Tx,
  principal: Principal,
  taskId: string,
  { note, takeOver }: Acknowledge,
): Promise<void> {
  const userId = memberOnly(principal);
  const [task] = await tx.$queryRaw<{ code: string | null }[]>`
    SELECT ${attentionCode(tx.organizationId)} AS code FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid AND ${visibleTask(principal)}
    FOR NO KEY UPDATE OF t`;
  if (!task) throw notFound("task");
  if (!STUCK.some((code) => code === task.code))
    throw new AppError("not_stuck", "The task is not stuck any more.");
  const before = await readHolder(tx, taskId);
  const written = await tx.$executeRaw`
    INSERT INTO acknowledgement AS a (organization_id, task_id, user_id, note)
    VALUES (${tx.organizationId}::uuid, ${taskId}::uuid, ${userId}::uuid,
      ${contentOf(tx).text("acknowledgement.note", taskId, note ?? null)})
    ON CONFLICT (organization_id, task_id) DO UPDATE SET user_id = excluded.user_id, note = excluded.note,
      acknowledged_at = CASE WHEN a.user_id = excluded.user_id THEN a.acknowledged_at ELSE now() END
    WHERE a.user_id = excluded.user_id OR a.acknowledged_at = ${takeOver ?? null}::timestamptz`;
  if (written === 0) throw await heldByOther(tx, taskId);
  await publishChange(tx, "task", [taskId]);
  const from = before && before.id !== userId ? { from: before.name } : {};
  await appendEvents(tx, [
    {
      type: "task.acknowledged",
      actor: principal.actor,
      taskId,
      data: { code: task.code, ...(note && { note }), ...from },
    },
  ]);
}

/**
 * Ends the principal's own acknowledgement. Without one, nothing happens. Throws `not_found` and
 * `acknowledged_by_other`.
 */
export async function releaseTask(tx: Tx, principal: Principal, taskId: string): Promise<void> {
  const userId = memberOnly(principal);
  await requireVisibleTask(tx, principal, taskId);
  const released = await tx.$executeRaw`DELETE FROM acknowledgement
    WHERE organization_id = ${tx.organizationId}::uuid AND task_id = ${taskId}::uuid AND user_id = ${userId}::uuid`;
  if (released === 0) {
    if (await readHolder(tx, taskId)) throw await heldByOther(tx, taskId);
    return;
  }
  await publishChange(tx, "task", [taskId]);
  await appendEvents(tx, [{ type: "task.released", actor: principal.actor, taskId, data: {} }]);
}

/**
 * Ends the acknowledgements of tasks that are over, or have not been stuck for a while: a server that comes and
 * goes frees and sticks its tasks by the minute, and whoever looks after them still does.
 */
export async function endAcknowledgements(tx: Tx): Promise<void> {
  const isStuck = Prisma.sql`EXISTS (SELECT FROM task t
    WHERE t.organization_id = a.organization_id AND t.id = a.task_id
      AND ${attentionCode(tx.organizationId)} = ANY (${STUCK}))`;
  const isOver = Prisma.sql`EXISTS (SELECT FROM task t
    WHERE t.organization_id = a.organization_id AND t.id = a.task_id AND t.finished_at IS NOT NULL)`;
  const ended = await tx.$queryRaw<{ taskId: string }[]>`DELETE FROM acknowledgement a
    WHERE a.organization_id = ${tx.organizationId}::uuid AND NOT ${isStuck}
      AND (a.free_since < now() - ${FREE_MS} * interval '1 ms' OR ${isOver})
    RETURNING a.task_id AS "taskId"`;
  await tx.$executeRaw`UPDATE acknowledgement a SET free_since = CASE WHEN a.free_since IS NULL THEN now() END
    WHERE a.organization_id = ${tx.organizationId}::uuid AND (a.free_since IS NULL) <> ${isStuck}`;
  const taskIds = ended.map(({ taskId }) => taskId);
  await publishChange(tx, "task", taskIds);
  await appendEvents(
    tx,
    taskIds.map((taskId) => ({
      type: "task.released" as const,
      actor: ENGINE_ACTOR,
      taskId,
      data: { reason: "not_stuck" },
    })),
  );
}

interface Holder {
  id: string;
  name: string;
  at: Date;
}

async function readHolder(tx: Tx, taskId: string): Promise<Holder | undefined> {
  const [holder] = await tx.$queryRaw<Holder[]>`
    SELECT u.id, u.name, a.acknowledged_at AS at FROM acknowledgement a JOIN "user" u ON u.id = a.user_id
    WHERE a.organization_id = ${tx.organizationId}::uuid AND a.task_id = ${taskId}::uuid`;
  return holder;
}

async function heldByOther(tx: Tx, taskId: string): Promise<AppError> {
  const holder = await readHolder(tx, taskId);
  return new AppError("acknowledged_by_other", `${holder?.name ?? "Somebody"} already owns this task.`, {
    extra: holder ? { by: { id: holder.id, name: holder.name }, at: holder.at.toISOString() } : {},
  });
}
