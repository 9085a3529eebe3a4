import { afterAll, beforeAll, expect, test } from "vitest";
import {
  acme,
  addPasskey,
  codeAt,
  newBrowser,
  PASSWORD,
  person,
  sql,
  startAccounts,
  web,
  withSecondFactor,
} from "@/test/fixtures/accounts.ts";
import { Authenticator } from "@/test/fixtures/authenticator.ts";
import { ORIGIN } from "@/test/web.ts";

let globex: string;

beforeAll(async () => {
  await startAccounts();
  globex = await web.organization("globex");
});
afterAll(() => web.stop());

test("what happens to an account is in its own history; an organization has the sessions that work in it alone", async () => {
  const pia = await withSecondFactor();
  await web.db.withOrganization(globex, (tx) =>
    tx.membership.create({
      data: { organizationId: globex, id: crypto.randomUUID(), userId: pia.userId, role: "viewer" },
    }),
  );
  const initech = await web.organization("initech");
  const { body: passkey } = await addPasskey(pia, new Authenticator(ORIGIN), "Laptop");
  await pia.call("DELETE", `/passkeys/${passkey.id}`);
  const browser = newBrowser();
  await browser.signIn("password", { email: pia.email, password: "not the password" });
  await expect
    .poll(async () => (await pia.call("GET", "/security-events")).body.items[0].type)
    .toBe("session.refused");
  await browser.signIn("password", { email: pia.email, password: PASSWORD });
  await browser.signIn("code", { code: "000000" });
  await browser.signIn("code", { code: pia.recoveryCodes[0] ?? "" });
  await pia.call("POST", "/second-factor/remove", { code: codeAt(pia.secret, 0) });
  await pia.call("POST", "/password", { current: PASSWORD, password: "another password" });

  const { body: own } = await pia.call("GET", "/security-events");
  expect(own.items.map((event: { type: string }) => event.type).reverse()).toEqual([
    // The fixture's first session.
    "session.opened",
    "session.opened",
    "account.second_factor_added",
    "account.passkey_added",
    "account.passkey_removed",
    "session.refused",
    "session.refused",
    "account.recovery_code_used",
    "session.opened",
    "account.second_factor_removed",
    "account.password_changed",
  ]);
  const linesIn = async (place: string) => {
    const lines = await sql(
      `SELECT type, data FROM event WHERE organization_id = $1 AND actor->>'id' = $2
        AND type NOT LIKE 'member.%' ORDER BY seq`,
      [place, pia.userId],
    );
    const key = await web.key(place, "owner");
    expect((await web.call("GET", "/api/v1/events/verify", { key })).body.ok).toBe(true);
    return lines.map((line) => line.type);
  };
  // The fixture opened one session more, and dropped it.
  expect(await linesIn(acme)).toEqual(["session.opened", "session.opened", "session.opened"]);
  expect(await linesIn(globex)).toEqual([]);
  expect(await linesIn(initech)).toEqual([]);

  // Where the session goes, the organization is told of it, with how it was opened.
  const move = { cookie: browser.cookie(), body: { organizationId: globex } };
  await sql("UPDATE session SET revoked_at = NULL WHERE user_id = $1", [pia.userId]);
  expect((await web.call("PUT", "/api/v1/me/organization", move)).status).toBeLessThan(300);
  expect(await linesIn(globex)).toEqual(["session.opened"]);
  await browser.post("signout", {});
  expect(await linesIn(globex)).toEqual(["session.opened", "session.ended"]);
  expect(await linesIn(acme)).toHaveLength(3);
});

test("an account's own history is seen by nobody else", async () => {
  const [pia, other] = [await person(), await person()];
  await newBrowser().signIn("password", { email: pia.email, password: "a guess" });
  await expect
    .poll(async () =>
      (await pia.call("GET", "/security-events")).body.items.map((one: { type: string }) => one.type),
    )
    .toContain("session.refused");
  const { body } = await other.call("GET", "/security-events");
  expect(body.items.map((one: { type: string }) => one.type)).toEqual(["session.opened", "session.opened"]);
  const key = await web.key(acme, "owner");
  expect((await web.call("GET", "/api/v1/me/security-events", { key })).status).toBe(403);
});

test("what goes wrong inside is told to nobody in an address", async () => {
  const pia = await person();
  await sql("ALTER FUNCTION gate.account_by_email(text) RENAME TO away");
  try {
    const url = await newBrowser().post("callback/password", { email: pia.email, password: PASSWORD });
    expect(new URL(url).searchParams.get("error")).toBe("unavailable");
    expect(url).not.toMatch(/gate|function|prisma/i);
  } finally {
    await sql("ALTER FUNCTION gate.away(text) RENAME TO account_by_email");
  }
});

test("people of the same organizations who sign in at once do not wait for each other for ever", async () => {
  const { openSession } = await import("@/lib/web/auth/sessions.ts");
  const people = [await web.member(acme, "Xa", "viewer"), await web.member(globex, "Xb", "viewer")];
  for (const [at, organizationId] of [globex, acme].entries())
    await web.db.withOrganization(organizationId, (tx) =>
      tx.membership.create({
        data: { organizationId, id: crypto.randomUUID(), userId: people[at]?.userId ?? "", role: "viewer" },
      }),
    );
  const before = await sessionLines();
  const opened = Array.from({ length: 20 }, (_, n) =>
    openSession(people[n % 2]?.userId ?? "", "password", { userAgent: null, address: null }, 0),
  );
  await Promise.all(opened);
  expect((await sessionLines()) - before).toBe(20);

  async function sessionLines() {
    const [row] = await sql("SELECT count(*)::integer AS lines FROM event WHERE type = 'session.opened'");
    return row.lines as number;
  }
});

test("cookies are plain on loopback, HttpOnly and Lax", async () => {
  const pia = await person();
  for (const { name, attributes } of pia.browser.cookies()) {
    expect(name).toMatch(/^(next-auth\.|intray\.browser$)/);
    expect(attributes).toMatch(/HttpOnly/);
    expect(attributes).toMatch(/SameSite=Lax/i);
    expect(attributes).not.toMatch(/Domain=|Secure/i);
  }
});
