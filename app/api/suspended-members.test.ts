/** Suspending members and bringing them back, by the API. */
import pg from "pg";
import { beforeEach, expect, test } from "vitest";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { patiently } from "@/test/setup/patience.ts";
import { type TestWeb, webForFile } from "@/test/web.ts";

type Person = Awaited<ReturnType<TestWeb["member"]>>;
const web = webForFile();
let acme: string;
let ana: Person;
let ben: Person;
let made = 0;

beforeEach(async () => {
  acme = await web.organization(`acme-${++made}`);
  ana = await web.member(acme, "Ana", "owner");
  ben = await web.member(acme, "Ben", "approver");
});

const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);
const act = (by: { cookie?: string; key?: string }, { memberId }: Person, what: "suspend" | "reinstate") =>
  web.call("POST", `/api/v1/members/${memberId}/${what}`, {
    ...(by.cookie && { cookie: by.cookie }),
    ...(by.key && { key: by.key }),
  });
const listed = async (query: string) =>
  (await web.call("GET", `/api/v1/members?${query}`, { cookie: ana.cookie })).body.items as {
    name: string;
    suspended: unknown;
    role: string;
  }[];
const emailOf = async ({ userId }: Person) =>
  (await sql(`SELECT email FROM "user" WHERE id = $1`, [userId]))[0].email as string;

test("a suspended member is out, listed with who suspended them, and back with the role and the history", async () => {
  const boss = await web.member(acme, "Bea", "admin");
  const { body: key } = await web.call("POST", "/api/v1/api-keys", {
    cookie: boss.cookie,
    body: { name: "k", role: "viewer" },
  });
  const server = await insertServer(web.db, acme);
  const { id } = await insertRequest(web.db, acme, await insertTask(web.db, acme, server), {
    assignee: boss.userId,
  });
  const suspended = await act(ana, boss, "suspend");
  expect([suspended.status, suspended.body.suspended]).toEqual([
    200,
    { at: expect.any(String), by: "Ana", cause: "admin" },
  ]);
  expect((await web.call("GET", "/api/v1/me", { cookie: boss.cookie })).status).toBe(401);
  expect((await web.call("GET", "/api/v1/me", { key: key.secret })).status).toBe(401);
  expect((await sql("SELECT assignee_user_id FROM input_request WHERE id = $1", [id]))[0]).toEqual({
    assignee_user_id: null,
  });
  expect((await listed("limit=200")).map(({ name }) => name)).toEqual(["Ana", "Ben"]);
  expect((await listed("state=suspended")).map(({ name, role }) => [name, role])).toEqual([["Bea", "admin"]]);
  expect(await listed("state=suspended&q=nobody")).toEqual([]);

  const back = await act(ana, boss, "reinstate");
  expect([back.status, back.body.role, back.body.suspended]).toEqual([200, "admin", null]);
  expect((await web.call("GET", "/api/v1/me", { key: key.secret })).status).toBe(401);
  expect((await web.call("GET", "/api/v1/me", { cookie: await web.signIn(boss.userId) })).status).toBe(200);
  const { items } = (await web.call("GET", "/api/v1/events?type=member.suspended", { cookie: ana.cookie }))
    .body;
  expect(items[0].data).toMatchObject({ name: "Bea", role: "admin", cause: "admin" });
  expect((await web.call("GET", "/api/v1/events/verify", { cookie: ana.cookie })).body.ok).toBe(true);
});

test("the last owner and oneself are not suspended, an owner by an owner alone, and again by nobody", async () => {
  const boss = await web.member(acme, "Bea", "admin");
  expect((await act(ana, ana, "suspend")).body.code).toMatch(/forbidden|last_owner/);
  expect((await act(boss, ana, "suspend")).status).toBe(403);
  expect((await act(boss, boss, "suspend")).status).toBe(403);
  expect((await act({ key: await web.key(acme, "owner") }, ana, "suspend")).body.code).toBe("last_owner");
  const otto = await web.member(acme, "Otto", "owner");
  expect((await act(ana, otto, "suspend")).status).toBe(200);
  expect((await act(boss, otto, "reinstate")).status).toBe(403);
  expect((await act(ana, otto, "suspend")).status).toBe(404);
  expect((await act(ana, otto, "reinstate")).status).toBe(200);
  expect((await act(ana, otto, "reinstate")).status).toBe(404);
  for (const role of ["viewer", "operator"] as const) {
    const { cookie } = await web.member(acme, `R${role}`, role);
    expect((await act({ cookie }, ben, "suspend")).status).toBe(403);
  }
});

test("an invitation of theirs is refused to the inviter and revoked where it was open", async () => {
  const email = await emailOf(ben);
  await act(ana, ben, "suspend");
  const invite = () =>
    web.call("POST", "/api/v1/invitations", { cookie: ana.cookie, body: { email, role: "viewer" } });
  const refused = await invite();
  expect([refused.status, refused.body.code]).toEqual([409, "suspended"]);
  expect(refused.body.detail).toContain("Reinstate");

  const cleo = await web.member(acme, "Cleo", "viewer");
  await sql(
    `INSERT INTO invitation (organization_id, id, email, role, token_hash, invited_by, expires_at)
      VALUES ($1, gen_random_uuid(), $2, 'admin', sha256('x'), $3, now() + interval '1 day')`,
    [acme, await emailOf(cleo), ana.userId],
  );
  await act(ana, cleo, "suspend");
  expect((await web.call("GET", "/api/v1/invitations", { cookie: ana.cookie })).body.items).toEqual([]);
  expect(
    (await web.call("GET", "/api/v1/events?type=invitation.revoked", { cookie: ana.cookie })).body.items,
  ).toHaveLength(1);
});

