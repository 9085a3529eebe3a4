/**
 * A real authorization server (oidc-provider) in memory and in this process: registration, PKCE, resource
 * indicators, rotation with detection of reuse, revocation, `iss` in answers. Its sign-in page has two
 * buttons and no password.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface AuthorizationServer {
  issuer: string;
  hostAndPort: string;
  /** Every request, in order of arrival, with its form. */
  seen: { method: string; path: string; form: URLSearchParams; headers: IncomingMessage["headers"] }[];
  behave: {
    /** Lifetime of access tokens, in seconds; default an hour. */
    lifetime: number;
    /** Changes the metadata before it is sent. */
    metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>;
    /** Answers in place of the server; false: the server answers itself. */
    instead?: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
  };
  /** Acts as a browser: signs in and allows (or denies). Returns the address that it is sent back to. */
  signIn(authorizationUrl: string, decision?: "allow" | "deny"): Promise<string>;
  /** Returns the rights of an access token, or null if it is invalid. */
  check(token: string): Promise<{ scope: string; audience: string } | null>;
  /** Revokes all grants, as its administrator would. */
  revokeAll(): Promise<void>;
  close(): Promise<void>;
}

const SCOPES = "mcp:tools mcp:admin";

/** Listens on a free port of 127.0.0.1. The caller closes it. */
export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const http = createServer();
  // Kept connections stay open, since closing one might cut off a browser's request.
  http.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const hostAndPort = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  const issuer = `http://${hostAndPort}`;
  const behave: AuthorizationServer["behave"] = { lifetime: 3600 };
  const seen: AuthorizationServer["seen"] = [];
  const grants = new Set<string>();
  const provider = await makeProvider(issuer, behave);
  const callback = provider.callback();
  // Records grants as if an operator had looked at their table.
  provider.on("grant.saved", (grant) => grants.add((grant as { jti: string }).jti));

  http.on("request", async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? "/", issuer);
    const body = request.method === "POST" ? await textOf(request) : "";
    seen.push({
      method: request.method ?? "",
      path: pathname,
      form: new URLSearchParams(body),
      headers: request.headers,
    });
    // oidc-provider takes a body that was already parsed.
    Object.assign(request, { body: parsed(request, body) });
    if (await behave.instead?.(request, response)) return;
    if (behave.metadata && pathname.startsWith("/.well-known/") && !request.headers["x-real"]) {
      const real = await fetch(`${issuer}${pathname}`, { headers: { "x-real": "1" } });
      if (!real.ok) return void response.writeHead(real.status).end();
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(behave.metadata((await real.json()) as Record<string, unknown>)));
    } else if (pathname.startsWith("/interaction/")) await interact(provider, request, response, body);
    // RFC 8414 asks for the document here first; an OpenID provider has it at its own address.
    else if (pathname === "/.well-known/oauth-authorization-server")
      await pass(`${issuer}/.well-known/openid-configuration`, response);
    else callback(request, response);
  });

  return {
    issuer,
    hostAndPort,
    seen,
    behave,
    signIn,
    async check(token) {
      const found = await provider.AccessToken.find(token);
      if (!found || found.isExpired || !found.isValid) return null;
      const grant = await provider.Grant.find(found.grantId);
      return grant ? { scope: found.scope ?? "", audience: String(found.aud) } : null;
    },
    async revokeAll() {
      for (const id of grants) {
        await provider.RefreshToken.revokeByGrantId(id);
        await provider.AccessToken.revokeByGrantId(id);
        await (await provider.Grant.find(id))?.destroy();
      }
    },
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

interface Kept {
  grantId: string;
  scope?: string;
  aud?: string | string[];
  isExpired: boolean;
  isValid: boolean;
  destroy(): Promise<void>;
}
interface Model {
  find(id: string): Promise<Kept | undefined>;
  revokeByGrantId(id: string): Promise<void>;
}
interface NewGrant {
  addOIDCScope(scope: string): void;
  addResourceScope(resource: string, scope: string): void;
  save(): Promise<string>;
}
interface Provider {
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  on(event: string, listener: (value: unknown) => void): void;
  interactionDetails(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ params: Record<string, string> }>;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  AccessToken: Model;
  RefreshToken: Model;
  Grant: Model & (new (of: { accountId: string; clientId: string }) => NewGrant);
}

async function makeProvider(issuer: string, behave: { lifetime: number }): Promise<Provider> {
  // oidc-provider comes without types.
  const name: string = "oidc-provider";
  const { default: make } = (await import(name)) as {
    default: new (issuer: string, settings: object) => Provider;
  };
  return new make(issuer, {
    cookies: { keys: ["a key of the tests"] },
    scopes: ["openid", "offline_access"],
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: async () => ({ sub }) }),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: SCOPES,
          audience: resource,
          accessTokenTTL: behave.lifetime,
          accessTokenFormat: "opaque",
        }),
      },
    },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    ttl: { RefreshToken: 86_400, Session: 3600, Grant: 86_400 },
    renderError: (context: { body: unknown; type: string }, out: { error: string }) => {
      context.type = "html";
      context.body = `<!doctype html><title>Error</title><h1>${out.error}</h1>`;
    },
  });
}

async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): Promise<void> {
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(`<!doctype html><html lang="en"><title>Sign in</title><h1>Sign in at the ERP</h1>
      <form method="post"><button name="decision" value="allow">Sign in and allow</button>
      <button name="decision" value="deny">Deny</button></form></html>`);
    return;
  }
  if (new URLSearchParams(body).get("decision") === "deny")
    return provider.interactionFinished(request, response, {
      error: "access_denied",
      error_description: "<script>alert(1)</script>",
    });
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId: "ana", clientId: params.client_id! });
  const scope = params.scope ?? "";
  grant.addOIDCScope(scope);
  if (params.resource) grant.addResourceScope(params.resource, scope);
  const grantId = await grant.save();
  await provider.interactionFinished(request, response, {
    login: { accountId: "ana", remember: false },
    consent: { grantId },
  });
}

/** Follows redirects with cookies until they leave this server. */
async function signIn(authorizationUrl: string, decision: "allow" | "deny" = "allow"): Promise<string> {
  const home = new URL(authorizationUrl).origin;
  const cookies = new Map<string, string>();
  let url = authorizationUrl;
  let form: string | null = null;
  for (let hops = 0; hops < 12; hops++) {
    const reply: Response = await fetch(url, {
      method: form === null ? "GET" : "POST",
      redirect: "manual",
      body: form,
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(form !== null && { "content-type": "application/x-www-form-urlencoded" }),
      },
    });
    for (const cookie of reply.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split(/=(.*)/s);
      cookies.set(name, value);
    }
    const text = await reply.text();
    const location = reply.headers.get("location");
    if (location === null && form === null && url.includes("/interaction/")) {
      form = `decision=${decision}`;
      continue;
    }
    if (location === null) throw new Error(`the authorization server ended with ${reply.status}: ${text}`);
    form = null;
    url = new URL(location, url).href;
    if (new URL(url).origin !== home) return url;
  }
  throw new Error("the authorization server redirects for ever");
}

function parsed(request: IncomingMessage, body: string): unknown {
  if (body === "") return undefined;
  if (request.headers["content-type"]?.startsWith("application/json")) return JSON.parse(body);
  return Object.fromEntries(new URLSearchParams(body));
}

async function pass(url: string, response: ServerResponse): Promise<void> {
  const real = await fetch(url);
  response.writeHead(real.status, { "content-type": "application/json" });
  response.end(await real.text());
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return String(Buffer.concat(chunks));
}
