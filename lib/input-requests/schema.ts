import { z } from "zod";
import { formSchema } from "../mcp/form.ts";
import { actorSchema, personSchema } from "../members/schema.ts";
import { eraSchema } from "../servers/schema.ts";
import { progressSchema, taskStateSchema } from "../tasks/schema.ts";

export const REQUEST_STATES = [
  "open",
  "answered",
  "settled",
  "withdrawn",
  "expired",
  "undeliverable",
] as const;
export const requestStateSchema = z.enum(REQUEST_STATES);
export type RequestState = z.infer<typeof requestStateSchema>;

export const DELIVERY_STATES = [
  "held",
  "pending",
  "sending",
  "accepted",
  "confirmed",
  "undone",
  "failed",
] as const;
export const deliveryStateSchema = z.enum(DELIVERY_STATES);
export type DeliveryState = z.infer<typeof deliveryStateSchema>;

export const actionSchema = z.enum(["accept", "decline", "cancel"]);
export type Action = z.infer<typeof actionSchema>;

const content = z.record(z.string(), z.unknown());

export const answerInputSchema = z.strictObject({
  action: actionSchema,
  content: content.optional(),
  comment: z.string().trim().max(4000).optional(),
  /** The hash of the question that was on the screen: an answer binds to exactly that text and schema. */
  questionHash: z.string().regex(/^[0-9a-f]{64}$/),
  holdMs: z.int().min(0).max(60_000).optional(),
});
export type AnswerInput = z.infer<typeof answerInputSchema>;

export const assignInputSchema = z.strictObject({ memberId: z.uuid().nullable() });
/** Replaces the caller's draft; one that holds nothing is thrown away. */
export const draftInputSchema = z.strictObject({ content, comment: z.string().max(4000).optional() });
export type DraftInput = z.infer<typeof draftInputSchema>;

const timestamp = z.iso.datetime();

/** What a person has filled in so far; nothing is ever sent from it. */
export const draftSchema = z.object({ content, comment: z.string().nullable(), savedAt: timestamp });
export type Draft = z.infer<typeof draftSchema>;

export const deliverySchema = z.object({
  state: deliveryStateSchema,
  attempts: z.number(),
  deliverAfter: timestamp,
  sentAt: timestamp.nullable(),
  acceptedAt: timestamp.nullable(),
  confirmedAt: timestamp.nullable(),
  flagged: z.boolean(),
  error: z.string().nullable(),
});

export const answerSchema = z.object({
  action: actionSchema,
  content: content.nullable(),
  comment: z.string().nullable(),
  by: actorSchema,
  at: timestamp,
});

export const inputRequestSchema = z.object({
  id: z.uuid(),
  state: requestStateSchema,
  taskId: z.uuid(),
  server: z.object({ id: z.uuid(), name: z.string() }),
  tool: z.string(),
  /** As on the task: a short name from the arguments. */
  label: z.string().nullable(),
  mode: z.enum(["form", "url"]),
  message: z.string(),
  requestedBy: actorSchema,
  assignedTo: personSchema.nullable(),
  claimedBy: personSchema.extend({ at: timestamp }).nullable(),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  /** The server put the same question again after an answer was confirmed. */
  askedAgain: z.boolean(),
  answer: answerSchema.nullable(),
  delivery: deliverySchema.nullable(),
});
export type InputRequestSummary = z.infer<typeof inputRequestSchema>;

export const inputRequestDetailSchema = inputRequestSchema.extend({
  server: inputRequestSchema.shape.server.extend({
    /** The server was seen to take questions back by itself after this long; null: not known. */
    questionLifetimeMs: z.number().nullable(),
  }),
  arguments: z.record(z.string(), z.unknown()),
  era: eraSchema.nullable(),
  /** The server's requestedSchema as received. */
  schema: z.unknown(),
  fields: formSchema,
  url: z.string().nullable(),
  questionHash: z.string(),
  /** The question that this one replaced, for showing the difference. */
  previous: z.object({ message: z.string(), schema: z.unknown(), url: z.string().nullable() }).nullable(),
  /** The caller's own draft. */
  draft: draftSchema.nullable(),
  /** Why a request that is no longer open ended, e.g. `replaced`, `task_ended`, `task_cancelled`. */
  endedReason: z.string().nullable(),
  task: z.object({
    state: taskStateSchema,
    statusMessage: z.string().nullable(),
    cancelRequestedAt: timestamp.nullable(),
    expiresAt: timestamp.nullable(),
    progress: progressSchema.nullable(),
    durable: z.boolean(),
    adopted: z.boolean(),
  }),
  /** In whose name the answer goes out: null = the organization's shared connection. */
  connectionOwner: personSchema.nullable(),
  /** Who alone may open the site of a URL question and say that it is done; null = everybody who may answer. */
  urlOwner: personSchema.nullable(),
  /** The tool's own untrusted claim; null when unknown. */
  destructive: z.boolean().nullable(),
});
export type InputRequestDetail = z.infer<typeof inputRequestDetailSchema>;

export const requestListQuerySchema = z.object({
  state: z
    .string()
    .optional()
    .transform((value) => value?.split(",").filter(Boolean))
    .pipe(z.array(requestStateSchema).optional()),
  taskId: z.uuid().optional(),
  serverId: z.uuid().optional(),
  q: z.string().max(200).optional(),
  assignee: z.enum(["me", "none"]).optional(),
  /** Oldest first unless said otherwise. */
  order: z.enum(["oldest", "newest"]).optional(),
});
export type RequestListQuery = z.infer<typeof requestListQuerySchema>;
