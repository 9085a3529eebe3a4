/** All writes to deliveries but those that settle a request with its task (lib/input-requests/capture.ts). */
import { announce, wakeEngine } from "../changes/transitions.ts";
import type { Tx } from "../db.ts";
import { AppError } from "../errors.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../events/transitions.ts";
import { lockRequest } from "../input-requests/guards.ts";
import type { Principal } from "../principal.ts";

/** Which way an answer takes: see the column's comment in the migration 0002. */
export type Rung = "update" | "same_session" | "asked_again" | "new_session" | "retry";

interface Ids {
  taskId: string;
  inputRequestId: string;
  deliveryId: string;
}

/** A person sends the same content again, after the server took it and kept asking. */
export async function resend(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  requestId: string,
): Promise<void> {
  const request = await lockRequest(organizationId, tx, principal, requestId);
  const again = await tx.$executeRaw`
    UPDATE delivery SET state = 'pending', flagged = false, polls_since_accepted = 0, not_before = NULL
    WHERE organization_id = ${organizationId}::uuid AND input_request_id = ${requestId}::uuid
      AND state = 'accepted' AND flagged`;
  if (again !== 1)
    throw new AppError(
      "nothing_to_resend",
      "Only an answer that the server took, and still asks for, can be sent again.",
    );
  await announce(organizationId, tx, "input_request", [requestId]);
  await wakeEngine(tx, request.connectionId, request.taskId);
  await appendEvents(organizationId, tx, [
    { type: "delivery.resend", actor: principal.actor, taskId: request.taskId, inputRequestId: requestId },
  ]);
}

/** Ends the hold of answers whose time has come, by the database's clock. */
export async function releaseHeld(organizationId: string, tx: Tx, taskId: string): Promise<number> {
  return tx.$executeRaw`UPDATE delivery SET state = 'pending' WHERE organization_id = ${organizationId}::uuid
    AND task_id = ${taskId}::uuid AND state = 'held' AND deliver_after <= now()`;
}

/**
 * Commits that an answer is about to be written, before the first byte. False: it is no longer pending.
 * `statusBefore` is what the server said then: on 2025-11-25 only a change of it proves that the task moved on.
 */
export async function markSending(
  organizationId: string,
  tx: Tx,
  ids: Ids,
  attempt: { epoch: bigint; askId: string; statusBefore: string; rung: Rung },
): Promise<boolean> {
  const marked = await tx.$queryRaw<{ attempts: number }[]>`
    UPDATE delivery SET state = 'sending', epoch = ${attempt.epoch}, ask_id = ${attempt.askId}::uuid,
      attempts = attempts + 1, sent_at = now(), status_before = ${attempt.statusBefore}, rung = ${attempt.rung}
    WHERE organization_id = ${organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND state = 'pending'
    RETURNING attempts`;
  if (!marked[0]) return false;
  await record(organizationId, tx, ids, {
    type: "delivery.sending",
    data: { attempt: marked[0].attempts, rung: attempt.rung, askId: attempt.askId },
  });
  return true;
}

/** The server answered this attempt with 2xx. That is no proof that the task moved on. */
export async function markAccepted(
  organizationId: string,
  tx: Tx,
  ids: Ids,
  attempts: number,
): Promise<void> {
  const [accepted] = await tx.$queryRaw<{ attempt: number; askId: string }[]>`
    UPDATE delivery SET state = 'accepted', accepted_at = now(), polls_since_accepted = 0,
      unreachable_since_accepted = false, error = NULL
    WHERE organization_id = ${organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND state = 'sending'
      AND attempts = ${attempts}
    RETURNING attempts AS attempt, ask_id AS "askId"`;
  if (!accepted) return;
  await tx.$executeRaw`UPDATE ask SET accepted_at = now()
    WHERE organization_id = ${organizationId}::uuid AND id = ${accepted.askId}::uuid`;
  await record(organizationId, tx, ids, { type: "delivery.accepted", data: accepted });
}

/** Back to pending: nothing reached the server, or what did is known not to have been taken. */
export async function markUnsent(
  organizationId: string,
  tx: Tx,
  ids: Ids,
  why: string,
  retryInMs: number,
): Promise<void> {
  const returned = await tx.$executeRaw`
    UPDATE delivery SET state = 'pending', error = ${why}, not_before = now() + ${retryInMs} * interval '1 ms'
    WHERE organization_id = ${organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND state = 'sending'`;
  if (returned === 1)
    await record(organizationId, tx, ids, { type: "delivery.unsent", data: { reason: why } });
}

/** A poll still shows the question of an accepted answer. */
export async function markStillAsked(
  organizationId: string,
  tx: Tx,
  ids: Ids,
  verdict: "wait" | "resend" | "flag",
): Promise<void> {
  if (verdict === "resend") {
    const again = await tx.$executeRaw`
      UPDATE delivery SET state = 'pending', polls_since_accepted = 0, automatic_resends = automatic_resends + 1
      WHERE organization_id = ${organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND state = 'accepted'`;
    if (again === 1) await record(organizationId, tx, ids, { type: "delivery.resend" });
    return;
  }
  const flagged = await tx.$queryRaw<{ fresh: boolean }[]>`
    UPDATE delivery d SET polls_since_accepted = d.polls_since_accepted + 1, flagged = ${verdict === "flag"}
    FROM delivery was WHERE was.organization_id = d.organization_id AND was.id = d.id
      AND d.organization_id = ${organizationId}::uuid AND d.id = ${ids.deliveryId}::uuid AND d.state = 'accepted'
    RETURNING d.flagged AND NOT was.flagged AS fresh`;
  if (flagged[0]?.fresh) await record(organizationId, tx, ids, { type: "delivery.flagged" });
}

/** The server could not be reached: what it had taken may be gone with it. */
export async function noteUnreachable(organizationId: string, tx: Tx, taskIds: string[]): Promise<void> {
  await tx.$executeRaw`UPDATE delivery SET unreachable_since_accepted = true
    WHERE organization_id = ${organizationId}::uuid AND task_id = ANY(${taskIds}::uuid[])
      AND state = 'accepted' AND NOT unreachable_since_accepted`;
}

async function record(
  organizationId: string,
  tx: Tx,
  ids: Ids,
  event: Pick<NewEvent, "type" | "data">,
): Promise<void> {
  await announce(organizationId, tx, "input_request", [ids.inputRequestId]);
  await appendEvents(organizationId, tx, [
    { ...event, actor: ENGINE_ACTOR, taskId: ids.taskId, inputRequestId: ids.inputRequestId },
  ]);
}
