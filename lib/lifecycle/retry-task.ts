/** Retries of a failed call: each attempt is a task of its own, queued when the last one ends. */

import { actorSchema } from "../access/access-schema.ts";
import { rolesWith } from "../access/permissions.ts";
import type { Principal } from "../access/principal.ts";
import { AGENT_IN_FORCE, MEMBER_ROLE } from "../agents/agent-reads.ts";
import { listedTool } from "../agents/kept-tools.ts";
import { type ContentColumn, PLAIN, sealedFor, unavailable } from "../base/content/content.ts";
import { asStored, contentOf } from "../base/content/content-keys.ts";
import { isDatabaseDown, sqlState } from "../base/db/database-errors.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { wakeEngine } from "../base/engine-hints.ts";
import { AppError } from "../base/errors.ts";
import { uuidv7 } from "../base/ids.ts";
import { publishChange } from "../base/live-updates.ts";
import { log } from "../base/log.ts";
import { ENGINE_ACTOR, type NewEvent } from "../history/events/event-writes.ts";
import type { Tool } from "../mcp/peer.ts";
import { ACCOUNT_ROLE, IN_FORCE } from "../people/api-keys/api-key-reads.ts";
import { judgeCall } from "../policy/call-rules/judge-call.ts";
import {
  ROLES_OF_REQUESTER,
  type RolesOfRequester,
  roleOfRequester,
} from "../policy/call-rules/requester.ts";
import { RECIPE_NOT_REMOVED } from "../servers/recipes/recipe-reads.ts";
import { OUTCOME_KNOWN } from "../tasks/failure-sql.ts";
import { MAX_RETRY_PAUSE_MS } from "../tasks/task-schema.ts";
import { askBefore, type Gate, gateColumns, refuseWithoutApprover } from "./call-approval-question.ts";
import { insertTaskRow, storedContent, type TaskRow } from "./insert-task-row.ts";

