/**
 * Accounts that nobody has proved: an admin invites somebody else's address, opens the link, and takes the account
 * before its person comes. Each test carries out that takeover, and sees it end.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePasswordLink } from "@/lib/people/members/member-writes.ts";
import {
  acme,
  caller,
  confirmSecondFactor,
  newBrowser,
  type Person,
  signInWith,
  sql,
  startAccounts,
  web,
} from "@/test/fixtures/accounts.ts";
import { Authenticator } from "@/test/fixtures/authenticator.ts";
import { forFile } from "@/test/for-file.ts";
import { startMailServer } from "@/test/servers/mail-server.ts";
import { CLIENT, startOidc } from "@/test/servers/oidc-server.ts";
import { ORIGIN, tokenOf } from "@/test/web.ts";

const SQUATTED = "squatters password";
const RIGHTFUL = "rightful password";

const mail = forFile(startMailServer);
const oidc = forFile(startOidc, (made) => made.stop());
let folder: string;
let ana: { userId: string; memberId: string; cookie: string };

beforeAll(async () => {
  const policies = [
    { id: "trusted", name: "Trusted", linkByEmail: true, trustedDomains: ["globex.example"] },
    { id: "open", name: "Open", linkByEmail: true },
  ];
  oidc.allow(policies.map(({ id }) => `${ORIGIN}/api/auth/callback/${id}`));
  folder = await mkdtemp(join(tmpdir(), "intray-unproven-"));
  const file = join(folder, "sign-in.json");
  const providers = policies.map((policy) => ({ ...policy, issuer: oidc.issuer, ...CLIENT }));
  await writeFile(file, JSON.stringify({ providers }));
  await startAccounts({ SMTP_URL: mail.url, INTRAY_SIGN_IN_FILE: file });
  ana = await web.member(acme, "Ana", "owner");
});
afterAll(async () => {
  await web.stop();
  await rm(folder, { recursive: true });
});

let made = 0;
const fresh = () => ({ "x-forwarded-for": `10.9.${++made >> 8}.${made & 255}` });
const newEmail = () => `cfo${++made}@globex.example`;

/** Invites an address by a link that is shown. */
async function invite(email: string, { cookie = ana.cookie, role = "admin" } = {}) {
  const body = { email, role, showLink: true };
  const answer = await web.call("POST", "/api/v1/invitations", { cookie, body });
  expect(answer.status).toBe(201);
  return answer.body as { id: string; url: string; mailed: boolean };
}

const withAccount = (token: string, password: string, name = `Squatter ${++made}`) =>
  web.call("POST", "/api/join/account", { body: { token, name, password }, headers: fresh() });

/** The admin of Acme makes an account for somebody else's address, and every way into it that there is. */
async function squat(email = newEmail()) {
  expect((await withAccount(tokenOf((await invite(email)).url), SQUATTED)).status).toBe(201);
  const [{ id: userId }] = await sql(`SELECT id FROM "user" WHERE email = $1`, [email]);
  const browser = newBrowser();
  expect(await browser.signIn("password", { email, password: SQUATTED })).toBe(null);
  const cookie = browser.cookie();
  const device = new Authenticator(ORIGIN);
  const squatter = { userId, email, browser, call: caller(browser) } as Person;
  const { options } = (await squatter.call("POST", "/passkeys/options", { currentPassword: SQUATTED })).body;
  const added = { name: "Key", response: device.register(options.challenge) };
  expect((await squatter.call("POST", "/passkeys", added)).status).toBe(201);
  const started = await squatter.call("POST", "/second-factor", { currentPassword: SQUATTED });
  const { recoveryCodes } = await confirmSecondFactor(squatter, started.body.secret);
  const body = { name: "Backdoor", role: "viewer" };
  const key = (await web.call("POST", "/api/v1/api-keys", { cookie, body })).body.secret as string;
  const inside = await invite(`friend${++made}@acme.example`, { cookie, role: "viewer" });
  expect((await web.call("GET", "/api/v1/me", { key })).status).toBe(200);
  return { email, userId, browser, device, key, recoveryCodes, secret: started.body.secret, inside };
}
type Squatter = Awaited<ReturnType<typeof squat>>;

