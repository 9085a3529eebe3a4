/** The stateless era with the extension `io.modelcontextprotocol/tasks` (SEP-2663): calls are independent. */
import { z } from "zod";
import { CLIENT_INFO, ELICITATION, IDEMPOTENCY_KEY, underOneDeadline } from "./client.ts";
import {
  acknowledgedSchema,
  inputRequiredSchema,
  type ServerMessage,
  statusSchema,
  taskInMeta,
  taskSchema,
} from "./messages.ts";
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
  TaskRef,
  TaskResult,
  Tool,
} from "./peer.ts";
import { PeerError } from "./peer-error.ts";
import { type ResourcePart, resourceSchema } from "./resources.ts";
import { listTools, toolsPageSchema } from "./tools.ts";
import { Deadline } from "./wire/deadline.ts";
import { headerValue, parameterHeaders } from "./wire/headers.ts";
import { getTask, parseResult, type Request, readResult, resultOf, type Wire } from "./wire/wire.ts";

/** `subscriptions/listen` of 2026-07-28 for tasks, by which a server reports each task's changes. */
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const CHANGED = "notifications/tasks";

/** Returns a stream, or null if the server lacks the method or agrees to report none of these tasks. */
async function subscribe(
  wire: Wire,
  request: Request,
  taskIds: string[],
  listener: StreamListener,
  options: CallOptions,
): Promise<Stream | null> {
  const wanted = new Set(taskIds);
  const honoured = Promise.withResolvers<boolean>();
  let isHandedOut = false;
  let failure: PeerError | null = null;
  // Avoids an unhandled rejection if opening the stream fails before the promise is awaited.
  honoured.promise.catch(() => {});
  const deadline = new Deadline(options, honoured.reject);
  const onServerMessage = ({ method, params }: ServerMessage) => {
    if (method === ACKNOWLEDGED) {
      const accepted = acknowledgedSchema.safeParse(params).data?.notifications.taskIds ?? [];
      honoured.resolve(accepted.some((taskId) => wanted.has(taskId)));
    } else if (method === CHANGED) {
      const taskId = statusSchema.safeParse(params).data?.taskId;
      if (taskId !== undefined && wanted.has(taskId)) listener.onStatus(taskId);
    }
  };
  try {
    const stream = await wire.hold(request, options, {
      onServerMessage,
      onEventId: () => {},
      // A reply ends or refuses the subscription.
      onReply(reply) {
        try {
          readResult(reply, z.unknown(), options);
        } catch (error) {
          failure = error as PeerError;
          throw error;
        }
      },
      onClosed(reason) {
        if (isHandedOut) return listener.onClosed(reason);
        if (reason === "ended") honoured.resolve(false);
        else honoured.reject(failure ?? new PeerError("unreachable", "maybe", "The subscription broke off"));
      },
    });
    isHandedOut = await honoured.promise.catch((error: unknown) => {
      stream.close();
      throw error;
    });
    if (isHandedOut) return stream;
    stream.close();
    return null;
  } catch (error) {
    if (error instanceof PeerError && ["not_supported", "rejected"].includes(error.code)) return null;
    throw error;
  } finally {
    deadline.met();
  }
}

const VERSION = "2026-07-28";
const TASKS = "io.modelcontextprotocol/tasks";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const META = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientInfo": CLIENT_INFO,
  [CAPABILITIES]: { ...ELICITATION, extensions: { [TASKS]: {} } },
};
/** Limits rounds without a question, in which a server only passes its state back and forth. */
const MAX_SILENT_ROUNDS = 5;

const anyResult = z.record(z.string(), z.unknown());

/** Frames a request for this era. `name` is the tool's name, the task id or the resource's address. */
export function requestOf(
  method: string,
  params: Record<string, unknown>,
  name?: string,
  meta = {},
): Request {
  return {
    method,
    params: { ...params, _meta: { ...META, ...meta } },
    headers: {
      "mcp-protocol-version": VERSION,
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": headerValue(name) }),
    },
  };
}

export class Peer20260728 implements Peer {
  readonly era = VERSION;
  private readonly wire: Wire;

  constructor(wire: Wire) {
    this.wire = wire;
  }

  async open(): Promise<Session | null> {
    return null;
  }

  async listen(): Promise<null> {
    return null;
  }

