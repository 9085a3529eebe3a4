import { beforeEach, describe, expect, test } from "vitest";
import type { Actor } from "@/lib/access/access-schema.ts";
import type { Role } from "@/lib/access/roles.ts";
import { createDatabase, Prisma, storable } from "@/lib/base/db/db.ts";
import { PROPOSALS } from "@/lib/engine/jobs/organization-jobs.ts";
import { organizationsDue } from "@/test/fixtures/notifications-fixture.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { addProvider, browserOf, errorOf, signInBySaml, type TestProvider } from "@/test/saml/browsers.ts";
import { IDP_CERTIFICATE } from "@/test/saml/certificate.ts";
import { makeIdpKey, type Said } from "@/test/saml/idp.ts";
import { webForFile } from "@/test/web.ts";

interface Person {
  userId: string;
  memberId: string;
  cookie: string;
}

const web = webForFile();
let acme: string;
let server: { id: string; connectionId: string };
/** Two owners whom the operator made: two people. */
let ana: Person;
let otto: Person;

beforeEach(async () => {
  acme = await web.organization(`acme-${++made}`);
  server = await insertServer(web.db, acme);
  ana = await web.member(acme, "Ana", "owner");
  otto = await web.member(acme, "Otto", "owner");
  expect((await rule(ana, true)).body.fourEyes).toBe(true);
});

let made = 0;
const rule = ({ cookie }: { cookie: string }, fourEyes: boolean) =>
  web.call("PATCH", "/api/v1/organization", { cookie, body: { fourEyes } });
const proposal = ({ cookie }: { cookie: string }, what: "accept" | "withdraw") =>
  web.call("POST", `/api/v1/organization/four-eyes/${what}`, { cookie });
const vouch = ({ cookie }: { cookie: string }, { memberId }: Person) =>
  web.call("POST", `/api/v1/members/${memberId}/vouch`, { cookie });
const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);

/** Somebody new, who joined by a link of `inviter`'s. */
async function invitedBy(inviter: { cookie?: string; key?: string }, role: Role): Promise<Person> {
  const email = `guest${++made}@test.example`;
  const { cookie, key } = inviter;
  const invitation = await web.call("POST", "/api/v1/invitations", {
    ...(cookie && { cookie }),
    ...(key && { key }),
    body: { email, role },
  });
  expect(invitation.status).toBe(201);
  const token = new URLSearchParams(new URL(invitation.body.url).hash.slice(1)).get("token");
  const account = { token, name: `Guest ${made}`, password: "correct horse battery" };
  const headers = { "x-forwarded-for": `10.1.${made >> 8}.${made & 255}` };
  expect((await web.call("POST", "/api/join/account", { body: account, headers })).status).toBe(201);
  // Who belongs to nothing any more comes back only to an account whose address was proved.
  await sql(`UPDATE "user" SET proven_at = now() WHERE email = $1 RETURNING id`, [email]);
  const [row] = await sql(
    `SELECT m.id, m.user_id FROM membership m JOIN "user" u ON u.id = m.user_id WHERE u.email = $1`,
    [email],
  );
  return { userId: row!.user_id, memberId: row!.id, cookie: await web.signIn(row!.user_id) };
}

/** Somebody who was a member before, back by a link of `inviter`'s. */
async function backBy(inviter: Person, person: Person, role: Role): Promise<Person> {
  const [{ email }] = (await sql(`SELECT email FROM "user" WHERE id = $1`, [person.userId])) as [
    { email: string },
  ];
  const { cookie } = inviter;
  const invitation = await web.call("POST", "/api/v1/invitations", { cookie, body: { email, role } });
  const token = new URLSearchParams(new URL(invitation.body.url).hash.slice(1)).get("token");
  const own = await web.signIn(person.userId);
  const headers = { "x-forwarded-for": `10.2.${++made >> 8}.${made & 255}` };
  expect((await web.call("POST", "/api/join", { cookie: own, body: { token }, headers })).status).toBe(204);
  const [row] = await sql("SELECT id FROM membership WHERE organization_id = $1 AND user_id = $2", [
    acme,
    person.userId,
  ]);
  return { ...person, memberId: row!.id, cookie: own };
}

