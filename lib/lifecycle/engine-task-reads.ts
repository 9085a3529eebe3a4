/** Everything the engine needs to take a task's next step: the task, its live requests and their answers. */

import { type Content, type ContentColumn, PLAIN, sealedFor, UNOPENED } from "../base/content/content.ts";
import { contentOf, keysByNow, openingWhatOpens } from "../base/content/content-keys.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { planForValues } from "../base/db/plan-mode.ts";
import { readAtEnd } from "../base/db/readings.ts";
import { log } from "../base/log.ts";
import { QUESTIONS } from "../mcp/limits.ts";
import { DELIVERY_FACTS } from "../requests/deliveries/delivery-facts.ts";
import { isUnopened, type RequestWork, type TaskWork, taskWork, type UnopenedWork } from "./engine-task.ts";

/** Returns the ids of all watched tasks of a connection. */
export async function watchedTasks(tx: Tx, connectionId: string): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM task
    WHERE organization_id = ${tx.organizationId}::uuid AND connection_id = ${connectionId}::uuid AND watched`;
  return rows.map(({ id }) => id);
}

/** Returns a connection's task whose lock the transaction has; null: the connection watches it no more, or it can't be opened. */
export async function readLockedWork(tx: Tx, connectionId: string, taskId: string): Promise<TaskWork | null> {
  const [row] = await storedWorks(tx, among([taskId]));
  const work = row?.connectionId === connectionId ? row.parse() : null;
  return work && isUnopened(work) ? null : work;
}

/**
 * Reads the watched tasks among `taskIds` at the end of the transaction, once its other statements are carried out. Returns what to
 * call when it is committed. If only reading could tell whether the content is sealed, it counts as unreadable.
 */
export function readWorkAtEnd(tx: Tx, taskIds: string[]): () => ReadWork[] {
  const content = contentOf(tx);
  const found: StoredWork[][] = [];
  readAtEnd(tx, {
    query: workOf(tx.organizationId, among(taskIds)),
    take: (rows) => found.push(rows as StoredWork[]),
  });
  return () => {
    const [rows] = found;
    if (!rows) throw new Error("the transaction has ended without its reading");
    return content.open(rows, "flag").map((row) => readWork(tx.organizationId, content, row, () => true));
  };
}

function among(taskIds: string[]): Prisma.Sql {
  const [first, ...more] = taskIds;
  // Mostly one, for which Postgres keeps a plan: it guesses that an array has ten.
  return first && more.length === 0
    ? Prisma.sql`t.id = ${first}::uuid`
    : Prisma.sql`t.id = ANY(${taskIds}::uuid[])`;
}

/** Returns all watched tasks of those connections that have at most `most` and can be read, by connection. */
export async function loadLittleWork(
  tx: Tx,
  connectionIds: string[],
  most: number,
): Promise<Map<string, TaskWork[]>> {
  const little = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM unnest(${connectionIds}::uuid[]) AS given (id) WHERE ${most} >= (
      SELECT count(*) FROM (SELECT FROM task WHERE organization_id = ${tx.organizationId}::uuid
        AND connection_id = given.id AND watched LIMIT ${most + 1}) few)`;
  const loaded = new Map<string, TaskWork[]>(little.map(({ id }) => [id, []]));
  const rows = await storedWorks(tx, Prisma.sql`t.connection_id = ANY(${[...loaded.keys()]}::uuid[])`);
  for (const { connectionId, parse } of rows) {
    const work = parse();
    if (isUnopened(work)) loaded.delete(connectionId);
    else loaded.get(connectionId)?.push(work);
  }
  shareTexts([...loaded.values()].flat());
  return loaded;
}

/** Reads what `beside` selects, once, and the watched tasks of a connection among `taskIds`. */
export async function loadWorkBeside<T>(
  tx: Tx,
  beside: Prisma.Sql,
  connectionId: string,
  taskIds: string[],
): Promise<{ beside: T | null; works: (TaskWork | UnopenedWork)[] }> {
  const which = Prisma.sql`t.connection_id = ${connectionId}::uuid AND t.id = ANY(${taskIds}::uuid[])`;
  const rows = await openingWhatOpens(tx, "flag").$queryRaw<
    (T & (StoredWork | { id: null }))[]
  >`SELECT beside.*, work.* FROM (${beside}) beside
    LEFT JOIN (${workOf(tx.organizationId, which)}) work ON true`;
  const stored = rows.filter((row) => row.id !== null) as StoredWork[];
  const works = (await openedWorks(tx, stored)).map(({ parse }) => parse());
  shareTexts(works);
  return { beside: rows[0] ?? null, works };
}

async function storedWorks(tx: Tx, which: Prisma.Sql): Promise<ReadWork[]> {
  const rows = await openingWhatOpens(tx, "flag").$queryRaw<StoredWork[]>(workOf(tx.organizationId, which));
  return openedWorks(tx, rows);
}

