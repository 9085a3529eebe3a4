/** Lists and counts of tasks. Every query is scoped to the organization and to the principal's view. */

import type { Principal } from "../access/principal.ts";
import { openingWhatOpens } from "../base/content/content-keys.ts";
import { type OrderedPosition, readOrderedPosition, toPage } from "../base/cursor.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { planFor, planForValues, planOnce } from "../base/db/plan-mode.ts";
import { namesServer, nearAndBeyond, notSearched } from "../base/db/search.ts";
import type { PageQuery, SearchedPage } from "../base/page.ts";
import { codesOf } from "./task-attention.ts";
import { matching, partsOf, SAID_IN, saidIn, saying } from "./task-filter-sql.ts";
import { JOINS, summaryOf, type TaskRow, toSummary } from "./task-row.ts";
import {
  type TaskCounts,
  type TaskFilter,
  type TaskListQuery,
  type TaskOrder,
  type TaskSummary,
  taskCountsSchema,
} from "./task-schema.ts";
import { hasEnded, TASK_STATES, type TaskState } from "./task-status.ts";

interface Order {
  /** On the alias `t`, as an index spells it. */
  by: Prisma.Sql;
  ascending: boolean;
  /** The states whose tasks this order includes. */
  has: (state: TaskState) => boolean;
  where: Prisma.Sql;
  keyOf: (row: TaskRow) => Date | null;
}

const all = { has: () => true, where: Prisma.sql`true` };
const created = { by: Prisma.sql`t.created_at`, keyOf: (row: TaskRow) => row.createdAt, ...all };
const ORDERS: Record<TaskOrder, Order> = {
  newest: { ...created, ascending: false },
  oldest: { ...created, ascending: true },
  ended: {
    by: Prisma.sql`t.finished_at`,
    ascending: false,
    has: hasEnded,
    where: Prisma.sql`t.finished_at IS NOT NULL`,
    keyOf: (row) => row.finishedAt,
  },
  expiring: {
    by: Prisma.sql`t.expires_at`,
    ascending: true,
    has: (state) => !hasEnded(state),
    where: Prisma.sql`t.expires_at IS NOT NULL AND t.finished_at IS NULL`,
    keyOf: (row) => row.expiresAt,
  },
};

/** Narrowed by these alone, a list runs along the index of its order for any values. */
const ONE_PLAN = ["state", "order", "limit", "cursor"];

/** Lists tasks, newest first unless another order is given. */
export async function listTasks(
  tx: Tx,
  principal: Principal,
  query: TaskListQuery & PageQuery,
): Promise<SearchedPage<TaskSummary>> {
  const { organizationId } = tx;
  const name = query.order ?? "newest";
  const { by, ascending, has, where, keyOf } = ORDERS[name];
  const direction = ascending ? Prisma.sql`ASC` : Prisma.sql`DESC`;
  const position = readOrderedPosition(query.cursor, name, "time");
  const parts = partsOf(organizationId, query).filter(({ states }) => states.some(has));
  if (parts.length === 0) return { items: [], nextCursor: null };
  const most = query.limit + 1;
  const { q, ...rest } = query;
  const words = q?.trim();
  const placed = Prisma.sql`${where} AND ${position ? beyond(by, ascending, position) : Prisma.sql`true`}`;
  const order = (limit: number) => Prisma.sql`ORDER BY key ${direction}, id ${direction} LIMIT ${limit}`;
  /** The first tasks of each part, along its index. */
  const partly = (filter: TaskFilter, columns: Prisma.Sql, limit: number) =>
    parts.map(
      (part) => Prisma.sql`(SELECT t.id, ${by} AS key ${columns} FROM task t
        WHERE ${matching(organizationId, principal, filter)} AND ${part.where} AND ${placed}
        ORDER BY ${by} ${direction}, t.id ${direction} LIMIT ${limit})`,
    );
  // The text index holds no server names. Where a server's name matches, enough tasks match to be found
  // without it.
  const isSearch = words && !query.attention && !(await namesServer(tx, words));
  const states = parts.flatMap((part) => part.states);
  const { near, found } = isSearch
    ? nearAndBeyond(
        {
          first: (limit) =>
            Prisma.sql`SELECT * FROM (${Prisma.join(partly(rest, SAID_IN, limit), " UNION ALL ")}) parts
              ${order(limit)}`,
          among: (ids, condition) => Prisma.sql`SELECT t.id, ${by} AS key FROM task t
            WHERE ${matching(organizationId, principal, rest)} AND t.state = ANY (${states}) AND ${placed}
              AND ${condition} AND t.id = ANY (ARRAY(${ids}))`,
          said: saidIn(Prisma.sql`near`, words),
          all: saying(organizationId, words, states),
          direction,
        },
        most,
      )
    : { near: null, found: Prisma.join(partly(query, Prisma.empty, most), " UNION ") };
  const page = Prisma.sql`page AS (
    SELECT found.id, found.key FROM (${found}) found ${order(most)})`;
  const plan = await planFor(tx, query, ONE_PLAN);
  const rows = await openingWhatOpens(tx, "blank").$queryRaw<TaskRow[]>`
    ${plan} WITH ${Prisma.join(near ? [near, page] : [page])}
    SELECT ${summaryOf(organizationId)} FROM page
      JOIN task t ON t.organization_id = ${organizationId}::uuid AND t.id = page.id ${JOINS}
    ORDER BY page.key ${direction}, page.id ${direction}`;
  const listed = toPage(
    rows,
    query.limit,
    (row) => ({ order: name, key: keyOf(row)?.toISOString() ?? null, id: row.id }),
    toSummary(new Date()),
  );
  return { ...listed, ...notSearched(tx, words) };
}

