/**
 * All writes to deliveries. Each names the states that delivery-facts.ts lets it begin from; the caller holds the
 * task's lock. Functions return history lines where the caller appends others with them, last.
 */

import type { Principal } from "../../access/principal.ts";
import { contentOf } from "../../base/content/content-keys.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { wakeEngine } from "../../base/engine-hints.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../../history/events/event-writes.ts";
import { lockRequest } from "../lock-request.ts";
import type { DeliveryState } from "../request-schema.ts";
import { requests } from "../request-status.ts";
import { deliveries } from "./delivery-facts.ts";
import { type Reach, reachOf } from "./reach.ts";

/** The way an answer takes; prisma/migrations/0001_schema explains the values at the column. */
export type Rung = "update" | "same_session" | "asked_again" | "new_session" | "retry" | "fetched";

interface Ids {
  taskId: string;
  inputRequestId: string;
  deliveryId: string;
}

/** SQL for the new state and the condition on the old one: every state that may become it, or only `some`. */
function move(to: DeliveryState, ...some: DeliveryState[]) {
  return {
    set: Prisma.sql`state = ${to}`,
    from: Prisma.sql`state = ANY (${deliveries.before(to, ...some)}::text[])`,
  };
}

/** An answer is sent this long before the end of the question's known lifetime, whatever its hold. */
const LIFETIME_MARGIN_MS = 10_000;

/**
 * SQL that starts an answer's delivery, held for at most `holdMs` for an undo, beside the answer itself. Returns `ms`, the
 * actual hold.
 */
export function newDelivery(
  organizationId: string,
  answer: { id: string; inputRequestId: string; holdMs: number },
): Prisma.Sql {
  const { id, inputRequestId, holdMs } = answer;
  return Prisma.sql`
    INSERT INTO delivery (organization_id, id, answer_id, input_request_id, task_id, state, deliver_after)
    SELECT ${organizationId}::uuid, ${uuidv7()}::uuid, ${id}::uuid, r.id, r.task_id,
      CASE WHEN hold.ms > 0 THEN 'held' ELSE 'pending' END, now() + hold.ms * interval '1 ms'
    FROM input_request r, LATERAL (SELECT greatest(0, least(${holdMs}::float8,
      coalesce(extract(epoch FROM r.expires_at - now()) * 1000 - ${LIFETIME_MARGIN_MS}, ${holdMs}::float8))) AS ms) hold
    WHERE r.organization_id = ${organizationId}::uuid AND r.id = ${inputRequestId}::uuid
    RETURNING round(extract(epoch FROM deliver_after - now()) * 1000)::float8 AS ms`;
}

/** Takes an answer back for a person. Returns the answer's id, or null if the answer is no longer held. */
export async function undo(tx: Tx, inputRequestId: string): Promise<string | null> {
  const { set, from } = move("undone", "held");
  const [undone] = await tx.$queryRaw<{ answerId: string }[]>`
    UPDATE delivery SET ${set} WHERE organization_id = ${tx.organizationId}::uuid
      AND input_request_id = ${inputRequestId}::uuid AND ${from} RETURNING answer_id AS "answerId"`;
  return undone?.answerId ?? null;
}

/**
 * Takes back whichever of these answers the server can't have had, also after their hold. Returns their requests. What was handed
 * over as the result of an elicitation task is the server's to fetch.
 */
export async function undoUnsent(tx: Tx, answerIds: string[]): Promise<string[]> {
  const { set, from } = move("undone");
  const undone = await tx.$queryRaw<{ id: string }[]>`
    UPDATE delivery SET ${set}, waiting_since = NULL WHERE organization_id = ${tx.organizationId}::uuid
      AND answer_id = ANY (${answerIds}::uuid[]) AND ${from} AND accepted_at IS NULL AND NOT in_doubt
      AND NOT EXISTS (SELECT FROM elicitation_task e WHERE e.organization_id = delivery.organization_id
        AND e.input_request_id = delivery.input_request_id AND e.state = 'completed')
    RETURNING input_request_id AS id`;
  return undone.map(({ id }) => id);
}

