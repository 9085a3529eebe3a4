import { z } from "zod";
import { amountSchema, answerSchema } from "./schema.ts";

export type Answer = z.infer<typeof answerSchema>;

const similarRequestSchema = z.object({
  id: z.uuid(),
  /** The beginning of the message; the request holds all of it. */
  message: z.string(),
  label: z.string().nullable(),
  amount: amountSchema.nullable(),
  /** The party of the call, e.g. the supplier. */
  party: z.string().nullable(),
  answer: answerSchema,
  at: z.iso.datetime(),
});
export type SimilarRequest = z.infer<typeof similarRequestSchema>;

export const similarRequestsSchema = z.object({
  /** Newest first, at most 5. */
  items: z.array(similarRequestSchema),
  /** How often each decision was made among all alike requests, e.g. `{Approved: 5, Rejected: 1}`. */
  decided: z.record(z.string(), z.number()),
  /** A decided request that this one may repeat: the same label, or the same party and amount. */
  repeats: similarRequestSchema.extend({ by: z.enum(["label", "amount"]) }).nullable(),
});
export type SimilarRequests = z.infer<typeof similarRequestsSchema>;
