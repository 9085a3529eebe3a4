import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { pageQuerySchema, pageSchema } from "../../base/page.ts";
import { MODES } from "../../policy/automatic/automatic-schema.ts";
import { answerSchema } from "../request-schema.ts";

/** What became of a rule's answer. `kept`: people have the request all the same. `undone`: it was taken back before it was sent. */
const STATES = ["shadow", "kept", "answered", "undone", "failed"] as const;

const automaticRuleStateSchema = z.object({
  name: z.string(),
  mode: z.enum(MODES),
  /** The version that brought what the rule says: its record begins there. Null: it is not known. */
  since: z.number().nullable(),
  /** Number of requests that the rule would have answered, and that people were asked instead. */
  shadowed: z.number(),
  /** Of these, how many people decided the same, how many otherwise, and how many are open. */
  agreed: z.number(),
  disagreed: z.number(),
  undecided: z.number(),
  /** What the rule said was no answer to the question. */
  failed: z.number(),
  answeredToday: z.number(),
  dailyCap: z.number(),
  /** By a rule of this name, with what was taken back. */
  answered: z.number(),
  undone: z.number(),
  /** Live, and people had it all the same: as the sample, since the cap was reached, since all were stopped. */
  kept: z.object({ sample: z.number(), cap: z.number(), stopped: z.number() }),
});
export type AutomaticRuleState = z.infer<typeof automaticRuleStateSchema>;

export const automaticStateSchema = z.object({
  /** Null: automatic answers are not stopped. */
  stopped: z.object({ at: z.iso.datetime(), by: actorSchema }).nullable(),
  /** Today, in the organization's zone, by which the caps count. */
  day: z.string(),
  /** Of the policy in force, in its order. */
  rules: z.array(automaticRuleStateSchema),
});
export type AutomaticState = z.infer<typeof automaticStateSchema>;

export const stoppedSchema = z.object({
  /** So many answers were taken back before they were sent. */
  takenBack: z.number(),
});

const OUTCOMES = ["agreed", "disagreed", "answered", "failed"] as const;

export const automaticDecisionsQuerySchema = pageQuerySchema.extend({
  /** The name of a rule. */
  rule: z.string().max(100).optional(),
  outcome: z.enum(OUTCOMES).optional(),
});
export type AutomaticDecisionsQuery = z.infer<typeof automaticDecisionsQuerySchema>;

const automaticDecisionSchema = z.object({
  /** Of the request. */
  id: z.uuid(),
  task: z.object({ id: z.uuid(), label: z.string().nullable() }),
  server: z.object({ id: z.uuid(), name: z.string() }),
  tool: z.string(),
  at: z.iso.datetime(),
  state: z.enum(STATES),
  /** Why people had it, why it was taken back, or why it was no answer. */
  reason: z.string().nullable(),
  rule: z.object({ name: z.string(), version: z.number() }),
  /** What the rule said, or would have. */
  said: z.object({
    action: z.enum(["accept", "decline"]),
    content: z.record(z.string(), z.unknown()).nullable(),
    words: z.string(),
  }),
  /** What people answered; null: nobody has. */
  people: answerSchema.nullable(),
  agreed: z.boolean().nullable(),
});
export type AutomaticDecision = z.infer<typeof automaticDecisionSchema>;

export const automaticDecisionsSchema = pageSchema(automaticDecisionSchema);
