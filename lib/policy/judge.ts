/** Judges a request by a policy: who has to agree on it. Pure. docs/decisions/068 says why it fails closed. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { Budget } from "../text/rules/budget.ts";
import { RuleFailure } from "../text/rules/language.ts";
import type { Calendar } from "./calendar/calendar-schema.ts";
import { addWorkingTime } from "./calendar/working-time.ts";
import { type AskedRequest, factsOf, policyLanguage } from "./facts.ts";
import type { Policy, PolicyRule, PolicyStage } from "./policy-schema.ts";
import { addressesOf, type GroupIds, organizationsGroups, type People } from "./problems.ts";

/**
 * A group of the organization. Its members are looked up at each view and each vote. `name` is the name in the
 * policy.
 */
const groupsSchema = z.array(z.object({ id: z.string(), name: z.string() })).default([]);

const stageSchema = z.object({
  name: z.string(),
  roles: z.array(z.string()),
  /** Ids of users, including the members of the policy's own groups at the time when it was saved. */
  people: z.array(z.string()),
  groups: groupsSchema,
  need: z.int(),
  rejections: z.int(),
  stepUp: z.boolean(),
  requireReason: z.array(z.enum(["approve", "reject"])),
  /**
   * Times such as `4h`, from when the stage opens. Requests of an earlier version have no reminders here, so none are
   * sent.
   */
  remind: z.array(z.string()).default([]),
  /** Who is also asked, and when. */
  escalations: z
    .array(
      z.object({
        after: z.string(),
        roles: z.array(z.string()),
        people: z.array(z.string()),
        groups: groupsSchema,
      }),
    )
    .default([]),
  /** What timers did, in words: whom they reminded, and who was asked too. */
  reminded: z.array(z.object({ at: z.string(), of: z.array(z.string()) })).default([]),
  escalated: z.array(z.object({ at: z.string(), to: z.array(z.string()) })).default([]),
});
export type ApprovalStage = z.infer<typeof stageSchema>;

/** What a request keeps of the rule under which it was asked. */
export const approvalSchema = z.object({
  /** The name of the first rule in `rules`. */
  rule: z.string(),
  /**
   * Names of all rules whose stages the request has. Empty in requests of an earlier version, which have only `rule`.
   */
  rules: z.array(z.string()).default([]),
  version: z.int(),
  /** Whether who asked for the task may vote. */
  requester: z.enum(["excluded", "allowed"]),
  dueAt: z.string().nullable(),
  /** All due times, counted from `askedAt`. `dueAt` is the earliest of them. */
  due: z.array(z.string()).default([]),
  askedAt: z.string().nullable().default(null),
  /** `rule`: the rule that says so. Null in requests of an earlier version, where it is the `rule` above. */
  expire: z
    .object({ after: z.string(), cancels: z.boolean(), rule: z.string().nullable().default(null) })
    .nullable()
    .default(null),
  /**
   * The request does not expire before this time. Set once, by the first undo after which people have too little
   * time.
   */
  putOffTo: z.string().nullable().default(null),
  /** When the request expired by `expire`. After this, nobody is reminded. */
  lapsedAt: z.string().nullable().default(null),
  /** Rules that could not be applied to the request, and why: their stages count as if they had matched. */
  failed: z.array(z.object({ rule: z.string(), why: z.string() })),
  stages: z.array(stageSchema).min(1),
  /** The open stage: who may vote in it, and who has voted. Stored for lists, which are read with SQL. */
  open: z.object({
    stage: z.int(),
    roles: z.array(z.string()),
    people: z.array(z.string()),
    /** Ids of groups of the organization. */
    groups: z.array(z.string()).default([]),
    voted: z.array(z.string()),
    /** When the stage opened. */
    since: z.string().nullable().default(null),
    /** Those whose vote is missing were reminded since then. */
    reminded: z.boolean().default(false),
  }),
});
export type Approval = z.infer<typeof approvalSchema>;

interface PolicyInForce {
  version: number;
  policy: Policy;
  people: People;
  groups: GroupIds;
  /** Null: all time is working time. */
  calendar?: Calendar | null;
}

/**
 * The first rule that matches decides. A rule that can't be applied counts as a rule that matches, and the search
 * continues. Its stages come first, then those of the rule that matches. Stages of the same people are merged
 * (`withStages`). So no request needs fewer people because a rule failed, whatever the rule would have said. Null:
 * any one approver.
 */
