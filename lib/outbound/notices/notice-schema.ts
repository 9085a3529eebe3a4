import { z } from "zod";
import { pageQuerySchema } from "../../base/page.ts";
import { digestChoiceSchema, digestSchema } from "../digest/digest-schema.ts";

/** The kinds for which members choose channels: any of the app, e-mail, push, Slack and Teams. */
export const NOTICE_KINDS = ["assigned", "request", "attention", "failed", "lost", "done"] as const;
export const noticeKindSchema = z.enum(NOTICE_KINDS);
export type NoticeKind = z.infer<typeof noticeKindSchema>;

/** Causes of notices, and the kind of each. A notice applies while its subject is in the cause's state. */
export const CAUSES = {
  "request.waiting": "request",
  "request.assigned": "assigned",
  "request.reminded": "request",
  "request.woke": "request",
  "request.info_wanted": "assigned",
  "comment.mentioned": "assigned",
  "comment.info_given": "assigned",
  "request.undeliverable": "attention",
  "delivery.flagged": "attention",
  "task.completed": "done",
  "task.failed": "failed",
  "task.lost": "lost",
  "task.expired": "lost",
  "task.start_unknown": "attention",
  "connection.needs_reauth": "attention",
  "connection.needs_scope": "attention",
  "server.unhealthy": "attention",
  "webhook.disabled": "attention",
  "account.replaced": "attention",
  "organization.four_eyes_ending": "attention",
  "policy.proposed": "attention",
  "member.vouched": "attention",
  "organization.deleting": "attention",
  "key.ends_in_14_days": "attention",
  "key.ends_in_3_days": "attention",
  "key.ended": "attention",
  "agent.ends_in_14_days": "attention",
  "agent.ends_in_3_days": "attention",
  "agent.ended": "attention",
  "audit_stream.failing": "attention",
  "service_account.rests": "attention",
  "saml_provider.certificate_ends": "attention",
  "slack.revoked": "attention",
  "teams.revoked": "attention",
} as const satisfies Record<string, NoticeKind>;
export type Cause = keyof typeof CAUSES;
export const causeSchema = z.enum(Object.keys(CAUSES) as [Cause, ...Cause[]]);

/**
 * Causes of the kind `account`: what concerns the safety of an account. Told in every organization of the person's, and
 * by mail, whatever the preferences say; gate.account_event makes them with the change itself.
 */
export const ACCOUNT_CAUSES = [
  "account.new_sign_in",
  "account.password_changed",
  "account.second_factor_added",
  "account.second_factor_removed",
  "account.recovery_code_used",
  "account.recovery_codes_replaced",
  "account.passkey_added",
  "account.passkey_removed",
  "account.identity_linked",
  "account.sessions_ended",
  "account.password_link_made",
  "account.service_account_given",
] as const;

const channelsSchema = z.object({
  app: z.boolean(),
  email: z.boolean(),
  push: z.boolean(),
  slack: z.boolean(),
  teams: z.boolean(),
});
export type Channels = z.infer<typeof channelsSchema>;

/**
 * Few mails by default: only for matters that would otherwise stay unnoticed or unsolved. `push` has effect on the devices that
 * a member has added, `slack` and `teams` once they have linked their account there.
 */
export const DEFAULT_CHANNELS: Record<NoticeKind, Channels> = {
  assigned: { app: true, email: true, push: true, slack: true, teams: true },
  request: { app: true, email: false, push: true, slack: true, teams: true },
  attention: { app: true, email: true, push: true, slack: true, teams: true },
  failed: { app: true, email: true, push: true, slack: true, teams: true },
  lost: { app: true, email: true, push: true, slack: true, teams: true },
  done: { app: true, email: false, push: false, slack: false, teams: false },
};

/**
 * A notice: never contains the question, arguments or results. The label is shown in the app only. `assignment`:
 * who gave the member the request, as words say it, and their note; null for all other causes.
 */
export const noticeSchema = z.object({
  id: z.uuid(),
  kind: z.enum([...NOTICE_KINDS, "account"]),
  cause: z.enum([...causeSchema.options, ...ACCOUNT_CAUSES]),
  task: z.object({ id: z.uuid(), tool: z.string(), label: z.string().nullable() }).nullable(),
  inputRequestId: z.uuid().nullable(),
  server: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  apiKey: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  agent: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  assignment: z.object({ by: z.string(), note: z.string().nullable() }).nullable(),
  /**
   * Of the kind `account` alone. `more`: further ones of the day, not listed. `canBeRead`: false in sessions that are
   * older than the notice, so that a thief of such a session can't hide what they did.
   */
  account: z
    .object({
      data: z.record(z.string(), z.unknown()),
      more: z.number().int(),
      canBeRead: z.boolean(),
    })
    .nullable(),
  createdAt: z.iso.datetime(),
  readAt: z.iso.datetime().nullable(),
});
export type Notice = z.infer<typeof noticeSchema>;

export const noticeQuerySchema = pageQuerySchema.extend({ unread: z.enum(["true", "false"]).optional() });
export type NoticeQuery = z.infer<typeof noticeQuerySchema>;

/** Counting stops at 100, since larger numbers help nobody. */
export const MOST_COUNTED = 100;
export const noticeCountsSchema = z.object({ unread: z.number().int() });
export type NoticeCounts = z.infer<typeof noticeCountsSchema>;

export const noticeSettingsSchema = z.object({
  /**
   * The address for mail. `sends`: the installation has a mail server. `failure`: why the last mail was not sent, and since when;
   * null: it was.
   */
  email: z.object({
    address: z.string(),
    sends: z.boolean(),
    failure: z.object({ error: z.string(), since: z.iso.datetime() }).nullable(),
  }),
  kinds: z.record(noticeKindSchema, channelsSchema),
  /** Null: the member has never chosen, and gets none. */
  digest: digestSchema.nullable(),
});
export type NoticeSettings = z.infer<typeof noticeSettingsSchema>;

export const updateNoticeSettingsSchema = z
  .strictObject({
    kinds: z
      .partialRecord(
        noticeKindSchema,
        // Without `push`, `slack` or `teams` these stay: programs were written before them.
        z.strictObject(channelsSchema.partial({ push: true, slack: true, teams: true }).shape),
      )
      .optional(),
    digest: digestChoiceSchema.optional(),
  })
  .refine(({ kinds, digest }) => digest || Object.keys(kinds ?? {}).length > 0, "Name what to change");
export type UpdateNoticeSettings = z.infer<typeof updateNoticeSettingsSchema>;
