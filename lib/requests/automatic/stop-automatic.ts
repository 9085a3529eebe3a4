/** Stops all automatic answers of an organization at once, and lets them go on. */

import type { Actor } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { wakeEngine } from "../../base/engine-hints.ts";
import { AppError } from "../../base/errors.ts";
import { publishChange } from "../../base/live-updates.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { lockAutomatic, setStopped } from "../../policy/automatic/switch.ts";
import { undoUnsent } from "../deliveries/delivery-writes.ts";
import { requests } from "../request-status.ts";
import { noteTakenBack, unsentAutomatic } from "./automatic-answer-writes.ts";

/**
 * Stops automatic answers, and takes back those of which nothing was sent. Once this transaction has committed, none is recorded or
 * begins to be sent. If already stopped, takes back what is left. Returns how many were taken back.
 */
export async function stopAutomatic(tx: Tx, { actor }: Principal): Promise<{ takenBack: number }> {
  await lockAutomatic(tx);
  const isNew = await setStopped(tx, actor);
  const takenBack = await takeBackUnsent(tx, actor);
  if (isNew || takenBack > 0)
    await appendEvents(tx, [{ type: "policy.automatic_stopped", actor, data: { takenBack } }]);
  return { takenBack };
}

/** Lets them go on: an owner's, in person. What was taken back stays with people. */
export async function resumeAutomatic(tx: Tx, { actor, userId }: Principal): Promise<void> {
  if (actor.kind !== "member" || userId === null)
    throw new AppError("forbidden", "Only an owner, in person, can resume automatic answers.");
  await lockAutomatic(tx);
  if (!(await setStopped(tx, null))) return;
  await appendEvents(tx, [{ type: "policy.automatic_resumed", actor, data: {} }]);
}

/**
 * Takes back the answers of rules that their servers can't have had, since all of them were stopped. The caller holds the switch's
 * lock. Returns how many.
 */
async function takeBackUnsent(tx: Tx, actor: Actor): Promise<number> {
  const { organizationId } = tx;
  const held = await unsentAutomatic(tx);
  // In one order, since others may take several too. Each task's answers stand still from then on.
  await tx.$queryRaw`SELECT FROM task WHERE organization_id = ${organizationId}::uuid
    AND id = ANY (${held.map(({ taskId }) => taskId)}::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
  const undone = new Set(
    await undoUnsent(
      tx,
      held.map(({ answerId }) => answerId),
    ),
  );
  const taken = held.filter(({ inputRequestId }) => undone.has(inputRequestId));
  if (taken.length === 0) return 0;
  const answers = taken.map(({ answerId }) => answerId);
  await tx.$executeRaw`
    WITH noted AS (${noteTakenBack(organizationId, answers, "stopped")}),
    withdrawn AS (UPDATE answer SET withdrawn_at = now()
      WHERE organization_id = ${organizationId}::uuid AND id = ANY (${answers}::uuid[]))
    UPDATE input_request SET state = 'open' WHERE organization_id = ${organizationId}::uuid
      AND id = ANY (${[...undone]}::uuid[]) AND state = ANY (${requests.before("open", "answered")}::text[])`;
  for (const { inputRequestId, taskId, connectionId } of taken) {
    await publishChange(tx, "input_request", [inputRequestId]);
    await publishChange(tx, "task", [taskId]);
    await wakeEngine(tx, connectionId, taskId);
  }
  await appendEvents(
    tx,
    taken.map(({ inputRequestId, taskId }) => ({
      ...{ type: "answer.undone" as const, actor, taskId, inputRequestId },
      data: { reason: "automatic_stopped" },
    })),
  );
  return taken.length;
}