/** No way in of the squatter's leads anywhere, and the rest of the account is gone. */
async function expectGone({ email, userId, browser, device, key, inside }: Squatter): Promise<void> {
  expect((await web.call("GET", "/api/v1/me", { cookie: browser.cookie() })).status).toBe(401);
  expect((await web.call("GET", "/api/v1/me", { key })).status).toBe(401);
  expect(await newBrowser().signIn("password", { email, password: SQUATTED })).not.toBe(null);
  expect(await signInWith(newBrowser(), device)).toBe("passkey_refused");
  const [left] = await sql(
    `SELECT (SELECT count(*)::integer FROM passkey WHERE user_id = $1) AS passkeys,
      (SELECT count(*)::integer FROM second_factor WHERE user_id = $1) AS factors,
      (SELECT count(*)::integer FROM slow_recovery_code WHERE user_id = $1) AS codes,
      (SELECT count(*)::integer FROM api_key WHERE created_by = $1 AND revoked_at IS NULL) AS keys`,
    [userId],
  );
  expect(left).toEqual({ passkeys: 0, factors: 0, codes: 0, keys: 0 });
  expect((await withAccount(tokenOf(inside.url), "a friends password")).body.code).toBe("link_expired");
}

/** The token of the newest mail to an address, of a link that stands in it alone. */
function mailedToken(email: string): string {
  const letter = mail.mails.findLast(({ to }) => to.includes(email));
  return (
    /join#token=([\w-]{43})/.exec(letter?.source ?? "")?.[1] ?? expect.unreachable(`no mail to ${email}`)
  );
}

/** Invites an address by mail; the answer holds no link. */
async function inviteByMail(organization: string, cookie: string, email: string, role = "viewer") {
  const answer = await web.call("POST", "/api/v1/invitations", { cookie, body: { email, role } });
  expect([answer.status, answer.body.mailed, answer.body.url]).toEqual([201, true, undefined]);
  const token = mailedToken(email);
  const told = [
    answer.body,
    (await web.call("GET", "/api/v1/invitations?limit=200", { cookie })).body,
    await sql("SELECT * FROM event WHERE organization_id = $1", [organization]),
    await sql("SELECT * FROM invitation"),
  ];
  expect(JSON.stringify(told)).not.toContain(token);
  return { id: answer.body.id as string, token };
}

/** An organization of its own, and its owner. */
async function newPlace() {
  const id = await web.organization(`place-${++made}`);
  return { id, owner: await web.member(id, `Gus${made}`, "owner") };
}

const callOf = (squatter: Squatter, path: string, body: unknown) =>
  caller(squatter.browser)("POST", path, body);

const rolesOf = async (email: string) =>
  Object.fromEntries(
    (
      await sql(
        `SELECT m.organization_id, m.role FROM membership m JOIN "user" u ON u.id = m.user_id WHERE u.email = $1`,
        [email],
      )
    ).map((row) => [row.organization_id, row.role]),
  );

const linesOf = (organization: string, type: string) =>
  sql("SELECT data, actor FROM event WHERE organization_id = $1 AND type = $2 ORDER BY seq", [
    organization,
    type,
  ]);

