import { z } from "zod";

const timestamp = z.iso.datetime();
const failure = z.object({ error: z.string(), since: timestamp });

/** A member's own account on a platform. */
export const ownAccountSchema = z.object({
  name: z.string(),
  linkedAt: timestamp,
  sentAt: timestamp.nullable(),
  failure: failure.nullable(),
  /** `deliveredAt`: when the platform had it in the member's messages. */
  test: z.object({ askedAt: timestamp, deliveredAt: timestamp.nullable() }).nullable(),
});
export type OwnAccount = z.infer<typeof ownAccountSchema>;

/** Of an organization's app on a platform, as admins see it. */
export const sendingSchema = z.object({
  setUpAt: timestamp,
  /** Messages may carry the text of questions. */
  showsText: z.boolean(),
  /** How many members have linked their account. */
  members: z.number().int(),
  /** Since when the platform takes the secrets no more, and why. */
  revoked: z.object({ at: timestamp, because: z.string() }).nullable(),
  /** The platform asked for a pause until then. Null: none is in force. */
  pausedUntil: timestamp.nullable(),
  /** How many members the platform takes no messages for, and the latest reason. */
  failing: failure.extend({ members: z.number().int() }).nullable(),
});
export type Sending = z.infer<typeof sendingSchema>;

export const updateAppSchema = z.strictObject({ showsText: z.boolean() });

/** Where the browser goes to sign in at the platform. */
export const linkSchema = z.object({ url: z.string() });
