/**
 * Writes of approvals for a while: given with an answer, and used by the transaction that makes a task. lib/lifecycle
 * revokes them, because revoking also stops calls that were not sent yet.
 */
import type { Actor } from "../../access/access-schema.ts";
import { may, rolesWith } from "../../access/permissions.ts";
import { agentOf, type Principal } from "../../access/principal.ts";
import { listedDigest } from "../../agents/kept-tools.ts";
import { UNOPENED } from "../../base/content/content.ts";
import { openingWhatOpens } from "../../base/content/content-keys.ts";
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { NewEvent } from "../../history/events/event-writes.ts";
import { makerOf } from "../../people/members/one-maker.ts";
import { POLICY_OF_TASK } from "../../policy/judge-request.ts";
import { labelOf } from "../../tasks/task-status.ts";
import { amountOf } from "../../text/amount.ts";
import { isRecord } from "../../text/json.ts";
import { approvalOf } from "../capture/insert-request.ts";
import type { LockedRequest } from "../lock-request.ts";
import { differsAs, isLikeApproved, isWithin } from "./bounds.ts";
import { NEEDS_ADMIN } from "./standing-approval-reads.ts";
import type { StandingInput } from "./standing-approval-schema.ts";

type Json = Record<string, unknown>;

/** Longest arguments of a call that is approved for a while, as JSON: each call of the agent is compared with them. */
const MOST_CHARACTERS = 16 * 1024;
/** Most approvals in force of one agent and tool. */
const MOST_IN_FORCE = 50;
/** SQL: the approval `s` was not revoked, and its time and its uses are not over. */
const IN_FORCE = Prisma.sql`s.revoked_at IS NULL AND s.ended_at IS NULL AND s.expires_at > now()
  AND (s.most_uses IS NULL OR s.uses < s.most_uses)`;

const MAY_ANSWER = rolesWith("requests:answer");
const ADMINS = rolesWith("settings:manage");

/**
 * Stores the bounds of an answer that this transaction records, after `refuseStanding`. Throws `invalid_content` if this
 * call can't be approved for a while: an agent has to have made the call. For a destructive tool, only an admin can.
 */
export async function giveStandingApproval(
  tx: Tx,
  principal: Principal,
  request: LockedRequest,
  answerId: string,
  { forMs, uses, except, mostAmount }: StandingInput,
): Promise<Pick<NewEvent, "type" | "actor" | "data">> {
  const [task] = await tx.$queryRaw<
    { id: string; agentId: string | null; arguments: unknown; needsAdmin: boolean }[]
  >`
    SELECT t.id, t.agent_id AS "agentId", t.arguments, ${NEEDS_ADMIN} AS "needsAdmin"
    FROM task t JOIN input_request r ON r.organization_id = t.organization_id AND r.id = ${request.id}::uuid
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${request.taskId}::uuid`;
  const { userId, actor, role } = principal;
  if (!task?.agentId || request.gate !== "waiting" || userId === null || !isRecord(task.arguments))
    throw refused("Only calls of agents can be approved for a while.");
  if (JSON.stringify(task.arguments).length > MOST_CHARACTERS)
    throw refused(`A call of more than ${MOST_CHARACTERS / 1024} KiB can’t be approved for a while.`);
  const [{ count }] = await tx.$queryRaw<
    [{ count: number }]
  >`SELECT count(*)::integer AS count FROM standing_approval s
    WHERE s.organization_id = ${tx.organizationId}::uuid AND s.agent_id = ${task.agentId}::uuid
      AND s.server_id = ${request.serverId}::uuid AND s.tool = ${request.tool} AND ${IN_FORCE}`;
  if (count >= MOST_IN_FORCE)
    throw refused(`The agent has ${MOST_IN_FORCE} approvals for a while of this tool. Revoke one first.`);
  if (task.needsAdmin && !may(role, "settings:manage"))
    throw refused("This call may destroy something. Only an admin approves it for a while.");
  if (mostAmount !== undefined && !isWithin(task.arguments, mostAmount))
    throw refused("This call is not within the amount itself.", "standing.mostAmount");
  const args = task.arguments;
  const fixed = except.find((name) => Object.hasOwn(args, name) && differsAs(name, args[name]) === null);
  if (mostAmount !== undefined && fixed !== undefined)
    throw refused(`With a largest amount, the argument ${fixed} has to be the same.`, "standing.except");
  const id = uuidv7();
  await tx.$executeRaw`INSERT INTO standing_approval (organization_id, id, answer_id, input_request_id, task_id, agent_id, server_id, tool,
      except_names, most_amount, user_id, made_by, needs_admin, expires_at, most_uses)
    VALUES (${tx.organizationId}::uuid, ${id}::uuid, ${answerId}::uuid, ${request.id}::uuid, ${request.taskId}::uuid,
      ${task.agentId}::uuid, ${request.serverId}::uuid, ${request.tool}, ${except}::text[], ${mostAmount ?? null}::float8,
      ${userId}::uuid, ${JSON.stringify(storable(actor))}::jsonb, ${task.needsAdmin}::boolean, now() + ${forMs} * interval '1 ms', ${uses ?? null}::integer)`;
  const data = { standingApprovalId: id, forMs, uses: uses ?? null, except, mostAmount: mostAmount ?? null };
  return { type: "standing_approval.given", actor, data };
}

