/** OAuth exchanges with an authorization server: authorization URL, code exchange, renewal, revocation. */
import {
  exchangeAuthorization,
  InsecureTokenEndpointError,
  type OAuthTokens,
  refreshAuthorization,
  selectClientAuthMethod,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Network } from "../../base/network/network.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { AuthorizationMetadata } from "./oauth-discovery.ts";
import {
  type OAuthFetch,
  type OAuthRefusal,
  OAuthRefused,
  oauthFetch,
  objectIn,
  reading,
  requireSecure,
} from "./oauth-fetch.ts";

/** Tokens granted by an authorization server. Secrets: sealed at rest, never logged. */
export interface Tokens {
  accessToken: string;
  refreshToken: string | null;
  /** Lifetime from now; null if unknown. */
  expiresInMs: number | null;
  /** Granted scopes, space-separated; null if identical to the requested ones. */
  scope: string | null;
}

interface Party {
  metadata: AuthorizationMetadata;
  client: OAuthClient;
  resource: string;
}

/** Returns the URL for the browser, and the PKCE verifier to keep. Throws OAuthRefused. */
export async function leave(
  { metadata, client, resource }: Party,
  to: { redirectUri: string; scope: string | null; state: string },
  network: Network,
): Promise<{ authorizationUrl: string; verifier: string }> {
  const { authorizationUrl, codeVerifier } = await startAuthorization(metadata.issuer, {
    metadata,
    clientInformation: { client_id: client.clientId },
    redirectUrl: to.redirectUri,
    scope: to.scope ?? undefined,
    state: to.state,
    resource,
  }).catch(() => {
    throw new OAuthRefused("metadata_invalid");
  });
  // Checks the final URL again, since the browser follows it (A16).
  return { authorizationUrl: requireSecure(network, authorizationUrl).href, verifier: codeVerifier };
}

/** Exchanges a code for tokens. The caller has checked the response's issuer. Throws OAuthRefused. */
export async function exchangeCode(
  { metadata, client, resource }: Party,
  answer: { code: string; iss: string | undefined; verifier: string; redirectUri: string },
  network: Network,
): Promise<Tokens> {
  const exchanged = exchangeAuthorization(metadata.issuer, {
    metadata,
    clientInformation: toInformation(client),
    authorizationCode: answer.code,
    iss: answer.iss,
    codeVerifier: answer.verifier,
    redirectUri: answer.redirectUri,
    resource,
    fetchFn: tokenFetch(oauthFetch(network)),
  });
  return toTokens(await exchanged.catch(refuse));
}

/** Renews tokens. `mayStart` as in oauthFetch. Throws OAuthRefused; only errors in FINAL end the grant. */
export async function renewTokens(
  { metadata, client, resource }: Party,
  refreshToken: string,
  network: Network,
  mayStart: () => void,
): Promise<Tokens> {
  const renewed = refreshAuthorization(metadata.issuer, {
    metadata,
    clientInformation: toInformation(client),
    refreshToken,
    resource,
    fetchFn: tokenFetch(oauthFetch(network, mayStart)),
  });
  return toTokens(await renewed.catch(refuse));
}

/** Returns true if only a person can resolve the error. */
export function isFinal({ code }: OAuthRefused): boolean {
  return FINAL.has(code);
}
const FINAL = new Set<OAuthRefusal>(["grant_refused", "client_refused", "scope_refused", "token_unusable"]);

/** Revokes a token at the authorization server (RFC 7009). Throws OAuthRefused. */
export async function revokeToken(
  { metadata, client }: Pick<Party, "metadata" | "client">,
  token: string,
  kind: "refresh_token" | "access_token",
  network: Network,
): Promise<void> {
  if (metadata.revocation_endpoint === undefined) return;
  const headers: Record<string, string> = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams({ token, token_type_hint: kind });
  const information = toInformation(client);
  const method = selectClientAuthMethod(information, metadata.token_endpoint_auth_methods_supported ?? []);
  if (method === "client_secret_basic" && client.secret !== null) {
    const pair = `${encodeURIComponent(client.clientId)}:${encodeURIComponent(client.secret)}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
  } else {
    body.set("client_id", client.clientId);
    if (client.secret !== null) body.set("client_secret", client.secret);
  }
  const reply = await oauthFetch(network)(metadata.revocation_endpoint, { method: "POST", headers, body });
  if (!reply.ok) throw new OAuthRefused("unreachable");
}

function toInformation({ clientId, secret, method }: OAuthClient) {
  return {
    client_id: clientId,
    ...(secret !== null && { client_secret: secret }),
    ...(method !== null && { token_endpoint_auth_method: method }),
  };
}

/** Shorter lifetimes would require a renewal at every call. */
const SHORTEST_MS = 2_000;
const LONGEST_MS = 10 * 365 * 24 * 3600_000;
const MOST_CHARACTERS = 16_384;

function toTokens(tokens: OAuthTokens): Tokens {
  const { access_token, refresh_token, token_type, expires_in, scope } = tokens;
  const isSound = [access_token, refresh_token ?? "-"].every(
    (token) => /^[\x21-\x7e]+$/.test(token) && token.length <= MOST_CHARACTERS,
  );
  if (token_type.toLowerCase() !== "bearer" || !isSound) throw new OAuthRefused("token_unusable");
  const lifetime = expires_in === undefined || Number.isNaN(expires_in) ? null : expires_in * 1000;
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? null,
    expiresInMs: lifetime === null ? null : Math.round(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, lifetime))),
    scope: scope?.trim().slice(0, 4_000) || null,
  };
}

/** What Intray reads of a token response (RFC 6749, 5.1). A lifetime that is no number is unknown. */
const tokenSchema = z.object({
  access_token: z.string(),
  token_type: z.string(),
  expires_in: z.coerce.number().optional().catch(undefined),
  scope: z.string().optional().catch(undefined),
  refresh_token: z.string().optional(),
});

/**
 * Throws OAuthRefused for an error response (RFC 6749, 5.2), which some servers send with a 200: by its code, else by
 * its status. The official client's error does not tell the status. All other content is dropped.
 */
function tokenFetch(ask: OAuthFetch): OAuthFetch {
  const asked: OAuthFetch = async (url, init) => {
    const reply = await ask(url, init);
    const isRedirect = reply.status >= 300 && reply.status < 400;
    if (isRedirect) return reply;
    const error = (await objectIn(reply.clone()))?.error;
    if (reply.ok && !error) return reply;
    const isOwnFault = reply.status >= 500 || reply.status === 429;
    const known = typeof error === "string" && Object.hasOwn(BY_CODE, error) ? BY_CODE[error] : undefined;
    throw new OAuthRefused(known ?? (isOwnFault ? "server_failed" : "token_refused"));
  };
  return reading(asked, tokenSchema, "malformed");
}

/** A redirect is the only reply that gets here as another error, since it is not followed elsewhere. */
function refuse(error: unknown): never {
  if (error instanceof OAuthRefused) throw error;
  throw new OAuthRefused(error instanceof InsecureTokenEndpointError ? "insecure_endpoint" : "token_refused");
}

const BY_CODE: Record<string, OAuthRefusal> = {
  invalid_grant: "grant_refused",
  invalid_request: "grant_refused",
  invalid_target: "grant_refused",
  unsupported_grant_type: "grant_refused",
  invalid_client: "client_refused",
  unauthorized_client: "client_refused",
  invalid_scope: "scope_refused",
  server_error: "server_failed",
  temporarily_unavailable: "server_failed",
};
