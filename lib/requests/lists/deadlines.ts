/** What waits for a member, by when it is due or ends. For channels outside of the app: without any text of a question. */
import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { visibleRequest, waitingFor } from "./filter.ts";

export interface WaitingRequest {
  id: string;
  tool: string;
  server: string;
  askedAt: Date;
  /** When people should have decided. */
  decideBy: Date | null;
  /** When it ends by itself. */
  expiresAt: Date | null;
}

export interface Waiting {
  requests: WaitingRequest[];
  /** Of all, also those that are not among `requests`. */
  count: number;
  overdue: number;
}

/** Returns the first of the requests that wait for the member, soonest first, then oldest first. */
export async function listWaiting(tx: Tx, principal: Principal, limit: number): Promise<Waiting> {
  const rows = await tx.$queryRaw<(WaitingRequest & { count: number; overdue: number })[]>`
    SELECT ${COLUMNS}, count(*) OVER ()::integer AS count,
      (count(*) FILTER (WHERE r.decide_by <= now()) OVER ())::integer AS overdue
    ${waiting(tx, principal, false)} ${SOONEST} LIMIT ${limit}`;
  const { count = 0, overdue = 0 } = rows[0] ?? {};
  return { requests: rows.map(({ count: _, overdue: __, ...request }) => request), count, overdue };
}

/** Returns the requests that have a time, soonest first, also those that the member has put off. */
export async function listTimed(tx: Tx, principal: Principal, limit: number): Promise<WaitingRequest[]> {
  return tx.$queryRaw`SELECT ${COLUMNS} ${waiting(tx, principal, true)}
    AND (r.decide_by IS NOT NULL OR r.expires_at IS NOT NULL) ${SOONEST} LIMIT ${limit}`;
}

const COLUMNS = Prisma.sql`r.id, r.tool, s.name AS server, r.created_at AS "askedAt", r.decide_by AS "decideBy",
  r.expires_at AS "expiresAt"`;
const SOONEST = Prisma.sql`ORDER BY least(r.decide_by, r.expires_at), r.created_at, r.id`;

function waiting({ organizationId }: Tx, principal: Principal, snoozed: boolean): Prisma.Sql {
  return Prisma.sql`FROM input_request r
      JOIN server s ON s.organization_id = r.organization_id AND s.id = r.server_id
    WHERE r.organization_id = ${organizationId}::uuid AND r.state = 'open' AND ${visibleRequest(organizationId, principal)}
      AND ${waitingFor(organizationId, principal, "open", snoozed ? "true" : undefined)}`;
}
