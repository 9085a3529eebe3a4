/**
 * An OpenID Connect provider of the operator, as a next-auth provider. openid-client (inside next-auth)
 * checks the ID token: signature by the provider's keys, RS256 only, issuer, audience, expiry, nonce; cookies
 * bind state and PKCE to the browser. Its requests obey our rule for addresses:
 * docs/decisions/014-signing-in.md.
 */
import type { NextAuthOptions, Profile } from "next-auth";
import { checkOperatorUrl, operatorLookup } from "../../../base/network.ts";
import { PROVIDER_TIMEOUT_MS } from "../../tunables.ts";
import type { SignInProvider } from "./providers.ts";

/** Stands beside the claims: the address that the ID token itself, signed by the provider, says is verified. */
export const PROVEN_EMAIL = "intray/proven-email";

export function oidcProvider(provider: SignInProvider): NextAuthOptions["providers"][number] {
  const { id, name, issuer, clientId, clientSecret } = provider;
  return {
    id,
    name,
    type: "oauth",
    wellKnown: `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    clientId,
    clientSecret,
    idToken: true,
    checks: ["pkce", "state", "nonce"],
    authorization: { params: { scope: "openid email profile" } },
    httpOptions: { lookup: operatorLookup, timeout: PROVIDER_TIMEOUT_MS },
    token: {
      async request({ provider: { callbackUrl }, params, checks, client }) {
        const { token_endpoint, userinfo_endpoint, jwks_uri } = client.issuer.metadata;
        for (const url of [token_endpoint, userinfo_endpoint, jwks_uri])
          if (typeof url === "string") checkOperatorUrl(url);
        return { tokens: await client.callback(callbackUrl, params, checks) };
      },
    },
    userinfo: {
      // Many providers give the address and the groups only here. Claims of the ID token take precedence.
      async request({ tokens: given, client }) {
        // The result of `token.request`, whose type is lost.
        const tokens = given as Awaited<ReturnType<typeof client.callback>>;
        const claims = tokens.claims();
        const hasUserInfo = client.issuer.metadata.userinfo_endpoint && tokens.access_token;
        const info = hasUserInfo ? await client.userinfo(tokens) : {};
        // next-auth's type of a profile knows no claims but its own.
        return { ...withUserInfo(claims, info), [PROVEN_EMAIL]: provenEmailOf(claims) } as Profile;
      },
    },
    // `signInWithProvider` finds the account; next-auth only requires an id.
    profile: (claims: { sub: string }) => ({ id: claims.sub }),
  };
}

/** Returns the ID token's address if the ID token says that it is verified. */
function provenEmailOf({ email, email_verified }: Record<string, unknown>): string | null {
  // Some providers send it as text.
  return typeof email === "string" && (email_verified === true || email_verified === "true") ? email : null;
}

/**
 * Adds the user info to the ID token's claims, which take precedence. An address and whether it is verified come from
 * one of the two: else a verified address of the one would vouch for an unverified one of the other.
 */
function withUserInfo(claims: Record<string, unknown>, info: Record<string, unknown>) {
  if (claims.email === undefined || claims.email === info.email) return { ...info, ...claims };
  const { email_verified: _ofAnotherAddress, ...rest } = info;
  return { ...rest, ...claims };
}
