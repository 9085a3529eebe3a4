import { z } from "zod";

/** A P-256 point, uncompressed, as PushSubscription.toJSON() writes it. */
const p256dhSchema = z.string().regex(/^B[\w-]{86}$/, "Send the browser’s key, p256dh");
const authSchema = z.string().regex(/^[\w-]{22}$/, "Send the browser’s secret, auth");
const endpointSchema = z.url({ protocol: /^https?$/ }).max(2_000);

/** A browser's push subscription (Push API). */
export const addDeviceSchema = z.strictObject({
  endpoint: endpointSchema,
  p256dh: p256dhSchema,
  auth: authSchema,
});
export type Subscription = z.infer<typeof addDeviceSchema>;

export const seeDeviceSchema = addDeviceSchema.pick({ endpoint: true });
/** Null: this browser is none of the member's devices here. */
export const seenDeviceSchema = z.object({ id: z.uuid().nullable() });

export const updateDeviceSchema = z.strictObject({ showsText: z.boolean() });

/** A test is shown only once the device itself has said so. */
const testSchema = z.object({
  id: z.uuid(),
  askedAt: z.iso.datetime(),
  /** When the push service took it; null: not yet. */
  sentAt: z.iso.datetime().nullable(),
  shownAt: z.iso.datetime().nullable(),
});

const deviceSchema = z.object({
  id: z.uuid(),
  userAgent: z.string().nullable(),
  /** Of the session that asks. */
  current: z.boolean(),
  showsText: z.boolean(),
  createdAt: z.iso.datetime(),
  seenAt: z.iso.datetime(),
  sentAt: z.iso.datetime().nullable(),
  /** Why the last message was not taken, and since when none was; null: the last one was. */
  failure: z.object({ error: z.string(), since: z.iso.datetime() }).nullable(),
  test: testSchema.nullable(),
});
export type Device = z.infer<typeof deviceSchema>;

export const devicesSchema = z.object({
  items: z.array(deviceSchema),
  /** For `applicationServerKey` of the browser's subscription. */
  publicKey: z.string(),
  /** The organization allows the text of questions. */
  textAllowed: z.boolean(),
});
export type Devices = z.infer<typeof devicesSchema>;

export const shownTestSchema = z.strictObject({ testId: z.uuid() });