/** A row comparison: the index finds the place, and reads none of the rows before it. */
function beyond(by: Prisma.Sql, ascending: boolean, { key, id }: OrderedPosition): Prisma.Sql {
  const there = Prisma.sql`(${key}::timestamptz, ${id}::uuid)`;
  return ascending ? Prisma.sql`(${by}, t.id) > ${there}` : Prisma.sql`(${by}, t.id) < ${there}`;
}

/** Counting stops here: a larger count is shown only as "many". */
const MOST_COUNTED = 1001;

/** The most that the total of a list counts to, and one more. */
export const MOST_TOTAL = 10_001;

/** The number of tasks that match a filter, at most `most`. */
export async function countMatching(
  tx: Tx,
  principal: Principal,
  filter: TaskFilter,
  most = MOST_COUNTED,
): Promise<number> {
  const { q, ...rest } = filter;
  const words = q?.trim();
  // As in listTasks: the text index holds no server names.
  const isSearch = words && !filter.attention && !(await namesServer(tx, words));
  const states = filter.state ?? [...TASK_STATES];
  const count = isSearch
    ? counted(tx.organizationId, principal, rest, most, saying(tx.organizationId, words, states))
    : counted(tx.organizationId, principal, filter, most);
  const plan = await planForValues(tx);
  const [row] = await tx.$queryRaw<{ count: number }[]>`${plan} SELECT ${count} AS count`;
  return row?.count ?? 0;
}

/** Counts for tiles: tasks in each state, tasks that need attention, and tasks ended after `endedAfter`. */
export async function countTasks(tx: Tx, principal: Principal, endedAfter: string): Promise<TaskCounts> {
  const count = (filter: TaskFilter) => counted(tx.organizationId, principal, filter, MOST_COUNTED);
  const ended = (state: TaskState) => count({ state: [state], finishedAfter: endedAfter });
  const states = TASK_STATES.map((state) => Prisma.sql`${state}::text, ${count({ state: [state] })}`);
  await planOnce(tx);
  const [row] = await tx.$queryRaw<unknown[]>`SELECT json_build_object(${Prisma.join(states)}) AS counts,
    ${count({ state: ["queued"], waiting: "true" })} AS gated,
    json_build_object('stuck', ${count({ attention: codesOf("stuck") })},
      'watch', ${count({ attention: codesOf("watch") })}) AS attention,
    json_build_object('completed', ${ended("completed")}, 'failed', ${ended("failed")}, 'lost', ${ended("lost")}) AS ended`;
  return taskCountsSchema.parse(row);
}

/** `among`: SQL of the ids that count, all by default. */
function counted(
  organizationId: string,
  principal: Principal,
  filter: TaskFilter,
  most: number,
  among?: Prisma.Sql,
): Prisma.Sql {
  const chosen = among ? Prisma.sql`t.id = ANY (ARRAY(${among}))` : Prisma.sql`true`;
  const parts = partsOf(organizationId, filter).map(
    (part) => Prisma.sql`(SELECT t.id FROM task t
      WHERE ${matching(organizationId, principal, filter)} AND ${part.where} AND ${chosen} LIMIT ${most})`,
  );
  if (parts.length === 0) return Prisma.sql`0`;
  return Prisma.sql`(SELECT count(*)::integer FROM (
    SELECT found.id FROM (${Prisma.join(parts, " UNION ")}) found LIMIT ${most}) capped)`;
}
