/** What people are told about their accounts, and what somebody with their session can do about it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDatabase, type Database, Prisma } from "@/lib/base/db/db.ts";
import { sendAccountMail } from "@/lib/outbound/mail/send.ts";
import { createMailer, type Mailer } from "@/lib/outbound/mail/smtp.ts";
import {
  acme,
  addPasskey,
  caller,
  codeAt,
  newBrowser,
  PASSWORD,
  type Person,
  person,
  sql,
  startAccounts,
  web,
  withSecondFactor,
} from "@/test/fixtures/accounts.ts";
import { Authenticator } from "@/test/fixtures/authenticator.ts";
import { type MailServer, startMailServer } from "@/test/servers/mail-server.ts";
import { ORIGIN } from "@/test/web.ts";

let engine: Database;
let server: MailServer;
let mailer: Mailer;

beforeAll(async () => {
  await startAccounts();
  engine = createDatabase(web.database.engineUrl, { connections: 4 });
  server = await startMailServer();
  mailer = createMailer(server.url, ORIGIN, 1_000);
});
beforeEach(() => {
  server.mails.length = 0;
  server.mood = "ok";
});
afterAll(async () => {
  await engine.close();
  await server.close();
  await web.stop();
});

interface Listed {
  id: string;
  kind: string;
  cause: string;
  readAt: string | null;
  account: { data: Record<string, unknown>; more: number; canBeRead: boolean } | null;
}

async function told(cookie: string, query = ""): Promise<Listed[]> {
  const { status, body } = await web.call("GET", `/api/v1/notices?limit=200${query}`, { cookie });
  expect(status).toBe(200);
  return body.items;
}
const causes = async (cookie: string) => (await told(cookie)).map(({ cause }) => cause);
const unread = async (cookie: string) =>
  (await web.call("GET", "/api/v1/notices/counts", { cookie })).body.unread;

async function mailAll({ userId }: { userId: string }): Promise<void> {
  while (await sendAccountMail(engine, userId, mailer, ORIGIN));
}

/** Signs in once more, by the same browser. */
async function signInAgain(pia: Person): Promise<void> {
  expect(await pia.browser.signIn("password", { email: pia.email, password: PASSWORD })).toBe(null);
}

describe("a person", () => {
  test("is told of new ways to sign in, of removed ones, of used codes, and nobody else is", async () => {
    const pia = await withSecondFactor();
    const neighbour = await person();
    const { body: passkey } = await addPasskey(pia, new Authenticator(ORIGIN), "Laptop");
    await pia.call("DELETE", `/passkeys/${passkey.id}`);
    const browser = newBrowser();
    await browser.signIn("password", { email: pia.email, password: PASSWORD });
    expect(await browser.signIn("code", { code: pia.recoveryCodes[0] ?? "" })).toBe(null);
    await pia.call("POST", "/second-factor/remove", { code: codeAt(pia.secret, 0) });
    await pia.call("POST", "/password", { current: PASSWORD, password: "another password" });
    const mine = await told(pia.browser.cookie());
    expect(mine.map(({ cause }) => cause)).toEqual([
      "account.password_changed",
      "account.second_factor_removed",
      "account.new_sign_in",
      "account.recovery_code_used",
      "account.passkey_removed",
      "account.passkey_added",
      "account.second_factor_added",
    ]);
    expect(new Set(mine.map(({ kind }) => kind))).toEqual(new Set(["account"]));
    expect(mine[5]?.account?.data).toEqual({ name: "Laptop" });
    expect(await causes(neighbour.browser.cookie())).toEqual([]);
    await mailAll(pia);
    expect(server.mails.map(({ to }) => to)).toEqual(Array(7).fill([pia.email]));
    expect(server.mails.map(({ subject }) => subject)).toContain("Intray account: Passkey added");
  });

  test("is told of a sign-in from a new network or browser, and not of the first, nor of a known one", async () => {
    const pia = await person();
    expect(await causes(pia.browser.cookie())).toEqual([]);
    await signInAgain(pia);
    expect(await causes(pia.browser.cookie())).toEqual([]);
    await newBrowser().signIn("password", { email: pia.email, password: PASSWORD });
    expect(await causes(pia.browser.cookie())).toEqual(["account.new_sign_in"]);
    // The same browser, somewhere else.
    expect(
      await newBrowser().with(pia.browser).signIn("password", { email: pia.email, password: PASSWORD }),
    ).toBe(null);
    expect(await causes(pia.browser.cookie())).toHaveLength(2);
  });

  test("gets no mail for tries that fail, however many", async () => {
    const pia = await person();
    const stranger = newBrowser();
    for (let n = 0; n < 100; n++)
      await stranger.signIn("password", { email: pia.email, password: `guess ${n}` });
    expect(await causes(pia.browser.cookie())).toEqual([]);
    await mailAll(pia);
    expect(server.mails).toEqual([]);
  });

  test("gets five mails of a kind in a day at most, and is told how many more there were, also of eight at once", async () => {
    const pia = await person();
    const tell = (name: string) =>
      web.db
        .gate(Prisma.sql`SELECT 1 AS done FROM "user" WHERE id = ${pia.userId}::uuid`)
        .then(() =>
          sql(
            "SELECT gate.account_event($1, 'account.passkey_added', jsonb_build_object('name', $2::text))",
            [pia.userId, name],
          ),
        );
    await Promise.all(Array.from({ length: 8 }, (_, n) => tell(`Key ${n}`)));
    const rows = await told(pia.browser.cookie());
    expect(rows.map(({ account }) => account?.more).sort()).toEqual([0, 0, 0, 0, 3]);
    await mailAll(pia);
    expect(server.mails).toHaveLength(5);
    const last = server.mails.filter(({ source }) => source.includes("does not mail them"));
    expect(last).toHaveLength(1);
    // Another kind has its own count.
    await sql("SELECT gate.account_event($1, 'account.passkey_removed', '{}')", [pia.userId]);
    await mailAll(pia);
    expect(server.mails).toHaveLength(6);
  });
});

