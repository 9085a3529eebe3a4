import { z } from "zod";
import { DELIVERY_RESULTS, FAILURE_KINDS, OPEN_STATES, RUNGS } from "./measures.ts";

export const RANGES = ["24h", "7d", "30d"] as const;
const rangeSchema = z.enum(RANGES);
export type Range = z.infer<typeof rangeSchema>;
/** Returns the named range, or the last day by default. */
export function readRange(named: string | null | undefined): Range {
  return RANGES.find((range) => range === named) ?? "24h";
}
export const overviewQuerySchema = z.object({ range: rangeSchema.default("24h") });

const HOUR = 3600_000;

/** The steps of each range, and the stretches that they sum up. A step is a multiple of a stretch. */
export const RANGE_STEPS = {
  "24h": { stretch: 1, stepMs: HOUR, steps: 24 },
  "7d": { stretch: 6, stepMs: 6 * HOUR, steps: 28 },
  "30d": { stretch: 6, stepMs: 24 * HOUR, steps: 30 },
} as const satisfies Record<Range, { stretch: 1 | 6; stepMs: number; steps: number }>;

/** Limits the count of open requests. */
export const MOST_WAITING = 10_001;

const count = z.number();
const serverRef = z.object({ id: z.uuid(), name: z.string() });
const endedSchema = z.object({
  completed: count,
  failed: count,
  cancelled: count,
  lost: count,
  expired: count,
});
/** Time from question to answer in ms, accurate to a fifth; null without answers. */
const decisionsSchema = z.object({ count, p50Ms: z.number().nullable(), p90Ms: z.number().nullable() });
export type Decisions = z.infer<typeof decisionsSchema>;

const stepSchema = z.object({
  at: z.iso.datetime(),
  started: count,
  ended: endedSchema,
  /** Average number of open tasks in the step, by state; null without samples. */
  open: z.record(z.enum(OPEN_STATES), z.number()).nullable(),
});
export type Step = z.infer<typeof stepSchema>;

const serverFiguresSchema = z.object({
  server: serverRef,
  /** Current number of open tasks, by state. */
  open: z.record(z.enum(OPEN_STATES), count),
  started: count,
  ended: endedSchema,
  decisions: decisionsSchema,
  failureKinds: z.partialRecord(z.enum(FAILURE_KINDS), count),
});
export type ServerFigures = z.infer<typeof serverFiguresSchema>;

const deliverySchema = z.object({
  rung: z.enum(RUNGS),
  ...(Object.fromEntries(DELIVERY_RESULTS.map((result) => [result, count])) as Record<
    (typeof DELIVERY_RESULTS)[number],
    typeof count
  >),
});
export type DeliveryFigures = z.infer<typeof deliverySchema>;

/** Time that something took in the median, in ms, accurate to a fifth; null without any. */
const took = { clockMs: z.number().nullable(), workMs: z.number().nullable() };
const ruleSchema = z.object({
  rule: z.string(),
  /** Open requests, at most 10001 of all rules, on which people should have decided by now. */
  overdue: count,
  /** Decisions. `due`: those that had a due time; `within`: those of them that were in time. */
  count,
  due: count,
  within: count,
  ...took,
  /** How long each stage was open, by name. `count`: decisions in which it had a vote. */
  stages: z.array(z.object({ stage: z.string(), count, ...took })),
});
export type RuleFigures = z.infer<typeof ruleSchema>;

const engineSchema = z.object({
  /** The start of the id, long enough to tell engines apart. */
  id: z.string(),
  startedAt: z.iso.datetime(),
  seenAt: z.iso.datetime(),
  /** Number of this organization's connections that the engine watches. */
  leases: count,
  /** 99th percentile of the lateness of steps in the last minute, in ms; null without steps. */
  latenessMs: z.number().nullable(),
});
export type EngineFigures = z.infer<typeof engineSchema>;

/** What a rule of the policy answered by itself, and how often people decided as it did, or would have, and otherwise. */
const automaticSchema = z.object({ rule: z.string(), answered: count, agreed: count, disagreed: count });

/** How calls of agents were decided, at `/mcp` and by hooks. Calls that still wait for people are in none of them. */
const agentCallsSchema = z.object({
  /** Made at once: by a call rule, or as the agent was granted the tool. */
  byRule: count,
  byStandingApproval: count,
  byPerson: count,
  /** By a rule or a person, or because nobody approved in time. */
  refused: count,
});
export type AgentCalls = z.infer<typeof agentCallsSchema>;

/**
 * Statistics of a whole organization. Private tasks are counted but not named. `now` is counted at the call;
 * all else was summed up when it happened.
 */
export const overviewSchema = z.object({
  range: rangeSchema,
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  stepMs: z.number(),
  now: z.object({
    open: z.record(z.enum(OPEN_STATES), count),
    /** Open requests, at most 10001, which means more than ten thousand. */
    waiting: count,
    oldestWaitingAt: z.iso.datetime().nullable(),
    /** Those of them on which people should have decided by now, at most 10001. */
    overdue: count,
  }),
  decisions: decisionsSchema,
  /** Oldest first; the last step is still running. */
  steps: z.array(stepSchema),
  /** Servers with an open task or any count, including removed ones. */
  servers: z.array(serverFiguresSchema),
  deliveries: z.array(deliverySchema),
  /** Rules of the policy with a decision, or with what is overdue, at most 100; that with the most decisions first. */
  rules: z.array(ruleSchema),
  /** Of rules with any decision in this time, at most 50. */
  automatic: z.array(automaticSchema),
  agentCalls: agentCallsSchema,
  engines: z.array(engineSchema),
});
export type Overview = z.infer<typeof overviewSchema>;
