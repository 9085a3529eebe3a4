/** Invitations, their links, and the people who accept them. */
import { beforeAll, describe, expect, test } from "vitest";
import { tokenOf, webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let ana: { userId: string; memberId: string; cookie: string };

beforeAll(async () => {
  acme = await web.organization("acme-invites");
  ana = await web.member(acme, "Ana", "owner");
});

let made = 0;
const newEmail = () => `guest${++made}@test.example`;
/** Nobody else's name. */
const account = () => ({ name: `Vera ${++made}`, password: "correct horse battery" });

async function invite(email: string, role = "approver", cookie = ana.cookie) {
  const answer = await web.call("POST", "/api/v1/invitations", { cookie, body: { email, role } });
  expect(answer.status).toBe(201);
  return { id: answer.body.id as string, token: tokenOf(answer.body.url) };
}

const withAccount = (token: string, given: object = account()) =>
  web.call("POST", "/api/join/account", { body: { token, ...given }, headers: fresh() });
const called = (token: string, name: string) => withAccount(token, { ...account(), name });
const asPerson = (token: string, cookie: string) =>
  web.call("POST", "/api/join", { body: { token }, cookie, headers: fresh() });
/** Uses a new client address per call, so that the attempts are not throttled together. */
const fresh = () => ({ "x-forwarded-for": `10.0.${++made >> 8}.${made & 255}` });

const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);
const rolesOf = (email: string) =>
  sql(`SELECT m.role FROM membership m JOIN "user" u ON u.id = m.user_id WHERE u.email = $1`, [email]);

