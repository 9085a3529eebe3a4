/** Ways by which a suspended person could come back, or be somebody else when they do. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Principal } from "@/lib/access/principal.ts";
import { createDatabase, type Database } from "@/lib/base/db/db.ts";
import { createSeal } from "@/lib/base/seal.ts";
import { addMember, reinstateMember, suspendMember } from "@/lib/people/members/member-writes.ts";
import { COMMAND_LINE } from "@/lib/people/organizations/organization-writes.ts";
import { tokenOf, webForFile } from "@/test/web.ts";

interface Person {
  userId: string;
  memberId: string;
  cookie: string;
}

const web = webForFile();
/** As the web process, which no more than its role allows. */
let db: Database;
let acme: string;
let ana: Person;
const seal = createSeal([{ kid: "k1", key: Buffer.alloc(32, 1) }]);

beforeAll(async () => {
  db = createDatabase(web.database.appUrl, { connections: 4 });
});
afterAll(async () => {
  await db.close();
});
beforeEach(async () => {
  acme = await web.organization(`acme-${++made}`);
  ana = await web.member(acme, "Ana", "owner");
});

let made = 0;
const fresh = () => ({ "x-forwarded-for": `10.3.${++made >> 8}.${made & 255}` });
const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);

const principal = (organizationId: string, { userId }: Person): Principal => ({
  organizationId,
  userId,
  role: "owner",
  actor: { kind: "member", id: userId, name: "Ana" },
});
const suspend = (organizationId: string, by: Person, { memberId }: { memberId: string }) =>
  db.withOrganization(organizationId, (tx) =>
    suspendMember(tx, principal(organizationId, by), seal, memberId, "admin"),
  );
const reinstate = (organizationId: string, by: Person, { memberId }: { memberId: string }) =>
  db.withOrganization(organizationId, (tx) => reinstateMember(tx, principal(organizationId, by), memberId));

/** A link for the address that is shown, not mailed. */
async function linkFor(by: Person, email: string, role = "approver"): Promise<string> {
  const body = { email, role, showLink: true };
  const { body: made } = await web.call("POST", "/api/v1/invitations", { cookie: by.cookie, body });
  return tokenOf(made.url);
}
const withAccount = (token: string, name: string, password = "correct horse battery") =>
  web.call("POST", "/api/join/account", { body: { token, name, password }, headers: fresh() });
const emailOf = async ({ userId }: { userId: string }): Promise<string> =>
  (await sql(`SELECT email FROM "user" WHERE id = $1`, [userId]))[0].email;
const standing = async (organizationId: string, userId: string) => {
  const [row] = await sql(
    `SELECT (SELECT count(*)::integer FROM membership WHERE organization_id = $1 AND user_id = $2) AS members,
      (SELECT count(*)::integer FROM suspended_member WHERE organization_id = $1 AND user_id = $2) AS suspended`,
    [organizationId, userId],
  );
  return row;
};

/** Somebody who joined by a shown link of the inviter's: an account that nobody has proved. */
async function guestOf(by: Person): Promise<Person & { email: string }> {
  const email = `guest${++made}@test.example`;
  expect((await withAccount(await linkFor(by, email), `Guest${made}`)).status).toBe(201);
  const [row] = await sql(
    `SELECT m.id, m.user_id FROM membership m JOIN "user" u ON u.id = m.user_id WHERE u.email = $1`,
    [email],
  );
  return { email, userId: row.user_id, memberId: row.id, cookie: await web.signIn(row.user_id) };
}

