/**
 * A real OpenID Connect provider (oidc-provider, with its own login page) on a port of loopback. Every known
 * login signs in with any password. The provider can be made to lie.
 */
import { createSign, generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export const CLIENT = { clientId: "intray", clientSecret: "a secret between the two" };

export interface OidcAccount {
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[];
}

export interface OidcServer {
  issuer: string;
  /** By login, which is the subject too. */
  accounts: Map<string, OidcAccount>;
  /** Lies: set values replace the provider's own. */
  behave: {
    /** Makes another ID token of the claims; `sign` signs as the provider does. */
    idToken?: (claims: Record<string, unknown>, sign: (claims: object) => string) => string;
    metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>;
  };
  /** Requests by their path. */
  asked: Map<string, number>;
  /** Answers 503 to everything. */
  away: boolean;
  /** The addresses that it may redirect people to, and where it says that somebody has signed out. */
  allow(redirectUris: string[], logout?: { uri: string; perSession: boolean }): void;
  /** Sends a logout token, as it does when a person is removed: of one session, or of all. Throws unless it is taken. */
  signOut(subject: string, session?: string): Promise<void>;
  /** A token with these claims, signed as the provider signs. */
  sign(claims: object, head?: object): string;
  stop(): Promise<void>;
}

export async function startOidc(): Promise<OidcServer> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: "jwk" }), kid: "tests", alg: "RS256", use: "sig" };
  const accounts: OidcServer["accounts"] = new Map();
  const behave: OidcServer["behave"] = {};
  const asked: OidcServer["asked"] = new Map();
  let handle: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;

  const server = createServer((request, response) => {
    const path = request.url?.split("?")[0] ?? "";
    asked.set(path, (asked.get(path) ?? 0) + 1);
    if (self.away) return void response.writeHead(503).end();
    if (path === "/token") rewrite(response, (body) => withIdToken(body));
    if (path === "/.well-known/openid-configuration")
      rewrite(response, (body) => behave.metadata?.(body) ?? body);
    void handle?.(request, response);
  });
  const sign = (claims: object, head: object = {}) => {
    const text = `${encode({ alg: "RS256", kid: "tests", typ: "JWT", ...head })}.${encode(claims)}`;
    return `${text}.${createSign("RSA-SHA256").update(text).sign(privateKey, "base64url")}`;
  };
  const withIdToken = (body: Record<string, unknown>) => {
    if (!behave.idToken || typeof body.id_token !== "string") return body;
    const [, claims = ""] = body.id_token.split(".");
    return {
      ...body,
      id_token: behave.idToken(JSON.parse(Buffer.from(claims, "base64url").toString()), sign),
    };
  };

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let provider: Provider | undefined;
  const allow: OidcServer["allow"] = (redirectUris, logout) => {
    provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.clientId,
          client_secret: CLIENT.clientSecret,
          redirect_uris: redirectUris,
          ...(logout && {
            backchannel_logout_uri: logout.uri,
            backchannel_logout_session_required: logout.perSession,
          }),
        },
      ],
      features: { backchannelLogout: { enabled: logout !== undefined } },
      claims: { email: ["email", "email_verified"], profile: ["name", "groups"] },
      // As most providers do: the claims of the scopes stand in the ID token too.
      conformIdTokenClaims: false,
      cookies: { keys: ["a key of the tests"] },
      jwks: { keys: [key] },
      findAccount: (_context: unknown, id: string) =>
        accounts.has(id) ? { accountId: id, claims: () => ({ sub: id, ...accounts.get(id) }) } : undefined,
    });
    handle = provider.callback();
  };
  const self: OidcServer = {
    issuer,
    accounts,
    behave,
    asked,
    away: false,
    allow,
    sign,
    async signOut(subject, session) {
      const client = await provider?.Client.find(CLIENT.clientId);
      await client?.backchannelLogout(subject, session);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return self;
}

export const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Changes the JSON that a response ends with. */
function rewrite(
  response: ServerResponse,
  change: (body: Record<string, unknown>) => Record<string, unknown>,
): void {
  const end = response.end.bind(response);
  response.end = ((body: unknown, ...rest: []) => {
    const changed = Buffer.from(JSON.stringify(change(JSON.parse(String(body)))));
    if (!response.headersSent) response.setHeader("content-length", changed.length);
    return end(changed, ...rest);
  }) as typeof response.end;
}
