/** A careless server that answers every call by repeating the call's contents. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export const ECHOES = ["rpc", "sse", "400", "401", "403", "404", "429", "500", "garbage", "header"] as const;
export type Echo = (typeof ECHOES)[number];

export interface EchoServer {
  url: string;
  hostAndPort: string;
  echo: Echo;
  /** The credentials and sessions received. */
  seen: string[];
  close(): Promise<void>;
}

export async function startEchoServer(): Promise<EchoServer> {
  const seen: string[] = [];
  const state: { echo: Echo } = { echo: "rpc" };
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = String(Buffer.concat(chunks));
    const id = /"id":(\d+)/.exec(body)?.[1];
    const { authorization = "" } = request.headers;
    seen.push(authorization);
    const echo = `You sent ${authorization} with ${body}`;
    const error = { code: -32000, message: echo, data: { headers: request.headers, body } };
    const rpc = JSON.stringify({ jsonrpc: "2.0", id: id ? Number(id) : null, error });
    const json = { "content-type": "application/json" };
    const status = Number(state.echo);
    if (state.echo === "rpc") response.writeHead(200, json).end(rpc);
    else if (state.echo === "sse")
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${rpc}\n\n`);
    else if (state.echo === "garbage") response.writeHead(200, json).end(`{"jsonrpc": "2.0", ${echo}`);
    else if (state.echo === "header")
      response.writeHead(400, { ...json, "x-error": authorization, location: `/${authorization}` }).end(rpc);
    else
      response
        .writeHead(status, { ...json, "www-authenticate": `Bearer error="${authorization}"` })
        .end(status === 404 ? echo : rpc);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const hostAndPort = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url: `http://${hostAndPort}/mcp`,
    hostAndPort,
    seen,
    get echo() {
      return state.echo;
    },
    set echo(echo) {
      state.echo = echo;
    },
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
