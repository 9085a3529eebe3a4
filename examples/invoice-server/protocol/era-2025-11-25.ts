import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  CancelTaskRequestSchema,
  ElicitResultSchema,
  GetTaskPayloadRequestSchema,
  GetTaskRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListTasksRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import type { Changes } from "../changes.ts";
import { type Documents, TEMPLATES } from "../documents/documents.ts";
import { log } from "../log.ts";
import { answerSchema, type Question } from "../question.ts";
import { cursorOf, parseCursor } from "../store.ts";
import { statusIn, type Tasks, type TaskView } from "../tasks.ts";
import { POLL_INTERVAL_MS, SERVER_INFO } from "../tool.ts";
import { invalidParams, RpcError, safely } from "./rpc.ts";

/**
 * Protocol revision 2025-11-25: sessions and core tasks. Tasks belong to the server, so any session finds
 * them.
 */

const ERA = "2025-11-25";
const RELATED_TASK = "io.modelcontextprotocol/related-task";
/** Tasks on a page of `tasks/list`. */
const PAGE = 50;
/**
 * The longest timer of Node: by default the SDK gives up on an elicitation after 60 s, but people take days.
 */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export type LegacySession = {
  server: Server;
  /** Notifies the session's GET stream of a task that the session has requested. */
  taskChanged: (taskId: string) => Promise<void>;
};

type Watched = { token?: string | number; seen?: string; finishedPage?: string; progress: number };

