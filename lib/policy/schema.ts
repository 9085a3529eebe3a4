import { z } from "zod";
import { actorSchema } from "../access/schema.ts";
import { durationSchema } from "../calendar/schema.ts";

/** Longest condition, in characters. lib/rules bounds it again where it is read. */
const MOST_CHARACTERS = 2_000;
const MOST_RULES = 100;
const MOST_STAGES = 10;
/** Most people whom one stage may need: more can't be counted on. */
const MOST_NEEDED = 50;

const name = z.string().trim().min(1, "Give it a name").max(100, "At most 100 characters");
const addresses = z.array(z.string().trim().toLowerCase().max(320)).max(200, "At most 200 people");
const flags = <const T extends readonly [string, ...string[]]>(...of: T) =>
  z
    .array(z.enum(of))
    .max(of.length)
    .transform((given): T[number][] => of.filter((each) => (given as string[]).includes(each)));

/** Who may vote: the union of roles, groups of the policy and people by address. */
const approversSchema = z.strictObject({
  roles: flags("approver", "operator", "admin", "owner").default([]),
  groups: z.array(name).max(50, "At most 50 groups").default([]),
  people: addresses.default([]),
});

/** A property whose effect is not built is refused: nobody should rely on a reminder that never comes. */
const stageSchema = z.strictObject({
  name,
  approvers: approversSchema,
  /** Different persons who have to agree. */
  need: z.int().min(1).max(MOST_NEEDED, `At most ${MOST_NEEDED}`).default(1),
  /** So many rejections end the request with the answer of the last of them. */
  rejections: z.int().min(1).max(MOST_NEEDED, `At most ${MOST_NEEDED}`).default(1),
  /** A person shows again that it is them, as before changes of settings. */
  stepUp: z.boolean().default(false),
  /** Votes that need a comment. */
  requireReason: flags("approve", "reject").default([]),
});
export type PolicyStage = z.infer<typeof stageSchema>;

const ruleSchema = z.strictObject({
  name,
  /** A condition in CEL; null: every request. */
  when: z
    .string()
    .trim()
    .max(MOST_CHARACTERS, `At most ${MOST_CHARACTERS} characters`)
    .nullable()
    .default(null)
    .transform((text) => text || null),
  stages: z.array(stageSchema).min(1, "At least one stage").max(MOST_STAGES, `At most ${MOST_STAGES} stages`),
  /** Whether who asked for the task may vote, be it by a key or an agent of theirs. */
  requester: z.enum(["excluded", "allowed"]).default("excluded"),
  /** How soon people should have decided: shown, and nothing else. */
  due: durationSchema.nullable().default(null),
});
export type PolicyRule = z.infer<typeof ruleSchema>;

/** The rules in their order: the first one that matches a request decides who has to agree on it. */
export const policyInputSchema = z.strictObject({
  /** Of the format. */
  version: z.literal(1).default(1),
  groups: z.record(name, addresses).default({}),
  rules: z.array(ruleSchema).max(MOST_RULES, `At most ${MOST_RULES} rules`).default([]),
});
export type Policy = z.infer<typeof policyInputSchema>;

const shownStageSchema = z.object({
  name: z.string(),
  approvers: z.object({
    roles: z.array(z.string()),
    groups: z.array(z.string()),
    people: z.array(z.string()),
  }),
  need: z.number(),
  rejections: z.number(),
  stepUp: z.boolean(),
  requireReason: z.array(z.string()),
});

export const savedPolicySchema = z.object({
  /** Counts the changes; 0: nothing was ever saved. */
  version: z.number(),
  policy: z.object({
    version: z.literal(1),
    groups: z.record(z.string(), z.array(z.string())),
    rules: z.array(
      z.object({
        name: z.string(),
        when: z.string().nullable(),
        stages: z.array(shownStageSchema),
        requester: z.enum(["excluded", "allowed"]),
        due: z.string().nullable(),
      }),
    ),
  }),
  changedAt: z.iso.datetime().nullable(),
  changedBy: actorSchema.nullable(),
});
export type SavedPolicy = z.infer<typeof savedPolicySchema>;

export const policyVersionsSchema = z.object({
  items: z.array(
    z.object({
      version: z.number(),
      rules: z.array(z.string()),
      changedAt: z.iso.datetime(),
      changedBy: actorSchema,
    }),
  ),
});
export type PolicyVersions = z.infer<typeof policyVersionsSchema>;