export function judgePolicy(
  { version, policy, people, groups, calendar = null }: PolicyInForce,
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
  const stages = taken.reduce<ApprovalStage[]>(
    (sum, rule) => withStages(sum, rule, policy, { people, groups }),
    [],
  );
  const askedAt = asked.now.toISOString();
  const due = [...new Set(taken.flatMap((rule) => rule.due ?? []))];
  return {
    rule: first.name,
    rules: taken.map(({ name }) => name),
    version,
    requester: taken.some(({ requester }) => requester === "excluded") ? "excluded" : "allowed",
    dueAt: dueAtOf({ due, askedAt }, calendar),
    due,
    askedAt,
    // Only a rule that matched can set the expiry, not a rule that could not be applied.
    expire: taken.length > failed.length ? endOf(taken.at(-1)!) : null,
    putOffTo: null,
    lapsedAt: null,
    failed: failed.slice(0, MOST_FAILURES),
    stages,
    open: {
      stage: 0,
      roles: stages[0]!.roles,
      people: stages[0]!.people,
      groups: stages[0]!.groups.map(({ id }) => id),
      voted: [],
      since: askedAt,
      reminded: false,
    },
  };
}

const MOST_WORDS = 200;
/** Maximum number of failures whose words a request stores. */
const MOST_FAILURES = 5;

function holds(when: string, facts: ReturnType<typeof factsOf>, budget: Budget): boolean {
  const read = policyLanguage.read(when);
  // The condition could be read when it was saved, but not by this version of Intray.
  if ("problem" in read) throw new RuleFailure(read.problem.message);
  return read.condition.holds(facts, budget);
}

/**
 * The stages of a rule after those of rules before it. Merges a stage of this rule with a stage of an earlier rule if
 * both are of the same people. The merged stage asks what both ask. Two stages of one rule never go into the same
 * stage. The order in a rule stays, so that nobody's turn is lost.
 */
function withStages(
  sum: ApprovalStage[],
  rule: PolicyRule,
  policy: Policy,
  meant: { people: People; groups: GroupIds },
): ApprovalStage[] {
  const stages = [...sum];
  /** After the last stage into which a stage of this rule was merged. */
  let from = 0;
  /** Stages of this rule that come before its next one. */
  let waiting: ApprovalStage[] = [];
  for (const stage of rule.stages) {
    const { name, approvers, need, rejections, stepUp, requireReason, remind, escalate } = stage;
    const approversOf = (named: PolicyStage["approvers"]) => ({
      roles: named.roles,
      people: [
        ...new Set(addressesOf(policy, named).flatMap((address) => meant.people[address] ?? [])),
      ].sort(),
      groups: [...new Set(organizationsGroups(policy, named))]
        .sort()
        .flatMap((name) => (Object.hasOwn(meant.groups, name) ? [{ id: meant.groups[name]!, name }] : [])),
    });
    const added: ApprovalStage = {
      name: [...stages, ...waiting].some((other) => other.name === name) ? `${name} (${rule.name})` : name,
      ...approversOf(approvers),
      ...{ need, rejections, stepUp, requireReason, remind },
      escalations: escalate ? [{ after: escalate.after, ...approversOf(escalate.to) }] : [],
      reminded: [],
      escalated: [],
    };
    const key = peopleKey(added);
    const at = stages.findIndex((other, place) => place >= from && peopleKey(other) === key);
    if (at === -1) {
      waiting.push(added);
      continue;
    }
    stages.splice(at, 1, ...waiting, both(stages[at]!, added));
    from = at + waiting.length + 1;
    waiting = [];
  }
  return [...stages, ...waiting];
}

/** The keys of stages, each made once: where no rule can be applied, all stages of a policy are compared. */
const keys = new WeakMap<ApprovalStage, string>();

/**
 * Is the same for stages of the same people. Covers escalations too: a rule that could not be applied must not open another rule's
 * stage to more people.
 */
function peopleKey(stage: ApprovalStage): string {
  const known = keys.get(stage);
  if (known !== undefined) return known;
  const { roles, people, groups, escalations } = stage;
  const key = createHash("sha256")
    .update(JSON.stringify([roles, people, groups, escalations]))
    .digest("hex");
  keys.set(stage, key);
  return key;
}

function both(one: ApprovalStage, other: ApprovalStage): ApprovalStage {
  return {
    ...one,
    need: Math.max(one.need, other.need),
    rejections: Math.min(one.rejections, other.rejections),
    stepUp: one.stepUp || other.stepUp,
    requireReason: [...new Set([...one.requireReason, ...other.requireReason])],
    remind: [...new Set([...one.remind, ...other.remind])],
  };
}

function endOf({ name, expire }: PolicyRule): Approval["expire"] {
  return expire && { after: expire.after, cancels: expire.then === "cancel", rule: name };
}

/** When people should have decided: the earliest of the due times; null if there are none. */
export function dueAtOf(
  { due, askedAt }: Pick<Approval, "due" | "askedAt">,
  calendar: Calendar | null,
): string | null {
  if (askedAt === null || due.length === 0) return null;
  const times = due.map((each) => addWorkingTime(calendar, new Date(askedAt), each).getTime());
  return new Date(Math.min(...times)).toISOString();
}
