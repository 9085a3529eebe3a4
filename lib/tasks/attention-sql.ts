/**
 * SQL conditions for a task, alias `t`, that needs attention. Ids from other tables are read once per
 * statement, as an array of the few tasks concerned; no condition reads tasks that ended long ago.
 */
import { Prisma } from "../base/db/db.ts";
import {
  ANSWER_WAITING_MS,
  ATTENTION,
  ATTENTION_CODES,
  type AttentionCode,
  EXPIRING_MS,
  LOST_SHOWN_MS,
  NO_ENGINE_MS,
  QUIET_MS,
  UNKNOWN_MS,
} from "./task-attention.ts";

const ago = (ms: number) => Prisma.sql`now() - ${ms} * interval '1 ms'`;
const ids = (query: Prisma.Sql) => Prisma.sql`ANY (ARRAY(${query}))`;
/** As `ids`, for queries that are seldom non-empty: when the query finds nothing, no task is read. */
const among = (column: Prisma.Sql, query: Prisma.Sql) =>
  Prisma.sql`EXISTS (${query}) AND ${column} = ${ids(query)}`;

/** No change for this long. `created_at`, never later than `changed_at`, lets Postgres use the index. */
const quiet = (ms: number) => Prisma.sql`t.created_at < ${ago(ms)} AND t.changed_at < ${ago(ms)}`;

/** A working task with an open question: the server works on and asks a person meanwhile. */
export const ASKS = Prisma.sql`(t.state = 'working' AND EXISTS (SELECT FROM input_request asked
  WHERE asked.organization_id = t.organization_id AND asked.task_id = t.id AND asked.state = 'open'))`;

/** Its call waits for an approval, which needs no server. */
export const IS_GATED = Prisma.sql`(t.gate IS NOT NULL AND t.gate = 'waiting')`;

/** A task that only waits for a person needs no server; one with an answer on its way does. */
const NEEDS_SERVER = Prisma.sql`(NOT ${IS_GATED} AND (t.state <> 'input_required' OR EXISTS (SELECT FROM delivery d
  WHERE d.organization_id = t.organization_id AND d.task_id = t.id
    AND d.state IN ('held', 'pending', 'sending', 'accepted'))))`;

/** Codes that hold only for tasks that need their server. */
export const OF_SERVERS: readonly AttentionCode[] = [
  "server_paused",
  "needs_sign_in",
  "server_unreachable",
  "server_failing",
];

/** Tasks with an answer on its way, found by id: they are few, while waiting tasks may be many. */
export const answerOnItsWay = (organizationId: string) =>
  Prisma.sql`t.id = ${ids(Prisma.sql`SELECT d.task_id FROM delivery d
    WHERE d.organization_id = ${organizationId}::uuid AND d.state IN ('held', 'pending', 'sending', 'accepted')`)}`;

const troubled = (organizationId: string, health: string) =>
  Prisma.sql`${among(
    Prisma.sql`t.server_id`,
    Prisma.sql`SELECT s.id FROM server s WHERE s.organization_id = ${organizationId}::uuid AND s.health_state = ${health}`,
  )} AND ${NEEDS_SERVER}`;