describe("a suspended person does not come back", () => {
  test("by an invitation that was open: refused by a code, and nothing is used up or made", async () => {
    const ben = await web.member(acme, "Ben", "approver");
    const globex = await web.organization(`globex-${++made}`);
    const gus = await web.member(globex, "Gus", "owner");
    const email = await emailOf(ben);
    const join = async (token: string) =>
      web.call("POST", "/api/join", {
        cookie: await web.signIn(ben.userId),
        body: { token },
        headers: fresh(),
      });
    expect((await join(await linkFor(gus, email))).status).toBe(204);
    await suspend(acme, ana, ben);
    // As one that was made while the suspension had not committed yet.
    const token = "a link of before".padEnd(43, "x");
    await sql(
      `INSERT INTO invitation (organization_id, id, email, role, token_hash, invited_by, expires_at)
        VALUES ($1, gen_random_uuid(), $2, 'admin', sha256($3::bytea), $4, now() + interval '1 day')`,
      [acme, email, token, ana.userId],
    );
    const refused = await join(token);
    expect([refused.status, refused.body.code]).toEqual([409, "suspended"]);
    expect(refused.body.detail).not.toContain("globex");
    expect(await standing(acme, ben.userId)).toEqual({ members: 0, suspended: 1 });
    expect(await standing(globex, ben.userId)).toEqual({ members: 1, suspended: 0 });
  });

  test("by the operator's command line, which says why", async () => {
    const ben = await web.member(acme, "Ben", "approver");
    await suspend(acme, ana, ben);
    const person = { email: await emailOf(ben), name: "Ben", role: "admin" as const };
    await expect(
      web.db.withOrganization(acme, (tx) => addMember(tx, COMMAND_LINE, person)),
    ).rejects.toThrow();
    expect(await standing(acme, ben.userId)).toEqual({ members: 0, suspended: 1 });
  });

  test("by a group of a provider, whose sign-in goes on for other organizations", async () => {
    const ben = await web.member(acme, "Ben", "approver");
    const slug = `globex-${++made}`;
    const globex = await web.organization(slug);
    await suspend(acme, ana, ben);
    const [{ slug: own }] = await sql("SELECT slug FROM organization WHERE id = $1", [acme]);
    const { applyGroups } = await import("@/lib/people/accounts/groups.ts");
    const { services } = await import("@/lib/web/tenant.ts");
    const rules = [own, slug].map((organization) => ({
      claim: "staff",
      organization,
      role: "admin" as const,
    }));
    await applyGroups(await services(), { id: "idp", name: "IdP", groups: rules }, ben.userId, rules);
    expect(await standing(acme, ben.userId)).toEqual({ members: 0, suspended: 1 });
    expect(await standing(globex, ben.userId)).toEqual({ members: 1, suspended: 0 });
  });
});

describe("a reinstated person is who they were", () => {
  test("and counts as one with whoever invited them, as before", async () => {
    const guest = await guestOf(ana);
    const makerOf = async () =>
      (await sql("SELECT maker_of($1, $2) AS first", [acme, guest.userId]))[0].first;
    expect(await makerOf()).toBe(ana.userId);
    await suspend(acme, ana, guest);
    await reinstate(acme, ana, guest);
    expect(await standing(acme, guest.userId)).toEqual({ members: 1, suspended: 0 });
    expect(await makerOf()).toBe(ana.userId);
  });

  test("where nobody has proved the account: another organization's link does not take it meanwhile", async () => {
    const guest = await guestOf(ana);
    await suspend(acme, ana, guest);
    const globex = await web.organization(`globex-${++made}`);
    const gus = await web.member(globex, "Gus", "owner");
    const squatted = await withAccount(await linkFor(gus, guest.email), "Squatter", "squatters password");
    // The answer is the same wherever the address has an account of its own.
    expect(squatted.status).toBe(201);
    expect(await standing(globex, guest.userId)).toEqual({ members: 0, suspended: 0 });
    const [account] = await sql(`SELECT name FROM "user" WHERE id = $1`, [guest.userId]);
    expect(account.name).not.toBe("Squatter");
  });

  test("and their sessions of before, and views of them, are over", async () => {
    const ben = await web.member(acme, "Ben", "approver");
    const view = await web.call("POST", `/api/v1/members/${ben.memberId}/view-as`, { cookie: ana.cookie });
    expect(view.status).toBe(200);
    await suspend(acme, ana, ben);
    await reinstate(acme, ana, ben);
    expect((await web.call("GET", "/api/v1/me", { cookie: ben.cookie })).status).toBe(401);
    const seen = await web.call("POST", `/api/v1/members/${ben.memberId}/vouch`, { cookie: ana.cookie });
    expect(seen.body.code).not.toBe("view_only");
    const again = await web.signIn(ben.userId);
    expect((await web.call("GET", "/api/v1/me", { cookie: again })).body.role).toBe("approver");
  });

  test("with a session of another organization's going on all the while, which leads nowhere here", async () => {
    const ben = await web.member(acme, "Ben", "approver");
    const globex = await web.organization(`globex-${++made}`);
    const gus = await web.member(globex, "Gus", "owner");
    const joins = { body: { token: await linkFor(gus, await emailOf(ben)) }, headers: fresh() };
    expect((await web.call("POST", "/api/join", { cookie: ben.cookie, ...joins })).status).toBe(204);
    await suspend(acme, ana, ben);
    const me = async () => (await web.call("GET", "/api/v1/me", { cookie: ben.cookie })).body;
    expect((await me()).organization.id).toBe(globex);
    await reinstate(acme, ana, ben);
    expect((await me()).organization.id).toBe(globex);
    const body = { organizationId: acme };
    const back = await web.call("PUT", "/api/v1/me/organization", { cookie: ben.cookie, body });
    expect([back.status, back.body.code]).toEqual([401, "unauthenticated"]);
  });
});

