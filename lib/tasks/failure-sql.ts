/**
 * SQL of failed tasks, alias `t`, and their causes. A cause is the error's code with the message without what
 * differs from task to task. Only the last `MOST_FAILURES` that match a filter are read, so that the cost has
 * a bound whatever the history's length.
 */
import { Prisma } from "../base/db/db.ts";
import { UNKNOWN_TOOL } from "./task-schema.ts";
import type { TaskState } from "./task-status.ts";

/** As many as one bulk operation takes. */
const MOST_FAILURES = 5_000;
const READ_CHARACTERS = 300;

const FAILED: readonly TaskState[] = ["failed", "lost", "expired"];

/** The message as it is. */
export const LAST_MESSAGE = Prisma.sql`left(coalesce(t.error->>'message', ''), ${READ_CHARACTERS}::integer)`;

/**
 * The message without ids, amounts and dates: each word with a digit becomes `…`, without the punctuation behind it. A status after
 * "HTTP", "status" or "code" stays, because it names the cause.
 */
export const MESSAGE = Prisma.sql`regexp_replace(left(coalesce(t.error->>'message', ''), ${READ_CHARACTERS}::integer),
  '(?<!(?:http|status|code):? )(?<![[:alnum:]_./:#$€£-])[[:alnum:]_./:#$€£-]*[0-9](?:[[:alnum:]_./:,-]*[[:alnum:]_/])?', '…', 'gi')`;
export const CODE = Prisma.sql`coalesce(t.error->>'code', t.state)`;
export const CAUSE = Prisma.sql`md5(${CODE} || E'\\n' || ${MESSAGE})`;

/** How often the task was started again: by a person, a list or a retry. */
export const RESTARTS = Prisma.sql`(SELECT count(*)::integer FROM task again
  WHERE again.organization_id = t.organization_id AND again.restart_of = t.id)`;

/**
 * The codes of failures whose outcome is known: the server refused the call, a person found out that it never
 * started, or the server says of its task that it failed, which does not say that it did nothing before. After any
 * other failure, such as a reply that broke off or a server that broke down over the call, the tool may have
 * succeeded.
 */
const KNOWN_CODES = ["rejected", "not_started", "task_failed"];

/** SQL condition: the task `t` failed in one of these ways. */
export const OUTCOME_KNOWN = Prisma.sql`(t.state = 'failed' AND t.error->>'code' = ANY (${KNOWN_CODES}))`;

/**
 * Whether a failed call may be made again together with others: it is known that the call failed, or its server declares that repeating it does no harm; no person or retry has made it again; and it is not a
 * leg of a race, which another server may have won. A person has to look at each unknown outcome.
 */
export const MAY_REPEAT = Prisma.sql`(${OUTCOME_KNOWN}
    OR t.tool_hints->'annotations'->>'idempotentHint' = 'true' OR t.tool_hints->'annotations'->>'readOnlyHint' = 'true')
  AND t.race_id IS NULL AND NOT (t.adopted AND t.tool = ${UNKNOWN_TOOL}) AND NOT EXISTS (SELECT FROM task again
    WHERE again.organization_id = t.organization_id AND again.restart_of = t.id)`;

/** The last failures in these states that `where` matches, each state along its index. */
export function lastFailures(
  columns: Prisma.Sql,
  where: Prisma.Sql,
  states: readonly TaskState[] = FAILED,
): Prisma.Sql {
  const parts = FAILED.filter((state) => states.includes(state)).map(
    (state) => Prisma.sql`(SELECT ${columns} FROM task t WHERE ${where} AND t.state = ${state}
      AND t.finished_at IS NOT NULL ORDER BY t.finished_at DESC, t.id DESC LIMIT ${MOST_FAILURES})`,
  );
  if (parts.length === 0) return Prisma.sql`SELECT ${columns} FROM task t WHERE false`;
  return Prisma.sql`SELECT * FROM (${Prisma.join(parts, " UNION ALL ")}) parts
    ORDER BY finished_at DESC, id DESC LIMIT ${MOST_FAILURES}`;
}

/** The ids of the last failures of this cause that `where` matches. */
export function failuresOf(cause: string, where: Prisma.Sql, states?: readonly TaskState[]): Prisma.Sql {
  const columns = Prisma.sql`t.id, t.finished_at, ${CAUSE} AS cause`;
  return Prisma.sql`SELECT last.id FROM (${lastFailures(columns, where, states)}) last WHERE last.cause = ${cause}`;
}
