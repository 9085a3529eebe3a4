import { z } from "zod";
import { personSchema, roleSchema } from "../access/access-schema.ts";
import { createKeySchema } from "../people/api-keys/api-key-schema.ts";
import { beforehand } from "../text/schemas/bounded.ts";
import { HOOK_PROGRAMS, type HookProgram } from "./hook-programs.ts";

const name = z.string().trim().min(1, "Name the agent").max(80, "Use at most 80 characters");
const MOST_GRANTS = 500;
const MOST_TOOLS = 1_000;

/** The roles of agents: none answers, manages or sees what it did not start, so that a stronger one would give nothing. */
const agentRoleSchema = z.enum(["viewer", "approver", "operator"], "An agent’s role is at most operator");

/** The longest time for which a call is held open; what hangs up earlier chooses a shorter one. */
const MOST_HOLD_MS = 210_000;
const holdMs = z
  .int()
  .min(0)
  .max(MOST_HOLD_MS, `At most ${MOST_HOLD_MS / 1000} seconds`)
  .nullable();

/** What comes before a call: nothing, a person's approval, or the call is not made. From the least to the most. */
export const BEFORE = ["allow", "ask", "deny"] as const;
export const beforeSchema = z.enum(BEFORE);
export type Before = z.infer<typeof beforeSchema>;

const grantSchema = z.strictObject({
  serverId: z.uuid("Choose a server"),
  /** Without: all tools of the server, also those to come, which ask until an admin has looked at them. */
  tool: z.string().min(1).max(256).optional(),
  /** Without: nothing comes before. */
  before: beforeSchema.optional(),
  /** Without: as the agent has it. */
  askAgentToo: z.boolean().optional(),
  /** Digests of tools that changed since they were granted, as somebody has seen them: these are granted as they are now. */
  accept: z
    .array(z.string().regex(/^[0-9a-f]{64}$/))
    .max(MOST_TOOLS)
    .optional(),
});
export type GrantInput = z.infer<typeof grantSchema>;

/** Most digests of all grants together. */
const MOST_ACCEPTED = 5_000;
const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);
const acceptedIn = (given: object) =>
  Object.values(given).reduce(
    (sum: number, each) => sum + lengthOf((each as { accept?: unknown } | null)?.accept),
    0,
  );

const grants = beforehand(
  (given) => (acceptedIn(given) > MOST_ACCEPTED ? `At most ${MOST_ACCEPTED} changes at once` : null),
  z.array(grantSchema).max(MOST_GRANTS),
).superRefine((all, context) => {
  const seen = new Set<string>();
  for (const [index, { serverId, tool }] of all.entries()) {
    const key = JSON.stringify([serverId, tool ?? null]);
    if (seen.has(key)) context.addIssue({ code: "custom", path: [index], message: "This is granted twice" });
    seen.add(key);
  }
});

/** `holdMs`: null or none: as the client's name suggests. `expires`: as an API key's, in 90 days unless named. */
export const createAgentSchema = z.strictObject({
  name,
  role: agentRoleSchema.optional(),
  grants: grants.optional(),
  holdMs: holdMs.optional(),
  /** A client that can ask its own user does so too, and the first answer counts. */
  askAgentToo: z.boolean().optional(),
  expires: createKeySchema.shape.expires,
});
export type CreateAgent = z.infer<typeof createAgentSchema>;

/** `grants`: all of them, in place of those of before. */
export const updateAgentSchema = z
  .strictObject({ name, grants, holdMs, askAgentToo: z.boolean() })
  .partial()
  .refine((input) => Object.keys(input).length > 0, "Name what to change");
export type UpdateAgent = z.infer<typeof updateAgentSchema>;

/** `expires`: when the new secret ends, as of `createAgentSchema`. */
export const rotateAgentSchema = createAgentSchema.pick({ expires: true });
export type RotateAgent = z.infer<typeof rotateAgentSchema>;

export const tryHookSchema = z.strictObject({
  program: z.enum(Object.keys(HOOK_PROGRAMS) as [HookProgram, ...HookProgram[]]),
});

/** `reason`: the rule, in Intray's words. */
export const triedHookSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("asked"), inputRequestId: z.uuid() }),
  z.object({ outcome: z.enum(["allowed", "denied"]), reason: z.string() }),
]);
export type TriedHook = z.infer<typeof triedHookSchema>;

const agentGrantSchema = z.object({
  serverId: z.uuid(),
  serverName: z.string(),
  tool: z.string().nullable(),
  before: beforeSchema.nullable(),
  askAgentToo: z.boolean().nullable(),
  /**
   * Tools that ask, since they are not as they were granted. `digest`: of the tool as listed now; `grantedDigest`: as it was
   * granted, null where `isNew`: the server did not have it then. An answer names at most 5,000, shared by its agents.
   */
  changed: z.array(
    z.object({
      tool: z.string(),
      digest: z.string(),
      grantedDigest: z.string().nullable(),
      isNew: z.boolean(),
    }),
  ),
});
export type AgentGrant = z.infer<typeof agentGrantSchema>;

export const agentSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  role: roleSchema,
  /** The member who signed it in, as whom it acts; null: it has a secret, and acts in its own name. */
  member: personSchema.nullable(),
  /** Null: the command line. */
  createdBy: personSchema.nullable(),
  createdAt: z.iso.datetime(),
  /** `expiring`: within 14 days. */
  state: z.enum(["active", "expiring", "expired"]),
  expiresAt: z.iso.datetime().nullable(),
  holdMs: z.int().nullable(),
  askAgentToo: z.boolean(),
  /** What the program says of itself, which nobody has proved; null: it was never there. */
  client: z.object({ name: z.string(), version: z.string().nullable() }).nullable(),
  firstSeenAt: z.iso.datetime().nullable(),
  /** To the minute, as `calls` is. */
  lastSeenAt: z.iso.datetime().nullable(),
  lastSeenNetwork: z.string().nullable(),
  calls: z.int(),
  /** Its tasks that have not ended, and those of them that wait for a person. */
  openTasks: z.int(),
  waitingTasks: z.int(),
  grants: z.array(agentGrantSchema),
});
export type Agent = z.infer<typeof agentSchema>;

/** The only answer that holds the secret; just its hash is stored. */
export const newAgentSchema = agentSchema.extend({ secret: z.string() });
export type NewAgent = z.infer<typeof newAgentSchema>;
