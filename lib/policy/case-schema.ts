import { z } from "zod";

/** Most cases of a policy: they are judged each time it is saved. */
const MOST_CASES = 50;
const MOST_STAGES = 1_000;

const text = z.string().max(2_000);

/** A request as a case describes it. docs/governance.md says what stands for what is left out. */
const caseRequestSchema = z.strictObject({
  server: text.optional(),
  tool: text.optional(),
  label: text.nullable().optional(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  message: text.optional(),
  amount: z.number().nullable().optional(),
  currency: text.nullable().optional(),
  fields: z.array(text).max(200).optional(),
  url: text.nullable().optional(),
  askedAgain: z.boolean().optional(),
  requester: z
    .strictObject({
      name: text.optional(),
      /** Decides which groups of the policy they are in. */
      address: text.optional(),
      /** Groups of the organization that they are in. */
      groups: z.array(text).max(50).optional(),
      role: z.enum(["viewer", "approver", "operator", "admin", "owner"]).nullable().optional(),
      kind: z.enum(["member", "key", "agent"]).optional(),
    })
    .optional(),
  /** What people decided about requests like it. */
  similar: z
    .strictObject({
      accepted: z.int().min(0).optional(),
      declined: z.int().min(0).optional(),
      repeats: z.boolean().optional(),
    })
    .optional(),
  /** When it is asked. */
  now: z.iso.datetime({ offset: true }).optional(),
});

/** A test of a policy: which rule a request like this one gets. */
const caseSchema = z.strictObject({
  name: text.optional(),
  request: caseRequestSchema,
  expect: z.strictObject({
    /** Null: no rule matches, so that any one approver decides. */
    rule: text.nullable(),
    /** Their names, in their order. */
    stages: z.array(text).max(MOST_STAGES).optional(),
    /** The automatic rule that answers, whatever its mode; null: people do. */
    automatic: text.nullable().optional(),
  }),
});
export type PolicyCase = z.infer<typeof caseSchema>;

export const casesSchema = z.array(caseSchema).max(MOST_CASES, `At most ${MOST_CASES} tests`);
