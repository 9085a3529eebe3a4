import { z } from "zod";
import { taskEventSchema } from "../tasks/schema.ts";

/** Every kind of line that is written, `noun.verb`; lib/format/events.ts has words for each. */
export const EVENT_TYPES = [
  "task.queued",
  "task.starting",
  "task.started",
  "task.not_started",
  "task.start_unknown",
  "task.start_settled",
  "task.adopted",
  "task.asking",
  "task.state",
  "task.status",
  "task.completed",
  "task.failed",
  "task.cancelled",
  "task.lost",
  "task.expired",
  "task.cancel_requested",
  "task.cancel_sent",
  "task.server_state",
  "request.opened",
  "request.replaced",
  "request.reopened",
  "request.asked_again",
  "request.withdrawn",
  "request.expired",
  "request.undeliverable",
  "request.claimed",
  "request.released",
  "request.assigned",
  "answer.recorded",
  "answer.undone",
  "delivery.sending",
  "delivery.accepted",
  "delivery.confirmed",
  "delivery.unsent",
  "delivery.flagged",
  "delivery.resend",
  "view.shared",
  "view.unshared",
  "requests.seeded",
  "requests.unseeded",
  "server.created",
  "server.updated",
  "server.removed",
  "server.health_changed",
  "member.added",
  "member.role_changed",
  "member.removed",
  "member.joined",
  "member.left",
  "invitation.created",
  "invitation.renewed",
  "invitation.role_changed",
  "invitation.revoked",
  "key.created",
  "key.renamed",
  "key.revoked",
  "organization.created",
  "organization.decline_reasons_changed",
  "organization.undo_window_changed",
  "organization.renamed",
  "organization.four_eyes_changed",
  "organization.exported",
  "session.opened",
  "session.refused",
  "session.ended",
  "account.password_changed",
  "account.second_factor_added",
  "account.second_factor_removed",
  "account.recovery_code_used",
  "account.passkey_added",
  "account.passkey_removed",
  "connection.authorized",
  "connection.renewed",
  "connection.needs_reauth",
  "connection.needs_scope",
  "connection.disconnected",
  "connection.revoked",
  "organization.quota_changed",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** A line of the organization's history. `data` is empty where retention has dropped it. */
export const eventSchema = taskEventSchema.extend({
  taskId: z.uuid().nullable(),
  inputRequestId: z.uuid().nullable(),
});
export type OrganizationEvent = z.infer<typeof eventSchema>;

/** One line of an export: the event, with what it takes to verify the chain without Intray. In hex. */
export const exportedEventSchema = eventSchema.extend({
  /** SHA-256 of the line's own values. */
  digest: z.string(),
  /** SHA-256 of the hash of the line before, and this digest. */
  hash: z.string(),
});
export type ExportedEvent = z.infer<typeof exportedEventSchema>;

/** Whether the chain holds. `brokenAt` is the first line that does not fit the one before it. */
export const verificationSchema = z.object({
  ok: z.boolean(),
  lines: z.number(),
  /** The hash of the newest line, in hex; keep it elsewhere, and nobody can rewrite what came before. */
  head: z.string().nullable(),
  brokenAt: z.number().nullable(),
});
export type Verification = z.infer<typeof verificationSchema>;
