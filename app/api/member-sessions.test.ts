/** Admins see and end the sessions of their members: in their organization alone. */
import { beforeEach, expect, test } from "vitest";
import { type TestWeb, tokenOf, webForFile } from "@/test/web.ts";

type Person = Awaited<ReturnType<TestWeb["member"]>>;
const web = webForFile();
let acme: string;
let globex: string;
let ana: Person;
let gus: Person;
/** A member of both, with a session that works in each. */
let ben: Person & { inGlobex: string };
let made = 0;

beforeEach(async () => {
  acme = await web.organization(`acme-${++made}`);
  globex = await web.organization(`globex-${made}`);
  ana = await web.member(acme, "Ana", "owner");
  gus = await web.member(globex, "Gus", "owner");
  const member = await web.member(acme, "Ben", "approver");
  const [{ email }] = await sql(`SELECT email FROM "user" WHERE id = $1`, [member.userId]);
  const inGlobex = await web.signIn(member.userId);
  const body = { email, role: "viewer", showLink: true };
  const { url } = (await web.call("POST", "/api/v1/invitations", { cookie: gus.cookie, body })).body;
  const headers = { "x-forwarded-for": `10.4.${made >> 8}.${made & 255}` };
  const joined = await web.call("POST", "/api/join", {
    cookie: inGlobex,
    body: { token: tokenOf(url) },
    headers,
  });
  expect(joined.status).toBe(204);
  ben = { ...member, inGlobex };
});

const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);
const placeOf = async (cookie: string) => {
  const { status, body } = await web.call("GET", "/api/v1/me", { cookie });
  return status === 200 ? body.organization.id : status;
};
const sessionsOf = async (by: Person, memberId = ben.memberId) =>
  (await web.call("GET", `/api/v1/members/${memberId}/sessions`, { cookie: by.cookie })).body.items;
const end = (by: { cookie: string }, sessionId = "", memberId = ben.memberId) =>
  web.call("DELETE", `/api/v1/members/${memberId}/sessions${sessionId && `/${sessionId}`}`, {
    cookie: by.cookie,
  });
const go = (cookie: string, organizationId: string) =>
  web.call("PUT", "/api/v1/me/organization", { cookie, body: { organizationId } });
const inGlobexAs = async (userId: string) =>
  (await sql("SELECT id FROM membership WHERE organization_id = $1 AND user_id = $2", [globex, userId]))[0]
    .id as string;

test("an admin sees the sessions that work in their organization, and none of another", async () => {
  const here = await sessionsOf(ana);
  expect(here).toHaveLength(1);
  expect(Object.keys(here[0]).sort()).toEqual([
    "address",
    "agent",
    "createdAt",
    "expiresAt",
    "id",
    "lastSeenAt",
    "method",
    "userAgent",
  ]);
  const there = await sessionsOf(gus, await inGlobexAs(ben.userId));
  expect(there).toHaveLength(1);
  expect(there[0].id).not.toBe(here[0].id);
  // What works elsewhere is not there to be ended either.
  expect((await end(ana, there[0].id)).status).toBe(404);
  expect(await placeOf(ben.inGlobex)).toBe(globex);
});

test("one that an admin ends goes on in the person's other organizations, and comes back by no way but a sign-in", async () => {
  const [session] = await sessionsOf(ana);
  expect((await end(ana, session.id)).status).toBe(204);
  expect((await end(ana, session.id)).status).toBe(404);
  expect(await placeOf(ben.cookie)).toBe(globex);
  expect((await go(ben.cookie, acme)).status).toBe(401);
  expect(await placeOf(ben.cookie)).toBe(globex);
  // Nor where the other organization ends.
  await sql("DELETE FROM membership WHERE organization_id = $1 AND user_id = $2", [globex, ben.userId]);
  expect(await placeOf(ben.cookie)).toBe(401);
  expect(await placeOf(await web.signIn(ben.userId))).toBe(acme);
});

test("all that an admin ends includes those that work elsewhere and could come over, without a word of them", async () => {
  expect((await end(ana)).status).toBe(204);
  expect(await sessionsOf(ana)).toEqual([]);
  for (const cookie of [ben.cookie, ben.inGlobex]) {
    expect(await placeOf(cookie)).toBe(globex);
    expect((await go(cookie, acme)).status).toBe(401);
  }
  const { items } = (
    await web.call("GET", "/api/v1/events?type=member.sessions_ended", { cookie: ana.cookie })
  ).body;
  expect(items[0].data).toMatchObject({ name: "Ben", count: 1 });
  // Globex is told nothing.
  const theirs = await sql("SELECT type FROM event WHERE organization_id = $1 AND type ~ 'session'", [
    globex,
  ]);
  expect(theirs.map(({ type }) => type)).not.toContain("member.sessions_ended");
  expect(await sessionsOf(gus, await inGlobexAs(ben.userId))).toHaveLength(2);
});

test("a session that reaches no other organization has ended, and its person is told who ended it", async () => {
  const cleo = await web.member(acme, "Cleo", "viewer");
  expect((await end(ana, "", cleo.memberId)).status).toBe(204);
  const rows = await sql("SELECT revoked_at FROM session WHERE user_id = $1", [cleo.userId]);
  expect(rows.every(({ revoked_at }) => revoked_at !== null)).toBe(true);
  expect(await placeOf(cleo.cookie)).toBe(401);
  const [notice] = await sql("SELECT cause, data, mail_state FROM account_notice WHERE user_id = $1", [
    cleo.userId,
  ]);
  expect(notice).toMatchObject({
    cause: "account.sessions_ended",
    data: { by: "Ana", organization: `acme-${made}`, count: 1 },
    mail_state: "waiting",
  });
});

test("admins end no owner's sessions, nor their own that way; keys do what their role allows", async () => {
  const boss = await web.member(acme, "Bea", "admin");
  for (const memberId of [ana.memberId, boss.memberId])
    expect((await end(boss, "", memberId)).status).toBe(403);
  expect(
    (await web.call("GET", `/api/v1/members/${ana.memberId}/sessions`, { cookie: boss.cookie })).status,
  ).toBe(403);
  const key = await web.key(acme, "admin");
  expect((await web.call("DELETE", `/api/v1/members/${ben.memberId}/sessions`, { key })).status).toBe(204);
  expect(await placeOf(ben.cookie)).toBe(globex);
});

test("ended twice at once is ended once", async () => {
  const [session] = await sessionsOf(ana);
  const both = await Promise.all([end(ana, session.id), end(ana, session.id)]);
  expect(both.map(({ status }) => status).sort()).toEqual([204, 404]);
  const [{ ended_in }] = await sql("SELECT ended_in FROM session WHERE id = $1", [session.id]);
  expect(ended_in).toEqual([acme]);
});
