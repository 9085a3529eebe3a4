/** All writes to working calendars. */
import type { Principal } from "../../access/principal.ts";
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { readCalendar } from "./calendar-reads.ts";
import { type Calendar, WEEKDAYS } from "./calendar-schema.ts";

/** Replaces the calendar, if `version` is still the one in force. Changes nothing if it is the same. Throws `version_changed`. */
export async function saveCalendar(
  tx: Tx,
  { actor }: Principal,
  version: number,
  calendar: Calendar | null,
): Promise<void> {
  // One change at a time, also the first.
  await tx.$executeRaw`INSERT INTO working_calendar (organization_id) VALUES (${tx.organizationId}::uuid)
    ON CONFLICT (organization_id) DO NOTHING`;
  await tx.$queryRaw`SELECT FROM working_calendar WHERE organization_id = ${tx.organizationId}::uuid FOR UPDATE`;
  const saved = await readCalendar(tx);
  if (saved.version !== version)
    throw new AppError("version_changed", "Somebody has changed the calendar meanwhile. Look at it again.", {
      extra: { version: saved.version },
    });
  // jsonb keeps members in an order of its own.
  if (canonicalJson(saved.calendar) === canonicalJson(calendar)) return;
  await tx.workingCalendar.update({
    where: { organizationId: tx.organizationId },
    data: {
      version: version + 1,
      calendar: calendar === null ? Prisma.DbNull : storable(calendar),
      changedAt: new Date(),
      changedBy: storable(actor),
    },
  });
  const data = { version: version + 1, ...differenceOf(saved.calendar, calendar) };
  await appendEvents(tx, [{ type: "calendar.changed", actor, data }]);
}

/** What a change was, for the history. Null: there was, or is, no calendar. Each holiday is looked at once. */
export function differenceOf(before: Calendar | null, after: Calendar | null) {
  if (!before || !after) return { from: before && summaryOf(before), to: after && summaryOf(after) };
  const isSame = (one: unknown, other: unknown) => canonicalJson(one) === canonicalJson(other);
  const missing = (from: Calendar, list: Calendar) => {
    const names = new Map(list.holidays.map(({ date, name }) => [date, name]));
    return from.holidays.filter(({ date, name }) => names.get(date) !== name);
  };
  return {
    ...(before.zone !== after.zone && { zone: { from: before.zone, to: after.zone } }),
    days: WEEKDAYS.filter((day) => !isSame(before.days[day], after.days[day])).map((day) => ({
      day,
      from: before.days[day],
      to: after.days[day],
    })),
    added: missing(after, before),
    removed: missing(before, after),
  };
}

function summaryOf({ zone, days, holidays }: Calendar) {
  return { zone, days, holidays: holidays.length };
}