/** `streamClosed` returns a signal that aborts when the HTTP response of the current request closes. */
export function createLegacySession(
  tasks: Tasks,
  documents: Documents,
  changes: Changes,
  streamClosed: () => AbortSignal,
): LegacySession {
  const server = new Server(SERVER_INFO, {
    capabilities: {
      tools: {},
      resources: {},
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
    },
  });
  server.onerror = (error) => log.debug(ERA, error);
  /** Tasks that this session has requested, whose changes go to its GET stream. */
  const watched = new Map<string, Watched>();
  const watch = (taskId: string, token?: string | number) => {
    if (!watched.has(taskId) || token !== undefined) watched.set(taskId, { token, progress: 0 });
  };

  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tasks.tools.map((tool) => ({ ...tool, execution: { taskSupport: "required" as const } })),
  }));

  server.setRequestHandler(
    ListResourcesRequestSchema,
    safely(async () => ({ resources: await documents.list() })),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler(
    ReadResourceRequestSchema,
    safely(async ({ params }) => ({ contents: [await documents.read(params.uri)] })),
  );

  server.setRequestHandler(
    CallToolRequestSchema,
    safely(async ({ params }) => {
      const { tool, create } = tasks.read(params);
      if (!params.task) throw new RpcError(-32601, `${tool} must be called as a task`);
      const task = await create();
      watch(task.taskId, params._meta?.progressToken);
      await tasks.run(task.taskId);
      return { task: describe(task) };
    }),
  );

  server.setRequestHandler(
    GetTaskRequestSchema,
    safely(async ({ params }) => {
      const task = await tasks.get(params.taskId);
      if (!hasEnded(task)) watch(task.taskId);
      return describe(task);
    }),
  );

  server.setRequestHandler(
    ListTasksRequestSchema,
    safely(async ({ params }) => {
      const after = params?.cursor === undefined ? null : parseCursor(params.cursor);
      const found = await tasks.list(after, PAGE + 1);
      const page = found.slice(0, PAGE);
      const last = page.at(-1);
      return {
        tasks: page.map(describe),
        ...(found.length > PAGE && last && { nextCursor: cursorOf(last) }),
      };
    }),
  );

  server.setRequestHandler(
    CancelTaskRequestSchema,
    safely(async ({ params }) => {
      if (!(await tasks.cancel(params.taskId))) throw invalidParams(`${params.taskId} has ended already`);
      return describe(await tasks.get(params.taskId));
    }),
  );

  /** Blocks until the task ends, and asks every open question on this stream: each call asks it again. */
  server.setRequestHandler(
    GetTaskPayloadRequestSchema,
    safely(async ({ params: { taskId } }, extra) => {
      const gone = AbortSignal.any([extra.signal, streamClosed()]);
      const askedHere = new Set<string>();
      for (;;) {
        const waiting = new AbortController();
        // Listening starts before reading, so that no change in between is missed.
        const changed = changes.next(taskId, AbortSignal.any([gone, waiting.signal]));
        try {
          const task = await tasks.get(taskId);
          if (hasEnded(task)) return outcome(task);
          watch(taskId);
          if (task.question && !askedHere.has(task.question.key)) {
            askedHere.add(task.question.key);
            elicit(taskId, task.question, extra.requestId, extra.signal);
          }
          await changed;
        } finally {
          waiting.abort();
        }
        if (gone.aborted) throw new RpcError(-32603, "The stream was closed");
      }
    }),
  );

  /**
   * Asks on the stream of request `relatedRequestId`. The answer may come long after that stream has closed;
   * it is valid as long as the session lives and the client has not cancelled the request.
   */
  function elicit(
    taskId: string,
    question: Question,
    relatedRequestId: RequestId,
    signal: AbortSignal,
  ): void {
    const can = server.getClientCapabilities()?.elicitation;
    if (!can || (question.params.mode === "url" && !can.url)) return;
    const params = { ...question.params, _meta: { [RELATED_TASK]: { taskId } } };
    server
      .request({ method: "elicitation/create", params }, ElicitResultSchema, {
        relatedRequestId,
        signal,
        timeout: LONGEST_TIMER_MS,
      })
      .then(async (response) => {
        const told = await tasks.tell(taskId, question.key, ERA, answerSchema.parse(response));
        // A response cannot be answered with an error. The question stays open, and the next tasks/result
        // asks it again.
        if (!told.accepted) log.info(`${taskId}: an answer to ${question.key} was not taken: ${told.why}`);
      })
      .catch((error: unknown) =>
        log.debug(`${taskId}: ${question.key} was not answered on this stream`, error),
      );
  }

  async function taskChanged(taskId: string): Promise<void> {
    const watching = watched.get(taskId);
    if (!watching) return;
    const task = await tasks.get(taskId);
    const params = describe(task);
    if (watching.seen === params.lastUpdatedAt) return;
    watching.seen = params.lastUpdatedAt;
    await server.notification({ method: "notifications/tasks/status", params });
    if (task.finishedPage !== null && watching.finishedPage !== task.finishedPage) {
      watching.finishedPage = task.finishedPage;
      await server.notification({
        method: "notifications/elicitation/complete",
        params: { elicitationId: task.finishedPage },
      });
    }
    if (watching.token !== undefined && task.progress && task.progress.done > watching.progress) {
      watching.progress = task.progress.done;
      await server.notification({
        method: "notifications/progress",
        params: {
          progressToken: watching.token,
          progress: task.progress.done,
          total: task.progress.total,
          message: params.statusMessage,
          _meta: { [RELATED_TASK]: { taskId } },
        },
      });
    }
    if (hasEnded(task)) watched.delete(taskId);
  }

  return { server, taskChanged };
}

const hasEnded = ({ status }: TaskView) => status !== "working" && status !== "input_required";

function describe(task: TaskView) {
  return {
    taskId: task.taskId,
    status: statusIn(ERA, task),
    statusMessage: task.statusMessage,
    createdAt: task.createdAt.toISOString(),
    lastUpdatedAt: task.updatedAt.toISOString(),
    ttl: task.ttlMs,
    pollInterval: POLL_INTERVAL_MS,
  } as const;
}

/** Returns or throws the outcome of the tool call: its result, or its error. */
function outcome(task: TaskView) {
  if (task.result) return { ...task.result, _meta: { [RELATED_TASK]: { taskId: task.taskId } } };
  const { code, message } = task.error ?? { code: -32603, message: `${task.taskId} was cancelled` };
  throw new RpcError(code, message);
}
