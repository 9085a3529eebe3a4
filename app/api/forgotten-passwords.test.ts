/** Forgotten passwords: mailed links, which tell strangers nothing, and links of an admin's, which take nothing over. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDatabase, type Database } from "@/lib/base/db/db.ts";
import { PASSWORD_RESETS } from "@/lib/engine/jobs/mail-jobs.ts";
import { sendPasswordReset } from "@/lib/outbound/mail/password-reset.ts";
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
import { organizationsDue } from "@/test/fixtures/notifications-fixture.ts";
import { forFile } from "@/test/for-file.ts";
import { statementsOf } from "@/test/guards/statements.ts";
import { startMailServer } from "@/test/servers/mail-server.ts";
import { ORIGIN, tokenOf } from "@/test/web.ts";

const NEW = "quite another password";
let engine: Database;
const server = forFile(startMailServer);
let mailer: Mailer;
let ana: { userId: string; memberId: string; cookie: string };

beforeAll(async () => {
  await startAccounts({ SMTP_URL: server.url });
  engine = createDatabase(web.database.engineUrl, { connections: 4 });
  mailer = createMailer(server.url, ORIGIN, 1_000);
  ana = await web.member(acme, "Ana", "owner");
});
beforeEach(async () => {
  server.mails.length = 0;
  server.mood = "ok";
  await sql("DELETE FROM password_reset");
  await sql("DELETE FROM throttle");
});
afterAll(async () => {
  await engine.close();
  await web.stop();
});

let made = 0;
const fresh = () => ({ "x-forwarded-for": `10.5.${++made >> 8}.${made & 255}` });
const ask = (email: string, headers = fresh()) =>
  web.call("POST", "/api/forgot-password", { body: { email }, headers });
/** Has an engine work off what waits. */
async function mailAll(): Promise<void> {
  for (const id of await organizationsDue(engine, PASSWORD_RESETS))
    await sendPasswordReset(engine, id, mailer, ORIGIN);
}
const source = () => String(server.mails.at(-1)?.source).replaceAll("=\r\n", "").replaceAll("=3D", "=");
const mailedToken = () => /set-password#token=([\w-]{43})/.exec(source())?.[1] ?? "";
async function resetOf(email: string): Promise<string> {
  expect((await ask(email)).status).toBe(202);
  await mailAll();
  return mailedToken();
}
const set = (token: string, password = NEW) =>
  web.call("POST", "/api/set-password", { body: { token, password }, headers: fresh() });
const look = (token: string) =>
  web.call("POST", "/api/set-password/look", { body: { token }, headers: fresh() });
const signsIn = (email: string, password: string) => newBrowser().signIn("password", { email, password });
const causesOf = async ({ userId }: { userId: string }) =>
  (
    await sql("SELECT cause, data FROM account_notice WHERE user_id = $1 ORDER BY created_at", [userId])
  ).filter(({ cause }) => cause !== "account.new_sign_in");

