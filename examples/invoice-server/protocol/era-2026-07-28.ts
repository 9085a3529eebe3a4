import { type NodeMcpRequestHandler, toNodeHandler } from "@modelcontextprotocol/node";
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  MissingRequiredClientCapabilityError,
  type Result,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { type Documents, TEMPLATES } from "../documents/documents.ts";
import { log } from "../log.ts";
import { answerSchema } from "../question.ts";
import { statusIn, type Tasks, type TaskView } from "../tasks.ts";
import { POLL_INTERVAL_MS, SERVER_INFO } from "../tool.ts";
import { invalidParams, RpcError, safely } from "./rpc.ts";

/** Protocol revision 2026-07-28: stateless, with tasks by the extension io.modelcontextprotocol/tasks. */

const ERA = "2026-07-28";
const TASKS = "io.modelcontextprotocol/tasks";

/**
 * The requests about tools and tasks. Callers of methods with a `taskId` have checked that the client
 * declared the extension.
 */
export type ModernRequests = {
  tools: () => Tool[];
  call: (params: unknown, ctx: ServerContext) => Promise<Result>;
  get: (taskId: string) => Promise<Result>;
  update: (taskId: string, responses: [key: string, response: unknown][]) => Promise<void>;
  cancel: (taskId: string) => Promise<void>;
};

export function taskRequests(tasks: Tasks): ModernRequests {
  return {
    tools: () => tasks.tools,
    call: async (params, ctx) => {
      requireTasks(ctx);
      const task = await tasks.read(params).create();
      await tasks.run(task.taskId);
      return { resultType: "task", ...describe(task) };
    },
    get: async (taskId) => {
      const task = await tasks.get(taskId);
      if (task.isUnseen) await tasks.noteShown(taskId);
      return detailed(task);
    },
    update: async (taskId, responses) => {
      const { question } = await tasks.get(taskId);
      for (const [key, response] of responses) {
        const answer = answerSchema.safeParse(response);
        // A response under an unknown key is ignored, whatever its value.
        if (!answer.success && question?.key !== key) continue;
        if (!answer.success) throw invalidParams(`inputResponses["${key}"] is not an elicitation result`);
        const told = await tasks.tell(taskId, key, ERA, answer.data);
        if (!told.accepted && told.invalid) throw invalidParams(told.why, { key });
      }
    },
    // The acknowledgement promises nothing: an ended task stays as it is.
    cancel: async (taskId) => void (await tasks.cancel(taskId)),
  };
}

export function modernHandler(requests: ModernRequests, documents: Documents): NodeMcpRequestHandler {
  const handler = createMcpHandler(() => buildServer(requests, documents), {
    legacy: "reject",
    onerror: (error) => log.debug("2026-07-28", error),
  });
  return toNodeHandler(handler, { onerror: (error) => log.error("2026-07-28", error) });
}

const taskParams = { params: z.looseObject({ taskId: z.string() }) };

/** Built for every request; all lasting state is in the database. */
function buildServer(requests: ModernRequests, documents: Documents): Server {
  const server = new Server(SERVER_INFO, {
    capabilities: { tools: {}, resources: {}, extensions: { [TASKS]: {} } },
  });

  server.setRequestHandler("tools/list", () => ({ tools: requests.tools() }));
  server.setRequestHandler(
    "resources/list",
    safely(async () => ({ resources: await documents.list() })),
  );
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler(
    "resources/read",
    safely(async ({ params }) => ({ contents: [await documents.read(params.uri)] })),
  );

  // A fallback, because a registered tools/call would add an empty `content` to the task.
  server.fallbackRequestHandler = safely(async (request, ctx) => {
    if (request.method !== "tools/call") throw new RpcError(-32601, "Method not found");
    return requests.call(request.params, ctx);
  });

  server.setRequestHandler(
    "tasks/get",
    taskParams,
    safely(async ({ taskId }, ctx) => {
      requireTasks(ctx);
      return requests.get(taskId);
    }),
  );

  server.setRequestHandler(
    "tasks/update",
    taskParams,
    safely(async ({ taskId }, ctx) => {
      requireTasks(ctx);
      // The SDK moves `inputResponses` out of the params of every request.
      await requests.update(taskId, Object.entries(ctx.mcpReq.inputResponses ?? {}));
      return {};
    }),
  );

  server.setRequestHandler(
    "tasks/cancel",
    taskParams,
    safely(async ({ taskId }, ctx) => {
      requireTasks(ctx);
      await requests.cancel(taskId);
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

export function knowsTasks(ctx: ServerContext): boolean {
  return envelopeWithTasks.safeParse(ctx.mcpReq.envelope).success;
}

/** Throws -32021 if the client has not declared the extension. */
export function requireTasks(ctx: ServerContext): void {
  if (!knowsTasks(ctx)) {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
  }
}

function describe(task: TaskView) {
  return {
    taskId: task.taskId,
    status: statusIn(ERA, task),
    statusMessage: task.statusMessage,
    createdAt: task.createdAt.toISOString(),
    lastUpdatedAt: task.updatedAt.toISOString(),
    ttlMs: task.ttlMs,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
}

function detailed(task: TaskView) {
  return {
    ...describe(task),
    ...(task.question && {
      inputRequests: { [task.question.key]: { method: "elicitation/create", params: task.question.params } },
    }),
    ...(task.result && { result: { resultType: "complete", ...task.result } }),
    ...(task.error && { error: task.error }),
  };
}
