/**
 * An OpenID Connect provider of the operator, as a next-auth provider. openid-client (inside next-auth)
 * checks the ID token: signature by the provider's keys, RS256 only, issuer, audience, expiry, nonce; cookies
 * bind state and PKCE to the browser. Its requests obey our rule for addresses:
 * docs/decisions/014-signing-in.md.
 */
import type { NextAuthOptions } from "next-auth";
import { checkOperatorUrl, operatorLookup } from "../../../base/network.ts";
import { PROVIDER_TIMEOUT_MS } from "../../tunables.ts";
import type { SignInProvider } from "./providers.ts";

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
        if (!client.issuer.metadata.userinfo_endpoint || !tokens.access_token) return claims;
        return { ...(await client.userinfo(tokens)), ...claims };
      },
    },
    // `signInWithProvider` finds the account; next-auth only requires an id.
    profile: (claims: { sub: string }) => ({ id: claims.sub }),
  };
}
