/** Reads of one task, scoped to the organization and to the principal's view; task-list-reads.ts reads many. */

import { z } from "zod";
import { allows, reachOf } from "../access/key-scope.ts";
import { agentOf, type Principal, selfOf } from "../access/principal.ts";
import { beginningOf, sealedFor, UNOPENED, unavailable } from "../base/content/content.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { KeptText } from "../base/db/kept-text.ts";
import { planOnce } from "../base/db/plan-mode.ts";
import { notFound } from "../base/errors.ts";
import { connectionStateSchema } from "../servers/connections/connection-schema.ts";
import { JOIN_GRANT, SHOWN_STATE } from "../servers/connections/list.ts";
import { JOINS, summaryOf, type TaskRow, toNumber, toSummary } from "./task-row.ts";
import { type TaskDetail, type TaskSummary, taskStateSchema } from "./task-schema.ts";
import type { TaskState } from "./task-status.ts";
import { visibleTask } from "./visibility.ts";

/** Throws `not_found`, also for invisible tasks. */
export async function readTask(tx: Tx, principal: Principal, taskId: string): Promise<TaskDetail> {
  await planOnce(tx);
  const [row] = await tx.$queryRaw<DetailRow[]>(detailOf(tx.organizationId, principal, taskId));
  if (!row) throw notFound("task");
  return {
    ...toSummary(new Date())(row),
    arguments: z.record(z.string(), z.unknown()).parse(row.arguments),
    askedArguments: z.record(z.string(), z.unknown()).nullable().parse(row.askedArguments),
    recipeVersion: row.recipeVersion,
    result: row.result,
    inputRequests: inputRequests.parse(row.inputRequests),
    unattributedQuestions: questions.parse(row.unattributedQuestions),
    connection: {
      owner: row.ownerId && row.ownerName ? { id: row.ownerId, name: row.ownerName } : null,
      state: connectionStateSchema.parse(row.connectionState),
      circuitOpenUntil: row.circuitOpenUntil?.toISOString() ?? null,
    },
    ahead: row.ahead,
    candidates: candidates.parse(row.candidates),
    restarts: restarts.parse(row.restarts),
  };
}

const TEXT = new KeptText(["organizationId", "taskId", "userId"]);

/**
 * The statement that reads a task. Put together anew for whom it is not as for everybody: an agent, and a key that is limited
 * to servers or tools.
 */
function detailOf(organizationId: string, principal: Principal, taskId: string): Prisma.Sql {
  const maySeeCandidates = allows(principal, "tasks:manage") && !reachOf(principal);
  const make = (ids: { organizationId: string; taskId: string }, who: Principal) => Prisma.sql`
    SELECT ${summaryOf(ids.organizationId)}, t.arguments, t.asked_arguments AS "askedArguments", t.recipe_version AS "recipeVersion", t.result, holder.id AS "ownerId", holder.name AS "ownerName",
      ${SHOWN_STATE} AS "connectionState",
      CASE WHEN link.circuit_open_until > now() THEN link.circuit_open_until END AS "circuitOpenUntil",
      CASE WHEN t.state = 'queued' THEN (SELECT count(*)::integer FROM (SELECT FROM task earlier
        WHERE earlier.organization_id = t.organization_id AND earlier.server_id = t.server_id AND earlier.state = 'queued'
          AND earlier.connection_id = t.connection_id AND earlier.created_at < t.created_at LIMIT ${MOST_AHEAD}) counted)
        ELSE 0 END AS ahead, ${inputRequestsOf()} AS "inputRequests",
      ${unattributedQuestions(who)} AS "unattributedQuestions", ${restartsOf(who)} AS restarts,
      ${maySeeCandidates ? CANDIDATES : Prisma.sql`NULL`} AS candidates
    FROM task t ${JOINS}
      JOIN connection link ON link.organization_id = t.organization_id AND link.id = t.connection_id ${JOIN_GRANT}
      LEFT JOIN "user" holder ON holder.id = link.user_id
    WHERE t.organization_id = ${ids.organizationId}::uuid AND t.id = ${ids.taskId}::uuid AND ${visibleTask(who)}`;
  if (reachOf(principal) || agentOf(principal) !== null) return make({ organizationId, taskId }, principal);
  const userId = selfOf(principal);
  const variant = [userId === null, maySeeCandidates].join();
  return TEXT.statement(variant, { organizationId, taskId, userId: userId ?? "" }, (marks) =>
    make(marks, userId === null ? principal : { ...principal, userId: marks.userId }),
  );
}

