/** What a directory, its token's thief and another organization's directory must not get, and what a deactivation ends. */
import { createServer, get, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "@/lib/base/db/db.ts";
import { joinAtOnce } from "@/lib/people/directory/person-transitions.ts";
import type { Method } from "@/lib/web/http/route.ts";
import { withClient } from "@/scripts/database/roles.ts";
import {
  acceptInvitation,
  callerOf,
  createDirectoryFixture,
  type DirectoryFixture,
  patch,
  USER,
} from "@/test/directory.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { forFile } from "@/test/for-file.ts";
import { statementsOf } from "@/test/guards/statements.ts";
import { startMailServer } from "@/test/servers/mail-server.ts";
import { webForFile } from "@/test/web.ts";
import { patiently } from "../../test/setup/patience.ts";

const mail = forFile(startMailServer);
const web = webForFile(() => ({ SMTP_URL: mail.url, INTRAY_RATE_LIMIT: "100000" }));
let acme: DirectoryFixture;
let globex: DirectoryFixture;

beforeAll(async () => {
  acme = await createDirectoryFixture(web, "acme-attacked");
  globex = await createDirectoryFixture(web, "globex-attacked");
});

const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);
const OFF = patch({ op: "replace", path: "active", value: false });
const ON = patch({ op: "replace", path: "active", value: true });
let made = 0;
const newName = (domain = "acme.example") => `someone${++made}@${domain}`;

