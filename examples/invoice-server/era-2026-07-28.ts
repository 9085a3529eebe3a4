import { type NodeMcpRequestHandler, toNodeHandler } from "@modelcontextprotocol/node";
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  MissingRequiredClientCapabilityError,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { tell } from "./answers.ts";
import type { Database } from "./database.ts";
import { log } from "./log.ts";
import { answerSchema } from "./question.ts";
import { invalidParams, RpcError, safely } from "./rpc.ts";
import { getTask } from "./store.ts";
import { type InvoiceTask, statusMessage, taskStatus } from "./task.ts";
import { POLL_INTERVAL_MS, parseCall, processInvoice, SERVER_INFO } from "./tool.ts";
import { cancelTask, createTask } from "./transitions.ts";
import type { Processor } from "./workflow.ts";

/** Protocol revision 2026-07-28: stateless, tasks by the extension io.modelcontextprotocol/tasks. */

const ERA = "2026-07-28";
const TASKS = "io.modelcontextprotocol/tasks";

const taskParams = { params: z.looseObject({ taskId: z.string() }) };

export function modernHandler(db: Database, processor: Processor): NodeMcpRequestHandler {
  const handler = createMcpHandler(() => buildServer(db, processor), {
    legacy: "reject",
    onerror: (error) => log.debug("2026-07-28", error),
  });
  return toNodeHandler(handler, { onerror: (error) => log.error("2026-07-28", error) });
}

/** Built anew for every request; everything that lasts is in the database. */
function buildServer(db: Database, processor: Processor): Server {
  const server = new Server(SERVER_INFO, { capabilities: { tools: {}, extensions: { [TASKS]: {} } } });

  server.setRequestHandler("tools/list", () => ({ tools: [processInvoice] }));

  // A fallback, because a registered tools/call would add an empty `content` to the task.
  server.fallbackRequestHandler = safely(async (request, ctx) => {
    if (request.method !== "tools/call") throw new RpcError(-32601, "Method not found");
    requireTasks(ctx);
    const call = parseCall(request.params);
    const task = await createTask(db, call.invoice, call.key);
    await processor.start(task.taskId);
    return { resultType: "task", ...describe(task) };
  });

  server.setRequestHandler(
    "tasks/get",
    taskParams,
    safely(async ({ taskId }, ctx) => {
      requireTasks(ctx);
      return detailed(await getTask(db, taskId));
    }),
  );

  server.setRequestHandler(
    "tasks/update",
    taskParams,
    safely(async ({ taskId }, ctx) => {
      requireTasks(ctx);
      // The SDK moves `inputResponses` out of the params of every request.
      const responses = Object.entries(ctx.mcpReq.inputResponses ?? {});
      if (responses.length === 0) await getTask(db, taskId);
      for (const [key, response] of responses) {
        const answer = answerSchema.safeParse(response);
        if (!answer.success) throw invalidParams(`inputResponses["${key}"] is not an elicitation result`);
        const told = await tell(db, taskId, key, ERA, answer.data);
        if (!told.accepted && told.invalid) throw invalidParams(told.why, { key });
      }
      return {};
    }),
  );

  server.setRequestHandler(
    "tasks/cancel",
    taskParams,
    safely(async ({ taskId }, ctx) => {
      requireTasks(ctx);
      // The acknowledgement promises nothing: a task that has ended stays as it is.
      await cancelTask(db, taskId);
      return {};
    }),
  );

  return server;
}

const envelopeWithTasks = z.looseObject({
  [CLIENT_CAPABILITIES_META_KEY]: z.looseObject({
    extensions: z.looseObject({ [TASKS]: z.looseObject({}) }),
  }),
});

function requireTasks(ctx: ServerContext): void {
  if (!envelopeWithTasks.safeParse(ctx.mcpReq.envelope).success) {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
  }
}

function describe(task: InvoiceTask) {
  return {
    taskId: task.taskId,
    status: taskStatus(task, ERA),
    statusMessage: statusMessage(task),
    createdAt: task.createdAt.toISOString(),
    lastUpdatedAt: task.updatedAt.toISOString(),
    ttlMs: task.ttlMs,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
}

function detailed(task: InvoiceTask) {
  return {
    ...describe(task),
    ...(task.question && {
      inputRequests: { [task.question.key]: { method: "elicitation/create", params: task.question.params } },
    }),
    ...(task.result && { result: { resultType: "complete", ...task.result } }),
    ...(task.error && { error: task.error }),
  };
}
