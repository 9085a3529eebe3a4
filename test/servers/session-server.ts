/**
 * A server of 2025-11-25 in memory and in this process, fully controlled by the test: it asks on the
 * standalone stream, or on each `tasks/result`, and treats answers as told. One tool, under any name. As
 * strict as real servers: a task belongs to its session, which alone finds and lists it, and an answer counts
 * for its session's question.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Id = string | number;
interface Message {
  id?: Id;
  method?: string;
  params?: { taskId?: string; task?: unknown; requestId?: Id; _meta?: Record<string, unknown> };
  result?: unknown;
}
type Status = "working" | "input_required" | "completed" | "failed" | "cancelled";

export interface SessionTask {
  taskId: string;
  session: string;
  status: Status;
  statusMessage?: string;
  createdAt: string;
  ttl: number | null;
  pollInterval: number;
}

/** A tools/call that is no task: its stream is open until the test ends it. */
export interface PlainCall {
  session: string;
  id: Id;
  /** Asks on the call's own stream. */
  ask(message: string): number;
  progress(progress: number, total: number): void;
  finish(text: string): void;
  /** Cuts the connection. */
  cut(): void;
  /** Goes on with the stream in this reply: all that was said is said again. */
  goOn(response: ServerResponse): void;
}

export interface SessionServer {
  url: string;
  hostAndPort: string;
  tasks: SessionTask[];
  calls: PlainCall[];
  /** Calls that the client cancelled explicitly. */
  givenUp: Id[];
  /** Answers as they arrived, taken or not. */
  answered: { session: string; id: Id; result: unknown }[];
  /** Every request, in order of arrival; "GET" and "DELETE" for those without a message. */
  seen: { method: string; session: string; lastEventId: string | undefined }[];
  /** Requests, streams among them, that wait for the end of their reply now. */
  readonly open: number;
  behave: {
    /** The status of the standalone stream's reply, where it is not opened. */
    listen?: number;
    /** Before the reply to tools/call: a status refuses it, "drop" makes the task and cuts the connection. */
    call?: (task: SessionTask) => Promise<number | "drop" | undefined> | number | "drop" | undefined;
    get?: (task: SessionTask) => Promise<void> | void;
    /** Every tasks/get is refused with 429 and a Retry-After of an hour. */
    busy?: boolean;
    /** The standalone stream sends no headers before its first event, which the protocol allows. */
    lateHeaders?: boolean;
    /** The id of the next question of any session. */
    nextId?: number;
    answer?: (task: SessionTask, id: Id) => void;
    /** The status of the reply to an answer, where it is not taken. */
    refusesAnswer?: (id: Id) => number | undefined;
    /** Answers whose connection is cut before they are read. */
    unread?: (id: Id) => boolean;
    /** Before the 202 to an answer. */
    beforeAccepted?: () => Promise<void>;
    /** A question that each tasks/result puts again, with a new id. */
    reissues?: string;
    /** The error that tasks/result answers with, "early" ones while the task has not ended. */
    resultError?: { code: number; message: string; early?: true };
    /** How far the server's clock is ahead, in ms. */
    clockMs?: number;
    cancel?: "unsupported";
    /** An address to be visited before the tool is run: -32042 until it is unset. */
    visitFirst?: string;
    /** Lists the tasks of the session. */
    lists?: boolean;
    /** Tasks belong to the server: any session finds and lists them, and the last to ask owns them. */
    acrossSessions?: boolean;
    /** An unknown task is HTTP 404 with the JSON-RPC error, not 200. */
    missing?: "http";
    /** Acts on requests of this method, and cuts the connection half-way through the reply. */
    cut?: (method: string) => boolean;
    /** Answers requests of this method by a JSON-RPC error with 64 KiB of data, in HTTP 200. */
    garbage?: (method: string) => boolean;
    /** Most sessions that the server opens. */
    maxSessions?: number;
    /** Names the task with each question. */
    namesTask?: boolean;
    /** Streams have one event id, at their beginning. A GET that names it continues that stream; a plain call's from there. */
    resumable?: boolean;
    /** Each message of a session's standalone stream has an event id, and a GET that names one goes on after it. */
    numbered?: boolean;
  };
  /** Asks on the standalone stream of the task's session. Returns null if nobody listens. */
  ask(task: SessionTask, message: string): number | null;
  notify(task: SessionTask, method: string, params: Record<string, unknown>): void;
  /** Sends a request that clients answer at once; earlier messages of the stream have arrived by then. */
  ping(task: SessionTask): Promise<void>;
  forgetSessions(): void;
  /** Restarts the JSON-RPC ids of its questions in all sessions, which live on. */
  restartIds(): void;
  close(): Promise<void>;
}