describe("the token", () => {
  const everyCall: [Method, string][] = [
    ...["/ServiceProviderConfig", "/Schemas", "/ResourceTypes", "/Users", "/Groups"].map(
      (path): [Method, string] => ["GET", path],
    ),
    ...["/Users", "/Groups", "/Bulk"].map((path): [Method, string] => ["POST", path]),
    ...(["GET", "PUT", "PATCH", "DELETE"] as const).flatMap((method) =>
      ["/Users", "/Groups"].map((path): [Method, string] => [
        method,
        `${path}/00000000-0000-7000-8000-000000000000`,
      ]),
    ),
  ];

  test.each(everyCall)("nothing else opens %s %s", async (method, path) => {
    const key = await web.key(acme.organizationId, "owner");
    for (const secret of [key, "its_unknown", `${acme.token}x`, acme.token.slice(0, -1)]) {
      const answer = await callerOf(web, secret)(method, path);
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="scim"']);
      expect(answer.body.schemas).toEqual(["urn:ietf:params:scim:api:messages:2.0:Error"]);
    }
    const { cookie } = acme.owner;
    expect((await web.call(method, `/api/scim/v2${path}`, { cookie })).status).toBe(401);
    expect((await web.call(method, `/api/scim/v2${path}?access_token=${acme.token}`)).status).toBe(401);
  });

  test("it opens nothing else", async () => {
    for (const path of ["/me", "/members", "/directory", "/events", "/tasks", "/stream"])
      expect((await web.call("GET", `/api/v1${path}`, { key: acme.token })).status).toBe(401);
  });

  test("an owner makes it in person, after showing that it is them; it is stored as a hash, and told once", async () => {
    const { organizationId } = acme;
    for (const role of ["viewer", "approver", "operator", "admin"] as const) {
      const { cookie } = await web.member(organizationId, `No ${role}`, role);
      expect((await web.call("POST", "/api/v1/directory/token", { cookie, body: {} })).status).toBe(403);
      expect((await web.call("GET", "/api/v1/directory", { cookie })).status).toBe(403);
    }
    const key = await web.key(organizationId, "owner");
    expect((await web.call("POST", "/api/v1/directory/token", { key, body: {} })).status).toBe(403);
    const stale = await web.member(organizationId, "Stale", "owner");
    await sql("UPDATE session SET factor_at = now() - interval '1 hour' WHERE user_id = $1", [stale.userId]);
    for (const [method, path, body] of [
      ["POST", "/directory/token", {}],
      ["PATCH", "/directory", { managesOwners: true }],
    ] as const) {
      const answer = await web.call(method, `/api/v1${path}`, { cookie: stale.cookie, body });
      expect([answer.status, answer.body.code]).toEqual([403, "step_up_required"]);
    }
    const state = await acme.own("GET", "/directory");
    expect(JSON.stringify(state.body)).not.toContain(acme.token.slice(4));
    const rows = JSON.stringify(await sql("SELECT to_jsonb(d) FROM directory d"));
    expect(rows).not.toContain(acme.token.slice(4));
    const history = JSON.stringify((await acme.own("GET", "/events?limit=200")).body);
    expect(history).toContain("directory.token_made");
    expect(history).not.toContain(acme.token.slice(4));
  });

  test("rotated, both secrets work for the overlap; revoked, none does", async () => {
    const one = await createDirectoryFixture(web, "rotating");
    const { secret } = (await one.own("POST", "/directory/token", { overlapMs: 3600_000 })).body;
    for (const token of [one.token, secret])
      expect((await callerOf(web, token)("GET", "/Users")).status).toBe(200);
    await sql(
      "UPDATE directory SET previous_until = now() - interval '1 second' WHERE organization_id = $1",
      [one.organizationId],
    );
    expect((await one.scim("GET", "/Users")).status).toBe(401);
    const next = (await one.own("POST", "/directory/token", { overlapMs: 0 })).body.secret;
    expect((await callerOf(web, secret)("GET", "/Users")).status).toBe(401);
    expect((await callerOf(web, next)("GET", "/Users")).status).toBe(200);
    expect((await one.own("DELETE", "/directory/token")).status).toBe(204);
    expect((await callerOf(web, next)("GET", "/Users")).status).toBe(401);
    expect((await one.own("DELETE", "/directory/token")).status).toBe(404);
    const { types } = {
      types: (await one.own("GET", "/events?limit=200")).body.items.map((e: { type: string }) => e.type),
    };
    expect(types).toEqual(expect.arrayContaining(["directory.token_rotated", "directory.token_revoked"]));
  });

  test("a call under way when the token is revoked changes nothing", async () => {
    const one = await createDirectoryFixture(web, "revoked-meanwhile");
    await withClient(web.database.adminUrl, async (client) => {
      await client.query("BEGIN");
      await client.query("SELECT FROM directory WHERE organization_id = $1 FOR UPDATE", [one.organizationId]);
      const waiting = one.scim("POST", "/Users", { schemas: [USER], userName: "late@acme.example" });
      await patiently(async () =>
        expect(
          await sql(
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%directory%'",
          ),
        ).not.toEqual([]),
      );
      await client.query(
        "UPDATE directory SET token_id = NULL, secret_hash = NULL, made_at = NULL WHERE organization_id = $1",
        [one.organizationId],
      );
      await client.query("COMMIT");
      expect((await waiting).status).toBe(401);
    });
    expect(await sql("SELECT 1 FROM invitation WHERE email = 'late@acme.example'")).toEqual([]);
  });

  test("calls are counted by the token, and the last one is kept with its network and program", async () => {
    const one = await createDirectoryFixture(web, "eager");
    const from = {
      "x-forwarded-for": "203.0.113.9, 198.51.100.7",
      "user-agent": `Directory/1 ${"x".repeat(500)}`,
    };
    await one.scim("GET", "/Users", undefined, from);
    const { lastCalledAt, lastCalledNetwork, lastCalledAgent } = (await one.own("GET", "/directory")).body;
    expect([typeof lastCalledAt, lastCalledNetwork, lastCalledAgent.length]).toEqual([
      "string",
      "198.51.100.0/24",
      200,
    ]);
    const [{ token_id: id }] = await sql("SELECT token_id FROM directory WHERE organization_id = $1", [
      one.organizationId,
    ]);
    const counted = await sql("SELECT 1 FROM throttle WHERE key = $1", [`calls system ${id} read`]);
    expect(counted).toHaveLength(1);
  });
});

