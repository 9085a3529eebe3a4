/** `tools/call`: a call becomes a task, or joins the one that it repeats, and is answered as its client can take it. */
import { setTimeout as pause } from "node:timers/promises";
import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { allows } from "../../access/key-scope.ts";
import { AppError } from "../../base/errors.ts";
import { listAgentTasks } from "../../lifecycle/agent-calls/agent-call-reads.ts";
import {
  callMetaSchema,
  cancelTaskSchema,
  getTaskSchema,
  IDEMPOTENCY_KEY,
  listTasksSchema,
  NEW,
  waitForTaskSchema,
} from "../../lifecycle/agent-calls/agent-call-schema.ts";
import { SETTLING_MS } from "../../lifecycle/agent-calls/agent-call-status.ts";
import {
  type AgentCall,
  CallSettling,
  joinCall,
  recordCall,
  recordDenied,
} from "../../lifecycle/agent-calls/agent-call-writes.ts";
import { askPersonSchema, requestApprovalSchema } from "../../lifecycle/human-tasks/human-task-schema.ts";
import { createHumanTask, type HumanCall } from "../../lifecycle/human-tasks/human-task-writes.ts";
import { startTask } from "../../lifecycle/start.ts";
import { hasEnded } from "../../tasks/task-status.ts";
import { countAgentCall } from "../auth/agent-use.ts";
import { services, within } from "../tenant.ts";
import { refusalResult, unknownTool } from "./errors.ts";
import { type Exchange, HELD } from "./exchange.ts";
import { fetchedNoted } from "./held/fetched.ts";
import { agentTask, endedResult, taskResult, unfinishedResult } from "./results.ts";
import { cancelTask, createdTask, fetchTask, readTask } from "./tasks.ts";
import { findGranted, KEEPING_NAMES } from "./tools.ts";

/** A longer one is as none: it would be kept with the call, and be in each word of progress. */
const progressTokenSchema = z
  .looseObject({ progressToken: z.union([z.string().max(1_000), z.number()]) })
  .transform(({ progressToken }) => progressToken)
  .nullable()
  .catch(null);

export async function callTool(exchange: Exchange, params: CallParams, ctx: ServerContext): Promise<object> {
  const { principal, agent } = exchange.caller;
  countAgentCall(principal.organizationId, agent.id);
  const progressToken = progressTokenSchema.parse(ctx.mcpReq._meta ?? null);
  try {
    if (KEEPING_NAMES.has(params.name)) return await keepingTool(exchange, params, progressToken);
    const taskId = await begin(exchange, params, ctx);
    const takesTask = exchange.era === "2025-11-25" ? params.task !== undefined : exchange.client.takesTasks;
    if (takesTask) return await createdTask(exchange, taskId);
    if (exchange.isBatch) return await answerNow(exchange, taskId);
    const until = Date.now() + holdMsFor(agent, exchange.client.name);
    exchange.hold = { kind: "call", taskId, until, progressToken };
    return HELD;
  } catch (error) {
    if (error instanceof AppError && error.code === "denied_by_rule")
      await within(exchange.caller, (tx, principal) =>
        recordDenied(tx, principal, { tool: params.name, rule: ruleSchema.parse(error.extra?.rule) }),
      );
    const refusal: CallToolResult | null = refusalResult(error);
    if (refusal) return refusal;
    throw error;
  }
}

/** What denied the call; null: no rule, but the grant. */
const ruleSchema = z.object({ name: z.string(), version: z.number() }).nullable().catch(null);

async function answerNow(exchange: Exchange, taskId: string): Promise<CallToolResult> {
  const task = await fetchTask(exchange, taskId);
  return hasEnded(task.state) ? endedResult(task) : unfinishedResult(task);
}

/** How often a call that waits for the fate of the one before looks again. */
const SETTLED_LOOK_MS = 50;

/** Starts the call's task, or finds the one that it repeats. Throws as `startTask`. */
async function begin(exchange: Exchange, params: CallParams, ctx: ServerContext): Promise<string> {
  const { principal, agent } = exchange.caller;
  const meta = callMetaSchema.safeParse(ctx.mcpReq._meta ?? {});
  if (!meta.success)
    throw new AppError("invalid_input", "The call’s _meta is not valid.", {
      errors: meta.error.issues.map(({ path, message }) => ({ field: path.join("."), message })),
    });
  if (!allows(principal, "tasks:start"))
    throw new AppError("forbidden", `This agent’s role is ${principal.role}: it starts no tasks.`);
  const human = humanCall(params);
  const granted = human ? null : await findGranted(exchange, params.name);
  const call: AgentCall = {
    agentId: agent.id,
    name: params.name,
    target: granted && { serverId: granted.serverId, tool: granted.tool.name },
    // As understood: of a repeated call, nulls and unknown arguments such as an id of the call may differ.
    arguments: human?.arguments ?? params.arguments,
    key: meta.data[IDEMPOTENCY_KEY] ?? null,
    isNew: meta.data[NEW] === true,
    hasWaited: false,
  };
  const deadline = Date.now() + 2 * SETTLING_MS;
  for (;;)
    try {
      return human ? await askOrJoin(exchange, call, human) : await startOrJoin(exchange, call);
    } catch (error) {
      if (!(error instanceof CallSettling)) throw error;
      call.hasWaited = Date.now() > deadline;
      await fetchedNoted();
      await pause(SETTLED_LOOK_MS);
    }
}

