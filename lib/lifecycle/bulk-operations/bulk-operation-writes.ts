/** People's writes to bulk operations; carry-out.ts processes the items. */

import { actorWords } from "../../access/actor-words.ts";
import type { Principal } from "../../access/principal.ts";
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { planForValues } from "../../base/db/plan-mode.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { MAY_REPEAT, RESTARTS } from "../../tasks/failure-sql.ts";
import { matching, partsOf } from "../../tasks/task-filter-sql.ts";
import { UNKNOWN_TOOL } from "../../tasks/task-schema.ts";
import { hasEnded, TASK_STATES, type TaskState } from "../../tasks/task-status.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import { isMaker, readOperation } from "./bulk-operation-reads.ts";
import { type BulkAction, type CreateBulkInput, MOST_ITEMS } from "./bulk-operation-schema.ts";

/** How long unconfirmed and ended operations are kept. Old ones are deleted when an operation is made. */
const UNCONFIRMED_KEPT = "1 hour";
const ENDED_KEPT = "30 days";

/**
 * Freezes a list of tasks, newest first, for an action that starts on confirmation. Throws `not_found` for an
 * invisible task, `nothing_suits` if the action suits none of them, and `too_many_tasks`.
 */
export async function prepareOperation(
  tx: Tx,
  principal: Principal,
  input: CreateBulkInput,
): Promise<string> {
  await forgetOld(tx);
  const chosen = await chosenTasks(tx, principal, input);
  if (chosen.length > MOST_ITEMS)
    throw new AppError("too_many_tasks", `These are more than ${MOST_ITEMS.toLocaleString("en")} tasks.`, {
      extra: { limit: MOST_ITEMS },
    });
  if (chosen.length === 0)
    throw new AppError("nothing_suits", `There is no task among them that you can ${WORDS[input.action]}.`);
  const id = uuidv7();
  await tx.bulkOperation.create({
    data: {
      organizationId: tx.organizationId,
      id,
      action: input.action,
      actor: storable(principal.actor),
      userId: principal.userId,
      items: chosen.length,
    },
  });
  const taskIds = chosen.map((task) => task.id);
  const restarts = chosen.map((task) => task.restarts);
  const newIds = chosen.map(() => (input.action === "restart" ? uuidv7() : null));
  await tx.$executeRaw`INSERT INTO bulk_item (organization_id, operation_id, position, task_id, new_task_id, restarts_before)
    SELECT ${tx.organizationId}::uuid, ${id}::uuid, chosen.position, chosen.task_id, chosen.new_task_id, chosen.restarts
    FROM unnest(${taskIds}::uuid[], ${newIds}::uuid[], ${restarts}::integer[])
      WITH ORDINALITY AS chosen (task_id, new_task_id, restarts, position)`;
  return id;
}

const WORDS = { cancel: "cancel", refresh: "check", restart: "start again" };

interface ChosenTask {
  id: string;
  /** How often it had been started again, as the choosing statement saw it. */
  restarts: number;
}

async function chosenTasks(
  tx: Tx,
  principal: Principal,
  { action, taskIds, filter }: CreateBulkInput,
): Promise<ChosenTask[]> {
  const states = suitableStates(action);
  const restarts = action === "restart" ? RESTARTS : Prisma.sql`0`;
  // The call of an adopted task may be unknown.
  const suits = Prisma.sql`t.state = ANY (${states})
    AND ${action === "restart" ? Prisma.sql`NOT (t.adopted AND t.tool = ${UNKNOWN_TOOL})` : Prisma.sql`true`}`;
  if (taskIds) {
    const named = [...new Set(taskIds)];
    const rows = await tx.$queryRaw<
      (ChosenTask & { suits: boolean })[]
    >`SELECT t.id, ${restarts} AS restarts, ${suits} AS suits FROM task t
      WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ANY (${named}::uuid[]) AND ${visibleTask(principal)}
      ORDER BY t.created_at DESC, t.id DESC`;
    if (rows.length < named.length) throw notFound("task");
    return rows.filter((row) => row.suits);
  }
  const state = filter?.state ? states.filter((each) => filter.state?.includes(each)) : states;
  const among = filter?.cause && action === "restart" ? Prisma.sql`${suits} AND ${MAY_REPEAT}` : suits;
  const parts = partsOf(tx.organizationId, { ...filter, state }).map(
    (part) => Prisma.sql`(SELECT t.id, t.created_at, ${restarts} AS restarts FROM task t
      WHERE ${matching(tx.organizationId, principal, filter ?? {})} AND ${part.where} AND ${among}
      ORDER BY t.created_at DESC, t.id DESC LIMIT ${MOST_ITEMS + 1})`,
  );
  if (parts.length === 0) return [];
  const plan = await planForValues(tx);
  return tx.$queryRaw<ChosenTask[]>`
    ${plan} SELECT found.id, found.restarts FROM (${Prisma.join(parts, " UNION ")}) found
    ORDER BY found.created_at DESC, found.id DESC LIMIT ${MOST_ITEMS + 1}`;
}

