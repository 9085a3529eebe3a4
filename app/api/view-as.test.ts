/**
 * "What Ben can see": an admin's session looks at lists as a member would. It reads lists and nothing else,
 * never writes, never in another organization, and ends by itself.
 */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Role } from "@/lib/access/roles.ts";
import { within } from "@/lib/web/tenant.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { type Names, type Reply, send } from "@/test/guards/caller.ts";
import { startDescribedWeb } from "@/test/guards/described.ts";
import { picture } from "@/test/guards/digest.ts";
import type { Operation } from "@/test/guards/operations.ts";
import { createTenantFixture, type TenantFixture } from "@/test/guards/tenant-fixture.ts";
import { sharedNames, walkUnchanged } from "@/test/guards/walk.ts";
import { tokenOf } from "@/test/web.ts";

/** Calls that a view may make. Any other is refused, also one that is added later. */
const ALLOWED = [
  "DELETE /api/v1/me/view-as",
  "GET /api/v1/input-requests",
  "GET /api/v1/input-requests/counts",
  "GET /api/v1/input-requests/{id}",
  "GET /api/v1/input-requests/{id}/comments",
  "GET /api/v1/input-requests/{id}/similar",
  "GET /api/v1/stream",
  "GET /api/v1/tasks",
  "GET /api/v1/tasks/counts",
  "GET /api/v1/tasks/{id}",
  "GET /api/v1/tasks/{id}/events",
  "GET /api/v1/tasks/{id}/phases",
  "GET /api/v1/tasks/failures",
  "GET /api/v1/tasks/total",
  "POST /api/v1/page-failures",
];

const { web, operations } = await startDescribedWeb();
let root: pg.Client;
let acme: TenantFixture;

beforeAll(async () => {
  acme = await createTenantFixture(web, "acme-viewed");
  root = new pg.Client({ connectionString: web.database.adminUrl });
  await root.connect();
});
afterAll(async () => {
  await root.end();
  await web.stop();
});

const begin = (who: { cookie?: string; key?: string }, memberId: string) =>
  web.call("POST", `/api/v1/members/${memberId}/view-as`, who);
const end = (who: { cookie: string }) => web.call("DELETE", "/api/v1/me/view-as", who);
const get = (path: string, who: { cookie: string }) => web.call("GET", `/api/v1${path}`, who);
/** A new session of the role's person that looks as another. */
const viewing = async (role: Role, as: Role) => {
  const who = { cookie: await web.signIn(acme.people[role].userId) };
  expect((await begin(who, acme.people[as].memberId)).status).toBe(200);
  return who;
};
const events = async (organizationId: string) =>
  (
    await web.db.withOrganization(organizationId, (tx) =>
      tx.event.findMany({
        where: { organizationId, type: { startsWith: "member.view" } },
        orderBy: { seq: "asc" },
        select: { type: true, actor: true, data: true },
      }),
    )
  ).map(({ type, actor, data }) => [
    type,
    (actor as { id: string }).id,
    (data as { userId?: string }).userId,
  ]);

describe("in a view", () => {
  const guarded = operations.filter(({ access }) => access !== "none");
  const refused = guarded.filter(({ name }) => !ALLOWED.includes(name));
  let who: { cookie: string };
  beforeAll(async () => {
    who = await viewing("owner", "operator");
  });

  test("no other call is allowed than those that are known: of those that are no GET, one ends the view and one writes a line of the log", () => {
    expect(
      guarded
        .map(({ name }) => name)
        .filter((name) => ALLOWED.includes(name))
        .sort(),
    ).toEqual([...ALLOWED].sort());
    expect(ALLOWED.filter((name) => !name.startsWith("GET "))).toEqual([
      "DELETE /api/v1/me/view-as",
      "POST /api/v1/page-failures",
    ]);
  });

  test("every other call is refused, and changes nothing", () =>
    expectAllUnchanging(refused, (reply) => {
      expect([reply.status, reply.code], reply.text).toEqual([403, "view_only"]);
      expect(reply.text).not.toContain(acme.canary);
    }));

  test("every read of those that are allowed is answered, and changes nothing", () =>
    expectAllUnchanging(
      guarded.filter(({ name, method }) => method === "GET" && ALLOWED.includes(name)),
      (reply) => expect(reply.status, reply.text).toBe(200),
    ));

  function expectAllUnchanging(calls: Operation[], judge: (reply: Reply) => void): Promise<void> {
    return walkUnchanged<Operation, Names>(calls, {
      prepare: sharedNames((operation) => acme.things("owner", operation)),
      take: async (operation, names) => judge(await send(web, operation, who, names)),
      look: () => picture(root),
    });
  }

  test("the database refuses a write that the route would let through", async () => {
    const { authenticate } = await import("@/lib/web/auth/authenticate.ts");
    const request = new Request("http://localhost:3000/", { headers: { cookie: who.cookie } });
    const caller = await authenticate(request);
    expect(caller?.principal).toMatchObject({ isView: true, userId: acme.people.operator.userId });
    await expect(
      within(caller!, (tx) =>
        tx.organization.updateMany({ where: { id: tx.organizationId }, data: { name: "Changed" } }),
      ),
    ).rejects.toThrow(/read-only transaction/);
    // The connection goes back to the pool whole: the next transaction writes.
    expect((await end(who)).status).toBe(204);
  });
});

