/** The servers of the part, on the official package, in their own process: one tool that answers at once, and 500 tools. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

export interface Urls {
  quick: string;
  many: string;
}

const MANY = 500;

const property = (description: string) => ({ type: "string" as const, description });
const inputSchema = {
  type: "object" as const,
  properties: {
    note: property("What it is about"),
    customer: property("The customer's number"),
    from: property("The first day, as YYYY-MM-DD"),
    to: property("The last day, as YYYY-MM-DD"),
  },
};
const named = (name: string) => ({
  name,
  title: `The tool ${name}`,
  description: "Finds the invoices of a customer between two days, and returns their numbers and amounts.",
  inputSchema,
  annotations: { readOnlyHint: true },
});

const quick = [named("quick")];
const many = Array.from({ length: MANY }, (_, at) => named(`find_${at}`));

function serve(tools: typeof quick): Promise<string> {
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: "bench", version: "1.0.0" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => ({ tools }));
      server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "done" }] }));
      return server;
    },
    { legacy: "reject" },
  );
  const http = createServer(toNodeHandler(handler));
  // A kept connection must not close under a call.
  http.keepAliveTimeout = 120_000;
  return new Promise((resolve) => {
    http.listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`),
    );
  });
}

process.on("disconnect", () => process.exit());
process.send?.({ quick: await serve(quick), many: await serve(many) } satisfies Urls);
