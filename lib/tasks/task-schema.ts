import { z } from "zod";
import { actorSchema, personSchema } from "../access/access-schema.ts";
import { pageQuerySchema, queryTimeSchema } from "../base/page.ts";
import { connectionStateSchema } from "../servers/connections/connection-schema.ts";
import { eraSchema, pauseSchema } from "../servers/server-schema.ts";
import { candidateSchema } from "./found-task-schema.ts";
import { ATTENTION_CODES, type AttentionCode, codesOf } from "./task-attention.ts";
import { GATE_STATES, TASK_STATES } from "./task-status.ts";

export const taskStateSchema = z.enum(TASK_STATES);

/** The longest ttl that servers take without deleting the task at once (their timers are 32-bit). */
export const MAX_TTL_MS = 2_147_483_647;

/** The longest pause before another attempt. */
export const MAX_RETRY_PAUSE_MS = 24 * 3600_000;

/** Repeats a failed call as a new task. The pause doubles from attempt to attempt. */
const retrySchema = z.strictObject({
  /** Including the first one. */
  attempts: z.int().min(2).max(10),
  backoffMs: z.int().min(1_000).max(MAX_RETRY_PAUSE_MS),
  /** A result that is an error by the server's own account (`isError`) is a failure too. */
  errors: z.boolean().default(false),
  /** The caller vouches that the call can be repeated, though the server does not declare its tool so. */
  insist: z.boolean().default(false),
});
export type Retry = z.infer<typeof retrySchema>;

/** Which connection a start of a member's uses: the member's own, or the organization's shared one. */
const connectionKindSchema = z.enum(["own", "shared"]);
export type ConnectionKind = z.infer<typeof connectionKindSchema>;

const toolDigestSchema = z.string().regex(/^[0-9a-f]{64}$/, "A tool's digest");

export const startTaskSchema = z.strictObject({
  serverId: z.uuid(),
  tool: z.string().min(1).max(256),
  arguments: z.record(z.string(), z.unknown()).default({}),
  ttlMs: z.int().min(1_000).max(MAX_TTL_MS).optional(),
  retry: retrySchema.optional(),
  /**
   * The digest of the tool's text that the caller has seen. Required where the text changed since the tool
   * was used last.
   */
  acknowledgeToolChange: toolDigestSchema.optional(),
});
export type StartTaskInput = z.input<typeof startTaskSchema>;

/** Without fields: the same call again. `arguments` replace the earlier ones. */
export const restartTaskSchema = startTaskSchema
  .pick({ arguments: true, acknowledgeToolChange: true })
  .extend({
    arguments: startTaskSchema.shape.arguments.unwrap().optional(),
    /**
     * The connection that the caller agrees to, as `connection_changed` named it. Required where the restart
     * would run on another connection than the task did, or be seen by others.
     */
    acknowledgeConnectionChange: connectionKindSchema.optional(),
  })
  .default({});
export type RestartTaskInput = z.output<typeof restartTaskSchema>;

const timestamp = z.iso.datetime();
/** `pause`: meanwhile the task stays as it is and its time limit runs on. */
const serverRef = z.object({ id: z.uuid(), name: z.string(), pause: pauseSchema.nullable() });

export const progressSchema = z.object({
  progress: z.number(),
  total: z.number().nullable(),
  message: z.string().nullable(),
});

/** The rule that wants a person before a call; `before` as in the rule. */
export const gateRuleSchema = z.object({ name: z.string(), version: z.int(), before: z.string() });
export type GateRule = z.infer<typeof gateRuleSchema>;

export const gateSchema = z.object({
  state: z.enum(GATE_STATES),
  rule: gateRuleSchema.nullable(),
  expiresAt: timestamp.nullable(),
});

