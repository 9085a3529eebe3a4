import { z } from "zod";
import { actorSchema, personSchema } from "../../access/access-schema.ts";
import { COMMENT_CHARACTERS, MOST_MENTIONS } from "../limits.ts";

/** A comment on a request: plain text for people, and whom it is meant for, as ids of users. Never sent to a server. */
export const commentInputSchema = z.strictObject({
  text: z.string().trim().min(1).max(COMMENT_CHARACTERS),
  mentions: z
    .array(z.uuid())
    .max(MOST_MENTIONS)
    .refine((ids) => new Set(ids).size === ids.length, "Each person once")
    .optional(),
});
export type CommentInput = z.infer<typeof commentInputSchema>;

export const commentSchema = z.object({
  id: z.uuid(),
  by: actorSchema,
  at: z.iso.datetime(),
  /** Null: its author deleted it. Untrusted. */
  text: z.string().nullable(),
  mentions: z.array(personSchema),
  /** It asks the task's requester. */
  asks: z.boolean(),
  deletedAt: z.iso.datetime().nullable(),
});
export type RequestComment = z.infer<typeof commentSchema>;

export const threadSchema = z.object({
  /** Oldest first; all of them. */
  items: z.array(commentSchema),
  mayComment: z.boolean(),
  /** Who can be asked: the member behind the task. Null: nobody here who may see the request, or the caller. */
  requester: personSchema.nullable(),
});
export type RequestThread = z.infer<typeof threadSchema>;

export const mentionableQuerySchema = z.object({ q: z.string().max(200).optional() });
/** `email`: where another name in the list reads the same. */
const mentionablePersonSchema = personSchema.extend({ email: z.string().optional() });
export type Mentionable = z.infer<typeof mentionablePersonSchema>;
export const mentionableSchema = z.object({ items: z.array(mentionablePersonSchema) });
