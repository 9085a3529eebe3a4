/**
 * What the engine does to input requests: it captures the questions that servers put, and settles them when the
 * server moves on. The caller holds the fence of the connection; every function locks the task first and returns
 * the history lines, which the caller appends last.
 */
import { z } from "zod";
import { announce } from "../changes/transitions.ts";
import { Prisma, storable, storableText, type Tx } from "../db.ts";
import { MAX_ATTEMPTS_WHEN_ASKED_AGAIN } from "../deliveries/status.ts";
import { ENGINE_ACTOR, type NewEvent } from "../events/transitions.ts";
import { amountOf } from "../format/amount.ts";
import { uuidv7 } from "../ids.ts";
import { ASKS, OPEN_QUESTIONS, QUESTIONS } from "../mcp/limits.ts";
import type { Question, RpcId } from "../mcp/peer.ts";
import { questionHash } from "../mcp/question.ts";
import { shownOf } from "../mcp/shown.ts";
import type { DeliveryState } from "./schema.ts";
import { settlementAtEnd } from "./status.ts";

/** So much of a question stands in the history; the question hash beside it covers all of it. */
const EVENT_CHARACTERS = 4_000;

export interface CapturedQuestion {
  question: Question;
  /** 2026-07-28: the server's key. 2025-11-25: null, a question is known by what it asks, and several may be open. */
  key: string | null;
  /** 2025-11-25: where an answer has to go; the session only as a digest. And the stream's message that it came with. */
  rpc: { sessionDigest: Buffer; rpcId: RpcId; messageId: string } | null;
  /** How long the server is known to wait for an answer, in ms; null: as long as the task lives. */
  lifetimeMs: number | null;
}

interface LiveRequest {
  id: string;
  state: "open" | "answered";
  questionHash: string;
  deliveryId: string | null;
  deliveryState: DeliveryState | null;
  attempts: number | null;
  /** The server accepted the answer, whatever came after. */
  takenBefore: boolean;
}

interface AskingTask {
  connectionId: string;
  expiresAt: Date | null;
  arguments: unknown;
  over: boolean;
}

/** Stores a question before anything else is done with it. Seen before: nothing, or one more way to answer it. */
export async function captureQuestion(
  organizationId: string,
  tx: Tx,
  taskId: string,
  captured: CapturedQuestion,
): Promise<NewEvent[]> {
  const tasks = await tx.$queryRaw<AskingTask[]>`
    SELECT connection_id AS "connectionId", expires_at AS "expiresAt", arguments,
      (cancel_requested_at IS NOT NULL OR finished_at IS NOT NULL) AS over
    FROM task WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid FOR NO KEY UPDATE`;
  const task = tasks[0];
  if (!task || task.over) return [];
  const { question, rpc } = captured;
  const hash = questionHash({ taskId, ...question });
  const key = captured.key ?? hash;
  if (rpc && (await isKnownAsk(organizationId, tx, taskId, hash, rpc))) return [];

  const [live] = await liveRequests(
    organizationId,
    tx,
    Prisma.sql`r.task_id = ${taskId}::uuid AND ${sameQuestion(captured.key, hash)}`,
  );
  if (live?.questionHash === hash)
    return rpc ? askedAgainLive(organizationId, tx, taskId, live, captured) : [];

  const events: NewEvent[] = [];
  let replaces: string | null = null;
  if (live) {
    const taken = live.deliveryState === "accepted" || live.deliveryState === "sending";
    if (taken) events.push(...(await confirmRequest(organizationId, tx, taskId, live.id)));
    else {
      events.push(...(await closeRequest(organizationId, tx, taskId, live.id, "withdrawn", "replaced")));
      replaces = live.id;
    }
  } else {
    const reopened = await reopenUndeliverable(organizationId, tx, taskId, hash, captured);
    if (reopened) return reopened;
  }
  if (rpc) events.push(...(await confirmTakenBefore(organizationId, tx, taskId, rpc.messageId)));
  const asked = await tx.inputRequest.count({ where: { organizationId, taskId } });
  if (asked >= QUESTIONS) return events;

  const id = uuidv7();
  const confirmedBefore = await tx.inputRequest.count({
    where: { organizationId, taskId, questionHash: hash, state: "settled" },
  });
  const shown = shownOf(question);
  const amount = amountOf(z.record(z.string(), z.unknown()).parse(task.arguments), shown.message);
  await tx.inputRequest.create({
    data: {
      organizationId,
      id,
      taskId,
      connectionId: task.connectionId,
      key: storableText(key),
      state: "open",
      mode: question.mode,
      message: storableText(shown.message),
      requestedSchema: shown.requestedSchema === undefined ? Prisma.DbNull : storable(shown.requestedSchema),
      url: shown.url === null ? null : storableText(shown.url),
      form: storable(shown.form),
      questionHash: hash,
      amount: amount?.value ?? null,
      currency: amount?.currency ?? null,
      replaces,
      askedAgain: confirmedBefore > 0,
      expiresAt: earliest(task.expiresAt, captured.lifetimeMs),
    },
  });
  await addAsk(organizationId, tx, taskId, id, captured);
  await announce(organizationId, tx, "input_request", [id]);
  const message = shown.message.slice(0, EVENT_CHARACTERS);
  const data = { message, questionHash: hash, askedAgain: confirmedBefore > 0 };
  events.push({
    type: replaces ? "request.replaced" : "request.opened",
    actor: ENGINE_ACTOR,
    taskId,
    inputRequestId: id,
    data: replaces ? { ...data, replaces } : data,
  });
  if (asked + 1 === QUESTIONS)
    events.push({ type: "request.last_taken", actor: ENGINE_ACTOR, taskId, data: { taken: QUESTIONS } });
  return events;
}