describe("an invitation", () => {
  test("shows its link once, and keeps a hash of it alone", async () => {
    const email = newEmail();
    const { id, token } = await invite(email);
    expect(token).toMatch(/^[\w-]{43}$/);
    const list = await web.call("GET", "/api/v1/invitations?limit=200", { cookie: ana.cookie });
    const listed = list.body.items.find((item: { id: string }) => item.id === id);
    expect(listed).toMatchObject({ email, role: "approver", expired: false, invitedBy: { name: "Ana" } });
    const rows = await sql("SELECT * FROM invitation WHERE id = $1", [id]);
    const events = await sql("SELECT * FROM event");
    expect(JSON.stringify([list.body, rows, events])).not.toContain(token);
  });

  test("can be made at /members too, as the contract says", async () => {
    const email = newEmail();
    const body = { email: ` ${email.toUpperCase()} `, role: "viewer" };
    const answer = await web.call("POST", "/api/v1/members", { cookie: ana.cookie, body });
    expect([answer.status, answer.body.email]).toEqual([201, email]);
    expect(await rolesOf(email)).toEqual([]);
  });

  test("makes an account and a member of who has none", async () => {
    const email = newEmail();
    const { id, token } = await invite(email, "operator");
    const vera = account();
    const joined = await withAccount(token, vera);
    expect([joined.status, joined.body]).toEqual([201, { email }]);
    expect(await rolesOf(email)).toEqual([{ role: "operator" }]);
    const { checkPassword } = await import("@/lib/web/auth/sign-in/with-password.ts");
    expect(await checkPassword(email, vera.password, { network: "10.9.0.1", browser: null })).toMatchObject({
      kind: "person",
    });
    const [line] = await sql(
      "SELECT actor, data FROM event WHERE type = 'member.joined' ORDER BY seq DESC LIMIT 1",
    );
    expect(line).toMatchObject({ actor: { name: vera.name }, data: { role: "operator", invitationId: id } });
    expect((await withAccount(token)).body.code).toBe("link_expired");
  });

  test("lets one with an account in by their session, which works there from then on", async () => {
    const globex = await web.organization(`globex-${++made}`);
    const ben = await web.member(globex, `Ben${made}`, "owner");
    const [{ email }] = await sql(`SELECT email FROM "user" WHERE id = $1`, [ben.userId]);
    const { token } = await invite(email, "viewer");
    expect((await asPerson(token, ben.cookie)).status).toBe(204);
    const me = await web.call("GET", "/api/v1/me", { cookie: ben.cookie });
    expect(me.body).toMatchObject({ organization: { id: acme }, role: "viewer" });
  });

  test("lets in one who is a member nowhere any more", async () => {
    const cleo = await web.member(acme, `Cleo${++made}`, "viewer");
    await web.call("DELETE", `/api/v1/members/${cleo.memberId}`, { cookie: ana.cookie });
    expect((await web.call("GET", "/api/v1/me", { cookie: cleo.cookie })).status).toBe(401);
    const [{ email }] = await sql(`SELECT email FROM "user" WHERE id = $1`, [cleo.userId]);
    const { token } = await invite(email, "approver");
    expect((await asPerson(token, cleo.cookie)).status).toBe(204);
    expect((await web.call("GET", "/api/v1/me", { cookie: cleo.cookie })).body.role).toBe("approver");
  });

  test("is for its own address: somebody else's account is told so, with the address masked", async () => {
    const { token } = await invite("vera.long@test.example");
    const dan = await web.member(acme, `Dan${++made}`, "viewer");
    const answer = await asPerson(token, dan.cookie);
    expect([answer.status, answer.body.code]).toEqual([403, "wrong_account"]);
    expect(answer.body.detail).toContain("v•••@test.example");
    expect(answer.body.detail).not.toContain("vera.long");
    expect(
      await sql("SELECT 1 FROM invitation WHERE email = 'vera.long@test.example' AND accepted_at IS NULL"),
    ).toHaveLength(1);
  });

  test("is accepted by a page of ours alone, and by nobody who is not signed in", async () => {
    const { token } = await invite(newEmail());
    const evil = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    const answer = await web.call("POST", "/api/join", {
      cookie: ana.cookie,
      headers: { ...evil, ...fresh() },
      body: { token },
    });
    expect(answer.body.code).toBe("cross_site");
    const anonymous = await web.call("POST", "/api/join", { body: { token }, headers: fresh() });
    expect(anonymous.status).toBe(401);
  });

  test("is one an address, and none for a member", async () => {
    const email = newEmail();
    const { token } = await invite(email);
    const body = { email, role: "viewer" };
    const again = await web.call("POST", "/api/v1/invitations", { cookie: ana.cookie, body });
    expect([again.status, again.body.code]).toEqual([409, "already_invited"]);
    expect((await withAccount(token)).status).toBe(201);
    const member = await web.call("POST", "/api/v1/invitations", { cookie: ana.cookie, body });
    expect([member.status, member.body.code]).toEqual([409, "already_member"]);
  });

  test("of two at once for one address, one is made", async () => {
    const body = { email: newEmail(), role: "viewer" };
    const post = () => web.call("POST", "/api/v1/invitations", { cookie: ana.cookie, body });
    const answers = await Promise.all([post(), post()]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409]);
    expect(await sql("SELECT 1 FROM invitation WHERE email = $1", [body.email])).toHaveLength(1);
  });

  test("used twice at once makes one account and one member", async () => {
    const email = newEmail();
    const { token } = await invite(email);
    const answers = await Promise.all([withAccount(token), withAccount(token)]);
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(await rolesOf(email)).toHaveLength(1);
    expect(await sql(`SELECT 1 FROM "user" WHERE email = $1`, [email])).toHaveLength(1);
  });

  test("used twice at once by one session makes one member", async () => {
    const globex = await web.organization(`globex-${++made}`);
    const ed = await web.member(globex, `Ed${made}`, "owner");
    const [{ email }] = await sql(`SELECT email FROM "user" WHERE id = $1`, [ed.userId]);
    const { token } = await invite(email);
    const answers = await Promise.all([asPerson(token, ed.cookie), asPerson(token, ed.cookie)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 410]);
    expect(await rolesOf(email)).toHaveLength(2);
    const lines = await sql("SELECT 1 FROM event WHERE type = 'member.joined' AND data ->> 'userId' = $1", [
      ed.userId,
    ]);
    expect(lines).toHaveLength(1);
  });
});

