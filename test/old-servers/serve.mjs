/** A server of an older version, on the official SDK of its time: node serve.mjs <version>. Says its address on stdout. */
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import express from "express";

const version = process.argv[2];
const load = (file) => import(fileURLToPath(import.meta.resolve(`sdk-${version}/${file}`)));
const { Server } = await load("server/index.js");
const types = await load("types.js");

let calls = 0;
const TOOLS = [
  {
    name: "add",
    inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  },
  { name: "slow", inputSchema: { type: "object", properties: {} } },
  { name: "calls", inputSchema: { type: "object", properties: {} } },
  { name: "ask", inputSchema: { type: "object", properties: {} } },
];

function makeServer() {
  const server = new Server({ name: "old", version }, { capabilities: { tools: {} } });
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: TOOLS }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params: { name, arguments: args } }) => {
    if (name === "calls") return text(String(calls));
    calls++;
    if (name === "add") return text(String(args.a + args.b));
    if (name === "ask") {
      // 2025-06-18 alone has questions.
      const requestedSchema = {
        type: "object",
        properties: { approve: { type: "boolean" } },
        required: ["approve"],
      };
      return text(JSON.stringify(await server.elicitInput({ message: "Approve?", requestedSchema })));
    }
    return new Promise(() => undefined);
  });
  return server;
}

const text = (said) => ({ content: [{ type: "text", text: said }] });

const app = express();
const transports = new Map();
if (version === "2024-11-05") {
  const { SSEServerTransport } = await load("server/sse.js");
  app.get("/mcp", async (_, response) => {
    const transport = new SSEServerTransport("/messages", response);
    transports.set(transport.sessionId, transport);
    response.on("close", () => transports.delete(transport.sessionId));
    await makeServer().connect(transport);
  });
  app.post("/messages", async (request, response) => {
    const transport = transports.get(request.query.sessionId);
    if (transport) await transport.handlePostMessage(request, response);
    else response.status(404).end("no such session");
  });
} else {
  const { StreamableHTTPServerTransport } = await load("server/streamableHttp.js");
  app.all("/mcp", async (request, response) => {
    const id = request.headers["mcp-session-id"];
    let transport = transports.get(id);
    if (id !== undefined && !transport) return response.status(404).end();
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (given) => transports.set(given, transport),
      });
      await makeServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
}
const listener = app.listen(Number(process.argv[3] ?? 0), "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${listener.address().port}/mcp`),
);