/** The server has taken the answer and moved on: the key is gone, another question came, or the task ended. */
export async function confirmRequest(
  organizationId: string,
  tx: Tx,
  taskId: string,
  requestId: string,
): Promise<NewEvent[]> {
  const confirmed = await tx.$executeRaw`
    UPDATE delivery SET state = 'confirmed', confirmed_at = now(), accepted_at = coalesce(accepted_at, now()),
      flagged = false
    WHERE organization_id = ${organizationId}::uuid AND input_request_id = ${requestId}::uuid
      AND (state IN ('accepted', 'sending') OR (state = 'pending' AND accepted_at IS NOT NULL))`;
  const settled = await tx.$executeRaw`
    UPDATE input_request SET state = 'settled', ended_at = now() WHERE organization_id = ${organizationId}::uuid
      AND id = ${requestId}::uuid AND state = 'answered'`;
  if (confirmed !== 1 || settled !== 1) return [];
  await announce(organizationId, tx, "input_request", [requestId]);
  return [{ type: "delivery.confirmed", actor: ENGINE_ACTOR, taskId, inputRequestId: requestId }];
}

/** Ends a live request that can't be answered any more; an answer on its way fails with the reason. */
export async function closeRequest(
  organizationId: string,
  tx: Tx,
  taskId: string,
  requestId: string,
  state: "withdrawn" | "expired" | "undeliverable",
  reason: string,
): Promise<NewEvent[]> {
  await tx.$executeRaw`UPDATE delivery SET state = 'failed', error = ${reason}
    WHERE organization_id = ${organizationId}::uuid AND input_request_id = ${requestId}::uuid
      AND state IN ('held', 'pending', 'sending', 'accepted')`;
  const closed = await tx.$executeRaw`
    UPDATE input_request SET state = ${state}, ended_reason = ${reason}, ended_at = now()
    WHERE organization_id = ${organizationId}::uuid AND id = ${requestId}::uuid AND state IN ('open', 'answered')`;
  if (closed !== 1) return [];
  await announce(organizationId, tx, "input_request", [requestId]);
  return [
    { type: `request.${state}`, actor: ENGINE_ACTOR, taskId, inputRequestId: requestId, data: { reason } },
  ];
}