const remove = (by: Person, { memberId }: Person) =>
  web.call("DELETE", `/api/v1/members/${memberId}`, { cookie: by.cookie });

async function makeKey(by: { cookie?: string; key?: string }, role: Role) {
  const key = await web.call("POST", "/api/v1/api-keys", { ...by, body: { name: "k", role } });
  expect(key.status).toBe(201);
  return key.body as { id: string; secret: string };
}

async function askedBy(actor: Actor) {
  const requester = actor.kind === "member" ? { requester: actor.id ?? "" } : {};
  const taskId = await insertTask(web.db, acme, server, requester);
  await web.db.withOrganization(acme, (tx) =>
    tx.task.updateMany({
      where: { organizationId: acme, id: taskId },
      data: { requestedBy: storable(actor) },
    }),
  );
  return insertRequest(web.db, acme, taskId);
}
const member = ({ userId }: Pick<Person, "userId">): Actor => ({ kind: "member", id: userId, name: "x" });
const key = ({ id }: { id: string }): Actor => ({ kind: "key", id, name: "x" });

/** The status and code of an acceptance, which the list has to agree with beforehand. */
async function accept(
  { cookie, key }: { cookie?: string; key?: string },
  request: { id: string; questionHash: string },
) {
  const who = { ...(cookie && { cookie }), ...(key && { key }) };
  const seen = await web.call("GET", `/api/v1/input-requests/${request.id}`, who);
  const waiting = await web.call("GET", "/api/v1/input-requests?state=open&waiting=me&limit=200", who);
  const waits = waiting.body.items.some(({ id }: { id: string }) => id === request.id);
  const { status, body } = await web.call("POST", `/api/v1/input-requests/${request.id}/answer`, {
    ...who,
    body: { action: "accept", questionHash: request.questionHash, holdMs: 0 },
  });
  expect([seen.body.fourEyes, waits]).toEqual([status === 403, status !== 403]);
  return [status, body.code ?? body.state];
}
const REFUSED = [403, "four_eyes"];
const ACCEPTED = [202, "answered"];

describe("one person does not accept what they asked for", () => {
  test("by switching the rule off and on again", async () => {
    const request = await askedBy(member(ana));
    await rule(ana, false);
    const answer = await accept(ana, request);
    await rule(ana, true);
    expect(answer).toEqual(REFUSED);
  });

  test("with a second account that they invited, or that one invited", async () => {
    const second = await invitedBy(ana, "admin");
    const third = await invitedBy(second, "approver");
    for (const account of [second, third])
      expect(await accept(account, await askedBy(member(ana)))).toEqual(REFUSED);
    expect(await accept(ana, await askedBy(member(third)))).toEqual(REFUSED);
    expect(await accept(third, await askedBy(member(second)))).toEqual(REFUSED);
    expect(await accept(otto, await askedBy(member(third)))).toEqual(ACCEPTED);
  });

  test("with a key of such an account", async () => {
    const second = await invitedBy(ana, "admin");
    const own = await makeKey({ cookie: second.cookie }, "approver");
    expect(await accept({ key: own.secret }, await askedBy(member(ana)))).toEqual(REFUSED);
    expect(await accept({ cookie: ana.cookie }, await askedBy(key(own)))).toEqual(REFUSED);
  });

  test("with a key that a key without a maker made, or an account that one invited", async () => {
    const operators = await web.key(acme, "admin");
    const [one, another] = [
      await makeKey({ key: operators }, "operator"),
      await makeKey({ key: operators }, "operator"),
    ];
    expect(await accept({ key: another.secret }, await askedBy(key(one)))).toEqual(REFUSED);
    expect(await accept({ key: operators }, await askedBy(key(one)))).toEqual(REFUSED);
    const guest = await invitedBy({ key: operators }, "approver");
    expect(await accept(guest, await askedBy(key(one)))).toEqual(REFUSED);
    expect(await accept(ana, await askedBy(key(one)))).toEqual(ACCEPTED);
  });

  test("by removing who invited the second account", async () => {
    const second = await invitedBy(ana, "admin");
    const third = await invitedBy(second, "approver");
    expect((await remove(ana, second)).status).toBe(204);
    expect(await accept(third, await askedBy(member(ana)))).toEqual(REFUSED);
  });

  test("by leaving and coming back by a link of the second account's", async () => {
    const second = await invitedBy(otto, "admin");
    const third = await invitedBy(second, "admin");
    await remove(otto, second);
    const back = await backBy(third, second, "approver");
    expect(await accept(back, await askedBy(member(otto)))).toEqual(REFUSED);
    expect(await accept(back, await askedBy(member(third)))).toEqual(REFUSED);
    expect(await accept(back, await askedBy(member(ana)))).toEqual(ACCEPTED);
  });
});

