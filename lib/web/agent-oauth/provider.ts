/**
 * The authorization server for agents: oidc-provider, with PKCE, tokens for /mcp alone, rotation, and nothing that is not
 * needed. Whom it asks, and what it keeps, is Intray's.
 */
import { generateKeyPairSync } from "node:crypto";
import Provider, { type Context, errors, interactionPolicy, type Payload } from "oidc-provider";
import { applicationTypeOf, judgeRedirect } from "../../agents/oauth/agent-oauth-status.ts";
import { Prisma } from "../../base/db/db.ts";
import { log } from "../../base/log.ts";
import { cookiesAreSecure } from "../auth/session-cookie.ts";
import { database } from "../database.ts";
import { mayTry } from "../http/throttle.ts";
import { network } from "../services.ts";
import {
  AGENT_ACCESS_TOKEN_S,
  AGENT_CODE_S,
  AGENT_DOCUMENTS_PER_MEMBER,
  AGENT_QUESTION_S,
  AGENT_REFRESH_TOKEN_S,
  AGENT_SIGN_IN_MS,
} from "../tunables.ts";
import { issuer, KEPT_AN_HOUR, METADATA, mcpAddress, QUESTION_PAGE, SCOPE } from "./addresses.ts";
import { askedIn, recordsOf } from "./records.ts";

const LONGEST_CLIENT_ADDRESS = 500;

export function makeProvider(): Provider {
  const provider = new Provider(issuer(), configuration());
  // The front writes the scheme that INTRAY_URL has.
  provider.proxy = true;
  provider.use(describe);
  provider.use(keepBrowsersHere);
  const failed = (error: unknown) => log.error({ err: error }, "The authorization server failed");
  provider.on("server_error", (_context: unknown, error: unknown) => failed(error));
  provider.on("error", failed);
  return provider;
}

function configuration() {
  const off = { enabled: false };
  return {
    adapter: recordsOf,
    // No cookie of the authorization server's proves anything: the question is bound to Intray's session.
    cookies: { keys: [], names: cookieNames(), short: { httpOnly: true, sameSite: "lax" } },
    jwks: { keys: [unusedKey()] },
    scopes: [SCOPE],
    claims: {},
    responseTypes: ["code"],
    subjectTypes: ["public"],
    clientAuthMethods: ["none"],
    clientDefaults: {
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      id_token_signed_response_alg: "ES256",
    },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    pkce: { required: () => true },
    routes: {
      authorization: "/auth",
      token: "/token",
      revocation: "/revoke",
      jwks: "/keys",
    },
    enableHttpPostMethods: false,
    features: {
      devInteractions: off,
      userinfo: off,
      rpInitiatedLogout: off,
      dPoP: off,
      pushedAuthorizationRequests: off,
      // Clients register at registration.ts, which keeps less and bounds more.
      registration: off,
      revocation: { enabled: true, allowedPolicy: ownToken },
      clientIdMetadataDocument: {
        enabled: true,
        ack: "draft-02",
        allowFetch: mayFetchDocument,
        cacheDuration: { min: 60, max: 3_600 },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => mcpAddress(),
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_context: Context, resource: string) => {
          if (resource !== mcpAddress())
            throw new errors.InvalidTarget(`the resource here is ${mcpAddress()}`);
          return {
            scope: SCOPE,
            audience: mcpAddress(),
            accessTokenFormat: "opaque",
            accessTokenTTL: AGENT_ACCESS_TOKEN_S,
          };
        },
      },
    },
    extraClientMetadata: { properties: ["intray"], validator: restrainClient },
    fetch: fetchDocument,
    findAccount,
    loadExistingGrant,
    interactions: {
      policy: [
        new interactionPolicy.Prompt(
          { name: "consent", requestable: false },
          new interactionPolicy.Check(
            "asked",
            "the member decides each time",
            ({ oidc }) => !oidc.result?.consent,
          ),
        ),
      ],
      url: async (_context: Context, { uid }: { uid: string }) => `${QUESTION_PAGE}?request=${uid}`,
    },
    expiresWithSession: async () => false,
    issueRefreshToken: async (_context: Context, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    // Whoever gives a token back gives all of the sign-in back.
    revokeGrantPolicy: () => true,
    // Tokens stand in requests; no cookie does.
    clientBasedCORS: () => true,
    renderError,
    ttl: {
      AccessToken: AGENT_ACCESS_TOKEN_S,
      AuthorizationCode: AGENT_CODE_S,
      RefreshToken: AGENT_REFRESH_TOKEN_S,
      Interaction: AGENT_QUESTION_S,
      Grant: AGENT_SIGN_IN_MS / 1_000,
      Session: AGENT_QUESTION_S,
    },
  };
}

/** The last of them binds the way back from the question to the browser that began. */
function cookieNames() {
  const prefix = cookiesAreSecure() ? "__Secure-" : "";
  return {
    session: SESSION_COOKIE,
    interaction: `${prefix}intray.agent`,
    resume: `${prefix}intray.agent-back`,
  };
}

const SESSION_COOKIE = "intray.agent-session";

