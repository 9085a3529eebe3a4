/** A server of 2026-07-28 on `@modelcontextprotocol/server`, whose tasks all work and report nothing new. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { z } from "zod";
import { answerPart, notePoll, pollMs } from "./counted.ts";

const capabilities = { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
const AT = new Date().toISOString();

function build(): Server {
  const server = new Server({ name: "bench", version: "1.0.0" }, { capabilities });
  server.setRequestHandler("tasks/get", { params: z.looseObject({ taskId: z.string() }) }, ({ taskId }) => {
    notePoll(taskId);
    const times = { createdAt: AT, lastUpdatedAt: AT, ttlMs: null, pollIntervalMs: pollMs };
    return { taskId, status: "working", statusMessage: "Waiting for the approval of the invoice", ...times };
  });
  return server;
}

const http = createServer(toNodeHandler(createMcpHandler(build, { legacy: "reject" })));
// Longer than any pause between polls: a kept-alive connection must not close under a call.
http.keepAliveTimeout = 120_000;
let sockets = 0;
http.on("connection", (socket) => {
  sockets++;
  socket.once("close", () => sockets--);
});
http.listen(0, "127.0.0.1", () =>
  answerPart((http.address() as AddressInfo).port, () => ({ sockets, held: 0 })),
);
