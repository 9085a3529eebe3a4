/** The era of sessions and core tasks. Tasks, questions and answers stay on their session. */
import { z } from "zod";
import { CLIENT_INFO, ELICITATION, ELICITATION_TASKS, IDEMPOTENCY_KEY, underOneDeadline } from "./client.ts";
import { CLOSE_MS, INSTANT_REPLIES, TASK_PAGES } from "./limits.ts";
import { nextCursor, readList } from "./lists.ts";
import { taskInMeta, taskSchema, urlsToVisit } from "./messages.ts";
import type {
  AnswerBody,
  AskAddress,
  CallOptions,
  GetOptions,
  GetReply,
  ListOptions,
  Peer,
  RemoteTask,
  Session,
  StartInput,
  StartOutcome,
  Stream,
  StreamListener,
  TaskList,
  TaskRef,
  TaskResult,
  Tool,
  ToServer,
} from "./peer.ts";
import { PeerError } from "./peer-error.ts";
import { type ResourcePart, resourceSchema } from "./resources.ts";
import { sortServerMessage } from "./server-messages.ts";
import { listTools, toolsPageSchema } from "./tools.ts";
import { hideIn, hidingFor } from "./wire/hide.ts";
import {
  clockOffset,
  getTask,
  parseResult,
  type Reply,
  type Request,
  readResult,
  resultOf,
  type StreamHandlers,
  type Wire,
} from "./wire/wire.ts";

const VERSION = "2025-11-25";
/** Older versions have no tasks, but their tools can be called. */
const UNDERSTOOD = new Set([VERSION, "2025-06-18", "2025-03-26", "2024-11-05"]);
/** Deadline for instant replies, which are sent beside the call whose stream asked for them. */
const INSTANT_REPLY_MS = 5_000;

const anyResult = z.record(z.string(), z.unknown());
const initializeSchema = z.looseObject({
  protocolVersion: z.string(),
  capabilities: anyResult.default({}),
  serverInfo: anyResult.nullish(),
  instructions: z.string().nullish().catch(null),
});
const tasksPageSchema = z.looseObject({ tasks: z.array(z.unknown()), nextCursor });

/**
 * Sends `initialize` and `notifications/initialized`. The caller closes the session. `takesTasks`: declares that questions
 * may be put as tasks.
 */
export async function initialize(wire: Wire, options: CallOptions, takesTasks = false) {
  const capabilities = { ...ELICITATION, ...(takesTasks && ELICITATION_TASKS) };
  const params = { protocolVersion: VERSION, capabilities, clientInfo: CLIENT_INFO };
  const next = underOneDeadline(options);
  const reply = await wire.request({ method: "initialize", params, headers: {}, lane: "held" }, next());
  const server = readResult(reply, initializeSchema, options);
  if (!UNDERSTOOD.has(server.protocolVersion)) {
    throw new PeerError("not_supported", "yes", "The server speaks a version that Intray does not");
  }
  const id = reply.headers["mcp-session-id"];
  const session: Session = {
    id: typeof id === "string" ? id : null,
    protocolVersion: server.protocolVersion,
    lastEventId: null,
    // An older version knows no tasks, whatever was declared.
    ...(takesTasks && server.protocolVersion === VERSION && { takesTasks }),
  };
  await wire.post({ method: "notifications/initialized" }, headersOf(session), next());
  return { session, server };
}

export class Peer20251125 implements Peer {
  readonly era = VERSION;
  private readonly wire: Wire;

  constructor(wire: Wire) {
    this.wire = wire;
  }

  async open({ takesTasks, ...options }: CallOptions & { takesTasks?: boolean }): Promise<Session> {
    return (await initialize(this.wire, options, takesTasks)).session;
  }

  async listen(
    session: Session | null,
    listener: StreamListener,
    options: CallOptions,
  ): Promise<Stream | null> {
    const headers = headersOf(session);
    if (session?.lastEventId) headers["last-event-id"] = session.lastEventId;
    const handlers = { ...this.sorted(session, listener, options), onReply: () => {} };
    try {
      return await this.wire.hold({ headers }, options, {
        ...handlers,
        onClosed: (reason) => listener.onClosed(reason),
      });
    } catch (error) {
      if (error instanceof PeerError && error.httpStatus === 405) return null;
      throw error;
    }
  }

