/**
 * Finds an MCP server's authorization server: first the protected resource metadata (RFC 9728), then the
 * authorization server's own (RFC 8414, OpenID Connect). All input is untrusted.
 */
import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Network } from "../../base/network/network.ts";
import { REDIRECTS } from "../limits.ts";
import { sameOriginTarget } from "../wire/redirect.ts";
import { tokenChallenge } from "./challenges.ts";
import {
  type OAuthFetch,
  OAuthRefused,
  oauthFetch,
  objectIn,
  reading,
  refusalOf,
  requireSecure,
} from "./oauth-fetch.ts";
import { ENDPOINTS } from "./oauth-hosts.ts";

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
  grant_types_supported: names.optional().catch(undefined),
  scopes_supported: names.optional().catch(undefined),
  token_endpoint_auth_methods_supported: names.optional().catch(undefined),
  code_challenge_methods_supported: names.optional().catch(undefined),
  authorization_response_iss_parameter_supported: z.boolean().optional().catch(undefined),
  client_id_metadata_document_supported: z.boolean().optional().catch(undefined),
});
export type AuthorizationMetadata = z.infer<typeof authorizationMetadataSchema>;

/** Documents of OpenID Connect. Two members are of no use here, but the official client wants them. */
const foundSchema = authorizationMetadataSchema.extend({
  subject_types_supported: names.catch([]),
  id_token_signing_alg_values_supported: names.catch([]),
});

/** What Intray reads of protected resource metadata (RFC 9728, 2). */
const resourceMetadataSchema = z.object({
  resource: z.string(),
  authorization_servers: names.optional(),
  scopes_supported: names.optional().catch(undefined),
});

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
  const resourceMetadata = await readResourceMetadata(serverUrl, challenge?.get("resource_metadata"), ask);
  const resource = chooseResource(serverUrl, resourceMetadata?.resource);
  const named = resourceMetadata?.authorization_servers?.[0];
  // Servers older than RFC 9728 are their own authorization servers.
  const metadata = await readAuthorizationMetadata(named ?? String(new URL("/", serverUrl)), ask);
  if (!metadata) throw new OAuthRefused(named === undefined ? "no_authorization_server" : "metadata_missing");
  requireSound(metadata, network);
  const scope = challenge?.get("scope") || resourceMetadata?.scopes_supported?.join(" ") || null;
  return { metadata, resource, scope };
}

/** Returns the server's challenge to a request without a token, if there is one. Skips the response body. */
async function challengeOf(serverUrl: string, network: Network) {
  const signal = AbortSignal.timeout(8_000);
  let url = requireSecure(network, serverUrl);
  try {
    for (let followed = 0; ; followed++) {
      const reply = await network.fetch(url, {
        method: "POST",
        headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
        signal,
      });
      await reply.body?.cancel();
      const next = sameOriginTarget(reply.status, reply.headers.get("location") ?? undefined, url);
      if (next && followed < REDIRECTS) {
        url = next;
        continue;
      }
      const header = reply.status === 401 ? reply.headers.get("www-authenticate") : null;
      const named = tokenChallenge(header ?? undefined, (said) =>
        URL.canParse(said.get("resource_metadata") ?? ""),
      );
      return named ?? tokenChallenge(header ?? undefined, () => true);
    }
  } catch (error) {
    throw refusalOf(error);
  }
}

async function readResourceMetadata(serverUrl: string, named: string | undefined, ask: OAuthFetch) {
  const url = URL.canParse(named ?? "") ? named : undefined;
  let isThere = false;
  const watched = reading(unlessPage(ask), resourceMetadataSchema, "metadata_invalid");
  try {
    return await discoverOAuthProtectedResourceMetadata(
      serverUrl,
      { resourceMetadataUrl: url },
      async (target, init) => {
        const reply = await watched(target, init);
        isThere = reply.ok;
        return reply;
      },
    );
  } catch (error) {
    if (error instanceof OAuthRefused) throw error;
    // Nothing at the well-known places: an old server without metadata.
    if (!isThere && url === undefined) return null;
    throw new OAuthRefused("metadata_invalid");
  }
}

/** A place without a document often answers with a page of HTML, or redirects to one. */
function unlessPage(ask: OAuthFetch): OAuthFetch {
  return async (url, init) => {
    const reply = await ask(url, init);
    // The official client goes on after a 502, which some gateways answer for paths that they do not know.
    if (reply.status >= 500 && reply.status !== 502) throw new OAuthRefused("server_failed");
    const isPage = reply.ok && (await objectIn(reply.clone())) === null;
    return isPage ? new Response(null, { status: 404 }) : reply;
  };
}

/**
 * A server may only name itself and its own origin (A5, A12), or a token would work elsewhere. A slash at the end is
 * no other resource.
 */
function chooseResource(serverUrl: string, named: string | undefined): string {
  const own = resourceUrlFromServerUrl(serverUrl);
  if (named === undefined) return own.href;
  const isOwn =
    named === `${own.href}/` ||
    (URL.canParse(named) && checkResourceAllowed({ requestedResource: own, configuredResource: named }));
  if (!isOwn) throw new OAuthRefused("resource_mismatch");
  return named;
}

/** Returns null if the authorization server publishes none. */
async function readAuthorizationMetadata(
  issuer: string,
  ask: OAuthFetch,
): Promise<AuthorizationMetadata | null> {
  const found = await discoverAuthorizationServerMetadata(issuer, {
    fetchFn: reading(unlessPage(ask), foundSchema, "metadata_invalid"),
    // Ours is below.
    skipIssuerValidation: true,
  }).catch((error: unknown) => {
    throw error instanceof OAuthRefused ? error : new OAuthRefused("metadata_invalid");
  });
  if (!found) return null;
  const metadata = authorizationMetadataSchema.parse(found);
  if (!isSameIssuer(issuer, metadata.issuer)) throw new OAuthRefused("metadata_issuer");
  return metadata;
}

/**
 * RFC 8414 (3.3), but for a slash at the end. It makes no other document, since the well-known address is made without
 * it (3.1), so that no second issuer can be meant. From here on the issuer is what the metadata names.
 */
function isSameIssuer(asked: string, named: string): boolean {
  return asked === named || asked === `${named}/` || `${asked}/` === named;
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
