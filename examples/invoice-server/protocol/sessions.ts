import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import type { Changes } from "../changes.ts";
import type { Documents } from "../documents/documents.ts";
import { log } from "../log.ts";
import type { Tasks } from "../tasks.ts";
import { createLegacySession, type LegacySession } from "./era-2025-11-25.ts";

/** The sessions of revision 2025-11-25, in memory: after a restart a client gets 404 and starts a new one. */
export type Sessions = {
  handle: (req: IncomingMessage, res: ServerResponse, body?: unknown) => Promise<void>;
  close: () => Promise<void>;
};

type Session = LegacySession & {
  transport: StreamableHTTPServerTransport;
  openStreams: number;
  lastUsed: number;
};

const IDLE_MS = 24 * 60 * 60 * 1000;
const SWEEP_MS = 10 * 60 * 1000;

/** `onOpen` receives the connected transport of each new session. */
export function createSessions(
  tasks: Tasks,
  documents: Documents,
  changes: Changes,
  onOpen: (transport: StreamableHTTPServerTransport) => void,
): Sessions {
  const sessions = new Map<string, Session>();
  const stream = new AsyncLocalStorage<AbortSignal>();
  const streamClosed = () => stream.getStore() ?? new AbortController().signal;

  const unsubscribe = changes.subscribe((taskId) => {
    for (const session of sessions.values()) {
      session.taskChanged(taskId).catch((error: unknown) => log.debug(`${taskId}: could not notify`, error));
    }
  });

  const sweep = setInterval(() => {
    for (const session of sessions.values()) {
      if (session.openStreams === 0 && Date.now() - session.lastUsed > IDLE_MS)
        void session.transport.close();
    }
  }, SWEEP_MS).unref();

  async function open(): Promise<Session> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sessionId) => {
        sessions.set(sessionId, session);
      },
    });
    const legacy = createLegacySession(tasks, documents, changes, streamClosed);
    const session: Session = { ...legacy, transport, openStreams: 0, lastUsed: Date.now() };
    legacy.server.onclose = () => {
      if (transport.sessionId) sessions.delete(transport.sessionId);
    };
    await legacy.server.connect(transport);
    onOpen(transport);
    return session;
  }

  return {
    handle: async (req, res, body) => {
      const sessionId = req.headers["mcp-session-id"];
      const session =
        typeof sessionId === "string"
          ? sessions.get(sessionId)
          : req.method === "POST" && isInitializeRequest(body)
            ? await open()
            : undefined;
      if (!session) {
        const [status, code, message] = sessionId
          ? ([404, -32001, "Session not found"] as const)
          : ([400, -32000, "Bad Request: Mcp-Session-Id header is required"] as const);
        res.writeHead(status, { "content-type": "application/json" });
        res.end(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }));
        return;
      }
      const closed = new AbortController();
      session.openStreams++;
      res.on("close", () => {
        session.openStreams--;
        session.lastUsed = Date.now();
        closed.abort();
      });
      await stream.run(closed.signal, () => session.transport.handleRequest(req, res, body));
    },
    close: async () => {
      unsubscribe();
      clearInterval(sweep);
      await Promise.all([...sessions.values()].map((session) => session.transport.close()));
    },
  };
}