describe("what is seen", () => {
  test("are the member's lists, without what is private: tasks, drafts, what is assigned there", async () => {
    const organizationId = await web.organization("seen");
    const ana = await web.member(organizationId, "Ana", "admin");
    const ben = await web.member(organizationId, "Ben", "approver");
    const server = await insertServer(web.db, organizationId);
    const open = await insertRequest(
      web.db,
      organizationId,
      await insertTask(web.db, organizationId, server),
      {
        assignee: ben.userId,
      },
    );
    const secret = await insertTask(web.db, organizationId, server, {
      visibility: "private",
      requester: ben.userId,
    });
    const hidden = await insertRequest(web.db, organizationId, secret, { assignee: ben.userId });
    const draft = await web.call("PUT", `/api/v1/input-requests/${open.id}/draft`, {
      cookie: ben.cookie,
      body: { content: {}, comment: "Only for me" },
    });
    expect(draft.status).toBe(204);
    expect((await get("/input-requests/counts", ben)).body).toMatchObject({ mine: 2, unassigned: 0, all: 2 });

    expect((await begin(ana, ben.memberId)).body).toMatchObject({ name: "Ben", userId: ben.userId });
    expect((await get("/input-requests/counts", ana)).body).toMatchObject({ mine: 1, unassigned: 0, all: 1 });
    const mine = await get("/input-requests?assignee=me", ana);
    expect(mine.body.items.map(({ id }: { id: string }) => id)).toEqual([open.id]);
    expect((await get(`/input-requests/${open.id}`, ana)).body).toMatchObject({
      draft: null,
      seenBecause: "assigned",
    });
    for (const path of [`/input-requests/${hidden.id}`, `/tasks/${secret}`])
      expect((await get(path, ana)).status).toBe(404);
    expect((await get("/tasks", ana)).body.items).toHaveLength(1);

    // A page of another view, or of none, gets nothing of this one.
    const header = (value: string) => ({ cookie: ana.cookie, headers: { "x-intray-organization": value } });
    const asked = async (value: string) =>
      (await web.call("GET", "/api/v1/tasks", header(value))).body.code ?? "answered";
    expect(await asked(organizationId)).toBe("organization_changed");
    expect(await asked(`${organizationId} as ${ana.userId}`)).toBe("organization_changed");
    expect(await asked(`${organizationId} as ${ben.userId}`)).toBe("answered");

    await end(ana);
    expect(await asked(`${organizationId} as ${ben.userId}`)).toBe("organization_changed");
    expect((await get("/input-requests/counts", ana)).body).toMatchObject({ mine: 0 });
    expect(await events(organizationId)).toEqual([
      ["member.view_begun", ana.userId, ben.userId],
      ["member.view_ended", ana.userId, ben.userId],
    ]);
  });
});

