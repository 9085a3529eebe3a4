import { z } from "zod";
import { FAILURE_CLASSES } from "./counts.ts";

/** `successRate` is between 0 and 1. Latencies are of answered calls, in ms. Both are null without calls. */
export const callsSchema = z.object({
  calls: z.number(),
  failed: z.number(),
  successRate: z.number().nullable(),
  p50Ms: z.number().nullable(),
  p90Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
});
export type Calls = z.infer<typeof callsSchema>;

export const RANGES = ["1h", "24h", "7d"] as const;
export type Range = (typeof RANGES)[number];
export const statsQuerySchema = z.object({ range: z.enum(RANGES).default("24h") });

/** The engine's calls to one server over time, including steps without calls. */
export const serverStatsSchema = callsSchema.extend({
  range: z.enum(RANGES),
  stepMs: z.number(),
  failures: z.record(z.enum(FAILURE_CLASSES), z.number()),
  /** Oldest first; the last step is still running. */
  steps: z.array(callsSchema.extend({ at: z.iso.datetime() })),
});
export type ServerStats = z.infer<typeof serverStatsSchema>;