describe("another organization's", () => {
  test("ids are unknown to every call, and nothing of theirs is found", async () => {
    const victim = await web.member(acme.organizationId, "Canaryvictim", "approver");
    const group = (await acme.scim("POST", "/Groups", { displayName: "canary group" })).body;
    const before = await sql("SELECT role FROM membership WHERE id = $1", [victim.memberId]);
    const put = { schemas: [USER], userName: newName("globex.example") };
    for (const [method, path, body] of [
      ["GET", `/Users/${victim.memberId}`, undefined],
      ["PUT", `/Users/${victim.memberId}`, put],
      ["PATCH", `/Users/${victim.memberId}`, OFF],
      ["DELETE", `/Users/${victim.memberId}`, undefined],
      ["GET", `/Groups/${group.id}`, undefined],
      ["PUT", `/Groups/${group.id}`, { displayName: "taken" }],
      ["PATCH", `/Groups/${group.id}`, patch({ op: "replace", path: "displayName", value: "taken" })],
      ["DELETE", `/Groups/${group.id}`, undefined],
    ] as const) {
      const unknown = path.replace(/[^/]+$/, "00000000-0000-7000-8000-000000000000");
      const [theirs, nobodys] = [
        await globex.scim(method, path, body),
        await globex.scim(method, unknown, body),
      ];
      expect([method, path, theirs.status, theirs.body]).toEqual([method, path, 404, nobodys.body]);
    }
    expect(await sql("SELECT role FROM membership WHERE id = $1", [victim.memberId])).toEqual(before);
    for (const filter of [
      `id eq "${victim.memberId}"`,
      'userName co "canaryvictim"',
      'displayName eq "Canaryvictim"',
      `groups.value eq "${group.id}"`,
    ])
      expect(
        (await globex.scim("GET", `/Users?filter=${encodeURIComponent(filter)}`)).body.totalResults,
      ).toBe(0);
    for (const filter of ['displayName eq "canary group"', `members.value eq "${victim.memberId}"`])
      expect(
        (await globex.scim("GET", `/Groups?filter=${encodeURIComponent(filter)}`)).body.totalResults,
      ).toBe(0);
    const own = (await globex.scim("POST", "/Groups", { displayName: `own ${++made}` })).body;
    const taken = patch({ op: "add", path: "members", value: [{ value: victim.memberId }] });
    expect((await globex.scim("PATCH", `/Groups/${own.id}`, taken)).status).toBe(400);
    expect((await globex.own("PATCH", `/directory/groups/${group.id}`, { role: "admin" })).status).toBe(404);
    const all = JSON.stringify((await globex.scim("GET", "/Users?count=200")).body).toLowerCase();
    expect(all).not.toContain("canaryvictim");
  });
});

