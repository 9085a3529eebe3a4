/** Lists and counts of input requests, scoped to the organization and to the principal's view. */

import type { Principal } from "../access/principal.ts";
import { contentOf, openingWhatOpens } from "../base/content/content-keys.ts";
import { type OrderedPosition, readOrderedPosition, toPage } from "../base/cursor.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { planFor } from "../base/db/plan-mode.ts";
import { namesServer, nearAndBeyond, notSearched } from "../base/db/search.ts";
import { AppError } from "../base/errors.ts";
import type { PageQuery, SearchedPage } from "../base/page.ts";
import { shortTexts } from "../text/foreign/short-texts.ts";
import {
  AMOUNT,
  DECIDE_BY,
  ENDS_BY,
  heldBy,
  matching,
  mine,
  SAID_IN,
  saidIn,
  saying,
  unassigned,
  visibleRequest,
  waitingFor,
} from "./filter.ts";
import { MESSAGE_IN_LISTS } from "./limits.ts";
import {
  type InputRequestSummary,
  REQUEST_STATES,
  type RequestCounts,
  type RequestFilter,
  type RequestListQuery,
  type RequestOrder,
  type RequestState,
} from "./request-schema.ts";
import { iso, JOINS, type RequestRow, summaryOf, toSummary } from "./row.ts";

