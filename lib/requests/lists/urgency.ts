/** The order of what is urgent: three parts of a list, one after the other. */

import type { Principal } from "../../access/principal.ts";
import { readOrder } from "../../base/cursor.ts";
import { Prisma } from "../../base/db/db.ts";
import { iso } from "../../tasks/task-row.ts";
import type { RequestRow } from "../request-row.ts";

/** What ends or is due within this is urgent. */
const SOON_MS = 24 * 3_600_000;

/** By when somebody has to act, as an index spells it: the end or the due time, whichever comes first. Alias `r`. */
const URGENT_BY = Prisma.sql`(CASE WHEN r.decide_by IS NULL AND r.expires_at IS NULL THEN 'infinity'
  WHEN r.decide_by IS NULL OR r.expires_at < r.decide_by THEN r.expires_at ELSE r.decide_by END)`;

interface UrgentPart {
  /** In cursors, with the time that counts as soon for all pages of a list: no request moves to an earlier page. */
  name: string;
  /** Which requests are in this part, on the alias `r`. */
  only: Prisma.Sql;
  by: Prisma.Sql;
  keyOf(row: Pick<RequestRow, "createdAt" | "expiresAt" | "decideBy">): string | null;
}

/** Returns the parts in their order. `cursor`: of an earlier page. `now`: ms. */
export function urgentParts({ userId }: Principal, cursor: string | undefined, now: number): UrgentPart[] {
  const until = untilIn(cursor) ?? new Date(now + SOON_MS).toISOString();
  const soon = Prisma.sql`${until}::timestamptz`;
  // Not by the index's expression, along which the planner would look for all that is not urgent.
  const later = Prisma.sql`(r.expires_at IS NULL OR r.expires_at >= ${soon}) AND (r.decide_by IS NULL OR r.decide_by >= ${soon})`;
  const byAge = {
    by: Prisma.sql`r.created_at`,
    keyOf: (row: Pick<RequestRow, "createdAt">) => iso(row.createdAt),
  };
  const soonest: UrgentPart = {
    name: `soon ${until}`,
    only: Prisma.sql`${URGENT_BY} < ${soon}`,
    by: URGENT_BY,
    keyOf: ({ expiresAt, decideBy }) => iso(earlier(expiresAt, decideBy)),
  };
  // Nothing is assigned to a program.
  if (userId === null) return [soonest, { ...byAge, name: `rest ${until}`, only: later }];
  return [
    soonest,
    { ...byAge, name: `mine ${until}`, only: Prisma.sql`${later} AND r.assignee_user_id = ${userId}::uuid` },
    {
      ...byAge,
      name: `rest ${until}`,
      only: Prisma.sql`${later} AND r.assignee_user_id IS DISTINCT FROM ${userId}::uuid`,
    },
  ];
}

function untilIn(cursor: string | undefined): string | null {
  if (!cursor) return null;
  const [, until = ""] = /^(?:soon|mine|rest) (\d{4}-\d\d-\d\dT[\d:.]+Z)$/.exec(readOrder(cursor)) ?? [];
  return Number.isNaN(Date.parse(until)) ? null : until;
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
