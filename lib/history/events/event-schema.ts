import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { pageQuerySchema, queryTimeSchema } from "../../base/page.ts";

/** All event types, `noun.verb`. lib/web/words/activity-words.ts has words for each. */
export const EVENT_TYPES = [
  "task.queued",
  "task.approved",
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
  "task.acknowledged",
  "task.released",
  "request.opened",
  "request.replaced",
  "request.reworded",
  "request.judged_again",
  "request.reopened",
  "request.asked_again",
  "request.withdrawn",
  "request.expired",
  "request.undeliverable",
  "request.claimed",
  "request.released",
  "request.assigned",
  "request.reminded",
  "request.escalated",
  "request.lapsed",
  "request.commented",
  "request.comment_deleted",
  "request.info_asked",
  "request.info_given",
  "request.last_taken",
  "request.used",
  "request.outcome_reported",
  "standing_approval.given",
  "standing_approval.used",
  "standing_approval.revoked",
  "answer.recorded",
  "answer.undone",
  "vote.recorded",
  "vote.taken_back",
  "vote.dropped",
  "delivery.sending",
  "delivery.accepted",
  "delivery.confirmed",
  "delivery.unsent",
  "delivery.waiting",
  "delivery.flagged",
  "delivery.resend",
  "view.shared",
  "view.unshared",
  "task.retry_queued",
  "task.retry_refused",
  "race.started",
  "race.won",
  "race.failed",
  "requests.seeded",
  "requests.unseeded",
  "server.created",
  "server.updated",
  "server.removed",
  "server.health_changed",
  "server.paused",
  "server.resumed",
  "server.hosts_allowed",
  "host.allowed",
  "host.removed",
  "server.tools_changed",
  "recipe.created",
  "recipe.changed",
  "recipe.removed",
  "member.added",
  "member.role_changed",
  "member.removed",
  "member.suspended",
  "member.reinstated",
  "member.joined",
  "member.left",
  "member.vouched",
  "member.vouch_withdrawn",
  "member.sessions_ended",
  "member.password_link_made",
  "member.view_begun",
  "member.view_ended",
  "away.set",
  "away.ended",
  "invitation.created",
  "invitation.renewed",
  "invitation.role_changed",
  "invitation.revoked",
  "key.created",
  "key.renamed",
  "key.revoked",
  "key.rotated",
  "key.secret_ended",
  "key.networks_changed",
  "key.refused",
  "agent.created",
  "agent.changed",
  "agent.rotated",
  "agent.revoked",
  "agent.signed_in",
  "agent.turned_away",
  "agent.signed_out",
  "agent.call_allowed",
  "agent.call_denied",
  "agent.hook_tried",
  "agent.subscribed",
  "agent.subscription_ended",
  "service_account.created",
  "service_account.changed",
  "service_account.owner_changed",
  "service_account.rested",
  "service_account.resumed",
  "service_account.deleted",
  "service_account.owner_missing",
  "service_account.owner_back",
  "organization.created",
  "organization.decline_reasons_changed",
  "organization.undo_window_changed",
  "call_rules.changed",
  "policy.changed",
  "policy.proposed",
  "policy.proposal_ended",
  "policy.two_person_changed",
  "policy.automatic_stopped",
  "policy.automatic_resumed",
  "group.created",
  "group.changed",
  "group.deleted",
  "calendar.changed",
  "organization.retention_changed",
  "organization.renamed",
  "organization.four_eyes_changed",
  "organization.four_eyes_end_proposed",
  "organization.four_eyes_end_withdrawn",
  "organization.export_begun",
  "organization.export_broken_off",
  "organization.keys_without_end_changed",
  "organization.push_text_changed",
  "slack.set_up",
  "slack.updated",
  "slack.removed",
  "slack.revoked",
  "slack.account_linked",
  "slack.account_unlinked",
  "teams.set_up",
  "teams.updated",
  "teams.removed",
  "teams.revoked",
  "teams.account_linked",
  "teams.account_unlinked",
  "organization.sign_in_changed",
  "organization.domain_added",
  "organization.domain_verified",
  "organization.domain_removed",
  "organization.networks_changed",
  "organization.address_refused",
  "organization.exported",
  "organization.deletion_requested",
  "organization.deletion_withdrawn",
  "organization.hold_set",
  "organization.hold_lifted",
  "organization.content_sealed",
  "organization.content_opened",
  "session.opened",
  "session.refused",
  "session.ended",
  "account.password_changed",
  "account.second_factor_added",
  "account.second_factor_removed",
  "account.recovery_code_used",
  "account.passkey_added",
  "account.passkey_removed",
  "account.replaced",
  "connection.authorized",
  "connection.renewed",
  "connection.needs_reauth",
  "connection.needs_scope",
  "connection.disconnected",
  "connection.revoked",
  "organization.quota_changed",
  "protocol.read",
  "document.read",
  "tasks.exported",
  "events.exported",
  "events.verified",
  "webhook.created",
  "webhook.updated",
  "webhook.removed",
  "webhook.enabled",
  "webhook.disabled",
  "webhook.secret_rotated",
  "audit_stream.created",
  "audit_stream.updated",
  "audit_stream.paused",
  "audit_stream.resumed",
  "audit_stream.removed",
  "audit_stream.failing",
  "audit_stream.recovered",
  "saml_provider.created",
  "saml_provider.updated",
  "saml_provider.removed",
  "saml_provider.confirmed",
  "saml_provider.sign_in_refused",
  "directory.token_made",
  "directory.token_rotated",
  "directory.token_revoked",
  "directory.updated",
  "directory.group_mapped",
  "directory.group_created",
  "directory.group_changed",
  "directory.group_removed",
  "bulk.begun",
  "bulk.ended",
  "bulk.stopped",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** A line of a task's history. */
export const taskEventSchema = z.object({
  seq: z.number(),
  at: z.iso.datetime(),
  type: z.string(),
  actor: actorSchema,
  inputRequestId: z.uuid().nullable(),
  data: z.record(z.string(), z.unknown()),
  /** The organization's retention has deleted the details; `data` is empty. */
  detailsDeleted: z.literal(true).optional(),
  /** Present if the details are too long for a list. `data` is empty then; `GET /events/export` has them. */
  detailsLeftOut: z.literal(true).optional(),
});
export type TaskEvent = z.infer<typeof taskEventSchema>;

/** A line of the organization's history. `data` is empty if retention has dropped the details. */
const eventSchema = taskEventSchema.extend({ taskId: z.uuid().nullable() });
export type OrganizationEvent = z.infer<typeof eventSchema>;

/** A line as the history lists it. `task`: null if the line has none, or one that the reader may not open. */
export const listedEventSchema = eventSchema.extend({
  task: z.object({ label: z.string().nullable(), tool: z.string() }).nullable(),
});
export type ListedEvent = z.infer<typeof listedEventSchema>;

/**
 * `q`: words in the actor's name, the type, the task's name or the details. `type`: types or first words (`answer`),
 * comma-separated. `from` is inclusive, `to` exclusive.
 */
export const eventQuerySchema = pageQuerySchema.extend({
  q: z.string().max(200).optional(),
  type: z
    .string()
    .max(500)
    .regex(
      /^[a-z_]+(\.[a-z_]+)?(,[a-z_]+(\.[a-z_]+)?)*$/,
      "Use types such as answer.recorded, or answer for all of them",
    )
    .transform((types) => types.split(","))
    .optional(),
  actorId: z.string().max(100).optional(),
  taskId: z.uuid().optional(),
  inputRequestId: z.uuid().optional(),
  from: queryTimeSchema.optional(),
  to: queryTimeSchema.optional(),
});
export type EventQuery = z.infer<typeof eventQuerySchema>;

/** One line of an export: the event, plus the data to verify the chain without Intray (docs/event-log.md). */
export const exportedEventSchema = eventSchema.extend({
  /** The text covered by the digest. Contains the fields above. */
  line: z.string(),
  /** The text of `data`, whose digest is in the line; null if retention has dropped the details. */
  payload: z.string().nullable(),
  /** What `data` says, where it is sealed under a key of the organization. No digest covers it. */
  opened: z.record(z.string(), z.unknown()).optional(),
  /** SHA-256 of the line's text, in hex. */
  digest: z.string(),
  /** SHA-256 of the previous line's hash and this digest, in hex. */
  hash: z.string(),
});
export type ExportedEvent = z.infer<typeof exportedEventSchema>;

/** A line of an audit stream: an export's line, with whose it is and the hash that it continues. */
const streamedEventSchema = exportedEventSchema.extend({
  organizationId: z.uuid(),
  /** The hash of the previous line in hex; empty for the first line. */
  previousHash: z.string(),
});
export type StreamedEvent = z.infer<typeof streamedEventSchema>;

/** A position of the chain and its hash in hex. A copy kept elsewhere reveals a chain that was made anew. */
const anchorSchema = z.object({
  seq: z.int().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Anchor = z.infer<typeof anchorSchema>;

/**
 * Lines of an audit stream that are not of the history. anchor: the chain's hash at a position. gap: retention had
 * deleted the details of `lines` of the lines from `first` to `last` before they were sent. test: sent by hand.
 */
export const streamNoteSchema = z.discriminatedUnion("kind", [
  anchorSchema.extend({ kind: z.literal("anchor"), organizationId: z.uuid(), at: z.iso.datetime() }),
  z.object({
    kind: z.literal("gap"),
    organizationId: z.uuid(),
    first: z.int(),
    last: z.int(),
    lines: z.int(),
    at: z.iso.datetime(),
  }),
  z.object({ kind: z.literal("test"), organizationId: z.uuid(), at: z.iso.datetime() }),
]);
export type StreamNote = z.infer<typeof streamNoteSchema>;

/**
 * gap: the line is missing, though later ones exist. altered: the line was changed after it was written.
 * unlinked: the hash does not follow from the previous line. cut: the chain ends elsewhere than its head
 * says. rewritten: the line has another hash than an anchor kept elsewhere.
 */
export const faultSchema = z.enum(["gap", "altered", "unlinked", "cut", "rewritten"]);
export type Fault = z.infer<typeof faultSchema>;

/** The result of a verification. `lines` and `head` describe the valid part of the chain. */
export const verificationSchema = z.object({
  ok: z.boolean(),
  lines: z.number(),
  /** The hash of the newest valid line, in hex. A copy kept elsewhere reveals a rewritten history. */
  head: z.string().nullable(),
  /** The first wrong or missing line. */
  brokenAt: z.number().nullable(),
  fault: faultSchema.nullable(),
});
export type Verification = z.infer<typeof verificationSchema>;
