import { z } from "zod";

/** Longest condition, in characters. lib/text/rules bounds it again where it is read. */
const MOST_CHARACTERS = 2_000;
const MOST_RULES = 50;
/** Most answers of one rule a day: whatever it is set to, a rule that went wrong has an end. */
const MOST_A_DAY = 10_000;

export const MODES = ["off", "shadow", "live"] as const;

const when = z
  .string()
  .trim()
  .min(1, "Say when it answers")
  .max(MOST_CHARACTERS, `At most ${MOST_CHARACTERS} characters`);

/** JSON as text can say numbers that are none: 1e999 is read as infinity. */
function hasNumbersOfJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(hasNumbersOfJson);
}

/** What a rule says in a person's place. Of a form without fields the content is empty. */
const answerSchema = z
  .strictObject({
    action: z.enum(["accept", "decline"]),
    content: z
      .record(z.string().max(200), z.unknown().refine(hasNumbersOfJson, "A number is too large"))
      .optional(),
  })
  .refine(({ action, content }) => action === "accept" || content === undefined, {
    path: ["content"],
    message: "Only an accepted form carries content",
  });

/** A rule that answers requests without a person. */
const automaticRuleSchema = z.strictObject({
  name: z.string().trim().min(1, "Give it a name").max(100, "At most 100 characters"),
  /** A condition in CEL. There is none that stands for every request. */
  when,
  answer: answerSchema,
  /** `shadow`: its answers are kept beside those of people, and never sent. */
  mode: z.enum(MODES).default("off"),
  /** Answers of one day of the organization's zone. */
  dailyCap: z.int().min(1).max(MOST_A_DAY, `At most ${MOST_A_DAY}`).default(50),
  /** The share of what it would answer that goes to people all the same, from 0 to 1. */
  sample: z.number().min(0).max(1).default(0.05),
});
export type AutomaticRule = z.infer<typeof automaticRuleSchema>;

export const automaticSchema = z.array(automaticRuleSchema).max(MOST_RULES, `At most ${MOST_RULES} rules`);

/** As they are shown: what has its default is left out. */
export const shownAutomaticSchema = z.array(
  z.object({
    name: z.string(),
    when: z.string(),
    answer: z.object({
      action: z.enum(["accept", "decline"]),
      content: z.record(z.string(), z.unknown()).optional(),
    }),
    mode: z.enum(MODES).optional(),
    dailyCap: z.number().optional(),
    sample: z.number().optional(),
  }),
);