/** Returns the call of a human tool, or null for another tool's. Throws `invalid_arguments`. */
function humanCall({ name, arguments: args }: CallParams): HumanCall | null {
  if (name === "ask_person") return { tool: name, arguments: parseArguments(askPersonSchema, args) };
  if (name === "request_approval")
    return { tool: name, arguments: parseArguments(requestApprovalSchema, args) };
  return null;
}

async function askOrJoin({ caller }: Exchange, call: AgentCall, human: HumanCall): Promise<string> {
  return within(caller, async (tx, principal) => {
    const earlier = await joinCall(tx, call);
    if (earlier) return earlier;
    const { taskId } = await createHumanTask(tx, principal, human);
    await recordCall(tx, call, taskId);
    return taskId;
  });
}

/** Throws a protocol error for a tool that the agent is not granted. */
async function startOrJoin({ caller: { principal } }: Exchange, call: AgentCall): Promise<string> {
  if (!call.target) throw unknownTool(call.name);
  const { task } = await startTask(await services(), principal, {
    ...call.target,
    arguments: call.arguments,
    ttlMs: null,
    idempotencyKey: null,
    restartOf: null,
    repeats: {
      earlierTask: (tx) => joinCall(tx, call),
      record: (tx, taskId) => recordCall(tx, call, taskId),
    },
  });
  return task.id;
}

/** The tools by which an agent looks after the tasks that its calls became: list_tasks, get_task, wait_for_task, cancel_task. */
async function keepingTool(
  exchange: Exchange,
  { name, arguments: args }: CallParams,
  progressToken: string | number | null,
): Promise<CallToolResult> {
  switch (name) {
    case "list_tasks":
      return listTasks(exchange, args);
    case "get_task": {
      const { taskId } = parseArguments(getTaskSchema, args);
      return taskResult(await fetchTask(exchange, taskId));
    }
    case "wait_for_task": {
      const { taskId, timeoutMs = Number.POSITIVE_INFINITY } = parseArguments(waitForTaskSchema, args);
      // An unknown task is refused at once, and not waited for.
      if (exchange.isBatch) return taskResult(await fetchTask(exchange, taskId));
      await readTask(exchange, taskId);
      const holdMs = holdMsFor(exchange.caller.agent, exchange.client.name);
      const until = Date.now() + Math.min(timeoutMs, holdMs);
      exchange.hold = { kind: "wait", taskId, until, progressToken };
      return HELD;
    }
    case "cancel_task": {
      const { taskId } = parseArguments(cancelTaskSchema, args);
      await cancelTask(exchange, await readTask(exchange, taskId));
      return taskResult(await fetchTask(exchange, taskId));
    }
    default:
      throw unknownTool(name);
  }
}

async function listTasks({ caller }: Exchange, args: Record<string, unknown>): Promise<CallToolResult> {
  const query = parseArguments(listTasksSchema, args);
  const { items, nextCursor } = await within(caller, (tx, principal) => listAgentTasks(tx, principal, query));
  const structuredContent = { tasks: items.map((task) => agentTask(task)), nextCursor };
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

/** How long a call is held open before it is answered with how far its task is. Most clients wait for a minute. */
const HOLD_MS = 50_000;

/** Clients whose calls may take longer, by what they call themselves: these wait as long as the stream says something. */
const PRESETS: [name: RegExp, holdMs: number][] = [
  [/^claude-code\b/i, 180_000],
  [/^visual studio code\b/i, 180_000],
  [/^cursor\b/i, 50_000],
  [/^codex\b/i, 50_000],
];

/** Returns the agent's own hold time as an admin set it, else the client's preset, else `HOLD_MS`. */
export function holdMsFor(agent: { holdMs: number | null }, clientName: string | null): number {
  if (agent.holdMs !== null) return agent.holdMs;
  return PRESETS.find(([name]) => clientName !== null && name.test(clientName))?.[1] ?? HOLD_MS;
}

/** Of `tools/call`. */
export const callParamsSchema = z.looseObject({
  name: z.string(),
  arguments: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((args) => args ?? {}),
  /** 2025-11-25: the client takes a task for an answer. */
  task: z.looseObject({}).optional(),
});
export type CallParams = z.output<typeof callParamsSchema>;

/**
 * The arguments of a tool of Intray's own. Null is as absent, since some clients send it for each optional argument, and
 * unknown arguments are left out. Throws `invalid_arguments` with the fields that do not fit.
 */
function parseArguments<S extends z.ZodType>(schema: S, args: Record<string, unknown>): z.output<S> {
  const given = Object.entries(args).filter(([, value]) => value !== null);
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  throw new AppError("invalid_arguments", "The arguments do not fit the tool.", {
    errors: parsed.error.issues.map(({ path, message }) => ({ field: path.join("."), message })),
  });
}