describe("vouching", () => {
  test("lets a member count for themselves, with whom they invite", async () => {
    const second = await invitedBy(ana, "admin");
    const third = await invitedBy(second, "approver");
    expect((await listed(otto, second)).countsWith).toEqual({ id: ana.userId, name: "Ana" });
    expect((await listed(otto, third)).countsWith).toEqual({ id: ana.userId, name: "Ana" });
    const vouched = await vouch(otto, second);
    expect([vouched.status, vouched.body.countsWith, vouched.body.vouchedBy]).toEqual([200, null, "Otto"]);
    expect((await listed(otto, third)).countsWith).toEqual({ id: second.userId, name: vouched.body.name });
    expect(await accept(second, await askedBy(member(ana)))).toEqual(ACCEPTED);
    expect(await accept(third, await askedBy(member(second)))).toEqual(REFUSED);
    const events = await web.call("GET", "/api/v1/events?type=member.vouched", { cookie: ana.cookie });
    expect(events.body.items[0]).toMatchObject({ actor: { name: "Otto" }, data: { userId: second.userId } });
    expect((await vouch(otto, second)).body.code).toBe("nothing_to_vouch");
  });

  test("is taken back by any owner, with all that hung on it, and by nobody else", async () => {
    const second = await invitedBy(ana, "admin");
    const third = await invitedBy(second, "approver");
    const takeBack = ({ cookie }: { cookie: string }) =>
      web.call("DELETE", `/api/v1/members/${second.memberId}/vouch`, { cookie });
    expect((await takeBack(otto)).body.code).toBe("nothing_to_vouch");
    await vouch(otto, second);
    const held = await askedBy(member(ana));
    await sql("UPDATE input_request SET assignee_user_id = $1 WHERE id = $2", [second.userId, held.id]);
    expect((await takeBack(second)).status).toBe(403);
    // Also by an owner who did not vouch: the rule gets stricter.
    const both = await Promise.all([takeBack(ana), takeBack(otto)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await listed(otto, second)).vouchedBy).toBe(null);
    expect((await listed(otto, third)).countsWith).toEqual({ id: ana.userId, name: "Ana" });
    const [{ assignee_user_id }] = (await sql("SELECT assignee_user_id FROM input_request WHERE id = $1", [
      held.id,
    ])) as [{ assignee_user_id: string | null }];
    expect(assignee_user_id).toBe(null);
    expect(await accept(second, await askedBy(member(ana)))).toEqual(REFUSED);
    const events = await web.call("GET", "/api/v1/events?type=member.vouch_withdrawn", {
      cookie: ana.cookie,
    });
    expect(events.body.items).toHaveLength(1);
    expect((await vouch(otto, second)).status).toBe(200);
  });

  test("taken back makes no circle of two who each count with the other, in which nobody would count", async () => {
    const second = await invitedBy(ana, "admin");
    await vouch(otto, second);
    // As after a link to Ana's password that the second one made: Ana counts with them.
    await sql("UPDATE maker SET invited_by = $1 WHERE organization_id = $2 AND user_id = $3", [
      second.userId,
      acme,
      ana.userId,
    ]);
    const back = await web.call("DELETE", `/api/v1/members/${second.memberId}/vouch`, {
      cookie: otto.cookie,
    });
    expect(back.status).toBe(200);
    expect(await accept(second, await askedBy(member(ana)))).toEqual(REFUSED);
  });

  test.each([
    ["who invited the member", (guests: Guests) => [ana, guests.second]],
    ["who invited whoever invited the member", (guests: Guests) => [ana, guests.third]],
    ["another whom the same person invited", (guests: Guests) => [guests.second, guests.sibling]],
    ["whom the member invited", (guests: Guests) => [guests.third, guests.second]],
    ["the member", (guests: Guests) => [guests.second, guests.second]],
  ] as [string, (guests: Guests) => [Person, Person]][])("is not for %s", async (_who, pick) => {
    const second = await invitedBy(ana, "owner");
    const guests = {
      second,
      third: await invitedBy(second, "owner"),
      sibling: await invitedBy(ana, "owner"),
    };
    const [by, of] = pick(guests);
    expect((await listed(by, of)).mayVouch).toBe(false);
    const refused = await vouch(by, of);
    expect([refused.status, refused.body.code]).toEqual([403, "same_maker"]);
    expect(await accept(guests.second, await askedBy(member(ana)))).toEqual(REFUSED);
  });

  test("is an owner's in person: no admin's, no key's", async () => {
    const second = await invitedBy(ana, "approver");
    const admin = await web.member(acme, "Adam", "admin");
    expect((await vouch(admin, second)).body.code).toBe("forbidden");
    expect((await listed(admin, second)).mayVouch).toBe(false);
    const owners = await makeKey({ cookie: otto.cookie }, "owner");
    const byKey = await web.call("POST", `/api/v1/members/${second.memberId}/vouch`, { key: owners.secret });
    expect(byKey.body.code).toBe("forbidden");
  });

  test("ends when the member comes back by another's link", async () => {
    const second = await invitedBy(ana, "admin");
    await vouch(otto, second);
    await remove(ana, second);
    const back = await backBy(ana, second, "approver");
    expect(await accept(back, await askedBy(member(ana)))).toEqual(REFUSED);
  });
});

