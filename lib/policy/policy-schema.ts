import { z } from "zod";
import { actorSchema } from "../access/access-schema.ts";
import { recordOfAtMost } from "../text/schemas/bounded.ts";
import { automaticSchema, shownAutomaticSchema } from "./automatic/automatic-schema.ts";
import { durationSchema } from "./calendar/calendar-schema.ts";
import { casesSchema } from "./case-schema.ts";

/** Longest condition, in characters. lib/text/rules bounds it again where it is read. */
const MOST_CHARACTERS = 2_000;
export const MOST_RULES = 100;
const MOST_STAGES = 10;
const MOST_GROUPS = 500;
/** Most people whom one stage may need: more can't be counted on. */
const MOST_NEEDED = 50;
const MOST_REMINDERS = 10;

const name = z
  .string()
  .trim()
  .min(1, "Give it a name")
  .max(100, "At most 100 characters")
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, "One line");
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

/** Each time once. */
const timesSchema = z
  .array(durationSchema)
  .max(MOST_REMINDERS, `At most ${MOST_REMINDERS} reminders`)
  .refine((times) => new Set(times).size === times.length, "The same time is there twice");

/** A property whose effect is not built is refused: nobody should rely on what never comes. */
const stageSchema = z.strictObject({
  name,
  approvers: approversSchema,
  /** Different persons who have to agree. */
  need: z.int().min(1).max(MOST_NEEDED, `At most ${MOST_NEEDED}`).default(1),
  /** Number of rejections that end the request. The last rejection is its answer. */
  rejections: z.int().min(1).max(MOST_NEEDED, `At most ${MOST_NEEDED}`).default(1),
  /** Voters have to confirm who they are, as before changes of settings. */
  stepUp: z.boolean().default(false),
  /** Votes that need a comment. */
  requireReason: flags("approve", "reject").default([]),
  /** When those whose vote is missing are reminded, counted from when the stage opened. */
  remind: timesSchema.default([]),
  /** Who may vote too if the stage is not full by then, counted as reminders are. Nobody is replaced. */
  escalate: z.strictObject({ after: durationSchema, to: approversSchema }).nullable().default(null),
});
export type PolicyStage = z.infer<typeof stageSchema>;

/** `leave`: the request stays open. `cancel`: its task is cancelled, as by a person. */
// biome-ignore lint/suspicious/noThenProperty: the policy's own word, and no function.
const endSchema = { then: z.enum(["leave", "cancel"]) };

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
  /** Whether the requester of the task may vote, also if their API key or agent started it. */
  requester: z.enum(["excluded", "allowed"]).default("excluded"),
  /** How soon people should have decided: shown, and nothing else. */
  due: durationSchema.nullable().default(null),
  /** What happens to a request that nobody has decided by then, counted from when it was asked. Nothing is ever answered. */
  expire: z
    .strictObject({ after: durationSchema, ...endSchema })
    .nullable()
    .default(null),
});
export type PolicyRule = z.infer<typeof ruleSchema>;

/** The rules in their order: the first one that matches a request decides who has to agree on it. */
export const policyInputSchema = z.strictObject({
  /** Of the format. */
  version: z.literal(1).default(1),
  groups: recordOfAtMost(MOST_GROUPS, `At most ${MOST_GROUPS} groups`, name, addresses).default({}),
  rules: z.array(ruleSchema).max(MOST_RULES, `At most ${MOST_RULES} rules`).default([]),
  /** The rules that answer without a person. */
  automatic: automaticSchema.optional(),
  /** A policy that fails one of them is refused. */
  tests: casesSchema.optional(),
});
export type Policy = z.infer<typeof policyInputSchema>;

/** A policy that is about to be saved. */
export const policyChangeSchema = policyInputSchema.extend({
  /** Names of automatic rules that go live whatever their record says. No part of the policy. */
  acknowledge: z.array(z.string().max(100)).max(100).optional(),
});