async function forgetOld(tx: Tx): Promise<void> {
  await tx.$executeRaw`DELETE FROM bulk_operation WHERE organization_id = ${tx.organizationId}::uuid AND id IN (
    SELECT id FROM bulk_operation WHERE organization_id = ${tx.organizationId}::uuid
      AND ((state = 'prepared' AND created_at < now() - ${UNCONFIRMED_KEPT}::interval)
        OR ended_at < now() - ${ENDED_KEPT}::interval)
    LIMIT 20 FOR UPDATE SKIP LOCKED)`;
}

/**
 * Starts an operation, which the engine carries out. Repeating the call changes nothing. Throws `not_found`,
 * `forbidden` for another's operation, `count_differs` for a wrong number, and `operation_stopped`.
 */
export async function beginOperation(
  tx: Tx,
  principal: Principal,
  operationId: string,
  count: number,
): Promise<void> {
  const { action, items, by, state } = await readOperation(tx, operationId);
  if (!isMaker(by, principal))
    throw new AppError("forbidden", `Only ${actorWords(by)} can begin this: it is done in their name.`);
  if (items !== count)
    throw new AppError("count_differs", `The list has ${items} tasks.`, {
      errors: [{ field: "count", message: `Type ${items}` }],
    });
  if (state === "stopped") throw new AppError("operation_stopped", "It was stopped before it began.");
  const begun = await tx.$executeRaw`UPDATE bulk_operation SET state = 'running', begun_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${operationId}::uuid AND state = 'prepared'`;
  if (begun === 0) return;
  await publishChange(tx, "bulk_operation", [operationId]);
  await appendEvents(tx, [
    { type: "bulk.begun", actor: principal.actor, data: { operationId, action, items } },
  ]);
}

/**
 * Stops an operation: waiting items are skipped, an item under way is finished. Repeating the call changes
 * nothing. Throws `not_found`.
 */
export async function stopOperation(tx: Tx, principal: Principal, operationId: string): Promise<void> {
  const { action, begunAt } = await readOperation(tx, operationId);
  const stopped = await tx.$executeRaw`UPDATE bulk_operation SET state = 'stopped', ended_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${operationId}::uuid AND state IN ('prepared', 'running')`;
  if (stopped === 0) return;
  // Waits for the item that an engine is processing.
  const skipped = await tx.$executeRaw`UPDATE bulk_item SET state = 'skipped', done_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND operation_id = ${operationId}::uuid AND state = 'waiting'`;
  await publishChange(tx, "bulk_operation", [operationId]);
  if (begunAt === null) return;
  await appendEvents(tx, [
    { type: "bulk.stopped", actor: principal.actor, data: { operationId, action, skipped } },
  ]);
}

/** Whether an action can be done to a task in this state. */
function suits(action: BulkAction, state: TaskState): boolean {
  if (action === "restart") return hasEnded(state);
  return !hasEnded(state) && state !== "start_unknown";
}

function suitableStates(action: BulkAction): TaskState[] {
  return TASK_STATES.filter((state) => suits(action, state));
}
