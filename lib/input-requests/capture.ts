/**
 * The engine's writes to input requests: capturing the questions that servers put, and settling them when the
 * server moves on. The caller holds the task's lock, and also the connection's fence where the write follows
 * from a verdict. The outcome of a call is written without the fence; the state of its attempt guards that
 * write. Functions return the history lines, which the caller appends last.
 */
import { z } from "zod";
import type { Actor } from "../access/schema.ts";
import { contentOf } from "../base/db/content-keys.ts";
import { Prisma, storable, storableText, type Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import { uuidv7 } from "../base/ids.ts";
import { ENGINE_ACTOR, type NewEvent } from "../events/transitions.ts";
import { publishChange } from "../live-updates/transitions.ts";
import { questionHash } from "../mcp/forms/question.ts";
import { shownOf } from "../mcp/forms/shown.ts";
import { ASKS, OPEN_QUESTIONS, QUESTIONS } from "../mcp/limits.ts";
import type { Question, RpcId } from "../mcp/peer.ts";
import { amountOf } from "../text/amount.ts";
import { DELIVERY_FACTS, type DeliveryFacts, deliveryFacts } from "./deliveries/facts.ts";
import { judgeDelivery, type Observation, type Verdict } from "./deliveries/judge.ts";
import type { Reach } from "./deliveries/status.ts";
import * as deliveries from "./deliveries/transitions.ts";
import { checkedContent } from "./guards.ts";
import { judgeRewording, requests } from "./status.ts";
import { judgeQuestion } from "./warnings.ts";

/** Earlier question hashes that are kept, newest first: an answer names the hash of the text read. */
const WORDINGS_KEPT = 50;

/** Most characters of a question in the history; the hash beside them covers all of the question. */
const EVENT_CHARACTERS = 4_000;

export interface CapturedQuestion {
  question: Question;
  /**
   * 2026-07-28: the server's key. 2025-11-25: null; the question is known by its text and schema, and several
   * may be open.
   */
  key: string | null;
  /**
   * 2025-11-25: the session (as a digest) and the JSON-RPC id that an answer goes to, and the stream message
   * of the ask.
   */
  rpc: { sessionDigest: Buffer; rpcId: RpcId; messageId: string; replayed: boolean } | null;
  /** How long the server is known to wait for an answer, in ms. Null: as long as the task lives. */
  lifetimeMs: number | null;
}

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

interface AskingTask {
  id: string;
  connectionId: string;
  /** When the question ends, by the database's clock: with its task, or after the server's known wait. */
  endsAt: Date | null;
  arguments: unknown;
  tool: string;
  /** The tool's own claim. */
  destructive: unknown;
  over: boolean;
  /** It has been asked anything before. */
  hasRequests: boolean;
  /** Its requests that count against the most that a task may have. */
  taken: number;
  /** A person may be asked this question anew: its answer could not be delivered. */
  mayReopen: boolean;
  /** This question was answered before. */
  confirmedBefore: boolean;
}

/** Stores a question before anything else is done with it. A known question gets at most another ask. */
export async function captureQuestion(
  organizationId: string,
  tx: Tx,
  taskId: string,
  captured: CapturedQuestion,
): Promise<NewEvent[]> {
  const { question, rpc } = captured;
  const hash = questionHash({ taskId, ...question });
  const hashes = contentOf(tx).hashes(hash);
  const key = captured.key ?? contentOf(tx).hash(hash);
  const asked = Prisma.sql`FROM input_request r WHERE r.organization_id = t.organization_id AND r.task_id = t.id`;
  const [task] = await tx.$queryRaw<AskingTask[]>`
    SELECT t.id, t.connection_id AS "connectionId", t.arguments, t.tool,
      t.tool_hints->'annotations'->'destructiveHint' AS destructive,
      least(t.expires_at, now() + ${captured.lifetimeMs}::float8 * interval '1 ms') AS "endsAt",
      (t.cancel_requested_at IS NOT NULL OR t.finished_at IS NOT NULL) AS over,
      EXISTS (SELECT ${asked}) AS "hasRequests",
      (SELECT count(*)::integer ${asked} AND r.state <> 'settled') AS taken,
      EXISTS (SELECT ${asked} AND ${sameQuestion(captured.key, hashes)} AND r.question_hash = ANY (${hashes})
        AND r.state = 'undeliverable') AS "mayReopen",
      EXISTS (SELECT ${asked} AND r.question_hash = ANY (${hashes}) AND r.state = 'settled') AS "confirmedBefore"
    FROM task t WHERE t.organization_id = ${organizationId}::uuid AND t.id = ${taskId}::uuid FOR NO KEY UPDATE`;
  if (!task || task.over) return [];
  if (rpc && task.hasRequests && (await isKnownAsk(organizationId, tx, taskId, hashes, rpc))) return [];

  const [request] = task.hasRequests
    ? await liveRequests(organizationId, tx, taskId, sameQuestion(captured.key, hashes))
    : [];
  if (request && hashes.includes(request.questionHash))
    return rpc ? askedAgainLive(organizationId, tx, taskId, request, captured) : [];

  const { taken } = task;
  const isFull = taken >= QUESTIONS;
  const events: NewEvent[] = [];
  let replaces: string | null = null;
  let isRestless = false;
  if (request) {
    const verdict = judgeDelivery(request.delivery, rewordedAs(request, question));
    const rewording = judgeRewording(request, isFull);
    if (verdict === "confirm") events.push(...(await confirmRequest(organizationId, tx, taskId, request.id)));
    else if (verdict !== "replace") return [];
    else if (!request.delivery && rewording !== "replace")
      return rewording === "keep" ? [] : rewordRequest(organizationId, tx, task, request.id, captured);
    else {
      events.push(...(await closeRequest(organizationId, tx, taskId, request.id, "withdrawn", "replaced")));
      replaces = request.id;
      isRestless = rewording !== "replace";
    }
  } else if (task.mayReopen) {
    const reopened = await reopenUndeliverable(organizationId, tx, taskId, hashes, task, captured);
    if (reopened) return reopened;
  }
  if (rpc && task.hasRequests)
    events.push(...(await confirmTakenBefore(organizationId, tx, taskId, rpc.messageId)));
  // A question that was just confirmed makes room for this one.
  if (isFull && events.length === 0) return [];

  const id = uuidv7();
  // An answer that this capture has confirmed counts too.
  const askedAgain =
    events.length > 0
      ? (await tx.inputRequest.count({
          where: { organizationId, taskId, questionHash: { in: hashes }, state: "settled" },
        })) > 0
      : task.confirmedBefore;
  const shown = columnsOf(task, question);
  await tx.inputRequest.create({
    data: {
      organizationId,
      id,
      taskId,
      connectionId: task.connectionId,
      key: storableText(key),
      state: "open",
      ...shown,
      replaces,
      askedAgain,
      expiresAt: task.endsAt,
    },
  });
  if (isRestless)
    await tx.$executeRaw`UPDATE input_request SET reworded_at = now()
      WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid`;
  await addAsk(organizationId, tx, taskId, id, captured, true);
  await publishChange(organizationId, tx, "input_request", [id]);
  const message = shown.message.slice(0, EVENT_CHARACTERS);
  const data = { message, questionHash: contentOf(tx).hash(hash), askedAgain };
  events.push({
    type: replaces ? "request.replaced" : "request.opened",
    actor: ENGINE_ACTOR,
    taskId,
    inputRequestId: id,
    data: replaces ? { ...data, replaces } : data,
  });
  if (taken + 1 === QUESTIONS)
    events.push({ type: "request.last_taken", actor: ENGINE_ACTOR, taskId, data: { taken: QUESTIONS } });
  return events;
}

/** The stored columns of a question as the server puts it now. */
function columnsOf(task: AskingTask, question: Question) {
  const shown = shownOf(question);
  const args = z.record(z.string(), z.unknown()).parse(task.arguments);
  const amount = amountOf(args, shown.message);
  const { tool, destructive } = task;
  const hash = questionHash({ taskId: task.id, ...question });
  return {
    mode: question.mode,
    message: storableText(shown.message),
    requestedSchema: shown.requestedSchema === undefined ? Prisma.DbNull : storable(shown.requestedSchema),
    url: shown.url === null ? null : storableText(shown.url),
    form: storable(shown.form),
    questionHash: hash,
    amount: amount?.value ?? null,
    currency: amount?.currency ?? null,
    ...judgeQuestion({ ...shown, tool, destructive, arguments: args }),
    judgedHash: hash,
  };
}

/** The observation that the key of a live request shows this other question. */
function rewordedAs(request: LiveRequest, question: Question): Extract<Observation, { kind: "reworded" }> {
  return {
    kind: "reworded",
    restless: request.rewordedAgoMs !== null,
    fits:
      request.delivery?.anyWording === true && answerFits({ ...request, action: request.action! }, question),
    // This capture counts no polls; the poll itself is judged by the engine.
    polls: 0,
  };
}

/** Whether an answer to another wording suits this question: same mode, and content that this form takes. */
export function answerFits(
  given: { mode: string; action: string; content: Record<string, unknown> | null },
  question: Question,
): boolean {
  if (given.mode !== question.mode) return false;
  if (given.action !== "accept") return true;
  const content = given.content ?? {};
  try {
    checkedContent({ mode: question.mode, form: shownOf(question).form }, { action: "accept", content });
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Rewords a request in place. Earlier hashes are kept, since answers to earlier wordings bind to them. */
async function rewordRequest(
  organizationId: string,
  tx: Tx,
  task: AskingTask,
  requestId: string,
  { question }: CapturedQuestion,
): Promise<NewEvent[]> {
  const { id: taskId } = task;
  await tx.$executeRaw`UPDATE input_request SET reworded_at = now(),
      earlier_hashes = (earlier_hashes || question_hash)[greatest(1, cardinality(earlier_hashes) + 2 - ${WORDINGS_KEPT}::int):]
    WHERE organization_id = ${organizationId}::uuid AND id = ${requestId}::uuid AND state = 'open'`;
  const shown = columnsOf(task, question);
  await tx.inputRequest.updateMany({ where: { organizationId, id: requestId, state: "open" }, data: shown });
  await publishChange(organizationId, tx, "input_request", [requestId]);
  const message = shown.message.slice(0, EVENT_CHARACTERS);
  return [
    {
      type: "request.reworded",
      actor: ENGINE_ACTOR,
      taskId,
      inputRequestId: requestId,
      data: { message, questionHash: contentOf(tx).hash(shown.questionHash) },
    },
  ];
}

/** The request whose delivery was judged. */
export interface JudgedRequest {
  taskId: string;
  inputRequestId: string;
  /** Null: the request has no answer. */
  deliveryId: string | null;
}

/** Writes a verdict of `judgeDelivery()`. `ending`: the state and reason of a question that is over. */
export async function carryOutVerdict(
  organizationId: string,
  tx: Tx,
  request: JudgedRequest,
  verdict: Verdict,
  ending: { state: "withdrawn" | "expired"; reason: string } & Closing,
): Promise<NewEvent[]> {
  const { taskId, inputRequestId, deliveryId } = request;
  if (verdict === "confirm") return confirmRequest(organizationId, tx, taskId, inputRequestId);
  if (verdict === "withdraw" || verdict === "undeliverable") {
    const state = verdict === "undeliverable" ? "undeliverable" : ending.state;
    return closeRequest(organizationId, tx, taskId, inputRequestId, state, ending.reason, ending);
  }
  if (deliveryId === null) return [];
  const ids = { taskId, inputRequestId, deliveryId };
  switch (verdict) {
    case "count":
      await deliveries.countStillAsked(organizationId, tx, ids);
      return [];
    case "flag":
      return deliveries.flag(organizationId, tx, ids);
    case "resend":
      return deliveries.sendAgain(organizationId, tx, ids, "by_itself");
    case "follow":
      return deliveries.sendAgain(organizationId, tx, ids, "asked_again");
    case "repeat":
      return deliveries.repeat(organizationId, tx, ids);
    case "await":
      await deliveries.awaitTask(organizationId, tx, ids);
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
  organizationId: string,
  tx: Tx,
  taskId: string,
  requestId: string,
  ended?: string,
): Promise<NewEvent[]> {
  const reach = await deliveries.confirm(organizationId, tx, requestId);
  if (reach === null) return [];
  const data = { ...(reach === "unknown" && { reply: "lost" }), ...(ended && { ended }) };
  return settle(organizationId, tx, taskId, requestId, data);
}

/** Settles an answer that needs no word to the server; the caller acts on it in the same transaction. */
export async function settleUnsent(
  organizationId: string,
  tx: Tx,
  taskId: string,
  requestId: string,
): Promise<NewEvent[]> {
  if (!(await deliveries.carryOut(organizationId, tx, requestId))) return [];
  return settle(organizationId, tx, taskId, requestId, { reply: "not_needed" });
}

/** Settles a request whose delivery was confirmed. Throws if the request was not answered. */
async function settle(
  organizationId: string,
  tx: Tx,
  taskId: string,
  requestId: string,
  data: Record<string, string>,
): Promise<NewEvent[]> {
  const settled = await tx.$executeRaw`
    UPDATE input_request SET state = 'settled', ended_at = now() WHERE organization_id = ${organizationId}::uuid
      AND id = ${requestId}::uuid AND state = ANY (${requests.before("settled")}::text[])`;
  if (settled !== 1) throw new Error(`the request ${requestId} of a confirmed answer was not answered`);
  await publishChange(organizationId, tx, "input_request", [requestId]);
  return [{ type: "delivery.confirmed", actor: ENGINE_ACTOR, taskId, inputRequestId: requestId, data }];
}

interface Closing {
  /** The last attempt is known not to have been taken, so the answer is not in doubt. */
  notTaken?: boolean;
  /** Defaults to the engine. */
  actor?: Actor;
}

/** Ends a live request that can't be answered any more; an answer on its way fails with the reason. */
export async function closeRequest(
  organizationId: string,
  tx: Tx,
  taskId: string,
  requestId: string,
  state: "withdrawn" | "expired" | "undeliverable",
  reason: string,
  { notTaken = false, actor = ENGINE_ACTOR }: Closing = {},
): Promise<NewEvent[]> {
  const reach = await deliveries.fail(organizationId, tx, requestId, { reason, notTaken });
  const closed = await tx.$executeRaw`
    UPDATE input_request SET state = ${state}, ended_reason = ${reason}, ended_at = now()
    WHERE organization_id = ${organizationId}::uuid AND id = ${requestId}::uuid
      AND state = ANY (${requests.before(state)}::text[])`;
  if (closed !== 1) return [];
  await publishChange(organizationId, tx, "input_request", [requestId]);
  // An attempt that reached the server and was refused is not called unsent.
  const answer = reach && (notTaken && reach === "nothing" ? "not_taken" : ANSWERS[reach]);
  const data = { reason, ...(answer && { answer }) };
  return [{ type: `request.${state}`, actor, taskId, inputRequestId: requestId, data }];
}

/** The history's words for how far the answer of a closed question got. */
const ANSWERS: Record<Reach, string> = { nothing: "not_sent", unknown: "in_doubt", taken: "taken" };

/** Confirms or closes every live request of a task that ends, in the transaction that ends the task. */
export async function settleAtEnd(
  organizationId: string,
  tx: Tx,
  taskId: string,
  taskState: "completed" | "failed" | "cancelled" | "lost" | "expired",
): Promise<NewEvent[]> {
  const openRequests = await liveRequests(organizationId, tx, taskId);
  const events: NewEvent[] = [];
  for (const request of openRequests) {
    const verdict = judgeDelivery(request.delivery, { kind: "ended", as: taskState });
    const isExpired = taskState === "expired" && !request.delivery;
    const more =
      verdict === "confirm"
        ? await confirmRequest(organizationId, tx, taskId, request.id, taskState)
        : await closeRequest(
            organizationId,
            tx,
            taskId,
            request.id,
            isExpired ? "expired" : "withdrawn",
            "task_ended",
          );
    events.push(...more);
  }
  return events;
}

/** Matches requests by the server's key, or by the question's hash if the key is null; alias `r`. */
function sameQuestion(key: string | null, hashes: string[]): Prisma.Sql {
  return key === null ? Prisma.sql`r.question_hash = ANY (${hashes})` : Prisma.sql`r.key = ${key}`;
}

/** 2025-11-25: whether the task may have one more open question, or this question is already open. */
export async function hasRoom(
  organizationId: string,
  tx: Tx,
  taskId: string,
  question: Question,
): Promise<boolean> {
  const openRequests = await tx.inputRequest.findMany({
    where: { organizationId, taskId, state: { in: ["open", "answered"] } },
    select: { questionHash: true },
  });
  const hashes = contentOf(tx).hashes(questionHash({ taskId, ...question }));
  return (
    openRequests.length < OPEN_QUESTIONS ||
    openRequests.some((request) => hashes.includes(request.questionHash))
  );
}

/**
 * 2025-11-25: confirms accepted answers sent before this ask, since a server that asks something else has
 * gone on. An answer of unknown outcome is left alone, because a task may ask two questions at once.
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
      AND d.sent_at < ${receivedAt(organizationId, messageId)}`;
  const events: NewEvent[] = [];
  for (const { id } of taken) events.push(...(await confirmRequest(organizationId, tx, taskId, id)));
  return events;
}

/**
 * Locks and returns a task's requests that wait for a person or whose answer is on its way. `which` narrows
 * them; alias `r`.
 */
export async function liveRequests(
  organizationId: string,
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
    WHERE r.organization_id = ${organizationId}::uuid AND r.state IN ('open', 'answered')
      AND r.task_id = ${taskId}::uuid AND ${which}
    ORDER BY r.created_at, r.id FOR NO KEY UPDATE OF r`;
  return rows.map((row) => ({ ...row, delivery: deliveryFacts.nullable().parse(row.delivery) }));
}

/** When a message came, by the database's clock. */
function receivedAt(organizationId: string, messageId: string): Prisma.Sql {
  return Prisma.sql`(SELECT m.received_at FROM stream_message m
    WHERE m.organization_id = ${organizationId}::uuid AND m.id = ${messageId}::uuid)`;
}

/**
 * Whether this ask is already stored, as when a server replays a stream. Outside a replay, the same id is a
 * new ask if the stored one was retracted, its question is over, or an answer was sent to it before this
 * message came: such a server reuses its ids. The same id with another question is always a new ask.
 */
async function isKnownAsk(
  organizationId: string,
  tx: Tx,
  taskId: string,
  hashes: string[],
  rpc: NonNullable<CapturedQuestion["rpc"]>,
): Promise<boolean> {
  const received = receivedAt(organizationId, rpc.messageId);
  const rows = await tx.$queryRaw<unknown[]>`SELECT 1 FROM ask k
    JOIN input_request r ON r.organization_id = k.organization_id AND r.id = k.input_request_id
    WHERE k.organization_id = ${organizationId}::uuid AND k.session_digest = ${rpc.sessionDigest}
      AND k.rpc_id = ${JSON.stringify(storable(rpc.rpcId))}::jsonb AND r.task_id = ${taskId}::uuid
      AND r.question_hash = ANY (${hashes})
      AND (${rpc.replayed} OR (k.retracted_at IS NULL AND r.state IN ('open', 'answered')
        AND coalesce(k.accepted_at >= ${received}, true)
        AND NOT EXISTS (SELECT FROM delivery d WHERE d.organization_id = k.organization_id AND d.ask_id = k.id
          AND d.sent_at < ${received})))`;
  return rows.length > 0;
}

/** 2025-11-25: the same question under a new JSON-RPC id. An answer in progress follows to the newest ask. */
async function askedAgainLive(
  organizationId: string,
  tx: Tx,
  taskId: string,
  request: LiveRequest,
  captured: CapturedQuestion,
): Promise<NewEvent[]> {
  await addAsk(organizationId, tx, taskId, request.id, captured);
  return judgeAskedAgain(organizationId, tx, taskId, request);
}

/**
 * 2025-11-25: judges an answer that was just accepted by the asks stored while the answer was under way.
 * After the same question under another id the answer follows to that ask; after another question the answer
 * is confirmed.
 */
export async function askedMeanwhile(
  organizationId: string,
  tx: Tx,
  taskId: string,
  requestId: string,
): Promise<NewEvent[]> {
  const [request] = await liveRequests(organizationId, tx, taskId, Prisma.sql`r.id = ${requestId}::uuid`);
  if (request?.delivery?.state !== "accepted") return [];
  const [since] = await tx.$queryRaw<{ again: boolean; other: boolean }[]>`
    SELECT EXISTS (SELECT FROM ask k WHERE k.organization_id = d.organization_id
        AND k.input_request_id = d.input_request_id AND k.retracted_at IS NULL AND k.accepted_at IS NULL
        AND (k.created_at, k.id) > (told.created_at, told.id)) AS again,
      EXISTS (SELECT FROM input_request r WHERE r.organization_id = d.organization_id AND r.task_id = d.task_id
        AND r.id <> d.input_request_id AND r.created_at > d.sent_at
        AND EXISTS (SELECT FROM ask k WHERE k.organization_id = r.organization_id AND k.input_request_id = r.id
          AND k.created_at > d.sent_at)) AS other
    FROM delivery d JOIN ask told ON told.organization_id = d.organization_id AND told.id = d.ask_id
    WHERE d.organization_id = ${organizationId}::uuid AND d.id = ${request.delivery.id}::uuid AND told.rpc_id IS NOT NULL`;
  if (since?.again) return judgeAskedAgain(organizationId, tx, taskId, request);
  return since?.other ? confirmRequest(organizationId, tx, taskId, requestId) : [];
}

function judgeAskedAgain(
  organizationId: string,
  tx: Tx,
  taskId: string,
  openRequest: LiveRequest,
): Promise<NewEvent[]> {
  const verdict = judgeDelivery(openRequest.delivery, { kind: "asked_again" });
  const request = { taskId, inputRequestId: openRequest.id, deliveryId: openRequest.delivery?.id ?? null };
  const ending = { state: "withdrawn", reason: "asked_again" } as const;
  return carryOutVerdict(organizationId, tx, request, verdict, ending);
}

/** Reopens an undeliverable request whose question the server still puts; a person decides anew. */
async function reopenUndeliverable(
  organizationId: string,
  tx: Tx,
  taskId: string,
  hashes: string[],
  { endsAt }: AskingTask,
  captured: CapturedQuestion,
): Promise<NewEvent[] | null> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE input_request SET state = 'open', ended_at = NULL, ended_reason = NULL, expires_at = ${endsAt} WHERE organization_id = ${organizationId}::uuid AND id = (
      SELECT id FROM input_request r WHERE organization_id = ${organizationId}::uuid AND task_id = ${taskId}::uuid
        AND ${sameQuestion(captured.key, hashes)} AND question_hash = ANY (${hashes}) AND state = 'undeliverable'
      ORDER BY created_at DESC LIMIT 1) RETURNING id`;
  const id = rows[0]?.id;
  if (!id) return null;
  await tx.$executeRaw`UPDATE answer SET withdrawn_at = now() WHERE organization_id = ${organizationId}::uuid
    AND input_request_id = ${id}::uuid AND withdrawn_at IS NULL`;
  await addAsk(organizationId, tx, taskId, id, captured);
  await publishChange(organizationId, tx, "input_request", [id]);
  return [{ type: "request.reopened", actor: ENGINE_ACTOR, taskId, inputRequestId: id }];
}

/** How an ask came, compared with the last ask of its request. */
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
  isFirst = false,
): Promise<void> {
  // The id stands for this question from now on: an answer to the question before must not go there.
  if (captured.rpc)
    await tx.$executeRaw`UPDATE ask SET retracted_at = now() WHERE organization_id = ${organizationId}::uuid
      AND session_digest = ${captured.rpc.sessionDigest}
      AND rpc_id = ${JSON.stringify(storable(captured.rpc.rpcId))}::jsonb
      AND input_request_id <> ${inputRequestId}::uuid AND retracted_at IS NULL AND accepted_at IS NULL`;
  const id = uuidv7();
  await tx.ask.create({
    data: {
      organizationId,
      id,
      inputRequestId,
      taskId,
      key: captured.rpc ? null : captured.key,
      sessionDigest: captured.rpc ? Uint8Array.from(captured.rpc.sessionDigest) : null,
      rpcId: captured.rpc ? storable(captured.rpc.rpcId) : Prisma.DbNull,
      came: isFirst ? "first" : await cameHow(organizationId, tx, inputRequestId, captured.rpc),
    },
  });
  // The time of the ask, which may be long before the ask could be stored.
  if (captured.rpc)
    await tx.$executeRaw`UPDATE ask SET created_at = least(created_at, ${receivedAt(organizationId, captured.rpc.messageId)})
      WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid`;
  if (isFirst) return;
  await tx.$executeRaw`DELETE FROM ask a WHERE organization_id = ${organizationId}::uuid
    AND input_request_id = ${inputRequestId}::uuid AND accepted_at IS NULL
    AND NOT EXISTS (SELECT FROM delivery d WHERE d.organization_id = a.organization_id AND d.ask_id = a.id)
    AND id NOT IN (SELECT id FROM ask WHERE organization_id = ${organizationId}::uuid
      AND input_request_id = ${inputRequestId}::uuid ORDER BY created_at DESC, id DESC LIMIT ${ASKS})`;
}
