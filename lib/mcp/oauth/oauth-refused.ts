/** Reasons why a sign-in at an authorization server failed. lib/servers/connections/oauth-words.ts has words for each. */
export const OAUTH_REFUSALS = [
  "unreachable",
  "server_failed",
  "insecure_endpoint",
  "no_authorization_server",
  "metadata_missing",
  "metadata_invalid",
  "metadata_issuer",
  "resource_mismatch",
  "pkce_unsupported",
  "registration_unavailable",
  "registration_refused",
  "issuer_changed",
  "client_refused",
  "scope_refused",
  "denied",
  "sign_in_failed",
  "issuer_mismatch",
  "malformed",
  "flow_unknown",
  "not_allowed",
  "grant_refused",
  "token_refused",
  "token_unusable",
] as const;
export type OAuthRefusal = (typeof OAUTH_REFUSALS)[number];

/**
 * A failed OAuth step. The code is public. The other side's texts are dropped, as message and as cause: they
 * may come from an attacker, or reveal private networks.
 */
export class OAuthRefused extends Error {
  readonly code: OAuthRefusal;
  constructor(code: OAuthRefusal) {
    super(code);
    this.name = "OAuthRefused";
    this.code = code;
  }
}
