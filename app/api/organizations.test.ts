/**
 * People in several organizations: the organization of a session, and the effects of the end of a membership.
 */
import { beforeAll, describe, expect, test, vi } from "vitest";
import { addMember } from "@/lib/people/members/member-writes.ts";
import { COMMAND_LINE } from "@/lib/people/organizations/organization-writes.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";
import { patiently } from "../../test/setup/patience.ts";

const web = webForFile();
let acme: string;
let globex: string;
let made = 0;

beforeAll(async () => {
  acme = await web.organization("acme");
  globex = await web.organization("globex");
});

const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);

/** A person who is an owner of Acme and an approver at Globex. */
async function commuter() {
  const ana = await web.member(acme, `Ana${++made}`, "owner");
  const [{ email }] = await sql(`SELECT email FROM "user" WHERE id = $1`, [ana.userId]);
  const person = { email, name: "Ana", role: "approver" as const };
  await web.db.withOrganization(globex, (tx) => addMember(tx, COMMAND_LINE, person));
  return ana;
}

const choose = (cookie: string, organizationId: string) =>
  web.call("PUT", "/api/v1/me/organization", { cookie, body: { organizationId } });
const me = (cookie: string, headers = {}) => web.call("GET", "/api/v1/me", { cookie, headers });
const drawnFor = (id: string) => ({ "x-intray-organization": id });

describe("a person of two organizations", () => {
  test("sees both, each with the role there; a key sees its own", async () => {
    const ana = await commuter();
    const answer = await web.call("GET", "/api/v1/organizations", { cookie: ana.cookie });
    const open = { refusal: null, providers: [] };
    expect(answer.body.items).toEqual([
      { id: acme, slug: "acme", name: "acme", role: "owner", ...open },
      { id: globex, slug: "globex", name: "globex", role: "approver", ...open },
    ]);
    const key = await web.key(globex, "viewer");
    const own = await web.call("GET", "/api/v1/organizations", { key });
    expect(own.body.items).toEqual([{ id: globex, slug: "globex", name: "globex", role: "viewer", ...open }]);
  });

  test("works in the one that was chosen, in that session alone, with the role there", async () => {
    const ana = await commuter();
    const other = await web.signIn(ana.userId);
    expect((await choose(ana.cookie, globex)).status).toBe(204);
    expect((await me(ana.cookie)).body).toMatchObject({ organization: { id: globex }, role: "approver" });
    expect((await me(other)).body).toMatchObject({ organization: { id: acme }, role: "owner" });
    expect((await web.call("GET", "/api/v1/members", { cookie: ana.cookie })).status).toBe(403);
  });

  test("chooses none where they are no member, and an API key chooses none at all", async () => {
    const ben = await web.member(acme, `Ben${++made}`, "owner");
    const answers = [
      await choose(ben.cookie, globex),
      await choose(ben.cookie, "01890000-0000-7000-8000-000000000000"),
    ];
    expect(answers.map(({ status, body }) => [status, body.code, body.detail])).toEqual(
      answers.map(() => [404, "not_found", "There is no such organization, or you may not see it."]),
    );
    const key = await web.key(acme, "owner");
    const body = { organizationId: globex };
    expect((await web.call("PUT", "/api/v1/me/organization", { key, body })).status).toBe(403);
  });

  test("acts in none by a page that was drawn for another", async () => {
    const ana = await commuter();
    const server = await insertServer(web.db, globex);
    const { id, questionHash } = await insertRequest(
      web.db,
      globex,
      await insertTask(web.db, globex, server),
    );
    await choose(ana.cookie, globex);
    const stale = { cookie: ana.cookie, headers: drawnFor(acme) };
    const answers = [
      await web.call("GET", "/api/v1/input-requests", stale),
      await web.call("GET", "/api/v1/me", stale),
      await web.call("POST", `/api/v1/input-requests/${id}/answer`, {
        ...stale,
        body: { action: "decline", questionHash },
      }),
      await web.call("PATCH", "/api/v1/organization", { ...stale, body: { name: "Taken" } }),
    ];
    for (const { status, body } of answers)
      expect([status, body.code]).toEqual([409, "organization_changed"]);
    expect(await sql("SELECT name FROM organization WHERE name = 'Taken'")).toEqual([]);
    expect(await sql("SELECT state FROM input_request WHERE id = $1", [id])).toEqual([{ state: "open" }]);
    expect((await me(ana.cookie, drawnFor(globex))).status).toBe(200);
  });
});