describe("a view", () => {
  test("is begun by admins in a browser alone, of others of their organization, up to their own role", async () => {
    const globex = await createTenantFixture(web, "globex-viewed");
    const { people, keys } = acme;
    const status = async (who: { cookie?: string; key?: string }, of: { memberId: string }) =>
      (await begin(who, of.memberId)).status;
    for (const role of ["viewer", "approver", "operator"] as const)
      expect([role, await status(people[role], people.viewer)]).toEqual([role, 403]);
    expect(await status({ key: keys.owner }, people.viewer)).toBe(403);
    expect(await status(people.admin, people.admin)).toBe(403);
    expect(await status(people.admin, people.owner)).toBe(403);
    expect(await status(people.admin, globex.people.viewer)).toBe(404);
    expect(await status(people.owner, people.admin)).toBe(200);
    expect((await end(people.owner)).status).toBe(204);
  });

  test("ends by itself, with the session, with the admin's role and with the membership", async () => {
    const own = async (who: { cookie: string }) => (await get("/me", who)).status === 200;
    const over = await viewing("admin", "approver");
    expect(await own(over)).toBe(false);
    await root.query(
      "UPDATE session SET viewing_until = now() - interval '1 second' WHERE viewing_until IS NOT NULL",
    );
    expect(await own(over)).toBe(true);

    const demoted = await viewing("admin", "approver");
    const { memberId } = acme.people.admin;
    const role = (to: Role) => root.query("UPDATE membership SET role = $1 WHERE id = $2", [to, memberId]);
    await role("operator");
    expect(await own(demoted)).toBe(true);
    await role("admin");

    const gone = await web.member(acme.organizationId, "Gone", "approver");
    const left = { cookie: await web.signIn(acme.people.admin.userId) };
    await begin(left, gone.memberId);
    expect(await own(left)).toBe(false);
    await web.call("DELETE", `/api/v1/members/${gone.memberId}`, { cookie: acme.people.owner.cookie });
    expect(await own(left)).toBe(true);

    // Another session of the same admin never was in it, and a new sign-in is in none.
    const here = await viewing("admin", "approver");
    expect(await own(acme.people.admin)).toBe(true);
    const { closeSession } = await import("@/lib/web/auth/sessions.ts");
    const { cookieOf, secretIn, sessionCookieName } = await import("@/lib/web/auth/session-cookie.ts");
    const request = new Request("http://localhost:3000/", { headers: { cookie: here.cookie } });
    await closeSession((await secretIn(cookieOf(request, sessionCookieName())!))!);
    expect((await get("/tasks", here)).status).toBe(401);
    expect(await own({ cookie: await web.signIn(acme.people.admin.userId) })).toBe(true);
  });

  test("is ended and noted in its own organization, while it lasts", async () => {
    const [first, second] = [await web.organization("end-here"), await web.organization("end-there")];
    const ana = await web.member(first, "Ana", "owner");
    const ben = await web.member(first, "Ben", "viewer");
    await root.query(
      "INSERT INTO membership (organization_id, id, user_id, role) VALUES ($1, $2, $3, 'owner')",
      [second, crypto.randomUUID(), ana.userId],
    );
    await begin(ana, ben.memberId);
    await root.query("UPDATE session SET chosen_organization = $1 WHERE user_id = $2", [second, ana.userId]);
    expect((await end(ana)).status).toBe(204);
    expect(await events(second)).toEqual([]);
    await root.query("UPDATE session SET chosen_organization = $1 WHERE user_id = $2", [first, ana.userId]);
    await root.query("UPDATE session SET viewing_until = now() - interval '1 second' WHERE user_id = $1", [
      ana.userId,
    ]);
    expect((await end(ana)).status).toBe(204);
    expect((await events(first)).map(([type]) => type)).toEqual(["member.view_begun"]);
  });

  test("joins no organization, though that call takes the session of anybody", async () => {
    const [here, there] = [await web.organization("joins-here"), await web.organization("joins-there")];
    const ana = await web.member(here, "Ana", "owner");
    const ben = await web.member(here, "Ben", "viewer");
    const gil = await web.member(there, "Gil", "owner");
    const invitation = await web.call("POST", "/api/v1/invitations", {
      cookie: gil.cookie,
      body: { email: `ana-${here}@test.example`, role: "viewer" },
    });
    expect(invitation.status).toBe(201);
    const token = tokenOf(invitation.body.url);
    const join = () => web.call("POST", "/api/join", { cookie: ana.cookie, body: { token } });
    await begin(ana, ben.memberId);
    const before = await picture(root);
    const reply = await join();
    expect([reply.status, reply.body.code]).toEqual([403, "view_only"]);
    expect(await picture(root)).toEqual(before);
    await end(ana);
    expect((await join()).status).toBe(204);
  });

  test("two ends at once are one line of history", async () => {
    const organizationId = await web.organization("ends");
    const ana = await web.member(organizationId, "Ana", "owner");
    const ben = await web.member(organizationId, "Ben", "viewer");
    await begin(ana, ben.memberId);
    const replies = await Promise.all([end(ana), end(ana)]);
    expect(replies.map(({ status }) => status)).toEqual([204, 204]);
    expect((await events(organizationId)).map(([type]) => type)).toEqual([
      "member.view_begun",
      "member.view_ended",
    ]);
  });
});