describe("a link", () => {
  test.each([
    ["wrong", async () => "no-such-token"],
    [
      "revoked",
      async () => {
        const { id, token } = await invite(newEmail());
        await web.call("DELETE", `/api/v1/invitations/${id}`, { cookie: ana.cookie });
        return token;
      },
    ],
    [
      "expired",
      async () => {
        const { id, token } = await invite(newEmail());
        await sql("UPDATE invitation SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
        return token;
      },
    ],
    [
      "renewed since",
      async () => {
        const { id, token } = await invite(newEmail());
        await web.call("PATCH", `/api/v1/invitations/${id}`, { cookie: ana.cookie, body: { renew: true } });
        return token;
      },
    ],
    [
      "of somebody who was removed",
      async () => {
        const flo = await web.member(acme, `Flo${++made}`, "admin");
        const { token } = await invite(newEmail(), "viewer", flo.cookie);
        await web.call("DELETE", `/api/v1/members/${flo.memberId}`, { cookie: ana.cookie });
        return token;
      },
    ],
    [
      "to be an owner, of somebody who is none any more",
      async () => {
        const gil = await web.member(acme, `Gil${++made}`, "owner");
        const { token } = await invite(newEmail(), "owner", gil.cookie);
        const path = `/api/v1/members/${gil.memberId}`;
        expect((await web.call("PATCH", path, { cookie: ana.cookie, body: { role: "admin" } })).status).toBe(
          200,
        );
        return token;
      },
    ],
  ])("that is %s says no more than that it does not work", async (_what, link) => {
    const token = await link();
    const members = (await sql("SELECT 1 FROM membership")).length;
    const look = { body: { token }, headers: fresh() };
    for (const answer of [await web.call("POST", "/api/join/look", look), await withAccount(token)]) {
      expect([answer.status, answer.body.code]).toEqual([410, "link_expired"]);
      expect(JSON.stringify(answer.body)).not.toMatch(/acme/i);
    }
    const { findInvitation } = await import("@/lib/people/invitations/invitation-reads.ts");
    const { database } = await import("@/lib/web/database.ts");
    expect(await findInvitation(await database(), token)).toBeNull();
    expect(await sql("SELECT 1 FROM membership")).toHaveLength(members);
  });

  test("is renewed with another week, the same role and a new secret", async () => {
    const email = newEmail();
    const { id, token } = await invite(email, "viewer");
    await sql("UPDATE invitation SET expires_at = now() - interval '1 day' WHERE id = $1", [id]);
    const path = `/api/v1/invitations/${id}`;
    const renewed = await web.call("PATCH", path, {
      cookie: ana.cookie,
      body: { renew: true, role: "operator" },
    });
    expect(renewed.body).toMatchObject({ expired: false, role: "operator" });
    expect(tokenOf(renewed.body.url)).not.toBe(token);
    expect((await withAccount(tokenOf(renewed.body.url))).status).toBe(201);
    expect(await rolesOf(email)).toEqual([{ role: "operator" }]);
  });

  test("that is looked at changes nothing", async () => {
    const { id, token } = await invite(newEmail());
    const { findInvitation } = await import("@/lib/people/invitations/invitation-reads.ts");
    const { database } = await import("@/lib/web/database.ts");
    const before = await sql("SELECT * FROM invitation WHERE id = $1", [id]);
    expect(await findInvitation(await database(), token)).toMatchObject({ organizationName: "acme-invites" });
    const looked = await web.call("POST", "/api/join/look", { body: { token }, headers: fresh() });
    expect([looked.status, looked.body]).toEqual([
      200,
      {
        organization: "acme-invites",
        inviter: "Ana",
        role: "approver",
        email: "g•••@test.example",
        mailed: false,
        session: "none",
        signedInAs: null,
        passwords: true,
      },
    ]);
    expect(await sql("SELECT * FROM invitation WHERE id = $1", [id])).toEqual(before);
  });

  test("can be guessed from one address a few times only", async () => {
    const body = { token: "guess", ...account() };
    const headers = { "x-forwarded-for": "192.0.2.7" };
    const answers = [];
    for (let tries = 0; tries < 32; tries++)
      answers.push((await web.call("POST", "/api/join/account", { body, headers })).status);
    expect(answers.filter((status) => status === 410)).toHaveLength(30);
    expect(answers.at(-1)).toBe(429);
  });
});

describe("the name of a new account", () => {
  test.each(["Ana", " ana ", "ＡＮＡ"])("is nobody else's here: %j", async (name) => {
    const { token } = await invite(newEmail());
    const refused = await called(token, name);
    expect([refused.status, refused.body.code]).toEqual([409, "name_taken"]);
    expect(refused.body.errors).toEqual([
      { field: "name", message: `Somebody here is already called ${name.trim()}: add a last name` },
    ]);
    expect((await called(token, `Ana ${++made}`)).status).toBe(201);
  });

  test("is not that of somebody who is suspended here", async () => {
    const name = `Ivy${++made}`;
    const ivy = await web.member(acme, name, "viewer");
    const suspended = await web.call("POST", `/api/v1/members/${ivy.memberId}/suspend`, {
      cookie: ana.cookie,
    });
    expect(suspended.status).toBe(200);
    const { token } = await invite(newEmail());
    expect((await called(token, name)).body.code).toBe("name_taken");
  });

  test("may be that of somebody elsewhere", async () => {
    const name = `Jon${++made}`;
    await web.member(await web.organization(`globex-${made}`), name, "owner");
    expect((await called((await invite(newEmail())).token, name)).status).toBe(201);
  });

  test("says the same of an address with an account as of one without", async () => {
    const name = `Kim${++made}`;
    const kim = await web.member(await web.organization(`globex-${made}`), name, "owner");
    const [{ email }] = await sql(`SELECT email FROM "user" WHERE id = $1`, [kim.userId]);
    const { token } = await invite(email);
    expect((await called(token, "Ana")).body.code).toBe("name_taken");
    // Nor is the account's own name, which is nobody's here, told apart from any other.
    expect((await called(token, name)).status).toBe(201);
  });

  test.each(["Rule “Small invoices”", "Ana · owner", "Ana\u202e", "Ana: yes"])(
    "does not read as the app's own words: %j",
    async (name) => {
      const refused = await called((await invite(newEmail())).token, name);
      expect([refused.status, refused.body.code]).toEqual([422, "invalid_input"]);
      expect(refused.body.errors).toMatchObject([{ field: "name" }]);
    },
  );

  test("of two who join at once is one's", async () => {
    const tokens = [(await invite(newEmail())).token, (await invite(newEmail())).token];
    const name = `Lou ${++made}`;
    const answers = await Promise.all([called(tokens[0]!, name), called(tokens[1]!, name.toUpperCase())]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const [{ count }] = await sql(
      `SELECT count(*)::integer AS count FROM membership m JOIN "user" u ON u.id = m.user_id
        WHERE m.organization_id = $1 AND lower(u.name) = lower($2)`,
      [acme, name],
    );
    expect(count).toBe(1);
  });
});

describe("owners", () => {
  test("alone invite owners, and touch their invitations", async () => {
    const hal = await web.member(acme, `Hal${++made}`, "admin");
    const call = (method: "POST" | "PATCH" | "DELETE", path: string, body?: object) =>
      web.call(method, `/api/v1/invitations${path}`, { cookie: hal.cookie, body });
    expect((await call("POST", "", { email: newEmail(), role: "owner" })).status).toBe(403);
    const { id } = await invite(newEmail(), "owner");
    expect((await call("PATCH", `/${id}`, { role: "viewer" })).status).toBe(403);
    expect((await call("DELETE", `/${id}`)).status).toBe(403);
    const own = await invite(newEmail(), "viewer", hal.cookie);
    expect((await call("PATCH", `/${own.id}`, { role: "owner" })).status).toBe(403);
    expect((await call("PATCH", `/${own.id}`, { role: "admin" })).body.role).toBe("admin");
  });
});