describe("a mailed link", () => {
  test("sets a password once, ends the sessions, and tells the person", async () => {
    const pia = await person();
    const token = await resetOf(pia.email.toUpperCase());
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]?.to).toEqual([pia.email]);
    // Opening it decides nothing, however often a scanner does.
    for (let n = 0; n < 3; n++) expect((await look(token)).status).toBe(204);
    expect(await signsIn(pia.email, PASSWORD)).toBe(null);
    const both = await Promise.all([set(token), set(token, "one more password")]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 410]);
    expect((await pia.call("GET", "/sessions")).status).toBe(401);
    expect(await signsIn(pia.email, PASSWORD)).toBe("CredentialsSignin");
    expect((await causesOf(pia)).at(-1)).toEqual({
      cause: "account.password_changed",
      data: { byLink: true, source: "mail" },
    });
  });

  test("ends earlier ones and works for an hour; the operator's goes on", async () => {
    const pia = await person();
    const { makePasswordLinkFor } = await import("@/lib/people/accounts/password.ts");
    const operators = await makePasswordLinkFor(web.db, pia.email, 60_000);
    const first = await resetOf(pia.email);
    const second = await resetOf(pia.email);
    expect(second).not.toBe(first);
    expect((await set(first)).status).toBe(410);
    expect((await look(operators ?? "")).status).toBe(204);
    await sql(
      "UPDATE password_link SET expires_at = expires_at - interval '59 minutes' WHERE user_id = $1 AND source = 'mail'",
      [pia.userId],
    );
    expect((await look(second)).status).toBe(204);
    await sql(
      "UPDATE password_link SET expires_at = expires_at - interval '1 minute' WHERE user_id = $1 AND source = 'mail'",
      [pia.userId],
    );
    expect((await set(second)).status).toBe(410);
  });

  test("leaves two-step sign-in on, which is asked for afterwards", async () => {
    const pia = await withSecondFactor();
    expect((await set(await resetOf(pia.email))).status).toBe(204);
    const browser = newBrowser();
    expect(await browser.signIn("password", { email: pia.email, password: NEW })).toBe("second_factor");
    expect((await caller(browser)("GET", "/sessions")).status).toBe(401);
    expect(await browser.signIn("code", { code: codeAt(pia.secret, 0) })).toBe(null);
  });

  test("gives an account that nobody has proved to who reads its mail", async () => {
    const pia = await person();
    await addPasskey(pia, new Authenticator(ORIGIN), "Squatter's");
    await sql(`UPDATE "user" SET proven_at = NULL WHERE id = $1`, [pia.userId]);
    expect((await set(await resetOf(pia.email))).status).toBe(204);
    const [left] = await sql(
      `SELECT (SELECT count(*)::integer FROM passkey WHERE user_id = $1) AS passkeys, proven_at IS NOT NULL AS proven
        FROM "user" WHERE id = $1`,
      [pia.userId],
    );
    expect(left).toEqual({ passkeys: 0, proven: true });
    expect(await signsIn(pia.email, NEW)).toBe(null);
  });

  test("is sent again by another engine, by a new link, where the mail server was away", async () => {
    const pia = await person();
    expect((await ask(pia.email)).status).toBe(202);
    server.mood = "busy";
    await mailAll();
    await sql("UPDATE password_reset SET not_before = now() - interval '1 second'");
    server.mood = "ok";
    await Promise.all([mailAll(), mailAll()]);
    expect(server.mails).toHaveLength(1);
    expect((await set(mailedToken())).status).toBe(204);
    expect(await sql("SELECT 1 FROM password_reset")).toEqual([]);
  });

  test("is no link for whoever signs in with a provider or a passkey alone", async () => {
    const pia = await person();
    await addPasskey(pia, new Authenticator(ORIGIN));
    await sql(`UPDATE "user" SET password_hash = NULL WHERE id = $1`, [pia.userId]);
    expect(await resetOf(pia.email)).toBe("");
    expect(source()).toContain("Sign in as you did before");
  });
});

describe("somebody who asks for an address that is not theirs", () => {
  test("learns nothing: the same answer by the same statements, whatever the account is", async () => {
    const [known, unproven, suspended, noPassword] = [
      await person(),
      await person(),
      await person(),
      await person(),
    ];
    await sql(`UPDATE "user" SET proven_at = NULL WHERE id = $1`, [unproven.userId]);
    await sql(`UPDATE "user" SET password_hash = NULL WHERE id = $1`, [noPassword.userId]);
    await web.call("POST", `/api/v1/members/${suspended.memberId}/suspend`, { cookie: ana.cookie });
    await ask("first@x.example");
    const [{ status, body }, asked] = await statementsOf(() => ask("unknown@x.example"));
    for (const { email } of [known, unproven, suspended, noPassword]) {
      const [answer, theirs] = await statementsOf(() => ask(email));
      expect([answer.status, answer.body]).toEqual([status, body]);
      expect(theirs).toEqual(asked);
      expect(answer.headers.has("server-timing")).toBe(false);
    }
    await mailAll();
    expect(server.mails.some(({ to }) => to.includes("unknown@x.example"))).toBe(false);
    expect(server.mails.some(({ to }) => to.includes(suspended.email))).toBe(true);
  });

  test("sends three mails an hour at most, and the last link goes on working", async () => {
    const pia = await person();
    for (let n = 0; n < 6; n++) {
      await ask(pia.email);
      await mailAll();
    }
    expect(server.mails).toHaveLength(3);
    expect((await set(mailedToken())).status).toBe(204);
  });

  test("from one network waits after twenty, and nobody else does", async () => {
    const headers = fresh();
    const answers = await Promise.all(Array.from({ length: 25 }, (_, n) => ask(`a${n}@x.example`, headers)));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
    expect((await ask("b@x.example")).status).toBe(202);
    // Nor does it hold up anybody's sign-in.
    const pia = await person();
    expect(await signsIn(pia.email, PASSWORD)).toBe(null);
  });

  test("fills no table, and what is no address is refused", async () => {
    await Promise.all(Array.from({ length: 20 }, () => ask("same@x.example")));
    expect(await sql("SELECT email FROM password_reset")).toEqual([{ email: "same@x.example" }]);
    await sql(`INSERT INTO password_reset (email) SELECT n || '@y.example' FROM generate_series(1, 1000) n`);
    await ask("more@x.example");
    expect(await sql("SELECT 1 FROM password_reset WHERE email = 'more@x.example'")).toEqual([]);
    expect((await ask("no address")).status).toBe(422);
    await mailAll();
    expect(await sql("SELECT 1 FROM password_reset")).toEqual([]);
    expect(server.mails).toEqual([]);
  });

  test("gets no link out of the database by the web's role or the engine's alone", async () => {
    const app = createDatabase(web.database.appUrl, { connections: 1 });
    const { Prisma } = await import("@/lib/base/db/db.ts");
    try {
      await expect(app.gate(Prisma.sql`SELECT * FROM password_reset`)).rejects.toThrow();
      await expect(app.gate(Prisma.sql`SELECT * FROM gate.password_resets_waiting()`)).rejects.toThrow();
      await expect(
        engine.gate(Prisma.sql`SELECT 1 AS done FROM gate.ask_password_reset('a@x.example', 10)`),
      ).rejects.toThrow();
    } finally {
      await app.close();
    }
  });
});