function refused(message: string, field = "standing"): AppError {
  return new AppError("invalid_content", message, { errors: [{ field, message }] });
}

interface Candidate {
  id: string;
  arguments: unknown;
  except: string[];
  mostAmount: number | null;
  toolDigest: string | null;
  by: Actor;
}

export interface Cover {
  standingApprovalId: string;
  by: Actor;
}

/**
 * Uses an approval for a while that covers this call of an agent, and counts the use; returns null if none does.
 * `message`: the question that a person would see. The transaction that makes the task counts the use. So two calls
 * at the same time can't both take the last use.
 */
export async function passByStandingApproval(
  tx: Tx,
  principal: Pick<Principal, "actor">,
  call: { serverId: string; tool: string; arguments: Json },
  message: string,
): Promise<Cover | null> {
  const agentId = agentOf(principal);
  if (agentId === null || JSON.stringify(call.arguments).length > MOST_CHARACTERS) return null;
  const found = await candidates(tx, principal, agentId, call);
  if (found.length === 0) return null;
  const digest = await listedDigest(tx, call.serverId, call.tool);
  const like = found.filter(
    (each) =>
      each.arguments !== UNOPENED &&
      isRecord(each.arguments) &&
      each.toolDigest !== null &&
      each.toolDigest === digest &&
      isLikeApproved(each.arguments, call.arguments, each),
  );
  if (like.length === 0 || (await hasRule(tx, principal, agentId, call, message))) return null;
  for (const { id, by } of like) {
    const used = await tx.$executeRaw`UPDATE standing_approval SET uses = uses + 1
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid AND revoked_at IS NULL AND ended_at IS NULL AND expires_at > now()
        AND (most_uses IS NULL OR uses < most_uses)`;
    if (used === 1) return { standingApprovalId: id, by };
  }
  return null;
}

/**
 * The approvals that are in force: the person who gave one still has the right to approve, and the answer was not
 * taken back.
 */
function candidates(
  tx: Tx,
  { actor }: Pick<Principal, "actor">,
  agentId: string,
  { serverId, tool }: { serverId: string; tool: string },
): Promise<Candidate[]> {
  const maker = makerOf(tx.organizationId, { actor, userId: null });
  return openingWhatOpens(tx, "mark").$queryRaw<Candidate[]>`
    SELECT s.id, t.id AS "taskId", t.arguments, s.except_names AS except, s.most_amount AS "mostAmount",
      t.gate_tool_digest AS "toolDigest", s.made_by AS by
    FROM standing_approval s
      JOIN answer a ON a.organization_id = s.organization_id AND a.id = s.answer_id AND a.withdrawn_at IS NULL
      JOIN task t ON t.organization_id = s.organization_id AND t.id = s.task_id AND t.gate = 'approved'
      JOIN membership m ON m.organization_id = s.organization_id AND m.user_id = s.user_id
        AND m.role = ANY (CASE WHEN s.needs_admin THEN ${ADMINS}::text[] ELSE ${MAY_ANSWER}::text[] END)
      JOIN organization o ON o.id = s.organization_id
    WHERE s.organization_id = ${tx.organizationId}::uuid AND s.agent_id = ${agentId}::uuid AND s.server_id = ${serverId}::uuid
      AND s.tool = ${tool} AND ${IN_FORCE}
      AND NOT (o.four_eyes AND same_maker(s.organization_id, ${maker}, s.user_id))
    ORDER BY s.expires_at, s.id LIMIT ${MOST_IN_FORCE}`;
}

/** Whether a rule of the policy applies to this call. Then people decide about each call separately. */
async function hasRule(
  tx: Tx,
  { actor }: Pick<Principal, "actor">,
  agentId: string,
  { serverId, tool, arguments: args }: { serverId: string; tool: string; arguments: Json },
  message: string,
): Promise<boolean> {
  const [asking] = await tx.$queryRaw<{ policy: unknown }[]>`SELECT ${POLICY_OF_TASK} AS policy FROM (SELECT
    ${tx.organizationId}::uuid AS organization_id, ${serverId}::uuid AS server_id, now() AS created_at, ${agentId}::uuid AS agent_id,
    ${JSON.stringify(storable(actor))}::jsonb AS requested_by, NULL::uuid AS requester_user_id) t`;
  const amount = amountOf(args, message);
  const shown = {
    ...{ message, url: null, form: { kind: "supported", fields: [] } as Prisma.InputJsonValue },
    ...{ amount: amount?.value ?? null, currency: amount?.currency ?? null },
  };
  const task = { policy: asking?.policy ?? null, tool, label: labelOf(args), arguments: args };
  return approvalOf(task, shown, false) !== null;
}