describe("accounts elsewhere", () => {
  test("an address with an account is answered by the same words and statements as one without", async () => {
    const theirs = await web.member(acme.organizationId, "Secretname", "operator");
    const [{ email }] = await sql(`SELECT email FROM "user" WHERE id = $1`, [theirs.userId]);
    const unknown = email.replace("secretname", "unknownone");
    const bring = (userName: string) => globex.scim("POST", "/Users", { schemas: [USER], userName });
    await bring(newName());
    const [known, askedOfKnown] = await statementsOf(() => bring(email));
    const [nobody, asked] = await statementsOf(() => bring(unknown));
    const isNoCount = (statement: string) => !/gate\.(take_calls|sweep_throttle|throttle)/.test(statement);
    expect(askedOfKnown.filter(isNoCount)).toEqual(asked.filter(isNoCount));
    const comparable = ({ status, body }: typeof known, name: string) =>
      JSON.stringify([status, body])
        .replaceAll(body.id, "the id")
        .replaceAll(name, "the name")
        .replaceAll(/"(created|lastModified|version)":"([^"\\]|\\.)*"/g, "");
    expect(comparable(known, email)).toBe(comparable(nobody, unknown));
    expect(JSON.stringify(known.body)).not.toContain("Secretname");
    // Nor do the page of members and the organization's history tell them apart.
    const invitations = (await globex.own("GET", "/invitations?limit=200")).body.items;
    const [one, other] = [email, unknown].map((name) =>
      invitations.find((each: { email: string }) => each.email === name),
    );
    expect(Object.keys(one)).toEqual(Object.keys(other));
    expect({ ...one, id: 0, email: 0, createdAt: 0, expiresAt: 0 }).toEqual({
      ...other,
      id: 0,
      email: 0,
      createdAt: 0,
      expiresAt: 0,
    });
    expect(JSON.stringify((await globex.own("GET", "/events?limit=200")).body)).not.toContain("Secretname");
  });

  test("an account joins by its person's own act alone, whatever the directory writes", async () => {
    const theirs = await web.member(acme.organizationId, "Unwilling", "operator");
    const [{ email }] = await sql(`SELECT email FROM "user" WHERE id = $1`, [theirs.userId]);
    const { id } = (await globex.scim("POST", "/Users", { schemas: [USER], userName: email })).body;
    const { id: group } = (
      await globex.scim("POST", "/Groups", { displayName: `g ${++made}`, members: [{ value: id }] })
    ).body;
    await globex.own("PATCH", `/directory/groups/${group}`, { role: "admin" });
    for (const body of [OFF, ON, patch({ op: "replace", value: { displayName: "Taken Over" } })])
      expect((await globex.scim("PATCH", `/Users/${id}`, body)).status).toBe(200);
    const memberships = await sql("SELECT organization_id FROM membership WHERE user_id = $1", [
      theirs.userId,
    ]);
    expect(memberships).toEqual([{ organization_id: acme.organizationId }]);
    expect((await web.call("GET", "/api/v1/me", { cookie: theirs.cookie })).body).toMatchObject({
      organization: { slug: "acme-attacked" },
      user: { name: "Unwilling" },
    });
    expect((await globex.scim("DELETE", `/Users/${id}`)).status).toBe(204);
    expect((await web.call("GET", "/api/v1/me", { cookie: theirs.cookie })).status).toBe(200);
  });

  test("an unproven account of another organization joins no second one", async () => {
    const squatted = newName("globex.example");
    const { id } = (await acme.scim("POST", "/Users", { schemas: [USER], userName: squatted })).body;
    await acceptInvitation(web, acme.own, squatted);
    await globex.scim("POST", "/Users", { schemas: [USER], userName: squatted });
    const [{ proven_at: proven }] = await sql(`SELECT proven_at FROM "user" WHERE email = $1`, [squatted]);
    expect(proven, "a link that was shown proves no address").toBe(null);
    await acceptInvitation(web, globex.own, squatted).catch(() => undefined);
    const places = await sql(
      `SELECT m.organization_id, m.id FROM membership m JOIN "user" u ON u.id = m.user_id WHERE u.email = $1`,
      [squatted],
    );
    expect(places).toEqual([{ organization_id: acme.organizationId, id }]);
  });

  test("the invitation is mailed to the address, and its token is in no answer", async () => {
    const userName = newName();
    const { body } = await acme.scim("POST", "/Users", { schemas: [USER], userName });
    const letter = mail.mails.find(({ to }) => to.includes(userName));
    const token = /#token=([\w-]+)/.exec(letter?.source ?? "")?.[1] ?? "";
    expect(token.length).toBeGreaterThan(20);
    expect(JSON.stringify(body)).not.toContain(token);
    const joined = await web.call("POST", "/api/join/account", {
      body: { token, name: "Someone", password: "a password of the tests" },
    });
    expect(joined.status).toBe(201);
    const [row] = await sql(
      `SELECT m.id, u.proven_at IS NOT NULL AS proven FROM membership m JOIN "user" u ON u.id = m.user_id WHERE u.email = $1`,
      [userName],
    );
    expect(row).toEqual({ id: body.id, proven: true });
  });

  test("with a domain that is the organization's own, an unproven account is replaced, and who made the token answers", async () => {
    const squatted = newName("own.example");
    const { id: theirs } = (await globex.scim("POST", "/Users", { schemas: [USER], userName: squatted }))
      .body;
    await acceptInvitation(web, globex.own, squatted);
    const [before] = await sql(`SELECT id, password_hash FROM "user" WHERE email = $1`, [squatted]);
    const { id } = (await acme.scim("POST", "/Users", { schemas: [USER], userName: squatted })).body;
    const { organizationId, owner } = acme;
    const actor = { kind: "system" as const, id: null, name: "Directory (SCIM)" };
    // As the web's own role.
    const app = createDatabase(web.database.appUrl, { connections: 1 });
    await app.withOrganization(organizationId, (tx) =>
      joinAtOnce(
        tx,
        { organizationId, userId: null, role: "admin", actor },
        { id, email: squatted, name: "Rightful", role: "viewer", invitedBy: owner.userId },
      ),
    );
    await app.close();
    const [after] = await sql(
      `SELECT id, name, password_hash, proven_at IS NOT NULL AS proven FROM "user" WHERE email = $1`,
      [squatted],
    );
    expect(after).toEqual({ id: before.id, name: "Rightful", password_hash: null, proven: true });
    const [maker] = await sql("SELECT invited_by FROM maker WHERE organization_id = $1 AND user_id = $2", [
      organizationId,
      before.id,
    ]);
    expect(maker.invited_by).toBe(owner.userId);
    expect((await acme.scim("GET", `/Users/${id}`)).body.active).toBe(true);
    expect((await globex.scim("GET", `/Users/${theirs}`)).status).toBe(200);
  });
});

