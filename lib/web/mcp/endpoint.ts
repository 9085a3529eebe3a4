/**
 * `/mcp`, for agents: answered past Next, as calls of the API are (docs/decisions/048), since thousands of its calls may be
 * open at a time. Here: who calls, how often, and how an answer gets on the wire. protocol.ts speaks MCP.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { AppError, notFound } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import { Spent } from "../../base/process/scope.ts";
import type { Era } from "../../mcp/peer.ts";
import { resourceMetadataAddress } from "../agent-oauth/addresses.ts";
import { type AgentCaller, identifyAgent } from "../auth/agent.ts";
import { noteAgentUse } from "../auth/agent-use.ts";
import { originOf } from "../auth/origin.ts";
import { readJson } from "../http/body.ts";
import { toRequest } from "../http/call-server.ts";
import { countCall } from "../http/calls.ts";
import { clientAddress } from "../http/client-address.ts";
import { observe } from "../http/observe.ts";
import { setApiHeaders } from "../http/security-headers.ts";
import { HELD_END_MS } from "../tunables.ts";
import { failureOf } from "./errors.ts";
import type { Client, Exchange } from "./exchange.ts";
import { HeldCall } from "./held/call.ts";
import { streamEvents } from "./held/event-stream.ts";
import { noteFetched } from "./held/fetched.ts";
import { callName, forgetGivenUp, wasGivenUp } from "./held/given-up.ts";
import { hold, leaveCall, refuseTooMany } from "./held/held-calls.ts";
import { HeldStream } from "./held/stream.ts";
import { ANSWERS, isLegacy, speak, takesAnswers } from "./protocol.ts";
import { type Place, readPlace, readSession, type Session, writePlace, writeSession } from "./signed.ts";

const MCP_PATH = "/mcp";
const SESSION_HEADER = "mcp-session-id";
/** The first version whose clients take an empty first event, and go on after it. */
const RESUMABLE_FROM = "2025-11-25";
/** As many as the official server package takes. */
const MOST_OF_BATCH = 100;
const MOST_ID_CHARACTERS = 1_000;
/** Values of all messages, beside the arguments of calls: several schemas of the protocol copy each. */
const MOST_VALUES = 10_000;
/** The longest name and version of a client that its session carries. */
const CLIENT_CHARACTERS = 64;

/** An answer, and the tasks whose results are in it. Null: the call is held open, and is answered by itself. */
type Reply = { response: Response; carries: string[]; caller: AgentCaller } | null;

/** Answers a request if it is one of an agent. Returns false if it is not. */
export function serveAgent(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.url?.split("?", 1)[0] !== MCP_PATH) return false;
  if (request.method === "HEAD") {
    response.writeHead(405, { allow: "POST" }).end();
    return true;
  }
  serve(request, response).catch((error: unknown) => {
    log.error({ err: error, method: request.method }, "An answer to an agent could not be sent");
    response.destroy();
  });
  return true;
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const requestId = randomUUID();
  const headers = new Headers({ "x-request-id": requestId, "cache-control": "no-store" });
  setApiHeaders(headers);
  for (const [name, value] of headers) response.setHeader(name, value);
  const asked = toRequest(request, response);
  const replies: Reply[] = [];
  const answered = await observe(asked, Promise.resolve({}), requestId, new Spent(), async () => {
    try {
      const reply = await answer(asked, response);
      replies.push(reply);
      return reply?.response ?? new Response(null);
    } catch (error) {
      return refused(error, asked);
    }
  });
  const [reply] = replies;
  if (reply === null) return;
  await write(response, answered, () => {
    if (reply) noteFetched(reply.caller.principal.organizationId, reply.carries);
  });
}

