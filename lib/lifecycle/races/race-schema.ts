import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { MAX_TTL_MS, startTaskSchema, taskSchema } from "../../tasks/task-schema.ts";

const RACE_STATES = ["running", "won", "failed"] as const;
export const raceStateSchema = z.enum(RACE_STATES);
export type RaceState = z.infer<typeof raceStateSchema>;

export const FEWEST_STARTS = 2;
export const MOST_STARTS = 10;

/** One call on several servers at once. The first success counts, and the other tasks are cancelled. */
export const startRaceSchema = z.strictObject({
  starts: z
    .array(startTaskSchema.pick({ serverId: true, tool: true, arguments: true, acknowledgeToolChange: true }))
    .min(FEWEST_STARTS)
    .max(MOST_STARTS),
  /** The time limit of each task. */
  ttlMs: z.int().min(1_000).max(MAX_TTL_MS).optional(),
});
export type StartRaceInput = z.input<typeof startRaceSchema>;

export const raceSchema = z.object({
  id: z.uuid(),
  /** `failed`: all tasks ended without success. */
  state: raceStateSchema,
  winnerTaskId: z.uuid().nullable(),
  requestedBy: actorSchema,
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  /** In the order of the starts, without those that the caller may not see. */
  tasks: z.array(taskSchema),
});
export type Race = z.infer<typeof raceSchema>;
