/**
 * A provider of ours as next-auth takes it. openid-client (inside next-auth) checks the ID token: signature by the
 * provider's keys, RS256 and nothing else, issuer, audience, expiry, nonce; state and PKCE are bound to the browser by
 * cookies. Its requests leave through our rule for addresses: docs/decisions/014-signing-in.md.
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
      // Many providers say the address and the groups only here. What the ID token says counts for more.
      async request({ tokens: given, client }) {
        // What `token.request` gave, which the types have forgotten.
        const tokens = given as Awaited<ReturnType<typeof client.callback>>;
        const claims = tokens.claims();
        if (!client.issuer.metadata.userinfo_endpoint || !tokens.access_token) return claims;
        return { ...(await client.userinfo(tokens)), ...claims };
      },
    },
    // The account is found by `signInWithProvider`; next-auth only wants to see an id.
    profile: (claims: { sub: string }) => ({ id: claims.sub }),
  };
}