/** Sends the same content again for a person, after the server took the answer and kept asking. */
export async function resend(tx: Tx, principal: Principal, inputRequestId: string): Promise<void> {
  const request = await lockRequest(tx, principal, inputRequestId);
  const { set, from } = move("pending", "accepted");
  const again =
    request.state === "answered" &&
    (await tx.$executeRaw`
    UPDATE delivery SET ${set}, flagged = false, polls_since_accepted = 0, not_before = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid AND ${from} AND flagged`);
  if (again !== 1)
    throw new AppError(
      "nothing_to_resend",
      "Only an answer that the server took, and still asks for, can be sent again.",
    );
  await publishChange(tx, "input_request", [inputRequestId]);
  await wakeEngine(tx, request.connectionId, request.taskId);
  await appendEvents(tx, [
    { type: "delivery.resend", actor: principal.actor, taskId: request.taskId, inputRequestId },
  ]);
}

/** Ends the hold of answers that are due, by the database's clock. */
export async function releaseHeld(tx: Tx, taskId: string): Promise<number> {
  const { set, from } = move("pending", "held");
  return tx.$executeRaw`UPDATE delivery SET ${set} WHERE organization_id = ${tx.organizationId}::uuid
    AND task_id = ${taskId}::uuid AND ${from} AND deliver_after <= now()`;
}

/**
 * Commits that an answer is about to be sent, before the first byte. Returns false if the delivery is no
 * longer pending or its ask has been taken back. `statusBefore`: what the server last reported, to tell later whether the task moved
 * on. It is the status with its message, or the round of a question that has rounds; empty for an open call. On 2025-11-25 only a
 * change of it proves that the task moved on.
 */
export async function markSending(
  tx: Tx,
  ids: Ids,
  attempt: { epoch: bigint; askId: string; statusBefore: string; rung: Rung },
): Promise<boolean> {
  const { set, from } = move("sending");
  const statusBefore = contentOf(tx).text("delivery.status_before", ids.deliveryId, attempt.statusBefore);
  const marked = await tx.$queryRaw<{ attempts: number }[]>`
    UPDATE delivery SET ${set}, epoch = ${attempt.epoch}, ask_id = ${attempt.askId}::uuid, waiting_since = NULL,
      attempts = attempts + 1, sent_at = now(), status_before = ${statusBefore}, rung = ${attempt.rung}
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND ${from}
      AND EXISTS (SELECT FROM ask k WHERE k.organization_id = delivery.organization_id
        AND k.id = ${attempt.askId}::uuid AND k.retracted_at IS NULL)
    RETURNING attempts`;
  if (!marked[0]) return false;
  await record(tx, ids, {
    type: "delivery.sending",
    data: { attempt: marked[0].attempts, rung: attempt.rung, askId: attempt.askId },
  });
  return true;
}

/**
 * Records that the server answered this attempt with 2xx, which is no proof that the task moved on. `sentAgoMs`: since the first
 * byte, which may be long after the commit of the attempt; what the server asked before that, it asked without the answer. It is
 * measured in this transaction, and counted from its beginning: a stall in between must not have the answer sent after a question
 * that followed it.
 */
export async function markAccepted(
  tx: Tx,
  ids: Ids,
  attempts: number,
  sentAgoMs: number | null = null,
): Promise<void> {
  const { set, from } = move("accepted", "sending");
  const [accepted] = await tx.$queryRaw<{ attempt: number; askId: string }[]>`
    WITH accepted AS (
      UPDATE delivery SET ${set}, accepted_at = now(), polls_since_accepted = 0,
        sent_at = coalesce(now() - ${sentAgoMs}::float8 * interval '1 ms', sent_at), unreachable_since_accepted = false, error = NULL
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND ${from}
        AND attempts = ${attempts}
      RETURNING attempts, ask_id),
    told AS (UPDATE ask SET accepted_at = now() FROM accepted
      WHERE ask.organization_id = ${tx.organizationId}::uuid AND ask.id = accepted.ask_id)
    SELECT attempts AS attempt, ask_id AS "askId" FROM accepted`;
  if (!accepted) return;
  await record(tx, ids, { type: "delivery.accepted", data: accepted });
}

