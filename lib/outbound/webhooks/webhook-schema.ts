import { z } from "zod";
import { pageQuerySchema } from "../../base/page.ts";
import { webAddress } from "../../text/schemas/bounded.ts";

/** Events for webhooks: ids and states of objects visible to the whole organization. */
export const WEBHOOK_EVENTS = [
  "request.opened",
  "request.answered",
  "request.settled",
  "request.withdrawn",
  "request.expired",
  "request.undeliverable",
  "task.completed",
  "task.failed",
  "task.cancelled",
  "task.lost",
  "task.expired",
  "task.start_unknown",
  "server.health_changed",
] as const;
export const webhookEventSchema = z.enum(WEBHOOK_EVENTS);
export type WebhookEvent = z.infer<typeof webhookEventSchema>;

/** Sent by hand to test a receiver. */
export const TEST_EVENT = "webhook.test";

const url = webAddress(2_000);
const events = z
  .array(webhookEventSchema)
  .min(1, "Choose what to be told of")
  .max(WEBHOOK_EVENTS.length)
  .transform((chosen) => [...new Set(chosen)]);

export const createWebhookSchema = z.strictObject({ url, events });
export type CreateWebhook = z.infer<typeof createWebhookSchema>;

export const updateWebhookSchema = z
  .strictObject({ url: url.optional(), events: events.optional(), enabled: z.boolean().optional() })
  .refine((input) => Object.keys(input).length > 0, "Name what to change");
export type UpdateWebhook = z.infer<typeof updateWebhookSchema>;

/** gone: the receiver answered 410. failing: no delivery succeeded for three days. */
export const disabledReasonSchema = z.enum(["by_hand", "gone", "failing"]);

export const webhookSchema = z.object({
  id: z.uuid(),
  url: z.string(),
  events: z.array(webhookEventSchema),
  enabled: z.boolean(),
  disabledReason: disabledReasonSchema.nullable(),
  /** No delivery has succeeded since then. */
  failingSince: z.iso.datetime().nullable(),
  /** Until then the previous secret signs too. */
  previousSecretUntil: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
  lastDelivery: z
    .object({ state: z.enum(["pending", "delivered", "failed"]), at: z.iso.datetime() })
    .nullable(),
});
export type Webhook = z.infer<typeof webhookSchema>;

/** The only response that contains the secret. */
export const newWebhookSchema = webhookSchema.extend({ secret: z.string() });

/** One attempt: the response's status, or the error. The response's content is not kept. */
export const attemptSchema = z.object({
  at: z.iso.datetime(),
  status: z.number().int().nullable(),
  error: z.string().nullable(),
  durationMs: z.number().int(),
});
export type Attempt = z.infer<typeof attemptSchema>;

export const webhookDeliverySchema = z.object({
  /** The `webhook-id` header of every attempt. */
  id: z.uuid(),
  type: z.string(),
  state: z.enum(["pending", "delivered", "failed"]),
  createdAt: z.iso.datetime(),
  /** Time of the next attempt. */
  nextAttemptAt: z.iso.datetime().nullable(),
  /** The last attempts, oldest first. */
  attempts: z.array(attemptSchema),
  payload: z.unknown(),
});
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

export const deliveryQuerySchema = pageQuerySchema;
