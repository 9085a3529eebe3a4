/** Where agents that a member signs in find what they need, and the name of what they sign in to. */
import { env } from "../../base/env.ts";

/** The authorization server's own paths begin with this, and its issuer ends with it. */
export const OAUTH_PATH = "/agents/oauth";
/** The page where a member lets an agent in, and where errors are shown. */
export const QUESTION_PAGE = "/agents/sign-in";

/** RFC 8414 and OpenID Connect Discovery put the issuer's path behind, or before. */
export const METADATA_PATHS = [
  `/.well-known/oauth-authorization-server${OAUTH_PATH}`,
  `/.well-known/openid-configuration${OAUTH_PATH}`,
  `${OAUTH_PATH}/.well-known/openid-configuration`,
];
/** As oidc-provider knows it. */
export const METADATA = "/.well-known/oauth-authorization-server";
/** What a client or a proxy keeps of the documents may be an hour old. */
export const KEPT_AN_HOUR = "public, max-age=3600";
/** RFC 9728: of the endpoint, and of clients that look at the root alone. */
export const RESOURCE_PATHS = [
  "/.well-known/oauth-protected-resource/mcp",
  "/.well-known/oauth-protected-resource",
];

/** The one document that is no part of signing in; a route of its own answers it. */
export const RECEIPT_KEYS_PATH = "/.well-known/jwks.json";

/** There is one right, to use the endpoint; what an agent may call there is granted in Intray. */
export const SCOPE = "mcp";

export const issuer = (): string => env().url + OAUTH_PATH;

/** Where a browser goes on once its member has answered; it leads back to the client. */
export const wayBack = (question: string): string => `${issuer()}/auth/${question}`;

/** What access tokens are for (RFC 8707). */
export const mcpAddress = (): string => `${env().url}/mcp`;

/** For `WWW-Authenticate: Bearer resource_metadata="…"`. */
export const resourceMetadataAddress = (): string => env().url + RESOURCE_PATHS[0];

/** What a client needs to know to sign in (RFC 9728). */
export function resourceMetadata() {
  return {
    resource: mcpAddress(),
    authorization_servers: [issuer()],
    scopes_supported: [SCOPE],
    bearer_methods_supported: ["header"],
    resource_name: "Intray",
  };
}
