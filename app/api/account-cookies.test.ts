/** What a cookie of a signed-in browser is worth when it was altered, and what signs nobody in. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  acme,
  newBrowser,
  PASSWORD,
  person,
  sql,
  startAccounts,
  web,
  withSecondFactor,
} from "@/test/fixtures/accounts.ts";

beforeAll(() => startAccounts());
afterAll(() => web.stop());

const SESSION = "next-auth.session-token";
const openOf = (userId: string) =>
  sql("SELECT 1 FROM session WHERE user_id = $1 AND revoked_at IS NULL", [userId]);

describe("the session's cookie", () => {
  test("counts for nothing once a letter of it is another, in whichever part", async () => {
    const pia = await person();
    const value = pia.browser.cookies().find(({ name }) => name === SESSION)?.value ?? "";
    const me = (token: string) => web.call("GET", "/api/v1/me", { cookie: `${SESSION}=${token}` });
    expect((await me(value)).status).toBe(200);
    // The last letter of a part may hold bits that no byte has.
    const parts = value.split(".");
    expect(parts).toHaveLength(5);
    for (const [at, part] of parts.entries()) {
      const middle = Math.floor(part.length / 2);
      const other = `${part.slice(0, middle)}${part[middle] === "A" ? "B" : "A"}${part.slice(middle + 1)}`;
      expect((await me(parts.with(at, other).join("."))).status, `part ${at}`).toBe(401);
    }
  });

  test("that nobody sealed, or sealed with another secret, is none", async () => {
    const pia = await person();
    const { decode, encode } = await import("next-auth/jwt");
    const { need } = await import("@/lib/base/env.ts");
    const value = pia.browser.cookies().find(({ name }) => name === SESSION)?.value ?? "";
    const token = (await decode({ token: value, secret: need("authSecret") })) ?? {};
    const plain = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    for (const forged of [
      `${plain({ alg: "none" })}.${plain(token)}.`,
      await encode({ token, secret: "another secret of 32 characters." }),
      await encode({ token, secret: need("authSecret"), maxAge: -60 }),
    ])
      expect((await web.call("GET", "/api/v1/me", { cookie: `${SESSION}=${forged}` })).status).toBe(401);
    const own = await encode({ token, secret: need("authSecret") });
    expect((await web.call("GET", "/api/v1/me", { cookie: `${SESSION}=${own}` })).status).toBe(200);
  });
});

describe("signing in", () => {
  test("takes the token that our own page got: another site's form opens no session", async () => {
    const pia = await person();
    const before = (await openOf(pia.userId)).length;
    const foreign = await (await newBrowser().send("/api/auth/csrf")).json();
    const tokens: Record<string, string>[] = [{}, { csrfToken: "" }, { csrfToken: foreign.csrfToken }];
    for (const token of tokens) {
      const browser = newBrowser();
      await browser.send("/api/auth/csrf");
      const form = { email: pia.email, password: PASSWORD, json: "true", ...token };
      await browser.send("/api/auth/callback/password", form);
      expect(browser.cookies().map(({ name }) => name)).not.toContain(SESSION);
    }
    expect(await openOf(pia.userId)).toHaveLength(before);
    expect(await newBrowser().signIn("password", { email: pia.email, password: PASSWORD })).toBe(null);
    expect(await openOf(pia.userId)).toHaveLength(before + 1);
  });

  test("with a password that a link set still asks for the code of the app", async () => {
    const pia = await withSecondFactor();
    const { makePasswordLink } = await import("@/lib/people/members/member-writes.ts");
    const token = await web.db.withOrganization(acme, (tx) => makePasswordLink(tx, pia.userId, 60_000));
    const password = "another password";
    expect((await web.call("POST", "/api/set-password", { body: { token, password } })).status).toBe(204);
    const browser = newBrowser();
    expect(await browser.signIn("password", { email: pia.email, password })).toBe("second_factor");
    expect(await openOf(pia.userId)).toHaveLength(0);
    expect(await browser.signIn("code", { code: pia.recoveryCodes[0] ?? "" })).toBe(null);
  });
});
