import { z } from "zod";
import { pageQuerySchema } from "../base/page.ts";

/** What members choose by: whether they are told in the app, by e-mail, both or not at all. */
export const NOTICE_KINDS = ["assigned", "request", "attention", "failed", "lost", "done"] as const;
export const noticeKindSchema = z.enum(NOTICE_KINDS);
export type NoticeKind = z.infer<typeof noticeKindSchema>;

/** What a notice says, by what it is about. Its state now decides whether it is still to be told. */
export const CAUSES = {
  "request.waiting": "request",
  "request.assigned": "assigned",
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
} as const satisfies Record<string, NoticeKind>;
export type Cause = keyof typeof CAUSES;
export const causeSchema = z.enum(Object.keys(CAUSES) as [Cause, ...Cause[]]);

export interface Channels {
  app: boolean;
  email: boolean;
}

/** Quiet: by mail only what nobody else does, and what stands still without somebody. */
export const DEFAULT_CHANNELS: Record<NoticeKind, Channels> = {
  assigned: { app: true, email: true },
  request: { app: true, email: false },
  attention: { app: true, email: true },
  failed: { app: true, email: true },
  lost: { app: true, email: true },
  done: { app: true, email: false },
};

/** What a notice is about: never the question, arguments or results. The label is for the app alone. */
export const noticeSchema = z.object({
  id: z.uuid(),
  kind: noticeKindSchema,
  cause: causeSchema,
  task: z.object({ id: z.uuid(), tool: z.string(), label: z.string().nullable() }).nullable(),
  inputRequestId: z.uuid().nullable(),
  server: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  createdAt: z.iso.datetime(),
  readAt: z.iso.datetime().nullable(),
});
export type Notice = z.infer<typeof noticeSchema>;

export const noticeQuerySchema = pageQuerySchema.extend({ unread: z.enum(["true", "false"]).optional() });
export type NoticeQuery = z.infer<typeof noticeQuerySchema>;

/** Counting ends at 100: nobody reads a longer number. */
export const MOST_COUNTED = 100;
export const noticeCountsSchema = z.object({ unread: z.number().int() });
export type NoticeCounts = z.infer<typeof noticeCountsSchema>;

const channelsSchema = z.object({ app: z.boolean(), email: z.boolean() });

export const noticeSettingsSchema = z.object({
  /** Where mail goes; `sends`: the installation has a mail server at all. */
  email: z.object({ address: z.string(), sends: z.boolean() }),
  kinds: z.record(noticeKindSchema, channelsSchema),
});
export type NoticeSettings = z.infer<typeof noticeSettingsSchema>;

export const updateNoticeSettingsSchema = z
  .strictObject({ kinds: z.partialRecord(noticeKindSchema, z.strictObject(channelsSchema.shape)) })
  .refine(({ kinds }) => Object.keys(kinds).length > 0, "Name what to change");
export type UpdateNoticeSettings = z.infer<typeof updateNoticeSettingsSchema>;
