/** Retries of a failed call: each attempt is a task of its own, queued when the last one ends. */

import { actorSchema, roleSchema } from "../access/access-schema.ts";
import { PERMISSIONS } from "../access/permissions.ts";
import type { Principal } from "../access/principal.ts";
import { ROLES, type Role, roleAllows, weakerRole } from "../access/roles.ts";
import { AGENT_IN_FORCE, MEMBER_ROLE } from "../agents/agent-reads.ts";
import { keptTools } from "../agents/kept-tools.ts";
import { type ContentColumn, PLAIN, sealedFor, unavailable } from "../base/content/content.ts";
import { asStored, contentOf } from "../base/content/content-keys.ts";
import { isDatabaseDown, sqlState } from "../base/db/database-errors.ts";
import { Prisma, storable, type Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import { uuidv7 } from "../base/ids.ts";
import { publishChange, wakeEngine } from "../base/live-updates.ts";
import { log } from "../base/log.ts";
import { ENGINE_ACTOR, type NewEvent } from "../history/events/event-writes.ts";
import type { Tool } from "../mcp/peer.ts";
import { ACCOUNT_ROLE, IN_FORCE } from "../people/api-keys/api-key-reads.ts";
import { judgeCall } from "../policy/call-rules/judge-call.ts";
import { RECIPE_NOT_REMOVED } from "../servers/recipes/recipe-reads.ts";
import { OUTCOME_KNOWN } from "../tasks/failure-sql.ts";
import { MAX_RETRY_PAUSE_MS } from "../tasks/task-schema.ts";
import { askBefore, type Gate, gateColumns, refuseWithoutApprover } from "./call-approval-question.ts";

const MAY_START = ROLES.filter((role) => roleAllows(role, PERMISSIONS["tasks:start"]));

/**
 * Queues the next attempt of a task that this transaction has ended as a failure, if one is left, no cancel
 * was requested, and the requester, a person or a key, may still start tasks. The unique index lets one of
 * two concurrent tries through. Unknown outcomes (`start_unknown`, `lost`) are never retried. Returns history
 * lines, to append last. The call is judged by the rules as they are now: it may need an approval, or be refused.
 */
export async function queueRetry(tx: Tx, taskId: string): Promise<NewEvent[]> {
  const call = await callToRetry(tx, taskId);
  if (!call) return [];
  if (call.isRemoved) return [refusedRetry(taskId, { detail: "The recipe was removed.", extra: undefined })];
  const gate = await judgeRetry(tx, call).catch(refusalOf);
  if (gate instanceof AppError) return [refusedRetry(taskId, gate)];
  const { serverId, tool, arguments: args, actor } = call;
  const gated = gate && (await gateColumns(tx, gate, { serverId, tool: tool.name, arguments: args }));
  const id = uuidv7();
  const [made] = await tx.$queryRaw<
    {
      connectionId: string;
      attempt: number;
      attempts: number;
      startAfter: Date;
    }[]
  >`
    INSERT INTO task (organization_id, id, server_id, connection_id, tool, tool_hints, recipe_version, arguments, label, state, watched,
      gate, gate_rule, gate_digest, gate_tool_digest, gate_expires_at, visibility, requested_by, requester_user_id, agent_id, requested_ttl_ms, restart_of, retry_of, attempt, attempts,
      retry_backoff_ms, retry_errors, start_after)
    SELECT t.organization_id, ${id}::uuid, t.server_id, t.connection_id, t.tool, t.tool_hints, t.recipe_version, t.arguments, t.label,
      'queued', ${gate === null}, ${gated?.gate}, ${gate?.rule ? JSON.stringify(storable(gate.rule)) : null}::jsonb,
      ${gated?.gateDigest}::bytea, ${gated?.gateToolDigest}, ${gate?.expiresAt?.toISOString() ?? null}::timestamptz, t.visibility, t.requested_by, t.requester_user_id, t.agent_id, t.requested_ttl_ms, t.id, t.id, t.attempt + 1,
      t.attempts, t.retry_backoff_ms, t.retry_errors, now() + interval '1 ms' *
        least(${MAX_RETRY_PAUSE_MS}::float8, t.retry_backoff_ms * 2.0 ^ (t.attempt - 1))
    FROM task t WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid
      AND ${IS_DUE}
      -- An approval covers one call, which was made: the next one needs another.
      AND (t.gate IS NULL OR ${gate !== null})
      AND (t.requester_user_id IS NULL OR EXISTS (SELECT FROM membership m WHERE m.organization_id = t.organization_id
        AND m.user_id = t.requester_user_id AND m.role = ANY (${MAY_START})))
      AND (t.requested_by->>'kind' <> 'key' OR EXISTS (SELECT FROM api_key k WHERE k.organization_id = t.organization_id
        AND k.id::text = t.requested_by->>'id' AND ${IN_FORCE} AND k.role = ANY (${MAY_START})
        AND coalesce(${ACCOUNT_ROLE} = ANY (${MAY_START}), true)))
      AND (t.agent_id IS NULL OR EXISTS (SELECT FROM agent_credential a WHERE a.organization_id = t.organization_id
        AND a.id = t.agent_id AND ${AGENT_IN_FORCE} AND a.role = ANY (${MAY_START})
        AND coalesce(${MEMBER_ROLE} = ANY (${MAY_START}), true)))
    ON CONFLICT (organization_id, retry_of) WHERE retry_of IS NOT NULL DO NOTHING
    RETURNING connection_id AS "connectionId", attempt, attempts, start_after AS "startAfter"`;
  if (!made) return [];
  const { connectionId, attempt, attempts } = made;
  await sealForCopy(tx, taskId, id);
  await tx.taskWatch.create({ data: { organizationId: tx.organizationId, taskId: id } });
  await publishChange(tx, "task", [id]);
  const asked = { id, connectionId, tool: tool.name, arguments: args };
  const question = gate && (await askBefore(tx, asked, gate, actor));
  if (!question) await wakeEngine(tx, connectionId, id);
  const plan = { attempt, attempts, startAfter: made.startAfter.toISOString() };
  return [
    { type: "task.retry_queued", actor: ENGINE_ACTOR, taskId, data: { ...plan, nextTaskId: id } },
    {
      type: "task.queued",
      actor: ENGINE_ACTOR,
      taskId: id,
      data: { tool: tool.name, serverId, retryOf: taskId, ...plan },
    },
    ...(question ? [question] : []),
  ];
}

/**
 * SQL condition: the task `t` failed, and an attempt is left. A recipe submits a process anew only if it is known how the last
 * one ended: a submission that went wrong in any other way may have made one.
 */
const IS_DUE = Prisma.sql`(t.attempt < t.attempts AND t.cancel_requested_at IS NULL
  AND (t.gate IS NULL OR t.gate = 'approved')
  AND (t.state = 'failed' OR (t.state = 'completed' AND t.retry_errors AND t.outcome_is_error))
  AND (t.recipe_version IS NULL OR t.state = 'completed' OR ${OUTCOME_KNOWN}))`;

interface CallToRetry extends Pick<Principal, "actor" | "role"> {
  serverId: string;
  tool: Tool;
  arguments: Record<string, unknown>;
  isPrivate: boolean;
  /** The tool was a recipe that is in force no more. */
  isRemoved: boolean;
}

/** Returns the call of a task whose next attempt is due, by whom it is made; null if none is. */
async function callToRetry(tx: Tx, taskId: string): Promise<CallToRetry | null> {
  const [row] = await tx.$queryRaw<
    {
      id: string;
      serverId: string;
      tool: string;
      annotations: Record<string, unknown> | null;
      arguments: Record<string, unknown>;
      isPrivate: boolean;
      isRemoved: boolean;
      requestedBy: unknown;
      role: string | null;
      /** Of whoever is behind an agent or a key, and bounds it. */
      boundRole: string | null;
    }[]
  >`SELECT t.id, t.server_id AS "serverId", t.tool, t.tool_hints -> 'annotations' AS annotations, t.arguments,
      t.visibility = 'private' AS "isPrivate", NOT ${RECIPE_NOT_REMOVED} AS "isRemoved", t.requested_by AS "requestedBy", CASE t.requested_by ->> 'kind'
        WHEN 'agent' THEN (SELECT a.role FROM agent_credential a
          WHERE a.organization_id = t.organization_id AND a.id = t.agent_id)
        WHEN 'key' THEN (SELECT k.role FROM api_key k
          WHERE k.organization_id = t.organization_id AND k.id::text = t.requested_by ->> 'id')
        ELSE (SELECT m.role FROM membership m
          WHERE m.organization_id = t.organization_id AND m.user_id = t.requester_user_id) END AS role,
      CASE t.requested_by ->> 'kind'
        WHEN 'agent' THEN (SELECT ${MEMBER_ROLE} FROM agent_credential a
          WHERE a.organization_id = t.organization_id AND a.id = t.agent_id)
        WHEN 'key' THEN (SELECT ${ACCOUNT_ROLE} FROM api_key k
          WHERE k.organization_id = t.organization_id AND k.id::text = t.requested_by ->> 'id') END AS "boundRole"
    FROM task t WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid AND ${IS_DUE}`;
  if (!row) return null;
  const { serverId, tool: name, annotations } = row;
  const listed = (await keptTools(tx, [{ id: serverId, checkedAt: null }])).get(serverId);
  return {
    serverId,
    arguments: row.arguments,
    isPrivate: row.isPrivate,
    isRemoved: row.isRemoved,
    actor: actorSchema.parse(row.requestedBy),
    role: weakerOf(row.role, row.boundRole),
    // Judged as the server describes it now; the call is the one that was made.
    tool: listed?.get(name)?.tool ?? {
      name,
      title: null,
      description: null,
      inputSchema: {},
      taskSupport: "optional",
      annotations,
      honoursIdempotencyKey: false,
    },
  };
}

async function judgeRetry(tx: Tx, call: CallToRetry): Promise<Gate | null> {
  const gate = await judgeCall(tx, call, call);
  if (gate) await refuseWithoutApprover(tx, gate, call.isPrivate);
  return gate;
}

/** A requester who no longer exists counts as viewer, so the attempt is queued only if somebody may still start it. */
function weakerOf(own: string | null, bound: string | null): Role {
  const known = roleSchema.catch("viewer");
  return weakerRole(known.parse(own), known.parse(bound ?? own));
}

/**
 * The reason why there is no other attempt. Rules that can't be read allow none either: how the call before ended is stored in the
 * same transaction, and must not be lost for it.
 */
function refusalOf(error: unknown): AppError {
  if (error instanceof AppError && error.code === "denied_by_rule") return error;
  if (error instanceof AppError || sqlState(error) !== null || isDatabaseDown(error)) throw error;
  log.error({ err: error }, "another attempt could not be judged, and is not made");
  return new AppError("denied_by_rule", "The call rules could not be read.", { extra: { rule: null } });
}

function refusedRetry(taskId: string, { detail, extra }: Pick<AppError, "detail" | "extra">): NewEvent {
  const data = { reason: detail, rule: extra?.rule ?? null };
  return { type: "task.retry_refused", actor: ENGINE_ACTOR, taskId, data };
}

/**
 * Sealed values are bound to their row, so the copy's are sealed for the copy. Throws `content_unavailable` while a key is
 * away, as in a transaction that began before the organization had it: a later one ends the task and copies it.
 */
async function sealForCopy(tx: Tx, fromId: string, toId: string): Promise<void> {
  const content = contentOf(tx);
  const stored = await asStored(tx).task.findFirstOrThrow({
    where: { organizationId: tx.organizationId, id: fromId },
    select: { arguments: true, label: true },
  });
  const opened = (column: ContentColumn, value: unknown) => {
    const kid = sealedFor(column, fromId, value);
    if (kid === null) return { value };
    const found = content.openOne(column, fromId, value);
    if (!found && !(content.knows(kid) && content.opens)) throw unavailable(`the task ${fromId}`);
    return found;
  };
  const [args, label] = [opened("task.arguments", stored.arguments), opened("task.label", stored.label)];
  // What was changed in the database stays as it is, bound to another row: the copy is never sent.
  if (!args || !label || content === PLAIN) return;
  await tx.task.updateMany({
    where: { organizationId: tx.organizationId, id: toId, state: "queued" },
    data: { arguments: storable(args.value), label: label.value as string | null },
  });
}
