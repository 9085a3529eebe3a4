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

test("what happens to an account is in the history of each organization of the person's, and of no other", async () => {
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
  await browser.signIn("password", { email: pia.email, password: PASSWORD });
  await browser.signIn("code", { code: "000000" });
  await browser.signIn("code", { code: pia.recoveryCodes[0] ?? "" });
  await pia.call("POST", "/second-factor/remove", { code: codeAt(pia.secret, 0) });
  await pia.call("POST", "/password", { current: PASSWORD, password: "another password" });
  const types = [
    "account.passkey_added",
    "account.passkey_removed",
    "session.refused",
    "account.recovery_code_used",
    "session.opened",
    "account.second_factor_removed",
    "account.password_changed",
  ];
  for (const [place, expected] of [
    [globex, types],
    [initech, []],
  ] as const) {
    const lines = await sql(
      `SELECT type, actor FROM event WHERE organization_id = $1 AND actor->>'id' = $2 ORDER BY seq`,
      [place, pia.userId],
    );
    expect(lines.map((line) => line.type)).toEqual(expected);
    const key = await web.key(place, "owner");
    expect((await web.call("GET", "/api/v1/events/verify", { key })).body.ok).toBe(true);
  }
  const { describeEvent } = await import("@/lib/format/events.ts");
  const { body } = await web.call("GET", "/api/v1/events?limit=200", { key: await web.key(acme, "owner") });
  const words = body.items.map((event: never) => describeEvent(event).text);
  expect(words).toContainEqual(expect.stringMatching(/^Pia\d+ turned two-step sign-in off$/));
  expect(words).toContainEqual(
    expect.stringMatching(/^A sign-in as Pia\d+ was refused: the code was wrong$/),
  );
});

test("what goes wrong inside is told to nobody in an address", async () => {
  const pia = await person();
  await sql("ALTER FUNCTION gate.user_by_email(text) RENAME TO away");
  try {
    const url = await newBrowser().post("callback/password", { email: pia.email, password: PASSWORD });
    expect(new URL(url).searchParams.get("error")).toBe("unavailable");
    expect(url).not.toMatch(/gate|function|prisma/i);
  } finally {
    await sql("ALTER FUNCTION gate.away(text) RENAME TO user_by_email");
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
  expect((await sessionLines()) - before).toBe(40);

  async function sessionLines() {
    const [row] = await sql("SELECT count(*)::integer AS lines FROM event WHERE type = 'session.opened'");
    return row.lines as number;
  }
});

test("cookies are plain on loopback, HttpOnly and Lax", async () => {
  const pia = await person();
  for (const { name, attributes } of pia.browser.cookies()) {
    expect(name).toMatch(/^next-auth\./);
    expect(attributes).toMatch(/HttpOnly/);
    expect(attributes).toMatch(/SameSite=Lax/i);
    expect(attributes).not.toMatch(/Domain=|Secure/i);
  }
});