interface DetailRow extends TaskRow {
  arguments: unknown;
  askedArguments: unknown;
  recipeVersion: number | null;
  result: unknown;
  ownerId: string | null;
  ownerName: string | null;
  connectionState: string;
  circuitOpenUntil: Date | null;
  ahead: number;
  inputRequests: unknown;
  unattributedQuestions: unknown;
  restarts: unknown;
  candidates: unknown;
}

const time = z.coerce.date().transform((at) => at.toISOString());

/** Longest text of a question beside its task, in characters. */
const QUESTION_SHOWN = 1_000;

/** SQL for the requests of task `t`, oldest first. */
function inputRequestsOf(): Prisma.Sql {
  return Prisma.sql`(SELECT json_agg(json_build_object('id', r.id, 'state', r.state,
      'message', ${beginningOf(Prisma.sql`r.message`, "input_request.message", Prisma.sql`r.id`, QUESTION_SHOWN)})
      ORDER BY r.created_at, r.id)
    FROM input_request r WHERE r.organization_id = t.organization_id AND r.task_id = t.id)`;
}
const inputRequests = listOf(
  z.object({
    id: z.string(),
    state: z.string(),
    message: z.string().transform((text) => text.slice(0, QUESTION_SHOWN)),
  }),
);

const MOST_AHEAD = 1_000;

/** SQL for the questions that may be of task `t`, oldest first. */
function unattributedQuestions(principal: Principal): Prisma.Sql {
  return Prisma.sql`(SELECT json_agg(json_build_object('id', m.id, 'receivedAt', m.received_at, 'question', m.question)
      ORDER BY m.received_at, m.id)
    FROM (SELECT m.id, m.received_at, CASE WHEN NOT EXISTS (SELECT FROM task t
        WHERE t.organization_id = m.organization_id AND t.id = ANY (m.candidates) AND NOT ${visibleTask(principal)})
        THEN CASE WHEN jsonb_exists(m.params, 'sealed') THEN m.params
          ELSE jsonb_build_object('message', left(m.params->>'message', ${QUESTION_SHOWN})) END END AS question
      FROM stream_message m WHERE m.organization_id = t.organization_id AND m.handled_at IS NULL
        AND m.kind = 'elicitation' AND t.id = ANY (m.candidates)
      ORDER BY m.received_at, m.id LIMIT ${MOST_UNATTRIBUTED}) m)`;
}
const question = z.object({ message: z.string() }).nullable().catch(null);
const questions = listOf(
  z
    .object({ id: z.string(), receivedAt: time, question })
    .transform(({ id, receivedAt, question: asked }) => {
      return { id, receivedAt, message: asked?.message.slice(0, QUESTION_SHOWN) ?? null };
    }),
);

const MOST_UNATTRIBUTED = 20;

const MOST_RESTARTS = 20;

/** SQL for the tasks restarted from task `t` that the principal may see, newest first. */
function restartsOf(principal: Principal): Prisma.Sql {
  return Prisma.sql`(SELECT json_agg(json_build_object('id', restart.id, 'state', restart.state,
      'createdAt', restart.created_at) ORDER BY restart.created_at DESC, restart.id DESC)
    FROM task origin, LATERAL (SELECT t.id, t.state, t.created_at FROM task t
      WHERE t.organization_id = origin.organization_id AND t.restart_of = origin.id AND ${visibleTask(principal)}
      ORDER BY t.created_at DESC, t.id DESC LIMIT ${MOST_RESTARTS}) restart
    WHERE origin.organization_id = t.organization_id AND origin.id = t.id)`;
}
const restarts = listOf(z.object({ id: z.string(), state: taskStateSchema, createdAt: time }));