describe("the end of an organization", () => {
  const end = async (organizationId: string) => {
    await sql("UPDATE organization SET exported_at = now() WHERE id = $1", [organizationId]);
    const [row] = await sql(
      "SELECT gate.delete_organization(id, slug, 60000) AS refusal FROM organization WHERE id = $1",
      [organizationId],
    );
    expect(row.refusal).toBe(null);
  };
  const accounts = async ({ userId }: Person) =>
    (await sql(`SELECT count(*)::integer AS n FROM "user" WHERE id = $1`, [userId]))[0].n;

  test("takes accounts along that are suspended in it alone, and none that is suspended elsewhere", async () => {
    const [only, elsewhere] = [
      await web.member(acme, "Ola", "viewer"),
      await web.member(acme, "Eli", "viewer"),
    ];
    const globex = await web.organization(`globex-${++made}`);
    const gus = await web.member(globex, "Gus", "owner");
    const joins = { body: { token: await linkFor(gus, await emailOf(elsewhere)) }, headers: fresh() };
    expect((await web.call("POST", "/api/join", { cookie: elsewhere.cookie, ...joins })).status).toBe(204);
    const [there] = await sql("SELECT id FROM membership WHERE organization_id = $1 AND user_id = $2", [
      globex,
      elsewhere.userId,
    ]);
    await suspend(globex, gus, { memberId: there.id });
    await suspend(acme, ana, only);
    await end(acme);
    expect(await accounts(only)).toBe(0);
    expect(await accounts(elsewhere)).toBe(1);
    expect(await standing(globex, elsewhere.userId)).toEqual({ members: 0, suspended: 1 });
  });
});

describe("at once", () => {
  const memberships = async (userId: string) => Object.values(await standing(acme, userId)).join();
  const linesOf = async (type: string) =>
    (
      await sql("SELECT count(*)::integer AS n FROM event WHERE organization_id = $1 AND type = $2", [
        acme,
        type,
      ])
    )[0].n;
  const settled = async (all: Promise<unknown>[]) =>
    (await Promise.allSettled(all)).filter(({ status }) => status === "fulfilled").length;

  test("of many suspensions one happens", async () => {
    const ben = await web.member(acme, "Ben", "approver");
    expect(await settled(Array.from({ length: 6 }, () => suspend(acme, ana, ben)))).toBe(1);
    expect(await memberships(ben.userId)).toBe("0,1");
    expect(await linesOf("member.suspended")).toBe(1);
  });

  test("of many reinstatements one happens", async () => {
    const ben = await web.member(acme, "Ben", "approver");
    await suspend(acme, ana, ben);
    expect(await settled(Array.from({ length: 6 }, () => reinstate(acme, ana, ben)))).toBe(1);
    expect(await memberships(ben.userId)).toBe("1,0");
    expect(await linesOf("member.reinstated")).toBe(1);
  });

  test("suspensions and reinstatements leave one of the two rows, and a line for each that happened", async () => {
    const ben = await web.member(acme, "Ben", "approver");
    await settled(
      Array.from({ length: 12 }, (_, n) => (n % 2 ? reinstate(acme, ana, ben) : suspend(acme, ana, ben))),
    );
    expect(["1,0", "0,1"]).toContain(await memberships(ben.userId));
    const [suspended, back] = [await linesOf("member.suspended"), await linesOf("member.reinstated")];
    expect(suspended - back).toBe((await memberships(ben.userId)) === "0,1" ? 1 : 0);
  });

  test("a suspension and an accepted invitation leave the person suspended", async () => {
    for (let round = 0; round < 5; round++) {
      const ben = await web.member(acme, `Ben${round}`, "approver");
      const token = `a link of before ${++made}`.padEnd(43, "x");
      await sql(
        `INSERT INTO invitation (organization_id, id, email, role, token_hash, invited_by, expires_at)
          VALUES ($1, gen_random_uuid(), $2, 'admin', sha256($3::bytea), $4, now() + interval '1 day')`,
        [acme, await emailOf(ben), token, ana.userId],
      );
      const cookie = await web.signIn(ben.userId);
      const [, joined] = await Promise.all([
        suspend(acme, ana, ben),
        web.call("POST", "/api/join", { cookie, body: { token }, headers: fresh() }),
      ]);
      expect([204, 401, 409, 410]).toContain(joined.status);
      expect(await memberships(ben.userId)).toBe("0,1");
    }
  });

  test("two owners who suspend each other leave one", async () => {
    const otto = await web.member(acme, "Otto", "owner");
    const both = [suspend(acme, ana, otto), suspend(acme, otto, ana)];
    expect(await settled(both)).toBe(1);
    const [{ n }] = await sql(
      "SELECT count(*)::integer AS n FROM membership WHERE organization_id = $1 AND role = 'owner'",
      [acme],
    );
    expect(n).toBe(1);
  });
});