/**
 * Queues an attempt again after nothing of it reached the server, or the server refused it unread. It was never sent then, unless an
 * attempt before may have been.
 */
export async function markUnsent(tx: Tx, ids: Ids, why: string, retryInMs: number): Promise<void> {
  const { set, from } = move("pending", "sending");
  const returned = await tx.$executeRaw`
    UPDATE delivery SET ${set}, error = ${why}, not_before = now() + ${retryInMs} * interval '1 ms',
      sent_at = CASE WHEN in_doubt THEN sent_at END
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND ${from}`;
  if (returned === 1) await record(tx, ids, { type: "delivery.unsent", data: { reason: why } });
}

/** Queues an attempt of unknown outcome again, since the server still asks. */
export async function repeat(tx: Tx, ids: Ids): Promise<NewEvent[]> {
  const { set, from } = move("pending", "sending");
  const repeated = await tx.$executeRaw`
    UPDATE delivery SET ${set}, in_doubt = true, error = 'interrupted', not_before = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND ${from}`;
  const line = { type: "delivery.unsent" as const, data: { reason: "interrupted" } };
  return repeated === 1 ? publish(tx, ids, line) : [];
}

/** Counts a poll that still shows the question of an accepted answer. */
export async function countStillAsked(tx: Tx, ids: Ids): Promise<void> {
  await tx.$executeRaw`UPDATE delivery SET polls_since_accepted = polls_since_accepted + 1
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND state = 'accepted'`;
}

/** Flags an accepted answer that the server keeps asking for; a person has to look. */
export async function flag(tx: Tx, ids: Ids): Promise<NewEvent[]> {
  const flagged = await tx.$executeRaw`
    UPDATE delivery SET polls_since_accepted = polls_since_accepted + 1, flagged = true
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND state = 'accepted'
      AND NOT flagged`;
  return flagged === 1 ? publish(tx, ids, { type: "delivery.flagged" }) : [];
}

/** Queues an accepted answer again, since the server lost it (`by_itself`) or put the question again. */
export async function sendAgain(tx: Tx, ids: Ids, why: "by_itself" | "asked_again"): Promise<NewEvent[]> {
  const { set, from } = move("pending", "accepted");
  const again = await tx.$executeRaw`
    UPDATE delivery SET ${set}, polls_since_accepted = 0, flagged = false, not_before = now(),
      automatic_resends = automatic_resends + ${why === "by_itself" ? 1 : 0}
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND ${from}`;
  const type = why === "by_itself" ? "delivery.resend" : "request.asked_again";
  return again === 1 ? publish(tx, ids, { type }) : [];
}

/**
 * Returns a delivery to accepted: the server took the answer before and won't take it twice, so the task
 * tells the outcome.
 */
export async function awaitTask(tx: Tx, ids: Ids): Promise<void> {
  const { set, from } = move("accepted");
  const back = await tx.$executeRaw`
    UPDATE delivery SET ${set}, polls_since_accepted = 0, unreachable_since_accepted = false, waiting_since = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND ${from}
      AND accepted_at IS NOT NULL`;
  if (back === 1) await publishChange(tx, "input_request", [ids.inputRequestId]);
}

/**
 * Records once that a due answer waits: the server no longer puts its question, or (`fetch`) has still to fetch the answer.
 */
export async function markWaiting(tx: Tx, ids: Ids, until: "asked" | "fetch" = "asked"): Promise<void> {
  const waits = await tx.$executeRaw`
    UPDATE delivery SET waiting_since = greatest(deliver_after, not_before)
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND state = 'pending'
      AND waiting_since IS NULL`;
  const data = until === "fetch" ? { until } : undefined;
  if (waits === 1) await record(tx, ids, { type: "delivery.waiting", ...(data && { data }) });
}

/**
 * Confirms an answer that may have reached a server which has moved on, and settles its request. Returns how far the answer
 * had come, or null if nothing of it can have reached the server. Throws if the request was not answered.
 */
