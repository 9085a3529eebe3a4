/** Inserts seeded rows, many at a time. */
import type pg from "pg";

/** The rows of one task. Absent columns have the most common values. */
export interface Rows {
  task: object;
  request: object | null;
  claim?: object | null;
  answer: object | null;
}

/** Inserts all rows in one transaction. */
export async function insertRows(client: pg.Client, organizationId: string, rows: Rows[]): Promise<void> {
  const each = (name: keyof Rows) => rows.flatMap((row) => row[name] ?? []);
  await client.query("BEGIN");
  for (const [sql, values] of [
    [TASKS, each("task")],
    [REQUESTS, each("request")],
    [CLAIMS, each("claim")],
    [ANSWERS, each("answer")],
  ] as const)
    if (values.length > 0) await client.query(sql, [organizationId, JSON.stringify(values)]);
  await client.query("COMMIT");
}

const TASKS = `INSERT INTO task (organization_id, id, server_id, connection_id, tool, arguments, label, state, watched,
    visibility, requested_by, requester_user_id, era, sealed_handle, status_message, progress, outcome, outcome_is_error,
    result, error, attempt_id, attempt_at, attempt_deadline_at, created_at, started_at, changed_at, finished_at)
  SELECT $1, x.id, x.server_id, x.connection_id, x.tool, x.arguments, x.label, x.state, x.watched, x.visibility,
    x.requested_by, x.requester_user_id, coalesce(x.era, '2026-07-28'), x.sealed_handle, x.status_message, x.progress,
    x.outcome, coalesce(x.outcome_is_error, false), x.result, x.error, x.attempt_id, x.attempt_at,
    x.attempt_at + interval '6 s', x.created_at, CASE WHEN x.attempt_id IS NULL THEN x.created_at END, x.changed_at,
    x.finished_at
  FROM json_to_recordset($2) AS x(id uuid, server_id uuid, connection_id uuid, tool text, arguments json, label text,
    state text, watched boolean, visibility text, requested_by jsonb, requester_user_id uuid, era text,
    sealed_handle text, status_message text, progress jsonb, outcome text, outcome_is_error boolean, result json,
    error jsonb, attempt_id uuid, attempt_at timestamptz, created_at timestamptz, changed_at timestamptz,
    finished_at timestamptz)`;

/** The catalogue's questions have nothing that lists would warn of, so they count as judged. */
const REQUESTS = `INSERT INTO input_request (organization_id, id, task_id, connection_id, key, state, ended_reason, mode,
    message, requested_schema, url, form, question_hash, judged_hash, amount, currency, assignee_user_id,
    created_at, ended_at, expires_at)
  SELECT $1, x.id, x.task_id, x.connection_id, 'seed', x.state, x.ended_reason, x.mode, x.message, x.requested_schema,
    x.url, x.form, x.question_hash, x.question_hash, x.amount, x.currency, x.assignee_user_id,
    x.created_at, x.ended_at, x.expires_at
  FROM json_to_recordset($2) AS x(id uuid, task_id uuid, connection_id uuid, state text, ended_reason text, mode text,
    message text, requested_schema json, url text, form jsonb, question_hash text, amount float8, currency text,
    assignee_user_id uuid, created_at timestamptz, ended_at timestamptz, expires_at timestamptz)`;

const CLAIMS = `INSERT INTO claim (organization_id, input_request_id, user_id)
  SELECT $1, x.request, x.user FROM json_to_recordset($2) AS x(request uuid, "user" uuid)`;

const ANSWERS = `WITH x AS (SELECT * FROM json_to_recordset($2) AS x(id uuid, delivery_id uuid, request uuid, task uuid,
      question_hash text, action text, content json, comment text, answered_by jsonb, at timestamptz, rung text,
      flagged boolean)),
    given AS (INSERT INTO answer (organization_id, id, input_request_id, question_hash, action, content, comment,
      answered_by, created_at)
    SELECT $1, x.id, x.request, x.question_hash, x.action, x.content, x.comment, x.answered_by, x.at FROM x)
  INSERT INTO delivery (organization_id, id, answer_id, input_request_id, task_id, state, deliver_after, attempts, sent_at,
    accepted_at, confirmed_at, rung, flagged, polls_since_accepted)
  SELECT $1, x.delivery_id, x.id, x.request, x.task, CASE WHEN x.flagged THEN 'accepted' ELSE 'confirmed' END, x.at, 1,
    x.at, x.at, CASE WHEN x.flagged THEN NULL ELSE x.at END, coalesce(x.rung, 'update'), coalesce(x.flagged, false),
    CASE WHEN x.flagged THEN 3 ELSE 0 END
  FROM x`;
