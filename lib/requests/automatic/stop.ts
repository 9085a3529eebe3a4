/** Stops all automatic answers of an organization at once, and lets them go on. */
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { lockAutomatic, setStopped } from "../../policy/automatic/switch.ts";
import { takeBackByStop } from "../request-writes.ts";

/**
 * Stops automatic answers, and takes back those of which nothing was sent. Once this transaction has committed, none is recorded or
 * begins to be sent. If already stopped, takes back what is left. Returns how many were taken back.
 */
export async function stopAutomatic(tx: Tx, { actor }: Principal): Promise<{ takenBack: number }> {
  await lockAutomatic(tx);
  const isNew = await setStopped(tx, actor);
  const takenBack = await takeBackByStop(tx, actor);
  if (isNew || takenBack > 0)
    await appendEvents(tx, [{ type: "policy.automatic_stopped", actor, data: { takenBack } }]);
  return { takenBack };
}

/** Lets them go on: an owner's, in person. What was taken back stays with people. */
export async function resumeAutomatic(tx: Tx, { actor, userId }: Principal): Promise<void> {
  if (actor.kind !== "member" || userId === null)
    throw new AppError("forbidden", "An owner, in person, lets automatic answers go on.");
  await lockAutomatic(tx);
  if (!(await setStopped(tx, null))) return;
  await appendEvents(tx, [{ type: "policy.automatic_resumed", actor, data: {} }]);
}