/** The condition of each code, for a task in one of the code's states. */
const HOLDS: Record<AttentionCode, (organizationId: string) => Prisma.Sql> = {
  start_unknown: () => Prisma.sql`true`,
  question_unattributed: (organizationId) =>
    Prisma.sql`t.id = ${ids(Prisma.sql`SELECT unnest(m.candidates) FROM stream_message m
    WHERE m.organization_id = ${organizationId}::uuid AND m.handled_at IS NULL`)}`,
  // A task with a newer question waits for that question, so its undeliverable one is history.
  undeliverable: (organizationId) => Prisma.sql`t.id = ${ids(Prisma.sql`SELECT r.task_id FROM input_request r
    WHERE r.organization_id = ${organizationId}::uuid AND r.state = 'undeliverable'`)} AND NOT EXISTS (
      SELECT FROM input_request live WHERE live.organization_id = t.organization_id AND live.task_id = t.id
        AND live.state IN ('open', 'answered'))`,
  delivery_flagged: (organizationId) =>
    Prisma.sql`t.id = ${ids(Prisma.sql`SELECT d.task_id FROM delivery d
    WHERE d.organization_id = ${organizationId}::uuid AND d.flagged AND d.state = 'accepted'`)}`,
  no_engine: () => Prisma.sql`NOT EXISTS (SELECT FROM engine WHERE seen_at > ${ago(NO_ENGINE_MS)})`,
  server_paused: (organizationId) =>
    Prisma.sql`${among(
      Prisma.sql`t.server_id`,
      Prisma.sql`SELECT s.id FROM server s WHERE s.organization_id = ${organizationId}::uuid AND s.paused_at IS NOT NULL`,
    )} AND ${NEEDS_SERVER}`,
  needs_sign_in: (organizationId) =>
    Prisma.sql`${among(
      Prisma.sql`t.connection_id`,
      Prisma.sql`SELECT c.id FROM connection c
    JOIN server s ON s.organization_id = c.organization_id AND s.id = c.server_id
    LEFT JOIN oauth_grant g ON g.organization_id = c.organization_id AND g.connection_id = c.id
    WHERE c.organization_id = ${organizationId}::uuid AND (s.health_state = 'unauthorized'
      OR (s.auth_kind = 'oauth' AND s.operator_entry IS NULL AND g.state IS DISTINCT FROM 'connected'))`,
    )} AND ${NEEDS_SERVER}`,
  server_unreachable: (organizationId) => troubled(organizationId, "unreachable"),
  server_failing: (organizationId) => troubled(organizationId, "failing"),
  // A call that is repeated only with all answers waits for the others. A delivery to be tried later has its
  // own reason. A delivery repeated because no reply comes has been late since it was first due.
  answer_waiting: (organizationId) =>
    Prisma.sql`t.id = ${ids(Prisma.sql`SELECT d.task_id FROM delivery d
    WHERE d.organization_id = ${organizationId}::uuid AND d.state IN ('pending', 'sending')
      AND CASE WHEN d.in_doubt AND d.accepted_at IS NULL THEN d.deliver_after
        ELSE greatest(d.deliver_after, d.not_before) END < ${ago(ANSWER_WAITING_MS)}`)}
      AND (t.sealed_handle IS NOT NULL OR NOT EXISTS (SELECT FROM input_request r
        WHERE r.organization_id = t.organization_id AND r.task_id = t.id AND r.state = 'open'))`,
  // A task that may not start yet is not late.
  start_slow: () => Prisma.sql`${quiet(QUIET_MS.start_slow)} AND NOT ${IS_GATED}
    AND (t.start_after IS NULL OR t.start_after < ${ago(QUIET_MS.start_slow)})`,
  // Usually there are no rows, but the planner guesses a third: hence the subquery.
  state_unknown: (organizationId) =>
    Prisma.sql`t.id = ${ids(Prisma.sql`SELECT u.id FROM task u
      WHERE u.organization_id = ${organizationId}::uuid AND u.unknown_since IS NOT NULL`)} AND t.unknown_since < ${ago(UNKNOWN_MS)}`,
  stalled: () => Prisma.sql`${quiet(QUIET_MS.stalled)} AND NOT ${ASKS}`,
  lost: () => Prisma.sql`t.finished_at > ${ago(LOST_SHOWN_MS)} AND NOT EXISTS (SELECT FROM task again
    WHERE again.organization_id = t.organization_id AND again.restart_of = t.id)`,
  expiring: () =>
    Prisma.sql`t.finished_at IS NULL AND t.expires_at > now() AND t.expires_at < now() + ${EXPIRING_MS} * interval '1 ms'`,
  waiting_long: () =>
    Prisma.sql`${quiet(QUIET_MS.waiting_long)} AND (t.state = 'input_required' OR ${IS_GATED} OR ${ASKS})`,
};

/** The condition of one code, for tasks in one of the code's states. */
export function needs(organizationId: string, code: AttentionCode): Prisma.Sql {
  return HOLDS[code](organizationId);
}

/** The first code that holds, or null. */
export function attentionCode(organizationId: string): Prisma.Sql {
  const cases = ATTENTION_CODES.map(
    (code) =>
      Prisma.sql`WHEN t.state = ANY (${[...ATTENTION[code].states]}::text[]) AND ${needs(organizationId, code)} THEN ${code}::text`,
  );
  return Prisma.sql`(CASE ${Prisma.join(cases, " ")} END)`;
}
