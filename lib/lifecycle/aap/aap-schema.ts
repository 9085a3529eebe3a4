/**
 * The Agent Approval Protocol, version 1, as its objects are on the wire (agentapprovalprotocol.io). Fields that it does not
 * know are refused, and so is null.
 */
import { z } from "zod";

const JSON_CHARACTERS = 64 * 1024;
const NAME_CHARACTERS = 500;

const small = (value: unknown) => JSON.stringify(value).length <= JSON_CHARACTERS;
const json = z.record(z.string(), z.unknown()).refine(small, `At most ${JSON_CHARACTERS} characters of JSON`);

const UNITS_MS = { s: 1_000, m: 60_000, h: 3600_000 } as const;

/** `30s`, `10m`, `24h`. */
const durationSchema = z
  .string()
  .max(20)
  .regex(/^[1-9][0-9]*[smh]$/, "A whole number of seconds, minutes or hours, such as 30s, 10m or 24h");

export function durationMs(duration: string): number {
  return Number(duration.slice(0, -1)) * UNITS_MS[duration.slice(-1) as keyof typeof UNITS_MS];
}

/** One call of a tool that a program wants to make. */
export const submissionSchema = z.strictObject({
  tool: z.string().min(1).max(NAME_CHARACTERS),
  server: z.string().min(1).max(NAME_CHARACTERS).optional(),
  arguments: json,
  /** How long people have to decide. */
  timeout: durationSchema,
  /** The agent's own words. Nobody has checked them. */
  agent_reasoning: z.string().max(JSON_CHARACTERS).optional(),
  /** What the program that runs the agent knows of the call. */
  context: json.optional(),
});
export type Submission = z.output<typeof submissionSchema>;

export const waitSchema = z.object({ wait: durationSchema.optional() });

export const outcomeSchema = z.strictObject({
  status: z.enum(["succeeded", "failed"]),
  note: z.string().min(1).max(4_000).optional(),
});
export type Outcome = z.output<typeof outcomeSchema>;

const timestamp = z.iso.datetime();

/** A request. Fields without a value are left out. */
export const aapRequestSchema = z.object({
  id: z.uuid(),
  tool: z.string(),
  server: z.string().optional(),
  arguments: z.record(z.string(), z.unknown()),
  timeout: z.string(),
  agent_reasoning: z.string().optional(),
  context: z.record(z.string(), z.unknown()).optional(),
  status: z.enum(["pending", "approved", "denied", "expired", "cancelled"]),
  created_at: timestamp,
  deadline_at: timestamp,
  /** Not while it is pending. */
  decision: z
    .object({
      status: z.enum(["approved", "denied", "expired", "cancelled"]),
      note: z.string().optional(),
      decided_at: timestamp,
      /** Of an approval: when it can't be used any more. */
      expires_at: timestamp.optional(),
    })
    .optional(),
  consumption: z
    .object({
      consumed_at: timestamp,
      outcome: z
        .object({
          status: z.enum(["succeeded", "failed"]),
          note: z.string().optional(),
          reported_at: timestamp,
        })
        .optional(),
    })
    .optional(),
});
export type AapRequest = z.output<typeof aapRequestSchema>;

const deliverySchema = z.strictObject({
  type: z.literal("webhook", "Only webhooks are sent"),
  url: z
    .url({ protocol: /^https?$/, error: "Write a whole address, https://…" })
    .max(2_000)
    .refine((url) => !/^[^/]*\/\/[^/]*@|#/.test(url), "Without a name, a password and a fragment"),
  /** Made by the provisioner. The receiver knows by it which secret is meant. */
  registration_id: z.uuid(),
  /** 32 bytes, as Standard Webhooks writes them. */
  signing_secret: z
    .string()
    .max(60)
    .regex(/^whsec_[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, "whsec_ and 32 bytes in base64"),
});
export type AapDelivery = z.output<typeof deliverySchema>;

export const instanceInputSchema = z.strictObject({
  instance_name: z.string().trim().min(1).max(80).optional(),
  delivery: deliverySchema.optional(),
});
export type InstanceInput = z.output<typeof instanceInputSchema>;

export const aapInstanceSchema = z.object({
  instance: z.object({
    id: z.uuid(),
    name: z.string(),
    delivery: z.object({ type: z.literal("webhook"), url: z.string(), registration_id: z.uuid() }).optional(),
  }),
  credential: z.object({ token: z.string(), expires_at: timestamp.optional() }),
});
export type AapInstance = z.output<typeof aapInstanceSchema>;

/** A receiver's answer to the check. */
export const verificationSchema = z.strictObject({ challenge: z.string() });