interface Order {
  /** On the alias `r`, as an index spells it; never null, so that requests without a key come last. */
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
  due: {
    by: DECIDE_BY,
    direction: ASCENDING,
    at: time,
    keyIs: "time",
    keyOf: (row) => iso(row.decideBy),
  },
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

/** Narrowed by these alone, a list runs along the index of its order for any values. */
const ONE_PLAN = ["state", "order", "limit", "cursor", "assignee", "waiting", "taskId"];

/** Lists requests, longest waiting first unless another order is given. */
export async function listInputRequests(
  tx: Tx,
  principal: Principal,
  query: RequestListQuery & PageQuery,
): Promise<SearchedPage<InputRequestSummary>> {
  const { organizationId } = tx;
  refuseSealedAmounts(tx, query);
  const name = query.order ?? "oldest";
  const order = ORDERS[name];
  const { by, direction } = order;
  const position = readOrderedPosition(query.cursor, name, order.keyIs);
  const states = [...new Set(query.state ?? REQUEST_STATES)];
  if (states.length === 0) return { items: [], nextCursor: null };
  const most = query.limit + 1;
  const { q, ...rest } = query;
  const words = q?.trim();
  const placed = position ? beyond(order, position) : Prisma.sql`true`;
  const ordered = (limit: number) => Prisma.sql`ORDER BY key ${direction}, id ${direction} LIMIT ${limit}`;
  const inState = (state: RequestState) =>
    Prisma.sql`r.state = ${state} AND ${heldBy(organizationId, principal, query, state)}`;
  // One query per state, each a literal, so that the planner knows the number of rows and each runs along its
  // index.
  const partly = (filter: RequestFilter, columns: Prisma.Sql, limit: number) =>
    states.map(
      (state) => Prisma.sql`(SELECT r.id, ${by} AS key ${columns} FROM input_request r
        WHERE r.organization_id = ${organizationId}::uuid AND ${inState(state)}
          AND ${visibleRequest(organizationId, principal)} AND ${matching(organizationId, principal, filter)} AND ${placed}
        ORDER BY ${by} ${direction}, r.id ${direction} LIMIT ${limit})`,
    );
  // The text index holds no server names. Where a server's name matches, enough requests match to be found
  // without it.
  const isSearch = words && !(await namesServer(tx, words));
  const { near, found } = isSearch
    ? nearAndBeyond(
        {
          first: (limit) =>
            Prisma.sql`SELECT * FROM (${Prisma.join(partly(rest, SAID_IN, limit), " UNION ALL ")}) parts
              ${ordered(limit)}`,
          among: (ids, condition) => Prisma.sql`SELECT r.id, ${by} AS key FROM input_request r
            WHERE r.organization_id = ${organizationId}::uuid
              AND (${Prisma.join(
                states.map((state) => Prisma.sql`(${inState(state)})`),
                " OR ",
              )})
              AND ${visibleRequest(organizationId, principal)} AND ${matching(organizationId, principal, rest)} AND ${placed}
              AND ${condition} AND r.id = ANY (ARRAY(${ids}))`,
          said: saidIn(Prisma.sql`near`, words),
          all: saying(organizationId, words, states),
          direction,
        },
        most,
      )
    : { near: null, found: Prisma.join(partly(query, Prisma.empty, most), " UNION ") };
  const page = Prisma.sql`page AS (
    SELECT found.id, found.key FROM (${found}) found ${ordered(most)})`;
  const plan = await planFor(tx, query, ONE_PLAN);
  const rows = await openingWhatOpens(tx, "blank").$queryRaw<RequestRow[]>`
    ${plan} WITH ${Prisma.join(near ? [near, page] : [page])}
    SELECT ${summaryOf(principal, { inList: true })} FROM page
      JOIN input_request r ON r.organization_id = ${organizationId}::uuid AND r.id = page.id ${JOINS}
    ORDER BY page.key ${direction}, page.id ${direction}`;
  const listed = toPage(
    rows,
    query.limit,
    (row) => ({ order: name, key: order.keyOf(row), id: row.id }),
    (row) => toSummary(principal, { ...row, ...inList(row) }),
  );
  return { ...listed, ...notSearched(tx, words) };
}

function inList({ message, content }: RequestRow) {
  return {
    message: shortTexts(message, MESSAGE_IN_LISTS),
    content: shortTexts(content, MESSAGE_IN_LISTS),
  };
}

/** Throws `content_sealed`: sealed amounts can't be compared by the database. */
function refuseSealedAmounts(
  tx: Tx,
  query: Pick<RequestListQuery, "order" | "amountMin" | "amountMax">,
): void {
  const { order, amountMin, amountMax } = query;
  if (contentOf(tx).kid === null) return;
  if (order === "amount" || amountMin !== undefined || amountMax !== undefined)
    throw new AppError(
      "content_sealed",
      "What tasks are about is sealed, amounts too: requests can't be sorted or filtered by them.",
    );
}

/** Exact counts of open requests: the badge, the title and the tabs of the inbox all show these. */
export async function countOpenRequests(
  tx: Tx,
  principal: Principal,
  filter: RequestFilter,
): Promise<RequestCounts> {
  const { organizationId } = tx;
  refuseSealedAmounts(tx, filter);
  const { q, ...rest } = filter;
  const words = q?.trim();
  // Where a server's name matches the words, all of its requests count.
  const isSearch = words && !(await namesServer(tx, words));
  const open = Prisma.sql`FROM input_request r WHERE r.organization_id = ${organizationId}::uuid AND r.state = 'open'
    AND ${visibleRequest(organizationId, principal)} AND ${
      isSearch
        ? Prisma.sql`${matching(organizationId, principal, rest)} AND r.id IN (${saying(organizationId, words, ["open"])})`
        : matching(organizationId, principal, filter)
    }`;
  const plan = await planFor(tx, filter, []);
  const [counts] = await tx.$queryRaw<RequestCounts[]>`
    ${plan} SELECT count(*)::integer AS all, (count(*) FILTER (WHERE ${unassigned(organizationId)}))::integer AS unassigned,
      (count(*) FILTER (WHERE ${waitingFor(organizationId, principal, "open", filter.snoozed)}))::integer AS waiting,
      (SELECT count(*)::integer ${open} AND ${mine(organizationId, principal, "open")}) AS mine ${open}`;
  return counts ?? { waiting: 0, mine: 0, unassigned: 0, all: 0 };
}

/** A row comparison: the index finds the place, and reads none of the rows before it. */
function beyond({ by, at, direction }: Order, { key, id }: OrderedPosition): Prisma.Sql {
  const there = Prisma.sql`(${at(key)}, ${id}::uuid)`;
  return direction === ASCENDING
    ? Prisma.sql`(${by}, r.id) > ${there}`
    : Prisma.sql`(${by}, r.id) < ${there}`;
}
