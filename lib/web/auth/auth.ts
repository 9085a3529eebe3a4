/**
 * Signing in and out, by next-auth. All that next-auth keeps is a cookie with the secret of a session of ours: what
 * it calls a session is never asked for authorization (it does not know of revocation). Its address is
 * NEXTAUTH_URL, which scripts/web.ts sets from INTRAY_URL.
 */
import { randomUUID } from "node:crypto";
import type { NextAuthOptions } from "next-auth";
import { env, need } from "../../base/env.ts";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import { clientAddress } from "../http/client-address.ts";
import { problem } from "../http/problem.ts";
import { SESSION_LIFETIME_MS } from "../tunables.ts";
import { ownPath } from "./own-path.ts";
import {
  cookieName,
  cookieOf,
  cookieOptions,
  cookiesAreSecure,
  cookiesOf,
  secretIn,
  sessionCookieName,
} from "./session-cookie.ts";
import { closeSession, openSession } from "./sessions.ts";
import { inCodes, ownWaysIn, pendingCookie } from "./sign-in/credentials.ts";
import { runNextAuth } from "./sign-in/next-auth.ts";
import { oidcProvider } from "./sign-in/oidc.ts";
import { signInSettings } from "./sign-in/providers.ts";
import { signInWithProvider } from "./sign-in/with-provider.ts";

/** What of next-auth is in use. The rest (its pages, its sessions, a log that anyone may write to) is not there. */
const ACTIONS: Record<string, string[]> = {
  GET: ["csrf", "providers", "signin", "callback", "error"],
  POST: ["signin", "callback", "signout"],
};

/** A call of `/api/auth/<path>`. */
export async function handleAuth(request: Request, path: string[]): Promise<Response> {
  const requestId = randomUUID();
  const where = { method: request.method, path: `/api/auth/${path[0] ?? ""}` };
  try {
    if (!ACTIONS[request.method]?.includes(path[0] ?? ""))
      throw new AppError("not_found", "There is nothing at this address.");
    const setCookies: string[] = [];
    const response = await runNextAuth(request, path, authOptions(request, setCookies));
    for (const cookie of setCookies) response.headers.append("set-cookie", cookie);
    return response;
  } catch (error) {
    return problem(error, requestId, where);
  }
}

function authOptions(request: Request, setCookies: string[]): NextAuthOptions {
  const { passwords, providers } = signInSettings();
  // Whom a provider's answer turned out to be; next-auth itself only knows the provider's name for them.
  let found: string | undefined;
  return {
    secret: need("authSecret"),
    useSecureCookies: cookiesAreSecure(),
    cookies: authCookies(),
    session: { strategy: "jwt", maxAge: SESSION_LIFETIME_MS / 1000 },
    pages: { signIn: "/sign-in", error: "/sign-in" },
    providers: [...ownWaysIn(request, setCookies, passwords), ...providers.map(oidcProvider)],
    callbacks: {
      signIn: async ({ account, profile }) => {
        const provider = providers.find((candidate) => candidate.id === account?.provider);
        if (!provider) return true;
        const result = await inCodes(() => signInWithProvider(provider, profile))(undefined);
        if ("refused" in result) return refusal(request, result.refused);
        found = result.userId;
        return true;
      },
      // `user` is there at sign-in only.
      jwt: async ({ token, user, account }) => {
        if (!user) return { sub: token.sub, sid: token.sid };
        await closeFormer(request);
        setCookies.push(pendingCookie("", 0));
        const userId = found ?? user.id;
        return {
          sub: userId,
          sid: await openSession(userId, methodOf(account?.provider), browserOf(request)),
        };
      },
      session: ({ session }) => ({ expires: session.expires }),
      redirect: ({ url, baseUrl }) => baseUrl + ownPath(url, baseUrl),
    },
    events: {
      signOut: async ({ token }) => {
        if (typeof token?.sid === "string") await closeSession(token.sid);
      },
    },
    logger: {
      error: (code, detail) => log.warn({ code, why: reasonOf(detail) }, "Signing in failed"),
      warn: (code) => log.debug({ code }, "next-auth warns"),
      debug: () => undefined,
    },
  };
}

/** Back to the sign-in page, which still knows where the person wanted to go. */
function refusal(request: Request, code: string): string {
  const wanted = cookiesOf(request)[cookieName("next-auth.callback-url")];
  return `/sign-in?${new URLSearchParams({ error: code, callbackUrl: ownPath(wanted, env().url) })}`;
}

function methodOf(provider: string | undefined) {
  if (provider === "demo" || provider === "passkey") return provider;
  return provider === "password" || provider === "code" ? "password" : "oidc";
}

function browserOf(request: Request) {
  return {
    userAgent: request.headers.get("user-agent"),
    address: clientAddress(request.headers.get("x-forwarded-for")),
  };
}

/** Who signs in again leaves no session behind that nobody holds. */
async function closeFormer(request: Request): Promise<void> {
  const cookie = cookieOf(request, sessionCookieName());
  const secret = cookie ? await secretIn(cookie) : null;
  if (secret) await closeSession(secret);
}

function authCookies(): NextAuthOptions["cookies"] {
  const cookie = (name: string, maxAge?: number) => ({
    name: cookieName(`next-auth.${name}`),
    options: { ...cookieOptions(), ...(maxAge && { maxAge }) },
  });
  return {
    sessionToken: { name: sessionCookieName(), options: cookieOptions() },
    callbackUrl: cookie("callback-url"),
    csrfToken: cookie("csrf-token"),
    pkceCodeVerifier: cookie("pkce.code_verifier", 900),
    state: cookie("state", 900),
    nonce: cookie("nonce", 900),
  };
}

/** The message alone: errors of openid-client carry tokens, codes and verifiers beside it. */
function reasonOf(detail: unknown): string {
  const inner = detail instanceof Error ? detail : (detail as { error?: unknown })?.error;
  const message = inner instanceof Error ? inner.message : "unknown";
  return message.replace(/\b(state|nonce) mismatch.*/s, "$1 mismatch").slice(0, 300);
}
