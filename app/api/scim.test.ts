/** The SCIM service, section by section of RFC 7644, and people and groups as they come of it. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  acceptInvitation,
  createDirectoryFixture,
  type DirectoryFixture,
  GROUP,
  patch,
  USER,
} from "@/test/directory.ts";
import { webForFile } from "@/test/web.ts";

const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";
const LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

const web = webForFile({ INTRAY_RATE_LIMIT: "100000" });
let acme: DirectoryFixture;
let scim: DirectoryFixture["scim"];

beforeAll(async () => {
  acme = await createDirectoryFixture(web, "acme");
  ({ scim } = acme);
});

const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);
let made = 0;
const newName = () => `person${++made}@acme.example`;
const add = async (more: object = {}) =>
  (await scim("POST", "/Users", { schemas: [USER], userName: newName(), ...more })).body;
const group = async (displayName: string, members: string[] = []) =>
  (
    await scim("POST", "/Groups", {
      schemas: [GROUP],
      displayName,
      members: members.map((value) => ({ value })),
    })
  ).body;
const roleOf = async (id: string) =>
  (
    await sql("SELECT role FROM membership WHERE organization_id = $1 AND id = $2", [acme.organizationId, id])
  )[0]?.role ?? null;
const invited = async (email: string) =>
  (
    await sql(
      "SELECT role FROM invitation WHERE organization_id = $1 AND email = $2 AND accepted_at IS NULL AND revoked_at IS NULL",
      [acme.organizationId, email],
    )
  ).map(({ role }) => role);
const history = async (types: string[]) =>
  (await acme.own("GET", "/events?limit=200")).body.items.filter(({ type }: { type: string }) =>
    types.includes(type),
  );

describe("discovery (section 4)", () => {
  test("says what the service does, and that it does no bulk", async () => {
    const { status, headers, body } = await scim("GET", "/ServiceProviderConfig");
    expect([status, headers.get("content-type")]).toEqual([200, "application/scim+json; charset=utf-8"]);
    expect(body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      sort: { supported: false },
      etag: { supported: true },
      changePassword: { supported: false },
    });
    const bulk = await scim("POST", "/Bulk", { Operations: [] });
    expect([bulk.status, bulk.body.schemas, bulk.body.status]).toEqual([501, [ERROR], "501"]);
    expect((await scim("GET", "/Me")).status).toBe(501);
  });

  test("lists schemas and resource types, and no filter", async () => {
    for (const path of ["/Schemas", "/ResourceTypes"]) {
      const { body } = await scim("GET", path);
      expect(body).toMatchObject({ schemas: [LIST], totalResults: 2, startIndex: 1, itemsPerPage: 2 });
      for (const { id, meta } of body.Resources) {
        const one = await scim("GET", `${path}/${id}`);
        expect([one.status, one.body.meta.location]).toEqual([200, meta.location]);
      }
      expect((await scim("GET", `${path}?filter=id%20eq%20%22x%22`)).status).toBe(403);
      expect((await scim("GET", `${path}/urn:unknown`)).status).toBe(404);
    }
    const { attributes } = (await scim("GET", `/Schemas/${USER}`)).body;
    const userName = attributes.find(({ name }: { name: string }) => name === "userName");
    expect(userName).toMatchObject({ required: true, uniqueness: "server", caseExact: false });
    expect(attributes.map(({ name }: { name: string }) => name)).not.toContain("password");
  });
});

describe("creating (section 3.3)", () => {
  test("answers 201 with the resource, its place and its version", async () => {
    const name = newName();
    const { status, headers, body } = await scim("POST", "/Users", {
      schemas: [USER],
      userName: name.toUpperCase(),
      externalId: "bjensen",
      name: { formatted: "Ms. Barbara J Jensen III", familyName: "Jensen", givenName: "Barbara" },
    });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`http://localhost:3000/api/scim/v2/Users/${body.id}`);
    expect(headers.get("etag")).toBe(body.meta.version);
    expect(body).toMatchObject({
      schemas: [USER],
      userName: name,
      externalId: "bjensen",
      name: { formatted: "Ms. Barbara J Jensen III", familyName: "Jensen", givenName: "Barbara" },
      displayName: "Ms. Barbara J Jensen III",
      active: true,
      emails: [{ value: name, primary: true }],
      groups: [],
      meta: { resourceType: "User", location: headers.get("location") },
    });
    expect((await scim("GET", `/Users/${body.id}`)).body).toEqual(body);
  });

  test("refuses a second one of the name, whatever its case", async () => {
    const { userName } = await add();
    const again = await scim("POST", "/Users", { schemas: [USER], userName: userName.toUpperCase() });
    expect([again.status, again.body]).toEqual([
      409,
      { schemas: [ERROR], status: "409", scimType: "uniqueness", detail: expect.any(String) },
    ]);
    const member = await web.member(acme.organizationId, "Byhand", "viewer");
    const [{ email }] = await sql(`SELECT email FROM "user" WHERE id = $1`, [member.userId]);
    expect((await scim("POST", "/Users", { schemas: [USER], userName: email })).status).toBe(409);
  });

  test("two at once make one", async () => {
    const userName = newName();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => scim("POST", "/Users", { schemas: [USER], userName })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(await invited(userName)).toEqual(["viewer"]);
  });

  test("invites, and the person who accepts is the resource", async () => {
    const { id, userName } = await add({ displayName: "Given By The Directory" });
    expect(await roleOf(id)).toBe(null);
    expect((await acceptInvitation(web, acme.own, userName)).status).toBe(201);
    expect(await roleOf(id)).toBe("viewer");
    const { body } = await scim("GET", `/Users/${id}`);
    expect(body).toMatchObject({ id, userName, displayName: "Given By The Directory", active: true });
    const [maker] = await sql(
      "SELECT k.invited_by FROM maker k JOIN membership m ON m.user_id = k.user_id WHERE m.id = $1",
      [id],
    );
    expect(maker.invited_by, "who made the token answers for whom it brings").toBe(acme.owner.userId);
  });

  test("a group, by its members", async () => {
    const ben = await add();
    const { status, body } = await scim("POST", "/Groups", {
      schemas: [GROUP],
      displayName: "Tour Guides",
      externalId: "tg",
      members: [{ value: ben.id, display: "Ben" }],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      displayName: "Tour Guides",
      externalId: "tg",
      members: [{ value: ben.id, type: "User" }],
      meta: { resourceType: "Group" },
    });
    expect((await scim("GET", `/Users/${ben.id}`)).body.groups).toEqual([
      expect.objectContaining({ value: body.id, display: "Tour Guides" }),
    ]);
    expect((await scim("POST", "/Groups", { schemas: [GROUP], displayName: "tour guides" })).status).toBe(
      409,
    );
    const nobody = "00000000-0000-7000-8000-000000000000";
    const wrong = await scim("POST", "/Groups", {
      schemas: [GROUP],
      displayName: "Nobody",
      members: [{ value: nobody }],
    });
    expect([wrong.status, wrong.body.scimType]).toEqual([400, "invalidValue"]);
  });

  test.each<[string, unknown, string]>([
    ["no userName", { schemas: [USER] }, "invalidValue"],
    ["a name that is no address", { schemas: [USER], userName: "bjensen" }, "invalidValue"],
    ["a list", [], "invalidSyntax"],
    ["what is no JSON", "{", "invalidSyntax"],
  ])("refuses %s", async (_what, body, scimType) => {
    const answer = await scim("POST", "/Users", body);
    expect([answer.status, answer.body.scimType]).toEqual([400, scimType]);
  });

  test("takes application/json too, and nothing else", async () => {
    const body = JSON.stringify({ schemas: [USER], userName: newName() });
    expect((await scim("POST", "/Users", body, { "content-type": "application/json" })).status).toBe(201);
    expect((await scim("POST", "/Users", body, { "content-type": "text/plain" })).status).toBe(415);
    const large = JSON.stringify({ schemas: [USER], userName: newName(), x: "x".repeat(1_100_000) });
    expect((await scim("POST", "/Users", large)).status).toBe(413);
  });
});

describe("reading (section 3.4)", () => {
  test("finds people by each attribute that is kept", async () => {
    const ext = "Ext-1";
    const { id, userName } = await add({
      externalId: ext,
      name: { givenName: "Zoë", familyName: "Quill" },
    });
    const found = async (filter: string) =>
      (await scim("GET", `/Users?filter=${encodeURIComponent(filter)}`)).body.Resources.map(
        (user: { id: string }) => user.id,
      );
    for (const filter of [
      `userName eq "${userName}"`,
      `userName eq "${userName.toUpperCase()}"`,
      `urn:ietf:params:scim:schemas:core:2.0:User:userName eq "${userName}"`,
      `externalId eq "${ext}"`,
      `name.familyName eq "quill" and externalId pr and id eq "${id}"`,
      `displayName eq "zoë quill" and userName sw "${userName.slice(0, -3)}"`,
      `emails[type eq "work" and value eq "${userName}"]`,
      `emails.value eq "${userName}"`,
      `userName eq "nobody@acme.example" or externalId eq "${ext}"`,
      `externalId eq "${ext}" and not (active eq false)`,
      `active eq "True" and userName ew "${userName.slice(3)}"`,
      `externalId eq "${ext}" and meta.created gt "2020-01-01T00:00:00Z"`,
    ])
      expect([filter, await found(filter)]).toEqual([filter, [id]]);
    for (const filter of [
      `externalId eq "ext-1"`,
      `userName eq "${userName}" and active eq false`,
      `userName eq "' OR '1'='1"`,
      `userName eq "\\u0000"`,
      `displayName co "%" and userName eq "${userName}"`,
    ])
      expect([filter, await found(filter)]).toEqual([filter, []]);
  });

  test("finds groups by name and by member", async () => {
    const ben = await add();
    const { id, displayName } = await group(`Readers ${made}`, [ben.id]);
    for (const filter of [
      `displayName eq "${displayName.toLowerCase()}"`,
      `members.value eq "${ben.id}"`,
      `members[value eq "${ben.id}"]`,
      `members eq "${ben.id}" and displayName pr`,
    ]) {
      const { body } = await scim(
        "GET",
        `/Groups?filter=${encodeURIComponent(filter)}&excludedAttributes=members`,
      );
      expect([filter, body.Resources.map((each: { id: string }) => each.id)]).toEqual([filter, [id]]);
      expect(body.Resources[0]).not.toHaveProperty("members");
    }
  });

  test.each([
    "shoeSize eq 1",
    "userName gt",
    'active gt "x"',
    "userName eq 1",
    'meta.created eq "x"',
    'password eq "x"',
  ])("refuses the filter %s", async (filter) => {
    const { status, body } = await scim("GET", `/Users?filter=${encodeURIComponent(filter)}`);
    expect([status, body.scimType]).toEqual([400, "invalidFilter"]);
  });

  test("pages from 1, and names what is asked for alone", async () => {
    for (let each = 0; each < 3; each++) await add();
    const all = (await scim("GET", "/Users?count=200")).body;
    expect(all.Resources).toHaveLength(all.totalResults);
    const ids: string[] = [];
    for (let at = 1; at <= all.totalResults; at += 2) {
      const page = (await scim("GET", `/Users?startIndex=${at}&count=2`)).body;
      expect(page).toMatchObject({ totalResults: all.totalResults, startIndex: at });
      expect(page.itemsPerPage).toBe(page.Resources.length);
      ids.push(...page.Resources.map(({ id }: { id: string }) => id));
    }
    expect(ids).toEqual(all.Resources.map(({ id }: { id: string }) => id));
    const counted = (await scim("GET", "/Users?count=0")).body;
    expect(counted).toMatchObject({ totalResults: all.totalResults, itemsPerPage: 0, Resources: [] });
    expect((await scim("GET", "/Users?count=-5&startIndex=-3")).body).toMatchObject({
      startIndex: 1,
      itemsPerPage: 0,
    });
    expect((await scim("GET", "/Users?startIndex=99999")).body.Resources).toEqual([]);
    expect((await scim("GET", "/Users?startIndex=one")).status).toBe(400);
    const [short] = (await scim("GET", "/Users?count=1&attributes=userName,name.givenName")).body.Resources;
    expect(
      Object.keys(short)
        .sort()
        .filter((name) => name !== "name"),
    ).toEqual(["id", "schemas", "userName"]);
  });

  test("a page ends before somebody whose groups would make it very long", async () => {
    const large = await createDirectoryFixture(web, "many-groups");
    for (const name of ["a", "b", "c"])
      await large.scim("POST", "/Users", { schemas: [USER], userName: `${name}@many.example` });
    await sql(
      `WITH made AS (INSERT INTO directory_group (organization_id, id, display_name)
          SELECT $1, gen_random_uuid(), 'group ' || n FROM generate_series(1, 8000) n RETURNING id)
        INSERT INTO directory_group_member (organization_id, group_id, person_id)
          SELECT $1, made.id, p.id FROM made, directory_person p WHERE p.organization_id = $1`,
      [large.organizationId],
    );
    const pages: number[][] = [];
    for (let at = 1, total = 1; at <= total; ) {
      const { body } = await large.scim("GET", `/Users?count=200&startIndex=${at}`);
      total = body.totalResults;
      pages.push(body.Resources.map(({ groups = [] }: { groups?: object[] }) => groups.length));
      at += body.itemsPerPage;
    }
    expect(pages).toEqual([[0, 8_000, 8_000], [8_000]]);
  });

  test("an unknown id is 404 in SCIM's form", async () => {
    for (const path of ["/Users/00000000-0000-7000-8000-000000000000", "/Users/x", "/Groups/x"]) {
      const { status, body } = await scim("GET", path);
      expect([status, body.schemas, body.status]).toEqual([404, [ERROR], "404"]);
    }
  });
});

describe("changing (sections 3.5 and 3.6)", () => {
  test("PUT writes the whole person, but not the state that it does not name", async () => {
    const { id, userName } = await add({ externalId: "e", displayName: "D" });
    const { status, body } = await scim("PUT", `/Users/${id}`, {
      schemas: [USER],
      id,
      userName,
      name: { givenName: "G" },
      meta: { version: "x" },
    });
    expect([status, body.displayName, body.active]).toEqual([200, "G", true]);
    expect(body).not.toHaveProperty("externalId");
  });

  test("an account's address and name stay whatever the directory says", async () => {
    const userName = newName();
    const id = await acme.join(userName);
    const renamed = newName();
    const { body } = await scim(
      "PATCH",
      `/Users/${id}`,
      patch({ op: "replace", value: { userName: renamed, displayName: "Another" } }),
    );
    expect(body).toMatchObject({ userName: renamed, displayName: "Another" });
    const accounts = await sql(
      `SELECT u.email, u.name FROM "user" u JOIN membership m ON m.user_id = u.id WHERE m.id = $1`,
      [id],
    );
    expect(accounts).toEqual([{ email: userName, name: userName.slice(0, userName.indexOf("@")) }]);
    // Neither name makes another person.
    for (const name of [userName, renamed])
      expect((await scim("POST", "/Users", { schemas: [USER], userName: name })).status).toBe(409);
    expect(await invited(renamed)).toEqual([]);
  });

  test("an invitation moves with the userName of somebody who has not joined", async () => {
    const { id, userName } = await add();
    const renamed = newName();
    await scim("PATCH", `/Users/${id}`, patch({ op: "replace", path: "userName", value: renamed }));
    expect([await invited(userName), await invited(renamed)]).toEqual([[], ["viewer"]]);
    await acceptInvitation(web, acme.own, renamed);
    expect(await roleOf(id)).toBe("viewer");
  });

  test("a version that is not the present one is refused, and the present one is not sent again", async () => {
    const { id, meta } = await add();
    const change = patch({ op: "replace", path: "displayName", value: "Once" });
    expect((await scim("PATCH", `/Users/${id}`, change, { "if-match": meta.version })).status).toBe(200);
    for (const [method, body] of [
      ["PATCH", change],
      ["DELETE", undefined],
    ] as const)
      expect((await scim(method, `/Users/${id}`, body, { "if-match": meta.version })).status).toBe(412);
    const { version } = (await scim("GET", `/Users/${id}`)).body.meta;
    expect((await scim("GET", `/Users/${id}`, undefined, { "if-none-match": version })).status).toBe(304);
    const { id: groupId, meta: of } = await group(`Versions ${made}`);
    const rename = patch({ op: "replace", path: "displayName", value: `Versioned ${made}` });
    expect((await scim("PATCH", `/Groups/${groupId}`, rename, { "if-match": of.version })).status).toBe(204);
    expect(
      (await scim("PUT", `/Groups/${groupId}`, { displayName: "X" }, { "if-match": of.version })).status,
    ).toBe(412);
    expect((await scim("DELETE", `/Groups/${groupId}`, undefined, { "if-match": of.version })).status).toBe(
      412,
    );
  });

  test("active false ends everything of the person's here at once, and active true brings them back", async () => {
    const ben = await web.member(acme.organizationId, "Benactive", "admin");
    const made = await web.call("POST", "/api/v1/api-keys", {
      cookie: ben.cookie,
      body: { name: "k", role: "viewer" },
    });
    const key = made.body.secret;
    expect((await web.call("GET", "/api/v1/me", { key })).status).toBe(200);
    const off = await scim(
      "PATCH",
      `/Users/${ben.memberId}`,
      patch({ op: "Replace", path: "active", value: "False" }),
    );
    expect([off.status, off.body.active]).toEqual([200, false]);
    expect((await web.call("GET", "/api/v1/me", { cookie: ben.cookie })).status).toBe(401);
    expect((await web.call("GET", "/api/v1/me", { key })).status).toBe(401);
    const listed = await scim("GET", `/Users?filter=${encodeURIComponent(`id eq "${ben.memberId}"`)}`);
    expect(listed.body.Resources[0]).toMatchObject({ active: false });
    const on = await scim(
      "PATCH",
      `/Users/${ben.memberId}`,
      patch({ op: "Replace", path: "active", value: "True" }),
    );
    expect([on.status, on.body.active, await roleOf(ben.memberId)]).toEqual([200, true, "admin"]);
    const actors = (await history(["member.suspended", "member.reinstated"])).map(
      ({ actor }: { actor: { name: string } }) => actor.name,
    );
    expect(new Set(actors)).toEqual(new Set(["Directory (SCIM)"]));
  });

  test("what an admin suspended stays suspended", async () => {
    const ben = await web.member(acme.organizationId, "Benadmin", "viewer");
    await sql(
      `WITH gone AS (DELETE FROM membership WHERE id = $1 RETURNING *)
       INSERT INTO suspended_member (organization_id, id, user_id, role, single_keys, tour_seen, density, joined_at,
         suspended_by, cause)
       SELECT organization_id, id, user_id, role, single_keys, tour_seen, density, created_at,
         '{"kind":"system","id":null,"name":"x"}', 'admin' FROM gone`,
      [ben.memberId],
    );
    const on = await scim(
      "PATCH",
      `/Users/${ben.memberId}`,
      patch({ op: "replace", path: "active", value: true }),
    );
    expect([on.status, await roleOf(ben.memberId)]).toEqual([409, null]);
    expect((await scim("DELETE", `/Users/${ben.memberId}`)).status).toBe(204);
    const [{ email }] = await sql(`SELECT email FROM "user" WHERE id = $1`, [ben.userId]);
    expect((await scim("POST", "/Users", { schemas: [USER], userName: email })).status).toBe(409);
    expect(await roleOf(ben.memberId)).toBe(null);
  });

  test("DELETE suspends and forgets; the same name brings the membership back", async () => {
    const userName = newName();
    const id = await acme.join(userName);
    expect((await scim("DELETE", `/Users/${id}`)).status).toBe(204);
    for (const method of ["GET", "DELETE"] as const)
      expect((await scim(method, `/Users/${id}`)).status).toBe(404);
    const filter = encodeURIComponent(`userName eq "${userName}"`);
    expect((await scim("GET", `/Users?filter=${filter}`)).body.totalResults).toBe(0);
    expect(await roleOf(id)).toBe(null);
    const back = await scim("POST", "/Users", { schemas: [USER], userName });
    expect([back.status, back.body.id, await roleOf(id)]).toEqual([201, id, "viewer"]);
  });

  test("somebody who has not joined loses the invitation, and no other way leads in", async () => {
    const { id, userName } = await add();
    const off = patch({ op: "replace", path: "active", value: false });
    expect((await scim("PATCH", `/Users/${id}`, off)).body.active).toBe(false);
    expect(await invited(userName)).toEqual([]);
    // People invite the address again: the directory's word still counts.
    await acme.own("POST", "/invitations", { email: userName, role: "viewer" });
    expect((await acceptInvitation(web, acme.own, userName)).body.code).toBe("suspended");
    expect(await roleOf(id)).toBe(null);
    expect(
      await sql('SELECT 1 FROM membership m JOIN "user" u ON u.id = m.user_id WHERE u.email = $1', [
        userName,
      ]),
    ).toEqual([]);
    await scim("PATCH", `/Users/${id}`, patch({ op: "replace", path: "active", value: true }));
    expect(await invited(userName)).toEqual(["viewer"]);
    expect((await scim("DELETE", `/Users/${id}`)).status).toBe(204);
    expect(await invited(userName)).toEqual([]);
  });

  test("somebody who was removed by hand is unknown, and comes again by an invitation", async () => {
    const userName = newName();
    const id = await acme.join(userName);
    await acme.own("DELETE", `/members/${id}`);
    expect((await scim("GET", `/Users/${id}`)).status).toBe(404);
    const again = await scim("POST", "/Users", { schemas: [USER], userName });
    expect([again.status, again.body.id === id, await invited(userName)]).toEqual([201, false, ["viewer"]]);
  });
});

describe("groups and roles", () => {
  test("a group's members change by hundreds, and twice at once add up", async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => add()));
    const ids: string[] = people.map(({ id }) => id);
    const { id } = await group(`Many ${made}`);
    const members = async () =>
      (await scim("GET", `/Groups/${id}`)).body.members.map(({ value }: { value: string }) => value).sort();
    await Promise.all(
      ids.map((value) =>
        scim("PATCH", `/Groups/${id}`, patch({ op: "Add", path: "members", value: [{ value }] })),
      ),
    );
    expect(await members()).toEqual([...ids].sort());
    const removals = ids.slice(0, 6).map((value) => ({ op: "remove", path: `members[value eq "${value}"]` }));
    expect((await scim("PATCH", `/Groups/${id}`, patch(...removals))).status).toBe(204);
    expect(await members()).toEqual(ids.slice(6).sort());
    const [first] = ids;
    await scim("PUT", `/Groups/${id}`, { displayName: `Many ${made}`, members: [{ value: first }] });
    expect(await members()).toEqual([first]);
    await scim("PATCH", `/Groups/${id}`, patch({ op: "remove", path: "members" }));
    expect(await members()).toEqual([]);
  });

  test("the strongest group gives the role, now and with the invitation; without one it is the default", async () => {
    const [userName, other] = [newName(), newName()];
    const id = await acme.join(userName);
    const waiting = (await scim("POST", "/Users", { schemas: [USER], userName: other })).body.id;
    const approvers = await group(`Approvers ${made}`, [id, waiting]);
    const admins = await group(`Admins ${made}`, [id]);
    expect((await acme.own("PATCH", `/directory/groups/${approvers.id}`, { role: "approver" })).status).toBe(
      200,
    );
    expect([await roleOf(id), await invited(other)]).toEqual(["approver", ["approver"]]);
    await acme.own("PATCH", `/directory/groups/${admins.id}`, { role: "admin" });
    expect(await roleOf(id)).toBe("admin");
    await scim("PATCH", `/Groups/${admins.id}`, patch({ op: "remove", path: `members[value eq "${id}"]` }));
    expect(await roleOf(id)).toBe("approver");
    // A role of now is the one of the return.
    await scim("PATCH", `/Users/${id}`, patch({ op: "replace", path: "active", value: false }));
    await scim("DELETE", `/Groups/${approvers.id}`);
    await scim("PATCH", `/Users/${id}`, patch({ op: "replace", path: "active", value: true }));
    expect([await roleOf(id), await invited(other)]).toEqual(["viewer", ["viewer"]]);
  });

  test("a role that people gave stays until a group gives one, and owners are no group's", async () => {
    const { memberId } = await web.member(acme.organizationId, "Given", "operator");
    const { id } = await group(`Mixed ${made}`, [memberId, acme.owner.memberId]);
    expect(await roleOf(memberId)).toBe("operator");
    await acme.own("PATCH", `/directory/groups/${id}`, { role: "viewer" });
    expect([await roleOf(memberId), await roleOf(acme.owner.memberId)]).toEqual(["viewer", "owner"]);
    for (const role of ["owner", "king"])
      expect((await acme.own("PATCH", `/directory/groups/${id}`, { role })).status).toBe(422);
  });

  test("leaves lines of history in the directory's name", async () => {
    const { id } = await group(`Named ${made}`);
    await scim(
      "PATCH",
      `/Groups/${id}`,
      patch({ op: "replace", path: "displayName", value: `Renamed ${made}` }),
    );
    await scim("DELETE", `/Groups/${id}`);
    const lines = (
      await history(["directory.group_created", "directory.group_changed", "directory.group_removed"])
    ).filter(({ data }: { data: { groupId: string } }) => data.groupId === id);
    expect(lines.map(({ actor }: { actor: { name: string } }) => actor.name)).toEqual(
      Array(3).fill("Directory (SCIM)"),
    );
  });
});