describe("a SAML provider of the organization's, whose keys an owner has,", () => {
  /** Ana's, set up for a company's usual reasons. */
  const providerOf = (by: Person, settings: object = {}) =>
    addProvider(web, acme, by.cookie, { createAccounts: true, defaultRole: "approver", ...settings });
  const asserted = async (provider: TestProvider, said: Partial<Said>) => {
    const browser = browserOf(web, `10.3.${++made >> 8}.${made & 255}`);
    expect(errorOf(await signInBySaml(web, browser, provider, said))).toBeNull();
    return { cookie: browser.cookie() };
  };
  const somebody = () => {
    const name = `made-up-${++made}`;
    return { nameId: name, attributes: { email: `${name}@acme.example` } };
  };
  /** As somebody who linked their account, by their own means. */
  const link = ({ userId }: Person, { id }: TestProvider, subject: string) =>
    sql("SELECT gate.link_identity($1, $2, $3)", [userId, `saml:${id}`, subject]);
  const confirm = ({ cookie }: { cookie: string }, { id }: TestProvider) =>
    web.call("POST", `/api/v1/saml-providers/${id}/confirm`, { cookie });
  const change = ({ cookie }: { cookie: string }, { id }: TestProvider, body: object) =>
    web.call("PATCH", `/api/v1/saml-providers/${id}`, { cookie, body });
  const memberOf = async ({ cookie }: { cookie: string }) =>
    (await web.call("GET", "/api/v1/me", { cookie })).body;

  test("makes no second person up", async () => {
    const provider = await providerOf(ana);
    const invented = await asserted(provider, somebody());
    expect(await accept(invented, await askedBy(member(ana)))).toEqual(REFUSED);
    const { user } = await memberOf(invented);
    expect(await accept(ana, await askedBy(member({ userId: user.id })))).toEqual(REFUSED);
    expect(await accept(invented, await askedBy(member(otto)))).toEqual(ACCEPTED);
    expect((await confirm(otto, provider)).body).toMatchObject({ heldBy: [], mayConfirm: false });
    // Whom it made stays whoever's it was, until somebody vouches for that person.
    const list = await web.call("GET", "/api/v1/members?limit=200", { cookie: otto.cookie });
    const found = list.body.items.find(({ userId }: { userId: string }) => userId === user.id);
    expect(found).toMatchObject({ countsWith: { name: "Ana" }, mayVouch: true });
  });

  test("makes no owner, by no rule, and leaves those who are", async () => {
    for (const rules of [{ defaultRole: "owner" }, { groups: [{ claim: "chiefs", role: "owner" }] }]) {
      const { cookie } = ana;
      const body = {
        ...{ name: "SSO", entityId: "https://x.example", ssoUrl: "https://x.example/sso" },
        ...{ certificates: IDP_CERTIFICATE, createAccounts: true, ...rules },
      };
      const refused = await web.call("POST", "/api/v1/saml-providers", { cookie, body });
      expect([refused.status, refused.body.code]).toEqual([422, "invalid_input"]);
    }
    const provider = await providerOf(ana, { groups: [{ claim: "staff", role: "viewer" }] });
    await expect(
      sql(`UPDATE saml_provider SET default_role = 'owner' WHERE id = $1`, [provider.id]),
    ).rejects.toThrow("makes_no_owner");
    await expect(
      sql(`UPDATE saml_provider SET groups = '[{"claim": "x", "role": "owner"}]' WHERE id = $1`, [
        provider.id,
      ]),
    ).rejects.toThrow("makes_no_owner");
    await link(otto, provider, "otto");
    const as = await asserted(provider, { nameId: "otto", attributes: { groups: ["staff"] } });
    expect((await memberOf(as)).role).toBe("owner");
  });

  test("signs in as no second person who linked their account", async () => {
    const provider = await providerOf(ana);
    await link(otto, provider, "otto");
    const asOtto = await asserted(provider, { nameId: "otto" });
    expect(await accept(asOtto, await askedBy(member(ana)))).toEqual(REFUSED);
    // Nor asks as that person and accepts as herself.
    expect(await accept(ana, await askedBy(member(otto)))).toEqual(REFUSED);
    // Nor by whom that person would invite.
    const guest = await invitedBy(asOtto, "approver");
    expect(await accept(guest, await askedBy(member(ana)))).toEqual(REFUSED);
    // Nor vouches, or ends the rule, or confirms, as that person.
    const second = await invitedBy(ana, "admin");
    expect((await vouch({ ...otto, ...asOtto }, second)).body.code).toBe("same_maker");
    await rule(ana, false);
    expect((await proposal({ ...otto, ...asOtto }, "accept")).body.code).toBe("same_maker");
    expect((await confirm(asOtto, provider)).body.code).toBe("organization_session");
    expect((await confirm(ana, provider)).body.code).toBe("same_maker");
    expect((await confirm(second, provider)).body.code).toBe("forbidden");
  });

  test("signs in as no member at a domain that was proved", async () => {
    const provider = await providerOf(ana);
    const domain = `acme-${made}.example`;
    await sql(
      "INSERT INTO organization_domain (organization_id, id, domain, token, verified_at) VALUES ($1, gen_random_uuid(), $2, 't', now())",
      [acme, domain],
    );
    await sql(`UPDATE "user" SET email = $2, proven_at = now() WHERE id = $1`, [
      otto.userId,
      `otto@${domain}`,
    ]);
    const asOtto = await asserted(provider, { nameId: "o", attributes: { email: `otto@${domain}` } });
    expect((await memberOf(asOtto)).user.id).toBe(otto.userId);
    expect(await accept(asOtto, await askedBy(member(ana)))).toEqual(REFUSED);
  });

  test("is another person's once that person confirmed it, by a session of their own means", async () => {
    const provider = await providerOf(ana);
    await link(otto, provider, "otto");
    const before = await asserted(provider, { nameId: "otto" });
    const confirmed = await confirm(otto, provider);
    expect([confirmed.status, confirmed.body.heldBy]).toEqual([200, []]);
    // Whoever held it may have opened it.
    expect((await web.call("GET", "/api/v1/me", { cookie: before.cookie })).status).toBe(401);
    const asOtto = await asserted(provider, { nameId: "otto" });
    expect(await accept(asOtto, await askedBy(member(ana)))).toEqual(ACCEPTED);
    expect((await confirm(otto, provider)).body.code).toBe("nothing_to_confirm");
    const lines = await web.call("GET", "/api/v1/events?type=saml_provider.confirmed", {
      cookie: ana.cookie,
    });
    expect(lines.body.items[0]).toMatchObject({ actor: { name: "Otto" }, data: { name: "Acme SSO" } });
  });

  test("is whoever's who changes its keys, its address or its rules, and not who changes its name", async () => {
    const provider = await providerOf(ana);
    await link(otto, provider, "otto");
    await confirm(otto, provider);
    const { certificate } = await makeIdpKey();
    expect((await change(ana, provider, { name: "SSO", signRequests: true })).body.heldBy).toEqual([]);
    for (const what of [
      { certificates: certificate },
      { ssoUrl: "https://other.example/sso" },
      { groups: [{ claim: "x", role: "approver" }] },
      { emailAttribute: "who" },
      { idpInitiated: true },
      { defaultRole: "operator" },
    ]) {
      const changed = await change(ana, provider, what);
      expect([changed.status, changed.body.heldBy]).toEqual([200, [{ id: ana.userId, name: "Ana" }]]);
      expect(await accept(otto, await askedBy(member(ana)))).toEqual(REFUSED);
      expect((await confirm(otto, provider)).status).toBe(200);
      expect(await accept(otto, await askedBy(member(ana)))).toEqual(ACCEPTED);
    }
    // Otto counts as a holder after his own change, for Ana's part too.
    await change(otto, provider, { idpInitiated: false });
    await change(ana, provider, { idpInitiated: true });
    expect((await confirm(otto, provider)).body.code).toBe("same_maker");
    const olga = await web.member(acme, "Olga", "owner");
    expect((await confirm(olga, provider)).status).toBe(200);
  });

  test("is not forgotten when it or the link is removed, until somebody vouches", async () => {
    const provider = await providerOf(ana);
    await link(otto, provider, "otto");
    const request = await askedBy(member(otto));
    await sql("DELETE FROM identity WHERE user_id = $1", [otto.userId]);
    expect(await accept(ana, request)).toEqual(REFUSED);
    const { status } = await web.call("DELETE", `/api/v1/saml-providers/${provider.id}`, {
      cookie: ana.cookie,
    });
    expect(status).toBe(204);
    expect(await accept(ana, request)).toEqual(REFUSED);
    const olga = await web.member(acme, "Olga", "owner");
    expect(await listed(olga, otto)).toMatchObject({ countsWith: { name: "Ana" }, mayVouch: true });
    expect((await vouch(ana, otto)).body.code).toBe("same_maker");
    expect((await vouch(olga, otto)).body).toMatchObject({ countsWith: null });
    expect(await accept(ana, request)).toEqual(ACCEPTED);
  });

  test("frees nobody by vouching while it is there and not confirmed", async () => {
    const provider = await providerOf(ana);
    const invented = await asserted(provider, somebody());
    const { user } = await memberOf(invented);
    const [{ id }] = (await sql("SELECT id FROM membership WHERE user_id = $1", [user.id])) as [
      { id: string },
    ];
    await vouch(otto, { userId: user.id, memberId: id, cookie: "" });
    expect(await accept(invented, await askedBy(member(ana)))).toEqual(REFUSED);
  });

  test("set up or changed by a process of before is held by all owners", async () => {
    const app = createDatabase(web.database.appUrl, { connections: 1 });
    try {
      const provider = await providerOf(ana);
      await confirm(otto, provider);
      await app.withOrganization(acme, (tx) =>
        tx.samlProvider.updateMany({
          where: { organizationId: acme },
          data: { ssoUrl: "https://old.example/sso", heldBy: [] },
        }),
      );
      const { body } = await web.call("GET", `/api/v1/saml-providers/${provider.id}`, { cookie: ana.cookie });
      expect(body.heldBy.map(({ name }: { name: string }) => name).sort()).toEqual(["Ana", "Otto"]);
      // And nobody who serves takes a holder out.
      await app.withOrganization(acme, (tx) =>
        tx.samlProvider.updateMany({ where: { organizationId: acme }, data: { heldBy: [] } }),
      );
      const after = await web.call("GET", `/api/v1/saml-providers/${provider.id}`, { cookie: ana.cookie });
      expect(after.body.heldBy).toHaveLength(2);
      await expect(
        app.withOrganization(acme, (tx) => tx.samlMaker.deleteMany({ where: { organizationId: acme } })),
      ).rejects.toThrow("permission denied");
    } finally {
      await app.close();
    }
  });

  test("does not free who described it by leaving and coming back through it", async () => {
    const second = await invitedBy(otto, "owner");
    const provider = await providerOf(second);
    await link(second, provider, "second");
    await remove(ana, second);
    const back = await asserted(provider, { nameId: "second" });
    expect(await accept(back, await askedBy(member(otto)))).toEqual(REFUSED);
  });
});

