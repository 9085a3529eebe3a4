/** A guard before a real MCP server that requires a token which an authorization server made for it. */
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { AuthorizationServer } from "./authorization-server.ts";

export interface GuardedServer {
  /** With a path, so that metadata is requested for the path. */
  url: string;
  hostAndPort: string;
  /** Every call, with the guard's status; 200: let through. */
  seen: { method: string; token: string | null; status: number; url: string }[];
  behave: {
    /** Changes the protected resource metadata. */
    metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>;
    /** The scopes that a call requires beside a valid token. */
    needs?: (method: string) => string | null;
    /** Refuses these tokens, even if the authorization server accepts them. */
    refuses?: (token: string) => boolean;
    /** Delays the answer to a judged call until this resolves. */
    holds?: (method: string, status: number) => Promise<void> | undefined;
    /** Leaves the metadata's address out of its challenge. */
    isSilent?: boolean;
    /** Writes the challenge otherwise. */
    challenge?: (metadataUrl: string) => string | string[];
    /** Answers in place of the server; false: the server answers itself. */
    instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
  };
  close(): Promise<void>;
}

export async function startGuardedServer(
  inner: string,
  authority: Pick<AuthorizationServer, "issuer" | "check">,
): Promise<GuardedServer> {
  const behave: GuardedServer["behave"] = {};
  const seen: GuardedServer["seen"] = [];
  const http = createServer();
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const hostAndPort = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  const url = `http://${hostAndPort}/mcp`;
  const metadataUrl = `http://${hostAndPort}/.well-known/oauth-protected-resource/mcp`;

  const judge = async (token: string | null, method: string) => {
    const good = token !== null && !behave.refuses?.(token) ? await authority.check(token) : null;
    if (!good || good.audience !== url) return { status: 401, challenge: "" };
    const needed = behave.needs?.(method) ?? null;
    const has = good.scope.split(" ");
    if (needed?.split(" ").some((one) => !has.includes(one)))
      return { status: 403, challenge: `error="insufficient_scope", scope="${needed}", ` };
    return { status: 200, challenge: "" };
  };

  http.on("request", async (request: IncomingMessage, response: ServerResponse) => {
    if (behave.instead?.(request, response)) return;
    if (request.url === new URL(metadataUrl).pathname) {
      const metadata = {
        resource: url,
        authorization_servers: [authority.issuer],
        scopes_supported: ["mcp:tools"],
      };
      response.writeHead(200, { "content-type": "application/json" });
      return void response.end(JSON.stringify(behave.metadata?.(metadata) ?? metadata));
    }
    if (request.url !== "/mcp") return void response.writeHead(404).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const method = body.length > 0 ? (JSON.parse(String(body)).method ?? "response") : request.method;
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? null;
    const { status, challenge } = await judge(token, method);
    seen.push({ method, token, status, url: request.url });
    await behave.holds?.(method, status);
    if (status !== 200) {
      const where = behave.isSilent ? 'realm="x"' : `resource_metadata="${metadataUrl}"`;
      const said = behave.challenge?.(metadataUrl) ?? `Bearer ${challenge}${where}`;
      response.writeHead(status, { "www-authenticate": said });
      return void response.end("secret words of the server");
    }
    const { authorization: _, host: __, ...headers } = request.headers;
    // One connection per request, since the server closes kept ones after a while, perhaps under a request.
    const passed = forward(inner, { method: request.method, headers, agent: false }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers).flushHeaders();
      reply.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    passed.end(body);
  });
  return {
    url,
    hostAndPort,
    seen,
    behave,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
