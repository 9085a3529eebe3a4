import { randomUUID } from "node:crypto";
import type { PoolClient } from "pg";
import { type Database, inTransaction } from "../database.ts";
import { invalidParams } from "../protocol/rpc.ts";
import type { Answer, FormParams } from "../question.ts";
import { type ListPosition, unknownTask } from "../store.ts";
import type { Told } from "../tasks.ts";
import { MINIMUM_TTL_MS, record, TOUCH, wake } from "../transitions.ts";
import { type AnyOfficeTool, type Ending, readArguments } from "./tool.ts";
import { officeTools } from "./tools/all.ts";

/**
 * The tasks of the office tools: their table, and every read and write of it. Each write is one transaction
 * that locks the row, checks the expected state and writes the ledger beside the change, so that a step may
 * run again.
 */

/**
 * `asking`: the question is open. `visiting`: a person has agreed to open the page, and no button was pressed
 * yet.
 */
export type OfficeState = "working" | "asking" | "visiting" | "decided" | "done" | "failed" | "cancelled";
export const ENDED: readonly OfficeState[] = ["done", "failed", "cancelled"];

export type OfficeTask = {
  taskId: string;
  tool: AnyOfficeTool;
  // biome-ignore lint/suspicious/noExplicitAny: the arguments of a tool are its own business
  arguments: any;
  state: OfficeState;
  /** How many times the question has changed. */
  round: number;
  question: FormParams | { mode: "url"; message: string; elicitationId: string } | null;
  questionExpiresAt: Date | null;
  /** When the current question was first shown to a client. */
  questionShownAt: Date | null;
  /** The page of a URL question; null until a button was pressed there. */
  page: { elicitationId: string; ending: Ending } | null;
  /** How the task ends, once a person has decided. */
  ending: Ending | null;
  error: { code: number; message: string } | null;
  ttlMs: number;
  createdAt: Date;
  updatedAt: Date;
};

/** A task asks once, so the key identifies a repeated answer. */
export const QUESTION_KEY = "decision-1";

const TABLE = `
begin;
select pg_advisory_xact_lock(hashtext('invoice-server schema'));
create table if not exists office_task (
  task_id             text primary key,
  idempotency_key     text unique,
  tool                text not null,
  arguments           jsonb not null,
  state               text not null default 'working'
    check (state in ('working', 'asking', 'visiting', 'decided', 'done', 'failed', 'cancelled')),
  round               int not null default 0,
  question            json,
  question_expires_at timestamptz,
  question_shown_at   timestamptz,
  page                json,
  ending              json,
  error               jsonb,
  ttl_ms              bigint not null,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  check ((state in ('asking', 'visiting')) = (question is not null)),
  check ((question is null) = (question_expires_at is null)),
  check ((state = 'failed') = (error is not null)),
  check (state not in ('decided', 'done') or ending is not null)
);
create index if not exists office_task_listing on office_task (created_at desc, task_id desc);
create or replace trigger office_task_changed after update of updated_at on office_task
  for each row execute function invoice_task_changed();
commit;
`;

const COLUMNS = `task_id as "taskId", tool, arguments, state, round, question, question_expires_at as "questionExpiresAt",
  question_shown_at as "questionShownAt", page, ending, error, ttl_ms::float8 as "ttlMs", created_at as "createdAt",
  updated_at as "updatedAt"`;

type Row = Omit<OfficeTask, "tool"> & { tool: string };

export async function prepareOffice(db: Database): Promise<void> {
  await db.pool.query(TABLE);
}