function workOf(organizationId: string, which: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT t.id, t.connection_id AS "connectionId", t.request_id AS "requestId", t.traceparent, s.trace AS traced,
      t.state, t.tool, CASE WHEN t.sealed_handle IS NULL THEN t.arguments END AS arguments,
      CASE WHEN t.sealed_handle IS NULL OR t.recipe_version IS NOT NULL THEN t.tool_hints END AS "toolHints",
      t.recipe_version AS "recipeVersion", CASE WHEN t.recipe_version IS NULL THEN t.era ELSE '2026-07-28' END AS era, (extract(epoch FROM t.start_after - now()) * 1000)::float8 AS "startsInMs",
      t.attempt_id AS "attemptId",
      (extract(epoch FROM t.attempt_deadline_at - now()) * 1000)::float8 AS "attemptDueInMs",
      t.sealed_handle AS "sealedHandle", t.sealed_session AS "sealedSession",
      t.sealed_request_state AS "sealedRequestState", t.durable,
      (extract(epoch FROM now() - t.attempt_at) * 1000)::float8 AS "attemptAgoMs", t.status_message AS "statusMessage",
      t.unknown_since IS NOT NULL AS "isUnknown", t.server_state AS "serverState", t.requested_ttl_ms::float8 AS "requestedTtlMs", t.ttl_ms::float8 AS "ttlMs",
      (extract(epoch FROM t.started_at - now()) * 1000 + t.ttl_ms)::float8 AS "expiresInMs",
      t.expires_at IS NOT NULL AS "hasTimeLimit",
      round(extract(epoch FROM now() - t.created_at) * 1000)::float8 AS "ageMs",
      round(extract(epoch FROM now() - t.changed_at) * 1000)::float8 AS "quietMs",
      t.poll_interval_ms AS "pollIntervalMs", t.cancel_requested_at IS NOT NULL AS "cancelRequested",
      t.cancel_sent_at IS NOT NULL AS "cancelSent",
      (extract(epoch FROM now() - t.cancel_sent_at) * 1000)::float8 AS "cancelSentAgoMs",
      (extract(epoch FROM t.watch_until - now()) * 1000)::float8 AS "watchEndsInMs",
      w.refresh_requested_at::text AS "refreshRequestedAt", w.unchanged_polls AS "unchangedPolls",
      ${QUESTIONS} <= (SELECT count(*) FROM (SELECT FROM input_request r WHERE r.organization_id = t.organization_id
        AND r.task_id = t.id AND r.state <> 'settled' LIMIT ${QUESTIONS}) taken) AS "full",
      coalesce((SELECT json_agg(live.request) FROM (${liveRequests(organizationId)}) live), '[]') AS requests
    FROM task t JOIN task_watch w ON w.organization_id = t.organization_id AND w.task_id = t.id
      JOIN server s ON s.organization_id = t.organization_id AND s.id = t.server_id
    WHERE t.organization_id = ${organizationId}::uuid AND t.watched AND ${which}`;
}

/**
 * A task as it was read. `parse` throws where the row is none that this version knows. It may be called after the transaction, which
 * must not fail with it.
 */
export interface ReadWork {
  id: string;
  connectionId: string;
  parse(): TaskWork | UnopenedWork;
}

/**
 * Returns each row as work to parse, or says that the task's content can't be read now. A transaction that began before the
 * organization had its key takes everything for plain text, and so a value that was sealed meanwhile.
 */
async function openedWorks(tx: Tx, rows: StoredWork[]): Promise<ReadWork[]> {
  const content = contentOf(tx);
  // A server knows its task's id, and may write what only looks sealed: whether there is such a key tells.
  const isRecent = rows.some((row) => texts(row).some((text) => isUnknown(content, sealedFor(...text))));
  const made = isRecent ? await keysByNow(tx) : new Set<string | null>();
  return rows.map((row) => readWork(tx.organizationId, content, row, (kid) => made.has(kid)));
}
/** `isMade`: whether the organization has a key of this id, though the transaction does not know it. */
function readWork(
  organizationId: string,
  content: Content,
  row: StoredWork,
  isMade: (kid: string | null) => boolean,
): ReadWork {
  const { id, connectionId } = row;
  const isAway = texts(row).some((text) => {
    if (text[2] === UNOPENED) return true;
    const kid = sealedFor(...text);
    return isUnknown(content, kid) && isMade(kid);
  });
  if (isAway) {
    // What is to be sent can't be read: the task waits for the next look, and nothing goes to the server.
    log.error({ organizationId, taskId: id }, "a task's content can't be opened: it waits");
    return { id, connectionId, parse: () => ({ id, unopened: true }) };
  }
  const parse = () => {
    const work: TaskWork = taskWork.parse(row);
    if (content !== PLAIN) work.content = content;
    if (work.requests.length === 0) work.requests = NO_REQUESTS;
    return work;
  };
  return { id, connectionId, parse };
}

function isUnknown(content: Content, kid: string | null): boolean {
  return kid !== null && !content.knows(kid);
}

interface StoredWork {
  id: string;
  connectionId: string;
  arguments: unknown;
  statusMessage: unknown;
  requests: {
    delivery: { id: string; answerId: string; content: unknown; statusBefore: unknown } | null;
  }[];
}

/** The values of a task by which the engine acts, each with its column and row. */
function texts({ id, arguments: args, statusMessage, requests }: StoredWork) {
  const all: [column: ContentColumn, row: string, value: unknown][] = [
    ["task.arguments", id, args],
    ["task.status_message", id, statusMessage],
  ];
  for (const { delivery } of requests)
    if (delivery)
      all.push(
        ["answer.content", delivery.answerId, delivery.content],
        ["delivery.status_before", delivery.id, delivery.statusBefore],
      );
  return all;
}

const NO_REQUESTS: RequestWork[] = [];
Object.freeze(NO_REQUESTS);

/**
 * Shares equal texts between tasks to save memory, because thousands of tasks of a server say the same words.
 */
function shareTexts(works: (TaskWork | UnopenedWork)[]): void {
  const texts = new Map<string, string>();
  const share = <T extends string | null>(text: T): T => {
    if (text === null) return text;
    if (!texts.has(text)) texts.set(text, text);
    return texts.get(text) as T;
  };
  for (const work of works) {
    if (isUnopened(work)) continue;
    work.state = share(work.state);
    work.era = share(work.era);
    work.tool = share(work.tool);
    work.statusMessage = share(work.statusMessage);
  }
}

function liveRequests(organizationId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT json_build_object('id', r.id, 'key', r.key, 'state', r.state, 'questionHash', r.question_hash,
      'mode', r.mode, 'ageMs', (extract(epoch FROM now() - r.created_at) * 1000)::float8,
      'replaced', r.replaces IS NOT NULL, 'rewordings', cardinality(r.earlier_hashes),
      'rewordedAgoMs', (extract(epoch FROM now() - r.reworded_at) * 1000)::float8,
      'delivery', (SELECT json_build_object(${DELIVERY_FACTS},
          'dueInMs', (extract(epoch FROM greatest(d.deliver_after, d.not_before) - now()) * 1000)::float8,
          'epoch', d.epoch, 'askId', d.ask_id, 'waits', d.waiting_since IS NOT NULL,
          'answerId', a.id, 'requestId', a.request_id, 'traceparent', a.traceparent, 'action', a.action, 'content', a.content)
        FROM answer a JOIN delivery d ON d.organization_id = a.organization_id AND d.answer_id = a.id
        WHERE a.organization_id = r.organization_id AND a.input_request_id = r.id AND a.withdrawn_at IS NULL),
      'asks', coalesce((SELECT json_agg(json_build_object('id', k.id, 'key', k.key, 'rpcId', k.rpc_id,
          'sessionDigest', encode(k.session_digest, 'hex'), 'accepted', k.accepted_at IS NOT NULL,
          'came', k.came, 'kept', CASE WHEN k.elicitation_task_id IS NOT NULL THEN (
            SELECT json_build_object('id', e.id, 'state', e.state,
              'endsInMs', (extract(epoch FROM e.created_at - now()) * 1000 + e.ttl_ms)::float8)
            FROM elicitation_task e WHERE e.organization_id = k.organization_id AND e.id = k.elicitation_task_id) END)
          ORDER BY k.created_at DESC, k.id DESC)
        FROM ask k WHERE k.organization_id = r.organization_id AND k.input_request_id = r.id
          AND k.retracted_at IS NULL), '[]')) AS request
    FROM input_request r WHERE r.organization_id = ${organizationId}::uuid AND r.task_id = t.id
      AND r.state IN ('open', 'answered') ORDER BY r.created_at, r.id`;
}

/** Returns the ids of watched tasks that need work now, by connection. Scans make up for lost wake-ups. */
export async function tasksNeedingWork(tx: Tx, connectionIds: string[]): Promise<Map<string, string[]>> {
  await planForValues(tx);
  const rows = await tx.$queryRaw<{ connection_id: string; ids: string[] }[]>`
    SELECT t.connection_id, array_agg(t.id::text) AS ids FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.connection_id = ANY (${connectionIds}::uuid[])
      AND t.watched AND (t.state = 'starting'
        OR (t.state = 'queued' AND (t.start_after IS NULL OR t.start_after <= now()))
        OR (t.cancel_requested_at IS NOT NULL AND t.cancel_sent_at IS NULL)
        OR EXISTS (SELECT FROM delivery d WHERE d.organization_id = t.organization_id AND d.task_id = t.id
          AND d.state IN ('held', 'pending', 'sending')))
    GROUP BY t.connection_id`;
  return new Map(rows.map((row) => [row.connection_id, row.ids]));
}