/** SQL for the tasks that task `t` may have made, if its start's outcome is unknown, oldest first. */
const CANDIDATES = Prisma.sql`CASE WHEN t.state = 'start_unknown' THEN (
  SELECT json_agg(json_build_object('id', f.id, 'status', f.status, 'statusMessage', f.status_message,
      'serverCreatedAt', f.server_created_at, 'foundAt', f.found_at) ORDER BY f.server_created_at, f.id)
  FROM found_task f WHERE f.organization_id = t.organization_id AND f.task_id = t.id) END`;
const candidates = listOf(
  z.object({
    id: z.string(),
    status: z.string(),
    statusMessage: z.string().nullable(),
    serverCreatedAt: time.nullable(),
    foundAt: time,
  }),
);

/** `json_agg` of no rows is null. */
function listOf<T extends z.ZodType>(item: T) {
  return z
    .array(item)
    .nullable()
    .transform((items) => items ?? []);
}

/**
 * The call that a task was started with, to start it again. Throws `not_found`, and `content_unavailable` for arguments that
 * can't be opened now: what stands for them must not be sent.
 */
export async function readStart(
  tx: Tx,
  principal: Principal,
  taskId: string,
): Promise<{ serverId: string; tool: string; arguments: Record<string, unknown>; ttlMs: number | null }> {
  const [row] = await tx.$queryRaw<
    { id: string; serverId: string; tool: string; arguments: unknown; ttlMs: bigint | null }[]
  >`
    SELECT t.id, t.server_id AS "serverId", t.tool, t.arguments, t.requested_ttl_ms AS "ttlMs" FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid AND ${visibleTask(principal)}`;
  if (!row) throw notFound("task");
  if (row.arguments === UNOPENED || sealedFor("task.arguments", row.id, row.arguments) !== null)
    throw unavailable(`the task ${row.id}`);
  const { id: _, ...start } = row;
  return {
    ...start,
    arguments: z.record(z.string(), z.unknown()).parse(row.arguments),
    ttlMs: toNumber(row.ttlMs),
  };
}

/** Throws `not_found` unless the principal may see the task. */
export async function requireVisibleTask(tx: Tx, principal: Principal, taskId: string): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT 1 FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid AND ${visibleTask(principal)}`;
  if (rows.length === 0) throw notFound("task");
}

/** The task's state, and when it began and ended in Intray. Throws `not_found` unless the principal may see the task. */
export async function readLife(
  tx: Tx,
  principal: Principal,
  taskId: string,
): Promise<{ state: TaskState; createdAt: Date; finishedAt: Date | null }> {
  const [life] = await tx.$queryRaw<{ state: TaskState; createdAt: Date; finishedAt: Date | null }[]>`
    SELECT t.state, t.created_at AS "createdAt", t.finished_at AS "finishedAt" FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid AND ${visibleTask(principal)}`;
  if (!life) throw notFound("task");
  return life;
}

/** All attempts of the task's call, first one first; at least the task itself. Throws `not_found`. */
export async function listAttempts(
  tx: Tx,
  principal: Principal,
  taskId: string,
): Promise<{ items: TaskSummary[] }> {
  const { organizationId } = tx;
  const own = Prisma.sql`organization_id = ${organizationId}::uuid`;
  // Back to the first, then on: at most ten, each found by an index.
  const rows = await tx.$queryRaw<TaskRow[]>`
    WITH RECURSIVE back AS (
      SELECT id, retry_of, attempt FROM task WHERE ${own} AND id = ${taskId}::uuid
      UNION ALL SELECT p.id, p.retry_of, p.attempt FROM back JOIN task p ON p.organization_id = ${organizationId}::uuid AND p.id = back.retry_of
    ), chain AS (
      (SELECT id FROM back ORDER BY attempt LIMIT 1)
      UNION ALL SELECT n.id FROM chain JOIN task n ON n.organization_id = ${organizationId}::uuid AND n.retry_of = chain.id
    )
    SELECT ${summaryOf(organizationId)} FROM chain JOIN task t ON t.organization_id = ${organizationId}::uuid AND t.id = chain.id ${JOINS}
    WHERE ${visibleTask(principal)} ORDER BY t.attempt`;
  if (!rows.some(({ id }) => id === taskId)) throw notFound("task");
  return { items: rows.map(toSummary(new Date())) };
}
