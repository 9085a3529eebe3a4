/**
 * How often a server has put a question, and under which addresses (`ask`): an answer goes to the newest of them. The caller holds
 * the task's lock.
 */
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { NewEvent } from "../../history/events/event-writes.ts";
import { ASKS } from "../../mcp/limits.ts";
import type { Question, RpcId } from "../../mcp/peer.ts";
import { judgeDelivery } from "../deliveries/judge-delivery.ts";
import { carryOutVerdict, confirmRequest, type LiveRequest, lockLiveRequests } from "./close-request.ts";
import type { ShownColumns } from "./insert-request.ts";

export interface CapturedQuestion {
  question: Question;
  /**
   * 2026-07-28: the server's key. 2025-11-25: null; the question is known by its text and schema, and several
   * may be open.
   */
  key: string | null;
  /**
   * 2025-11-25: the session (as a digest) and the JSON-RPC id that an answer goes to, and the stream message
   * of the ask. `elicitationTaskId`: the elicitation task as which it was put, whose result the answer is; nothing is sent to
   * the JSON-RPC id then.
   */
  rpc: {
    sessionDigest: Buffer;
    rpcId: RpcId;
    messageId: string;
    replayed: boolean;
    elicitationTaskId?: string;
  } | null;
  /** How long the server is known to wait for an answer, in ms. Null: as long as the task lives. */
  lifetimeMs: number | null;
  /** As judged before the transaction. Undefined: the question is judged in it. */
  shown?: ShownColumns | undefined;
}

/**
 * Whether this ask is already stored, as when a server replays a stream. Outside a replay, the same id is a
 * new ask if the stored one was retracted, its question is over, or an answer was sent to it before this
 * message came: such a server reuses its ids. The same id with another question is always a new ask.
 */
export async function isKnownAsk(
  tx: Tx,
  taskId: string,
  hashes: string[],
  rpc: NonNullable<CapturedQuestion["rpc"]>,
): Promise<boolean> {
  const received = receivedAt(tx.organizationId, rpc.messageId);
  const rows = await tx.$queryRaw<unknown[]>`SELECT 1 FROM ask k
    JOIN input_request r ON r.organization_id = k.organization_id AND r.id = k.input_request_id
    WHERE k.organization_id = ${tx.organizationId}::uuid AND k.session_digest = ${rpc.sessionDigest}
      AND k.rpc_id = ${JSON.stringify(storable(rpc.rpcId))}::jsonb AND r.task_id = ${taskId}::uuid
      AND k.elicitation_task_id IS NULL
      AND r.question_hash = ANY (${hashes})
      AND (${rpc.replayed} OR (k.retracted_at IS NULL AND r.state IN ('open', 'answered')
        AND coalesce(k.accepted_at >= ${received}, true)
        AND NOT EXISTS (SELECT FROM delivery d WHERE d.organization_id = k.organization_id AND d.ask_id = k.id
          AND d.sent_at < ${received})))`;
  return rows.length > 0;
}

/**
 * 2025-11-25: whether the server put these words before it was sent the answer that settled them. A server may ask on several
 * streams, and what came on one may be stored late: nobody is asked again for that.
 */
