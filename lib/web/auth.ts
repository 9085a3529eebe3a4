/**
 * Signing in and out, by next-auth. All that next-auth keeps is a cookie with the secret of a session of ours: what
 * it calls a session is never asked for authorization (it does not know of revocation). Its address is
 * NEXTAUTH_URL, which scripts/web.ts sets from INTRAY_URL.
 */

import { headers } from "next/headers";
import type { NextAuthOptions } from "next-auth";
import CredentialsProvider from "next-auth/providers/credentials";
import { need } from "../env.ts";
import { log } from "../log.ts";
import { clientAddress } from "./client-address.ts";
import { demoPeople } from "./demo.ts";
import { cookiesAreSecure } from "./session-cookie.ts";
import { type Browser, closeSession, openSession, type SignInMethod } from "./sessions.ts";
import { checkPassword } from "./sign-in-with-password.ts";
import { SESSION_LIFETIME_MS } from "./tunables.ts";

export function authOptions(): NextAuthOptions {
  return {
    secret: need("authSecret"),
    useSecureCookies: cookiesAreSecure(),
    session: { strategy: "jwt", maxAge: SESSION_LIFETIME_MS / 1000 },
    pages: { signIn: "/sign-in", error: "/sign-in" },
    providers: [password, demo],
    callbacks: {
      // `user` is there at sign-in only.
      jwt: async ({ token, user, account }) => ({
        sub: token.sub,
        sid: user ? await openSession(user.id, methodOf(account?.provider), await browser()) : token.sid,
      }),
      session: ({ session }) => ({ expires: session.expires }),
    },
    events: {
      signOut: async ({ token }) => {
        if (typeof token?.sid === "string") await closeSession(token.sid);
      },
    },
    logger: {
      error: (code, detail) =>
        log.error({ code, err: detail instanceof Error ? detail : detail.error }, "Signing in failed"),
      warn: (code) => log.debug({ code }, "next-auth warns"),
      debug: () => undefined,
    },
  };
}

function methodOf(provider: string | undefined): SignInMethod {
  return provider === "demo" ? "demo" : "password";
}

async function browser(): Promise<Browser> {
  const sent = await headers();
  return { userAgent: sent.get("user-agent"), address: clientAddress(sent.get("x-forwarded-for")) };
}

// What these throw ends up in an address: codes only.
const password = CredentialsProvider({
  id: "password",
  name: "Password",
  credentials: { email: {}, password: {} },
  async authorize(credentials, request) {
    const { email = "", password = "" } = credentials ?? {};
    const result = await checkPassword(email, password, clientAddress(request.headers?.["x-forwarded-for"]));
    if (result.kind === "throttled") throw new Error("throttled");
    return result.kind === "person" ? { id: result.userId } : null;
  },
});

const demo = CredentialsProvider({
  id: "demo",
  name: "Demonstration",
  credentials: { email: {} },
  async authorize(credentials, request) {
    const people = await demoPeople(request.headers?.host);
    const person = people.find((candidate) => candidate.email === credentials?.email);
    return person ? { id: person.id } : null;
  },
});
