import { expect, test } from "vitest";
import { insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();

const PATH = "/api/v1/onboarding";

async function fixture(slug: string) {
  const id = await web.organization(slug);
  const { cookie } = await web.member(id, "Dana", "owner");
  const read = async () => (await web.call("GET", PATH, { cookie })).body;
  const skip = (step: string, skipped: boolean) =>
    web.call("PATCH", PATH, { cookie, body: { step, skipped } });
  return { id, cookie, read, skip };
}

test("a step is done by doing it, and in one's own organization", async () => {
  const acme = await fixture("acme");
  const globex = await fixture("globex");
  expect(await acme.read()).toEqual({ agent: "open", server: "open", task: "open", invitation: "open" });

  const server = await insertServer(web.db, acme.id, { url: "http://127.0.0.1:9/mcp" });
  // The server was registered, and nobody has called it yet.
  await web.db.withOrganization(
    acme.id,
    (tx) => tx.$executeRaw`UPDATE server SET tools = NULL, health_checked_at = now()`,
  );
  expect(await acme.read()).toEqual({ agent: "open", server: "open", task: "open", invitation: "open" });
  await web.db.withOrganization(acme.id, (tx) => tx.$executeRaw`UPDATE server SET tools = '[]'`);
  expect(await acme.read()).toEqual({ agent: "open", server: "done", task: "open", invitation: "open" });

  await insertTask(web.db, acme.id, server, { state: "working" });
  expect(await acme.read()).toEqual({ agent: "open", server: "done", task: "done", invitation: "open" });

  const body = { email: "olga@acme.example", role: "operator" };
  expect((await web.call("POST", "/api/v1/invitations", { cookie: acme.cookie, body })).status).toBe(201);
  expect(await acme.read()).toEqual({ agent: "open", server: "done", task: "done", invitation: "done" });
  expect(await globex.read()).toEqual({ agent: "open", server: "open", task: "open", invitation: "open" });

  const agent = await web.call("POST", "/api/v1/agent-credentials", {
    cookie: globex.cookie,
    body: { name: "Claude Code", role: "operator", grants: [] },
  });
  expect(agent.status).toBe(201);
  expect(await globex.read()).toEqual({ agent: "done", server: "open", task: "open", invitation: "open" });
  await web.member(globex.id, "Gus", "viewer");
  expect(await globex.read()).toMatchObject({ invitation: "done" });
});

test("a server that never answered, or was removed, does not count", async () => {
  const { id, read } = await fixture("initech");
  await insertServer(web.db, id, { url: "http://127.0.0.1:9/mcp" });
  const set = (sql: string) => web.db.withOrganization(id, (tx) => tx.$executeRawUnsafe(sql));
  await set("UPDATE server SET tools = '[]', health_checked_at = NULL");
  expect(await read()).toMatchObject({ server: "open" });
  await set("UPDATE server SET health_checked_at = now()");
  expect(await read()).toMatchObject({ server: "done" });
  await set("UPDATE server SET removed_at = now()");
  expect(await read()).toMatchObject({ server: "open" });
});

test("a step is skipped for everybody, taken up again, and done is done", async () => {
  const { id, read, skip } = await fixture("hooli");
  expect((await skip("task", true)).body).toEqual({
    agent: "open",
    server: "open",
    task: "skipped",
    invitation: "open",
  });
  await Promise.all([skip("server", true), skip("invitation", true), skip("task", true)]);
  const other = await web.member(id, "Olga", "admin");
  expect((await web.call("GET", PATH, { cookie: other.cookie })).body).toEqual({
    agent: "open",
    server: "skipped",
    task: "skipped",
    invitation: "done",
  });
  expect((await skip("agent", true)).body).toMatchObject({ agent: "skipped" });
  await skip("agent", false);
  await skip("task", false);
  expect(await read()).toEqual({ agent: "open", server: "skipped", task: "open", invitation: "done" });
});

test("only admins and owners read or skip steps, and only steps that there are", async () => {
  const id = await web.organization("umbrella");
  for (const role of ["viewer", "approver", "operator"] as const) {
    const { cookie } = await web.member(id, role, role);
    expect((await web.call("GET", PATH, { cookie })).status).toBe(403);
    const body = { step: "task", skipped: true };
    expect((await web.call("PATCH", PATH, { cookie, body })).status).toBe(403);
  }
  const { cookie } = await web.member(id, "Dana", "admin");
  for (const body of [
    {},
    { step: "everything", skipped: true },
    { step: "task" },
    { step: "task", skipped: 1 },
  ])
    expect((await web.call("PATCH", PATH, { cookie, body })).status).toBe(422);
});
