/** Why a sign-in at a server's authorization server came to nothing; lib/format/oauth.ts has words for each. */
export const OAUTH_REFUSALS = [
  "unreachable",
  "address_not_allowed",
  "insecure_endpoint",
  "no_authorization_server",
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
  "token_unusable",
] as const;
export type OAuthRefusal = (typeof OAUTH_REFUSALS)[number];

/**
 * A step of OAuth that failed. The code is for everybody's eyes. What the other side said is not: it may come from an
 * attacker, and would tell of networks that are not public. So it is neither message nor cause.
 */
export class OAuthRefused extends Error {
  readonly code: OAuthRefusal;
  constructor(code: OAuthRefusal) {
    super(code);
    this.name = "OAuthRefused";
    this.code = code;
  }
}
