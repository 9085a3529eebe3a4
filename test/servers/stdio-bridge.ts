/**
 * A command server in front of one over streamable HTTP: `node stdio-bridge.ts <url>`. The server's memory
 * outlives this process, but its session of 2025-11-25 does not, as with a command server that keeps its
 * tasks in a database. Run by tests.
 */
import { createInterface } from "node:readline";

interface Message {
  id?: string | number;
  method?: string;
  params?: { name?: string; taskId?: string; _meta?: Record<string, unknown> };
}

const url = process.argv[2]!;
const MODERN = "2026-07-28";
let session: Record<string, string> = {};

createInterface({ input: process.stdin })
  .on("line", (line) => void forward(JSON.parse(line) as Message))
  .on("close", () => process.exit(0));

async function forward(message: Message): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headersOf(message),
    },
    body: JSON.stringify(message),
  });
  const id = response.headers.get("mcp-session-id");
  if (message.method === "initialize" && id !== null)
    session = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
  if (message.method === "notifications/initialized") void listen();
  await tell(response);
}

/** 2026-07-28 repeats parts of the message in headers; 2025-11-25 names its session. */
function headersOf({ method = "", params }: Message): Record<string, string> {
  if (params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== MODERN) return session;
  const name = method === "tools/call" ? params.name : params.taskId;
  return { "mcp-protocol-version": MODERN, "mcp-method": method, ...(name && { "mcp-name": name }) };
}

async function listen(): Promise<void> {
  await tell(await fetch(url, { headers: { accept: "text/event-stream", ...session } }));
}

/** Writes every message of a reply as a line. */
async function tell(response: Response): Promise<void> {
  if (!response.headers.get("content-type")?.includes("event-stream")) {
    const text = await response.text();
    if (text.startsWith("{")) process.stdout.write(`${text}\n`);
    return;
  }
  let rest = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines)
      if (line.startsWith("data:") && line.includes("{")) process.stdout.write(`${line.slice(5).trim()}\n`);
  }
}
