/**
 * Carries out bulk operations item by item, in the name and with the current rights of the operation's maker.
 * An item's state and its action share one transaction, so a crash leaves the item done once or not at all.
 */
import type { Logger } from "pino";
import { z } from "zod";
import { actorSchema, roleSchema } from "../../access/access-schema.ts";
import { may } from "../../access/permissions.ts";
import type { Principal } from "../../access/principal.ts";
import { type Role, weakerRole } from "../../access/roles.ts";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { publishChange } from "../../base/live-updates.ts";
import type { Services } from "../../base/process/services.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { ACCOUNT_ROLE, IN_FORCE } from "../../people/api-keys/api-key-reads.ts";
import { connectionFor } from "../../servers/connections/connection-reads.ts";
import { lockServer } from "../../servers/locks.ts";
import { lastUsed, noteToolUse } from "../../servers/tool-changes.ts";
import { RESTARTS } from "../../tasks/failure-sql.ts";
import { readStart } from "../../tasks/task-reads.ts";
import { startableTool } from "../start.ts";
import { createTask, lockForRestart, requestCancel, requestRefresh } from "../task-writes.ts";
import { bulkActionSchema } from "./bulk-operation-schema.ts";

const itemSchema = z.object({
  operationId: z.string(),
  position: z.number(),
  taskId: z.string(),
  newTaskId: z.string().nullable(),
  action: bulkActionSchema,
  actor: actorSchema,
  userId: z.string().nullable(),
  /** How often the task had been started again when the operation's list was chosen. */
  restartsBefore: z.number(),
});
type Item = z.infer<typeof itemSchema>;

/** Processes one waiting item of the oldest operation. Returns false if no unclaimed item is left. */
export async function carryOutOne(
  services: Services & { log: Logger },
  organizationId: string,
): Promise<boolean> {
  const { db, log } = services;
  const item = await db.withOrganization(organizationId, (tx) => nextItem(tx, null));
  if (!item) return false;
  try {
    const prepared = await prepare(services, organizationId, item);
    await db.withOrganization(organizationId, async (tx) => {
      // Another engine holds the item or has done it, so the preparation is dropped.
      if (!(await nextItem(tx, item))) return;
      const principal = await principalOf(tx, item);
      await settle(tx, item, "done");
      await prepared(tx, principal);
    });
  } catch (error) {
    if (isDatabaseDown(error)) throw error;
    if (!(error instanceof AppError))
      log.error({ err: error, organizationId }, "an item of a bulk operation failed");
    await db.withOrganization(organizationId, (tx) => refuse(tx, item, error));
  }
  return true;
}

/** Locks and returns the next item, or `item` if it still waits; null if none. */
async function nextItem(tx: Tx, item: Item | null): Promise<Item | null> {
  const [row] = await tx.$queryRaw<unknown[]>`
    SELECT i.operation_id AS "operationId", i.position, i.task_id AS "taskId", i.new_task_id AS "newTaskId", o.action,
      o.actor, o.user_id AS "userId", i.restarts_before AS "restartsBefore"
    FROM bulk_operation o JOIN bulk_item i ON i.organization_id = o.organization_id AND i.operation_id = o.id
    WHERE o.organization_id = ${tx.organizationId}::uuid AND o.state = 'running' AND i.state = 'waiting'
      AND (i.not_before IS NULL OR i.not_before <= now())
      AND (${item === null} OR (o.id = ${item?.operationId}::uuid AND i.position = ${item?.position}))
    ORDER BY o.begun_at, i.position LIMIT 1 FOR UPDATE OF i SKIP LOCKED`;
  return row === undefined ? null : itemSchema.parse(row);
}

type Act = (tx: Tx, principal: Principal) => Promise<void>;

/** Makes calls to servers before the transaction. Returns the action for the transaction. */
async function prepare(services: Services, organizationId: string, item: Item): Promise<Act> {
  const { taskId, newTaskId } = item;
  if (item.action === "cancel") return (tx, principal) => requestCancel(tx, principal, taskId);
  if (item.action === "refresh") return (tx, principal) => requestRefresh(tx, principal, taskId);
  const { start, principal } = await services.db.withOrganization(organizationId, async (tx) => {
    const principal = await principalOf(tx, item);
    return { principal, start: await readStart(tx, principal, taskId) };
  });
  const tool = await startableTool(services, principal, start);
  return async (tx, principal) => {
    await lockServer(tx, start.serverId);
    const connection = await connectionFor(tx, principal, start.serverId);
    const last = await lastUsed(tx, start.serverId, tool.name);
    await noteToolUse(tx, principal, start.serverId, tool, null, last);
    await refuseStartedAgain(tx, item);
    await createTask(tx, {
      ...start,
      ...(newTaskId && { id: newTaskId }),
      principal,
      server: { id: start.serverId },
      connectionId: connection.id,
      tool,
      idempotencyKey: null,
      restartOf: taskId,
    });
  };
}

