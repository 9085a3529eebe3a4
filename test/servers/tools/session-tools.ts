/**
 * A server of 2025-11-25 on the official package 1.x, in this process, whose tools answer at once: `submit` begins a job, and
 * `status` says how it stands, or is
 * refused for a job of another name. It gives every client a session and ends that only when it is asked to.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

export interface SessionTools {
  url: string;
  /** Ids of the sessions that are open. */
  sessions: Map<string, StreamableHTTPServerTransport>;
  /** How every job stands. */
  state: string;
  /** How often that was asked. */
  asked: number;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. The caller closes it. */
export async function startSessionTools(): Promise<SessionTools> {
  const sessions: SessionTools["sessions"] = new Map();

  function newServer(): McpServer {
    const server = new McpServer({ name: "session-tools", version: "1.0.0" });
    const said = (structuredContent: Record<string, unknown>) => ({
      content: [{ type: "text" as const, text: JSON.stringify(structuredContent) }],
      structuredContent,
    });
    server.registerTool("submit", { inputSchema: {} }, async () => said({ job: "J-1" }));
    server.registerTool(
      "status",
      { inputSchema: { job: z.literal("J-1") }, annotations: { readOnlyHint: true } },
      async () => {
        remote.asked++;
        return said({ state: remote.state });
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
      let transport = typeof id === "string" ? sessions.get(id) : undefined;
      if (!transport && isInitializeRequest(body)) {
        const opened = new StreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          onsessioninitialized: (session) => void sessions.set(session, opened),
          onsessionclosed: (session) => void sessions.delete(session),
        });
        await newServer().connect(opened as never);
        transport = opened;
      }
      if (!transport) return void response.writeHead(404).end('{"error":"Session not found"}');
      await transport.handleRequest(request, response, body);
    })();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));

  const remote: SessionTools = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    sessions,
    state: "WORKING",
    asked: 0,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return remote;
}
