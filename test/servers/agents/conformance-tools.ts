/**
 * A server of 2026-07-28 with the tools that the conformance suite asks for by name, each as the suite describes it. Those whose
 * work takes a while are tasks, of the tasks extension.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, ProtocolError, Server } from "@modelcontextprotocol/server";
import { z } from "zod";

export interface ConformanceTools {
  url: string;
  hostAndPort: string;
  close(): Promise<void>;
}

const TASKS = "io.modelcontextprotocol/tasks";
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const NOTHING = { type: "object" as const, properties: {} };

const text = (line: string) => ({ type: "text" as const, text: line });
const image = { type: "image" as const, data: PIXEL, mimeType: "image/png" };
const resource = (uri: string, mimeType: string, content: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: content },
});

type Content = ReturnType<typeof text> | ReturnType<typeof resource> | typeof image | object;
interface Tool {
  inputSchema?: Record<string, unknown>;
  /** What it answers at once. */
  content?: (args: Record<string, unknown>) => Content[];
  isError?: boolean;
  /** What becomes of its task, after how long at least, and what it says first, at one look after the other. */
  task?: (args: Record<string, unknown>) => { afterMs: number; end: End; says?: string[] };
}
type End = { result: object } | { error: { code: number; message: string } };

const JSON_SCHEMA_2020_12 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

const TOOLS: Record<string, Tool> = {
  test_simple_text: { content: () => [text("This is a simple text response for testing.")] },
  test_image_content: { content: () => [image] },
  test_audio_content: { content: () => [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }] },
  test_embedded_resource: {
    content: () => [
      resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ],
  },
  test_multiple_content_types: {
    content: () => [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: {
    content: () => [text("This tool intentionally returns an error for testing")],
    isError: true,
  },
  test_tool_with_progress: {
    task: () => ({
      afterMs: 1_000,
      end: done("Done"),
      says: ["0 of 100", "40 of 100", "70 of 100", "100 of 100"],
    }),
  },
  test_reconnection: { task: () => ({ afterMs: 4_000, end: done("Reconnected") }) },
  test_custom_headers: {
    inputSchema: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
    },
    content: ({ region }) => [text(`In ${region}`)],
  },
  json_schema_2020_12_tool: { inputSchema: JSON_SCHEMA_2020_12, content: () => [text("Fits")] },
  slow_compute: {
    inputSchema: {
      type: "object",
      properties: { seconds: { type: "number" }, label: { type: "string" } },
      required: ["seconds"],
    },
    task: ({ seconds }) => ({ afterMs: Number(seconds) * 1_000, end: done("Computed") }),
  },
  failing_job: {
    task: () => ({ afterMs: 1_000, end: { result: { content: [text("It failed")], isError: true } } }),
  },
  protocol_error_job: {
    task: () => ({ afterMs: 0, end: { error: { code: -32603, message: "It fell over" } } }),
  },
};

function done(line: string): End {
  return { result: { content: [text(line)] } };
}

interface Job {
  taskId: string;
  createdAt: Date;
  endsAt: number;
  end: End;
  says: string[];
  saidAt: number;
  isCancelled: boolean;
}

export async function startConformanceTools(): Promise<ConformanceTools> {
  const jobs = new Map<string, Job>();
  const handler = toNodeHandler(createMcpHandler(() => serverOver(jobs), { legacy: "reject" }));
  const http = createServer((request, response) => void handler(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const hostAndPort = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url: `http://${hostAndPort}/mcp`,
    hostAndPort,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

const callSchema = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

function serverOver(jobs: Map<string, Job>): Server {
  const server = new Server(
    { name: "conformance-tools", version: "1" },
    { capabilities: { tools: {}, extensions: { [TASKS]: {} } } },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: Object.entries(TOOLS).map(([name, { inputSchema = NOTHING }]) => ({
      name,
      description: `The suite's ${name}`,
      inputSchema: inputSchema as typeof NOTHING,
    })),
  }));
  server.fallbackRequestHandler = async ({ method, params }) => {
    if (method !== "tools/call") throw new ProtocolError(-32601, "Method not found");
    const { name, arguments: args } = callSchema.parse(params);
    const tool = TOOLS[name];
    if (!tool) throw new ProtocolError(-32602, `Unknown tool: ${name}`);
    if (!tool.task) return { content: tool.content?.(args) ?? [], isError: tool.isError ?? false };
    const { afterMs, end, says = [] } = tool.task(args);
    const createdAt = new Date();
    const job = {
      taskId: randomUUID(),
      createdAt,
      endsAt: createdAt.getTime() + afterMs,
      end,
      says: [...says],
      saidAt: 0,
      isCancelled: false,
    };
    jobs.set(job.taskId, job);
    return { resultType: "task", ...described(job, "working") };
  };
  const find = (taskId: string) => {
    const job = jobs.get(taskId);
    if (!job) throw new ProtocolError(-32602, "Task not found");
    return job;
  };
  const params = z.looseObject({ taskId: z.string() });
  server.setRequestHandler("tasks/get", { params }, ({ taskId }) => {
    const job = find(taskId);
    if (job.isCancelled) return described(job, "cancelled");
    if (Date.now() < job.endsAt) return described(job, "working");
    if (job.says.length > 0) return said(job);
    return "result" in job.end
      ? { ...described(job, "completed"), result: { resultType: "complete", ...job.end.result } }
      : { ...described(job, "failed"), error: job.end.error };
  });
  server.setRequestHandler("tasks/cancel", { params }, ({ taskId }) => {
    const job = find(taskId);
    if (Date.now() < job.endsAt) job.isCancelled = true;
    return {};
  });
  return server;
}

/** How long what a task says stands at least: whoever passes it on looks a few times a second. */
const STANDS_MS = 1_200;

/** The task, which says the next thing at each look. It goes by looks and not by time, since a slow machine looks seldom. */
function said(job: Job) {
  const statusMessage = job.says[0];
  if (Date.now() - job.saidAt >= STANDS_MS) {
    job.saidAt = Date.now();
    job.says.shift();
  }
  return { ...described(job, "working"), statusMessage };
}

function described({ taskId, createdAt }: Job, status: string) {
  return {
    taskId,
    status,
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: createdAt.toISOString(),
    ttlMs: 3_600_000,
    pollIntervalMs: 200,
  };
}
