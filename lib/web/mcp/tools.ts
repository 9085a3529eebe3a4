/** The tools that an agent is offered: those of servers that it was granted, people, and those that keep its tasks. */
import { z } from "zod";
import { type GrantedTool, grantedPage, grantedTools } from "../../agents/grants.ts";
import { REPEATED } from "../../agents/set-up-words.ts";
import { readToolPosition, toolCursor } from "../../base/cursor.ts";
import type { Tx } from "../../base/db/db.ts";
import {
  cancelTaskSchema,
  getTaskSchema,
  listTasksSchema,
  waitForTaskSchema,
} from "../../lifecycle/agent-calls/agent-call-schema.ts";
import { askPersonSchema, requestApprovalSchema } from "../../lifecycle/human-tasks/human-task-schema.ts";
import { withoutParameterHeaders } from "../../mcp/wire/headers.ts";
import { database } from "../database.ts";
import { carry, type Exchange, inTurn, refuseTooLong } from "./exchange.ts";

/** A tool as `tools/list` has it. */
export interface ListedTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  /** 2025-11-25 only; 2026-07-28 leaves it to the server. */
  execution?: { taskSupport: "optional" | "forbidden" };
}

const reads = { readOnlyHint: true, openWorldHint: false };

const KEEPING: ListedTool[] = [
  own(
    "list_tasks",
    "List tasks",
    "Lists the tasks that your calls became, newest first.",
    listTasksSchema,
    reads,
  ),
  own(
    "get_task",
    "Look at a task",
    "Tells how far a task is, whom it waits for, and its result once it has ended.",
    getTaskSchema,
    reads,
  ),
  own(
    "wait_for_task",
    "Wait for a task",
    "Waits until a task has ended, and returns its result; if it takes longer, how far the task is: then call it again.",
    waitForTaskSchema,
    reads,
  ),
  own("cancel_task", "Cancel a task", "Asks for a task to be cancelled.", cancelTaskSchema, {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  }),
];
export const KEEPING_NAMES = new Set(KEEPING.map(({ name }) => name));

const UNFINISHED = `If the call returns a taskId in place of an outcome, call wait_for_task with it. ${REPEATED}`;
const asks = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };

/** Tasks of the built-in server: a person answers, and nobody else. */
const HUMAN: ListedTool[] = [
  own(
    "ask_person",
    "Ask a person",
    `Asks a person, and returns what they answer: \`answered\` with what they filled in, \`declined\`, or \`expired\` where nobody answered in time. It may take hours. Silence is never a yes. ${UNFINISHED}`,
    askPersonSchema,
    asks,
    "optional",
  ),
  own(
    "request_approval",
    "Request an approval",
    `Asks a person to approve an action before you take it. Only \`answered\` is an approval: \`declined\`, \`expired\` and a call that has not finished are none. With \`revise\`, a person asks you to change the request as \`reason\` says and to call again. ${UNFINISHED}`,
    requestApprovalSchema,
    asks,
    "optional",
  ),
];

function own(
  name: string,
  title: string,
  description: string,
  schema: z.ZodType,
  annotations: Record<string, unknown>,
  taskSupport: "optional" | "forbidden" = "forbidden",
): ListedTool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema, { io: "input" });
  return { name, title, description, inputSchema, annotations, execution: { taskSupport } };
}

/** A page of the agent's tools. Its own ones end the first page: a client that asks for no more pages has them too. */
export function listTools(exchange: Exchange, cursor: string | undefined): Promise<ToolPage> {
  return inTurn(exchange, () => listNext(exchange, cursor));
}

interface ToolPage {
  tools: ListedTool[];
  nextCursor?: string;
}

async function listNext(exchange: Exchange, cursor: string | undefined): Promise<ToolPage> {
  refuseTooLong(exchange);
  const after = readToolPosition(cursor);
  const page = await within(exchange.caller, (tx, agentId) => grantedPage(tx, agentId, after));
  const granted = page.tools.map(({ name, serverName, tool }) => ({
    name,
    title: tool.title ?? tool.name,
    description: [tool.description, `(A tool of ${serverName}.)`].filter(Boolean).join("\n"),
    // The headers are between Intray and the server: an agent's need not be there, and are not compared with its arguments.
    inputSchema: { ...withoutParameterHeaders(tool.inputSchema), type: "object" },
    ...(tool.annotations && { annotations: tool.annotations }),
    execution: { taskSupport: "optional" as const },
  }));
  carry(exchange, granted);
  const own = after === null ? [...HUMAN, ...KEEPING] : [];
  return { tools: [...granted, ...own], ...(page.next && { nextCursor: toolCursor(page.next) }) };
}

/** The granted tool of a name, or null: an unknown one and one that was not granted are the same to an agent. */
export async function findGranted({ caller }: Exchange, name: string): Promise<GrantedTool | null> {
  const granted = await within(caller, (tx, agentId) => grantedTools(tx, agentId, name));
  return granted.find((tool) => tool.name === name) ?? null;
}

async function within<T>(
  { principal, agent }: Exchange["caller"],
  read: (tx: Tx, agentId: string) => Promise<T>,
): Promise<T> {
  const db = await database();
  return db.withOrganization(principal.organizationId, (tx) => read(tx, agent.id));
}
