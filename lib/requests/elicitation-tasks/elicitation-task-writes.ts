/**
 * All writes to the tasks that Intray keeps for servers. Each names the state it expects. What a server asks is recorded as
 * it arrives, under no fence; completing and cancelling are written with the task's lock.
 */
import { contentOf } from "../../base/content/content-keys.ts";
import { storable, type Tx } from "../../base/db/db.ts";
import { questionHash } from "../../mcp/forms/question-hash.ts";
import type { Question, RpcId } from "../../mcp/peer.ts";
import type { NewElicitationTask } from "../../mcp/stream-messages/stream-message-schema.ts";
import { markWaiting } from "../deliveries/delivery-writes.ts";
import type { WaitingResult } from "./elicitation-task-reads.ts";

/** Where a task was asked for, and with which question. */
export interface AskedTask {
  task: NewElicitationTask;
  sessionDigest: Buffer;
  rpcId: RpcId;
  question: Question;
  /** The request came on a stream that may say again what it said before. */
  replayed: boolean;
}

/**
 * Stores a task before the server is told of it. Returns its id, which is another than the one given where the server has
 * made this very request before (`isNew`: false): it gets the same task. `whyNot`: says why there is no room for one more, or
 * null; then nothing is stored.
 */
export async function openElicitationTask(
  tx: Tx,
  connectionId: string,
  { task, sessionDigest, rpcId, question, replayed }: AskedTask,
  whyNot: () => string | null,
): Promise<{ id: string; isNew: boolean } | { refusal: string }> {
  if (replayed) {
    const [known] = await tx.$queryRaw<{ id: string; taskId: string | null; hashes: string[] | null }[]>`
      SELECT e.id, e.task_id AS "taskId", r.question_hash || r.earlier_hashes AS hashes FROM elicitation_task e
      LEFT JOIN input_request r ON r.organization_id = e.organization_id AND r.id = e.input_request_id
      WHERE e.organization_id = ${tx.organizationId}::uuid AND e.connection_id = ${connectionId}::uuid
        AND e.session_digest = ${sessionDigest} AND e.rpc_id = ${JSON.stringify(storable(rpcId))}::jsonb
      ORDER BY e.created_at DESC, e.id DESC LIMIT 1`;
    // Where ids start over, the same id is another question's.
    const { taskId = null, hashes = null } = known ?? {};
    const isSame =
      taskId === null ||
      contentOf(tx)
        .hashes(questionHash({ taskId, ...question }))
        .some((hash) => hashes?.includes(hash));
    if (known && isSame) return { id: known.id, isNew: false };
  }
  const refusal = whyNot();
  if (refusal !== null) return { refusal };
  await tx.$executeRaw`
    INSERT INTO elicitation_task (organization_id, id, connection_id, session_digest, rpc_id, ttl_ms)
    VALUES (${tx.organizationId}::uuid, ${task.id}::uuid, ${connectionId}::uuid, ${sessionDigest},
      ${JSON.stringify(storable(rpcId))}::jsonb, ${task.ttlMs}::bigint)
    ON CONFLICT (organization_id, id) DO NOTHING`;
  return { id: task.id, isNew: true };
}

/** The server has taken the reply that names the task. */
export async function markAnnounced(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`UPDATE elicitation_task SET announced_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid AND announced_at IS NULL`;
}

/** The server asked for the task or its result: it looks for the answer. Written once a minute, however often it asks. */
export async function noteLook(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`UPDATE elicitation_task SET looked_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid
      AND (looked_at IS NULL OR looked_at < now() - interval '1 minute')`;
}

/** Locks a task whose request is not known yet, for the rest of the transaction. False: it ended, or its request is known now. */
export async function lockUnlinked(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.$queryRaw<
    unknown[]
  >`SELECT 1 FROM elicitation_task WHERE organization_id = ${tx.organizationId}::uuid
    AND id = ${id}::uuid AND state = 'working' AND task_id IS NULL FOR UPDATE`;
  return rows.length === 1;
}

/**
 * Notes whose question it is, by the ask that it was just captured as. A task whose question was not taken, because it is
 * one too many or its asking task is over, is cancelled.
 */