async function answer(request: Request, response: ServerResponse): Promise<Reply> {
  const caller = await identifyAgent(request);
  if (request.method === "GET") return goOn(request, response, caller);
  if (request.method !== "POST") throw new AppError("method_not_allowed", "Use POST.");
  const body = await readJson(request);
  if (takesAnswers(request.headers.get("accept"))) request.headers.set("accept", ANSWERS);
  refuseLongBatch(body);
  refuseManyValues(body);
  await countMessages([body].flat(), caller, originOf(request).key);
  refuseOddIds(body);
  const legacy = await isLegacy(request, body);
  const opened = legacy ? openedSession(body, caller) : null;
  const session = opened ?? (legacy ? sessionOf(request, caller) : null);
  const exchange: Exchange = {
    caller,
    era: legacy ? "2025-11-25" : "2026-07-28",
    client: { name: session?.name ?? null, version: session?.version ?? null, takesTasks: false },
    isBatch: Array.isArray(body),
    hold: null,
    stream: null,
    carries: [],
    carried: 0,
    reading: Promise.resolve(),
  };
  if (session) {
    await leaveGivenUp(body, caller, session);
    const id = idSchema.safeParse(body).data?.id;
    if (id !== undefined) forgetGivenUp(callName(session.nonce, id));
  }
  const spoken = await speak(request, body, exchange);
  if (exchange.hold && spoken.ok) {
    refuseTooMany(caller);
    const place = { ...exchange.hold, agent: caller.agent.id, id: idSchema.parse(body).id };
    const version = request.headers.get("mcp-protocol-version") ?? "";
    const isResumable = legacy && version >= RESUMABLE_FROM;
    holdOpen(request, response, caller, { place, era: exchange.era, session, isResumable, isStream: false });
    return null;
  }
  if (exchange.stream && spoken.ok) {
    const address = clientAddress(request.headers.get("x-forwarded-for"));
    streamEvents(response, caller, address, exchange.stream, idSchema.parse(body).id);
    return null;
  }
  if (opened && spoken.ok) spoken.headers.set(SESSION_HEADER, writeSession(opened));
  if (opened || !legacy) noteClient(caller, opened ?? exchange.client);
  return { response: spoken, carries: exchange.carries, caller };
}

/** Before any of it is looked at: each message is judged by all schemas of the protocol. */
function refuseLongBatch(body: unknown): void {
  if (Array.isArray(body) && body.length > MOST_OF_BATCH)
    throw new AppError("invalid_input", `A batch has at most ${MOST_OF_BATCH} messages.`);
}

function refuseManyValues(body: unknown): void {
  const left: unknown[] = [body];
  const ofCalls = new Set([body].flat().filter(callsTool).map(argumentsOf));
  for (let count = 0; left.length > 0; ) {
    const value = left.pop();
    if (typeof value !== "object" || value === null || ofCalls.has(value)) continue;
    for (const each of Object.values(value)) {
      if (++count > MOST_VALUES)
        throw new AppError(
          "invalid_input",
          `A request has at most ${MOST_VALUES} values beside a call's arguments.`,
        );
      left.push(each);
    }
  }
}

/** Every message counts as a call of its own. The first was counted when its caller was identified. */
async function countMessages(messages: unknown[], caller: AgentCaller, originKey: string): Promise<void> {
  for (const [at, message] of messages.entries()) {
    if (at > 0) await countCall(caller, originKey, "GET");
    if (callsTool(message)) await countCall(caller, originKey, "POST");
  }
}

function callsTool(message: unknown): boolean {
  return z.object({ method: z.literal("tools/call") }).safeParse(message).success;
}

function argumentsOf(call: unknown): unknown {
  return z.object({ params: z.object({ arguments: z.unknown() }) }).safeParse(call).data?.params.arguments;
}

const idSchema = z.looseObject({ id: z.union([z.string(), z.number()]) });

/** A held call keeps its id in memory, and a batch has one answer for each: of two with one id, one result would be lost. */
function refuseOddIds(body: unknown): void {
  const seen = new Set<string | number>();
  for (const message of [body].flat()) {
    const id = idSchema.safeParse(message).data?.id;
    if (id === undefined) continue;
    if (String(id).length > MOST_ID_CHARACTERS)
      throw new AppError("invalid_input", `An id has at most ${MOST_ID_CHARACTERS} characters.`);
    if (seen.has(id)) throw new AppError("invalid_input", "Two messages of the batch have one id.");
    seen.add(id);
  }
}

const initializeSchema = z.looseObject({
  method: z.literal("initialize"),
  params: z.looseObject({ clientInfo: z.looseObject({ name: z.string(), version: z.string() }) }),
});

/** The session that an `initialize` of 2025-11-25 opens: no row, since the client carries what is to be known of it. */
function openedSession(body: unknown, { agent }: AgentCaller): Session | null {
  const parsed = initializeSchema.safeParse(body);
  if (!parsed.success) return null;
  const { name, version } = parsed.data.params.clientInfo;
  return {
    agent: agent.id,
    name: name.slice(0, CLIENT_CHARACTERS),
    version: version.slice(0, CLIENT_CHARACTERS),
    nonce: randomUUID(),
  };
}

/** A client without a session is served too. Throws `not_found` for one that is not ours, so that the client begins anew. */
function sessionOf(request: Request, { agent }: AgentCaller): Session | null {
  const header = request.headers.get(SESSION_HEADER);
  if (header === null) return null;
  const session = readSession(header, agent.id);
  if (!session) throw notFound("session");
  return session;
}

