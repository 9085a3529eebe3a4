import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { beforeSchema } from "../../agents/agent-schema.ts";

/** Longest condition, in characters. lib/text/rules bounds it again where it is read. */
const MOST_CHARACTERS = 2_000;
const MOST_RULES = 100;

/** A misspelled property would change which calls a rule is about, so it is refused. */
const callRuleSchema = z.strictObject({
  name: z.string().trim().min(1, "Name the rule").max(100, "At most 100 characters"),
  /** A condition in CEL; null: every call. */
  when: z
    .string()
    .trim()
    .max(MOST_CHARACTERS, `At most ${MOST_CHARACTERS} characters`)
    .nullable()
    .default(null)
    .transform((text) => text || null),
  /** Servers whose calls the rule is about; none: of all. */
  servers: z.array(z.uuid()).max(100, "At most 100 servers").default([]),
  /** Names of the tools that the rule is about; none: all. */
  tools: z.array(z.string().trim().min(1).max(256)).max(200, "At most 200 tools").default([]),
  before: beforeSchema,
});
export type CallRule = z.infer<typeof callRuleSchema>;

/** Most characters of all rules together, as JSON: every version is kept. */
const MOST_CHARACTERS_OF_ALL = 128 * 1024;

/** The rules in their order: the first one that matches a call decides. */
export const callRulesInputSchema = z.strictObject({
  rules: z
    .array(callRuleSchema)
    .max(MOST_RULES, `At most ${MOST_RULES} rules`)
    .superRefine((rules, context) => {
      for (const [at, { name }] of rules.entries())
        if (rules.findIndex((rule) => rule.name === name) !== at)
          context.addIssue({ code: "custom", path: [at, "name"], message: "Another rule has this name" });
      if (JSON.stringify(rules).length > MOST_CHARACTERS_OF_ALL)
        context.addIssue({ code: "custom", path: [], message: "The rules are too long together" });
    }),
});
export type CallRulesInput = z.infer<typeof callRulesInputSchema>;

/** A tool or server that a rule names and that is not there, by its place among the rules: `rules.0.tools.1`. */
const warningsSchema = z.array(z.object({ field: z.string(), message: z.string() }));

export const callRulesSchema = z.object({
  /** Counts the changes of the list; 0: it was never changed. */
  version: z.number(),
  rules: z.array(
    z.object({
      name: z.string(),
      when: z.string().nullable(),
      servers: z.array(z.string()),
      tools: z.array(z.string()),
      before: beforeSchema,
    }),
  ),
  changedAt: z.iso.datetime().nullable(),
  changedBy: actorSchema.nullable(),
  warnings: warningsSchema,
});
export type CallRules = z.infer<typeof callRulesSchema>;

/** Why a call is let through, asked about or refused. */
const REASONS = ["rule", "rule_failed", "grant", "tool_changed", "no_rule"] as const;
const verdictSchema = z.object({
  before: beforeSchema,
  /** The rule that decided, and its version. */
  rule: z.object({ name: z.string(), version: z.number() }).nullable(),
  why: z.enum(REASONS),
  /** What kept a rule from being read (`rule_failed`), for who wrote it. */
  failure: z.string().nullable(),
});
export type Verdict = z.infer<typeof verdictSchema>;

/** What rules would have meant for calls that were made. */
export const triedCallsSchema = z.object({
  calls: z.array(
    z.object({
      taskId: z.uuid(),
      serverName: z.string(),
      tool: z.string(),
      label: z.string().nullable(),
      createdAt: z.iso.datetime(),
      requestedBy: actorSchema,
      verdict: verdictSchema,
    }),
  ),
  warnings: warningsSchema,
});
export type TriedCalls = z.infer<typeof triedCallsSchema>;
