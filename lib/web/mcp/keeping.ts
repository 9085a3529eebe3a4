/** The tools by which an agent looks after the tasks that its calls became: list_tasks, get_task, wait_for_task, cancel_task. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { listAgentTasks } from "../../agent-calls/queries.ts";
import {
  cancelTaskSchema,
  getTaskSchema,
  listTasksSchema,
  waitForTaskSchema,
} from "../../agent-calls/schema.ts";
import { within } from "../tenant.ts";
import { unknownTool } from "./errors.ts";
import { type Exchange, HELD } from "./exchange.ts";
import { holdMsFor } from "./hold-times.ts";
import { type CallParams, parseArguments } from "./params.ts";
import { agentTask, taskResult } from "./results.ts";
import { cancelTask, fetchTask, readTask } from "./tasks.ts";

export async function keepingTool(
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