export async function wasAnsweredSince(
  tx: Tx,
  taskId: string,
  hashes: string[],
  { messageId }: NonNullable<CapturedQuestion["rpc"]>,
): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT 1 FROM input_request r
    JOIN delivery d ON d.organization_id = r.organization_id AND d.input_request_id = r.id
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.task_id = ${taskId}::uuid AND r.state = 'settled'
      AND r.question_hash = ANY (${hashes}) AND d.sent_at > ${receivedAt(tx.organizationId, messageId)}`;
  return rows.length > 0;
}

/**
 * 2025-11-25: what the server had of this request's answer when it put the question once more. "had": it had fetched the
 * answer, so that the same words are a new question. "in_doubt": what it fetched may have been lost, since the words come in a
 * session that the task never asked in before, and to which the answer was not handed over. "nothing": it had not fetched it.
 */
export async function fetchedBefore(
  tx: Tx,
  taskId: string,
  inputRequestId: string,
  rpc: NonNullable<CapturedQuestion["rpc"]>,
): Promise<"nothing" | "had" | "in_doubt"> {
  const [fetch] = await tx.$queryRaw<{ isHad: boolean }[]>`
    WITH handed AS (SELECT e.fetched_in FROM elicitation_task e WHERE e.organization_id = ${tx.organizationId}::uuid
      AND e.input_request_id = ${inputRequestId}::uuid AND e.fetched_in IS NOT NULL)
    SELECT NOT EXISTS (SELECT FROM handed) OR EXISTS (SELECT FROM handed WHERE fetched_in = ${rpc.sessionDigest})
      OR EXISTS (SELECT FROM ask k WHERE k.organization_id = d.organization_id AND k.task_id = ${taskId}::uuid
        AND k.session_digest = ${rpc.sessionDigest} AND k.created_at < d.sent_at) AS "isHad"
    FROM delivery d WHERE d.organization_id = ${tx.organizationId}::uuid AND d.input_request_id = ${inputRequestId}::uuid
      AND d.state IN ('sending', 'accepted') AND d.rung = 'fetched'
      AND d.sent_at < ${receivedAt(tx.organizationId, rpc.messageId)}`;
  if (!fetch) return "nothing";
  return fetch.isHad ? "had" : "in_doubt";
}

/**
 * 2025-11-25: the same question under a new JSON-RPC id. An answer in progress follows to the newest ask. `isLost`: what the
 * server fetched of it may have been lost.
 */
export async function askedAgainLive(
  tx: Tx,
  taskId: string,
  request: LiveRequest,
  captured: CapturedQuestion,
  isLost: boolean,
): Promise<NewEvent[]> {
  await addAsk(tx, taskId, request.id, captured);
  return judgeAskedAgain(tx, taskId, request, isLost);
}

/**
 * 2025-11-25: judges an answer that was just accepted by the asks stored while the answer was under way.
 * After the same question under another id the answer follows to that ask; after another question the answer
 * is confirmed.
 */
export async function askedMeanwhile(tx: Tx, taskId: string, inputRequestId: string): Promise<NewEvent[]> {
  const [request] = await lockLiveRequests(tx, taskId, Prisma.sql`r.id = ${inputRequestId}::uuid`);
  if (request?.delivery?.state !== "accepted") return [];
  const [since] = await tx.$queryRaw<{ again: boolean; other: boolean }[]>`
    SELECT EXISTS (SELECT FROM ask k WHERE k.organization_id = d.organization_id
        AND k.input_request_id = d.input_request_id AND k.retracted_at IS NULL AND k.accepted_at IS NULL
        AND (k.created_at, k.id) > (told.created_at, told.id)
        -- A completed elicitation task is fetched whenever the server likes.
        AND NOT EXISTS (SELECT FROM elicitation_task e WHERE e.organization_id = k.organization_id
          AND e.id = k.elicitation_task_id AND e.state = 'completed')) AS again,
      EXISTS (SELECT FROM input_request r WHERE r.organization_id = d.organization_id AND r.task_id = d.task_id
        AND r.id <> d.input_request_id AND r.created_at > d.sent_at
        AND EXISTS (SELECT FROM ask k WHERE k.organization_id = r.organization_id AND k.input_request_id = r.id
          AND k.created_at > d.sent_at)) AS other
    FROM delivery d JOIN ask told ON told.organization_id = d.organization_id AND told.id = d.ask_id
    WHERE d.organization_id = ${tx.organizationId}::uuid AND d.id = ${request.delivery.id}::uuid AND told.rpc_id IS NOT NULL`;
  if (since?.again) return judgeAskedAgain(tx, taskId, request);
  return since?.other ? confirmRequest(tx, taskId, inputRequestId) : [];
}

function judgeAskedAgain(tx: Tx, taskId: string, live: LiveRequest, isLost = false): Promise<NewEvent[]> {
  const verdict = judgeDelivery(live.delivery, { kind: "asked_again", isLost });
  return carryOutVerdict(tx, taskId, live, verdict, { state: "withdrawn", reason: "asked_again" });
}

/**
 * 2025-11-25: confirms accepted answers sent before this ask, since a server that asks something else has
 * gone on. An answer of unknown outcome is left alone, because a task may ask two questions at once.
 */
export async function confirmTakenBefore(tx: Tx, taskId: string, messageId: string): Promise<NewEvent[]> {
  const taken = await tx.$queryRaw<{ id: string }[]>`
    SELECT r.id FROM input_request r
      JOIN delivery d ON d.organization_id = r.organization_id AND d.input_request_id = r.id AND d.state = 'accepted'
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.task_id = ${taskId}::uuid AND r.state = 'answered'
      AND d.sent_at < ${receivedAt(tx.organizationId, messageId)}`;
  const events: NewEvent[] = [];
  for (const { id } of taken) events.push(...(await confirmRequest(tx, taskId, id)));
  return events;
}

export async function addAsk(
  tx: Tx,
  taskId: string,
  inputRequestId: string,
  captured: CapturedQuestion,
  isFirst = false,
): Promise<void> {
  const { organizationId } = tx;
  // The id stands for this question from now on: an answer to the question before must not go there. A question that was put
  // as an elicitation task goes by that task's id.
  if (captured.rpc)
    await tx.$executeRaw`UPDATE ask SET retracted_at = now() WHERE organization_id = ${organizationId}::uuid
      AND session_digest = ${captured.rpc.sessionDigest}
      AND rpc_id = ${JSON.stringify(storable(captured.rpc.rpcId))}::jsonb
      AND input_request_id <> ${inputRequestId}::uuid AND elicitation_task_id IS NULL
      AND retracted_at IS NULL AND accepted_at IS NULL`;
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
      came: isFirst ? "first" : await cameHow(tx, inputRequestId, captured.rpc),
      elicitationTaskId: captured.rpc?.elicitationTaskId ?? null,
    },
  });
  // The time of the ask, which may be long before the ask could be stored.
  if (captured.rpc)
    await tx.$executeRaw`UPDATE ask SET created_at = least(created_at, ${receivedAt(organizationId, captured.rpc.messageId)})
      WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid`;
  if (isFirst) return;
  // Asks made by an elicitation task are kept: the task is answered by them; `QUESTION_TASKS` limits them.
  await tx.$executeRaw`DELETE FROM ask a WHERE organization_id = ${organizationId}::uuid
    AND input_request_id = ${inputRequestId}::uuid AND accepted_at IS NULL AND elicitation_task_id IS NULL
    AND NOT EXISTS (SELECT FROM delivery d WHERE d.organization_id = a.organization_id AND d.ask_id = a.id)
    AND id NOT IN (SELECT id FROM ask WHERE organization_id = ${organizationId}::uuid
      AND input_request_id = ${inputRequestId}::uuid AND elicitation_task_id IS NULL ORDER BY created_at DESC, id DESC LIMIT ${ASKS})`;
}

/** How an ask came, compared with the last ask of its request. What came by a new session stays so when it is repeated there. */
async function cameHow(tx: Tx, inputRequestId: string, rpc: CapturedQuestion["rpc"]) {
  const last = await tx.ask.findFirst({
    where: { organizationId: tx.organizationId, inputRequestId },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    select: { sessionDigest: true, came: true },
  });
  if (!last || !rpc) return "first";
  const isSameSession = rpc.sessionDigest.equals(last.sessionDigest ?? Buffer.alloc(0));
  return isSameSession && last.came !== "new_session" ? "asked_again" : "new_session";
}

/** When a message came, by the database's clock. */
function receivedAt(organizationId: string, messageId: string): Prisma.Sql {
  return Prisma.sql`(SELECT m.received_at FROM stream_message m
    WHERE m.organization_id = ${organizationId}::uuid AND m.id = ${messageId}::uuid)`;
}

/** The way to a question that is taken back: a JSON-RPC id of a session, or the elicitation task as which it was put. */
export type RetractedAsk = { sessionDigest: Buffer; rpcId: RpcId } | { elicitationTaskId: string };

/**
 * Takes one ask back (`notifications/cancelled` or `tasks/cancel` from the server). Returns the request, for the caller to
 * judge, or null if another ask is left that an answer could go to.
 */
export async function retractAsk(tx: Tx, taskId: string, ask: RetractedAsk): Promise<LiveRequest | null> {
  // A server may reuse the id of the request that made an elicitation task.
  const isIt =
    "elicitationTaskId" in ask
      ? Prisma.sql`elicitation_task_id = ${ask.elicitationTaskId}::uuid`
      : Prisma.sql`session_digest = ${ask.sessionDigest}
          AND rpc_id = ${JSON.stringify(storable(ask.rpcId))}::jsonb AND elicitation_task_id IS NULL`;
  const rows = await tx.$queryRaw<{ input_request_id: string }[]>`
    UPDATE ask SET retracted_at = now() WHERE organization_id = ${tx.organizationId}::uuid AND task_id = ${taskId}::uuid
      AND ${isIt} AND retracted_at IS NULL AND accepted_at IS NULL RETURNING input_request_id`;
  const inputRequestId = rows[0]?.input_request_id;
  if (!inputRequestId) return null;
  const others = await tx.ask.count({
    where: {
      organizationId: tx.organizationId,
      inputRequestId,
      retractedAt: null,
      acceptedAt: null,
    },
  });
  if (others > 0) return null;
  const live = await lockLiveRequests(tx, taskId);
  return live.find(({ id }) => id === inputRequestId) ?? null;
}