test("a suspended member can be removed for good, and is exported", async () => {
  await act(ana, ben, "suspend");
  const response = await web.open("GET", "/api/v1/organization/export", { cookie: ana.cookie });
  const lines = (await response.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.find(({ kind }) => kind === "suspended_member")).toMatchObject({
    name: "Ben",
    role: "approver",
    cause: "admin",
  });
  const remove = () => web.call("DELETE", `/api/v1/members/${ben.memberId}`, { cookie: ana.cookie });
  expect((await remove()).status).toBe(204);
  expect((await remove()).status).toBe(404);
  expect(await listed("state=suspended")).toEqual([]);
  expect((await act(ana, ben, "reinstate")).status).toBe(404);
  const invited = await web.call("POST", "/api/v1/invitations", {
    cookie: ana.cookie,
    body: { email: await emailOf(ben), role: "viewer" },
  });
  expect(invited.status).toBe(201);
});

test("an open stream of theirs ends", async () => {
  const { GET } = await import("@/app/api/v1/stream/route.ts");
  const request = new Request("http://localhost:3000/api/v1/stream", { headers: { cookie: ben.cookie } });
  const response = await GET(request, { params: Promise.resolve({}) });
  expect(response.status).toBe(200);
  let ended = false;
  const reading = (async () => {
    for await (const _ of response.body ?? []);
    ended = true;
  })();
  // The connection that listens may still be opening: what changes before it does is looked at by and by.
  await patiently(async () => {
    await act(ana, ben, "suspend");
    await act(ana, ben, "reinstate");
    expect(ended).toBe(true);
  });
  await reading;
});

test("a session that has not shown lately that it is its person suspends and reinstates nobody", async () => {
  await sql("UPDATE session SET factor_at = now() - interval '1 hour' WHERE user_id = $1", [ana.userId]);
  for (const what of ["suspend", "reinstate"] as const)
    expect((await act(ana, ben, what)).body.code).toBe("step_up_required");
});

test("whoever is suspended everywhere signs in to nothing, and is told no more than that", async () => {
  await act(ana, ben, "suspend");
  const cookie = await web.signIn(ben.userId);
  expect((await web.call("GET", "/api/v1/me", { cookie })).status).toBe(401);
  expect((await web.call("GET", "/api/v1/organizations", { cookie })).status).toBe(401);
});

test("members whose address nobody has proved are marked", async () => {
  await sql(`UPDATE "user" SET proven_at = NULL WHERE id = $1`, [ben.userId]);
  const { items } = (await web.call("GET", "/api/v1/members", { cookie: ana.cookie })).body;
  expect(items.map(({ name, proven }: { name: string; proven: boolean }) => [name, proven])).toEqual([
    ["Ana", true],
    ["Ben", false],
  ]);
});

test.each([
  ["session", async () => ({ cookie: ben.cookie })],
  [
    "key",
    async () => {
      const body = { name: "k", role: "approver" };
      await web.call("PATCH", `/api/v1/members/${ben.memberId}`, {
        cookie: ana.cookie,
        body: { role: "admin" },
      });
      return {
        key: (await web.call("POST", "/api/v1/api-keys", { cookie: ben.cookie, body })).body.secret as string,
      };
    },
  ],
] as [string, () => Promise<{ cookie?: string; key?: string }>][])(
  "an answer by their %s that is under way when they are suspended comes before it, or is none",
  async (_by, make) => {
    const credential = await make();
    const server = await insertServer(web.db, acme);
    const { id, questionHash } = await insertRequest(web.db, acme, await insertTask(web.db, acme, server));
    const client = new pg.Client({ connectionString: web.database.adminUrl });
    await client.connect();
    try {
      await client.query("BEGIN");
      await client.query("SELECT FROM input_request WHERE id = $1 FOR UPDATE", [id]);
      const answering = web.call("POST", `/api/v1/input-requests/${id}/answer`, {
        ...credential,
        body: { action: "decline", questionHash },
      });
      // Until it waits for the request, by who it was when it came.
      await patiently(async () => {
        const [{ waits }] = await sql(
          "SELECT count(*)::integer AS waits FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'",
          [new URL(web.database.adminUrl).pathname.slice(1)],
        );
        expect(waits).toBe(1);
      });
      const suspending = act(ana, ben, "suspend");
      await Promise.race([suspending, new Promise((resolve) => setTimeout(resolve, 300))]);
      await client.query("COMMIT");
      const [answered, suspended] = await Promise.all([answering, suspending]);
      expect(suspended.status).toBe(200);
      const lines = await sql(
        "SELECT type FROM event WHERE organization_id = $1 AND type IN ('answer.recorded', 'member.suspended') ORDER BY seq",
        [acme],
      );
      // Either before the suspension, which waits for it, or not at all.
      expect([202, 401]).toContain(answered.status);
      expect(lines.at(-1)).toEqual({ type: "member.suspended" });
    } finally {
      await client.end();
    }
  },
);
