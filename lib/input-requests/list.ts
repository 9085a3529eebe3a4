/** Scoped reads of many input requests. Every one carries the organization and what the principal may see. */
import { type OrderedPosition, readOrderedPosition, toPage } from "../cursor.ts";
import { Prisma, type Tx } from "../db.ts";
import type { Page, PageQuery } from "../page.ts";
import type { Principal } from "../principal.ts";
import { containing, namesServer, nearAndBeyond } from "../search.ts";
import { AMOUNT, ENDS_BY, heldBy, matching, mine, said, unassigned, visibleRequest } from "./filter.ts";
import { iso, JOINS, type RequestRow, SUMMARY, toSummary } from "./row.ts";
import {
  type InputRequestSummary,
  REQUEST_STATES,
  type RequestCounts,
  type RequestFilter,
  type RequestListQuery,
  type RequestOrder,
  type RequestState,
} from "./schema.ts";
import { isLive } from "./status.ts";

interface Order {
  /** On the alias `r`, as an index spells it; never null, so that what has no key comes last. */
  by: Prisma.Sql;
  direction: Prisma.Sql;
  /** The position's own key as `by` compares it. */
  at(key: OrderedPosition["key"]): Prisma.Sql;
  keyIs: "time" | "number";
  keyOf(row: RequestRow): OrderedPosition["key"];
}

const ASCENDING = Prisma.sql`ASC`;
const DESCENDING = Prisma.sql`DESC`;
const time = (key: OrderedPosition["key"]) => Prisma.sql`${key ?? "infinity"}::timestamptz`;
const askedAt = {
  by: Prisma.sql`r.created_at`,
  at: time,
  keyIs: "time" as const,
  keyOf: (row: RequestRow) => iso(row.createdAt),
};

const ORDERS: Record<RequestOrder, Order> = {
  oldest: { ...askedAt, direction: ASCENDING },
  newest: { ...askedAt, direction: DESCENDING },
  expiring: {
    by: ENDS_BY,
    direction: ASCENDING,
    at: time,
    keyIs: "time",
    keyOf: (row) => iso(row.expiresAt),
  },
  amount: {
    by: AMOUNT,
    direction: DESCENDING,
    at: (key) => Prisma.sql`${String(key ?? "-infinity")}::float8`,
    keyIs: "number",
    keyOf: (row) => row.amount,
  },
};

/** Oldest first, as who has waited longest is first in line, unless another order is asked for. */
export async function listInputRequests(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  query: RequestListQuery & PageQuery,
): Promise<Page<InputRequestSummary>> {
  const name = query.order ?? "oldest";
  const order = ORDERS[name];
  const { by, direction } = order;
  const position = readOrderedPosition(query.cursor, name, order.keyIs);
  const states = new Set(query.state ?? REQUEST_STATES);
  if (states.size === 0) return { items: [], nextCursor: null };
  const most = query.limit + 1;
  const { q, ...rest } = query;
  const words = q?.trim();
  // State by state, and each named, so that the planner knows how many there are and each runs along its index.
  const rowsOf =
    (state: RequestState, filter: RequestFilter) =>
    (condition: Prisma.Sql, also: Prisma.Sql, limit: number) =>
      Prisma.sql`SELECT r.id, ${by} AS key ${also} FROM input_request r
        WHERE r.organization_id = ${organizationId}::uuid AND r.state = ${state}
          AND ${visibleRequest(organizationId, principal)} AND ${heldBy(organizationId, principal, query.assignee, state)}
          AND ${matching(organizationId, filter)} AND ${position ? beyond(order, position) : Prisma.sql`true`}
          AND ${condition}
        ORDER BY ${by} ${direction}, r.id ${direction} LIMIT ${limit}`;
  // The index knows nothing of servers' names; where one has the words, there are enough requests to be found soon.
  const isIndexed = words ? !(await namesServer(organizationId, tx, words)) : false;
  const parts = [...states].map((state) =>
    words && isIndexed && !isLive(state)
      ? nearAndBeyond(
          {
            name: `near_${state}`,
            rows: rowsOf(state, rest),
            said: said(organizationId, words),
            id: Prisma.sql`r.id`,
            indexed: Prisma.sql`SELECT search_ended_requests(${state}, lower(${containing(words)}))`,
            direction,
          },
          most,
        )
      : { near: null, found: Prisma.sql`(${rowsOf(state, query)(Prisma.sql`true`, Prisma.empty, most)})` },
  );
  const page = Prisma.sql`page AS (
    SELECT found.id, found.key FROM (${Prisma.join(
      parts.map(({ found }) => found),
      " UNION ",
    )}) found
    ORDER BY found.key ${direction}, found.id ${direction} LIMIT ${most})`;
  const rows = await tx.$queryRaw<RequestRow[]>`
    WITH ${Prisma.join([...parts.flatMap(({ near }) => near ?? []), page])}
    SELECT ${SUMMARY} FROM page
      JOIN input_request r ON r.organization_id = ${organizationId}::uuid AND r.id = page.id ${JOINS}
    ORDER BY page.key ${direction}, page.id ${direction}`;
  return toPage(
    rows,
    query.limit,
    (row) => ({ order: name, key: order.keyOf(row), id: row.id }),
    (row) => toSummary(principal, row),
  );
}

/** Open requests: what the tabs of the inbox hold, exactly. */
export async function countOpenRequests(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  filter: RequestFilter,
): Promise<RequestCounts> {
  const open = Prisma.sql`FROM input_request r WHERE r.organization_id = ${organizationId}::uuid AND r.state = 'open'
    AND ${visibleRequest(organizationId, principal)} AND ${matching(organizationId, filter)}`;
  const [counts] = await tx.$queryRaw<RequestCounts[]>`
    SELECT count(*)::integer AS all, (count(*) FILTER (WHERE ${unassigned(organizationId)}))::integer AS unassigned,
      (SELECT count(*)::integer ${open} AND ${mine(organizationId, principal, "open")}) AS mine ${open}`;
  return counts ?? { mine: 0, unassigned: 0, all: 0 };
}

/** A row comparison: the index finds the place, and none of those before it is read. */
function beyond({ by, at, direction }: Order, { key, id }: OrderedPosition): Prisma.Sql {
  const there = Prisma.sql`(${at(key)}, ${id}::uuid)`;
  return direction === ASCENDING
    ? Prisma.sql`(${by}, r.id) > ${there}`
    : Prisma.sql`(${by}, r.id) < ${there}`;
}