/** Starts a task, or returns the task that this idempotency key started before. */
export async function createOfficeTask(
  db: Database,
  tool: AnyOfficeTool,
  args: object,
  key: string | null,
): Promise<OfficeTask> {
  const taskId = `office-${randomUUID()}`;
  const now = new Date();
  const deadline = tool.deadline?.(args) ?? null;
  if (deadline && deadline <= now)
    throw invalidParams(`Invalid arguments for ${tool.name}: its time has passed`);
  const ttlMs = deadline ? deadline.getTime() - now.getTime() : MINIMUM_TTL_MS;
  const existing = await inTransaction(db, async (client) => {
    const inserted = await client.query(
      `insert into office_task (task_id, idempotency_key, tool, arguments, ttl_ms, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $6) on conflict (idempotency_key) do nothing`,
      [taskId, key, tool.name, JSON.stringify(args), ttlMs, now],
    );
    if (inserted.rowCount === 1) {
      await record(client, taskId, "created", { tool: tool.name, number: numberOf(args), key });
      return null;
    }
    const { rows } = await client.query<{ task_id: string; same: boolean }>(
      `select task_id, (tool, arguments) = ($2, $3::jsonb) as same from office_task where idempotency_key = $1`,
      [key, tool.name, JSON.stringify(args)],
    );
    if (!rows[0]?.same) throw invalidParams("This idempotency key was used with other arguments");
    await record(client, rows[0].task_id, "start_repeated", { key });
    return rows[0].task_id;
  });
  return getOfficeTask(db, existing ?? taskId);
}

/** Throws -32602 for an unknown task. */
export async function getOfficeTask(db: Database, taskId: string): Promise<OfficeTask> {
  const { rows } = await db.pool.query<Row>(`select ${COLUMNS} from office_task where task_id = $1`, [
    taskId,
  ]);
  if (!rows[0]) throw unknownTask(taskId);
  return toTask(rows[0]);
}

/** Lists tasks, newest first. */
export async function listOfficeTasks(
  db: Database,
  after: ListPosition | null,
  limit: number,
): Promise<OfficeTask[]> {
  const { rows } = await db.pool.query<Row>(
    `select ${COLUMNS} from office_task
     where $1::timestamptz is null or (created_at, task_id) < ($1::timestamptz, $2)
     order by created_at desc, task_id desc limit $3`,
    [...(after ?? [null, null]), limit],
  );
  return rows.map(toTask);
}

/** Returns the ids of tasks that have not ended, whose workflows resume after a restart. */
export async function unfinishedOfficeTasks(db: Database): Promise<string[]> {
  const { rows } = await db.pool.query<{ task_id: string }>(
    "select task_id from office_task where state <> all($1)",
    [ENDED],
  );
  return rows.map((row) => row.task_id);
}

/** Returns the task whose page has this id, ended or not, or null. */
export async function findByPage(db: Database, elicitationId: string): Promise<OfficeTask | null> {
  const { rows } = await db.pool.query<Row>(
    `select ${COLUMNS} from office_task
     where question->>'elicitationId' = $1 or page->>'elicitationId' = $1`,
    [elicitationId],
  );
  return rows[0] ? toTask(rows[0]) : null;
}

/** Ends a task that needs no person, else opens its question. Returns whether a person is asked now. */
export function beginAsking(db: Database, taskId: string, answerWithinMs: number): Promise<boolean> {
  return onTask(db, taskId, async (client, task) => {
    if (task.state !== "working") return !ENDED.includes(task.state);
    const ending = task.tool.endsBy?.(task.arguments) ?? null;
    if (ending) {
      await finishAs(client, task, ending);
      return false;
    }
    const expiresAt = task.tool.deadline?.(task.arguments) ?? new Date(Date.now() + answerWithinMs);
    await putQuestion(client, task, 0, expiresAt);
    return true;
  });
}

/**
 * Looks at the open question: fails the task at the deadline, and replaces a changing question some time
 * after it was shown. `at`: when to look again unless a message comes first, in ms.
 */
