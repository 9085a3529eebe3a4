/**
 * A program that speaks MCP on stdin and stdout, as badly as its argument says. Run by tests: `node
 * stdio-server.ts [mode]`. A tool of another name never answers. Modes: none = 2025-11-25, well-behaved;
 * `modern` = 2026-07-28; `mute` = ignores unknown methods; `fussy` = ends at unknown methods; `stubborn` =
 * ignores SIGTERM and the end of its stdin; `dead` = ends at once. The tool decides the effect of a call: see
 * `callTool`.
 */
import { createInterface } from "node:readline";

type Message = { id?: number | string; method?: string; params?: Record<string, unknown>; result?: unknown };

const mode = process.argv[2] ?? "";
if (mode === "dead") process.exit(1);
if (mode === "stubborn") {
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 1_000);
}

const say = (message: unknown) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...(message as object) })}\n`);
const text = (value: unknown) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
const received: string[] = [];
/** The id of the call that waits for the answer to a question, by the question's id. */
const waiting = new Map<number | string, number | string>();

function callTool(id: number | string, name: unknown, params: Record<string, unknown>): void {
  const question = { message: "Sure?", requestedSchema: { type: "object", properties: {} } };
  switch (name) {
    case "echo":
      return void say({ id, result: text(params.arguments) });
    case "heard":
      return void say({ id, result: text(received) });
    case "environment":
      return void say({ id, result: text(process.env) });
    case "ask":
      waiting.set(`q-${id}`, id);
      return void say({ id: `q-${id}`, method: "elicitation/create", params: question });
    case "ask-later":
      say({ id, result: text("asked") });
      return void say({
        id: 0,
        method: "elicitation/create",
        params: { ...question, _meta: { "io.modelcontextprotocol/related-task": { taskId: "t" } } },
      });
    case "garbage":
      process.stdout.write("this is no JSON\n");
      return void say({ id, result: text("after garbage") });
    case "secret":
      process.stderr.write(`the key is ${process.env.API_KEY} ${"x".repeat(10_000)}\n`);
      return void say({ id, result: text("said") });
    case "huge":
      return void process.stdout.write("x".repeat(11 * 1024 * 1024));
    case "die":
      process.exit(3);
      break;
    case "late":
      return void setTimeout(say, 400, { id, result: text("late") });
    case "deaf":
      process.stdin.destroy();
      break;
  }
}

const legacy: Record<string, (id: number | string, params: Record<string, unknown>) => void> = {
  initialize: (id) =>
    say({
      id,
      result: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "stdio", version: "1" },
      },
    }),
  "tools/list": (id) => say({ id, result: { tools: [{ name: "echo", inputSchema: { type: "object" } }] } }),
  "tools/call": (id, params) => callTool(id, params.name, params),
};
const modern: typeof legacy = {
  "server/discover": (id) =>
    say({
      id,
      result: {
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        serverInfo: { name: "stdio", version: "2" },
      },
    }),
  "tools/list": legacy["tools/list"]!,
  "tools/call": (id, params) => say({ id, result: { resultType: "complete", ...text(params._meta) } }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as Message;
  received.push(message.method ?? "response");
  const { id, method, params = {} } = message;
  if (id === undefined) return;
  if (method === undefined) {
    const call = waiting.get(id);
    if (call !== undefined) say({ id: call, result: text(message.result) });
    return;
  }
  const handle = (mode === "modern" ? modern : legacy)[method];
  if (handle) return handle(id, params);
  if (mode === "fussy") process.exit(4);
  if (mode !== "mute") say({ id, error: { code: -32601, message: "Method not found" } });
});