/** Settles every live request of a task that ends, in the transaction that ends it. */
export async function settleAtEnd(
  organizationId: string,
  tx: Tx,
  taskId: string,
  taskState: "completed" | "failed" | "cancelled" | "lost" | "expired",
): Promise<NewEvent[]> {
  const live = await liveRequests(organizationId, tx, Prisma.sql`r.task_id = ${taskId}::uuid`);
  const events: NewEvent[] = [];
  for (const request of live) {
    const settled = settlementAtEnd(request.state, request.deliveryState, taskState, request.takenBefore);
    const more =
      settled.request === "settled"
        ? await confirmRequest(organizationId, tx, taskId, request.id)
        : await closeRequest(
            organizationId,
            tx,
            taskId,
            request.id,
            settled.request as "withdrawn",
            "task_ended",
          );
    events.push(...more);
  }
  return events;
}

/** Which request a question is, by the server's key or by what is asked; alias `r`. */
function sameQuestion(key: string | null, hash: string): Prisma.Sql {
  return key === null ? Prisma.sql`r.question_hash = ${hash}` : Prisma.sql`r.key = ${key}`;
}

/** 2025-11-25: whether the task may have one more question open, or this one is open already. */
export async function hasRoom(
  organizationId: string,
  tx: Tx,
  taskId: string,
  question: Question,
): Promise<boolean> {
  const live = await tx.inputRequest.findMany({
    where: { organizationId, taskId, state: { in: ["open", "answered"] } },
    select: { questionHash: true },
  });
  const hash = questionHash({ taskId, ...question });
  return live.length < OPEN_QUESTIONS || live.some(({ questionHash }) => questionHash === hash);
}

/**
 * 2025-11-25: the server asks something else, after it had accepted these answers: it has gone on with them. One whose
 * outcome is unknown is not taken for that, for a task may ask two questions at once.
 */
async function confirmTakenBefore(
  organizationId: string,
  tx: Tx,
  taskId: string,
  messageId: string,
): Promise<NewEvent[]> {
  const taken = await tx.$queryRaw<{ id: string }[]>`
    SELECT r.id FROM input_request r
      JOIN delivery d ON d.organization_id = r.organization_id AND d.input_request_id = r.id AND d.state = 'accepted'
    WHERE r.organization_id = ${organizationId}::uuid AND r.task_id = ${taskId}::uuid AND r.state = 'answered'
      AND d.accepted_at < (SELECT m.received_at FROM stream_message m
        WHERE m.organization_id = ${organizationId}::uuid AND m.id = ${messageId}::uuid)`;
  const events: NewEvent[] = [];
  for (const { id } of taken) events.push(...(await confirmRequest(organizationId, tx, taskId, id)));
  return events;
}

function liveRequests(organizationId: string, tx: Tx, which: Prisma.Sql): Promise<LiveRequest[]> {
  return tx.$queryRaw<LiveRequest[]>`
    SELECT r.id, r.state, r.question_hash AS "questionHash", d.id AS "deliveryId", d.state AS "deliveryState", d.attempts,
      d.accepted_at IS NOT NULL AS "takenBefore"
    FROM input_request r
    LEFT JOIN answer a ON a.organization_id = r.organization_id AND a.input_request_id = r.id AND a.withdrawn_at IS NULL
    LEFT JOIN delivery d ON d.organization_id = a.organization_id AND d.answer_id = a.id
    WHERE r.organization_id = ${organizationId}::uuid AND r.state IN ('open', 'answered') AND ${which}
    ORDER BY r.created_at FOR NO KEY UPDATE OF r`;
}

/**
 * The very same message once more, as servers that replay a stream send it. The same id with another question, or with one
 * that is over, is a server's that begins its ids anew.
 */