export async function linkQuestion(tx: Tx, id: string): Promise<void> {
  const linked = await tx.$executeRaw`
    UPDATE elicitation_task e SET task_id = k.task_id, input_request_id = k.input_request_id FROM ask k
    WHERE e.organization_id = ${tx.organizationId}::uuid AND e.id = ${id}::uuid AND e.state = 'working' AND e.task_id IS NULL
      AND k.organization_id = e.organization_id AND k.session_digest = e.session_digest AND k.rpc_id = e.rpc_id
      AND k.elicitation_task_id = e.id`;
  if (linked === 0) await cancelUnlinked(tx, id);
}

/**
 * Completes the request's tasks, if its answer waits to be told and no undo is left: from now on the server may fetch it,
 * and people read that it waits for that. Returns the tasks' ids. The caller holds the asking task's lock.
 */
export async function completeElicitationTasks(
  tx: Tx,
  ids: { taskId: string; inputRequestId: string; deliveryId: string },
): Promise<string[]> {
  const { inputRequestId } = ids;
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE elicitation_task SET state = 'completed', changed_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid AND state = 'working'
      AND EXISTS (SELECT FROM delivery d WHERE d.organization_id = elicitation_task.organization_id
        AND d.input_request_id = ${inputRequestId}::uuid AND d.state = 'pending'
        AND greatest(d.deliver_after, d.not_before) <= now())
    RETURNING id`;
  if (rows.length > 0) await markWaiting(tx, ids, "fetch");
  return rows.map(({ id }) => id);
}

/** Cancels a task for its server. What is completed stays so. Returns false if it is over already. */
export async function cancelElicitationTask(tx: Tx, connectionId: string, id: string): Promise<boolean> {
  const cancelled = await tx.$executeRaw`UPDATE elicitation_task SET state = 'cancelled', changed_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND connection_id = ${connectionId}::uuid AND id = ${id}::uuid
      AND state = 'working'`;
  return cancelled === 1;
}

/** Cancels a task whose question is not ours, or beyond the limit: nobody is asked. */
export async function cancelUnlinked(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`UPDATE elicitation_task SET state = 'cancelled', changed_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid AND state = 'working' AND task_id IS NULL`;
}

/** A `tasks/result` waits for the answer. False: as many as `most` wait already. */
export async function addWaiting(
  tx: Tx,
  id: string,
  { session, rpcId }: WaitingResult,
  most: number,
): Promise<boolean> {
  const one = JSON.stringify([{ session, rpcId: storable(rpcId) }]);
  const added = await tx.$executeRaw`UPDATE elicitation_task
    SET waiting = CASE WHEN waiting @> ${one}::jsonb THEN waiting ELSE waiting || ${one}::jsonb END
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid
      AND (jsonb_array_length(waiting) < ${most} OR waiting @> ${one}::jsonb)`;
  return added === 1;
}

/** A `tasks/result` waits no more: it was answered, given up, or its session is gone. */
export async function removeWaiting(tx: Tx, id: string, { session, rpcId }: WaitingResult): Promise<void> {
  const one = JSON.stringify([{ session, rpcId: storable(rpcId) }]);
  await tx.$executeRaw`UPDATE elicitation_task SET waiting = coalesce((SELECT jsonb_agg(other)
      FROM jsonb_array_elements(waiting) other WHERE NOT (${one}::jsonb @> jsonb_build_array(other))), '[]')
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid AND waiting @> ${one}::jsonb`;
}

/** The answer is about to be handed over in this session. Written before the first byte. */
export async function noteFetch(tx: Tx, id: string, sessionDigest: string): Promise<void> {
  await tx.$executeRaw`UPDATE elicitation_task SET fetched_in = decode(${sessionDigest}, 'hex')
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid`;
}

/** Deletes tasks without a request that were cancelled more than a day ago, some at a time. Returns how many. */
export async function forgetNobodys(tx: Tx): Promise<number> {
  return tx.$executeRaw`DELETE FROM elicitation_task WHERE organization_id = ${tx.organizationId}::uuid AND id IN (
    SELECT id FROM elicitation_task WHERE organization_id = ${tx.organizationId}::uuid AND task_id IS NULL
      AND state = 'cancelled' AND changed_at < now() - interval '1 day' LIMIT ${FORGOTTEN_TOGETHER} FOR UPDATE SKIP LOCKED)`;
}

const FORGOTTEN_TOGETHER = 500;