export async function confirm(tx: Tx, inputRequestId: string): Promise<Exclude<Reach, "nothing"> | null> {
  const { set, from } = move("confirmed");
  const [confirmed] = await tx.$queryRaw<{ accepted: boolean; settled: boolean }[]>`
    WITH confirmed AS (
      UPDATE delivery SET ${set}, confirmed_at = now(), in_doubt = in_doubt OR state = 'sending', flagged = false,
        waiting_since = NULL
      WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid AND ${from}
        AND (state <> 'pending' OR accepted_at IS NOT NULL OR in_doubt)
      RETURNING input_request_id, accepted_at IS NOT NULL AS accepted),
    settled AS (
      UPDATE input_request r SET ${SETTLED} FROM confirmed
      WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = confirmed.input_request_id AND ${TO_SETTLE}
      RETURNING r.id)
    SELECT accepted, EXISTS (SELECT FROM settled) AS settled FROM confirmed`;
  if (!confirmed) return null;
  if (!confirmed.settled) throw notAnswered(inputRequestId);
  return confirmed.accepted ? "taken" : "unknown";
}

const SETTLED = Prisma.sql`state = 'settled', ended_at = now()`;
const TO_SETTLE = Prisma.sql`r.state = ANY (${requests.before("settled")}::text[])`;

function notAnswered(inputRequestId: string): Error {
  return new Error(`the request ${inputRequestId} of a confirmed answer was not answered`);
}

/**
 * Confirms an answer that needs no word to the server, and settles its request. Returns false if it is not pending, or an
 * attempt may have reached the server.
 */
export async function confirmUnsent(tx: Tx, inputRequestId: string): Promise<boolean> {
  const { set, from } = move("confirmed", "pending");
  const confirmed = await tx.$executeRaw`
    UPDATE delivery SET ${set}, confirmed_at = now(), waiting_since = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid AND ${from}
      AND accepted_at IS NULL AND NOT in_doubt`;
  if (confirmed !== 1) return false;
  const settled = await tx.$executeRaw`UPDATE input_request r SET ${SETTLED}
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${inputRequestId}::uuid AND ${TO_SETTLE}`;
  if (settled !== 1) throw notAnswered(inputRequestId);
  return true;
}

/**
 * Fails a live answer that can't be sent any more. `notTaken`: the last attempt is known not to have been
 * taken, so the answer is not in doubt. Returns how far the answer had come, or null if no live answer
 * exists.
 */
export async function fail(
  tx: Tx,
  inputRequestId: string,
  { reason, notTaken }: { reason: string; notTaken: boolean },
): Promise<Reach | null> {
  const { set, from } = move("failed");
  const [failed] = await tx.$queryRaw<{ accepted: boolean; inDoubt: boolean }[]>`
    UPDATE delivery SET ${set}, error = ${reason}, in_doubt = in_doubt OR (state = 'sending' AND NOT ${notTaken}),
      waiting_since = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid AND ${from}
    RETURNING accepted_at IS NOT NULL AS accepted, in_doubt AS "inDoubt"`;
  return failed ? reachOf({ state: "failed", ...failed }) : null;
}

/** Notes that the server was unreachable, so it may have lost the answers that it took. */
export async function noteUnreachable(tx: Tx, taskIds: string[]): Promise<void> {
  await tx.$executeRaw`UPDATE delivery SET unreachable_since_accepted = true
    WHERE organization_id = ${tx.organizationId}::uuid AND task_id = ANY(${taskIds}::uuid[])
      AND state = 'accepted' AND NOT unreachable_since_accepted`;
}

async function record(tx: Tx, ids: Ids, event: Pick<NewEvent, "type" | "data">): Promise<void> {
  await appendEvents(tx, await publish(tx, ids, event));
}

/** Publishes the change to viewers of the request. Returns the history line. */
async function publish(
  tx: Tx,
  { taskId, inputRequestId }: Ids,
  event: Pick<NewEvent, "type" | "data">,
): Promise<NewEvent[]> {
  await publishChange(tx, "input_request", [inputRequestId]);
  return [{ ...event, actor: ENGINE_ACTOR, taskId, inputRequestId }];
}
