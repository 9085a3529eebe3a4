import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isDated } from "@/lib/people/members/password.ts";
import { UNATTENDED_HEADER } from "@/lib/web/pages/page-headers.ts";
import {
  acme,
  caller,
  newBrowser,
  PASSWORD,
  person,
  sql,
  startAccounts,
  web,
} from "@/test/fixtures/accounts.ts";
import { ORIGIN } from "@/test/web.ts";

beforeAll(() => startAccounts());
afterAll(() => web.stop());

describe("sessions", () => {
  test("are listed with browser, address and method, and end one by one or all but this", async () => {
    const pia = await person();
    const others = [newBrowser(), newBrowser()];
    for (const other of others) await other.signIn("password", { email: pia.email, password: PASSWORD });
    const { items } = (await pia.call("GET", "/sessions")).body;
    expect(items).toHaveLength(3);
    expect(items.map((item: { current: boolean }) => item.current)).toEqual([false, false, true]);
    expect(items[2]).toMatchObject({ method: "password", address: expect.stringMatching(/^10\.0\.2\./) });
    expect(JSON.stringify(items)).not.toMatch(/secret|hash/);

    expect((await pia.call("DELETE", `/sessions/${items[0].id}`)).status).toBe(204);
    expect((await caller(others[1]!)("GET", "/sessions")).status).toBe(401);
    expect((await caller(others[0]!)("GET", "/sessions")).status).toBe(200);
    expect((await pia.call("DELETE", `/sessions/${items[0].id}`)).status).toBe(404);
    expect((await pia.call("DELETE", "/sessions")).status).toBe(204);
    expect((await caller(others[0]!)("GET", "/sessions")).status).toBe(401);
    expect((await pia.call("GET", "/sessions")).body.items).toHaveLength(1);
  });

  test("of others are nobody's to see or end, and keys have none", async () => {
    const [ann, bob] = [await person(), await person()];
    const [session] = (await bob.call("GET", "/sessions")).body.items;
    expect((await ann.call("DELETE", `/sessions/${session.id}`)).status).toBe(404);
    expect((await bob.call("GET", "/sessions")).status).toBe(200);
    const key = await web.key(acme, "owner");
    for (const path of ["sessions", "security"])
      expect((await web.call("GET", `/api/v1/me/${path}`, { key })).status).toBe(403);
  });

  test("end two hours after the last request, and eight hours after signing in", async () => {
    const age = async (column: string, by: string) => {
      const pia = await person();
      await sql(`UPDATE session SET ${column} = ${column} - $2::interval WHERE user_id = $1`, [
        pia.userId,
        by,
      ]);
      return (await pia.call("GET", "/sessions")).status;
    };
    expect(await age("last_seen_at", "1 hour 59 minutes")).toBe(200);
    expect(await age("last_seen_at", "2 hours 1 minute")).toBe(401);
    expect(await age("expires_at", "7 hours 59 minutes")).toBe(200);
    expect(await age("expires_at", "8 hours 1 minute")).toBe(401);
  });

  test("are not kept alive by a page that nobody uses: neither by its stream nor by what it rereads", async () => {
    const pia = await person();
    const cookie = pia.browser.cookie();
    const idleSeconds = async () => {
      const seconds = "extract(epoch FROM now() - last_seen_at)::int AS seconds";
      return (await sql(`SELECT ${seconds} FROM session WHERE user_id = $1`, [pia.userId]))[0].seconds;
    };
    await sql("UPDATE session SET last_seen_at = now() - interval '1 hour' WHERE user_id = $1", [pia.userId]);
    const { GET } = await import("@/app/api/v1/stream/route.ts");
    const page = new AbortController();
    const request = new Request(`${ORIGIN}/api/v1/stream`, { headers: { cookie }, signal: page.signal });
    expect((await GET(request, { params: Promise.resolve({}) })).status).toBe(200);
    page.abort();
    const headers = { [UNATTENDED_HEADER]: "1" };
    expect((await web.call("GET", "/api/v1/me", { cookie, headers })).status).toBe(200);
    expect(await idleSeconds()).toBeGreaterThan(3_500);

    expect((await web.call("GET", "/api/v1/me", { cookie })).status).toBe(200);
    expect(await idleSeconds()).toBeLessThan(3_500);
  });

  test("leave no session behind that nobody holds, when somebody signs in again or out", async () => {
    const pia = await person();
    await pia.browser.signIn("password", { email: pia.email, password: PASSWORD });
    expect((await pia.call("GET", "/sessions")).body.items).toHaveLength(1);
    const cookie = pia.browser.cookie();
    const { csrfToken } = await (await pia.browser.send("/api/auth/csrf")).json();
    const signedOut = await pia.browser.send("/api/auth/signout", { csrfToken, json: "true" });
    expect(signedOut.headers.get("clear-site-data")).toBe('"cache"');
    expect((await web.call("GET", "/api/v1/me", { cookie })).status).toBe(401);
  });
});

describe("a password", () => {
  test("is changed by who knows it, which ends the other sessions and open sign-ins", async () => {
    const pia = await person();
    const other = newBrowser();
    await other.signIn("password", { email: pia.email, password: PASSWORD });
    const change = (current: string, password: string) =>
      pia.call("POST", "/password", { current, password });
    expect((await change("a wrong password", "another password")).body).toMatchObject({
      code: "wrong_password",
      errors: [{ field: "current" }],
    });
    expect((await change(PASSWORD, "short")).status).toBe(422);
    const both = await Promise.all([
      change(PASSWORD, "another password"),
      change(PASSWORD, "one more password"),
    ]);
    expect(both.map((answer) => answer.status).sort()).toEqual([204, 422]);
    expect((await pia.call("GET", "/sessions")).status).toBe(200);
    expect((await caller(other)("GET", "/sessions")).status).toBe(401);
    expect(await newBrowser().signIn("password", { email: pia.email, password: PASSWORD })).toBe(
      "CredentialsSignin",
    );
  });

  test("of an older strength is kept under today's once it is given", async () => {
    const pia = await person();
    const { scryptSync } = await import("node:crypto");
    const salt = Buffer.alloc(16, 7);
    const old = scryptSync(PASSWORD, salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 });
    const stored = `scrypt$15$8$1$${salt.toString("base64url")}$${old.toString("base64url")}`;
    await sql(`UPDATE "user" SET password_hash = $1 WHERE id = $2`, [stored, pia.userId]);
    expect(await newBrowser().signIn("password", { email: pia.email, password: PASSWORD })).toBe(null);
    const [row] = await sql(`SELECT password_hash AS hash FROM "user" WHERE id = $1`, [pia.userId]);
    expect(isDated(row.hash)).toBe(false);
    expect(await newBrowser().signIn("password", { email: pia.email, password: PASSWORD })).toBe(null);
  });

  test("says the same of an unknown account and of a wrong password", async () => {
    const pia = await person();
    const wrong = await newBrowser().post("callback/password", { email: pia.email, password: "wrong" });
    const unknown = await newBrowser().post("callback/password", { email: "x@y.example", password: "wrong" });
    expect(wrong).toBe(unknown);
  });
});