const cancelledSchema = z.looseObject({
  method: z.literal("notifications/cancelled"),
  params: z.looseObject({ requestId: z.union([z.string(), z.number()]) }),
});

/** A client of 2025-11-25 that waits no longer says so. That ends its held call, never the task. */
async function leaveGivenUp(body: unknown, caller: AgentCaller, session: Session): Promise<void> {
  for (const message of [body].flat()) {
    const parsed = cancelledSchema.safeParse(message);
    if (parsed.success) await leaveCall(caller, session.nonce, parsed.data.params.requestId);
  }
}

/** What is known of each agent's client, to the minute, and the clients that one agent may have in it. */
const noted = new Map<string, { minute: number; clients: Set<string> }>();
const CLIENTS_A_MINUTE = 10;

function noteClient(
  { principal, agent }: AgentCaller,
  { name, version }: Pick<Client, "name" | "version">,
): void {
  if (name === null) return;
  const minute = Math.floor(Date.now() / 60_000);
  const before = noted.get(agent.id);
  const { clients } = before?.minute === minute ? before : { clients: new Set<string>() };
  const client = {
    name: name.slice(0, CLIENT_CHARACTERS),
    version: version?.slice(0, CLIENT_CHARACTERS) ?? null,
  };
  const known = JSON.stringify(client);
  if (clients.has(known) || clients.size >= CLIENTS_A_MINUTE) return;
  noted.set(agent.id, { minute, clients: clients.add(known) });
  noteAgentUse(principal.organizationId, agent.id, { client }).catch((error: unknown) => {
    log.warn({ err: error }, "What an agent's client says of itself could not be written down");
  });
}

/** Goes on with a held call whose stream broke off. Other streams are not offered: there is nothing to say on them. */
function goOn(request: Request, response: ServerResponse, caller: AgentCaller): null {
  const eventId = request.headers.get("last-event-id");
  if (eventId === null) throw new AppError("method_not_allowed", "Use POST.");
  const session = sessionOf(request, caller);
  const place = readPlace(eventId, caller.agent.id);
  if (!place) throw new AppError("invalid_input", "This Last-Event-ID is not one of ours.");
  refuseTooMany(caller);
  holdOpen(request, response, caller, {
    place,
    era: "2025-11-25",
    session,
    isResumable: true,
    isStream: true,
  });
  return null;
}

function holdOpen(
  request: Request,
  response: ServerResponse,
  caller: AgentCaller,
  held: { place: Place; era: Era; session: Session | null; isResumable: boolean; isStream: boolean },
): void {
  const { place, era, session, isResumable } = held;
  const stream = new HeldStream(response, isResumable ? writePlace(place) : null);
  if (held.isStream) stream.open();
  const { kind, taskId, until, progressToken, id: rpcId } = place;
  const call = new HeldCall({
    kind,
    taskId,
    era,
    rpcId,
    until,
    progressToken,
    session: session?.nonce ?? null,
    stream,
  });
  const leave = hold(caller, clientAddress(request.headers.get("x-forwarded-for")), call);
  // Given up while its task was begun, or while its stream was broken off.
  if (call.name !== null && wasGivenUp(call.name)) void leaveCall(caller, session?.nonce ?? "", rpcId);
  response.once("close", leave);
  // Whoever left before the call was held is told of by no event any more.
  if (response.destroyed || response.closed) leave();
}

/** The whole call is refused: as JSON-RPC says it, under HTTP's status. */
function refused(error: unknown, request: Request): Response {
  const { status, code, message, data, retryAfterMs } = failureOf(error);
  const headers = new Headers();
  if (retryAfterMs !== undefined) headers.set("retry-after", String(Math.ceil(retryAfterMs / 1000)));
  if (status === 401)
    headers.set("www-authenticate", `Bearer resource_metadata="${resourceMetadataAddress()}"`);
  if (status === 405) headers.set("allow", "POST");
  if (status === 401 || status === 403)
    log.info({ code: data.code, method: request.method, path: MCP_PATH }, "a call was refused");
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message, data } }, { status, headers });
}

/** Writes an answer, and calls `taken` once the connection has taken all of it. */
async function write(response: ServerResponse, answered: Response, taken: () => void): Promise<void> {
  for (const [name, value] of answered.headers) response.setHeader(name, value);
  // Whoever does not read is not waited for.
  response.setTimeout(HELD_END_MS, () => response.destroy());
  response.once("finish", () => {
    if (!response.socket?.destroyed) taken();
  });
  response.writeHead(answered.status);
  for await (const chunk of answered.body ?? []) response.write(chunk);
  response.end();
}
