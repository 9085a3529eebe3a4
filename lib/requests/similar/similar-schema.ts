import { z } from "zod";
import { amountSchema, answerSchema } from "../request-schema.ts";

export type Answer = z.infer<typeof answerSchema>;

const similarRequestSchema = z.object({
  id: z.uuid(),
  /** The beginning of the message; the request holds all of it. */
  message: z.string(),
  label: z.string().nullable(),
  /** Null also where the call was approved with changes: nobody approved this amount. */
  amount: amountSchema.nullable(),
  /** The party of the call, e.g. the supplier. */
  party: z.string().nullable(),
  answer: answerSchema,
  at: z.iso.datetime(),
});
export type SimilarRequest = z.infer<typeof similarRequestSchema>;

/** What was decided before about the party of a request. */
const partySchema = z.object({
  /** As sent, e.g. `ACME Corp`. */
  name: z.string(),
  /** The name of its field without `name`, e.g. `supplier`. */
  kind: z.string(),
  /** Decided requests of the same tool, question, party and currency, at least 3. */
  count: z.number(),
  /** Only the tool's latest decisions were looked at, so there may be more. */
  mayBeMore: z.boolean(),
  /** The range of the accepted amounts, without the extreme tenths. Null: fewer than 3 were accepted. */
  usual: z.object({ from: amountSchema, to: amountSchema }).nullable(),
  /** How many times the usual amount (the median) this one is, if it is beyond the range by half or more. */
  times: z.number().nullable(),
  last: answerSchema,
});
export type PartySummary = z.infer<typeof partySchema>;

export const similarRequestsSchema = z.object({
  /** Newest first, at most 5. */
  items: z.array(similarRequestSchema),
  /** How often each decision was made among all alike requests, e.g. `{Approved: 5, Rejected: 1}`. */
  decided: z.record(z.string(), z.number()),
  /** Null: the request has no party, or fewer than 3 were decided about it. */
  party: partySchema.nullable(),
  /** A decided request that this one may repeat: the same label, or the same party and amount. */
  repeats: similarRequestSchema.extend({ by: z.enum(["label", "amount"]) }).nullable(),
});
export type SimilarRequests = z.infer<typeof similarRequestsSchema>;
