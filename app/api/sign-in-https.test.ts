import { expect, test } from "vitest";
import { withClient } from "@/scripts/database/roles.ts";
import { AuthBrowser } from "@/test/servers/auth-browser.ts";
import { webForFile } from "@/test/web.ts";

const ORIGIN = "https://intray.example";
const web = webForFile(() => ({
  INTRAY_URL: ORIGIN,
  NEXTAUTH_URL: ORIGIN,
}));

test("where the site is https every cookie is bound to its very host, and so is the session", async () => {
  const { handleAuth } = await import("@/lib/web/auth/auth.ts");
  const { hashPassword } = await import("@/lib/people/members/password.ts");
  const { startSecondFactor, confirmSecondFactor } = await import("@/lib/people/accounts/second-factor.ts");
  const { database } = await import("@/lib/web/database.ts");
  const { sealing } = await import("@/lib/web/services.ts");
  const { Secret, TOTP } = await import("otpauth");
  const acme = await web.organization("acme");
  const { userId } = await web.member(acme, "Pia", "viewer");
  const hash = await hashPassword("correct horse battery");
  await withClient(web.database.adminUrl, (client) =>
    client.query(`UPDATE "user" SET password_hash = $1 WHERE id = $2`, [hash, userId]),
  );
  const email = `pia-${acme}@test.example`;
  const db = await database();
  const { secret } = await startSecondFactor(db, sealing(), { id: userId, email });
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const [recovery = ""] = await confirmSecondFactor(db, sealing(), userId, totp.generate());

  const browser = new AuthBrowser(handleAuth, "10.0.0.1", ORIGIN);
  const check = (names: string[]) => {
    expect(browser.cookies().map((cookie) => cookie.name)).toEqual(expect.arrayContaining(names));
    for (const { name, attributes } of browser.cookies()) {
      expect(name).toMatch(/^__Host-/);
      expect(attributes).toMatch(/Path=\/(;|$)/);
      expect(attributes).toMatch(/Secure/);
      expect(attributes).toMatch(/HttpOnly/);
      expect(attributes).toMatch(/SameSite=Lax/i);
      expect(attributes).not.toMatch(/Domain=/i);
    }
  };
  expect(await browser.signIn("password", { email, password: "correct horse battery" })).toBe(
    "second_factor",
  );
  check(["__Host-intray.sign-in", "__Host-next-auth.csrf-token", "__Host-next-auth.callback-url"]);
  expect(await browser.signIn("code", { code: recovery })).toBe(null);
  check(["__Host-next-auth.session-token"]);
  expect((await web.call("GET", "/api/v1/me", { cookie: browser.cookie() })).status).toBe(200);
  // A neighbour of the domain could set a cookie with the plain name, so such a cookie signs nobody in.
  const planted = browser.cookie().replaceAll("__Host-", "");
  expect((await web.call("GET", "/api/v1/me", { cookie: planted })).status).toBe(401);
});