  listTools(_session: Session | null, options: ListOptions): Promise<Tool[]> {
    const next = underOneDeadline(options);
    return listTools(
      VERSION,
      (params) => resultOf(this.wire, requestOf("tools/list", params), toolsPageSchema, next()),
      options.onLeftOut,
    );
  }

  async readResource(_session: Session | null, uri: string, options: CallOptions): Promise<ResourcePart[]> {
    const request = requestOf("resources/read", { uri }, uri);
    return (await resultOf(this.wire, request, resourceSchema, options)).contents;
  }

  async start(
    _session: Session | null,
    input: StartInput,
    _listener: StreamListener,
    options: CallOptions,
  ): Promise<StartOutcome> {
    const next = underOneDeadline(options);
    const { retry } = input;
    let extra = retry ? { inputResponses: retry.inputResponses, ...stateOf(retry.requestState) } : {};
    for (let round = 0; round < MAX_SILENT_ROUNDS; round++) {
      const params = { name: input.tool, arguments: input.arguments, ...extra };
      const request = requestOf("tools/call", params, input.tool, {
        [IDEMPOTENCY_KEY]: input.idempotencyKey,
      });
      Object.assign(request.headers, parameterHeaders(input.inputSchema, input.arguments));
      request.onId = input.onCall;
      // With `replyWithinMs`, each round gets its own time for the reply, and the deadline covers each
      // round's sending.
      const round = options.replyWithinMs === undefined ? next() : options;
      const result = await resultOf(this.wire, { ...request, lane: "held" }, anyResult, round);

      if (result.resultType === "task") {
        return { kind: "task", task: parseResult("tools/call", taskSchema, result) };
      }
      if (result.resultType !== "input_required") {
        const task = taskInMeta(result);
        return task ? { kind: "task", task } : { kind: "result", result };
      }
      const { questions, asks, requestState } = parseResult("tools/call", inputRequiredSchema, result);
      // The call is repeated from what is kept, which is no key that can't be kept.
      if (questions.some(({ address }) => address.kind === "key" && address.original !== undefined)) break;
      if (questions.length > 0) return { kind: "input_required", questions, requestState };
      if (asks || requestState === null) break;
      extra = stateOf(requestState);
    }
    throw new PeerError("not_supported", "yes", "The tool asks for what Intray cannot give");
  }

  async resume(): Promise<never> {
    throw new PeerError("unreachable", "maybe", "2026-07-28 can't go on with a reply that broke off");
  }

  async cancelCall(): Promise<void> {}

  get(task: TaskRef, options: GetOptions): Promise<GetReply> {
    return getTask(this.wire, requestOf("tasks/get", { taskId: task.taskId }, task.taskId), options);
  }

  async openResult(): Promise<null> {
    return null;
  }

  async answer(task: TaskRef, address: AskAddress, answer: AnswerBody, options: CallOptions): Promise<void> {
    if (address.kind !== "key") throw new TypeError("2026-07-28 addresses its questions by key");
    const params = { taskId: task.taskId, inputResponses: { [address.original ?? address.key]: answer } };
    await resultOf(
      this.wire,
      { ...requestOf("tasks/update", params, task.taskId), lane: "held" },
      anyResult,
      options,
    );
  }

  async cancel(task: TaskRef, options: CallOptions): Promise<void> {
    const request = requestOf("tasks/cancel", { taskId: task.taskId }, task.taskId);
    await resultOf(this.wire, { ...request, lane: "held" }, anyResult, options);
  }

  async result(_task: TaskRef, remote: RemoteTask): Promise<TaskResult> {
    if (remote.status === "failed") return { kind: "error", error: remote.error ?? null };
    return { kind: "result", result: remote.result ?? null };
  }

  subscribe(taskIds: string[], listener: StreamListener, options: CallOptions): Promise<Stream | null> {
    const request = requestOf("subscriptions/listen", {
      notifications: { taskIds: [...new Set(taskIds)] },
    });
    return subscribe(this.wire, { ...request, lane: "held" }, taskIds, listener, options);
  }

  async list(): Promise<null> {
    return null;
  }

  async post(): Promise<void> {
    throw new TypeError("2026-07-28 has no requests of servers to answer");
  }

  async close(): Promise<void> {}
}

/** Returns the opaque state, echoed byte for byte, or nothing if the server sent none. */
const stateOf = (requestState: string | null) => (requestState === null ? {} : { requestState });
