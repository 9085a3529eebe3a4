import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { isDateText } from "../../text/time.ts";

/** A time such as `3d`: weeks, days, hours or minutes, in working time; with `!` after it, by the clock. */
export const durationSchema = z.string().regex(/^[1-9]\d{0,3}[wdhm]!?$/, "Use a time such as 4h, 3d or 2w");

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

const MOST_SPANS = 6;
const MOST_HOLIDAYS = 1_000;

const spanSchema = z
  .strictObject({
    from: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Use a time such as 09:00"),
    to: z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, "Use a time such as 17:00, at most 24:00"),
  })
  .refine(({ from, to }) => from < to, { message: "It has to end after it begins", path: ["to"] });
export type Span = z.infer<typeof spanSchema>;

/** The hours of a day, in their order. None: nobody works. */
const hoursSchema = z
  .array(spanSchema)
  .max(MOST_SPANS, `At most ${MOST_SPANS} times a day`)
  .transform((spans) => spans.toSorted((one, other) => (one.from < other.from ? -1 : 1)))
  .refine((spans) => spans.every(({ from }, at) => at === 0 || spans[at - 1]!.to <= from), {
    message: "Two times overlap",
  })
  .default([]);

const holidaySchema = z.strictObject({
  date: z
    .string()
    .max(10)
    .refine((text) => text.length === 10 && isDateText(text), "Use a date such as 2026-12-25"),
  name: z.string().trim().min(1, "Give it a name").max(100, "At most 100 characters"),
});
export type Holiday = z.infer<typeof holidaySchema>;

export const zoneSchema = z.string().max(100).refine(isZone, "Use a time zone such as Europe/Berlin");

export const calendarSchema = z
  .strictObject({
    zone: zoneSchema,
    days: z.strictObject({
      mon: hoursSchema,
      tue: hoursSchema,
      wed: hoursSchema,
      thu: hoursSchema,
      fri: hoursSchema,
      sat: hoursSchema,
      sun: hoursSchema,
    }),
    /** Days on which nobody works, by date. */
    holidays: z.array(holidaySchema).max(MOST_HOLIDAYS, `At most ${MOST_HOLIDAYS} holidays`).default([]),
  })
  .superRefine(({ days, holidays }, context) => {
    if (WEEKDAYS.every((day) => days[day].length === 0))
      context.addIssue({ code: "custom", path: ["days"], message: "Name the hours of one day at least" });
    const seen = new Set<string>();
    for (const [at, { date }] of holidays.entries()) {
      if (seen.has(date))
        context.addIssue({
          code: "custom",
          path: ["holidays", at, "date"],
          message: "This date is there twice",
        });
      seen.add(date);
    }
  })
  .transform(({ holidays, ...calendar }) => ({
    ...calendar,
    holidays: holidays.toSorted((one, other) => (one.date < other.date ? -1 : 1)),
  }));
export type Calendar = z.infer<typeof calendarSchema>;

/** Null: all time is working time. */
export const calendarInputSchema = z.strictObject({ calendar: calendarSchema.nullable() });

const shownSpansSchema = z.array(z.object({ from: z.string(), to: z.string() }));

export const savedCalendarSchema = z.object({
  /** Counts the changes; 0: nothing was ever saved. */
  version: z.number(),
  calendar: z
    .object({
      zone: z.string(),
      days: z.object({
        mon: shownSpansSchema,
        tue: shownSpansSchema,
        wed: shownSpansSchema,
        thu: shownSpansSchema,
        fri: shownSpansSchema,
        sat: shownSpansSchema,
        sun: shownSpansSchema,
      }),
      holidays: z.array(z.object({ date: z.string(), name: z.string() })),
    })
    .nullable(),
  changedAt: z.iso.datetime().nullable(),
  changedBy: actorSchema.nullable(),
});
export type SavedCalendar = z.infer<typeof savedCalendarSchema>;

/** Names alone: an offset such as `+02:00` knows no summer. */
function isZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