describe("the end of a membership", () => {
  test("leaves the session its other organization, and tells the page that was open", async () => {
    const ana = await commuter();
    const [{ id }] = await sql("SELECT id FROM membership WHERE user_id = $1 AND organization_id = $2", [
      ana.userId,
      globex,
    ]);
    await choose(ana.cookie, globex);
    const owner = await web.key(globex, "owner");
    expect((await web.call("DELETE", `/api/v1/members/${id}`, { key: owner })).status).toBe(204);
    expect((await me(ana.cookie)).body).toMatchObject({ organization: { id: acme }, role: "owner" });
    expect((await me(ana.cookie, drawnFor(globex))).body.code).toBe("organization_changed");
  });

  test("ends the event stream at once", async () => {
    const cleo = await web.member(globex, `Cleo${++made}`, "viewer");
    const dan = await web.member(globex, `Dan${made}`, "viewer");
    const key = await web.key(globex, "owner");
    const serverId = crypto.randomUUID();
    const streams = await Promise.all([cleo, dan].map(({ cookie }) => listen(cookie)));
    // The web's own connection for hints may still be opening: it is there once something is heard.
    await patiently(async () => {
      await sql("SELECT pg_notify('intray_change', $1)", [
        JSON.stringify({ o: globex, c: [["server", serverId]] }),
      ]);
      for (const stream of streams) expect(stream.text).toContain(serverId);
    });
    await web.call("DELETE", `/api/v1/members/${cleo.memberId}`, { key });
    // The stream's regular check would come only after 30 s.
    await vi.waitFor(() => expect(streams[0]?.ended).toBe(true), { timeout: 25_000 });
    expect(streams[1]?.ended).toBe(false);
    for (const stream of streams) stream.leave();
  });

  test("frees what waited for the person, ends their keys for good, and keeps what they decided", async () => {
    const eve = await web.member(globex, `Eve${++made}`, "admin");
    const key = await web.key(globex, "owner");
    const server = await insertServer(web.db, globex);
    const decided = await insertRequest(web.db, globex, await insertTask(web.db, globex, server));
    const waiting = await insertRequest(web.db, globex, await insertTask(web.db, globex, server));
    const call = (method: "POST" | "GET" | "DELETE", path: string, body?: object) =>
      web.call(method, `/api/v1${path}`, { cookie: eve.cookie, body });
    const declined = { action: "decline", questionHash: decided.questionHash };
    expect((await call("POST", `/input-requests/${decided.id}/answer`, declined)).status).toBe(202);
    await call("POST", `/input-requests/${waiting.id}/assign`, { memberId: eve.memberId });
    await call("POST", `/input-requests/${waiting.id}/claim`);
    const hers = (await call("POST", "/api-keys", { name: "hers", role: "admin" })).body.secret;
    expect((await call("DELETE", "/me/membership")).status).toBe(204);
    const left = await web.call("GET", `/api/v1/input-requests/${waiting.id}`, { key });
    expect(left.body).toMatchObject({ assignedTo: null, claimedBy: null, state: "open" });
    const kept = await web.call("GET", `/api/v1/input-requests/${decided.id}`, { key });
    expect(kept.body.answer.by).toMatchObject({ id: eve.userId, kind: "member" });
    const [line] = await sql("SELECT type FROM event WHERE organization_id = $1 ORDER BY seq DESC LIMIT 1", [
      globex,
    ]);
    expect(line.type).toBe("member.left");

    const [{ email }] = await sql(`SELECT email FROM "user" WHERE id = $1`, [eve.userId]);
    const back = { email, name: "Eve", role: "admin" as const };
    await web.db.withOrganization(globex, (tx) => addMember(tx, COMMAND_LINE, back));
    expect((await me(eve.cookie)).status).toBe(200);
    expect((await web.call("GET", "/api/v1/me", { key: hers })).status).toBe(401);
  });

  test("is not the last owner's to have, not even when two leave at once", async () => {
    const organization = await web.organization(`last-${++made}`);
    const one = await web.member(organization, "One", "owner");
    const two = await web.member(organization, "Two", "owner");
    const leave = (cookie: string) => web.call("DELETE", "/api/v1/me/membership", { cookie });
    const answers = await Promise.all([leave(one.cookie), leave(two.cookie)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 409]);
    expect(await sql("SELECT role FROM membership WHERE organization_id = $1", [organization])).toEqual([
      { role: "owner" },
    ]);
    const key = await web.key(organization, "owner");
    expect((await web.call("DELETE", "/api/v1/me/membership", { key })).status).toBe(403);
  });

  test("and of two owners who make each other less at once, one stays an owner", async () => {
    const organization = await web.organization(`less-${++made}`);
    const one = await web.member(organization, "One", "owner");
    const two = await web.member(organization, "Two", "owner");
    const demote = (by: string, memberId: string) =>
      web.call("PATCH", `/api/v1/members/${memberId}`, { cookie: by, body: { role: "viewer" } });
    const answers = await Promise.all([demote(one.cookie, two.memberId), demote(two.cookie, one.memberId)]);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    const owners = await sql("SELECT 1 FROM membership WHERE organization_id = $1 AND role = 'owner'", [
      organization,
    ]);
    expect(owners).toHaveLength(1);
  });
});

test("members are found by part of a name or an address", async () => {
  const organization = await web.organization(`search-${++made}`);
  for (const name of ["Ana", "Bettina", "Cleo"]) await web.member(organization, name, "viewer");
  const key = await web.key(organization, "admin");
  const find = async (q: string) =>
    (await web.call("GET", `/api/v1/members?q=${q}`, { key })).body.items.map(
      (item: { name: string }) => item.name,
    );
  expect(await find("tin")).toEqual(["Bettina"]);
  expect(await find("cleo-")).toEqual(["Cleo"]);
  expect(await find("%25")).toEqual([]);
});

async function listen(cookie: string) {
  const abort = new AbortController();
  const { GET } = await import("@/app/api/v1/stream/route.ts");
  const request = new Request("http://localhost:3000/api/v1/stream", {
    headers: { cookie },
    signal: abort.signal,
  });
  const response = await GET(request, { params: Promise.resolve({}) });
  const stream = { text: "", ended: false, leave: () => abort.abort() };
  void (async () => {
    for await (const chunk of response.body ?? []) stream.text += new TextDecoder().decode(chunk);
    stream.ended = true;
  })();
  return stream;
}
