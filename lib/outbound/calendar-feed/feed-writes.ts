/** Members' calendar addresses. A member has one in each organization; it goes with the membership. */
import { roleSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import { hashSecret, randomSecret } from "../../base/ids.ts";
import { leavesOut } from "../../people/organizations/addresses.ts";
import { listTimed } from "../../requests/lists/deadlines.ts";
import type { CalendarFeed } from "./feed-schema.ts";
import { composeCalendar } from "./ics.ts";

/** Events of one calendar: the soonest. */
const MOST_EVENTS = 500;
const SUFFIX = ".ics";

export async function readFeed(tx: Tx, userId: string): Promise<CalendarFeed> {
  const row = await tx.calendarFeed.findFirst({
    where: { organizationId: tx.organizationId, userId },
    select: { createdAt: true, readAt: true },
  });
  return {
    feed: row && { createdAt: row.createdAt.toISOString(), readAt: row.readAt?.toISOString() ?? null },
  };
}

/** Returns the path of the member's new address. An earlier one works no more. */
export async function makeFeed(tx: Tx, userId: string): Promise<string> {
  const secret = randomSecret();
  const { organizationId } = tx;
  const now = { secretHash: new Uint8Array(hashSecret(secret)), createdAt: new Date(), readAt: null };
  await tx.calendarFeed.upsert({
    where: { organizationId_userId: { organizationId, userId } },
    create: { organizationId, userId, ...now },
    update: now,
  });
  return `/api/calendar/${secret}${SUFFIX}`;
}

/** Idempotent. */
export async function removeFeed(tx: Tx, userId: string): Promise<void> {
  await tx.calendarFeed.deleteMany({ where: { organizationId: tx.organizationId, userId } });
}

/**
 * Returns the calendar behind an address. Throws the same `not_found` for an address that never was, that was replaced or removed,
 * whose member may not use it now, and from outside of the organization's networks.
 */
export async function readCalendarFeed(
  database: Database,
  { file, address, appUrl }: { file: string; address: string; appUrl: string },
): Promise<string> {
  const secret = file.endsWith(SUFFIX) ? file.slice(0, -SUFFIX.length) : "";
  const [row] = await database.gate<MemberRow>(
    Prisma.sql`SELECT * FROM gate.member_of_calendar_feed(${hashSecret(secret)})`,
  );
  if (!row || leavesOut(row.networks, address)) throw notFound("calendar");
  const { organization_id: organizationId, user_id: userId, name, organization } = row;
  const principal: Principal = {
    ...{ organizationId, userId, role: roleSchema.parse(row.role) },
    actor: { kind: "member", id: userId, name },
  };
  return database.withOrganization(organizationId, async (tx) => {
    await tx.$executeRaw`UPDATE calendar_feed SET read_at = date_trunc('minute', now())
      WHERE organization_id = ${organizationId}::uuid AND user_id = ${userId}::uuid
        AND (read_at IS NULL OR read_at < date_trunc('minute', now()))`;
    const requests = await listTimed(tx, principal, MOST_EVENTS);
    return composeCalendar(requests, { organization, appUrl });
  });
}

interface MemberRow {
  organization_id: string;
  organization: string;
  user_id: string;
  name: string;
  role: string;
  networks: string[];
}