/**
 * Throws `started_again` if somebody started the task again after the list was chosen: two people who retry
 * the same failures make each call once. The task's lock makes restarts wait for each other, whoever makes
 * them, so that the count includes all that came before.
 */
async function refuseStartedAgain(tx: Tx, item: Item): Promise<void> {
  await lockForRestart(tx, item.taskId);
  const [counted] = await tx.$queryRaw<{ restarts: number }[]>`
    SELECT ${RESTARTS} AS restarts FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${item.taskId}::uuid`;
  if (counted && counted.restarts <= item.restartsBefore) return;
  throw new AppError("started_again", "It was started again meanwhile, as another task.");
}

/** Throws `forbidden` if the maker has lost the right to the action. */
async function principalOf(tx: Tx, { actor, userId, action }: Item): Promise<Principal> {
  const needed = action === "restart" ? "tasks:start" : "tasks:manage";
  const [row] =
    userId !== null
      ? await tx.$queryRaw<BoundRole[]>`SELECT role, NULL AS "accountRole" FROM membership
          WHERE organization_id = ${tx.organizationId}::uuid AND user_id = ${userId}::uuid`
      : await tx.$queryRaw<BoundRole[]>`
          SELECT k.role, ${ACCOUNT_ROLE} AS "accountRole" FROM api_key k
          WHERE k.organization_id = ${tx.organizationId}::uuid AND k.id = ${actor.id}::uuid AND ${IN_FORCE}
            AND (k.permissions IS NULL OR ${needed} = ANY (k.permissions))`;
  const role = row && weaker(row);
  if (!role || !may(role, needed))
    throw new AppError("forbidden", "The person who asked for it may no longer do this.");
  return { organizationId: tx.organizationId, userId, role, actor };
}

interface BoundRole {
  role: string;
  /** Of the service account whose key it is; null: none. */
  accountRole: string | null;
}

/** A key's role, bounded by its service account's. */
function weaker({ role, accountRole }: BoundRole): Role {
  const [own, bound] = [roleSchema.parse(role), accountRole && roleSchema.parse(accountRole)];
  return bound ? weakerRole(own, bound) : own;
}

/** Ends an item; `endFinished` later ends the operation. */
async function settle(
  tx: Tx,
  item: Item,
  state: "done" | "refused",
  why: { code: string; message: string } | null = null,
): Promise<void> {
  const { operationId, position } = item;
  await tx.$executeRaw`UPDATE bulk_item SET state = ${state}, done_at = now(), code = ${why?.code ?? null},
      message = ${why?.message ?? null}
    WHERE organization_id = ${tx.organizationId}::uuid AND operation_id = ${operationId}::uuid
      AND position = ${position} AND state = 'waiting'`;
  await publishChange(tx, "bulk_operation", [operationId]);
}

/** Refuses an item. An exceeded start quota delays the operation's items instead, since waiting helps. */
async function refuse(tx: Tx, item: Item, error: unknown): Promise<void> {
  if (!(await nextItem(tx, item))) return;
  const known = error instanceof AppError ? error : null;
  if (known?.code === "quota_exceeded" && String(known.extra?.quota).endsWith("starts")) {
    await tx.$executeRaw`UPDATE bulk_item SET not_before = now() + ${known.retryAfterMs ?? 1_000} * interval '1 ms'
      WHERE organization_id = ${tx.organizationId}::uuid AND operation_id = ${item.operationId}::uuid AND state = 'waiting'`;
    return;
  }
  await settle(tx, item, "refused", {
    code: known?.code ?? "failed",
    message: known?.detail ?? "Intray could not do it. Its log says why.",
  });
}

/** Ends the operations without waiting items. */
export async function endFinished(tx: Tx): Promise<void> {
  const ended = await tx.$queryRaw<
    { id: string; action: string; actor: unknown; done: number; refused: number }[]
  >`
    UPDATE bulk_operation o SET state = 'done', ended_at = now()
    WHERE o.organization_id = ${tx.organizationId}::uuid AND o.state = 'running' AND NOT EXISTS (
      SELECT FROM bulk_item i WHERE i.organization_id = o.organization_id AND i.operation_id = o.id
        AND i.state = 'waiting')
    RETURNING o.id, o.action, o.actor, (SELECT count(*)::integer FROM bulk_item i
        WHERE i.organization_id = o.organization_id AND i.operation_id = o.id AND i.state = 'done') AS done,
      (SELECT count(*)::integer FROM bulk_item i
        WHERE i.organization_id = o.organization_id AND i.operation_id = o.id AND i.state = 'refused') AS refused`;
  await publishChange(
    tx,
    "bulk_operation",
    ended.map(({ id }) => id),
  );
  await appendEvents(
    tx,
    ended.map(({ id, action, actor, done, refused }) => ({
      type: "bulk.ended" as const,
      actor: actorSchema.parse(actor),
      data: { operationId: id, action, done, refused },
    })),
  );
}