export function lookAtOfficeQuestion(
  db: Database,
  taskId: string,
  now: number,
  changeAfterMs: number,
): Promise<{ state: OfficeState; at: number }> {
  return onTask(db, taskId, async (client, task) => {
    const { state, questionExpiresAt: expiresAt, questionShownAt: shownAt, round } = task;
    if (!expiresAt) return { state, at: now };
    if (expiresAt.getTime() <= now) {
      const message = `${numberOf(task.arguments)}: nobody answered in time`;
      await client.query(
        `update office_task set state = 'failed', error = $2, question = null, question_expires_at = null, ${TOUCH}
         where task_id = $1`,
        [taskId, JSON.stringify({ code: -32603, message })],
      );
      await record(client, taskId, "ended", { state: "failed", reason: message });
      return { state: "failed", at: now };
    }
    const changesAt =
      mayChange(task) && shownAt ? shownAt.getTime() + changeAfterMs : Number.POSITIVE_INFINITY;
    if (changesAt <= now) await putQuestion(client, task, round + 1, expiresAt);
    return { state, at: changesAt <= now ? now : Math.min(changesAt, expiresAt.getTime()) };
  });
}

/** Whether the open question changes and has changes left. */
export function mayChange({ state, round, tool: { question } }: OfficeTask): boolean {
  return state === "asking" && question?.mode === "form" && round < question.changes;
}

async function putQuestion(
  client: PoolClient,
  { taskId, tool, arguments: args }: OfficeTask,
  round: number,
  expiresAt: Date,
): Promise<void> {
  const { question } = tool;
  if (!question) throw new Error(`${tool.name} neither asks nor ends by itself`);
  const params =
    question.mode === "form"
      ? { mode: "form", ...question.ask(args, round) }
      : { mode: "url", message: question.message(args), elicitationId: randomUUID() };
  await client.query(
    `update office_task set state = 'asking', round = $2, question = $3, question_expires_at = $4,
       question_shown_at = null, ${TOUCH} where task_id = $1`,
    [taskId, round, JSON.stringify(params), expiresAt],
  );
  await record(client, taskId, "asked", {
    question: QUESTION_KEY,
    round,
    message: params.message,
    expiresAt,
  });
}

/** Records that the question was shown. Clients cannot see this, so `updated_at` stays. */
export function noteShown(db: Database, taskId: string): Promise<void> {
  return inTransaction(db, async (client) => {
    const { rowCount } = await client.query(
      `update office_task set question_shown_at = clock_timestamp()
       where task_id = $1 and state = 'asking' and question_shown_at is null`,
      [taskId],
    );
    if (rowCount) await wake(db, client, taskId);
  });
}

/** Records an answer. The first valid one wins; later answers only go to the ledger. */
export function tellOffice(
  db: Database,
  taskId: string,
  key: string,
  era: string,
  answer: Answer,
): Promise<Told> {
  return onTask(db, taskId, async (client, task) => {
    const told = { question: key, era, action: answer.action, content: answer.content ?? null };
    const refuse = async (why: string, { duplicate = false, invalid = false }): Promise<Told> => {
      await record(client, taskId, "told", { ...told, accepted: false, duplicate, why });
      return { accepted: false, duplicate, invalid, why };
    };
    if (key !== QUESTION_KEY) return refuse("The question is not open", {});
    if (task.state !== "asking") {
      const duplicate = task.state !== "working";
      return refuse(duplicate ? "The question was answered before" : "The question is not open", {
        duplicate,
      });
    }
    const verdict = judge(task, answer);
    if ("why" in verdict) return refuse(verdict.why, { invalid: true });
    await record(client, taskId, "told", { ...told, accepted: true, duplicate: false });
    if (verdict.ending) await decideAs(client, task, verdict.ending);
    // The person agreed but has not pressed a button on the page yet.
    else
      await client.query(`update office_task set state = 'visiting', ${TOUCH} where task_id = $1`, [taskId]);
    await wake(db, client, taskId);
    return { accepted: true };
  });
}

/**
 * Interprets an answer; `ending: null` leaves the decision to the page. Decline and cancel both end the task
 * without an action.
 */
function judge(
  { tool, arguments: args, round, page }: OfficeTask,
  answer: Answer,
): { ending: Ending | null } | { why: string } {
  if (answer.action !== "accept") {
    const verb = answer.action === "decline" ? "declined" : "cancelled";
    return { ending: { status: "Rejected", text: `The request was ${verb}; nothing was done.` } };
  }
  if (tool.question?.mode !== "form") return { ending: page?.ending ?? null };
  const content = tool.question.answer(args, round).safeParse(answer.content);
  if (content.success) return { ending: content.data };
  const issues = content.error.issues.map(
    (issue) => `${issue.path.join(".") || "content"}: ${issue.message}`,
  );
  return { why: `The content does not fit the requested schema: ${issues.join("; ")}` };
}

