/**
 * Both eras of MCP on the official server package: it judges envelopes, headers and versions, and frames answers. A server
 * is made for each message and forgotten with it; nothing of a client is in memory between two calls.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { env } from "../../base/env.ts";
import { log } from "../../base/log.ts";
import type { Era } from "../../mcp/peer.ts";
import { callParamsSchema, callTool } from "./call-tool.ts";
import { toProtocolError } from "./errors.ts";
import { EVENT_CAPABILITIES, EVENT_METHODS, eventsMethod } from "./events.ts";
import type { Client, Exchange } from "./exchange.ts";
import { INSTRUCTIONS, SERVER_INFO } from "./server-info.ts";
import { SKILL_CAPABILITIES, SKILL_METHODS, skillMethod } from "./skill.ts";
import { cursorParams, parse, TASKS, tasksMethod } from "./tasks.ts";
import { listTools } from "./tools.ts";

/** Intray judges arguments by itself: the package's own validator is never asked, and is costly to make for each message. */
const NO_VALIDATOR = {
  getValidator: () => () => {
    throw new Error("no schema is judged here");
  },
};

const taskParams = { params: z.looseObject({ taskId: z.string() }) };

/**
 * What is answered here, beside EVENT_METHODS in 2026-07-28 where the operator wants drafts. The package by itself answers `initialize` and `ping`, or `server/discover`; LISTEN is
 * refused.
 */
export const METHODS: Record<Era, string[]> = {
  "2025-11-25": ["tools/list", "tools/call", "tasks/get", "tasks/result", "tasks/list", "tasks/cancel"],
  "2026-07-28": [
    ...["tools/list", "tools/call", "tasks/get", "tasks/update", "tasks/cancel"],
    ...SKILL_METHODS,
  ],
};

/**
 * Intray announces nothing. The package would hold a stream open for it all the same, past the limits of held calls, which no
 * revocation ends, and of which all agents together have a certain number.
 */
const LISTEN = "subscriptions/listen";

function serverFor(exchange: Exchange, body: unknown): Server {
  const server = new Server(SERVER_INFO, {
    instructions: INSTRUCTIONS,
    capabilities: {
      tools: { listChanged: false },
      ...(exchange.era === "2025-11-25"
        ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
        : {
            ...SKILL_CAPABILITIES,
            extensions: {
              [TASKS]: {},
              ...SKILL_CAPABILITIES.extensions,
              ...(env().drafts && EVENT_CAPABILITIES),
            },
          }),
    },
    jsonSchemaValidator: NO_VALIDATOR,
  });
  const answer = async (method: string, params: unknown, ctx: ServerContext) => {
    try {
      return (await handle(exchange, method, params, ctx)) as Record<string, unknown>;
    } catch (error) {
      throw toProtocolError(error);
    }
  };
  // A registered tools/call would add an empty `content` to a task. Other methods are left to the package, which refuses them as
  // each era has it: in 2026-07-28 by HTTP's status too.
  if ([body].flat().some((message) => isAnswered(exchange.era, methodOf(message))))
    server.fallbackRequestHandler = ({ method, params }, ctx) => answer(method, params, ctx);
  // These it knows as methods of another revision, unless they are registered with a schema.
  if (exchange.era === "2026-07-28")
    for (const method of ["tasks/get", "tasks/cancel"])
      server.setRequestHandler(method, taskParams, (params, ctx) => answer(method, params, ctx));
  return server;
}

function isAnswered(era: Era, method: string): boolean {
  return (
    METHODS[era].includes(method) || (era === "2026-07-28" && env().drafts && EVENT_METHODS.includes(method))
  );
}

function unknownMethod(message: unknown): Response {
  const { id } = z
    .looseObject({ id: z.union([z.string(), z.number()]).nullable().catch(null) })
    .parse(message);
  const error = { code: ProtocolErrorCode.MethodNotFound, message: "Method not found" };
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 404 });
}

function methodOf(message: unknown): string {
  return z.looseObject({ method: z.string() }).safeParse(message).data?.method ?? "";
}

async function handle(
  exchange: Exchange,
  method: string,
  params: unknown,
  ctx: ServerContext,
): Promise<object> {
  if (exchange.era === "2026-07-28") exchange.client = clientIn(ctx);
  if (method === "tools/list") return listTools(exchange, parse(cursorParams, params)?.cursor);
  if (method === "tools/call") {
    const call = callParamsSchema.safeParse(params ?? {});
    if (!call.success)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The params of tools/call are not valid.");
    return callTool(exchange, call.data, ctx);
  }
  const isModern = exchange.era === "2026-07-28";
  const skill = isModern ? await skillMethod(method, params) : null;
  const events = isModern && env().drafts ? await eventsMethod(exchange, method, params) : null;
  const found = skill ?? events ?? (await tasksMethod(exchange, method, params));
  if (found) return found;
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
}

const envelopeSchema = z.looseObject({
  [CLIENT_INFO_META_KEY]: z
    .looseObject({ name: z.string(), version: z.string() })
    .optional()
    .catch(undefined),
  [CLIENT_CAPABILITIES_META_KEY]: z
    .looseObject({ extensions: z.record(z.string(), z.unknown()).optional() })
    .optional()
    .catch(undefined),
});

/** 2026-07-28: each call says who its client is and what it can do. */
function clientIn(ctx: ServerContext): Client {
  const envelope = envelopeSchema.parse(ctx.mcpReq.envelope ?? {});
  const info = envelope[CLIENT_INFO_META_KEY];
  return {
    name: info?.name ?? null,
    version: info?.version ?? null,
    takesTasks: envelope[CLIENT_CAPABILITIES_META_KEY]?.extensions?.[TASKS] !== undefined,
  };
}

const modern = createMcpHandler(
  ({ authInfo }) => serverFor(authInfo?.extra?.exchange as Exchange, authInfo?.extra?.body),
  {
    legacy: "reject",
    onerror: (error) => log.debug({ err: error }, "a call of an agent was refused by the protocol"),
  },
);

/** Whether a message is of 2025-11-25 or before. */
export function isLegacy(request: Request, body: unknown): Promise<boolean> {
  return isLegacyRequest(request, body);
}

/** Answers a message of either era. Where the exchange wishes to be held, the answer stands for one that comes later. */
export async function speak(request: Request, body: unknown, exchange: Exchange): Promise<Response> {
  if (exchange.era === "2026-07-28") {
    if (methodOf(body) === LISTEN) return unknownMethod(body);
    const { id } = exchange.caller.agent;
    // The factory gets nothing else of ours.
    const authInfo = { token: "", clientId: id, scopes: [], extra: { exchange, body } };
    return modern.fetch(request, { parsedBody: body, authInfo });
  }
  const server = serverFor(exchange, body);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

/** What an answer may be: JSON, or the event stream of a held call. */
export const ANSWERS = "application/json, text/event-stream";

/**
 * Whether `Accept` takes both forms of an answer (RFC 9110, 12.5.1): by name in any case, by `*`, or by not being
 * there. The official server package looks for the names alone.
 */
export function takesAnswers(header: string | null): boolean {
  if (header === null || header.trim() === "") return true;
  const weights = new Map(
    header.split(",").map((range) => {
      const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split("=")[1] ?? "1";
      return [name, Number(weight)];
    }),
  );
  // The most specific range decides.
  return ANSWERS.split(", ").every((type) => {
    const kind = type.replace(/\/.*/, "/*");
    return (weights.get(type) ?? weights.get(kind) ?? weights.get("*/*") ?? 0) > 0;
  });
}
