import { z } from "zod";

/** A member's calendar address, which is shown once. `readAt`: when a program last read it, to the minute. */
export const calendarFeedSchema = z.object({
  feed: z.object({ createdAt: z.iso.datetime(), readAt: z.iso.datetime().nullable() }).nullable(),
});
export type CalendarFeed = z.infer<typeof calendarFeedSchema>;

export const madeFeedSchema = z.object({ url: z.url() });
