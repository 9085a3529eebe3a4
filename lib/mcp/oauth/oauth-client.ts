/** Intray as an OAuth client. */
import { createHash } from "node:crypto";
import { registerClient } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Network } from "../../base/network/network.ts";
import type { AuthorizationMetadata } from "./oauth-discovery.ts";
import { OAuthRefused, oauthFetch, reading } from "./oauth-fetch.ts";

/** Intray's credentials at one authorization server. */
export interface OAuthClient {
  clientId: string;
  /** Null for a public client, which relies on PKCE alone. */
  secret: string | null;
  /** The authentication method named by the registration, if any. */
  method: string | null;
}

/**
 * Redirect addresses and metadata documents are made for one issuer, so that a code that another authorization
 * server made does not come back as this one's (RFC 9700, 4.4.2). The two kinds never share an address: anybody
 * may name a document as the client at any authorization server, but answers to it always carry `iss`.
 */
type Kind = "registration" | "document";

/** Returns the path segment that stands for the issuer: 128 bits, so that nobody finds another issuer for it. */
export function issuerKey(issuer: string, kind: Kind): string {
  return createHash("sha256").update(`${kind} ${issuer}`).digest("hex").slice(0, 32);
}

export const issuerKeyPattern = /^[0-9a-f]{32}$/;

/** Returns the redirect address of clients that registered, or that an admin entered. */
export function callbackUrl(origin: string, issuer: string): string {
  return `${sharedCallbackUrl(origin)}/${issuerKey(issuer, "registration")}`;
}

/** Returns the redirect address that all issuers shared before they had their own. Clients of then keep it. */
export function sharedCallbackUrl(origin: string): string {
  return `${origin}/oauth/callback`;
}

/** Returns the URL of the issuer's client metadata document, which is also the client id (SEP-991). */
export function metadataDocumentUrl(origin: string, issuer: string): string {
  return `${origin}/oauth/client-metadata/${issuerKey(issuer, "document")}`;
}

/** Returns the redirect address in the document of `key` (`issuerKey`). */
export function documentCallbackUrl(origin: string, key: string): string {
  return `${sharedCallbackUrl(origin)}/${key}`;
}

/** Returns the client metadata, for registration and for the document. */
export function clientMetadata(origin: string, redirectUri: string, method: string) {
  return {
    client_name: "Intray",
    client_uri: origin,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: method,
    application_type: "web",
  };
}

/** What Intray reads of a registration (RFC 7591, 3.2.1). */
const registrationSchema = z.object({
  client_id: z.string(),
  client_secret: z.string().optional(),
  client_secret_expires_at: z.coerce.number().optional().catch(undefined),
  token_endpoint_auth_method: z.string().optional().catch(undefined),
  /** What was sent counts. The official client wants the member back. */
  redirect_uris: z.array(z.string()).catch([]),
});

/**
 * Registers Intray (RFC 7591), without a scope since later sign-ins may need more. `secretExpiresAt` is null
 * if the secret does not expire. Throws OAuthRefused.
 */
export async function register(
  metadata: AuthorizationMetadata,
  origin: string,
  network: Network,
): Promise<OAuthClient & { secretExpiresAt: Date | null }> {
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const wanted = ["client_secret_basic", "client_secret_post", "none"];
  const method = wanted.find((one) => methods.includes(one));
  if (method === undefined) throw new OAuthRefused("registration_refused");
  try {
    const made = await registerClient(metadata.issuer, {
      metadata,
      clientMetadata: clientMetadata(origin, callbackUrl(origin, metadata.issuer), method),
      fetchFn: reading(oauthFetch(network), registrationSchema, "registration_refused"),
    });
    return {
      clientId: made.client_id,
      secret: made.client_secret ?? null,
      method: made.token_endpoint_auth_method ?? null,
      secretExpiresAt: made.client_secret_expires_at ? new Date(made.client_secret_expires_at * 1000) : null,
    };
  } catch (error) {
    if (error instanceof OAuthRefused) throw error;
    throw new OAuthRefused("registration_refused");
  }
}
