/** Approvals for a while: they let calls pass that are like a call that a person approved, within bounds. */
import { z } from "zod";
import { actorSchema, personSchema } from "../../access/access-schema.ts";
import { pageQuerySchema } from "../../base/page.ts";

const MINUTE_MS = 60_000;
const MOST_FOR_MS = 24 * 60 * MINUTE_MS;

/** The bounds, as an approver gives them along with a yes. */
export const standingInputSchema = z.strictObject({
  /** How long calls pass, counted from the answer. */
  forMs: z.int().min(MINUTE_MS).max(MOST_FOR_MS),
  /** How many calls may pass. If missing: all calls within `forMs`. */
  uses: z.int().min(1).max(1_000).optional(),
  /** Arguments that may differ from those of the approved call, by their names. All others have to be the same. */
  except: z.array(z.string().min(1).max(200)).max(50).default([]),
  /** The largest amount that a call may have. */
  mostAmount: z.number().gt(0).lt(1e15).optional(),
});
export type StandingInput = z.infer<typeof standingInputSchema>;

const standingStateSchema = z.enum([
  "pending",
  "active",
  "unusable",
  "used_up",
  "expired",
  "ended",
  "revoked",
]);
export type StandingState = z.infer<typeof standingStateSchema>;

/**
 * Why no call can pass by it now. `agent_ended`: its time is over, or its member left. `tool_changed`: also if the server no longer
 * lists the tool. `second_person`: the organization requires one, and the person who gave it counts as one person with the agent's.
 * `call_not_made`: the call that was approved with it, such as one whose tool had changed by then.
 */
const unusableSchema = z.enum([
  "agent_revoked",
  "agent_ended",
  "not_granted",
  "second_person",
  "tool_changed",
  "call_not_made",
]);
export type Unusable = z.infer<typeof unusableSchema>;

const timestamp = z.iso.datetime();

export const standingApprovalSchema = z.object({
  id: z.uuid(),
  /**
   * `pending`: the answer can still be taken back. `unusable`: see `unusable`. `ended`: the person who gave it has no right
   * to approve any more.
   */
  state: standingStateSchema,
  /** Null in every other state. Some reasons can pass, such as a grant that is given again. */
  unusable: unusableSchema.nullable(),
  agent: personSchema,
  server: z.object({ id: z.uuid(), name: z.string() }),
  tool: z.string(),
  /** Arguments of the approved call. Other calls are compared with them. */
  arguments: z.record(z.string(), z.unknown()),
  except: z.array(z.string()),
  mostAmount: z.number().nullable(),
  by: actorSchema,
  comment: z.string().nullable(),
  inputRequestId: z.uuid(),
  createdAt: timestamp,
  expiresAt: timestamp,
  uses: z.number(),
  mostUses: z.number().nullable(),
  revokedAt: timestamp.nullable(),
  revokedBy: actorSchema.nullable(),
});
export type StandingApproval = z.infer<typeof standingApprovalSchema>;

export const standingQuerySchema = pageQuerySchema.extend({ agentId: z.uuid().optional() });
export type StandingQuery = z.infer<typeof standingQuerySchema>;
