/** What people send about requests: answers, one or many at a time, drafts, claims, assignments and snoozes. */
import { z } from "zod";
import { actorSchema } from "../access/access-schema.ts";
import { NOTE_CHARACTERS } from "./limits.ts";
import { actionSchema } from "./request-schema.ts";
import { standingInputSchema } from "./standing-approvals/standing-approval-schema.ts";

const content = z.record(z.string(), z.unknown());
/** In characters of JSON. An answer stands in history, notices and exports, many at a time. */
const MOST_CONTENT = 256 * 1024;

const givenContent = content.refine(
  (value) => JSON.stringify(value).length <= MOST_CONTENT,
  `At most ${MOST_CONTENT} characters of JSON`,
);

export const answerInputSchema = z.strictObject({
  action: actionSchema,
  content: givenContent.optional(),
  comment: z.string().trim().max(4000).optional(),
  /** The hash of the question on the screen: an answer binds to exactly that text and schema. */
  questionHash: z.string().regex(/^[0-9a-f]{64}$/),
  holdMs: z.int().min(0).max(60_000).optional(),
  /** The answer may go to any later wording of the question. Required where the request has `rewordedAt`. */
  anyWording: z.boolean().optional(),
  /** Where people vote, and others agreed to other content: asks everybody again, about this content. */
  proposes: z.boolean().optional(),
  /** Beside `decline`, of Intray's own questions: asks for another request, as `comment` says. */
  revise: z.boolean().optional(),
  /** Beside `accept`, of an agent's call: more calls like it pass, within these bounds. */
  standing: standingInputSchema.optional(),
});
export type AnswerInput = z.infer<typeof answerInputSchema>;

const MOST_AT_ONCE = 200;

/** One answer to many alike questions; each item binds to the hash of its own question. */
export const bulkAnswerInputSchema = answerInputSchema
  .omit({ questionHash: true, anyWording: true, proposes: true, revise: true, standing: true })
  .extend({
    items: z
      .array(z.strictObject({ id: z.uuid(), questionHash: answerInputSchema.shape.questionHash }))
      .min(1)
      .max(MOST_AT_ONCE)
      .refine((items) => new Set(items.map((item) => item.id)).size === items.length, "Each request once"),
  });
export type BulkAnswerInput = z.infer<typeof bulkAnswerInputSchema>;

export const bulkUndoInputSchema = z.strictObject({
  ids: z
    .array(z.uuid())
    .min(1)
    .max(MOST_AT_ONCE)
    .refine((ids) => new Set(ids).size === ids.length, "Each request once"),
});

/** `code` and `detail` as in a single call's problem; `by` and `at` if an earlier actor is the cause. Without `kind` it is a member. */
export const refusedSchema = z.object({
  id: z.uuid(),
  status: z.literal("refused"),
  code: z.string(),
  detail: z.string(),
  by: actorSchema.partial({ kind: true }).optional(),
  at: z.string().optional(),
});
export type Refused = z.infer<typeof refusedSchema>;

/** One result per item, in the order of the items. */
export const bulkAnswerResultSchema = z.object({
  results: z.array(
    z.discriminatedUnion("status", [
      /** `voted`: others have to agree before there is an answer. */
      z.object({ id: z.uuid(), status: z.enum(["recorded", "voted"]) }),
      refusedSchema,
    ]),
  ),
});
export type BulkAnswerResult = z.infer<typeof bulkAnswerResultSchema>;

export const bulkUndoResultSchema = z.object({
  results: z.array(
    z.discriminatedUnion("status", [z.object({ id: z.uuid(), status: z.literal("undone") }), refusedSchema]),
  ),
});
export type BulkUndoResult = z.infer<typeof bulkUndoResultSchema>;

/** Plain text beside a request for the person who gets it. */
const assignmentNoteSchema = z
  .string()
  .trim()
  .max(NOTE_CHARACTERS)
  .transform((text) => text || undefined)
  .optional();

export const assignInputSchema = z.strictObject({
  memberId: z.uuid().nullable(),
  note: assignmentNoteSchema,
});
export type AssignInput = z.infer<typeof assignInputSchema>;

export const handOverInputSchema = z.strictObject({ memberId: z.uuid(), note: assignmentNoteSchema });
export type HandOverInput = z.infer<typeof handOverInputSchema>;

/**
 * Replaces the caller's draft; an empty one deletes the draft. `questionHash`: the question that was read. Of a draft
 * for another wording, only what was typed is kept.
 */
export const draftInputSchema = z.strictObject({
  content: givenContent,
  questionHash: answerInputSchema.shape.questionHash.optional(),
  comment: z.string().max(4000).optional(),
});
export type DraftInput = z.infer<typeof draftInputSchema>;

/** `takeOver`: the time of another's claim that the caller, an operator, has seen and takes over. */
export const claimInputSchema = z.strictObject({ takeOver: z.iso.datetime().optional() }).default({});
export type ClaimInput = z.infer<typeof claimInputSchema>;

/** Until when the caller puts a request off, for themselves. */
export const snoozeInputSchema = z.strictObject({ until: z.iso.datetime({ offset: true }) });
export type SnoozeInput = z.infer<typeof snoozeInputSchema>;
