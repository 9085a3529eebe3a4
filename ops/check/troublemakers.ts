/** What goes wrong outside of Intray: an MCP server that refuses answers, and a receiver of webhooks that is gone. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Front {
  url: string;
  hostAndPort: string;
  close(): Promise<void>;
}

/** In front of a real server: answers are refused (-32600), all else goes through. */
export async function refuseAnswers(behind: string): Promise<Front> {
  return listen(async (request) => {
    const body = await read(request);
    if (request.headers["mcp-method"] === "tasks/update") {
      const { id } = JSON.parse(body) as { id: unknown };
      const error = { code: -32600, message: "No." };
      return Response.json({ jsonrpc: "2.0", id, error });
    }
    const headers = Object.entries(request.headers).filter(
      ([name]) => name.startsWith("mcp-") || name === "content-type" || name === "accept",
    ) as [string, string][];
    return fetch(behind, { method: request.method, headers, ...(body !== "" && { body }) });
  });
}

/** Answers 410 to everything. */
export function gone(): Promise<Front> {
  return listen(async () => new Response(null, { status: 410 }));
}

async function listen(answer: (request: IncomingMessage) => Promise<Response>): Promise<Front> {
  const server = createServer(async (request, response) => {
    const reply = await answer(request);
    const type = reply.headers.get("content-type") ?? "application/json";
    response.writeHead(reply.status, { "content-type": type }).end(await reply.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hostAndPort = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${hostAndPort}/mcp`, hostAndPort, close: () => end(server) };
}

async function end(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function read(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
}
