/**
 * A server of 2025-11-25 on the official package 1.x, in this process, that puts its questions as tasks of the client's
 * (`elicitation/create` with `task`). Its tool `ask` is a task that asks one question, or the same one several times at once,
 * and ends with the answers. `by` says how it looks for an answer: "result" waits in one `tasks/result` for as long as it
 * takes, "get" asks `tasks/get` until that says completed, and "never" does not look. `distinct`: the questions
 * that it asks at once are numbered. `queued`: whatever it says of a task goes out on that task's `tasks/result` alone.
 * `inTurn`: asks this many questions of the ordinary kind instead, queued too, each once the one before was answered. Its own
 * tasks are found from every session.
 */
import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  type ClientCapabilities,
  CreateTaskResultSchema,
  type ElicitResult,
  ElicitResultSchema,
  GetTaskResultSchema,
  isInitializeRequest,
  type Result,
  ResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

/** A request for an elicitation task that got no answer is made again after this time, in ms. */
const AGAIN_MS = 1_000;
/** As long as a timer may run: a server that means to wait for a person. */
const FOREVER_MS = 2_147_483_647;

/** The client's task for one question, as the server has it. */
export interface ClientTask {
  message: string;
  taskId: string;
  /** What `CreateTaskResult` said. */
  created: Record<string, unknown>;
  session: string;
  /** The answers that the server got, one for each time. */
  answers: ElicitResult[];
  /** What `tasks/get` said, without repetitions. */
  statuses: string[];
  /** Set by the test: this server no longer looks for the answer. */
  isGivenUp: boolean;
}

export interface TaskRequestor {
  url: string;
  /** The client's tasks, in the order of their creation. */
  tasks: ClientTask[];
  /** `notifications/tasks/status` of the client, in order. */
  told: { taskId: string; status: string }[];
  /** What was declared in sessions, in the order of their opening. */
  capabilities: Map<string, ClientCapabilities | undefined>;
  /** The sessions in which the tool was called, in order. */
  called: string[];
  /** Ids of the tool's tasks, in order. */
  own: string[];
  /** Errors that ended a tool's task. */
  failures: string[];
  behave: {
    /** Refuses further sessions. */
    mostSessions?: number;
    /** Answers `initialize` with 400 where tasks are declared. */
    refusesTasks?: boolean;
    /** `inTurn`: what the tool does after this many answers, before it asks again. */
    worksUntil?: (answers: number) => Promise<unknown>;
    /** Cuts the connection of every reply of the client's, which is not read. */
    cutsReplies?: boolean;
  };
  /**
   * Sends a request of its own on the standalone stream of a session; the newest one's, unless told. Without a reply within
   * `patienceMs` it is cancelled, and fails.
   */
  request(
    method: string,
    params: Record<string, unknown>,
    options?: { session?: string; patienceMs?: number },
  ): Promise<Result>;
  /** Goes on with this JSON-RPC id in all sessions, as if ids began anew. */
  useIdsFrom(next: number): void;
  /** Ends all sessions, as a restart does. Its tasks, and the client's ids that it knows, stay. */
  forgetSessions(): Promise<void>;
  close(): Promise<void>;
}

interface Live {
  server: Server;
  transport: StreamableHTTPServerTransport;
  responses: Set<ServerResponse>;
}

/** Belongs to no session, as tasks that are kept in a database. */
class SharedTasks extends InMemoryTaskStore {
  override createTask(...[params, id, request]: Parameters<InMemoryTaskStore["createTask"]>) {
    return super.createTask(params, id, request);
  }
}

const argumentsSchema = z.object({
  message: z.string(),
  by: z.enum(["result", "get", "never"]),
  ttl: z.number().optional(),
  times: z.number().default(1),
  distinct: z.boolean().default(false),
  queued: z.boolean().default(false),
  inTurn: z.number().optional(),
});

