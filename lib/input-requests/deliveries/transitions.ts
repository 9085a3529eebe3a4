/**
 * All writes to deliveries. Each carries the states that lib/input-requests/deliveries/status.ts lets it begin from; the caller holds
 * the task's lock. Returns lines of history where the caller has others to append with them, last.
 */

import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../../events/transitions.ts";
import { publishChange, wakeEngine } from "../../live-updates/transitions.ts";
import { lockRequest } from "../guards.ts";
import type { DeliveryState } from "../schema.ts";
import { deliveries, type Reach, reachOf } from "./status.ts";

/** Which way an answer takes: see the column's comment in the migration 0002. */
export type Rung = "update" | "same_session" | "asked_again" | "new_session" | "retry";

interface Ids {
  taskId: string;
  inputRequestId: string;
  deliveryId: string;
}

/** The state, and the condition on what it was: of all states that may become it, or of `some` of them. */
function move(to: DeliveryState, ...some: DeliveryState[]) {
  return {
    set: Prisma.sql`state = ${to}`,
    from: Prisma.sql`state = ANY (${deliveries.before(to, ...some)}::text[])`,
  };
}

/** An answer leaves this long before the end of a question's known lifetime, whatever the hold. */
const LIFETIME_MARGIN_MS = 10_000;

/** An answer begins its way, held for so long at most that it can be taken back. Returns for how long, in ms. */
export async function beginDelivery(
  organizationId: string,
  tx: Tx,
  answer: { id: string; inputRequestId: string; holdMs: number },
): Promise<number> {
  const { id, inputRequestId, holdMs } = answer;
  const [hold] = await tx.$queryRaw<{ ms: number }[]>`
    INSERT INTO delivery (organization_id, id, answer_id, input_request_id, task_id, state, deliver_after)
    SELECT ${organizationId}::uuid, ${uuidv7()}::uuid, ${id}::uuid, r.id, r.task_id,
      CASE WHEN hold.ms > 0 THEN 'held' ELSE 'pending' END, now() + hold.ms * interval '1 ms'
    FROM input_request r, LATERAL (SELECT greatest(0, least(${holdMs},
      coalesce(extract(epoch FROM r.expires_at - now()) * 1000 - ${LIFETIME_MARGIN_MS}, ${holdMs}))) AS ms) hold
    WHERE r.organization_id = ${organizationId}::uuid AND r.id = ${inputRequestId}::uuid
    RETURNING round(extract(epoch FROM deliver_after - now()) * 1000)::float8 AS ms`;
  return hold?.ms ?? 0;
}

/** A person takes an answer back. Returns the answer's id; null: it is held no more. */
export async function undo(organizationId: string, tx: Tx, inputRequestId: string): Promise<string | null> {
  const { set, from } = move("undone");
  const [undone] = await tx.$queryRaw<{ answerId: string }[]>`
    UPDATE delivery SET ${set} WHERE organization_id = ${organizationId}::uuid
      AND input_request_id = ${inputRequestId}::uuid AND ${from} RETURNING answer_id AS "answerId"`;
  return undone?.answerId ?? null;
}

/** A person sends the same content again, after the server took it and kept asking. */
export async function resend(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  requestId: string,
): Promise<void> {
  const request = await lockRequest(organizationId, tx, principal, requestId);
  const { set, from } = move("pending", "accepted");
  const again =
    request.state === "answered" &&
    (await tx.$executeRaw`
    UPDATE delivery SET ${set}, flagged = false, polls_since_accepted = 0, not_before = now()
    WHERE organization_id = ${organizationId}::uuid AND input_request_id = ${requestId}::uuid AND ${from} AND flagged`);
  if (again !== 1)
    throw new AppError(
      "nothing_to_resend",
      "Only an answer that the server took, and still asks for, can be sent again.",
    );
  await publishChange(organizationId, tx, "input_request", [requestId]);
  await wakeEngine(tx, request.connectionId, request.taskId);
  await appendEvents(organizationId, tx, [
    { type: "delivery.resend", actor: principal.actor, taskId: request.taskId, inputRequestId: requestId },
  ]);
}

/** Ends the hold of answers whose time has come, by the database's clock. */
export async function releaseHeld(organizationId: string, tx: Tx, taskId: string): Promise<number> {
  const { set, from } = move("pending", "held");
  return tx.$executeRaw`UPDATE delivery SET ${set} WHERE organization_id = ${organizationId}::uuid
    AND task_id = ${taskId}::uuid AND ${from} AND deliver_after <= now()`;
}