interface Guests {
  second: Person;
  third: Person;
  sibling: Person;
}

/** A member as `by` reads the list. */
async function listed(by: Person, { memberId }: Person) {
  const list = await web.call("GET", "/api/v1/members?limit=200", { cookie: by.cookie });
  if (list.status === 403)
    return web.call("GET", "/api/v1/me", { cookie: by.cookie }).then(({ body }) => body);
  return list.body.items.find(({ id }: { id: string }) => id === memberId);
}

describe("the rule's end", () => {
  const read = ({ cookie }: Person) =>
    web.call("GET", "/api/v1/organization", { cookie }).then(({ body }) => body);

  test("is a proposal that a second person accepts, and nobody who counts as one with who proposed it", async () => {
    const second = await invitedBy(ana, "admin");
    const proposed = await rule(ana, false);
    expect(proposed.body).toMatchObject({
      fourEyes: true,
      fourEyesProposal: { by: { name: "Ana" }, mayAccept: false, mayWithdraw: true },
    });
    const { at, takesEffectAt } = proposed.body.fourEyesProposal;
    expect(Date.parse(takesEffectAt) - Date.parse(at)).toBe(72 * 3600_000);
    for (const who of [ana, second]) {
      const refused = await proposal(who, "accept");
      expect([refused.status, refused.body.code]).toEqual([403, "same_maker"]);
    }
    const owners = await makeKey({ cookie: otto.cookie }, "owner");
    const byKey = await web.call("POST", "/api/v1/organization/four-eyes/accept", { key: owners.secret });
    expect(byKey.body.code).toBe("forbidden");
    expect(await accept(ana, await askedBy(member(ana)))).toEqual(REFUSED);
    expect((await read(otto)).fourEyesProposal).toMatchObject({ mayAccept: true });
    expect((await proposal(otto, "accept")).body).toMatchObject({ fourEyes: false, fourEyesProposal: null });
    expect(await accept(ana, await askedBy(member(ana)))).toEqual(ACCEPTED);
  });

  test("leaves under the rule what was asked under it, also what the same task asks later", async () => {
    const before = await askedBy(member(ana));
    await rule(ana, false);
    await proposal(otto, "accept");
    expect(await accept(ana, before)).toEqual(REFUSED);
    expect(await accept(otto, before)).toEqual(ACCEPTED);
  });

  test("that a key of the command line proposed is accepted by nobody, who may hold the key", async () => {
    const key = await web.key(acme, "owner");
    await web.call("PATCH", "/api/v1/organization", { key, body: { fourEyes: false } });
    expect((await read(ana)).fourEyesProposal).toMatchObject({ mayAccept: false, mayWithdraw: true });
    for (const who of [ana, otto]) expect((await proposal(who, "accept")).body.code).toBe("same_maker");
    expect((await read(ana)).fourEyes).toBe(true);
  });

  test("is withdrawn by any owner, and by an admin only if it is theirs", async () => {
    const [adam, eve] = [await web.member(acme, "Adam", "admin"), await web.member(acme, "Eve", "admin")];
    await rule(adam, false);
    expect((await proposal(eve, "withdraw")).body.code).toBe("forbidden");
    expect((await proposal(otto, "withdraw")).body).toMatchObject({ fourEyes: true, fourEyesProposal: null });
    await rule(adam, false);
    expect((await proposal(adam, "withdraw")).body.fourEyesProposal).toBeNull();
    expect((await proposal(otto, "accept")).body.code).toBe("not_found");
  });

  test("comes by itself when the time is over, and not a moment before", async () => {
    await rule(ana, false);
    await rule(otto, false); // the first proposal stands
    const engine = createDatabase(web.database.engineUrl, { connections: 2 });
    try {
      const turn = async () => {
        const context = { database: engine } as Parameters<typeof PROPOSALS.run>[0];
        const due = await organizationsDue(engine, PROPOSALS);
        for (const id of due) await PROPOSALS.run(context, id);
        return due.includes(acme);
      };
      await sql(
        "UPDATE four_eyes_proposal SET takes_effect_at = now() + interval '1 hour' WHERE organization_id = $1",
        [acme],
      );
      expect(await turn()).toBe(false);
      expect((await read(otto)).fourEyes).toBe(true);
      await sql(
        "UPDATE four_eyes_proposal SET takes_effect_at = now() - interval '1 second' WHERE organization_id = $1",
        [acme],
      );
      expect(await turn()).toBe(true);
      expect(await read(otto)).toMatchObject({ fourEyes: false, fourEyesProposal: null });
    } finally {
      await engine.close();
    }
    const lines = await web.call("GET", "/api/v1/events?type=organization", { cookie: ana.cookie });
    expect(lines.body.items.map(({ type }: { type: string }) => type).slice(0, 3)).toEqual([
      "organization.four_eyes_changed",
      "organization.four_eyes_end_proposed",
      "organization.four_eyes_changed",
    ]);
  });

  test("is refused by the database to a process that knows nothing of proposals", async () => {
    const app = createDatabase(web.database.appUrl, { connections: 1 });
    const end = () =>
      app.withOrganization(acme, (tx) =>
        tx.organization.updateMany({ where: { id: acme }, data: { fourEyes: false } }),
      );
    await expect(end()).rejects.toThrow("by a proposal alone");
    await rule(ana, false);
    await expect(end()).rejects.toThrow("by a proposal alone");
    await app.close();
  });
});

