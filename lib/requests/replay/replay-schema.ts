import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { MODES } from "../../policy/automatic/automatic-schema.ts";
import type { Exclusion } from "../../policy/automatic/eligible.ts";
import { policyInputSchema } from "../../policy/policy-schema.ts";
import { actionSchema, amountSchema } from "../request-schema.ts";

/** Days that a replay goes back, unless it is told since when. */
export const REPLAYED_DAYS = 30;
/** Most requests of one replay: the latest ones count. */
export const MOST_REPLAYED = 10_000;

/** Without `policy` and `rules` the policy in force is replayed. `rules` stand in the place of its rules. */
export const replayInputSchema = z
  .strictObject({
    from: z.iso.datetime({ offset: true }).optional(),
    policy: policyInputSchema.optional(),
    rules: policyInputSchema.shape.rules.unwrap().optional(),
  })
  .refine(({ policy, rules }) => policy === undefined || rules === undefined, {
    path: ["rules"],
    message: "Give either rules or a whole policy",
  });

/** Why a rule that matches leaves a request to people. `does_not_fit`: its content is none that the form takes. */
const EXCLUSIONS = [
  "own_question",
  "url",
  "secret",
  "unsupported",
  "asked_again",
  "reworded",
  "flagged",
  "private",
  "people_agree",
  "does_not_fit",
] as const satisfies (Exclusion | "does_not_fit")[];
export type ReplayExclusion = (typeof EXCLUSIONS)[number];

const count = z.number();

const replayedRuleSchema = z.object({
  /** Null: no rule matches, so that any one member decides. */
  rule: z.string().nullable(),
  /** All stages in their order; those of rules that could not be applied come first. */
  stages: z.array(z.string()),
  requests: count,
});

const replayedAutomaticSchema = z.object({
  rule: z.string(),
  mode: z.enum(MODES),
  /** Requests that it would have answered, whatever its mode, cap and sample. */
  answered: count,
  /** Of those: people took the same action with the same content, or another one. */
  agreed: count,
  disagreed: count,
  /** Requests that it matches and leaves to people, by the reason. */
  excluded: z.partialRecord(z.enum(EXCLUSIONS), count),
});
export type ReplayedAutomatic = z.infer<typeof replayedAutomaticSchema>;

const requestSchema = z.object({
  id: z.uuid(),
  label: z.string().nullable(),
  /** The beginning of the message. */
  message: z.string(),
  askedAt: z.iso.datetime(),
});

/** The most requests that are listed because other people would have had to agree on them. */
export const MOST_MOVED = 20;

/** How many people have to agree in all, and in which stages. No stages: any one member decides. */
const neededSchema = z.object({ people: count, stages: z.array(z.string()) });
export type Needed = z.infer<typeof neededSchema>;

/** `from`: as it was asked. Equal to `to`: as many people in the same stages, and other people. */
const movedSchema = requestSchema.extend({
  amount: amountSchema.nullable(),
  from: neededSchema,
  to: neededSchema,
});
export type Moved = z.infer<typeof movedSchema>;

const decisionSchema = z.object({ action: actionSchema, words: z.string() });

/** One line of the answer. `summary` is the last one; a replay without it is incomplete. */
export const replayLineSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("progress"), done: count, of: count }),
  z.object({
    kind: z.literal("disagreement"),
    rule: z.string(),
    request: requestSchema,
    people: decisionSchema.extend({ by: actorSchema, at: z.iso.datetime() }),
    automatic: decisionSchema,
  }),
  z.object({
    kind: z.literal("summary"),
    /** Of the policy; null: a draft. */
    version: z.number().nullable(),
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    requests: count,
    /** There were more in this time: only the latest were looked at. */
    isCut: z.boolean(),
    rules: z.array(replayedRuleSchema),
    /** Requests on which other people had to agree than this policy says. `items`: the latest of them, newest first. */
    moved: z.object({ total: count, items: z.array(movedSchema) }),
    /** Rules that could not be applied, with the first reason. Automatic ones answer nothing then. */
    failed: z.array(
      z.object({ rule: z.string(), isAutomatic: z.boolean(), requests: count, why: z.string() }),
    ),
    automatic: z.array(replayedAutomaticSchema),
    /** Disagreements beyond those that have a line. */
    disagreementsLeftOut: count,
    /** What can't be known of the past, in words. */
    notKnown: z.array(z.string()),
  }),
]);
export type ReplayLine = z.infer<typeof replayLineSchema>;
export type ReplaySummary = Extract<ReplayLine, { kind: "summary" }>;
export type ReplayDisagreement = Extract<ReplayLine, { kind: "disagreement" }>;
