/**
 * An OpenID Connect provider of the operator, as a next-auth provider. openid-client (inside next-auth)
 * checks the ID token: signature by the provider's keys, RS256 only, issuer, audience, expiry, nonce; cookies
 * bind state and PKCE to the browser. Its requests obey our rule for addresses:
 * docs/decisions/014-signing-in.md.
 */
import type { NextAuthOptions, Profile } from "next-auth";
import { operatorLookup } from "../../../base/network/guarded-lookup.ts";
import { PROVIDER_TIMEOUT_MS } from "../../tunables.ts";
import type { ProviderMetadata } from "./discovery.ts";
import type { SignInProvider } from "./providers.ts";

/** Stands beside the claims: the address that the ID token itself, signed by the provider, says is verified. */
export const PROVEN_EMAIL = "intray/proven-email";

/** Stands beside the claims: those of the ID token alone, which the provider has signed. */
export const SIGNED = "intray/signed";

/** `metadata`: what the provider says about itself (`discover`); null where this call is not about it, or it is away. */
export function oidcProvider(
  provider: SignInProvider,
  metadata: ProviderMetadata | null,
  demand: Demand = NO_DEMAND,
): NextAuthOptions["providers"][number] {
  const { id, name, issuer, clientId, clientSecret } = provider;
  let ours: Client | undefined;
  return {
    id,
    name,
    type: "oauth",
    // next-auth would ask for the discovery document at each start, so that it only gets what a start needs.
    issuer: metadata?.issuer ?? issuer,
    clientId,
    clientSecret,
    idToken: true,
    checks: ["pkce", "state", "nonce"],
    authorization: {
      ...(metadata && { url: metadata.authorization_endpoint }),
      params: { scope: "openid email profile", ...paramsOf(demand) },
    },
    httpOptions: { lookup: operatorLookup, timeout: PROVIDER_TIMEOUT_MS },
    token: {
      async request({ provider: { callbackUrl }, params, checks, client }) {
        if (!metadata) throw new Error("the provider did not say where its tokens are");
        ours = clientOf(metadata, client);
        return { tokens: await ours.callback(callbackUrl, params, checks) };
      },
    },
    userinfo: {
      // Many providers give the address and the groups only here. Claims of the ID token take precedence.
      async request({ tokens: given }) {
        if (!ours) throw new Error("user info was asked for before the tokens");
        // The result of `token.request`, whose type is lost.
        const tokens = given as Awaited<ReturnType<Client["callback"]>>;
        const claims = tokens.claims();
        const hasUserInfo = metadata?.userinfo_endpoint && tokens.access_token;
        const info = hasUserInfo ? await ours.userinfo(tokens) : {};
        // next-auth's type of a profile knows no claims but its own.
        return {
          ...withUserInfo(claims, info),
          [PROVEN_EMAIL]: provenEmailOf(claims),
          [SIGNED]: claims,
        } as Profile;
      },
    },
    // `signInWithProvider` finds the account; next-auth only requires an id.
    profile: (claims: { sub: string }) => ({ id: claims.sub }),
  };
}

/** What an organization asks of a sign-in (gate.sign_in_demand). */
export interface Demand {
  /** How long ago the provider may have asked the person. */
  maxAgeMs: number | null;
  acrValues: string[];
  /** The browser is signed in, or its session is too old: the person is to show anew who they are. */
  again: boolean;
}

export const NO_DEMAND: Demand = { maxAgeMs: null, acrValues: [], again: false };

/** Asks for no sign-in by itself: a provider that is asked for an age has to say when it asked (OpenID Connect Core, 2). */
const ANY_AGE_S = 365 * 24 * 3600;

/** What the provider is asked for. gate.sign_in_refusal judges what it answered, at every request of the session. */
function paramsOf({ maxAgeMs, acrValues, again }: Demand): Record<string, string> {
  const maxAgeS = again ? 0 : maxAgeMs === null ? ANY_AGE_S : Math.floor(maxAgeMs / 1000);
  return {
    max_age: String(maxAgeS),
    ...(acrValues.length > 0 && { acr_values: acrValues.join(" ") }),
    ...(again && { prompt: "login" }),
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

type OAuthProvider = Extract<NextAuthOptions["providers"][number], { type: "oauth" }>;
type TokenRequest = Extract<OAuthProvider["token"], { request?: unknown }>["request"];
type Client = Parameters<NonNullable<TokenRequest>>[0]["client"];

/** openid-client keeps a provider's keys with its issuer, which therefore lives as long as what it was made of. */
const issuers = new WeakMap<ProviderMetadata, Client["issuer"]>();

/** A client like the one that next-auth made, of an issuer that is kept. */
function clientOf(metadata: ProviderMetadata, client: Client): Client {
  let issuer = issuers.get(metadata);
  if (!issuer) {
    const Issuer = client.issuer.constructor as new (of: ProviderMetadata) => Client["issuer"];
    issuer = new Issuer(metadata);
    issuers.set(metadata, issuer);
  }
  const { client_id, client_secret, redirect_uris } = client.metadata;
  const made = new issuer.Client({
    client_id,
    ...(client_secret !== undefined && { client_secret }),
    ...(redirect_uris && { redirect_uris }),
  });
  // The clock tolerance, which next-auth sets by a symbol of openid-client's.
  const to = made as unknown as Record<symbol, unknown>;
  for (const symbol of Object.getOwnPropertySymbols(client))
    to[symbol] ??= (client as unknown as Record<symbol, unknown>)[symbol];
  return made;
}