describe("an account made by a link that was shown is taken from who made it by", () => {
  test("an owner whom the operator names", async () => {
    const squatter = await squat();
    const { addMember } = await import("@/lib/people/members/member-writes.ts");
    const { COMMAND_LINE } = await import("@/lib/people/organizations/organization-writes.ts");
    const globex = await web.organization(`globex-${++made}`);
    const person = { email: squatter.email, name: "Cfo", role: "owner" as const };
    const token = await web.db.withOrganization(globex, async (tx) => {
      const { userId } = await addMember(tx, COMMAND_LINE, person);
      return makePasswordLink(tx, userId, 60_000);
    });
    // From the command on, before anybody uses the owner's link.
    await expectGone(squatter);
    const set = { body: { token, password: RIGHTFUL }, headers: fresh() };
    expect((await web.call("POST", "/api/set-password", set)).status).toBe(204);
    const cfo = newBrowser();
    expect(await cfo.signIn("password", { email: squatter.email, password: RIGHTFUL })).toBe(null);
    const me = await web.call("GET", "/api/v1/me", { cookie: cfo.cookie() });
    expect(me.body).toMatchObject({ user: { name: "Cfo" }, organization: { id: globex }, role: "owner" });
    await expectGone(squatter);
    // Acme did invite the address, and told its history who has it now.
    expect(await rolesOf(squatter.email)).toEqual({ [acme]: "admin", [globex]: "owner" });
    expect((await linesOf(acme, "account.replaced")).at(-1)).toMatchObject({
      data: {
        userId: squatter.userId,
        name: expect.stringMatching(/^Squatter /),
        email: squatter.email,
        by: "operator",
      },
    });
    const key = await web.key(acme, "owner");
    expect((await web.call("GET", "/api/v1/events/verify", { key })).body.ok).toBe(true);
  });

  test("a link of the operator's to a new password", async () => {
    const squatter = await squat();
    const { makePasswordLinkFor } = await import("@/lib/people/accounts/password.ts");
    const token = await makePasswordLinkFor(web.db, squatter.email, 60_000);
    expect((await web.call("GET", "/api/v1/me", { key: squatter.key })).status).toBe(200);
    const set = { body: { token, password: RIGHTFUL }, headers: fresh() };
    expect((await web.call("POST", "/api/set-password", set)).status).toBe(204);
    await expectGone(squatter);
    expect(await newBrowser().signIn("password", { email: squatter.email, password: RIGHTFUL })).toBe(null);
  });

  test("an invitation that another organization mailed", async () => {
    const squatter = await squat();
    const { id, owner } = await newPlace();
    const { token } = await inviteByMail(id, owner.cookie, squatter.email, "admin");
    // Being signed in is not enough, also for who got hold of the link.
    const joins = { cookie: squatter.browser.cookie(), body: { token }, headers: fresh() };
    expect((await web.call("POST", "/api/join", joins)).body.code).toBe("account_unproven");
    const look = await web.call("POST", "/api/join/look", joins);
    expect(look.body).toMatchObject({ session: "unproven", mailed: true });
    const name = `Cfo ${++made}`;
    expect((await withAccount(token, RIGHTFUL, name)).status).toBe(201);
    await expectGone(squatter);
    const cfo = newBrowser();
    expect(await cfo.signIn("password", { email: squatter.email, password: RIGHTFUL })).toBe(null);
    const me = await web.call("GET", "/api/v1/me", { cookie: cfo.cookie() });
    expect(me.body).toMatchObject({ user: { name }, organization: { id }, role: "admin" });
    expect((await linesOf(acme, "account.replaced")).at(-1)?.data).toMatchObject({ by: "invitation" });
  });

  test("an invitation that another organization mailed, but not by the name of a colleague in either", async () => {
    const squatter = await squat();
    const here = `Mia ${++made}`;
    const colleague = await web.member(acme, here, "viewer");
    const { id, owner } = await newPlace();
    const { token } = await inviteByMail(id, owner.cookie, squatter.email, "admin");
    const [{ name: there }] = await sql(`SELECT name FROM "user" WHERE id = $1`, [owner.userId]);
    for (const name of [here, there])
      expect((await withAccount(token, RIGHTFUL, name)).body.code).toBe("name_taken");
    await web.call("POST", `/api/v1/members/${colleague.memberId}/suspend`, { cookie: ana.cookie });
    expect((await withAccount(token, RIGHTFUL, here)).body.code).toBe("name_taken");
    expect(await rolesOf(squatter.email)).toEqual({ [acme]: "admin" });
    // A link that is shown changes nothing of that account, and says nothing of where it is a member.
    const place = await newPlace();
    const shown = tokenOf((await invite(squatter.email, { cookie: place.owner.cookie })).url);
    expect((await withAccount(shown, RIGHTFUL, here)).status).toBe(201);
    expect((await withAccount(token, RIGHTFUL, `Cfo ${++made}`)).status).toBe(201);
  });

  test("a provider that the operator trusts for the domain, and by no other", async () => {
    const squatter = await squat();
    const browser = () => newBrowser();
    oidc.accounts.set("cfo", { email: squatter.email, email_verified: true, name: "Cfo" });
    const stranger = await browser().signInAt("open", "cfo");
    expect(stranger.searchParams.get("error")).toBe("account_exists");
    expect((await web.call("GET", "/api/v1/me", { key: squatter.key })).status).toBe(200);
    const cfo = browser();
    expect((await cfo.signInAt("trusted", "cfo")).searchParams.get("error")).toBe(null);
    await expectGone(squatter);
    const me = await web.call("GET", "/api/v1/me", { cookie: cfo.cookie() });
    expect(me.body).toMatchObject({ user: { id: squatter.userId, name: "Cfo" } });
    expect((await linesOf(acme, "account.replaced")).at(-1)?.data).toMatchObject({ by: "provider" });
    // The identity leads there again.
    expect((await browser().signInAt("trusted", "cfo")).searchParams.get("error")).toBe(null);
  });
});