/** oidc-provider wants a key for ID tokens, of which it makes none here. */
function unusedKey() {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256" };
}

/** Judges what a client says of itself, whether it registered or has a document. */
function restrainClient(_context: unknown, _key: string, _value: unknown, metadata: Payload): void {
  const { redirect_uris: uris, client_name: name } = metadata;
  if (!Array.isArray(uris) || uris.some((uri) => typeof uri !== "string" || judgeRedirect(uri) === null))
    throw new errors.InvalidClientMetadata(
      "redirect_uris may be https, http to this computer, or a scheme that is a reversed domain name",
    );
  if (name !== undefined && typeof name !== "string")
    throw new errors.InvalidClientMetadata("client_name must be a text");
  metadata.application_type = applicationTypeOf(uris as string[]);
  // Nothing of it is looked at or shown.
  for (const unused of ["jwks", "jwks_uri", "logo_uri", "policy_uri", "tos_uri", "contacts", "scope"])
    delete metadata[unused];
}

/** Only for a member who is about to be asked, and so often. */
async function mayFetchDocument({ req, oidc }: Context, clientId: string): Promise<boolean> {
  if (oidc.route !== "authorization" && oidc.route !== "resume") return false;
  const session = askedIn(req);
  if (!session || clientId.length > LONGEST_CLIENT_ADDRESS) return false;
  return mayTry(`agent documents ${session.user.id}`, AGENT_DOCUMENTS_PER_MEMBER);
}

/** By our own way out, which decides whom an address may lead to. */
async function fetchDocument(
  url: string,
  { dispatcher: _own, ...options }: RequestInit & { dispatcher?: unknown },
): Promise<Response> {
  return network().fetch(url, options);
}

async function ownToken(
  _context: unknown,
  client: { clientId: string },
  token: { clientId: string },
): Promise<boolean> {
  return token.clientId === client.clientId;
}

/**
 * The member, while all stands that the code or token rests on. Without a token the browser comes back from the question,
 * and `loadExistingGrant` looks.
 */
async function findAccount(_context: Context, accountId: string, token?: { grantId?: string }) {
  if (token) {
    const stands = token.grantId === undefined ? null : await signInThatStands(token.grantId);
    if (stands?.user_id !== accountId) return undefined;
  }
  return { accountId, claims: async () => ({ sub: accountId }) };
}

async function loadExistingGrant({ oidc }: Context) {
  const { client, result } = oidc;
  if (!result?.consent || !result.login || !client) return undefined;
  const { grantId } = result.consent;
  const { accountId } = result.login;
  const stands = await signInThatStands(grantId);
  if (stands?.user_id !== accountId || stands.client_id !== client.clientId)
    throw new errors.AccessDenied("the sign-in was ended meanwhile");
  const grant = new oidc.provider.Grant({ accountId, clientId: client.clientId });
  grant.jti = grantId;
  grant.addResourceScope(mcpAddress(), SCOPE);
  await grant.save();
  return grant;
}

async function signInThatStands(signInId: string) {
  const db = await database();
  const [row] = await db.gate<{ user_id: string; client_id: string }>(
    Prisma.sql`SELECT user_id, client_id FROM gate.agent_sign_in(${signInId}::uuid)`,
  );
  return row ?? null;
}

/** A page of Intray's says what is wrong; the client's words are not shown. */
async function renderError(context: Context, { error }: { error: string }): Promise<void> {
  context.redirect(errorPage(error));
}

export const errorPage = (code: string): string =>
  `${QUESTION_PAGE}?error=${encodeURIComponent(/^[a-z_]{1,40}$/.test(code) ? code : "server_error")}`;

/** RFC 8414: what oidc-provider says of itself, but for what the front answers, or does not let it do. */
async function describe(context: Context, next: () => Promise<void>): Promise<void> {
  await next();
  if (context.path !== METADATA) return;
  context.body = {
    ...(context.body as Payload),
    registration_endpoint: `${issuer()}/register`,
    // Whatever else a client asks for, this is what it gets.
    scopes_supported: [SCOPE],
    response_modes_supported: ["query"],
    revocation_endpoint_auth_methods_supported: ["none"],
  };
  context.set("cache-control", KEPT_AN_HOUR);
}

/**
 * Before a member was asked, nothing sends the browser to an address of the client's, not even an error: else a link to
 * Intray, with a client that anybody may register, would lead to any site. No cookie of a session is set, as there is none.
 */
async function keepBrowsersHere(context: Context, next: () => Promise<void>): Promise<void> {
  await next();
  const location = context.response.get("location");
  if (context.path === "/auth" && typeof location === "string" && location !== "") {
    const { origin, searchParams } = new URL(location, issuer());
    if (origin !== new URL(issuer()).origin)
      context.redirect(errorPage(searchParams.get("error") ?? "server_error"));
  }
  const cookies = [context.response.get("set-cookie") ?? []].flat().filter((cookie) => cookie !== "");
  const kept = cookies.filter((cookie) => !cookie.startsWith(`${SESSION_COOKIE}=`));
  if (kept.length === cookies.length) return;
  context.remove("set-cookie");
  if (kept.length > 0) context.set("set-cookie", kept);
}
