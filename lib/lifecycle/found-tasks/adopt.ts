/** Adopts a task that a server has and Intray did not start. */

import type { Principal } from "../../access/principal.ts";
import { contentOf } from "../../base/content/content-keys.ts";
import type { Tx } from "../../base/db/db.ts";
import { wakeEngine } from "../../base/engine-hints.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { lockServer } from "../../servers/locks.ts";
import type { AdoptInput } from "../../tasks/found-task-schema.ts";
import { UNKNOWN_TOOL } from "../../tasks/task-schema.ts";
import { insertTaskRow, storedContent } from "../insert-task-row.ts";
import { holdConnection, refuseUnlessUnknown, sharedConnection } from "./guards.ts";
import { resealed, type TakenFind } from "./handle.ts";

/**
 * Turns a found task into a task of the organization that the engine watches. Of two concurrent adoptions one
 * wins. Throws `not_found`, `task_known`, `start_not_settled`, `start_under_way`.
 */
export async function adoptFoundTask(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  at: { serverId: string; foundId: string },
  input: AdoptInput,
): Promise<string> {
  const connectionId = await sharedConnection(tx, at.serverId);
  await holdConnection(tx, connectionId);
  await lockServer(tx, at.serverId);
  const find = await take(tx, connectionId, at.foundId);
  await refuseUnlessUnknown(tx, connectionId, find);
  const id = uuidv7();
  const sealed = resealed(tx.organizationId, seal, find, id);
  const tool = input.tool ?? UNKNOWN_TOOL;
  await insertTaskRow(tx, {
    ...{ id, connectionId, serverId: at.serverId, tool },
    ...storedContent(tx, id, {}, input.label ?? null),
    statusMessage: contentOf(tx).text("task.status_message", id, find.statusMessage),
    state: "working",
    watched: true,
    visibility: "organization",
    requestedBy: principal.actor,
    requesterUserId: principal.userId,
    agentId: null,
    adopted: {
      // Servers list their tasks only in this era.
      era: "2025-11-25",
      sealedHandle: sealed.handle,
      sealedSession: sealed.session,
      handleDigest: find.handleDigest,
    },
    startedAt: find.serverCreatedAt ?? new Date(),
  });
  await publishChange(tx, "task", [id]);
  await publishChange(tx, "server", [at.serverId]);
  await wakeEngine(tx, connectionId, id);
  await appendEvents(tx, [
    { type: "task.adopted", actor: principal.actor, taskId: id, data: { tool, serverId: at.serverId } },
  ]);
  return id;
}

async function take(tx: Tx, connectionId: string, foundId: string): Promise<TakenFind> {
  const where = { organizationId: tx.organizationId, connectionId, id: foundId };
  const find = await tx.foundTask.findFirst({ where });
  if (!find) throw notFound("task on the server");
  if (find.taskId !== null)
    throw new AppError(
      "start_not_settled",
      "A task with an unknown start may be this one. Settle that start first.",
      { extra: { taskId: find.taskId } },
    );
  const taken = await tx.foundTask.deleteMany({ where: { ...where, taskId: null } });
  if (taken.count !== 1) throw notFound("task on the server");
  return find;
}
