/** What becomes of a call that waits for an approval (call-approval-question.ts): it is made, or its task ends. */

import type { Actor } from "../access/access-schema.ts";
import { actorWords } from "../access/actor-words.ts";
import { listedDigest } from "../agents/kept-tools.ts";
import { contentOf } from "../base/content/content-keys.ts";
import { Prisma, storable, type Tx } from "../base/db/db.ts";
import { wakeEngine } from "../base/engine-hints.ts";
import { AppError } from "../base/errors.ts";
import { publishChange } from "../base/live-updates.ts";
import type { NewEvent } from "../history/events/event-writes.ts";
import { refuseDeniedCall } from "../requests/answers/approved-call.ts";
import { labelOf } from "../tasks/task-status.ts";
import { changesOf, changeWords } from "../text/value-changes.ts";
import { callDigest } from "./call-approval-question.ts";
import { endTask, type TaskEnd } from "./end-task.ts";
import { storedContent } from "./insert-task-row.ts";

interface ApprovedTask {
  id: string;
  connectionId: string;
  serverId: string;
  tool: string;
  gate: string;
}

/**
 * Lets the engine make a call that a person approved, once; `changed`: with these arguments instead of those that were asked about. Ends
 * the task if something forbids the call since then (`objectionTo`). Returns history lines; the caller holds the task's lock.
 */
export async function approveCall(
  tx: Tx,
  task: ApprovedTask,
  by: Actor,
  changed: Record<string, unknown> | null,
): Promise<NewEvent[]> {
  const objection = await objectionTo(tx, task, changed);
  if (objection) {
    await endTask(tx, task.id, { state: "failed", ...objection });
    return [];
  }
  const change = changed && (await changeOf(tx, task.id, changed));
  const approved = await tx.$executeRaw`UPDATE task SET gate = 'approved', watched = true, changed_at = now()
      ${change ? change.columns : Prisma.empty}
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${task.id}::uuid AND state = 'queued' AND gate = 'waiting'
      AND cancel_requested_at IS NULL`;
  if (approved !== 1) return [];
  await wakeEngine(tx, task.connectionId, task.id);
  await publishChange(tx, "task", [task.id]);
  const data = change ? { changed: change.words } : {};
  return [{ type: "task.approved", actor: by, taskId: task.id, data }];
}

/** The changes that a line of the history names. */
const MOST_NAMED = 20;

/** What is written of a call that a person changed, and the changes in words. What was asked about is kept. */
async function changeOf(
  tx: Tx,
  taskId: string,
  changed: Record<string, unknown>,
): Promise<{ columns: Prisma.Sql; words: string[] }> {
  const asked = await tx.task.findFirstOrThrow({
    where: { organizationId: tx.organizationId, id: taskId },
    select: { id: true, serverId: true, tool: true, arguments: true },
  });
  const content = contentOf(tx);
  const stored = storedContent(tx, taskId, changed, labelOf(changed));
  const before = content.json("task.asked_arguments", taskId, storable(asked.arguments));
  const digest = callDigest(tx, { serverId: asked.serverId, tool: asked.tool, arguments: changed });
  const { changes, isAll } = changesOf(asked.arguments, changed);
  const words = changes.slice(0, MOST_NAMED).map(changeWords);
  return {
    columns: Prisma.sql`, arguments = ${JSON.stringify(stored.arguments)}::json, label = ${stored.label},
      asked_arguments = ${JSON.stringify(before)}::json, gate_digest = ${digest}::bytea`,
    words: isAll && changes.length <= MOST_NAMED ? words : [...words, "and more"],
  };
}

/**
 * Why an approved call is not made; null: nothing forbids it. The server changed the tool since the approval was asked for. Or a rule
 * denies the call, or its agent is gone, since the approval was given: it could still be undone.
 */
async function objectionTo(
  tx: Tx,
  { id, serverId, tool, gate }: ApprovedTask,
  changed: Record<string, unknown> | null,
): Promise<Pick<TaskEnd, "gate" | "error"> | null> {
  if (await hasToolChanged(tx, id)) {
    const message =
      "This tool, or its recipe, changed while the call waited for its approval, so the call was not made. Start it again to have it decided again.";
    return { gate: "withdrawn", error: { code: "tool_changed", message } };
  }
  try {
    await refuseDeniedCall(tx, { origin: "intray", taskId: id, gate, serverId, tool }, changed);
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "denied_by_rule") throw error;
    return { gate: "declined", error: { code: error.code, message: error.detail } };
  }
}

async function hasToolChanged(tx: Tx, taskId: string): Promise<boolean> {
  const [asked] = await tx.$queryRaw<{ serverId: string; tool: string; digest: string | null }[]>`
    SELECT server_id AS "serverId", tool, gate_tool_digest AS digest FROM task
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND gate = 'waiting'`;
  if (!asked?.digest) return false;
  const now = await listedDigest(tx, asked.serverId, asked.tool);
  return now !== undefined && now !== asked.digest;
}

/** Ends a task whose call was declined. `revise`: another call is asked for, as the reason says. */
export async function declineCall(
  tx: Tx,
  taskId: string,
  { by, reason, revise }: { by: Actor; reason: string | null; revise: boolean },
): Promise<void> {
  const did = revise ? "asks to revise" : "declined";
  const message = `${actorWords(by, { begins: true })} ${did} this call${reason ? `: ${reason}` : "."}`;
  const person = by.id === null ? {} : { by: { id: by.id, name: by.name } };
  await endTask(tx, taskId, {
    state: "failed",
    gate: "declined",
    error: {
      code: "call_declined",
      message,
      ...person,
      ...(reason && { reason }),
      ...(revise && { revise }),
    },
  });
}

/** Ends a task whose call nobody approved in time. */
export async function expireCall(tx: Tx, taskId: string): Promise<void> {
  const message = "Nobody approved this call in time, so it was not made.";
  await endTask(tx, taskId, {
    state: "failed",
    gate: "expired",
    error: { code: "approval_expired", message },
  });
}
