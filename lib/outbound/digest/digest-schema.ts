import { z } from "zod";
import { zoneSchema } from "../../policy/calendar/calendar-schema.ts";

export const DIGEST_DAYS = ["off", "working", "all"] as const;

/** On which days a member gets the digest, and at which hour of the zone's clocks. */
export const digestChoiceSchema = z.strictObject({
  days: z.enum(DIGEST_DAYS),
  hour: z.int().min(0).max(23),
  zone: zoneSchema,
});
export type DigestChoice = z.infer<typeof digestChoiceSchema>;

export const digestSchema = z.object({
  days: z.enum(DIGEST_DAYS),
  hour: z.number().int(),
  zone: z.string(),
  sentAt: z.iso.datetime().nullable(),
  /** Why the last digest was not sent, and since when none was; null: it was, or the digest is off. */
  failure: z.object({ error: z.string(), since: z.iso.datetime() }).nullable(),
});
export type Digest = z.infer<typeof digestSchema>;
