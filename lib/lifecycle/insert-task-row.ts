/** The one INSERT of tasks: a start, a retry, an adoption and a question to people all come here, so a new column is thought of once. */
import type { Actor } from "../access/access-schema.ts";
import { contentOf } from "../base/content/content-keys.ts";
import { Prisma, storable, type Tx } from "../base/db/db.ts";
import type { Era } from "../mcp/peer.ts";
import type { GateColumns } from "./call-approval-question.ts";

export interface TaskRow {
  id: string;
  serverId: string;
  connectionId: string;
  tool: string;
  state: "queued" | "working" | "input_required";
  watched: boolean;
  visibility: "organization" | "private";
  requestedBy: Actor;
  requesterUserId: string | null;
  agentId: string | null;
  /** `arguments`, `label` and `statusMessage` as they are stored: see `storedContent`. */
  arguments: unknown;
  label: string | null;
  statusMessage?: string | null;
  toolHints?: Record<string, unknown> | null;
  recipeVersion?: number | null;
  gate?: GateColumns | null;
  retry?: { backoffMs: number; attempts: number; errors: boolean } | null;
  /** The task whose next attempt this is. */
  retryOf?: { id: string; attempt: number; startAfter: Date };
  restartOf?: string | null;
  raceId?: string | null;
  /** Of an approver, for a while: the call needs no approval of its own. */
  standingApprovalId?: string | null;
  idempotencyKey?: string | null;
  requestDigest?: Uint8Array | null;
  requestedTtlMs?: number | null;
  /** The call of the API that made the task. */
  requestId?: string | null;
  traceparent?: string | null;
  /** A task that is at its server already. */
  adopted?: { era: Era; sealedHandle: string; sealedSession: string | null; handleDigest: Uint8Array };
  builtin?: boolean;
  startedAt?: Date | null;
  expiresAt?: Date | null;
}

/** Returns a new task's content as it is stored: sealed for the task where the organization seals. */
export function storedContent(tx: Tx, id: string, args: Record<string, unknown>, label: string | null) {
  const content = contentOf(tx);
  return {
    arguments: content.json("task.arguments", id, storable(args)),
    label: content.text("task.label", id, label),
  };
}

/**
 * Inserts a task, and the row that says when it is polled. Returns false if the attempt before it has its retry already.
 * `createdAt`: the time of the transaction, unless several tasks of it are to keep their order.
 */
export async function insertTaskRow(tx: Tx, row: TaskRow, createdAt = Prisma.sql`now()`): Promise<boolean> {
  const { gate, retry, retryOf, adopted } = row;
  const inserted = await tx.$executeRaw`
    WITH made AS (
      INSERT INTO task (organization_id, id, server_id, connection_id, tool, tool_hints, recipe_version, arguments, label, status_message,
        state, watched, visibility, requested_by, requester_user_id, agent_id,
        gate, gate_rule, gate_digest, gate_tool_digest, gate_expires_at,
        attempts, retry_backoff_ms, retry_errors, retry_of, attempt, start_after, restart_of, race_id, standing_approval_id,
        idempotency_key, request_digest, requested_ttl_ms, request_id, traceparent,
        adopted, era, sealed_handle, sealed_session, handle_digest, builtin, started_at, expires_at, created_at, changed_at)
      SELECT ${tx.organizationId}::uuid, ${row.id}::uuid, ${row.serverId}::uuid, ${row.connectionId}::uuid, ${row.tool},
        ${json(row.toolHints)}::jsonb, ${row.recipeVersion ?? null}::integer, ${json(row.arguments)}::json, ${row.label},
        ${row.statusMessage ?? null}, ${row.state}, ${row.watched}, ${row.visibility}, ${json(row.requestedBy)}::jsonb,
        ${row.requesterUserId}::uuid, ${row.agentId}::uuid,
        ${gate?.state ?? null}, ${json(gate?.rule)}::jsonb, ${gate?.digest ?? null}::bytea, ${gate?.toolDigest ?? null},
        ${time(gate?.expiresAt)}::timestamptz,
        ${retry?.attempts ?? 1}::smallint, ${retry?.backoffMs ?? null}::integer, ${retry?.errors ?? false}::boolean,
        ${retryOf?.id ?? null}::uuid, ${retryOf?.attempt ?? 1}::smallint, ${time(retryOf?.startAfter)}::timestamptz,
        ${row.restartOf ?? null}::uuid, ${row.raceId ?? null}::uuid, ${row.standingApprovalId ?? null}::uuid,
        ${row.idempotencyKey ?? null}, ${row.requestDigest ?? null}::bytea, ${row.requestedTtlMs ?? null}::bigint,
        ${row.requestId ?? null}::uuid, ${row.traceparent ?? null},
        ${adopted !== undefined}, ${adopted?.era ?? null}, ${adopted?.sealedHandle ?? null}, ${adopted?.sealedSession ?? null},
        ${adopted?.handleDigest ?? null}::bytea, ${row.builtin ?? false}, ${time(row.startedAt)}::timestamptz,
        ${time(row.expiresAt)}::timestamptz, now.at, now.at
      FROM (SELECT ${createdAt} AS at) now
      ON CONFLICT (organization_id, retry_of) WHERE retry_of IS NOT NULL DO NOTHING
      RETURNING organization_id, id)
    INSERT INTO task_watch (organization_id, task_id) SELECT organization_id, id FROM made`;
  return inserted === 1;
}

function json(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(storable(value));
}

function time(value: Date | null | undefined): string | null {
  return value?.toISOString() ?? null;
}
