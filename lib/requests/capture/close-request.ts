/**
 * Settles requests when their server moves on, and the end of their tasks. The caller holds the task's lock, and also the
 * connection's fence where the write follows from a verdict; the outcome of a call is written without the fence, guarded by
 * the state of its attempt. Functions return the history lines, which the caller appends last.
 */
import type { Actor } from "../../access/access-schema.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { publishChange } from "../../base/live-updates.ts";
import { ENGINE_ACTOR, type NewEvent } from "../../history/events/event-writes.ts";
import { noteNeverSent } from "../automatic/automatic-answer-writes.ts";
import { DELIVERY_FACTS, type DeliveryFacts, deliveryFacts } from "../deliveries/delivery-facts.ts";
import * as deliveryWrites from "../deliveries/delivery-writes.ts";
import { judgeDelivery, type Observation, type Verdict } from "../deliveries/judge-delivery.ts";
import type { Reach } from "../deliveries/reach.ts";
import { requests } from "../request-status.ts";

/** A request that waits for a person, or whose answer is on its way. */
export interface LiveRequest {
  id: string;
  questionHash: string;
  ageMs: number;
  /** This request replaced another one. */
  replaced: boolean;
  rewordedAgoMs: number | null;
  rewordings: number;
  mode: string;
  delivery: DeliveryFacts | null;
  action: string | null;
  content: Record<string, unknown> | null;
}

/**
 * Locks and returns a task's requests that wait for a person or whose answer is on its way. `which` narrows
 * them; alias `r`.
 */
export async function lockLiveRequests(
  tx: Tx,
  taskId: string,
  which = Prisma.sql`true`,
): Promise<LiveRequest[]> {
  const rows = await tx.$queryRaw<(Omit<LiveRequest, "delivery"> & { delivery: unknown })[]>`
    SELECT r.id, r.question_hash AS "questionHash", r.mode, r.replaces IS NOT NULL AS replaced,
      (extract(epoch FROM now() - r.created_at) * 1000)::float8 AS "ageMs",
      (extract(epoch FROM now() - r.reworded_at) * 1000)::float8 AS "rewordedAgoMs",
      cardinality(r.earlier_hashes) AS rewordings, a.id AS "answerId", a.action, a.content,
      CASE WHEN d.id IS NOT NULL THEN json_build_object(${DELIVERY_FACTS}) END AS delivery
    FROM input_request r
    LEFT JOIN answer a ON a.organization_id = r.organization_id AND a.input_request_id = r.id AND a.withdrawn_at IS NULL
    LEFT JOIN delivery d ON d.organization_id = a.organization_id AND d.answer_id = a.id
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.state IN ('open', 'answered')
      AND r.task_id = ${taskId}::uuid AND ${which}
    ORDER BY r.created_at, r.id FOR NO KEY UPDATE OF r`;
  return rows.map((row) => ({ ...row, delivery: deliveryFacts.nullable().parse(row.delivery) }));
}

interface Ending extends Closing {
  state: "withdrawn" | "expired";
  reason: string;
  /** The final state of a task that has ended, for the history. */
  ended?: string;
}

/** Writes a verdict of `judgeDelivery()` on a request and its answer. `ending`: how the question ends if it is over. */
export async function carryOutVerdict(
  tx: Tx,
  taskId: string,
  { id: inputRequestId, delivery }: { id: string; delivery: { id: string } | null },
  verdict: Verdict,
  ending: Ending,
): Promise<NewEvent[]> {
  if (verdict === "confirm") return confirmRequest(tx, taskId, inputRequestId, ending.ended);
  if (verdict === "withdraw" || verdict === "undeliverable") {
    const state = verdict === "undeliverable" ? "undeliverable" : ending.state;
    return closeRequest(tx, taskId, inputRequestId, state, ending.reason, ending);
  }
  if (!delivery) return [];
  const ids = { taskId, inputRequestId, deliveryId: delivery.id };
  switch (verdict) {
    case "count":
      await deliveryWrites.countStillAsked(tx, ids);
      return [];
    case "flag":
      return deliveryWrites.flag(tx, ids);
    case "resend":
      return deliveryWrites.sendAgain(tx, ids, "by_itself");
    case "follow":
      return deliveryWrites.sendAgain(tx, ids, "asked_again");
    case "repeat":
      return deliveryWrites.repeat(tx, ids);
    case "await":
      await deliveryWrites.awaitTask(tx, ids);
      return [];
    case "keep":
    case "look_again":
    case "replace":
      return [];
  }
}