export const taskSchema = z.object({
  id: z.uuid(),
  state: taskStateSchema,
  statusMessage: z.string().nullable(),
  progress: progressSchema.nullable(),
  /** The task's outcome in the server's own words, e.g. `PAID`; null while the task runs. */
  outcome: z.string().nullable(),
  /** The outcome is an error by the server's own account (`isError`), though the task completed. */
  outcomeIsError: z.boolean(),
  server: serverRef,
  tool: z.string(),
  /** A short name from the arguments, e.g. `INV-100`, or the question that a program asks; null if none stands out. */
  label: z.string().nullable(),
  /** Whom the call is about, e.g. its supplier, from short arguments; null if none stands out. */
  party: z.string().nullable(),
  /** What it is about, of its newest question, else from short arguments. */
  amount: z.object({ value: z.number(), currency: z.string().nullable() }).nullable(),
  era: eraSchema.nullable(),
  requestedBy: actorSchema,
  visibility: z.enum(["private", "organization"]),
  createdAt: timestamp,
  startedAt: timestamp.nullable(),
  updatedAt: timestamp,
  finishedAt: timestamp.nullable(),
  ttlMs: z.number().nullable(),
  expiresAt: timestamp.nullable(),
  pollIntervalMs: z.number().nullable(),
  lastCheckedAt: timestamp.nullable(),
  nextCheckAt: timestamp.nullable(),
  stalled: z.boolean(),
  /** Why the task does not move, or soon needs a person. `since`: when the task last changed. */
  attention: z.object({ code: z.enum(ATTENTION_CODES), since: timestamp }).nullable(),
  /** Who looks after the stuck task; null where nobody does, or the task is not stuck. */
  acknowledgement: z.object({ by: personSchema, at: timestamp, note: z.string().nullable() }).nullable(),
  cancelRequestedAt: timestamp.nullable(),
  /** The server's last status, where it differs from `state` (e.g. still `input_required` after a cancel). */
  serverState: z.string().nullable(),
  /** `by`, `reason`: of a call that a person declined. `revise`: they ask for another call, as `reason` says. */
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      by: personSchema.optional(),
      reason: z.string().optional(),
      revise: z.boolean().optional(),
    })
    .nullable(),
  /** The approval in front of the call; null: none was asked for. */
  gate: gateSchema.nullable(),
  restartOf: z.uuid().nullable(),
  /** The race of a task started on several servers at once; GET /races/{id} returns the others. */
  raceId: z.uuid().nullable(),
  /** The number of this attempt and the most that are made: 1 of 1 where failures are not repeated. */
  attempt: z.number(),
  attempts: z.number(),
  /** The attempt before this one. */
  retryOf: z.uuid().nullable(),
  /** When this attempt may begin, while it waits. */
  nextAttemptAt: timestamp.nullable(),
  /** False: no task at the server but an open call, which ends with its connection. */
  durable: z.boolean(),
  /** Found at the server, not started from here; its tool may be `unknown`, with no arguments. */
  adopted: z.boolean(),
});
export type TaskSummary = z.infer<typeof taskSchema>;

/** `takeOver`: the time of the acknowledgement that the caller has seen, to look after the task instead. */
export const acknowledgeSchema = z.strictObject({
  note: z.string().trim().min(1).max(500).optional(),
  takeOver: timestamp.optional(),
});
export type Acknowledge = z.infer<typeof acknowledgeSchema>;

/** At most ten. */
export const attemptsSchema = z.object({ items: z.array(taskSchema) });

export const recentArgumentsQuerySchema = z.object({
  serverId: z.uuid(),
  tool: z.string().min(1).max(256),
});
export type RecentArgumentsQuery = z.infer<typeof recentArgumentsQuerySchema>;
const recentCallSchema = z.object({
  taskId: z.uuid(),
  label: z.string().nullable(),
  state: taskStateSchema,
  at: timestamp,
  arguments: z.record(z.string(), z.unknown()),
});
export type RecentArguments = z.infer<typeof recentCallSchema>;
export const recentArgumentsSchema = z.object({ items: z.array(recentCallSchema) });

/** The tool's name of an adopted task whose call is unknown. */
export const UNKNOWN_TOOL = "unknown";

export const taskDetailSchema = taskSchema.extend({
  /** What the tool is called with. */
  arguments: z.record(z.string(), z.unknown()),
  /** What was asked for, where a person changed the arguments before they approved the call; null: the same. */
  askedArguments: z.record(z.string(), z.unknown()).nullable(),
  /** The version of the recipe that `tool` names, which the task keeps; null: the tool is the server's own. */
  recipeVersion: z.int().nullable(),
  /** The tool's result as received (CallToolResult), or null. Untrusted. */
  result: z.unknown(),
  inputRequests: z.array(z.object({ id: z.uuid(), state: z.string(), message: z.string() })),
  /**
   * Questions of the server that may be this task's or another's. `message`: null where the other may be a
   * task that the caller does not see.
   */
  unattributedQuestions: z.array(
    z.object({ id: z.uuid(), message: z.string().nullable(), receivedAt: timestamp }),
  ),
  /**
   * The connection that runs the task. `owner`: the user whose own connection it is; null: the organization's
   * shared one.
   */
  connection: z.object({
    owner: personSchema.nullable(),
    state: connectionStateSchema,
    /** Until when no call is made, after failures. */
    circuitOpenUntil: timestamp.nullable(),
  }),
  /** While it is queued: earlier tasks of its connection that wait to start too, at most 1000. */
  ahead: z.number(),
  /** In `start_unknown`: tasks of the server that this start may have made. For operators; else empty. */
  candidates: z.array(candidateSchema),
  /** Tasks restarted from this one, newest first, at most 20. */
  restarts: z.array(z.object({ id: z.uuid(), state: taskStateSchema, createdAt: timestamp })),
});
export type TaskDetail = z.infer<typeof taskDetailSchema>;

export const startedTaskSchema = taskDetailSchema.extend({
  /** When the tool changed, if an API key started the task and nobody has reviewed the change yet. */
  toolChangedAt: timestamp.nullable(),
});

