/** Lists and counts of input requests, scoped to the organization and to the principal's view. */

import type { Principal } from "../../access/principal.ts";
import { contentOf, openingWhatOpens } from "../../base/content/content-keys.ts";
import { type OrderedPosition, readOrder, readOrderedPosition, toPage } from "../../base/cursor.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { planFor } from "../../base/db/plan-mode.ts";
import { nearAndBeyond, notSearched } from "../../base/db/search.ts";
import { AppError } from "../../base/errors.ts";
import type { PageQuery, SearchedPage } from "../../base/page.ts";
import { iso } from "../../tasks/task-row.ts";
import { shortTexts } from "../../text/foreign/short-texts.ts";
import { MESSAGE_IN_LISTS } from "../limits.ts";
import { DECIDED_AT, JOINS, type RequestRow, summaryOf, toSummary } from "../request-row.ts";
import { type InputRequestSummary, REQUEST_STATES, type RequestState } from "../request-schema.ts";
import {
  AMOUNT,
  DECIDE_BY,
  ENDS_BY,
  heldBy,
  matching,
  mine,
  unassigned,
  visibleRequest,
  waitingFor,
} from "./filter.ts";
import type { RequestCounts, RequestFilter, RequestListQuery, RequestOrder } from "./request-list-schema.ts";
import { readSought, SAID_IN, saidIn, soughtIds } from "./search.ts";
import { urgentParts } from "./urgency.ts";

