/**
 * A proxy between a client and the sample invoice server, which sees each request and may cut it off at the
 * worst moment.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Seen {
  /** The JSON-RPC method; "answer" for a response, "GET" and "DELETE" for requests without a message. */
  method: string;
  message: Record<string, unknown> | null;
}

/** "drop" cuts the connection to the client, who cannot know how far its request got. */
type Verdict = Promise<"drop" | undefined>;

export interface InvoiceProxy {
  url: string;
  hostAndPort: string;
  /** In order of arrival. */
  seen: Seen[];
  behave: {
    /** Before the request reaches the server. */
    before?(seen: Seen): Verdict;
    /** Before the server's reply reaches the client. */
    after?(seen: Seen): Verdict;
  };
  /** The number of open event streams. */
  held(): number;
  close(): Promise<void>;
}

/** `target` is called for each request, since the server's port is known only once it runs. */
export async function startInvoiceProxy(target: () => string): Promise<InvoiceProxy> {
  const seen: Seen[] = [];
  const behave: InvoiceProxy["behave"] = {};
  const streams = new Set<ServerResponse>();

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const one = read(incoming, body);
    seen.push(one);
    if ((await behave.before?.(one)) === "drop") return void outgoing.destroy();

    const { hostname, port, host } = new URL(target());
    const { method, url: path, headers } = incoming;
    // One connection per request, since the server's streams say `keep-alive` on connections that it closes.
    const upstream = request({ hostname, port, method, path, headers: { ...headers, host }, agent: false });
    outgoing.on("close", () => {
      streams.delete(outgoing);
      upstream.destroy();
    });
    upstream.on("error", () => outgoing.destroy());
    upstream.on("response", async (reply) => {
      if ((await behave.after?.(one)) === "drop") return void outgoing.destroy();
      if (reply.headers["content-type"]?.startsWith("text/event-stream")) streams.add(outgoing);
      outgoing.writeHead(reply.statusCode!, reply.headers).flushHeaders();
      reply.on("error", () => outgoing.destroy());
      reply.pipe(outgoing);
    });
    upstream.end(body);
  }

  const http = createServer((incoming, outgoing) => {
    // A client that disconnects meanwhile gets no answer.
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const hostAndPort = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url: `http://${hostAndPort}/mcp`,
    hostAndPort,
    seen,
    behave,
    held: () => streams.size,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function read(incoming: IncomingMessage, body: Buffer): Seen {
  if (body.length === 0) return { method: incoming.method!, message: null };
  const message = JSON.parse(String(body)) as Record<string, unknown>;
  return { method: typeof message.method === "string" ? message.method : "answer", message };
}