  listTools(session: Session | null, options: ListOptions): Promise<Tool[]> {
    const next = underOneDeadline(options);
    const headers = headersOf(session);
    return listTools(
      VERSION,
      (params) => resultOf(this.wire, { method: "tools/list", params, headers }, toolsPageSchema, next()),
      options.onLeftOut,
    );
  }

  async readResource(session: Session | null, uri: string, options: CallOptions): Promise<ResourcePart[]> {
    const request = { method: "resources/read", params: { uri }, headers: headersOf(session) };
    return (await resultOf(this.wire, request, resourceSchema, options)).contents;
  }

  async start(
    session: Session | null,
    input: StartInput,
    listener: StreamListener,
    options: CallOptions,
  ): Promise<StartOutcome> {
    const asTask = (input.taskSupport ?? "optional") !== "forbidden";
    const params = {
      name: input.tool,
      arguments: input.arguments,
      ...(asTask ? { task: input.ttlMs === null ? {} : { ttl: input.ttlMs } } : {}),
      // The token stays valid for the task's lifetime, so progress may also arrive on the session's other
      // streams.
      _meta: { [IDEMPOTENCY_KEY]: input.idempotencyKey, progressToken: input.idempotencyKey },
    };
    const request: Request = {
      method: "tools/call",
      params,
      headers: headersOf(session),
      lane: "held",
      resumes: true,
      onId: input.onCall,
    };
    return toOutcome(this.wire.request(request, options, this.sorted(session, listener, options)), options);
  }

  async resume(
    session: Session | null,
    lastEventId: string,
    callId: number,
    listener: StreamListener,
    options: CallOptions,
  ): Promise<StartOutcome> {
    const call = { id: callId, method: "tools/call", headers: headersOf(session), lastEventId };
    return toOutcome(this.wire.resume(call, options, this.sorted(session, listener, options)), options);
  }

  cancelCall(session: Session | null, callId: number, options: CallOptions): Promise<void> {
    const params = { requestId: callId, reason: "cancelled by a person" };
    return this.wire.post({ method: "notifications/cancelled", params }, headersOf(session), options);
  }

  get(task: TaskRef, options: GetOptions): Promise<GetReply> {
    return getTask(this.wire, aboutTask("tasks/get", task), options);
  }

  openResult(
    task: TaskRef,
    listener: StreamListener & { onResult(result: TaskResult): void; onCall?(id: number): void },
    options: CallOptions,
  ): Promise<Stream> {
    const request = { ...aboutTask("tasks/result", task), onId: listener.onCall };
    return this.wire.hold(request, options, {
      ...this.sorted(task.session, listener, options),
      onReply: (reply) => listener.onResult(toTaskResult(reply, options)),
      onClosed: (reason) => listener.onClosed(reason),
    });
  }

  answer(task: TaskRef, address: AskAddress, answer: AnswerBody, options: CallOptions): Promise<void> {
    if (address.kind !== "rpc") throw new TypeError("2025-11-25 addresses its questions by JSON-RPC id");
    return this.wire.post({ id: address.rpcId, result: answer }, headersOf(task.session), options);
  }

  async cancel(task: TaskRef, options: CallOptions): Promise<void> {
    await resultOf(this.wire, { ...aboutTask("tasks/cancel", task), lane: "held" }, anyResult, options);
  }

  post(session: Session, message: ToServer, options: CallOptions): Promise<void> {
    return this.wire.post(message, headersOf(session), options);
  }

  async result(task: TaskRef, _remote: RemoteTask, options: CallOptions): Promise<TaskResult> {
    const reply = await this.wire.request(aboutTask("tasks/result", task), options);
    return toTaskResult(reply, options);
  }

  async subscribe(): Promise<null> {
    return null;
  }