test("lists and decisions agree on who counts as one person, whoever invited whom", async () => {
  const people = Array.from(
    { length: 40 },
    (_, at) => `00000000-0000-7000-8000-${String(at).padStart(12, "0")}`,
  );
  const random = (below: number) => Math.floor(Math.random() * below);
  await sql(
    "INSERT INTO maker (organization_id, user_id, invited_by, vouched_by, vouched_at) SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[])",
    [
      people.map(() => acme),
      people,
      people.map((_, at) =>
        at === 0 || random(8) === 0 ? null : random(10) === 0 ? acme : people[random(at)]!,
      ),
      ...[(_: string) => ana.userId, () => new Date()].map((value) =>
        people.map((id) => (Number(id.at(-1)) === 3 ? value(id) : null)),
      ),
    ],
  );
  await sql(
    `INSERT INTO saml_maker (organization_id, user_id, maker, provider_id) SELECT $1, a, b, gen_random_uuid()
     FROM unnest($2::uuid[], $3::uuid[]) AS pairs (a, b) WHERE a <> b`,
    [
      acme,
      people.slice(0, 6).map(() => people[random(40)]),
      people.slice(0, 6).map(() => people[random(40)]),
    ],
  );
  const differing = await web.db.withOrganization(acme, (tx) =>
    tx.$queryRaw(Prisma.sql`SELECT a.user_id, b.user_id FROM maker a JOIN maker b USING (organization_id)
      WHERE organization_id = ${acme}::uuid AND same_maker(organization_id, a.user_id, b.user_id)
        <> (b.user_id = ANY (makers_with(organization_id, a.user_id)))`),
  );
  expect(differing).toEqual([]);
});
