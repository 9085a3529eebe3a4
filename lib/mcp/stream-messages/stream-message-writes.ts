/**
 * All writes to what came on streams. A message is recorded as it arrives, under no fence: it was said, whoever watches the
 * connection. What becomes of it is written under the fence, with the task's lock, together with what it leads to.
 */
import { contentOf } from "../../base/content/content-keys.ts";
import { storable, type Tx } from "../../base/db/db.ts";
import type { Question } from "../peer.ts";
import type { NewStreamMessage } from "./stream-message-schema.ts";

/**
 * Stores what was heard; what is stored already stays as it is. A question taken back is stored only where that question is
 * known, for a server may say so of anything. `heardAgoMs` counts, however late a message is stored: whether it came before
 * an answer was sent follows from that. `candidates`: the tasks of the session that may have asked, where it is none for certain;
 * by the time another engine reads it, some of them may have ended. Returns the ids of those that are to be handled.
 */
export async function recordStreamMessages(
  tx: Tx,
  connectionId: string,
  messages: (NewStreamMessage & { heardAgoMs: number; candidates: string[] })[],
): Promise<Set<string>> {
  const { organizationId } = tx;
  // By a statement of its own: the others may wait for locks.
  const [clock] = await tx.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`;
  const rows = messages.map((message) => ({
    id: message.id,
    session: message.sessionDigest.toString("hex"),
    rpc_id: storable(message.rpcId),
    kind: message.question ? "elicitation" : "cancelled",
    params:
      message.question &&
      contentOf(tx).json("stream_message.params", message.id, storable(withoutAddress(message.question))),
    stream_task_id: message.streamTaskId,
    named: message.namedDigest?.toString("hex") ?? null,
    replayed: message.replayed,
    received_at: new Date(clock!.now.getTime() - message.heardAgoMs),
    elicitation_task: message.elicitationTask?.id ?? null,
    candidates: message.candidates,
  }));
  const insert = (kind: string) => tx.$executeRaw`
    INSERT INTO stream_message (organization_id, id, connection_id, session_digest, rpc_id, kind, params, stream_task_id,
      named_digest, replayed, received_at, elicitation_task_id, candidates)
    SELECT ${organizationId}::uuid, heard.id, ${connectionId}::uuid, decode(heard.session, 'hex'), heard.rpc_id, heard.kind,
      nullif(heard.params, 'null'), heard.stream_task_id, decode(heard.named, 'hex'),
      heard.replayed, heard.received_at, heard.elicitation_task, heard.candidates
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS heard
      (id uuid, session text, rpc_id jsonb, kind text, params jsonb, stream_task_id uuid, named text,
        replayed boolean, received_at timestamptz, elicitation_task uuid, candidates uuid[])
    WHERE heard.kind = ${kind} AND (heard.kind = 'elicitation' OR EXISTS (
        SELECT FROM ask WHERE ask.organization_id = ${organizationId}::uuid
          AND ask.session_digest = decode(heard.session, 'hex') AND ask.rpc_id = heard.rpc_id
          AND ask.retracted_at IS NULL AND ask.accepted_at IS NULL)
      OR EXISTS (SELECT FROM stream_message asked WHERE asked.organization_id = ${organizationId}::uuid
        AND asked.connection_id = ${connectionId}::uuid AND asked.handled_at IS NULL AND asked.kind = 'elicitation'
        AND asked.session_digest = decode(heard.session, 'hex') AND asked.rpc_id = heard.rpc_id))
    ON CONFLICT (organization_id, id) DO NOTHING`;
  await insert("elicitation");
  if (messages.some(({ question }) => question === null)) await insert("cancelled");
  const ids = messages.map(({ id }) => id);
  const stored = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM stream_message
    WHERE organization_id = ${organizationId}::uuid AND id = ANY (${ids}::uuid[]) AND handled_at IS NULL`;
  return new Set(stored.map(({ id }) => id));
}

function withoutAddress({ mode, message, requestedSchema, url, cut }: Question) {
  return { mode, message, requestedSchema, url, cut };
}

/**
 * A message was dealt with, as this task's; null: nobody was left whose it could be. What it said stands elsewhere by now, and
 * the row only tells that it was heard. False: it was dealt with before.
 */
export async function markHandled(tx: Tx, id: string, taskId: string | null): Promise<boolean> {
  const handled = await tx.$executeRaw`
    UPDATE stream_message SET handled_at = now(), task_id = ${taskId}::uuid, candidates = '{}',
      params = CASE WHEN params IS NOT NULL THEN '{}'::jsonb END
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid AND handled_at IS NULL`;
  return handled === 1;
}

/** Stores the tasks to which a message may belong, if it does not name its task. */
export async function noteCandidates(tx: Tx, id: string, candidates: string[]): Promise<void> {
  await tx.$executeRaw`UPDATE stream_message SET candidates = ${candidates}::uuid[]
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid AND handled_at IS NULL`;
}

/** Takes away what was handled a day ago, some rows at a time; what it led to is kept elsewhere. Returns how many went. */
export async function forgetHandled(tx: Tx): Promise<number> {
  return tx.$executeRaw`DELETE FROM stream_message WHERE organization_id = ${tx.organizationId}::uuid AND id IN (
    SELECT id FROM stream_message WHERE organization_id = ${tx.organizationId}::uuid
      AND handled_at < now() - interval '1 day' LIMIT ${FORGOTTEN_TOGETHER} FOR UPDATE SKIP LOCKED)`;
}

const FORGOTTEN_TOGETHER = 500;
