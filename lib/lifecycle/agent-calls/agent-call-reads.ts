/** Reads of tasks for the agent that started them. */
import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { beginningOf, UNOPENED } from "../../base/content/content.ts";
import { openingWhatOpens } from "../../base/content/content-keys.ts";
import { readPosition, toPage } from "../../base/cursor.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import type { Page } from "../../base/page.ts";
import { detached } from "../../base/process/detached.ts";
import type { TaskState } from "../../tasks/task-status.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import type { ListTasks } from "./agent-call-schema.ts";

/** A task as its row tells it to its agent. */
export interface AgentTaskRow {
  id: string;
  state: TaskState;
  /** As the agent named it in its call, else as the server does. */
  tool: string;
  label: string | null;
  statusMessage: string | null;
  createdAt: Date;
  changedAt: Date;
  finishedAt: Date | null;
  cancelRequestedAt: Date | null;
  /** The oldest open question to a person. */
  question: { id: string; message: string } | null;
  /** A person has answered, and the server does not have the answer yet. */
  isAnswered: boolean;
  /** It completed with a result that is an error by the server's own account. */
  isError: boolean;
  /** How it ended, as it was received. Untrusted. */
  result: unknown;
  error: unknown;
  /** A person approved the call with other arguments; null: as the agent made it. */
  changed: ChangedCall | null;
  /** The key of what it ended with is away: nothing is told of the end until it is back. */
  unopened: boolean;
}

export interface ChangedCall {
  by: { name: string };
  /** The agent's own arguments. */
  before: unknown;
  /** What the tool was called with. */
  arguments: unknown;
}

/** Held calls keep the question's beginning in memory, and nothing else of it. */
const QUESTION_CHARACTERS = 400;

const questionSchema = z
  .array(
    z.object({
      id: z.string(),
      message: z.string().transform((text) => detached(text.slice(0, QUESTION_CHARACTERS))),
    }),
  )
  .nullable()
  .transform((open) => open?.[0] ?? null);

const COLUMNS = Prisma.sql`t.id, t.state, coalesce(c.name, t.tool) AS tool, t.label,
  t.status_message AS "statusMessage", t.created_at AS "createdAt", t.changed_at AS "changedAt",
  t.finished_at AS "finishedAt", t.cancel_requested_at AS "cancelRequestedAt",
  t.outcome_is_error AS "isError",
  EXISTS (SELECT FROM input_request r WHERE r.organization_id = t.organization_id AND r.task_id = t.id
    AND r.state = 'answered') AS "isAnswered",
  (SELECT json_agg(json_build_object('id', r.id, 'message', r.message)) FROM (
    SELECT r.id, ${beginningOf(Prisma.sql`r.message`, "input_request.message", Prisma.sql`r.id`, QUESTION_CHARACTERS)} AS message FROM input_request r WHERE r.organization_id = t.organization_id AND r.task_id = t.id
      AND r.state = 'open' ORDER BY r.created_at, r.id LIMIT 1) r) AS requests`;
/** Null unless a person changed the call. */
const CHANGE = Prisma.sql`CASE WHEN t.asked_arguments IS NOT NULL THEN t.arguments END AS arguments, t.asked_arguments AS "askedArguments",
  CASE WHEN t.asked_arguments IS NOT NULL THEN (SELECT a.answered_by FROM input_request r JOIN answer a
    ON a.organization_id = r.organization_id AND a.input_request_id = r.id AND a.withdrawn_at IS NULL AND a.changes
    WHERE r.organization_id = t.organization_id AND r.task_id = t.id LIMIT 1) END AS "changedBy"`;
/** The bytes of what may be long in a task `t`. */
const READ_BYTES = Prisma.sql`coalesce(octet_length(t.result::text), 0)
  + coalesce(octet_length(t.asked_arguments::text) + octet_length(t.arguments::text), 0)`;
const FROM = Prisma.sql`FROM task t
  LEFT JOIN agent_call c ON c.organization_id = t.organization_id AND c.task_id = t.id`;

interface Row extends Omit<AgentTaskRow, "question" | "changed" | "unopened"> {
  requests: unknown;
  arguments: unknown;
  askedArguments: unknown;
  changedBy: unknown;
}

function toTask({ requests, arguments: args, askedArguments, changedBy, ...row }: Row): AgentTaskRow {
  const unopened = [row.result, row.error, args, askedArguments].includes(UNOPENED);
  const changed =
    askedArguments === null
      ? null
      : { by: actorSchema.parse(changedBy), before: askedArguments, arguments: args };
  return { ...row, unopened, changed, question: questionSchema.parse(requests) };
}

/** Reads those of the tasks that the agent may see, each with what it ended with. */
export async function readAgentTasks(
  tx: Tx,
  principal: Principal,
  ids: string[],
): Promise<Map<string, AgentTaskRow>> {
  const rows = await openingWhatOpens(tx, "mark").$queryRaw<
    Row[]
  >`SELECT ${COLUMNS}, ${CHANGE}, t.result, t.error ${FROM}
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ANY (${ids}::uuid[]) AND ${visibleTask(principal)}`;
  return new Map(rows.map((row) => [row.id, toTask(row)]));
}

/**
 * As `readAgentTasks`, of so many bytes of results and changed arguments at most (and one more task). `left`: those of the tasks that
 * are to be read later.
 */
export async function readSomeAgentTasks(
  tx: Tx,
  principal: Principal,
  { ids, bytes }: { ids: string[]; bytes: number },
): Promise<{ tasks: Map<string, AgentTaskRow>; left: string[] }> {
  if (ids.length === 1) return { tasks: await readAgentTasks(tx, principal, ids), left: [] };
  const rows = await tx.$queryRaw<{ id: string; isLeft: boolean }[]>`
    SELECT t.id, coalesce(sum(${READ_BYTES}) OVER (ORDER BY t.id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) > ${bytes} AS "isLeft" FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ANY (${ids}::uuid[]) AND ${visibleTask(principal)}`;
  const left = rows.flatMap(({ id, isLeft }) => (isLeft ? [id] : []));
  const now = left.length === 0 ? ids : ids.filter((id) => !left.includes(id));
  return { tasks: await readAgentTasks(tx, principal, now), left };
}

/** Lists the agent's tasks, newest first, without what they ended with. */
export async function listAgentTasks(
  tx: Tx,
  principal: Principal,
  { state, limit, cursor }: ListTasks,
): Promise<Page<AgentTaskRow>> {
  const after = readPosition(cursor);
  const rows = await openingWhatOpens(tx, "blank").$queryRaw<Row[]>`
    SELECT ${COLUMNS}, NULL::json AS result, NULL::json AS error,
      NULL::json AS arguments, NULL::json AS "askedArguments", NULL::jsonb AS "changedBy" ${FROM}
    WHERE t.organization_id = ${tx.organizationId}::uuid AND ${visibleTask(principal)}
      AND ${state === undefined ? Prisma.sql`true` : Prisma.sql`t.state = ${state}`}
      AND ${after ? Prisma.sql`(t.created_at, t.id) < (${after.createdAt}, ${after.id}::uuid)` : Prisma.sql`true`}
    ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit + 1}`;
  return toPage(rows, limit, ({ createdAt, id }) => ({ createdAt, id }), toTask);
}