describe("an admin's link", () => {
  const make = (by: { cookie?: string; key?: string }, { memberId }: { memberId: string }) =>
    web.call("POST", `/api/v1/members/${memberId}/password-link`, {
      ...(by.cookie && { cookie: by.cookie }),
      ...(by.key && { key: by.key }),
    });
  const joinElsewhere = async (pia: Person) => {
    const id = await web.organization(`globex-${++made}`);
    await sql(
      "INSERT INTO membership (organization_id, id, user_id, role) VALUES ($1, gen_random_uuid(), $2, 'viewer')",
      [id, pia.userId],
    );
  };

  test("sets the password of a member, whom it names an unproven person and one with the admin", async () => {
    const pia = await withSecondFactor();
    const link = await make(ana, pia);
    expect(link.status).toBe(201);
    expect((await causesOf(pia)).at(-1)).toMatchObject({
      cause: "account.password_link_made",
      data: { by: "Ana", organization: "acme" },
    });
    expect((await pia.call("GET", "/sessions")).status).toBe(200);
    expect((await set(tokenOf(link.body.url))).status).toBe(204);
    expect((await pia.call("GET", "/sessions")).status).toBe(401);
    expect(await signsIn(pia.email, NEW)).toBe("second_factor");
    const members = (await web.call("GET", "/api/v1/members?limit=200", { cookie: ana.cookie })).body.items;
    expect(members.find((one: { id: string }) => one.id === pia.memberId)).toMatchObject({
      proven: false,
      countsWith: { id: ana.userId },
    });
    expect((await causesOf(pia)).at(-1)?.data).toEqual({ byLink: true, source: "admin" });
  });

  test("is made for nobody who belongs to another organization, nor used after they joined one", async () => {
    const [pia, elsewhere] = [await person(), await person()];
    await joinElsewhere(elsewhere);
    const refused = await make(ana, elsewhere);
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
    expect(refused.body.detail).not.toMatch(/organization/);
    const token = tokenOf((await make(ana, pia)).body.url);
    await joinElsewhere(pia);
    expect((await set(token)).status).toBe(410);
    expect(await signsIn(pia.email, PASSWORD)).toBe(null);
  });

  test("of somebody who is no admin any more sets nothing", async () => {
    const [pia, boss] = [await person(), await web.member(acme, `Bea${++made}`, "admin")];
    const token = tokenOf((await make(boss, pia)).body.url);
    const demoted = { cookie: ana.cookie, body: { role: "viewer" } };
    expect((await web.call("PATCH", `/api/v1/members/${boss.memberId}`, demoted)).status).toBe(200);
    expect((await set(token)).status).toBe(410);
  });

  test("is an owner's for an owner, nobody's for themselves, and no key's", async () => {
    const [pia, boss] = [await person(), await web.member(acme, `Bea${++made}`, "admin")];
    expect((await make(boss, ana)).status).toBe(403);
    expect((await make(boss, boss)).status).toBe(403);
    expect((await make({ key: await web.key(acme, "owner") }, pia)).status).toBe(403);
    expect((await make({ cookie: pia.browser.cookie() }, ana)).status).toBe(403);
    await sql("UPDATE session SET factor_at = now() - interval '1 hour' WHERE user_id = $1", [boss.userId]);
    expect((await make(boss, pia)).body.code).toBe("step_up_required");
  });

  test("goes round no provider: an account without a password gets none", async () => {
    const pia = await person();
    await sql(`UPDATE "user" SET password_hash = NULL WHERE id = $1`, [pia.userId]);
    await sql("INSERT INTO identity (user_id, issuer, subject) VALUES ($1, 'https://idp.example', $2)", [
      pia.userId,
      pia.userId,
    ]);
    expect((await make(ana, pia)).status).toBe(403);
    // And that the provider was linked, the person is told.
    expect((await causesOf(pia)).at(-1)).toEqual({
      cause: "account.identity_linked",
      data: { issuer: "https://idp.example" },
    });
  });

  test("ends the admin's one before", async () => {
    const pia = await person();
    const first = tokenOf((await make(ana, pia)).body.url);
    expect((await make(ana, pia)).status).toBe(201);
    expect((await set(first)).status).toBe(410);
  });
});