/** Filters of a list of tasks, of an export and of a bulk operation's selection. */
export const taskFilterSchema = z.object({
  state: z
    .string()
    .max(300)
    .optional()
    .transform((value) => value?.split(",").filter(Boolean))
    .pipe(z.array(taskStateSchema).optional()),
  /** Codes, separated by commas; `stuck`: all codes of tasks that won't move by themselves; `any`: all. */
  attention: z
    .string()
    .max(300)
    .optional()
    .transform((value) => value?.split(",").filter(Boolean).flatMap(attentionCodes))
    .pipe(z.array(z.enum(ATTENTION_CODES)).optional()),
  /** Whether a person has to act first: to answer a question, or to approve the call before it is made. */
  waiting: z.enum(["true", "false"]).optional(),
  serverId: z.uuid().optional(),
  tool: z.string().max(256).optional(),
  q: z.string().max(200).optional(),
  createdAfter: queryTimeSchema.optional(),
  createdBefore: queryTimeSchema.optional(),
  finishedAfter: queryTimeSchema.optional(),
  finishedBefore: queryTimeSchema.optional(),
  /** `me`, or the id of a member's account or of an API key. */
  requester: z.union([z.literal("me"), z.uuid()]).optional(),
  /** A cause of failure, as in `GET /tasks/failures`: among the last 5,000 failures that match the rest. */
  cause: z
    .string()
    .regex(/^[0-9a-f]{32}$/, "A cause, as in GET /tasks/failures")
    .optional(),
});
export type TaskFilter = z.infer<typeof taskFilterSchema>;

function attentionCodes(value: string): string[] {
  if (value === "any") return [...ATTENTION_CODES] satisfies AttentionCode[];
  return value === "stuck" ? codesOf("stuck") : [value];
}

/** `ended`: finished tasks only, last ended first. `expiring`: open tasks with an end, nearest first. */
const taskOrderSchema = z.enum(["newest", "oldest", "ended", "expiring"]);
export type TaskOrder = z.infer<typeof taskOrderSchema>;

export const taskListQuerySchema = taskFilterSchema.extend({ order: taskOrderSchema.optional() });
export type TaskListQuery = z.infer<typeof taskListQuerySchema>;

/** At most 10001, which means more than ten thousand. */
export const taskTotalSchema = z.object({ total: z.number() });

/**
 * Each count is at most 1001. `gated`: those of the queued tasks whose call a person has to approve first. `attention`: tasks by
 * severity. `ended`: after the given time.
 */
export const taskCountsSchema = z.object({
  counts: z.record(taskStateSchema, z.number()),
  gated: z.number(),
  attention: z.object({ stuck: z.number(), watch: z.number() }),
  ended: z.object({ completed: z.number(), failed: z.number(), lost: z.number() }),
});
export type TaskCounts = z.infer<typeof taskCountsSchema>;

/** Failures of one cause at one tool of a server. */
const failureGroupSchema = z.object({
  server: z.object({ id: z.uuid(), name: z.string() }),
  tool: z.string(),
  state: taskStateSchema,
  /** Names the code and the message, as the filter of that name takes it. */
  cause: z.string(),
  code: z.string(),
  /** The error's message; `…` stands for what differs from task to task. Untrusted. */
  message: z.string(),
  /** The message of the last of them, as it is; at most 300 characters. Untrusted. */
  lastMessage: z.string(),
  count: z.number(),
  /**
   * How many of them a bulk operation with this cause starts again: their outcome is known, or the tool
   * declares that repeating it does no harm, and nobody has started them again yet.
   */
  repeatable: z.number(),
  /** When the first and the last of them ended. */
  firstAt: timestamp,
  lastAt: timestamp,
});
export type FailureGroup = z.infer<typeof failureGroupSchema>;

/** `counted`: the failures that were read, at most 5000. At most 50 groups, the largest first. */
export const failureGroupsSchema = z.object({ counted: z.number(), items: z.array(failureGroupSchema) });
export type FailureGroups = z.infer<typeof failureGroupsSchema>;

const orderSchema = z.enum(["oldest", "newest"]).default("oldest");

export const taskEventQuerySchema = pageQuerySchema.extend({ order: orderSchema });
export type TaskEventQuery = z.infer<typeof taskEventQuerySchema>;

/**
 * What a task does for a while. `queued`: nothing has gone to the server. `waiting`: for a person.
 * `delivering`: an answer was given, and the task has not moved on with it. `earlier`: before the events that
 * were read.
 */
const PHASES = ["queued", "working", "waiting", "delivering", "earlier"] as const;
export const taskPhaseSchema = z.object({
  phase: z.enum(PHASES),
  from: timestamp,
  /** Null: until now. */
  to: timestamp.nullable(),
});
export type TaskPhase = z.infer<typeof taskPhaseSchema>;

export const taskMessageSchema = z.object({
  at: timestamp,
  direction: z.enum(["out", "in"]),
  method: z.string(),
  body: z.unknown(),
});

/** `q`: in the method or the body; case does not matter. */
export const taskMessageQuerySchema = pageQuerySchema.extend({
  order: orderSchema,
  direction: taskMessageSchema.shape.direction.optional(),
  method: z.string().max(256).optional(),
  q: z.string().max(200).optional(),
});
export type TaskMessageQuery = z.infer<typeof taskMessageQuerySchema>;
export type TaskMessage = z.infer<typeof taskMessageSchema>;