interface Order {
  /** In cursors. */
  name: string;
  /** Which requests of the list are in this part of it, on the alias `r`. */
  only: Prisma.Sql;
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

const ORDERS: Record<Exclude<RequestOrder, "urgent">, Omit<Order, "name" | "only">> = {
  oldest: { ...askedAt, direction: ASCENDING },
  newest: { ...askedAt, direction: DESCENDING },
  decided: {
    by: DECIDED_AT,
    direction: DESCENDING,
    at: time,
    keyIs: "time",
    keyOf: (row) => iso(row.decidedAt),
  },
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
  const sought = await readSought(tx, query.q);
  const parts = partsOf(principal, query);
  const { cursor } = query;
  const begun = cursor ? parts.findIndex(({ name }) => name === readOrder(cursor)) : 0;
  // Of a cursor of another order `readOrderedPosition` tells.
  const left = parts.slice(Math.max(0, begun));
  const order = left[0]!;
  const { by, direction } = order;
  const position = readOrderedPosition(cursor, order.name, order.keyIs);
  const states = [...new Set(query.state ?? REQUEST_STATES)];
  if (states.length === 0) return { items: [], nextCursor: null };
  const most = query.limit + 1;
  const placed = position ? beyond(order, position) : Prisma.sql`true`;
  const ordered = (limit: number) => Prisma.sql`ORDER BY key ${direction}, id ${direction} LIMIT ${limit}`;
  const inState = (state: RequestState) =>
    Prisma.sql`r.state = ${state} AND ${heldBy(organizationId, principal, query, state)}`;
  // One query per state, each a literal, so that the planner knows the number of rows and each runs along its
  // index.
  const narrowed = Prisma.sql`${visibleRequest(organizationId, principal)} AND ${matching(organizationId, principal, query)}`;
  const partly = (columns: Prisma.Sql, limit: number, { by, only }: Order, ...conditions: Prisma.Sql[]) =>
    states.map(
      (state) => Prisma.sql`(SELECT r.id, ${by} AS key ${columns} FROM input_request r
        WHERE r.organization_id = ${organizationId}::uuid AND ${inState(state)} AND ${only}
          AND ${narrowed} AND ${Prisma.join(conditions, " AND ")}
        ORDER BY ${by} ${direction}, r.id ${direction} LIMIT ${limit})`,
    );
  const { near, found } =
    sought?.servers.length === 0
      ? nearAndBeyond(
          {
            first: (limit) =>
              Prisma.sql`SELECT * FROM (${Prisma.join(partly(SAID_IN, limit, order, placed), " UNION ALL ")}) parts
              ${ordered(limit)}`,
            among: (ids, condition) => Prisma.sql`SELECT r.id, ${by} AS key FROM input_request r
            WHERE r.organization_id = ${organizationId}::uuid
              AND (${Prisma.join(
                states.map((state) => Prisma.sql`(${inState(state)})`),
                " OR ",
              )})
              AND ${narrowed} AND ${placed} AND ${condition} AND r.id = ANY (ARRAY(${ids}))`,
            said: saidIn(Prisma.sql`near`, sought),
            all: soughtIds(organizationId, sought, states),
            direction,
          },
          most,
        )
      : { near: null, found: null };
  const said = sought ? saidIn(Prisma.sql`r`, sought) : Prisma.sql`true`;
  // A part is read only where those before it do not fill the page.
  const isShort = (at: number) =>
    Prisma.sql`${Prisma.join(
      left.slice(0, at).map((_, before) => Prisma.sql`(SELECT count(*) FROM ${partName(before)})`),
      " + ",
    )} < ${most}`;
  const read = left.map(
    (part, at) =>
      Prisma.sql`${partName(at)} AS MATERIALIZED (SELECT id, key FROM (${
        found ??
        Prisma.join(partly(Prisma.empty, most, part, said, at === 0 ? placed : isShort(at)), " UNION ")
      }) found ${ordered(most)})`,
  );
  const page = Prisma.sql`page AS (SELECT * FROM (${Prisma.join(
    left.map((_, at) => Prisma.sql`SELECT id, ${at}::integer AS part, key FROM ${partName(at)}`),
    " UNION ALL ",
  )}) found ORDER BY part, key ${direction}, id ${direction} LIMIT ${most})`;
  const plan = await planFor(tx, query, ONE_PLAN);
  const rows = await openingWhatOpens(tx, "blank").$queryRaw<(RequestRow & { part: number })[]>`
    ${plan} WITH ${Prisma.join([...(near ? [near] : []), ...read, page])}
    SELECT ${summaryOf(principal, { inList: true })}, page.part FROM page
      JOIN input_request r ON r.organization_id = ${organizationId}::uuid AND r.id = page.id ${JOINS}
    ORDER BY page.part, page.key ${direction}, page.id ${direction}`;
  const listed = toPage(
    rows,
    query.limit,
    (row) => ({ order: left[row.part]!.name, key: left[row.part]!.keyOf(row), id: row.id }),
    (row) => toSummary(principal, { ...row, ...inList(row) }),
  );
  return { ...listed, ...notSearched(tx, sought?.words) };
}

const partName = (at: number) => Prisma.raw(`part_${at}`);

/** The parts of a list, one after the other: one, unless the order has several. Of what is urgent a search tells nothing. */
function partsOf(
  principal: Principal,
  { order = "oldest", q, cursor }: RequestListQuery & PageQuery,
): Order[] {
  const name = order === "urgent" && q?.trim() ? "oldest" : order;
  if (name !== "urgent") return [{ name, only: Prisma.sql`true`, ...ORDERS[name] }];
  return urgentParts(principal, cursor, Date.now()).map((part) => ({
    direction: ASCENDING,
    at: time,
    keyIs: "time",
    ...part,
  }));
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
      "Task content is encrypted, amounts too: requests can’t be sorted or filtered by amount.",
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
  const sought = await readSought(tx, filter.q);
  const found =
    sought === null
      ? Prisma.sql`true`
      : sought.servers.length > 0
        ? saidIn(Prisma.sql`r`, sought)
        : Prisma.sql`r.id IN (${soughtIds(organizationId, sought, ["open"])})`;
  const open = Prisma.sql`FROM input_request r WHERE r.organization_id = ${organizationId}::uuid AND r.state = 'open'
    AND ${visibleRequest(organizationId, principal)} AND ${matching(organizationId, principal, filter)} AND ${found}`;
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