async function isKnownAsk(
  organizationId: string,
  tx: Tx,
  taskId: string,
  hash: string,
  rpc: { sessionDigest: Buffer; rpcId: RpcId },
): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT 1 FROM ask k
    JOIN input_request r ON r.organization_id = k.organization_id AND r.id = k.input_request_id
    WHERE k.organization_id = ${organizationId}::uuid AND k.session_digest = ${rpc.sessionDigest}
      AND k.rpc_id = ${JSON.stringify(storable(rpc.rpcId))}::jsonb AND k.retracted_at IS NULL
      AND r.task_id = ${taskId}::uuid AND r.question_hash = ${hash} AND r.state IN ('open', 'answered')`;
  return rows.length > 0;
}

/** 2025-11-25, the same question under a new JSON-RPC id: the answer, if there is one, follows to the newest ask. */
async function askedAgainLive(
  organizationId: string,
  tx: Tx,
  taskId: string,
  live: LiveRequest,
  captured: CapturedQuestion,
): Promise<NewEvent[]> {
  await addAsk(organizationId, tx, taskId, live.id, captured);
  if (live.deliveryState !== "accepted") return [];
  if ((live.attempts ?? 0) >= MAX_ATTEMPTS_WHEN_ASKED_AGAIN) {
    await tx.delivery.updateMany({
      where: { organizationId, id: live.deliveryId! },
      data: { flagged: true },
    });
    return [{ type: "delivery.flagged", actor: ENGINE_ACTOR, taskId, inputRequestId: live.id }];
  }
  await tx.delivery.updateMany({
    where: { organizationId, id: live.deliveryId!, state: "accepted" },
    data: { state: "pending", pollsSinceAccepted: 0 },
  });
  return [{ type: "request.asked_again", actor: ENGINE_ACTOR, taskId, inputRequestId: live.id }];
}

/** The server still asks what could not be delivered: the same request opens again, for a person to decide anew. */
async function reopenUndeliverable(
  organizationId: string,
  tx: Tx,
  taskId: string,
  hash: string,
  captured: CapturedQuestion,
): Promise<NewEvent[] | null> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE input_request SET state = 'open', ended_at = NULL WHERE organization_id = ${organizationId}::uuid AND id = (
      SELECT id FROM input_request r WHERE organization_id = ${organizationId}::uuid AND task_id = ${taskId}::uuid
        AND ${sameQuestion(captured.key, hash)} AND question_hash = ${hash} AND state = 'undeliverable'
      ORDER BY created_at DESC LIMIT 1) RETURNING id`;
  const id = rows[0]?.id;
  if (!id) return null;
  await tx.answer.updateMany({
    where: { organizationId, inputRequestId: id, withdrawnAt: null },
    data: { withdrawnAt: new Date() },
  });
  await addAsk(organizationId, tx, taskId, id, captured);
  await announce(organizationId, tx, "input_request", [id]);
  return [{ type: "request.reopened", actor: ENGINE_ACTOR, taskId, inputRequestId: id }];
}

function earliest(taskEnds: Date | null, lifetimeMs: number | null): Date | null {
  if (lifetimeMs === null) return taskEnds;
  const givenUp = new Date(Date.now() + lifetimeMs);
  return taskEnds && taskEnds < givenUp ? taskEnds : givenUp;
}

/** How an ask came, by the last one of its request. */
async function cameHow(organizationId: string, tx: Tx, requestId: string, rpc: CapturedQuestion["rpc"]) {
  const last = await tx.ask.findFirst({
    where: { organizationId, inputRequestId: requestId },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    select: { sessionDigest: true },
  });
  if (!last || !rpc) return "first";
  return rpc.sessionDigest.equals(last.sessionDigest ?? Buffer.alloc(0)) ? "asked_again" : "new_session";
}

async function addAsk(
  organizationId: string,
  tx: Tx,
  taskId: string,
  inputRequestId: string,
  captured: CapturedQuestion,
): Promise<void> {
  await tx.ask.create({
    data: {
      organizationId,
      id: uuidv7(),
      inputRequestId,
      taskId,
      key: captured.rpc ? null : captured.key,
      sessionDigest: captured.rpc ? Uint8Array.from(captured.rpc.sessionDigest) : null,
      rpcId: captured.rpc ? storable(captured.rpc.rpcId) : Prisma.DbNull,
      came: await cameHow(organizationId, tx, inputRequestId, captured.rpc),
    },
  });
  await tx.$executeRaw`DELETE FROM ask a WHERE organization_id = ${organizationId}::uuid
    AND input_request_id = ${inputRequestId}::uuid AND accepted_at IS NULL
    AND NOT EXISTS (SELECT FROM delivery d WHERE d.organization_id = a.organization_id AND d.ask_id = a.id)
    AND id NOT IN (SELECT id FROM ask WHERE organization_id = ${organizationId}::uuid
      AND input_request_id = ${inputRequestId}::uuid ORDER BY created_at DESC, id DESC LIMIT ${ASKS})`;
}
