/** Tasks as MCP has them: 2025-11-25's `tasks/get`, `result`, `list` and `cancel`, and 2026-07-28's tasks extension. */
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  RELATED_TASK_META_KEY,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { AppError } from "../../base/errors.ts";
import {
  type AgentTaskRow,
  listAgentTasks,
  readAgentTasks,
} from "../../lifecycle/agent-calls/agent-call-reads.ts";
import { pollAfterMs } from "../../lifecycle/agent-calls/agent-call-status.ts";
import { markFetched, markSent } from "../../lifecycle/agent-calls/agent-call-writes.ts";
import { requestCancel } from "../../lifecycle/task-writes.ts";
import { hasEnded } from "../../tasks/task-status.ts";
import { within } from "../tenant.ts";
import { endUnavailable, unknownTask } from "./errors.ts";
import { carry, type Exchange, HELD, inTurn, refuseTooLong } from "./exchange.ts";
import { endedResult, protocolErrorOf, waitSentence } from "./results.ts";

/** The extension of 2026-07-28. */
export const TASKS = "io.modelcontextprotocol/tasks";

const taskParams = z.looseObject({ taskId: z.string() });
/** Of a list. */
export const cursorParams = z.looseObject({ cursor: z.string().optional() }).optional();
const LISTED = 50;

/** Reads a task of the agent's. Throws the same for unknown, foreign and malformed ids. */
export async function readTask({ caller }: Exchange, taskId: string): Promise<AgentTaskRow> {
  if (!z.uuid().safeParse(taskId).success) throw unknownTask();
  const tasks = await within(caller, (tx, principal) => readAgentTasks(tx, principal, [taskId]));
  const task = tasks.get(taskId);
  if (!task) throw unknownTask();
  return task;
}

/**
 * As `readTask`, for an answer that carries the result of a task that has ended: that it is sent is stored first. Throws
 * `content_unavailable` while the result can't be opened, and `too_large` where a batch has more of them than one answer holds.
 */
export function fetchTask(exchange: Exchange, taskId: string): Promise<AgentTaskRow> {
  return inTurn(exchange, () => fetchNext(exchange, taskId));
}

async function fetchNext(exchange: Exchange, taskId: string): Promise<AgentTaskRow> {
  refuseTooLong(exchange);
  const task = await readTask(exchange, taskId);
  if (!hasEnded(task.state)) return task;
  carry(exchange, task.result);
  if (task.unopened) throw endUnavailable();
  await within(exchange.caller, (tx) => markSent(tx, [task.id]));
  exchange.carries.push(task.id);
  return task;
}

/**
 * Asks for the cancellation of a task. One that has ended, or may have begun without anybody knowing, stays as it is. The agent wants
 * no result of it any more, so that the same call is another one from now on.
 */
export async function cancelTask({ caller }: Exchange, { id, state }: AgentTaskRow): Promise<void> {
  if (hasEnded(state)) return;
  await within(caller, async (tx, principal) => {
    await requestCancel(tx, principal, id);
    await markFetched(tx, [id]);
  }).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== "task_ended") throw error;
  });
}

/** The answer to a call whose client takes a task for it. */
export async function createdTask(exchange: Exchange, taskId: string): Promise<object> {
  const task = await readTask(exchange, taskId);
  const note = `${waitSentence(task)}. The result comes once the task has ended.`;
  if (exchange.era === "2026-07-28")
    return {
      resultType: "task",
      ...modern(task),
      _meta: { [CLAUDE_CODE_NOTE]: { modelImmediateResponse: note } },
    };
  return { task: legacy(task), _meta: { [NOTE]: note } };
}

/** What a model reads of a task when it begins (2025-11-25). Without it, models read only that there is a task. */
const NOTE = "io.modelcontextprotocol/model-immediate-response";
/** The same for Claude Code (as of 2.1.332): the tasks extension of 2026-07-28 has no word for it. */
const CLAUDE_CODE_NOTE = "com.anthropic/agent-task";

/** Answers a method of tasks, or returns null for one that is none. */
export async function tasksMethod(
  exchange: Exchange,
  method: string,
  params: unknown,
): Promise<object | null> {
  return exchange.era === "2025-11-25"
    ? legacyMethod(exchange, method, params)
    : modernMethod(exchange, method, params);
}