/** A policy as it is shown: what has its default is left out (without-defaults.ts). */
const shownApproversSchema = z.object({
  roles: z.array(z.string()).optional(),
  groups: z.array(z.string()).optional(),
  people: z.array(z.string()).optional(),
});
const shownStageSchema = z.object({
  name: z.string(),
  approvers: shownApproversSchema,
  need: z.number().optional(),
  rejections: z.number().optional(),
  stepUp: z.boolean().optional(),
  requireReason: z.array(z.string()).optional(),
  remind: z.array(z.string()).optional(),
  escalate: z.object({ after: z.string(), to: shownApproversSchema }).optional(),
});
const shownPolicySchema = z.object({
  version: z.literal(1),
  groups: z.record(z.string(), z.array(z.string())).optional(),
  rules: z.array(
    z.object({
      name: z.string(),
      when: z.string().optional(),
      stages: z.array(shownStageSchema),
      requester: z.enum(["excluded", "allowed"]).optional(),
      due: z.string().optional(),
      expire: z.object({ after: z.string(), ...endSchema }).optional(),
    }),
  ),
  automatic: shownAutomaticSchema.optional(),
  tests: casesSchema.optional(),
});
export type ShownPolicy = z.infer<typeof shownPolicySchema>;

export const savedPolicySchema = z.object({
  /** Counts the changes; 0: nothing was ever saved. */
  version: z.number(),
  policy: shownPolicySchema,
  changedAt: z.iso.datetime().nullable(),
  changedBy: actorSchema.nullable(),
});
export type SavedPolicy = z.infer<typeof savedPolicySchema>;

const versionSchema = z.object({
  version: z.number(),
  rules: z.array(z.string()),
  changedAt: z.iso.datetime(),
  changedBy: actorSchema,
});
export const policyVersionsSchema = z.object({ items: z.array(versionSchema) });
export type PolicyVersions = z.infer<typeof policyVersionsSchema>;

export const policyVersionParams = z.object({
  version: z.coerce
    .number()
    .int()
    .min(1)
    .max(2 ** 31 - 1),
});
/** A version with what it changed against the one before, as the history says it. */
export const policyVersionSchema = versionSchema.omit({ rules: true }).extend({
  policy: shownPolicySchema,
  changes: z.record(z.string(), z.unknown()),
});
export type PolicyVersion = z.infer<typeof policyVersionSchema>;

/**
 * What is short of people in a stage. `too_few`: it can't be full. `too_few_now`: it can't be full until somebody is back. `no_spare`:
 * it can't be full where one of them asked for the task, or leaves.
 */
const peopleWarningSchema = z.enum(["too_few", "too_few_now", "no_spare"]);
export type PeopleWarning = z.infer<typeof peopleWarningSchema>;

export const policyCheckSchema = z.object({
  /** What keeps the policy from being saved; none: it can be. */
  problems: z.array(z.object({ field: z.string(), message: z.string() })),
  /** Of a policy without problems: stages with no voter to spare. `people`: the names of all who could vote there. */
  warnings: z.array(
    z.object({
      field: z.string(),
      rule: z.string(),
      stage: z.string(),
      warning: peopleWarningSchema,
      people: z.array(z.string()),
    }),
  ),
});
export type PolicyCheck = z.infer<typeof policyCheckSchema>;

const deciderSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  /** Null: here. `partly`: for some servers or tools only. `standIns`: who votes for them meanwhile. */
  away: z.object({ until: z.iso.datetime(), partly: z.boolean(), standIns: z.array(z.string()) }).nullable(),
});
export type Decider = z.infer<typeof deciderSchema>;

/** Who could vote now, by rule and stage, of the policy in force. */
export const decidersSchema = z.object({
  version: z.number(),
  rules: z.array(
    z.object({
      name: z.string(),
      stages: z.array(
        z.object({
          name: z.string(),
          need: z.number(),
          people: z.array(deciderSchema),
          /** People who are added by escalation and are not among `people`. */
          later: z.object({ after: z.string(), people: z.array(deciderSchema) }).nullable(),
          /** Null: there are enough. */
          warning: peopleWarningSchema.nullable(),
        }),
      ),
    }),
  ),
});
export type Deciders = z.infer<typeof decidersSchema>;