describe("somebody with a person's session", () => {
  test("can't keep a notice from being told: not by preferences, read-all, reading it, or undoing what was done", async () => {
    const pia = await person();
    const thief = caller(pia.browser);
    const cookie = pia.browser.cookie();
    for (const kind of ["account", "attention"]) {
      const body = { kinds: { [kind]: { app: false, email: false } } };
      const { status } = await web.call("PATCH", "/api/v1/me/notifications", { cookie, body });
      expect(status).toBe(kind === "account" ? 422 : 200);
    }
    const { body: passkey } = await addPasskey(pia, new Authenticator(ORIGIN), "Thief");
    expect((await thief("DELETE", `/passkeys/${passkey.id}`)).status).toBe(204);
    expect((await web.call("POST", "/api/v1/notices/read-all", { cookie })).status).toBe(204);
    for (const { id, account } of await told(cookie)) {
      expect(account?.canBeRead).toBe(false);
      expect((await web.call("POST", `/api/v1/notices/${id}/read`, { cookie })).status).toBe(204);
    }
    expect(await unread(cookie)).toBe(2);
    // Who signs in again reads them.
    await signInAgain(pia);
    const later = pia.browser.cookie();
    for (const { id, account } of await told(later, "&unread=true")) {
      expect(account?.canBeRead).toBe(true);
      await web.call("POST", `/api/v1/notices/${id}/read`, { cookie: later });
    }
    expect(await unread(later)).toBe(0);
    expect(await causes(later)).toEqual(["account.passkey_removed", "account.passkey_added"]);
    await mailAll(pia);
    expect(server.mails).toHaveLength(2);
  });

  test("can't turn the mail elsewhere, by leaving the organization or by another address", async () => {
    const pia = await person();
    await addPasskey(pia, new Authenticator(ORIGIN), "Thief");
    expect((await web.call("DELETE", "/api/v1/me/membership", { cookie: pia.browser.cookie() })).status).toBe(
      204,
    );
    await sql(`UPDATE "user" SET email = 'thief@evil.example' WHERE id = $1`, [pia.userId]);
    await mailAll(pia);
    expect(server.mails.map(({ to }) => to)).toEqual([[pia.email]]);
  });
});

test("an API key reads and marks no notices of accounts", async () => {
  const pia = await person();
  await addPasskey(pia, new Authenticator(ORIGIN));
  const [{ id } = { id: "" }] = await told(pia.browser.cookie());
  const key = await web.key(acme, "owner");
  for (const [method, path] of [
    ["GET", "/api/v1/notices"],
    ["POST", "/api/v1/notices/read-all"],
    ["POST", `/api/v1/notices/${id}/read`],
  ] as const)
    expect((await web.call(method, path, { key })).status).toBe(403);
  const other = await person();
  expect(
    (await web.call("POST", `/api/v1/notices/${id}/read`, { cookie: other.browser.cookie() })).status,
  ).toBe(404);
});

test("a mail is sent once by two engines, again where the mail server fails, and not after a day", async () => {
  const pia = await person();
  await addPasskey(pia, new Authenticator(ORIGIN));
  server.mood = "busy";
  await mailAll(pia);
  expect(
    await sql("SELECT mail_state, attempts FROM account_notice WHERE user_id = $1", [pia.userId]),
  ).toEqual([{ mail_state: "waiting", attempts: 1 }]);
  server.mood = "ok";
  await sql("UPDATE account_notice SET not_before = now() - interval '1 second' WHERE user_id = $1", [
    pia.userId,
  ]);
  await Promise.all([mailAll(pia), mailAll(pia)]);
  expect(server.mails).toHaveLength(1);
  await sql(
    "UPDATE account_notice SET mail_state = 'waiting', created_at = now() - interval '25 hours' WHERE user_id = $1",
    [pia.userId],
  );
  await mailAll(pia);
  expect(server.mails).toHaveLength(1);
});
