/** Judges a request by a policy: who has to agree on it. Pure. docs/decisions/068 says why it fails closed. */
import { z } from "zod";
import { Budget } from "../rules/budget.ts";
import { RuleFailure } from "../rules/language.ts";
import { type AskedRequest, factsOf, policyLanguage } from "./facts.ts";
import { addressesOf, type People } from "./problems.ts";
import type { Policy, PolicyRule } from "./schema.ts";

const stageSchema = z.object({
  name: z.string(),
  roles: z.array(z.string()),
  /** Ids of users: the members of its groups when the policy was saved among them. */
  people: z.array(z.string()),
  need: z.int(),
  rejections: z.int(),
  stepUp: z.boolean(),
  requireReason: z.array(z.enum(["approve", "reject"])),
});
export type ApprovalStage = z.infer<typeof stageSchema>;

/** What a request keeps of the rule under which it was asked. */
export const approvalSchema = z.object({
  rule: z.string(),
  version: z.int(),
  /** Whether who asked for the task may vote. */
  requester: z.enum(["excluded", "allowed"]),
  dueAt: z.string().nullable(),
  /** Rules that could not be applied to the request, and why: their stages count as if they had matched. */
  failed: z.array(z.object({ rule: z.string(), why: z.string() })),
  stages: z.array(stageSchema).min(1),
  /** The stage that is open: who may vote in it, and whose vote it has. Kept for lists, which ask the database. */
  open: z.object({
    stage: z.int(),
    roles: z.array(z.string()),
    people: z.array(z.string()),
    voted: z.array(z.string()),
  }),
});
export type Approval = z.infer<typeof approvalSchema>;

interface PolicyInForce {
  version: number;
  policy: Policy;
  people: People;
}

/**
 * The first rule that matches decides. A rule that can't be applied counts as one that matches, and the search goes on: its
 * stages come first, those of the rule that matches after them. So no request needs fewer people because a rule failed,
 * whatever the rule would have said. Null: any one approver.
 */
export function judgePolicy(
  { version, policy, people }: PolicyInForce,
  asked: AskedRequest,
): Approval | null {
  const budget = new Budget();
  let facts: ReturnType<typeof factsOf> | null = null;
  const taken: PolicyRule[] = [];
  const failed: Approval["failed"] = [];
  for (const rule of policy.rules) {
    try {
      if (rule.when !== null) {
        facts ??= factsOf(asked);
        if (!holds(rule.when, facts, budget)) continue;
      }
    } catch (error) {
      if (!(error instanceof RuleFailure)) throw error;
      failed.push({ rule: rule.name, why: error.message.slice(0, MOST_WORDS) });
      taken.push(rule);
      continue;
    }
    taken.push(rule);
    break;
  }
  const [first] = taken;
  if (!first) return null;
  const stages = taken.reduce<ApprovalStage[]>((sum, rule) => withStages(sum, rule, policy, people), []);
  return {
    rule: first.name,
    version,
    requester: taken.some(({ requester }) => requester === "excluded") ? "excluded" : "allowed",
    dueAt: dueAt(taken, asked.now),
    failed: failed.slice(0, MOST_FAILURES),
    stages,
    open: { stage: 0, roles: stages[0]!.roles, people: stages[0]!.people, voted: [] },
  };
}

const MOST_WORDS = 200;
/** Failures that a request keeps the words of. */
const MOST_FAILURES = 5;

function holds(when: string, facts: ReturnType<typeof factsOf>, budget: Budget): boolean {
  const read = policyLanguage.read(when);
  // It was read when it was saved: this version of Intray reads it otherwise.
  if ("problem" in read) throw new RuleFailure(read.problem.message);
  return read.condition.holds(facts, budget);
}

/** The stages of a rule after those of rules before it. Two stages of the same people are one, which asks what both ask. */
function withStages(sum: ApprovalStage[], rule: PolicyRule, policy: Policy, people: People): ApprovalStage[] {
  const stages = [...sum];
  for (const stage of rule.stages) {
    const { name, approvers, need, rejections, stepUp, requireReason } = stage;
    const ids = addressesOf(policy, stage).flatMap((address) => people[address] ?? []);
    const added: ApprovalStage = {
      name: stages.some((other) => other.name === name) ? `${name} (${rule.name})` : name,
      roles: approvers.roles,
      people: [...new Set(ids)].sort(),
      ...{ need, rejections, stepUp, requireReason },
    };
    const at = sum.findIndex((other) => isOfSamePeople(other, added));
    if (at === -1) stages.push(added);
    else stages[at] = both(stages[at]!, added);
  }
  return stages;
}

function isOfSamePeople(one: ApprovalStage, other: ApprovalStage): boolean {
  return JSON.stringify([one.roles, one.people]) === JSON.stringify([other.roles, other.people]);
}

function both(one: ApprovalStage, other: ApprovalStage): ApprovalStage {
  return {
    ...one,
    need: Math.max(one.need, other.need),
    rejections: Math.min(one.rejections, other.rejections),
    stepUp: one.stepUp || other.stepUp,
    requireReason: [...new Set([...one.requireReason, ...other.requireReason])],
  };
}

function dueAt(rules: PolicyRule[], now: Date): string | null {
  const times = rules.flatMap(({ due }) => (due === null ? [] : [now.getTime() + durationMs(due)]));
  return times.length === 0 ? null : new Date(Math.min(...times)).toISOString();
}

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function durationMs(text: string): number {
  const [, count, unit] = /^(\d+)([wdhm])!?$/.exec(text) ?? [];
  return Number(count) * UNITS[unit ?? ""]!;
}