/**
 * Commits that an answer is about to be written, before the first byte. False: it is no longer pending, or the ask that it
 * would go to has been taken back.
 * `statusBefore` is what the server said then: on 2025-11-25 only a change of it proves that the task moved on.
 */
export async function markSending(
  organizationId: string,
  tx: Tx,
  ids: Ids,
  attempt: { epoch: bigint; askId: string; statusBefore: string; rung: Rung },
): Promise<boolean> {
  const { set, from } = move("sending");
  const marked = await tx.$queryRaw<{ attempts: number }[]>`
    UPDATE delivery SET ${set}, epoch = ${attempt.epoch}, ask_id = ${attempt.askId}::uuid, waiting_since = NULL,
      attempts = attempts + 1, sent_at = now(), status_before = ${attempt.statusBefore}, rung = ${attempt.rung}
    WHERE organization_id = ${organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND ${from}
      AND EXISTS (SELECT FROM ask k WHERE k.organization_id = delivery.organization_id
        AND k.id = ${attempt.askId}::uuid AND k.retracted_at IS NULL)
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
  const { set, from } = move("accepted", "sending");
  const [accepted] = await tx.$queryRaw<{ attempt: number; askId: string }[]>`
    UPDATE delivery SET ${set}, accepted_at = now(), polls_since_accepted = 0,
      unreachable_since_accepted = false, error = NULL
    WHERE organization_id = ${organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND ${from}
      AND attempts = ${attempts}
    RETURNING attempts AS attempt, ask_id AS "askId"`;
  if (!accepted) return;
  await tx.$executeRaw`UPDATE ask SET accepted_at = now()
    WHERE organization_id = ${organizationId}::uuid AND id = ${accepted.askId}::uuid`;
  await record(organizationId, tx, ids, { type: "delivery.accepted", data: accepted });
}

/** Nothing of the attempt reached the server, or it was refused before it was read: it is made again. */
export async function markUnsent(
  organizationId: string,
  tx: Tx,
  ids: Ids,
  why: string,
  retryInMs: number,
): Promise<void> {
  const { set, from } = move("pending", "sending");
  const returned = await tx.$executeRaw`
    UPDATE delivery SET ${set}, error = ${why}, not_before = now() + ${retryInMs} * interval '1 ms'
    WHERE organization_id = ${organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND ${from}`;
  if (returned === 1)
    await record(organizationId, tx, ids, { type: "delivery.unsent", data: { reason: why } });
}

/** Nobody knows what became of the attempt, and the server still asks: it is made again. */
export async function repeat(organizationId: string, tx: Tx, ids: Ids): Promise<NewEvent[]> {
  const { set, from } = move("pending", "sending");
  const repeated = await tx.$executeRaw`
    UPDATE delivery SET ${set}, in_doubt = true, error = 'interrupted', not_before = now()
    WHERE organization_id = ${organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND ${from}`;
  const line = { type: "delivery.unsent" as const, data: { reason: "interrupted" } };
  return repeated === 1 ? told(organizationId, tx, ids, line) : [];
}

/** A poll still shows the question of an accepted answer. */
export async function countStillAsked(organizationId: string, tx: Tx, ids: Ids): Promise<void> {
  await tx.$executeRaw`UPDATE delivery SET polls_since_accepted = polls_since_accepted + 1
    WHERE organization_id = ${organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND state = 'accepted'`;
}

/** The server keeps asking for an accepted answer: a person has to look. */
export async function flag(organizationId: string, tx: Tx, ids: Ids): Promise<NewEvent[]> {
  const flagged = await tx.$executeRaw`
    UPDATE delivery SET polls_since_accepted = polls_since_accepted + 1, flagged = true
    WHERE organization_id = ${organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND state = 'accepted'
      AND NOT flagged`;
  return flagged === 1 ? told(organizationId, tx, ids, { type: "delivery.flagged" }) : [];
}

/** An accepted answer is sent again, since the server lost it (`by_itself`) or has put the question anew. */
export async function sendAgain(
  organizationId: string,
  tx: Tx,
  ids: Ids,
  why: "by_itself" | "asked_again",
): Promise<NewEvent[]> {
  const { set, from } = move("pending", "accepted");
  const again = await tx.$executeRaw`
    UPDATE delivery SET ${set}, polls_since_accepted = 0, flagged = false, not_before = now(),
      automatic_resends = automatic_resends + ${why === "by_itself" ? 1 : 0}
    WHERE organization_id = ${organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND ${from}`;
  const type = why === "by_itself" ? "delivery.resend" : "request.asked_again";
  return again === 1 ? told(organizationId, tx, ids, { type }) : [];
}

/** The server had taken the answer before, and takes it no second time: the task tells what comes of it. */
export async function awaitTask(organizationId: string, tx: Tx, ids: Ids): Promise<void> {
  const { set, from } = move("accepted");
  const back = await tx.$executeRaw`
    UPDATE delivery SET ${set}, polls_since_accepted = 0, unreachable_since_accepted = false, waiting_since = NULL
    WHERE organization_id = ${organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND ${from}
      AND accepted_at IS NOT NULL`;
  if (back === 1) await publishChange(organizationId, tx, "input_request", [ids.inputRequestId]);
}

/** What is due can't be sent since the server no longer puts its question: said once. */
export async function markWaiting(organizationId: string, tx: Tx, ids: Ids): Promise<void> {
  const waits = await tx.$executeRaw`
    UPDATE delivery SET waiting_since = greatest(deliver_after, not_before)
    WHERE organization_id = ${organizationId}::uuid AND id = ${ids.deliveryId}::uuid AND state = 'pending'
      AND waiting_since IS NULL`;
  if (waits === 1) await record(organizationId, tx, ids, { type: "delivery.waiting" });
}

/** The server has moved on. Only what may have reached it: returns how far it had come, null where nothing had. */
export async function confirm(
  organizationId: string,
  tx: Tx,
  inputRequestId: string,
): Promise<Exclude<Reach, "nothing"> | null> {
  const { set, from } = move("confirmed");
  const [confirmed] = await tx.$queryRaw<{ accepted: boolean }[]>`
    UPDATE delivery SET ${set}, confirmed_at = now(), in_doubt = in_doubt OR state = 'sending', flagged = false,
      waiting_since = NULL
    WHERE organization_id = ${organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid AND ${from}
      AND (state <> 'pending' OR accepted_at IS NOT NULL OR in_doubt)
    RETURNING accepted_at IS NOT NULL AS accepted`;
  if (!confirmed) return null;
  return confirmed.accepted ? "taken" : "unknown";
}

/** What the answer says is done without telling the server. False: it is not pending, or an attempt was made. */
export async function carryOut(organizationId: string, tx: Tx, inputRequestId: string): Promise<boolean> {
  const { set, from } = move("confirmed", "pending");
  const carriedOut = await tx.$executeRaw`
    UPDATE delivery SET ${set}, confirmed_at = now(), waiting_since = NULL
    WHERE organization_id = ${organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid AND ${from}
      AND accepted_at IS NULL AND NOT in_doubt`;
  return carriedOut === 1;
}

/**
 * A live answer can't be sent any more. `notTaken`: it is known that the last attempt was not taken, so that nobody has
 * to wonder about it. Returns how far the answer had come; null: there is none.
 */
export async function fail(
  organizationId: string,
  tx: Tx,
  inputRequestId: string,
  { reason, notTaken }: { reason: string; notTaken: boolean },
): Promise<Reach | null> {
  const { set, from } = move("failed");
  const [failed] = await tx.$queryRaw<{ accepted: boolean; inDoubt: boolean }[]>`
    UPDATE delivery SET ${set}, error = ${reason}, in_doubt = in_doubt OR (state = 'sending' AND NOT ${notTaken}),
      waiting_since = NULL
    WHERE organization_id = ${organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid AND ${from}
    RETURNING accepted_at IS NOT NULL AS accepted, in_doubt AS "inDoubt"`;
  return failed ? reachOf({ state: "failed", ...failed }) : null;
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
  await appendEvents(organizationId, tx, await told(organizationId, tx, ids, event));
}

/** Tells whoever looks at the request. Returns the line. */
async function told(
  organizationId: string,
  tx: Tx,
  { taskId, inputRequestId }: Ids,
  event: Pick<NewEvent, "type" | "data">,
): Promise<NewEvent[]> {
  await publishChange(organizationId, tx, "input_request", [inputRequestId]);
  return [{ ...event, actor: ENGINE_ACTOR, taskId, inputRequestId }];
}