describe("an unproven account", () => {
  test("works where it is a member, and joins nothing else by being signed in", async () => {
    const squatter = await squat();
    const { owner } = await newPlace();
    const cookie = squatter.browser.cookie();
    expect((await web.call("GET", "/api/v1/me", { cookie })).body.organization.id).toBe(acme);
    const token = tokenOf((await invite(squatter.email, { cookie: owner.cookie })).url);
    const joins = await web.call("POST", "/api/join", { cookie, body: { token }, headers: fresh() });
    expect([joins.status, joins.body.code]).toEqual([403, "account_unproven"]);
    // Nor with a new password: the link proves nothing, and says nothing.
    expect((await withAccount(token, "another password")).status).toBe(201);
    expect(
      await newBrowser().signIn("password", { email: squatter.email, password: "another password" }),
    ).toBe("CredentialsSignin");
    expect(await rolesOf(squatter.email)).toEqual({ [acme]: "admin" });
  });

  test("that belongs to nothing gives way to the next link, and stays unproven", async () => {
    const squatter = await squat();
    const members = (await web.call("GET", "/api/v1/members?limit=200", { cookie: ana.cookie })).body.items;
    const { id } = members.find((member: { userId: string }) => member.userId === squatter.userId);
    await web.call("DELETE", `/api/v1/members/${id}`, { cookie: ana.cookie });
    const place = await newPlace();
    const token = tokenOf((await invite(squatter.email, { cookie: place.owner.cookie })).url);
    const joins = { cookie: squatter.browser.cookie(), body: { token }, headers: fresh() };
    expect((await web.call("POST", "/api/join", joins)).body.code).toBe("account_unproven");
    expect((await withAccount(token, RIGHTFUL, "Cfo")).status).toBe(201);
    await expectGone(squatter);
    expect(await rolesOf(squatter.email)).toEqual({ [place.id]: "admin" });
    expect(await sql(`SELECT proven_at FROM "user" WHERE email = $1`, [squatter.email])).toEqual([
      { proven_at: null },
    ]);
  });

  test("is what processes of before make, whatever they write", async () => {
    const { id, owner } = await newPlace();
    const email = newEmail();
    const { token } = await inviteByMail(id, owner.cookie, email);
    const hash = (text: string) => `sha256('${text}'::bytea)`;
    const oldWeb = (text: string) =>
      sql(`SET ROLE intray_app; SELECT set_config('app.organization_id', '${id}', false); ${text}`);
    // A renewal of before: another link, which it shows.
    await oldWeb(
      `UPDATE invitation SET token_hash = ${hash("shown")} WHERE organization_id = '${id}' AND email = '${email}'`,
    );
    expect((await withAccount(token, RIGHTFUL)).body.code).toBe("link_expired");
    expect((await withAccount("shown", SQUATTED)).status).toBe(201);
    // An invitation and an account of before.
    const other = newEmail();
    await oldWeb(`INSERT INTO invitation (organization_id, id, email, role, token_hash, expires_at)
      VALUES ('${id}', gen_random_uuid(), '${other}', 'viewer', ${hash("other")}, now() + interval '1 day')`);
    await oldWeb(`SELECT gate.create_invited_account(${hash("other")}, gen_random_uuid(), 'Old', 'x')`);
    const oidcOfBefore = newEmail();
    await oldWeb(`SELECT gate.create_account(gen_random_uuid(), '${oidcOfBefore}', 'Old', 'https://i', 's')`);
    const rows = await sql(`SELECT id, proven_at FROM "user" WHERE email = ANY($1)`, [
      [email, other, oidcOfBefore],
    ]);
    expect(rows.map((row) => row.proven_at)).toEqual([null, null, null]);
    // And a web process of before neither links it nor takes it to a second organization.
    const [{ id: userId }] = await sql(`SELECT id FROM "user" WHERE email = $1`, [email]);
    await oldWeb(`DO $$ BEGIN ASSERT gate.link_identity('${userId}', 'https://i', 'other') IS NULL; END $$`);
    await expect(
      sql(`INSERT INTO membership (organization_id, id, user_id, role)
        VALUES ('${acme}', gen_random_uuid(), '${userId}', 'viewer')`),
    ).rejects.toThrow("nobody has proved the address");
  });

  test("leaves no session to a sign-in that was checked before it was replaced", async () => {
    const squatter = await squat();
    const { credentialsEpoch, openSession } = await import("@/lib/web/auth/sessions.ts");
    const { checkPassword } = await import("@/lib/web/auth/sign-in/with-password.ts");
    await sql("DELETE FROM second_factor WHERE user_id = $1", [squatter.userId]);
    const checked = await checkPassword(squatter.email, SQUATTED, { network: "10.8.0.1", browser: null });
    if (checked.kind !== "person") expect.unreachable(checked.kind);
    await sql("SELECT gate.replace_account($1, NULL, NULL, 'operator')", [squatter.userId]);
    const browser = { userAgent: null, address: null };
    expect(await openSession(checked.userId, "password", browser, checked.epoch)).toBeNull();
    expect(
      await openSession(checked.userId, "password", browser, await credentialsEpoch(checked.userId)),
    ).not.toBeNull();
  });

  test("leaves no key, passkey or invitation to a call that began before it was replaced", async () => {
    const squatter = await squat();
    const cookie = squatter.browser.cookie();
    const session = "SELECT id FROM session WHERE user_id = $1 AND revoked_at IS NULL FOR UPDATE";
    const { withClient } = await import("@/scripts/database/roles.ts");
    const device = new Authenticator(ORIGIN);
    await sql("DELETE FROM second_factor WHERE user_id = $1", [squatter.userId]);
    const { options } = (await callOf(squatter, "/passkeys/options", { currentPassword: SQUATTED })).body;
    const answers = await withClient(web.database.adminUrl, async (client) => {
      // The replacement is under way while the squatter's calls come in.
      await client.query("BEGIN");
      await client.query(session, [squatter.userId]);
      const calls = [
        web.call("POST", "/api/v1/api-keys", { cookie, body: { name: "Late", role: "viewer" } }),
        web.call("POST", "/api/v1/invitations", {
          cookie,
          body: { email: newEmail(), role: "viewer", showLink: true },
        }),
        callOf(squatter, "/calendar-feed", {}),
        callOf(squatter, "/passkeys", { name: "Late", response: device.register(options.challenge) }),
      ];
      // Each of the four waits for the session's row. Asked elsewhere: a transaction sees the activity of its beginning.
      const waiting = () =>
        sql(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`);
      while ((await waiting()).length < 4) await new Promise((resolve) => setTimeout(resolve, 20));
      await client.query("SELECT gate.replace_account($1, NULL, NULL, 'operator')", [squatter.userId]);
      await client.query("COMMIT");
      return Promise.all(calls);
    });
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 409]);
    await expectGone(squatter);
  });
});

describe("what else an account had", () => {
  test("goes with it: the calendar's address, and the digest", async () => {
    const squatter = await squat();
    const { pathname } = new URL((await callOf(squatter, "/calendar-feed", {})).body.url);
    await sql(
      `INSERT INTO daily_digest (organization_id, user_id, days, hour, zone, due_at) VALUES ($1, $2, 'all', 8, 'UTC', now())`,
      [acme, squatter.userId],
    );
    expect((await web.open("GET", pathname)).status).toBe(200);
    await sql("SELECT gate.replace_account($1, NULL, NULL, 'operator')", [squatter.userId]);
    expect((await web.open("GET", pathname)).status).toBe(404);
    expect(await sql("SELECT 1 FROM daily_digest WHERE user_id = $1", [squatter.userId])).toEqual([]);
  });

  test("goes with it: identities, memberships of groups, grants of servers, assignments", async () => {
    const squatter = await squat();
    const place = await newPlace();
    await sql(
      `INSERT INTO membership (organization_id, id, user_id, role, granted_by)
        VALUES ($1, gen_random_uuid(), $2, 'approver', 'groups')`,
      [place.id, squatter.userId],
    );
    await sql(`INSERT INTO identity (user_id, issuer, subject) VALUES ($1, 'https://i', $2)`, [
      squatter.userId,
      squatter.email,
    ]);
    const { insertRequest, insertServer, insertTask } = await import("@/test/fixtures/rows.ts");
    const server = await insertServer(web.db, place.id);
    const taskId = await insertTask(web.db, place.id, server);
    const { id: requestId } = await insertRequest(web.db, place.id, taskId, { assignee: squatter.userId });
    await sql("UPDATE connection SET user_id = $1 WHERE id = $2", [squatter.userId, server.connectionId]);
    await sql(
      `INSERT INTO oauth_grant (organization_id, connection_id, state, sealed_tokens, issuer, metadata, resource,
        client_id, renews, connected_by) VALUES ($1, $2, 'connected', 'v1.k.x', 'https://i', '{}', 'https://r', 'c', true, $3)`,
      [place.id, server.connectionId, squatter.userId],
    );
    await sql("SELECT gate.replace_account($1, NULL, NULL, 'provider')", [squatter.userId]);
    await expectGone(squatter);
    expect(await rolesOf(squatter.email)).toEqual({ [acme]: "admin" });
    expect(await sql("SELECT 1 FROM identity WHERE user_id = $1", [squatter.userId])).toEqual([]);
    expect(
      await sql("SELECT state, sealed_tokens FROM oauth_grant WHERE connection_id = $1", [
        server.connectionId,
      ]),
    ).toEqual([{ state: "revoked", sealed_tokens: null }]);
    expect(await sql("SELECT assignee_user_id FROM input_request WHERE id = $1", [requestId])).toEqual([
      { assignee_user_id: null },
    ]);
    expect((await linesOf(place.id, "member.removed")).at(-1)?.data).toMatchObject({
      userId: squatter.userId,
    });
    const key = await web.key(place.id, "owner");
    expect((await web.call("GET", "/api/v1/events/verify", { key })).body.ok).toBe(true);
  });
});

describe("the mail of an invitation", () => {
  test("is to the invitee alone, and its link makes a proven account", async () => {
    const { id, owner } = await newPlace();
    const email = newEmail();
    const { token } = await inviteByMail(id, owner.cookie, email, "operator");
    expect((await withAccount(token, RIGHTFUL, "Cfo")).status).toBe(201);
    const cfo = newBrowser();
    expect(await cfo.signIn("password", { email, password: RIGHTFUL })).toBe(null);
    // Proven: it joins by being signed in, also by a link that was shown.
    const shown = tokenOf((await invite(email, { role: "viewer" })).url);
    const joins = { cookie: cfo.cookie(), body: { token: shown }, headers: fresh() };
    expect((await web.call("POST", "/api/join", joins)).status).toBe(204);
    expect(await rolesOf(email)).toEqual({ [id]: "operator", [acme]: "viewer" });
  });

  test.each(["refuse", "busy", "lose"] as const)(
    "that fails (%s) is followed by another link, which is shown and proves nothing",
    async (mood) => {
      const { id, owner } = await newPlace();
      const email = newEmail();
      mail.mood = mood;
      const body = { email, role: "viewer" };
      const answer = await web
        .call("POST", "/api/v1/invitations", { cookie: owner.cookie, body })
        .finally(() => {
          mail.mood = "ok";
        });
      expect([answer.status, answer.body.mailed, answer.body.mailFailed]).toEqual([201, false, true]);
      if (mood === "lose")
        expect((await withAccount(mailedToken(email), RIGHTFUL)).body.code).toBe("link_expired");
      expect((await withAccount(tokenOf(answer.body.url), SQUATTED)).status).toBe(201);
      expect(await sql(`SELECT proven_at FROM "user" WHERE email = $1`, [email])).toEqual([
        { proven_at: null },
      ]);
      expect(await rolesOf(email)).toEqual({ [id]: "viewer" });
    },
  );

  test("is renewed by mail or by a link that is shown, and each ends the one before", async () => {
    const { id, owner } = await newPlace();
    const email = newEmail();
    const first = await inviteByMail(id, owner.cookie, email);
    const renew = (more: object) =>
      web.call("PATCH", `/api/v1/invitations/${first.id}`, {
        cookie: owner.cookie,
        body: { renew: true, ...more },
      });
    const again = await renew({});
    expect([again.body.mailed, again.body.url]).toEqual([true, undefined]);
    const second = mailedToken(email);
    expect(second).not.toBe(first.token);
    const shown = await renew({ showLink: true });
    expect(shown.body.mailed).toBe(false);
    for (const old of [first.token, second])
      expect((await withAccount(old, RIGHTFUL)).body.code).toBe("link_expired");
    expect((await withAccount(tokenOf(shown.body.url), RIGHTFUL)).status).toBe(201);
    expect(await sql(`SELECT proven_at FROM "user" WHERE email = $1`, [email])).toEqual([
      { proven_at: null },
    ]);
  });
});

test("a link says the same of an address with an account as of one without, when looked at and when used", async () => {
  const stranger = newEmail();
  const { id, owner } = await newPlace();
  const known = newEmail();
  const { token } = await inviteByMail(id, owner.cookie, known);
  expect((await withAccount(token, RIGHTFUL)).status).toBe(201);
  const squatted = (await squat()).email;
  const answers = [];
  for (const email of [stranger, known, squatted]) {
    const { owner } = await newPlace();
    const shown = tokenOf((await invite(email, { cookie: owner.cookie, role: "viewer" })).url);
    const look = await web.call("POST", "/api/join/look", { body: { token: shown }, headers: fresh() });
    const used = await withAccount(shown, "any password at all");
    const { organization, inviter, ...looked } = look.body;
    expect([typeof organization, typeof inviter]).toEqual(["string", "string"]);
    answers.push(
      JSON.stringify([look.status, looked, used.status, { ...used.body, email: used.body.email === email }]),
    );
  }
  expect(new Set(answers).size).toBe(1);
  expect(await newBrowser().signIn("password", { email: known, password: "any password at all" })).not.toBe(
    null,
  );
  expect(await rolesOf(known)).toEqual({ [id]: "viewer" });
});

test("who invites by mail reads the same of an address with an account as of one without, before and after they join", async () => {
  const known = newEmail();
  const { id: elsewhere, owner: other } = await newPlace();
  const { token } = await inviteByMail(elsewhere, other.cookie, known);
  expect((await withAccount(token, RIGHTFUL, "Cara")).status).toBe(201);
  const read = [];
  for (const email of [known, newEmail()]) {
    const { id, owner } = await newPlace();
    const invited = await inviteByMail(id, owner.cookie, email);
    const [waiting] = (await web.call("GET", "/api/v1/invitations", { cookie: owner.cookie })).body.items;
    if (email === known) {
      const browser = newBrowser();
      expect(await browser.signIn("password", { email, password: RIGHTFUL })).toBe(null);
      const joins = { cookie: browser.cookie(), body: { token: invited.token }, headers: fresh() };
      expect((await web.call("POST", "/api/join", joins)).status).toBe(204);
    } else expect((await withAccount(invited.token, RIGHTFUL, "Cara")).status).toBe(201);
    const { items } = (await web.call("GET", "/api/v1/members", { cookie: owner.cookie })).body;
    const member = items.find((each: { email: string }) => each.email === email);
    const plain = (row: object) =>
      JSON.stringify(row, (key, value) =>
        /(^id|Id|At|email|invitedBy|countsWith)$/.test(key) ? typeof value : value,
      );
    read.push([plain(waiting), plain(member)]);
  }
  expect(read[0]).toEqual(read[1]);
});
