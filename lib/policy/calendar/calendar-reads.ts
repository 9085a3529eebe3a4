import { actorSchema } from "../../access/access-schema.ts";
import type { Tx } from "../../base/db/db.ts";
import { calendarSchema, type SavedCalendar } from "./calendar-schema.ts";

/** The calendar in force. */
export async function readCalendar(tx: Tx): Promise<SavedCalendar> {
  const row = await tx.workingCalendar.findUnique({ where: { organizationId: tx.organizationId } });
  if (!row) return { version: 0, calendar: null, changedAt: null, changedBy: null };
  return {
    version: row.version,
    calendar: calendarSchema.nullable().parse(row.calendar),
    changedAt: row.changedAt?.toISOString() ?? null,
    changedBy: actorSchema.nullable().parse(row.changedBy),
  };
}