describe("owners", () => {
  test("are not the directory's, unless an owner says so; the last one never is", async () => {
    const one = await createDirectoryFixture(web, "owned");
    const second = await web.member(one.organizationId, "Second", "owner");
    const ends: [Method, unknown][] = [
      ["PATCH", OFF],
      ["DELETE", undefined],
    ];
    for (const [method, body] of ends) {
      const answer = await one.scim(method, `/Users/${second.memberId}`, body);
      expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining("owner")]);
    }
    expect((await web.call("GET", "/api/v1/me", { cookie: second.cookie })).status).toBe(200);
    expect((await one.own("PATCH", "/directory", { managesOwners: true })).status).toBe(200);
    expect((await one.scim("PATCH", `/Users/${second.memberId}`, OFF)).status).toBe(200);
    for (const [method, body] of ends) {
      const answer = await one.scim(method, `/Users/${one.owner.memberId}`, body);
      expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining("last owner")]);
    }
    const { failures } = (await one.own("GET", "/directory")).body;
    expect(failures[0]).toMatchObject({
      status: 409,
      call: `DELETE /Users/${one.owner.memberId}`,
      detail: expect.stringContaining("last owner"),
    });
    expect(failures.length).toBe(4);
  });

  test("two of them deactivated at once leave one", async () => {
    const one = await createDirectoryFixture(web, "owned-twice");
    const second = await web.member(one.organizationId, "Second", "owner");
    await one.own("PATCH", "/directory", { managesOwners: true });
    const answers = await Promise.all(
      [one.owner, second].map(({ memberId }) => one.scim("PATCH", `/Users/${memberId}`, OFF)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe("a deactivation", () => {
  test("closes the person's open streams", async () => {
    const server = await overHttp();
    const ben = await web.member(acme.organizationId, "Streaming", "approver");
    let text = "";
    let ended = false;
    get(
      {
        port: (server.address() as AddressInfo).port,
        path: "/api/v1/stream",
        headers: { cookie: ben.cookie },
      },
      (response) => {
        response.on("data", (chunk) => (text += chunk)).on("close", () => (ended = true));
      },
    );
    await patiently(() => expect(text).toContain("still here"));
    expect((await acme.scim("PATCH", `/Users/${ben.memberId}`, OFF)).status).toBe(200);
    await patiently(() => expect(ended).toBe(true));
    expect(text).not.toContain(ben.memberId);
    await new Promise((resolve) => server.close(resolve));
  });

  test("and an answer on its way: the answer is recorded before it, or refused", async () => {
    const { organizationId } = acme;
    const task = await insertTask(web.db, organizationId, await insertServer(web.db, organizationId));
    const { id, questionHash } = await insertRequest(web.db, organizationId, task);
    const ben = await web.member(organizationId, "Answering", "approver");
    const [answer, off] = await withClient(web.database.adminUrl, async (client) => {
      await client.query("BEGIN");
      await client.query("SELECT FROM input_request WHERE id = $1 FOR UPDATE", [id]);
      // By their number, not by their text, of which Postgres shows the beginning only.
      const areWaiting = (count: number) =>
        patiently(async () =>
          expect(
            await sql(
              "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
            ),
          ).toHaveLength(count),
        );
      const answering = web.call("POST", `/api/v1/input-requests/${id}/answer`, {
        cookie: ben.cookie,
        body: { action: "decline", questionHash },
      });
      await areWaiting(1);
      const ending = acme.scim("PATCH", `/Users/${ben.memberId}`, OFF);
      // Of two that wait for nothing but each other, the second one is done or waits by now.
      await Promise.race([ending, areWaiting(2)]);
      await client.query("COMMIT");
      return Promise.all([answering, ending]);
    });
    expect(off.status).toBe(200);
    const types = (
      await sql(
        "SELECT type FROM event WHERE organization_id = $1 AND (type = 'answer.recorded' OR (type = 'member.suspended' AND data ->> 'userId' = $2)) ORDER BY seq",
        [organizationId, ben.userId],
      )
    ).map(({ type }) => type);
    if (answer.status === 202) expect(types).toEqual(["answer.recorded", "member.suspended"]);
    else expect([answer.status, types]).toEqual([401, ["member.suspended"]]);
  });

  test("of somebody who accepts the invitation just then leaves no member", async () => {
    for (let round = 0; round < 4; round++) {
      const userName = newName();
      const { id } = (await acme.scim("POST", "/Users", { schemas: [USER], userName })).body;
      const [, off] = await Promise.all([
        acceptInvitation(web, acme.own, userName).catch(() => undefined),
        acme.scim("PATCH", `/Users/${id}`, OFF),
      ]);
      expect(off.status).toBe(200);
      const members = await sql(
        `SELECT 1 FROM membership m JOIN "user" u ON u.id = m.user_id WHERE u.email = $1`,
        [userName],
      );
      expect(members).toEqual([]);
    }
  });
});

describe("hostile input", () => {
  test("filters, paths and queries that no directory sends are refused at once", async () => {
    const { owner, scim } = acme;
    for (const filter of [
      `${"(".repeat(1_000)}userName pr${")".repeat(1_000)}`,
      Array.from({ length: 200 }, () => "userName pr").join(" or "),
      '__proto__ eq "x"',
      'constructor.name eq "x"',
      `userName eq "${"\\".repeat(999)}"`,
    ]) {
      const answer = await scim("GET", `/Users?filter=${encodeURIComponent(filter)}`);
      expect([answer.status, answer.body.scimType]).toEqual([400, "invalidFilter"]);
    }
    const polluting =
      '{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"add","value":{"__proto__":{"active":false}}},{"op":"add","path":"constructor.prototype","value":1}]}';
    expect((await scim("PATCH", `/Users/${owner.memberId}`, polluting)).status).toBe(400);
    expect((await scim("GET", `/Users/${owner.memberId}`)).body.active).toBe(true);
    const deep = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
    expect((await scim("POST", "/Users", deep)).status).toBe(400);
    for (const query of ["count=1e9", "startIndex=NaN", `count=${"9".repeat(20)}`])
      expect((await scim("GET", `/Users?${query}`)).status).toBe(400);
    expect((await scim("GET", "/Users?attributes=__proto__,constructor")).status).toBe(200);
  });

  test("texts that Postgres cannot hold are stored without them, and texts of scripts come back as JSON", async () => {
    const displayName = "<script>alert(1)</script>\u0000\ud800";
    const { status, body, headers } = await acme.scim("POST", "/Users", {
      schemas: [USER],
      userName: newName(),
      displayName,
    });
    expect([status, body.displayName]).toEqual([201, "<script>alert(1)</script>\ufffd\ufffd"]);
    expect(headers.get("content-type")).toContain("application/scim+json");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("a thousand members in one PATCH are taken", async () => {
    const { organizationId } = globex;
    await sql(
      `INSERT INTO directory_person (organization_id, id, user_name)
       SELECT $1, gen_random_uuid(), 'many' || n || '@globex.example' FROM generate_series(1, 1000) n`,
      [organizationId],
    );
    const ids = (
      await sql("SELECT id FROM directory_person WHERE organization_id = $1 AND user_name LIKE 'many%'", [
        organizationId,
      ])
    ).map(({ id }) => id);
    const { id } = (await globex.scim("POST", "/Groups", { displayName: "Everybody" })).body;
    const add = patch(...ids.map((value) => ({ op: "Add", path: "members", value: [{ value }] })));
    expect((await globex.scim("PATCH", `/Groups/${id}`, add)).status).toBe(204);
    expect((await globex.scim("GET", `/Groups/${id}`)).body.members).toHaveLength(1_000);
    const { items } = (await globex.own("GET", "/directory/groups")).body;
    expect(items.find(({ name }: { name: string }) => name === "Everybody")).toMatchObject({
      members: 1_000,
      role: null,
    });
  });
});

/** The handlers behind a real server, for what only a connection shows. */
async function overHttp(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const { cookie = "" } = request.headers;
    const answer = await web.open("GET", request.url ?? "/", { cookie, signal: gone.signal });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
