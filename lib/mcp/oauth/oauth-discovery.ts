/**
 * Finds an MCP server's authorization server: first the protected resource metadata (RFC 9728), then the
 * authorization server's own (RFC 8414, OpenID Connect). All input is untrusted.
 */
import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  IssuerMismatchError,
  resourceUrlFromServerUrl,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Network } from "../../base/network/network.ts";
import { type OAuthFetch, oauthFetch, refusalOf, requireSecure } from "./oauth-fetch.ts";
import { ENDPOINTS } from "./oauth-hosts.ts";
import { OAuthRefused } from "./oauth-refused.ts";

const names = z.array(z.string().max(300)).max(500);

/** The stored part of an authorization server's metadata. */
export const authorizationMetadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  registration_endpoint: z.string().optional(),
  revocation_endpoint: z.string().optional(),
  jwks_uri: z.string().optional(),
  response_types_supported: names,
  grant_types_supported: names.optional(),
  scopes_supported: names.optional(),
  token_endpoint_auth_methods_supported: names.optional(),
  code_challenge_methods_supported: names.optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional().catch(undefined),
  client_id_metadata_document_supported: z.boolean().optional().catch(undefined),
});
export type AuthorizationMetadata = z.infer<typeof authorizationMetadataSchema>;

export interface Discovered {
  metadata: AuthorizationMetadata;
  /** The resource as named by the server, else its URL. Always sent as `resource`. */
  resource: string;
  /** The scopes that the server asks for, space-separated; null if it does not say. */
  scope: string | null;
}

/** Throws OAuthRefused if no usable authorization server is found. */
export async function discoverAuthorization(serverUrl: string, network: Network): Promise<Discovered> {
  const ask = oauthFetch(network);
  const challenge = await challengeOf(serverUrl, network);
  const resourceMetadata = await readResourceMetadata(serverUrl, challenge.resourceMetadataUrl, ask);
  const resource = chooseResource(serverUrl, resourceMetadata?.resource);
  // Servers older than RFC 9728 are their own authorization servers.
  const issuer = resourceMetadata?.authorization_servers?.[0] ?? String(new URL("/", serverUrl));
  const metadata = await readAuthorizationMetadata(issuer, ask);
  requireSound(metadata, network);
  const scope = challenge.scope ?? (resourceMetadata?.scopes_supported?.join(" ") || null);
  return { metadata, resource, scope };
}

/** Returns the server's challenge to a request without a token. Skips the response body. */
async function challengeOf(serverUrl: string, network: Network) {
  const url = requireSecure(network, serverUrl);
  try {
    const reply = await network.fetch(url, {
      method: "POST",
      headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
      signal: AbortSignal.timeout(8_000),
    });
    await reply.body?.cancel();
    return reply.status === 401 ? extractWWWAuthenticateParams(reply) : {};
  } catch (error) {
    throw refusalOf(error);
  }
}

async function readResourceMetadata(serverUrl: string, url: URL | undefined, ask: OAuthFetch) {
  let status = 0;
  const watched: OAuthFetch = async (target, init) => {
    const reply = await ask(target, init);
    status = reply.status;
    return reply;
  };
  try {
    return await discoverOAuthProtectedResourceMetadata(serverUrl, { resourceMetadataUrl: url }, watched);
  } catch (error) {
    if (error instanceof OAuthRefused) throw error;
    // Only a 4xx without a metadata URL means an old server without metadata.
    if (status >= 400 && status < 500 && url === undefined) return null;
    throw new OAuthRefused(status === 200 ? "metadata_invalid" : "unreachable");
  }
}

/** A server may only name itself and its own origin (A5, A12), or a token would work elsewhere. */
function chooseResource(serverUrl: string, named: string | undefined): string {
  const own = resourceUrlFromServerUrl(serverUrl);
  if (named === undefined) return own.href;
  const isOwn =
    URL.canParse(named) && checkResourceAllowed({ requestedResource: own, configuredResource: named });
  if (!isOwn) throw new OAuthRefused("resource_mismatch");
  return named;
}

async function readAuthorizationMetadata(issuer: string, ask: OAuthFetch): Promise<AuthorizationMetadata> {
  const found = await discoverAuthorizationServerMetadata(issuer, { fetchFn: ask }).catch(
    (error: unknown) => {
      if (error instanceof OAuthRefused) throw error;
      if (error instanceof IssuerMismatchError) throw new OAuthRefused("metadata_issuer");
      throw new OAuthRefused("metadata_invalid");
    },
  );
  if (!found) throw new OAuthRefused("no_authorization_server");
  const { data } = authorizationMetadataSchema.safeParse(found);
  if (!data) throw new OAuthRefused("metadata_invalid");
  if (!isSameIssuer(issuer, data.issuer)) throw new OAuthRefused("metadata_issuer");
  return data;
}

/** RFC 8414 (3.3). An origin's slash means nothing; of any other path, the official client would let it pass. */
function isSameIssuer(asked: string, named: string): boolean {
  return asked === named || (asked === `${named}/` && new URL(asked).pathname === "/");
}

/** Requires declared PKCE support (A4) and https endpoints (A15, A16). */
function requireSound(metadata: AuthorizationMetadata, network: Network): void {
  for (const name of ENDPOINTS) {
    const url = metadata[name];
    if (url !== undefined) requireSecure(network, url);
  }
  if (!metadata.code_challenge_methods_supported?.includes("S256"))
    throw new OAuthRefused("pkce_unsupported");
}