const MAY_START = rolesWith("tasks:start");

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
  // An approval covers one call, which was made: the next one needs another.
  if (!call.mayStart || (call.wasGated && gate === null)) return [];
  const { serverId, connectionId, tool, arguments: args, actor, plan, again } = call;
  const id = uuidv7();
  const made = await insertTaskRow(tx, {
    ...again,
    ...{ id, serverId, connectionId, tool: tool.name },
    ...(await contentForCopy(tx, taskId, id)),
    state: "queued",
    watched: gate === null,
    gate: gate && (await gateColumns(tx, gate, { serverId, tool: tool.name, arguments: args })),
    retryOf: { id: taskId, attempt: plan.attempt, startAfter: plan.startAfter },
    restartOf: taskId,
  });
  if (!made) return [];
  await publishChange(tx, "task", [id]);
  const asked = { id, connectionId, tool: tool.name, arguments: args };
  const question = gate && (await askBefore(tx, asked, gate, actor));
  if (!question) await wakeEngine(tx, connectionId, id);
  const said = { ...plan, startAfter: plan.startAfter.toISOString() };
  return [
    { type: "task.retry_queued", actor: ENGINE_ACTOR, taskId, data: { ...said, nextTaskId: id } },
    {
      type: "task.queued",
      actor: ENGINE_ACTOR,
      taskId: id,
      data: { tool: tool.name, serverId, retryOf: taskId, ...said },
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

/** Whether the requester of the task `t`, member, key or agent, may still start tasks. */
const MAY_STILL_START = Prisma.sql`((t.requester_user_id IS NULL OR EXISTS (SELECT FROM membership m WHERE m.organization_id = t.organization_id
    AND m.user_id = t.requester_user_id AND m.role = ANY (${MAY_START})))
  AND (t.requested_by->>'kind' <> 'key' OR EXISTS (SELECT FROM api_key k WHERE k.organization_id = t.organization_id
    AND k.id::text = t.requested_by->>'id' AND ${IN_FORCE} AND k.role = ANY (${MAY_START})
    AND coalesce(${ACCOUNT_ROLE} = ANY (${MAY_START}), true)))
  AND (t.agent_id IS NULL OR EXISTS (SELECT FROM agent_credential a WHERE a.organization_id = t.organization_id
    AND a.id = t.agent_id AND ${AGENT_IN_FORCE} AND a.role = ANY (${MAY_START})
    AND coalesce(${MEMBER_ROLE} = ANY (${MAY_START}), true))))`;

/** Columns that the next attempt has from this one. */
type Again = Pick<
  TaskRow,
  | "toolHints"
  | "recipeVersion"
  | "visibility"
  | "requestedBy"
  | "requesterUserId"
  | "agentId"
  | "requestedTtlMs"
  | "retry"
>;

interface CallToRetry extends Pick<Principal, "actor" | "role"> {
  serverId: string;
  connectionId: string;
  tool: Tool;
  arguments: Record<string, unknown>;
  isPrivate: boolean;
  /** The tool was a recipe that is in force no more. */
  isRemoved: boolean;
  /** The attempt before had an approval. */
  wasGated: boolean;
  mayStart: boolean;
  plan: { attempt: number; attempts: number; startAfter: Date };
  again: Again;
}

/** Returns the call of a task whose next attempt is due, by whom it is made; null if none is. */
async function callToRetry(tx: Tx, taskId: string): Promise<CallToRetry | null> {
  const [row] = await tx.$queryRaw<
    (Pick<CallToRetry, "serverId" | "connectionId" | "arguments" | "isRemoved" | "wasGated" | "mayStart"> & {
      tool: string;
      again: Again;
      attempt: number;
      attempts: number;
      startAfter: Date;
    } & RolesOfRequester)[]
  >`SELECT t.server_id AS "serverId", t.connection_id AS "connectionId", t.tool, t.arguments,
      NOT ${RECIPE_NOT_REMOVED} AS "isRemoved", t.gate IS NOT NULL AS "wasGated", ${MAY_STILL_START} AS "mayStart",
      jsonb_build_object('toolHints', t.tool_hints, 'recipeVersion', t.recipe_version, 'visibility', t.visibility,
        'requestedBy', t.requested_by, 'requesterUserId', t.requester_user_id, 'agentId', t.agent_id, 'requestedTtlMs', t.requested_ttl_ms,
        'retry', jsonb_build_object('attempts', t.attempts, 'backoffMs', t.retry_backoff_ms, 'errors', t.retry_errors)) AS again,
      -- Rounded as columns are: a Date would cut the microseconds off.
      t.attempt + 1 AS attempt, t.attempts, (now() + interval '1 ms' *
        least(${MAX_RETRY_PAUSE_MS}::float8, t.retry_backoff_ms * 2.0 ^ (t.attempt - 1)))::timestamptz(3) AS "startAfter",
      ${ROLES_OF_REQUESTER}
    FROM task t WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid AND ${IS_DUE}`;
  if (!row) return null;
  const { serverId, tool: name, role, boundRole, attempt, attempts, startAfter, ...copied } = row;
  const annotations = (copied.again.toolHints?.annotations ?? null) as Record<string, unknown> | null;
  return {
    ...copied,
    serverId,
    isPrivate: copied.again.visibility === "private",
    plan: { attempt, attempts, startAfter },
    actor: actorSchema.parse(copied.again.requestedBy),
    role: roleOfRequester({ role, boundRole }),
    // Judged as the server describes it now; the call is the one that was made.
    tool: await listedTool(tx, serverId, name, annotations),
  };
}

async function judgeRetry(tx: Tx, call: CallToRetry): Promise<Gate | null> {
  const gate = await judgeCall(tx, call, call);
  if (gate) await refuseWithoutApprover(tx, gate, call.isPrivate);
  return gate;
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
 * Returns a task's content as it is stored for its copy: sealed values are bound to their row. Throws `content_unavailable` while
 * a key is away, as in a transaction that began before the organization had it: a later one ends the task and copies it.
 */
async function contentForCopy(
  tx: Tx,
  fromId: string,
  toId: string,
): Promise<Pick<TaskRow, "arguments" | "label">> {
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
  if (!args || !label || content === PLAIN) return stored;
  return storedContent(tx, toId, args.value as Record<string, unknown>, label.value as string | null);
}