/** Listens on a free port of 127.0.0.1. The caller closes it. */
export async function startTaskRequestor(): Promise<TaskRequestor> {
  const sessions = new Map<string, Live>();
  const store = new SharedTasks();
  const tasks: ClientTask[] = [];
  const told: TaskRequestor["told"] = [];
  const capabilities: TaskRequestor["capabilities"] = new Map();
  const called: string[] = [];
  const own: string[] = [];
  const failures: string[] = [];
  const behave: TaskRequestor["behave"] = {};
  let hasEnded = false;

  const newest = () => [...sessions.keys()].at(-1);
  const serverOf = (session: string | undefined) => {
    const live = sessions.get(session ?? "") ?? sessions.get(newest() ?? "");
    if (!live) throw new Error("no session");
    return live.server;
  };

  /** Makes a request until it is answered. A JSON-RPC error is an answer. */
  async function insist<T>(make: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await make();
      } catch (error) {
        if (hasEnded) throw error;
        const isUnanswered = /timed out|no session|not connected|closed/i.test(String(error));
        if (!isUnanswered) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async function ask(
    session: string,
    own: string,
    args: z.infer<typeof argumentsSchema>,
  ): Promise<ElicitResult | null> {
    const about = args.queued ? { relatedTask: { taskId: own } } : {};
    if (args.queued) await store.updateTaskStatus(own, "input_required");
    const requestedSchema = {
      type: "object" as const,
      properties: { approve: { type: "boolean" as const } },
    };
    const params = { mode: "form" as const, message: args.message, requestedSchema };
    const task = args.ttl === undefined ? {} : { ttl: args.ttl };
    const created = await serverOf(session).request(
      { method: "elicitation/create", params },
      CreateTaskResultSchema,
      { task, ...about },
    );
    const { taskId } = created.task;
    const kept: ClientTask = {
      message: args.message,
      taskId,
      created: created.task,
      session,
      answers: [],
      statuses: [],
      isGivenUp: false,
    };
    tasks.push(kept);
    if (args.by === "never") return null;
    const result = (timeout: number) =>
      serverOf(session).experimental.tasks.getTaskResult(taskId, ElicitResultSchema, { timeout, ...about });
    while (args.by === "get" && !kept.isGivenUp) {
      const { status } = await insist(() =>
        serverOf(session).experimental.tasks.getTask(taskId, { timeout: AGAIN_MS, ...about }),
      );
      if (kept.statuses.at(-1) !== status) kept.statuses.push(status);
      if (status === "completed") break;
      if (status !== "working") throw new Error(`the task is ${status}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    if (kept.isGivenUp) return null;
    const answer = await insist(() => result(args.by === "get" ? AGAIN_MS : FOREVER_MS));
    kept.answers.push(answer);
    return answer;
  }

  /** Waits for each answer for as long as it takes. */
  async function askInTurn(session: string, own: string, message: string, count: number) {
    const requestedSchema = {
      type: "object" as const,
      properties: { approve: { type: "boolean" as const } },
    };
    const answers: ElicitResult[] = [];
    while (answers.length < count) {
      await store.updateTaskStatus(own, "input_required");
      const params = {
        mode: "form" as const,
        message: `${message} ${answers.length + 1}`,
        requestedSchema,
      };
      const answer = await serverOf(session).request(
        { method: "elicitation/create", params },
        ElicitResultSchema,
        { relatedTask: { taskId: own }, timeout: FOREVER_MS },
      );
      answers.push(answer);
      await store.updateTaskStatus(own, "working");
      await behave.worksUntil?.(answers.length);
    }
    return answers;
  }

  function newServer(): Server {
    const server = new Server(
      { name: "task-requestor", version: "1.0.0" },
      {
        capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
        taskStore: store,
        taskMessageQueue: new InMemoryTaskMessageQueue(),
        enforceStrictCapabilities: true,
      },
    );
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
      const args = argumentsSchema.parse(params.arguments);
      called.push(extra.sessionId!);
      const task = await extra.taskStore!.createTask({ ttl: null, pollInterval: 100 });
      own.push(task.taskId);
      const all = args.inTurn
        ? askInTurn(extra.sessionId!, task.taskId, args.message, args.inTurn)
        : Promise.all(
            Array.from({ length: args.times }, (_, at) =>
              ask(extra.sessionId!, task.taskId, {
                ...args,
                message: args.distinct ? `${args.message} ${at + 1}` : args.message,
              }),
            ),
          );
      void all.then(
        async (answers) => {
          if (answers.includes(null)) return;
          const content = [{ type: "text", text: JSON.stringify(answers) }];
          await store.storeTaskResult(task.taskId, "completed", { content });
        },
        async (error: unknown) => {
          if (hasEnded) return;
          failures.push(String(error));
          await store.storeTaskResult(task.taskId, "failed", {
            content: [{ type: "text", text: String(error) }],
            isError: true,
          });
        },
      );
      return { task };
    });
    server.setNotificationHandler(
      z.object({
        method: z.literal("notifications/tasks/status"),
        params: GetTaskResultSchema,
      }) as never,
      ({ params }: { params: { taskId: string; status: string } }) => {
        told.push({ taskId: params.taskId, status: params.status });
      },
    );
    return server;
  }

  const http = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = chunks.length > 0 ? (JSON.parse(String(Buffer.concat(chunks))) as unknown) : undefined;
      const id = request.headers["mcp-session-id"];
      let live = typeof id === "string" ? sessions.get(id) : undefined;
      if (!live && isInitializeRequest(body)) {
        if (behave.refusesTasks && body.params.capabilities.tasks)
          return void response.writeHead(400).end('{"error":"unknown capability: tasks"}');
        if (sessions.size >= (behave.mostSessions ?? Number.POSITIVE_INFINITY))
          return void response.writeHead(503).end('{"error":"too many sessions"}');
        const server = newServer();
        const transport = new StreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          onsessioninitialized: (session) => {
            sessions.set(session, live!);
            capabilities.set(session, body.params.capabilities as ClientCapabilities);
          },
          onsessionclosed: (session) => void sessions.delete(session),
        });
        live = { server, transport, responses: new Set() };
        await server.connect(transport as never);
      }
      const isReply = typeof body === "object" && body !== null && !("method" in body);
      if (isReply && behave.cutsReplies) return void response.destroy();
      if (!live) return void response.writeHead(404).end('{"error":"Session not found"}');
      const { responses } = live;
      responses.add(response);
      response.on("close", () => responses.delete(response));
      await live.transport.handleRequest(request, response, body);
    })();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));

  const forgetSessions = async () => {
    const all = [...sessions.values()];
    sessions.clear();
    for (const { server, responses } of all) {
      await server.close();
      for (const response of responses) response.destroy();
    }
  };
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    tasks,
    told,
    capabilities,
    called,
    own,
    failures,
    behave,
    request(method, params, { session, patienceMs = 180_000 } = {}) {
      return serverOf(session).request({ method, params } as never, ResultSchema, { timeout: patienceMs });
    },
    useIdsFrom(next) {
      for (const { server } of sessions.values())
        (server as unknown as { _requestMessageId: number })._requestMessageId = next;
    },
    forgetSessions,
    async close() {
      hasEnded = true;
      await forgetSessions();
      store.cleanup();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