/**
 * Settles a request whose answer the server may have had, since the server has moved on: the key is gone,
 * another question came, or the task ended. `ended`: the task's final state, for the history.
 */
export async function confirmRequest(
  tx: Tx,
  taskId: string,
  inputRequestId: string,
  ended?: string,
): Promise<NewEvent[]> {
  const reach = await deliveryWrites.confirm(tx, inputRequestId);
  if (reach === null) return [];
  const data = { ...(reach === "unknown" && { reply: "lost" }), ...(ended && { ended }) };
  return settled(tx, taskId, inputRequestId, data);
}

/** Settles an answer that needs no word to the server; the caller acts on it in the same transaction. */
export async function settleUnsent(tx: Tx, taskId: string, inputRequestId: string): Promise<NewEvent[]> {
  if (!(await deliveryWrites.confirmUnsent(tx, inputRequestId))) return [];
  return settled(tx, taskId, inputRequestId, { reply: "not_needed" });
}

/** Publishes a settled request. Returns the history line. */
async function settled(
  tx: Tx,
  taskId: string,
  inputRequestId: string,
  data: Record<string, string>,
): Promise<NewEvent[]> {
  await publishChange(tx, "input_request", [inputRequestId]);
  return [{ type: "delivery.confirmed", actor: ENGINE_ACTOR, taskId, inputRequestId, data }];
}

interface Closing {
  /** The last attempt is known not to have been taken, so the answer is not in doubt. */
  notTaken?: boolean;
  /** Defaults to the engine. */
  actor?: Actor;
}

/** Ends a live request that can't be answered any more; an answer on its way fails with the reason. */
export async function closeRequest(
  tx: Tx,
  taskId: string,
  inputRequestId: string,
  state: "withdrawn" | "expired" | "undeliverable",
  reason: string,
  { notTaken = false, actor = ENGINE_ACTOR }: Closing = {},
): Promise<NewEvent[]> {
  const reach = await deliveryWrites.fail(tx, inputRequestId, { reason, notTaken });
  const closed = await tx.$executeRaw`
    UPDATE input_request SET state = ${state}, ended_reason = ${reason}, ended_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${inputRequestId}::uuid
      AND state = ANY (${requests.before(state)}::text[])`;
  if (closed !== 1) return [];
  if (reach === "nothing" && !notTaken) await noteNeverSent(tx, inputRequestId);
  await publishChange(tx, "input_request", [inputRequestId]);
  // An attempt that reached the server and was refused is not called unsent.
  const answer = reach && (notTaken && reach === "nothing" ? "not_taken" : ANSWERS[reach]);
  const data = { reason, ...(answer && { answer }) };
  return [{ type: `request.${state}`, actor, taskId, inputRequestId, data }];
}

/** The history's words for how far the answer of a closed question got. */
const ANSWERS: Record<Reach, string> = { nothing: "not_sent", unknown: "in_doubt", taken: "taken" };

/** Confirms or closes every live request of a task that ends, in the transaction that ends the task. */
export function settleAtEnd(
  tx: Tx,
  taskId: string,
  taskState: "completed" | "failed" | "cancelled" | "lost" | "expired",
): Promise<NewEvent[]> {
  return judgeLive(tx, taskId, { kind: "ended", as: taskState }, (delivery) => ({
    state: taskState === "expired" && !delivery ? "expired" : "withdrawn",
    reason: "task_ended",
    ended: taskState,
  }));
}

/**
 * Withdraws a task's open requests and its unsent answers. An answer that is being sent, or was accepted,
 * stays. Returns the history lines; the caller holds the task's lock and appends them.
 */
export function withdrawOpenRequests(
  tx: Tx,
  taskId: string,
  reason: string,
  actor: Actor,
): Promise<NewEvent[]> {
  return judgeLive(tx, taskId, { kind: "cancel_requested" }, () => ({ state: "withdrawn", reason, actor }));
}

/** Judges all live requests of a task by what happened to the task, and writes the verdicts. */
async function judgeLive(
  tx: Tx,
  taskId: string,
  observed: Observation,
  endingOf: (delivery: DeliveryFacts | null) => Ending,
): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const request of await lockLiveRequests(tx, taskId)) {
    const verdict = judgeDelivery(request.delivery, observed);
    const ending = endingOf(request.delivery);
    events.push(...(await carryOutVerdict(tx, taskId, request, verdict, ending)));
  }
  return events;
}
