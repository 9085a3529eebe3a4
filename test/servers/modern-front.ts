/** Behaviour of 2026-07-28 servers ahead of their protocol code, which the official package lacks. */
import type { IncomingMessage, ServerResponse } from "node:http";

export interface Front {
  /** A header that each tools/call must have; without it the answer is -32020. */
  requireHeader?: string;
  /** Honours `subscriptions/listen` for tasks. */
  subscribes?: boolean;
}

export interface Subscriptions {
  /** Task ids of the open streams. */
  readonly taskIds: string[][];
  /** Tells every open stream that a task changed. */
  notify(taskId: string): void;
}

export function createFront(behave: Front) {
  const streams = new Map<ServerResponse, string[]>();
  const subscriptions: Subscriptions = {
    get taskIds() {
      return [...streams.values()];
    },
    notify(taskId) {
      for (const response of streams.keys())
        send(response, "notifications/tasks", { taskId, status: "working" });
    },
  };
  /** Returns true if the request was answered. */
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const method = request.headers["mcp-method"];
    const { requireHeader } = behave;
    if (method === "tools/call" && requireHeader && !(requireHeader in request.headers)) {
      const error = { code: -32020, message: "Header mismatch" };
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
      return true;
    }
    if (method !== "subscriptions/listen" || !behave.subscribes) return false;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { params } = JSON.parse(String(Buffer.concat(chunks)));
    const { taskIds } = params.notifications as { taskIds: string[] };
    response.writeHead(200, { "content-type": "text/event-stream" });
    send(response, "notifications/subscriptions/acknowledged", { notifications: { taskIds } });
    streams.set(response, taskIds);
    response.on("close", () => streams.delete(response));
    return true;
  }
  return { handle, subscriptions };
}

function send(response: ServerResponse, method: string, params: Record<string, unknown>): void {
  response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", method, params })}\n\n`);
}
