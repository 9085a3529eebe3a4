/**
 * Questions of Intray's own, which no server puts: made in the transaction that makes their task, and settled without a
 * word to anybody (lib/lifecycle/human-tasks/settle-own-questions.ts). People answer, undo and assign them as any other.
 */
import { z } from "zod";
import type { Actor } from "../access/access-schema.ts";
import { contentOf } from "../base/content/content-keys.ts";
import { storableText, type Tx } from "../base/db/db.ts";
import { uuidv7 } from "../base/ids.ts";
import { publishChange } from "../base/live-updates.ts";
import type { NewEvent } from "../history/events/event-writes.ts";
import { questionHash } from "../mcp/forms/question-hash.ts";
import { POLICY_OF_TASK } from "../policy/judge-request.ts";
import type { Amount } from "../text/amount.ts";
import { approvalOf, columnsOf, EVENT_CHARACTERS, insertRequest, namedIn } from "./capture/insert-request.ts";
import { armTimers } from "./timers/timer-writes.ts";

export interface OwnQuestion {
  task: { id: string; connectionId: string; tool: string; arguments: Record<string, unknown> };
  /** The task as the policy judges it, where what is stored has masks. */
  judged?: { label: string; arguments: Record<string, unknown> };
  /** Names the question among those of its task. */
  key: string;
  message: string;
  /** A form of the elicitation subset. Null: there is nothing to fill in, only to approve or decline. */
  form: Record<string, unknown> | null;
  /** Undefined: as the arguments tell. */
  amount?: Amount | null;
  /** The question is over then, unanswered. Null: it has no end. */
  expiresAt: Date | null;
  /** Who asks. */
  actor: Actor;
}

/** Stores a question of a task that this transaction has made. Returns its id and its line of history. */
export async function insertOwnQuestion(
  tx: Tx,
  { task, judged, key, message, form, amount, expiresAt, actor }: OwnQuestion,
): Promise<{ id: string; event: NewEvent }> {
  const id = uuidv7();
  const requestedSchema = form ?? { type: "object", properties: {} };
  const question = { mode: "form", message, requestedSchema, url: null } as const;
  // An answer is bound to the call too, as it is stored: people read it below the question.
  const hash = questionHash({ taskId: task.id, ...question, arguments: task.arguments });
  const columns = columnsOf({ ...task, ...judged, destructive: null }, question, hash);
  const own =
    amount === undefined
      ? columns
      : { ...columns, amount: amount?.value ?? null, currency: amount?.currency ?? null };
  const [asking] = await tx.$queryRaw<{ label: string | null; policy: unknown }[]>`
    SELECT t.id, t.label, ${POLICY_OF_TASK} AS policy FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${task.id}::uuid`;
  const approval = asking ? approvalOf({ ...task, ...asking, ...judged }, own, false) : null;
  const asked = { replaces: null, askedAgain: false, isRestless: false, endsAt: expiresAt };
  const { connectionId } = task;
  const opened = {
    id,
    taskId: task.id,
    connectionId,
    key,
    origin: "intray" as const,
    ...asked,
    shown: own,
    approval,
    revises: actor.kind === "agent" ? await revisedBefore(tx, task) : null,
  };
  await insertRequest(tx, opened, null);
  if (approval) await armTimers(tx, id, approval);
  await publishChange(tx, "input_request", [id]);
  const data = {
    message: storableText(message).slice(0, EVENT_CHARACTERS),
    questionHash: contentOf(tx).hash(columns.questionHash),
    askedAgain: false,
    ...namedIn(approval),
  };
  return { id, event: { type: "request.opened", actor, taskId: task.id, inputRequestId: id, data } };
}

/** How many of the agent's latest tasks are looked through. */
const LOOKED_THROUGH = 200;

/**
 * Returns the last request of the same agent, server and tool that a person asked to revise, unless another request has followed it
 * already; null if there is none. Calls that a program makes with its own tools are told apart by the program's name of the tool.
 */
async function revisedBefore(
  tx: Tx,
  { id: taskId, tool, arguments: args }: OwnQuestion["task"],
): Promise<string | null> {
  const calledAs = programsTool(args) ?? tool;
  const [found] = await tx.$queryRaw<{ id: string }[]>`
    WITH latest AS MATERIALIZED (
      SELECT p.id, p.server_id, p.tool FROM task p WHERE p.organization_id = ${tx.organizationId}::uuid
        AND p.agent_id = (SELECT agent_id FROM task WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid)
      ORDER BY p.created_at DESC, p.id DESC LIMIT ${LOOKED_THROUGH})
    SELECT r.id FROM latest its JOIN latest p ON p.server_id = its.server_id AND p.tool = its.tool AND p.id <> its.id
      JOIN input_request r ON r.organization_id = ${tx.organizationId}::uuid AND r.task_id = p.id AND r.origin = 'intray'
        AND r.state = 'settled'
      LEFT JOIN agent_call c ON c.organization_id = r.organization_id AND c.task_id = p.id
      JOIN answer a ON a.organization_id = r.organization_id AND a.input_request_id = r.id AND a.withdrawn_at IS NULL AND a.revise
    WHERE its.id = ${taskId}::uuid AND (p.tool <> 'request_approval' OR c.name = ${calledAs}) AND NOT EXISTS (SELECT FROM latest n JOIN input_request later
      ON later.organization_id = r.organization_id AND later.task_id = n.id WHERE later.revises = r.id)
    ORDER BY a.created_at DESC LIMIT 1`;
  return found?.id ?? null;
}

const programsCallSchema = z.looseObject({ call: z.looseObject({ tool: z.string() }) });

/** The tool of a program's call (lib/lifecycle/program-calls); null: it is no such call. */
function programsTool(args: unknown): string | null {
  return programsCallSchema.safeParse(args).data?.call.tool ?? null;
}