async function legacyMethod(exchange: Exchange, method: string, params: unknown): Promise<object | null> {
  switch (method) {
    case "tasks/get":
      return legacy(await lookAt(exchange, idIn(params)));
    case "tasks/result":
      return payload(exchange, idIn(params));
    case "tasks/list": {
      const query = { limit: LISTED, cursor: parse(cursorParams, params)?.cursor };
      const { items, nextCursor } = await within(exchange.caller, (tx, principal) =>
        listAgentTasks(tx, principal, query),
      );
      return { tasks: items.map(legacy), ...(nextCursor !== null && { nextCursor }) };
    }
    case "tasks/cancel": {
      const before = await readTask(exchange, idIn(params));
      if (hasEnded(before.state))
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `The task has ended already: ${before.state}.`,
        );
      await cancelTask(exchange, before);
      return legacy(await readTask(exchange, before.id));
    }
    default:
      return null;
  }
}

/** A client that hears of a failure or a cancellation asks for no result: that was all of it. */
async function lookAt(exchange: Exchange, taskId: string): Promise<AgentTaskRow> {
  const task = await readTask(exchange, taskId);
  const isAll = hasEnded(task.state) && statusOf(task, "failed") !== "completed";
  return isAll ? fetchTask(exchange, taskId) : task;
}

/** Waits for the end, however long that takes: with nothing but the socket. */
async function payload(exchange: Exchange, taskId: string): Promise<object> {
  const task = await fetchTask(exchange, taskId);
  if (hasEnded(task.state)) {
    const result = endedResult(task);
    return { ...result, _meta: { ...result._meta, [RELATED_TASK_META_KEY]: { taskId: task.id } } };
  }
  if (exchange.isBatch)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      "The task has not ended; ask again, not in a batch.",
    );
  exchange.hold = { kind: "payload", taskId: task.id, until: null, progressToken: null };
  return HELD;
}

async function modernMethod(exchange: Exchange, method: string, params: unknown): Promise<object | null> {
  if (!["tasks/get", "tasks/update", "tasks/cancel"].includes(method)) return null;
  if (!exchange.client.takesTasks)
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
  const taskId = idIn(params);
  if (method === "tasks/get") {
    const task = await fetchTask(exchange, taskId);
    return { ...modern(task), ...(hasEnded(task.state) && endOf(task)) };
  }
  // The questions are put to people, in Intray: none of them is the client's to answer, and others are ignored.
  const task = await readTask(exchange, taskId);
  if (method === "tasks/cancel") await cancelTask(exchange, task);
  return {};
}

function endOf(task: AgentTaskRow): object {
  if (task.state === "cancelled") return {};
  const error = protocolErrorOf(task);
  return error ? { error } : { result: { resultType: "complete", ...endedResult(task) } };
}

function idIn(params: unknown): string {
  return parse(taskParams, params).taskId;
}

/** Throws what the protocol has for params that are not valid. */
export function parse<S extends z.ZodType>(schema: S, params: unknown): z.output<S> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The params are not valid.");
}

function legacy(task: AgentTaskRow) {
  const { common, ageMs } = described(task);
  return { ...common, status: statusOf(task, "failed"), ttl: null, pollInterval: pollAfterMs(ageMs) };
}

/**
 * A task has failed there only where its server answered with an error of the protocol. A tool that fails, and what people or Intray
 * refuse, has completed its task, with a result that is an error: that is what a model reads.
 */
function modern(task: AgentTaskRow) {
  const { common, ageMs } = described(task);
  return {
    ...common,
    status: statusOf(task, protocolErrorOf(task) ? "failed" : "completed"),
    ttlMs: null,
    pollIntervalMs: pollAfterMs(ageMs),
  };
}

function described(task: AgentTaskRow) {
  const { id: taskId, createdAt, changedAt, finishedAt } = task;
  const isCancelled = task.cancelRequestedAt !== null && !hasEnded(task.state);
  const statusMessage = isCancelled
    ? "Its cancellation was asked for; the server has not confirmed it yet."
    : hasEnded(task.state)
      ? (task.statusMessage ?? undefined)
      : waitSentence(task);
  return {
    common: {
      taskId,
      ...(statusMessage !== undefined && { statusMessage }),
      createdAt: createdAt.toISOString(),
      lastUpdatedAt: (finishedAt ?? changedAt).toISOString(),
    },
    ageMs: Date.now() - createdAt.getTime(),
  };
}

/**
 * The protocol's `input_required` asks the client itself, so that a task that waits for people in Intray is `working`. A
 * cancellation counts from when it was asked for.
 */
function statusOf(task: AgentTaskRow, failed: "failed" | "completed"): string {
  if (task.state === "completed") return task.isError ? failed : "completed";
  if (task.state === "cancelled") return "cancelled";
  if (hasEnded(task.state)) return failed;
  return task.cancelRequestedAt === null ? "working" : "cancelled";
}