export async function startSessionServer(): Promise<SessionServer> {
  const sessions = new Map<string, { nextId: number; stream: ServerResponse | null; said: string[] }>();
  const tasks: SessionTask[] = [];
  const answered: SessionServer["answered"] = [];
  const seen: SessionServer["seen"] = [];
  const calls: PlainCall[] = [];
  const givenUp: Id[] = [];
  const pings = new Map<Id, () => void>();
  const behave: SessionServer["behave"] = {};
  let open = 0;

  const now = () => Date.now() + (behave.clockMs ?? 0);
  /** `lastUpdatedAt` is always now, as with some real servers. */
  const shown = ({ session: _, ...task }: SessionTask) => {
    return { ...task, lastUpdatedAt: new Date(now()).toISOString() };
  };
  const elicitation = (session: string, message: string, taskId?: string) => {
    const state = sessions.get(session)!;
    const id = behave.nextId ?? state.nextId++;
    const requestedSchema = { type: "object", properties: { approve: { type: "boolean" } } };
    const _meta = taskId && behave.namesTask ? { "io.modelcontextprotocol/related-task": { taskId } } : {};
    return { jsonrpc: "2.0", id, method: "elicitation/create", params: { message, requestedSchema, _meta } };
  };
  const openStream = (response: ServerResponse, name: string) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    if (behave.resumable) response.write(`id: ${name}\ndata:\n\n`);
  };
  const write = (response: ServerResponse, message: unknown) => {
    if (!response.headersSent) openStream(response, "standalone");
    response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  };

  function hold(session: string, { id, params }: Message, first: ServerResponse): void {
    let response = first;
    const said: unknown[] = [];
    openStream(response, "call");
    const progressToken = params?._meta?.progressToken;
    calls.push({
      session,
      id: id!,
      ask(message) {
        const asked = elicitation(session, message);
        said.push(asked);
        write(response, asked);
        return asked.id;
      },
      goOn(next) {
        response = next;
        openStream(response, "call");
        for (const message of said) write(response, message);
      },
      progress(progress, total) {
        const params = { progressToken, progress, total };
        write(response, { jsonrpc: "2.0", method: "notifications/progress", params });
      },
      finish(text) {
        write(response, { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });
        response.end();
      },
      cut: () => void response.destroy(),
    });
  }

  async function onCall(session: string, message: Message, response: ServerResponse): Promise<void> {
    const { id, params } = message;
    if (!params?.task) return hold(session, message, response);
    const task: SessionTask = {
      taskId: randomUUID(),
      session,
      status: "working",
      createdAt: new Date(now()).toISOString(),
      ttl: null,
      pollInterval: 50,
    };
    const refusal = await behave.call?.(task);
    if (typeof refusal === "number") return void response.writeHead(refusal).end();
    tasks.push(task);
    if (refusal === "drop") return void response.destroy();
    openStream(response, "call");
    write(response, { jsonrpc: "2.0", id, result: { task: shown(task) } });
    response.end();
  }

  async function onMessage(session: string, message: Message, response: ServerResponse): Promise<void> {
    const { id, method, params } = message;
    const reply = (result: object, status = 200) => {
      const text = JSON.stringify({ jsonrpc: "2.0", id, ...result });
      response.writeHead(status, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
      });
      if (!behave.cut?.(method ?? "response")) return void response.end(text);
      response.write(text.slice(0, text.length / 2), () => response.destroy());
    };
    if (method === undefined) {
      const pong = pings.get(id!);
      if (pong) {
        response.writeHead(202).end();
        return pong();
      }
      if (behave.unread?.(id!)) return void response.destroy();
      answered.push({ session, id: id!, result: message.result });
      const refusal = behave.refusesAnswer?.(id!);
      if (refusal !== undefined) {
        const error = { code: -32602, message: "No such question" };
        response.writeHead(refusal, { "content-type": "application/json" });
        return void response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
      }
      await behave.beforeAccepted?.();
      if (behave.cut?.("response")) response.destroy();
      else response.writeHead(202).end();
      const task = tasks.find((one) => one.session === session);
      if (task) behave.answer?.(task, id!);
      return;
    }
    if (id === undefined) {
      if (method === "notifications/cancelled") givenUp.push(params!.requestId!);
      return void response.writeHead(202).end();
    }
    if (behave.garbage?.(method)) {
      const data = Array.from({ length: 64 }, () => randomUUID().slice(0, 1).repeat(1024));
      return void reply({ error: { code: -32603, message: "Internal error", data } });
    }
    if (method === "tools/call" && behave.visitFirst) {
      const elicitations = [
        { mode: "url", message: "Sign in first", url: behave.visitFirst, elicitationId: "visit-1" },
      ];
      return void reply({ error: { code: -32042, message: "Visit first", data: { elicitations } } });
    }
    if (method === "tools/call") return onCall(session, message, response);
    const isFound = (one: SessionTask) => behave.acrossSessions || one.session === session;
    if (method === "tasks/list" && behave.lists)
      return void reply({ result: { tasks: tasks.filter(isFound).map(shown) } });
    const task = tasks.find((one) => one.taskId === params?.taskId && isFound(one));
    if (!task) {
      const error = { code: -32602, message: "Task not found" };
      return void reply({ error }, behave.missing === "http" ? 404 : 200);
    }
    // A task found from another session belongs to that session from now on.
    task.session = session;
    if (method === "tasks/get" && behave.busy)
      return void response.writeHead(429, { "retry-after": "3600" }).end();
    if (method === "tasks/get") {
      await behave.get?.(task);
      return void reply({ result: shown(task) });
    }
    if (method === "tasks/cancel") {
      if (behave.cancel === "unsupported")
        return void reply({ error: { code: -32601, message: "Method not found" } });
      task.status = "cancelled";
      return void reply({ result: shown(task) });
    }
    const ended = ["completed", "failed"].includes(task.status);
    const { early, ...error } = behave.resultError ?? {};
    if (behave.resultError && !(early && ended)) return void reply({ error });
    if (ended) return void reply({ result: { content: [{ type: "text", text: "done" }] } });
    openStream(response, "result");
    if (behave.reissues !== undefined) write(response, elicitation(session, behave.reissues, task.taskId));
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = (chunks.length > 0 ? JSON.parse(String(Buffer.concat(chunks))) : {}) as Message;
    const session = String(request.headers["mcp-session-id"] ?? "");
    const lastEventId = request.headers["last-event-id"] as string | undefined;
    const method = request.method === "POST" ? (message.method ?? "response") : request.method!;
    seen.push({ method, session, lastEventId });
    if (method === "initialize" && sessions.size >= (behave.maxSessions ?? Number.POSITIVE_INFINITY))
      return void response.writeHead(503).end("Too many sessions");
    if (method === "initialize") {
      const fresh = randomUUID();
      sessions.set(fresh, { nextId: 0, stream: null, said: [] });
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": fresh });
      const serverInfo = { name: "session-server", version: "1.0.0" };
      const result = { protocolVersion: "2025-11-25", capabilities: { tasks: {} }, serverInfo };
      return void response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    }
    const state = sessions.get(session);
    if (!state) return void response.writeHead(404).end('{"error":"Session not found"}');
    if (method === "DELETE") {
      sessions.delete(session);
      return void response.writeHead(200).end();
    }
    if (method !== "GET") return onMessage(session, message, response);
    if (behave.listen) return void response.writeHead(behave.listen).end();
    const resumesOther = behave.resumable && lastEventId !== undefined && lastEventId !== "standalone";
    if (!resumesOther) {
      if (state.stream) return void response.writeHead(409).end();
      state.stream = response;
      response.on("close", () => {
        if (state.stream === response) state.stream = null;
      });
    }
    const plain = resumesOther && calls.find((call) => call.session === session);
    if (plain) return plain.goOn(response);
    if (behave.lateHeaders) response.setHeader("content-type", "text/event-stream");
    else openStream(response, resumesOther ? lastEventId : "standalone");
    if (behave.numbered && lastEventId !== undefined) {
      const after = Number(lastEventId);
      for (const [at, text] of state.said.entries()) if (at > after) response.write(text);
    }
  }

  const http = createServer((request, response) => {
    open++;
    response.on("close", () => open--);
    response.setHeader("date", new Date(now()).toUTCString());
    void handle(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const hostAndPort = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url: `http://${hostAndPort}/mcp`,
    hostAndPort,
    tasks,
    calls,
    givenUp,
    answered,
    seen,
    behave,
    get open() {
      return open;
    },
    ask(task, message) {
      const stream = sessions.get(task.session)?.stream;
      if (!stream) return null;
      const asked = elicitation(task.session, message, task.taskId);
      if (behave.numbered) {
        const { said } = sessions.get(task.session)!;
        said.push(`id: ${said.length}\nevent: message\ndata: ${JSON.stringify(asked)}\n\n`);
        stream.write(said.at(-1)!);
      } else write(stream, asked);
      return asked.id;
    },
    notify(task, method, params) {
      const stream = sessions.get(task.session)?.stream;
      if (stream) write(stream, { jsonrpc: "2.0", method, params });
    },
    ping(task) {
      const id = `ping-${randomUUID()}`;
      write(sessions.get(task.session)!.stream!, { jsonrpc: "2.0", id, method: "ping" });
      return new Promise((resolve) => pings.set(id, resolve));
    },
    forgetSessions() {
      for (const { stream } of sessions.values()) stream?.destroy();
      sessions.clear();
    },
    restartIds() {
      for (const state of sessions.values()) state.nextId = 0;
    },
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
