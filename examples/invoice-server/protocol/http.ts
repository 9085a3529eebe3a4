import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { NodeMcpRequestHandler } from "@modelcontextprotocol/node";
import { localhostHostValidation, localhostOriginValidation, toWebRequest } from "@modelcontextprotocol/node";
import { isLegacyRequest } from "@modelcontextprotocol/server";
import { z } from "zod";
import { isLoopback } from "../config.ts";
import type { Operations } from "../invoices/operations.ts";
import { NothingToForce } from "../invoices/payments.ts";
import { log } from "../log.ts";
import type { PageHandler } from "../office/page.ts";
import type { Sessions } from "./sessions.ts";

/**
 * One port: `/mcp` for both eras, `/healthz`, and, for this machine only, the pages of URL questions and the
 * operator's requests.
 */
export type Handlers = {
  sessions: Sessions;
  modern: NodeMcpRequestHandler;
  operations: Operations;
  page: PageHandler;
};

const MAX_BODY_BYTES = 1024 * 1024;
const target = z
  .object({
    taskId: z.string().min(1).optional(),
    invoiceId: z.string().min(1).optional(),
    line: z.int().positive().optional(),
  })
  .refine(({ taskId, invoiceId }) => Boolean(taskId) !== Boolean(invoiceId), "Name a taskId or an invoiceId");

// Against DNS rebinding: a web page must not reach a server on this machine through its own host name.
const fromThisMachine = localhostHostValidation();
const fromLocalPage = localhostOriginValidation();

export function createHttpServer(host: string, handlers: Handlers): Server {
  return createServer((req, res) => {
    route(host, handlers, req, res).catch((error: unknown) => {
      if (error instanceof HttpError) return json(res, error.status, { error: error.message });
      log.error(`${req.method} ${req.url}`, error);
      if (res.headersSent) res.destroy();
      else json(res, 500, { error: "Internal error" });
    });
  });
}

async function route(
  host: string,
  handlers: Handlers,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const url = new URL(req.url ?? "/", "http://localhost");
  const open = !isLoopback(host) && (url.pathname === "/mcp" || url.pathname === "/healthz");
  if (!open && (!fromThisMachine(req, res) || !fromLocalPage(req, res))) return;
  if (!open && !isLocalAddress(req)) throw new HttpError(403, "Only this machine may ask that");
  const [, confirm, elicitationId] = url.pathname.split("/");
  if (confirm === "confirm" && elicitationId && (req.method === "GET" || req.method === "POST"))
    return handlers.page(req, res, elicitationId);
  switch (`${url.pathname === "/mcp" ? "" : `${req.method} `}${url.pathname}`) {
    case "/mcp":
      return mcp(handlers, req, res);
    case "GET /healthz":
      return json(res, 200, { ok: true });
    case "GET /invoices":
      return json(res, 200, { invoices: await handlers.operations.invoices() });
    case "GET /ledger":
      return json(res, 200, { entries: await handlers.operations.ledger(url.searchParams.get("taskId")) });
    case "POST /force-pay":
      return forcePay(handlers.operations, req, res);
    default:
      throw new HttpError(404, "Not found");
  }
}

async function mcp({ sessions, modern }: Handlers, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method !== "POST") return sessions.handle(req, res);
  const body = await readJson(req);
  if (body === undefined) {
    return json(res, 400, { jsonrpc: "2.0", error: { code: -32700, message: "Parse error" }, id: null });
  }
  const legacy = await isLegacyRequest(await toWebRequest(req, body), body);
  await (legacy ? sessions.handle(req, res, body) : modern(req, res, body));
}

async function forcePay(operations: Operations, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const parsed = target.safeParse(await readJson(req));
  if (!parsed.success) throw new HttpError(400, parsed.error.issues.map((issue) => issue.message).join("; "));
  try {
    json(res, 200, await operations.forcePay(parsed.data));
  } catch (error) {
    if (error instanceof NothingToForce) throw new HttpError(409, error.message);
    throw error;
  }
}

class HttpError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Returns the parsed body, or undefined for invalid JSON. Throws HttpError 413 for a large body. */
async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new HttpError(413, "The body is too large");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (error) {
    log.debug("a body is not JSON", error);
    return undefined;
  }
}

function json(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function isLocalAddress(req: IncomingMessage): boolean {
  const address = req.socket.remoteAddress?.replace(/^::ffff:/, "") ?? "";
  return isLoopback(address);
}