  async list(session: Session | null, limit: number, options: CallOptions): Promise<TaskList | null> {
    let clockOffsetMs: number | null = null;
    const next = underOneDeadline(options);
    const page = async (params: { cursor?: string }) => {
      const request = { method: "tasks/list", params, headers: headersOf(session) };
      const reply = await this.wire.request(request, next());
      const { tasks, nextCursor } = readResult(reply, tasksPageSchema, options);
      clockOffsetMs = clockOffset(reply.headers.date);
      return { items: tasks, nextCursor };
    };
    const read = (item: unknown): [string, RemoteTask] | null => {
      const { data: task } = taskSchema.safeParse(item);
      return task ? [task.taskId, task] : null;
    };
    try {
      const { items } = await readList({ pages: TASK_PAGES, items: limit }, page, read);
      return { tasks: items, clockOffsetMs };
    } catch (error) {
      if (error instanceof PeerError && error.code === "not_supported") return null;
      throw error;
    }
  }

  async close(session: Session | null, options: CallOptions): Promise<void> {
    if (session === null || session.id === null) return;
    const deadlineMs = Math.min(options.deadlineMs, CLOSE_MS);
    await this.wire.remove(headersOf(session), { ...options, deadlineMs }).catch((error: unknown) => {
      // A courtesy: the server may not support it, and ends the session in its own time.
      if (!(error instanceof PeerError)) throw error;
    });
  }

  /** Passes a stream's server messages to the listener, and sends instant replies on the same session. */
  private sorted(session: Session | null, listener: StreamListener, options: CallOptions): StreamHandlers {
    let underWay = 0;
    return {
      onEventId: (eventId) => listener.onEventId(eventId),
      onServerMessage: (message, via) => {
        const reply = sortServerMessage(message, listener, { via, takesTasks: session?.takesTasks });
        if (!reply || underWay >= INSTANT_REPLIES) return;
        const { onMessage } = options;
        underWay++;
        // Lost replies are ignored: the server asks again, or drops the stream, which is noticed.
        this.wire
          .post(reply, headersOf(session), { deadlineMs: INSTANT_REPLY_MS, onMessage })
          .catch(() => {})
          .finally(() => {
            underWay--;
          });
      },
    };
  }
}

function headersOf(session: Session | null): Record<string, string> {
  if (session === null) throw new TypeError("2025-11-25 needs a session");
  return {
    "mcp-protocol-version": session.protocolVersion,
    ...(session.id === null ? {} : { "mcp-session-id": session.id }),
  };
}

function aboutTask(method: string, { taskId, session }: TaskRef): Request {
  return { method, params: { taskId }, headers: headersOf(session) };
}

/** Reads the outcome of a `tools/call`. URLs to visit (-32042) are questions; the call is then repeated. */
export async function toOutcome(reply: Promise<Reply>, options: CallOptions): Promise<StartOutcome> {
  try {
    const result = readResult(await reply, anyResult, options);
    if (result.task !== undefined) {
      return { kind: "task", task: parseResult("tools/call", taskSchema, result.task) };
    }
    const task = taskInMeta(result);
    return task ? { kind: "task", task } : { kind: "result", result: hideIn(result, hidingFor(options)) };
  } catch (error) {
    const questions = error instanceof PeerError && error.rpcError ? urlsToVisit(error.rpcError) : [];
    if (questions.length === 0) throw error;
    return { kind: "input_required", questions, requestState: null };
  }
}

/**
 * Reads the reply to `tasks/result`, which equals the tool call's own reply. A JSON-RPC error therefore is
 * the task's result, unless the error concerns the request itself.
 */
function toTaskResult(reply: Reply, options: CallOptions): TaskResult {
  try {
    return { kind: "result", result: hideIn(readResult(reply, anyResult, options), hidingFor(options)) };
  } catch (error) {
    if (error instanceof PeerError && error.code === "rejected" && error.rpcError) {
      return { kind: "error", error: error.rpcError };
    }
    throw error;
  }
}