/**
 * Records the first press of a button on the page. The task continues once the question is accepted too, in
 * either order. Returns false if the page was used before or its question is closed.
 */
export function pressOnPage(db: Database, elicitationId: string, choice: 0 | 1): Promise<boolean> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<Row>(
      `select ${COLUMNS} from office_task where question->>'elicitationId' = $1 for update`,
      [elicitationId],
    );
    const task = rows[0] && toTask(rows[0]);
    const question = task?.tool.question;
    if (!task || task.page || question?.mode !== "url") return false;
    const { ending } = question.page(task.arguments).choices[choice];
    await client.query(`update office_task set page = $2, ${TOUCH} where task_id = $1`, [
      task.taskId,
      JSON.stringify({ elicitationId, ending }),
    ]);
    await record(client, task.taskId, "pressed", { question: QUESTION_KEY, status: ending.status });
    if (task.state !== "visiting") return true;
    await decideAs(client, task, ending);
    await wake(db, client, task.taskId);
    return true;
  });
}

/** The last step: carries out the decision. */
export function finishOfficeTask(db: Database, taskId: string): Promise<void> {
  return onTask(db, taskId, async (client, task) => {
    if (task.state === "decided" && task.ending) await finishAs(client, task, task.ending);
  });
}

/** Cancels a task and returns whether this call did so; an ended task stays as it is. */
export function cancelOfficeTask(db: Database, taskId: string): Promise<boolean> {
  return onTask(db, taskId, async (client, task) => {
    if (ENDED.includes(task.state)) return false;
    await client.query(
      `update office_task set state = 'cancelled', question = null, question_expires_at = null, ${TOUCH}
       where task_id = $1`,
      [taskId],
    );
    await record(client, taskId, "cancelled", { state: task.state });
    await record(client, taskId, "ended", { state: "cancelled" });
    await wake(db, client, taskId);
    return true;
  });
}

/** Deletes ended tasks past their TTL. Returns their ids; the ledger keeps their lines. */
export async function forgetOfficeTasks(db: Database): Promise<string[]> {
  const { rows } = await db.pool.query<{ task_id: string }>(
    `delete from office_task where state = any($1) and created_at + ttl_ms * interval '1 millisecond' < now()
     returning task_id`,
    [ENDED],
  );
  return rows.map((row) => row.task_id);
}

async function decideAs(client: PoolClient, { taskId }: OfficeTask, ending: Ending): Promise<void> {
  await client.query(
    `update office_task set state = 'decided', ending = $2, question = null, question_expires_at = null, ${TOUCH}
     where task_id = $1`,
    [taskId, JSON.stringify(ending)],
  );
}

async function finishAs(client: PoolClient, { taskId }: OfficeTask, ending: Ending): Promise<void> {
  await client.query(`update office_task set state = 'done', ending = $2, ${TOUCH} where task_id = $1`, [
    taskId,
    JSON.stringify(ending),
  ]);
  await record(client, taskId, "ended", { state: "done", status: ending.status });
}

function onTask<T>(
  db: Database,
  taskId: string,
  work: (client: PoolClient, task: OfficeTask) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<Row>(
      `select ${COLUMNS} from office_task where task_id = $1 for update`,
      [taskId],
    );
    if (!rows[0]) throw unknownTask(taskId);
    return work(client, toTask(rows[0]));
  });
}

function toTask({ tool: name, ...row }: Row): OfficeTask {
  const tool = officeTools.find((each) => each.name === name);
  if (!tool) throw new Error(`${row.taskId} was started with the tool ${name}, which is gone`);
  return { ...row, tool, arguments: readArguments(tool, row.arguments) };
}

/** Returns the number of the subject: the first argument of every office tool. */
function numberOf(args: object): string {
  return String(Object.values(args)[0]);
}
