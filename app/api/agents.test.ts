/**
 * Agents: their credentials, what they are granted, and who is behind them. What `/mcp` does with it stands in its own tests;
 * here agents come as `authenticateAgent` takes them.
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { Principal } from "@/lib/access/principal.ts";
import type { Role } from "@/lib/access/roles.ts";
import type { GrantedTool } from "@/lib/agents/grants.ts";
import { createDatabase } from "@/lib/base/db/db.ts";
import { queueRetry } from "@/lib/lifecycle/retry-task.ts";
import type { AgentCaller } from "@/lib/web/auth/agent.ts";
import { withClient } from "@/scripts/database/roles.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

interface Person {
  userId: string;
  memberId: string;
  cookie: string;
}

const web = webForFile();
let acme: string;
let server: { id: string; connectionId: string };
let ana: Person;
let ada: Person;
let made = 0;

const DIGEST = expect.stringMatching(/^[0-9a-f]{64}$/);
const tool = (name: string, more: object = {}) => ({
  name,
  title: null,
  description: `Does ${name}`,
  inputSchema: { type: "object", properties: {} },
  taskSupport: "optional",
  annotations: null,
  honoursIdempotencyKey: false,
  ...more,
});

beforeEach(async () => {
  acme = await web.organization(`acme-${++made}`);
  server = await insertServer(web.db, acme, { tools: [tool("pay"), tool("refund")] });
  ana = await web.member(acme, "Ana", "owner");
  ada = await web.member(acme, "Ada", "admin");
});

const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);
const create = (body: object = {}, who: object = { cookie: ada.cookie }) =>
  web.call("POST", "/api/v1/agent-credentials", { ...who, body: { name: "Coder", ...body } });
const change = (id: string, body: object) =>
  web.call("PATCH", `/api/v1/agent-credentials/${id}`, { cookie: ada.cookie, body });
const read = async (id: string) =>
  (await web.call("GET", `/api/v1/agent-credentials/${id}`, { cookie: ada.cookie })).body;
const revoke = (id: string) => web.call("DELETE", `/api/v1/agent-credentials/${id}`, { cookie: ada.cookie });
const rotate = (id: string, body: object = {}) =>
  web.call("POST", `/api/v1/agent-credentials/${id}/rotate`, { cookie: ada.cookie, body });
const all = () => ({ serverId: server.id });

/** Comes as an agent; a refusal is its code. */
async function come(secret: string): Promise<AgentCaller | null | string> {
  const { authenticateAgent } = await import("@/lib/web/auth/agent.ts");
  const headers = { authorization: `Bearer ${secret}`, "x-forwarded-for": "203.0.113.9" };
  try {
    return await authenticateAgent(new Request("http://localhost:3000/mcp", { method: "POST", headers }));
  } catch (error) {
    return (error as { code: string }).code;
  }
}
async function principalOf(secret: string): Promise<Principal> {
  const caller = await come(secret);
  if (caller === null || typeof caller === "string") throw new Error(`refused: ${caller}`);
  return caller.principal;
}
async function granted(agentId: string): Promise<GrantedTool[]> {
  const { grantedTools } = await import("@/lib/agents/grants.ts");
  return web.db.withOrganization(acme, (tx) => grantedTools(tx, agentId));
}
const names = async (agentId: string) => (await granted(agentId)).map(({ name }) => name);
const list = (tools: object[], serverId = server.id) =>
  sql("UPDATE server SET tools = $2, tools_checked_at = clock_timestamp() WHERE id = $1", [
    serverId,
    JSON.stringify(tools),
  ]);
const role = (person: Person, to: Role) =>
  sql("UPDATE membership SET role = $2 WHERE id = $1", [person.memberId, to]);

/** Signs an agent in as Ada. */
async function signIn() {
  const { signInAgent } = await import("@/lib/agents/agent-writes.ts");
  const member: Principal & { userId: string } = {
    organizationId: acme,
    userId: ada.userId,
    role: "admin",
    actor: { kind: "member", id: ada.userId, name: "Ada" },
  };
  return web.db.withOrganization(acme, (tx) =>
    signInAgent(tx, member, { oauthClientId: "client-1", name: "Claude Code" }),
  );
}

/** Starts a task as an agent, as `/mcp` does. */
async function start(principal: Principal, name = "pay"): Promise<string> {
  const { startTask } = await import("@/lib/lifecycle/start.ts");
  const { services } = await import("@/lib/web/tenant.ts");
  const { task } = await startTask(await services(), principal, {
    serverId: server.id,
    tool: name,
    arguments: {},
    ttlMs: null,
    idempotencyKey: null,
    restartOf: null,
  });
  return task.id;
}

/** A task that an agent started, in a later state. */
const startedBefore = (agent: string, state: string) =>
  insertTask(web.db, acme, server, { state, tool: "pay", agent, createdAt: new Date() });

describe("an agent's secret", () => {
  test("is shown once, opens /mcp, and the API says that it is not for it", async () => {
    const { status, body } = await create({ grants: [all()], holdMs: 10_000 });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "Coder", role: "operator", holdMs: 10_000, askAgentToo: false });
    expect(body.grants).toEqual([
      {
        serverId: server.id,
        serverName: "Finance",
        tool: null,
        before: null,
        askAgentToo: null,
        changed: [],
      },
    ]);
    expect(body.secret).toMatch(/^ita_[\w-]{43}$/);
    expect(JSON.stringify(await read(body.id))).not.toContain(body.secret);
    const { rows } = await withClient(web.database.adminUrl, (client) =>
      client.query("SELECT * FROM agent_credential"),
    );
    expect(JSON.stringify(rows)).not.toContain(body.secret.slice(4));

    expect(await come(body.secret)).toMatchObject({
      principal: {
        organizationId: acme,
        userId: null,
        role: "operator",
        actor: { kind: "agent", id: body.id, name: "Coder" },
      },
      agent: { id: body.id, name: "Coder", holdMs: 10_000, askAgentToo: false, userId: null },
    });
    const refused = await web.call("GET", "/api/v1/tasks", { key: body.secret });
    expect(refused.status).toBe(401);
    expect(refused.body).toMatchObject({ code: "unauthenticated", detail: expect.stringContaining("/mcp") });
  });

  test("is what /mcp takes: a member's own session is nobody there", async () => {
    const { authenticateAgent } = await import("@/lib/web/auth/agent.ts");
    const asked = new Request("http://localhost:3000/mcp", {
      method: "POST",
      headers: { cookie: ada.cookie },
    });
    expect(await authenticateAgent(asked)).toBeNull();
    expect((await web.call("GET", "/api/v1/me", { cookie: ada.cookie })).status).toBe(200);
  });

  test("is nobody's once it was revoked, and nothing was ever by another", async () => {
    const { body } = await create();
    expect(await come(`${body.secret}x`)).toBeNull();
    expect(await come("ita_")).toBeNull();
    expect(await come("itk_whatever")).toBeNull();
    expect((await revoke(body.id)).status).toBe(204);
    expect(await come(body.secret)).toBeNull();
    expect((await revoke(body.id)).status).toBe(404);
    expect((await change(body.id, { name: "Again" })).status).toBe(404);
    const types = await sql(
      "SELECT type FROM event WHERE organization_id = $1 AND type LIKE 'agent.%' ORDER BY seq",
      [acme],
    );
    expect(types.map(({ type }) => type)).toEqual(["agent.created", "agent.revoked"]);
  });

  test("is replaced by its maker: the old one is refused at once, and the agent stays", async () => {
    const { body } = await create({ grants: [all()], expires: 7 });
    await sql("UPDATE agent_credential SET calls = 4 WHERE id = $1", [body.id]);
    const made = await rotate(body.id);
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ id: body.id, name: "Coder", calls: 4, grants: body.grants });
    expect(made.body.secret).toMatch(/^ita_[\w-]{43}$/);
    expect(Math.round((Date.parse(made.body.expiresAt) - Date.now()) / 86_400_000)).toBe(90);
    expect(await come(body.secret)).toBeNull();
    expect(await come(made.body.secret)).toMatchObject({ agent: { id: body.id } });
    const [line] = await sql(
      "SELECT actor, data FROM event WHERE organization_id = $1 AND type = 'agent.rotated'",
      [acme],
    );
    expect(line).toMatchObject({ actor: { name: "Ada" }, data: { agentId: body.id, name: "Coder" } });
    expect(JSON.stringify(line)).not.toContain(made.body.secret);
    // Of two at once one secret is in force.
    const both = await Promise.all([rotate(body.id), rotate(body.id)]);
    const taken = await Promise.all(both.map(async ({ body: each }) => (await come(each.secret)) !== null));
    expect(taken.toSorted()).toEqual([false, true]);
  });

  test("is replaced by nobody else: not by another admin, a key, or for who signs in or was revoked", async () => {
    const { body } = await create();
    const by = (who: object, id = body.id) =>
      web.call("POST", `/api/v1/agent-credentials/${id}/rotate`, { ...who, body: {} });
    expect((await by({ cookie: ana.cookie })).body.code).toBe("forbidden");
    expect((await by({ key: await web.key(acme, "owner") })).body.code).toBe("forbidden");
    expect(await come(body.secret)).toMatchObject({ agent: { id: body.id } });
    const signedIn = await signIn();
    expect((await by({ cookie: ada.cookie }, signedIn.id)).body.code).toBe("forbidden");
    await revoke(body.id);
    expect((await rotate(body.id)).status).toBe(404);
    expect((await rotate(body.id, { expires: "never" })).status).toBe(404);
  });

  test("ends as an API key does", async () => {
    const { body } = await create();
    const days = (Date.parse(body.expiresAt) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    expect((await create({ expires: "never" })).status).toBe(422);
    await sql("UPDATE agent_credential SET expires_at = now() - interval '1 second' WHERE id = $1", [
      body.id,
    ]);
    expect(await come(body.secret)).toBe("key_expired");
    expect(await read(body.id)).toMatchObject({ state: "expired" });
  });

  test("works from the organization's networks alone", async () => {
    const { body } = await create();
    await sql("UPDATE organization SET networks = '{198.51.100.0/24}' WHERE id = $1", [acme]);
    expect(await come(body.secret)).toBe("address_not_allowed_for_organization");
    const [line] = await sql("SELECT actor FROM event WHERE type = 'organization.address_refused'");
    expect(line).toEqual({ actor: { kind: "agent", id: body.id, name: "Coder" } });
    await sql("UPDATE organization SET networks = '{203.0.113.0/24}' WHERE id = $1", [acme]);
    expect(await come(body.secret)).toMatchObject({ agent: { id: body.id } });
  });

  test("notes when the agent was there, and what its client calls itself", async () => {
    const { countAgentCall, noteAgentUse } = await import("@/lib/web/auth/agent-use.ts");
    const { body } = await create();
    expect(await read(body.id)).toMatchObject({
      client: null,
      firstSeenAt: null,
      lastSeenAt: null,
      calls: 0,
    });
    await come(body.secret);
    const seen = await read(body.id);
    expect(seen).toMatchObject({ client: null, calls: 0, lastSeenNetwork: "203.0.113.0/24" });
    expect(seen.firstSeenAt).not.toBeNull();
    countAgentCall(acme, body.id);
    countAgentCall(acme, body.id);
    await noteAgentUse(acme, body.id, {
      client: { name: "claude\u0000-code".padEnd(200, "x"), version: "2.1" },
    });
    const introduced = await read(body.id);
    expect(introduced).toMatchObject({ calls: 2, client: { version: "2.1" } });
    expect(introduced.client.name).toHaveLength(100);
    expect(introduced.client.name).toMatch(/^claude.-code/);
    await noteAgentUse(acme, body.id);
    expect(await read(body.id)).toEqual(introduced);
  });
});

describe("who is behind an agent", () => {
  test("bounds its role, and takes it along", async () => {
    const { body } = await create();
    await role(ada, "viewer");
    expect(await principalOf(body.secret)).toMatchObject({ role: "viewer" });
    await web.call("POST", `/api/v1/members/${ada.memberId}/suspend`, { cookie: ana.cookie });
    expect(await come(body.secret)).toBeNull();
    // Nor when the same person comes back.
    await web.call("POST", `/api/v1/members/${ada.memberId}/reinstate`, { cookie: ana.cookie });
    expect(await come(body.secret)).toBeNull();
  });

  test("loses it with the membership, also where that ends past the transitions of this version", async () => {
    const { body } = await create();
    await sql("DELETE FROM membership WHERE id = $1", [ada.memberId]);
    const [row] = await sql("SELECT revoked_at FROM agent_credential WHERE id = $1", [body.id]);
    expect(row?.revoked_at).toBeInstanceOf(Date);
  });

  test("has it rest while the sign-in provider has signed them out", async () => {
    const { body } = await create();
    await sql("INSERT INTO sign_in_policy (organization_id, providers) VALUES ($1, '{corp}')", [acme]);
    await sql("INSERT INTO provider_absence (user_id, provider) VALUES ($1, 'corp')", [ada.userId]);
    expect(await come(body.secret)).toBe("key_rests");
  });

  test("is a member, no service account, and no key that has less", async () => {
    const keyOf = async (body: object) =>
      (
        await web.call("POST", "/api/v1/api-keys", {
          cookie: ada.cookie,
          body: { name: "k", role: "admin", ...body },
        })
      ).body.secret;
    expect((await create({}, { key: await keyOf({}) })).status).toBe(201);
    expect((await create({ expires: 365 }, { key: await keyOf({}) })).status).toBe(403);
    expect((await create({}, { key: await keyOf({ permissions: ["agents:manage"] }) })).status).toBe(403);
    const near = {
      key: await keyOf({ networks: ["198.51.100.0/24"] }),
      headers: { "x-forwarded-for": "198.51.100.9" },
    };
    expect((await create({}, near)).body).toMatchObject({ code: "forbidden" });
    const narrow = { key: await keyOf({ permissions: ["agents:manage"] }) };
    const { body: agent } = await create();
    const widen = (who: object) =>
      web.call("PATCH", `/api/v1/agent-credentials/${agent.id}`, { ...who, body: { grants: [all()] } });
    expect([await widen(narrow), await widen(near)]).toMatchObject([{ status: 403 }, { status: 403 }]);
    expect((await read(agent.id)).grants).toEqual([]);
    expect((await widen({ key: await keyOf({}) })).status).toBe(200);
    const account = await web.call("POST", "/api/v1/service-accounts", {
      cookie: ana.cookie,
      body: { name: "Bot", role: "admin", ownerId: ada.memberId },
    });
    expect((await create({}, { key: await keyOf({ serviceAccountId: account.body.id }) })).status).toBe(403);
  });

  test("counts as who asked, where a second person is required", async () => {
    const ben = await web.member(acme, "Ben", "approver");
    await sql("UPDATE organization SET four_eyes = true WHERE id = $1", [acme]);
    const { body } = await create({ grants: [all()] });
    const taskId = await start(await principalOf(body.secret));
    const { id, questionHash } = await insertRequest(web.db, acme, taskId);
    const accept = (cookie: string) =>
      web.call("POST", `/api/v1/input-requests/${id}/answer`, {
        cookie,
        body: { action: "accept", content: {}, questionHash },
      });
    expect(await accept(ada.cookie)).toMatchObject({ status: 403, body: { code: "four_eyes" } });
    // The member who made it has left since: the agent's questions stay theirs.
    await sql("UPDATE agent_credential SET created_by = $2 WHERE id = $1", [body.id, ben.userId]);
    expect(await accept(ben.cookie)).toMatchObject({ status: 403, body: { code: "four_eyes" } });
    expect((await accept(ana.cookie)).status).toBe(202);
  });
});

describe("an agent", () => {
  test("sees what it started, and nothing else", async () => {
    const [one, other] = [(await create({ grants: [all()] })).body, (await create({ grants: [all()] })).body];
    const [first, second] = [await principalOf(one.secret), await principalOf(other.secret)];
    const taskId = await start(first);
    const foreign = await start(second);
    const { readTask } = await import("@/lib/tasks/task-reads.ts");
    const { listTasks } = await import("@/lib/tasks/task-list-reads.ts");
    const within = <T>(
      work: (tx: Parameters<Parameters<typeof web.db.withOrganization>[1]>[0]) => Promise<T>,
    ) => web.db.withOrganization(acme, work);
    expect(await within((tx) => readTask(tx, first, taskId))).toMatchObject({
      id: taskId,
      requestedBy: { kind: "agent", id: one.id },
    });
    await expect(within((tx) => readTask(tx, first, foreign))).rejects.toMatchObject({
      code: "not_found",
    });
    const page = await within((tx) => listTasks(tx, first, { limit: 50 } as never));
    expect(page.items.map(({ id }) => id)).toEqual([taskId]);
    expect(await read(one.id)).toMatchObject({ openTasks: 1, waitingTasks: 0 });
    await startedBefore(one.id, "input_required");
    await startedBefore(one.id, "completed");
    expect(await read(one.id)).toMatchObject({ openTasks: 2, waitingTasks: 1 });
    // Everybody sees it on screen, by the agent's name, and finds it by the agent.
    const found = await web.call("GET", `/api/v1/tasks?requester=${one.id}`, { cookie: ana.cookie });
    expect(found.body.items).toHaveLength(3);
    expect(found.body.items.at(-1)).toMatchObject({
      id: taskId,
      requestedBy: { kind: "agent", name: "Coder" },
    });
  });

  test("answers nothing, whatever its role", async () => {
    const { body } = await create({ grants: [all()] });
    const principal = await principalOf(body.secret);
    const taskId = await start(principal);
    const { id, questionHash } = await insertRequest(web.db, acme, taskId);
    const { recordDecision } = await import("@/lib/requests/answers/answer-writes.ts");
    await expect(
      web.db.withOrganization(acme, (tx) =>
        recordDecision(tx, { ...principal, role: "owner" }, id, {
          action: "accept",
          content: {},
          questionHash,
        } as never),
      ),
    ).rejects.toMatchObject({ code: "forbidden" });
  });

  test("that was signed in acts as its member, and sees no more than it started", async () => {
    const { agentById } = await import("@/lib/web/auth/agent.ts");
    const [first, again] = [await signIn(), await signIn()];
    expect([first.created, again]).toEqual([true, { id: first.id, created: false }]);
    const caller = await agentById(acme, first.id, "203.0.113.9");
    expect(caller).toMatchObject({
      principal: { userId: ada.userId, role: "operator", actor: { kind: "agent", id: first.id } },
      agent: { userId: ada.userId, oauthClientId: "client-1" },
    });
    await change(first.id, { grants: [all()] });
    const taskId = await start(caller!.principal);
    const [task] = await sql("SELECT agent_id, requester_user_id FROM task WHERE id = $1", [taskId]);
    expect(task).toEqual({ agent_id: first.id, requester_user_id: ada.userId });
    expect(await read(first.id)).toMatchObject({ member: { name: "Ada" }, expiresAt: null, openTasks: 1 });
    // It is not asked to look at a changed tool, as its member would be.
    await list([tool("pay", { description: "Pays twice" })]);
    await start(caller!.principal);
    await revoke(first.id);
    expect(await agentById(acme, first.id, "203.0.113.9")).toBeNull();
    expect((await signIn()).created).toBe(true);
  });

  test("has its retries made while it may start tasks", async () => {
    const { body } = await create({ grants: [all()] });
    const taskId = await startedBefore(body.id, "failed");
    await sql("UPDATE task SET attempts = 3, retry_backoff_ms = 1000 WHERE id = $1", [taskId]);
    const engine = createDatabase(web.database.engineUrl, { connections: 1 });
    const retry = () => engine.withOrganization(acme, (tx) => queueRetry(tx, taskId));
    try {
      await revoke(body.id);
      expect(await retry()).toEqual([]);
      await sql("UPDATE agent_credential SET revoked_at = NULL WHERE id = $1", [body.id]);
      await role(ada, "approver");
      expect(await retry()).toEqual([]);
      await role(ada, "operator");
      expect(await retry()).toHaveLength(2);
      const copies = await sql("SELECT agent_id FROM task WHERE retry_of = $1", [taskId]);
      expect(copies).toEqual([{ agent_id: body.id }]);
    } finally {
      await engine.close();
    }
  });
});

describe("what an agent may call", () => {
  test("is nothing, a tool, or a server's tools, under names that clients take", async () => {
    const bank = await insertServer(web.db, acme, {
      name: "Bank of Ångström",
      tools: [tool("get/balance v2")],
    });
    const { body } = await create({ grants: [{ serverId: server.id, tool: "pay" }, { serverId: bank.id }] });
    expect(await names((await create()).body.id)).toEqual([]);
    const offered = await granted(body.id);
    expect(offered.map(({ name }) => name)).toEqual([
      "finance__pay",
      expect.stringMatching(/^bank-of-angstrom__get_balance_v2_[0-9a-f]{6}$/),
    ]);
    expect(offered[0]).toMatchObject({
      serverId: server.id,
      serverName: "Finance",
      tool: { name: "pay", description: "Does pay" },
      before: null,
      askAgentToo: false,
      changed: false,
    });
    await list([tool("pay"), tool("refund"), tool("n".repeat(80)), tool("n".repeat(81))]);
    await change(body.id, { grants: [all()] });
    const long = await names(body.id);
    expect(new Set(long).size).toBe(4);
    for (const name of long) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  test("keeps its name whatever else is granted, comes or goes", async () => {
    const twin = await insertServer(web.db, acme, { name: "FINANCE!", tools: [tool("pay")] });
    const { body } = await create({ grants: [{ serverId: twin.id }] });
    expect(await names(body.id)).toEqual(["finance__pay"]);
    await change(body.id, { grants: [{ serverId: twin.id }, all()] });
    const both = [
      expect.stringMatching(/^finance-[0-9a-f]{6}__pay$/),
      expect.stringMatching(/__refund$/),
      "finance__pay",
    ];
    expect(await names(body.id)).toEqual(both);
    // Renamed, so that their slugs are the other way round.
    await sql(
      "UPDATE server SET name = CASE id WHEN $1 THEN 'Finance' ELSE 'FINANCE 2' END WHERE organization_id = $2",
      [server.id, acme],
    );
    expect(await names(body.id)).toEqual(both);
    await sql("UPDATE server SET removed_at = now() WHERE id = $1", [server.id]);
    expect(await names(body.id)).toEqual(["finance__pay"]);
    // Nobody gets the name of one that is gone.
    await sql("UPDATE server SET removed_at = now() WHERE id = $1", [twin.id]);
    const next = await insertServer(web.db, acme, { name: "Finance", tools: [tool("pay")] });
    await change(body.id, { grants: [{ serverId: next.id }] });
    expect(await names(body.id)).toEqual([expect.stringMatching(/^finance-[0-9a-f]{6}__pay$/)]);
  });

  test("goes by the grant of the tool before that of its server", async () => {
    const { body } = await create({
      askAgentToo: true,
      grants: [all(), { serverId: server.id, tool: "pay", before: "ask", askAgentToo: false }],
    });
    const brief = (await granted(body.id)).map(({ tool, before, askAgentToo }) => [
      tool.name,
      before,
      askAgentToo,
    ]);
    expect(brief).toEqual([
      ["pay", "ask", false],
      ["refund", null, true],
    ]);
  });

  test("falls back to asking where a tool is not as it was granted, until somebody who has seen it says so", async () => {
    const { body } = await create({ grants: [all()] });
    const asks = async () =>
      (await granted(body.id)).filter(({ changed }) => changed).map(({ tool }) => tool.name);
    expect(await asks()).toEqual([]);
    await list([tool("pay", { description: "Pays everything" }), tool("refund"), tool("wipe")]);
    expect(await asks()).toEqual(["pay", "wipe"]);
    const [{ changed }] = (await read(body.id)).grants;
    expect(changed).toEqual([
      { tool: "pay", digest: DIGEST, grantedDigest: DIGEST, isNew: false },
      { tool: "wipe", digest: DIGEST, grantedDigest: null, isNew: true },
    ]);
    // Granting the same again, with something else, lets no change pass unseen.
    await change(body.id, { grants: [{ ...all(), before: "allow" }] });
    expect(await asks()).toEqual(["pay", "wipe"]);
    // Nor does what was seen of a version before.
    await list([tool("pay", { description: "Pays everything twice" }), tool("refund"), tool("wipe")]);
    await change(body.id, {
      grants: [{ ...all(), accept: changed.map(({ digest }: { digest: string }) => digest) }],
    });
    expect(await asks()).toEqual(["pay"]);
    const [{ changed: left }] = (await read(body.id)).grants;
    await change(body.id, { grants: [{ ...all(), accept: [left[0].digest] }] });
    expect(await asks()).toEqual([]);
    // Back as it was: that is a change again.
    await list([tool("pay"), tool("refund"), tool("wipe")]);
    expect(await asks()).toEqual(["pay"]);
  });

  test("stays as it was granted where the grant is narrowed or widened", async () => {
    const asks = async (id: string) =>
      (await granted(id)).filter(({ changed }) => changed).map(({ tool }) => tool.name);
    const one = (name: string, more: object = {}) => ({ serverId: server.id, tool: name, ...more });
    const { body: narrowed } = await create({ grants: [all()] });
    const { body: widened } = await create({ grants: [one("pay")] });
    const { body: split } = await create({ grants: [all(), one("pay")] });
    await list([tool("pay", { description: "Pays everything" }), tool("refund"), tool("wipe")]);

    await change(narrowed.id, { grants: [one("pay"), one("wipe")] });
    expect(await asks(narrowed.id)).toEqual(["pay", "wipe"]);
    await change(narrowed.id, { grants: [all()] });
    expect(await asks(narrowed.id)).toEqual(["pay", "wipe"]);

    await change(split.id, { grants: [all()] });
    expect(await asks(split.id)).toEqual(["pay", "wipe"]);

    // What it did not have before is granted as it is now.
    await change(widened.id, { grants: [all()] });
    expect(await asks(widened.id)).toEqual(["pay"]);
    const [{ changed }] = (await read(widened.id)).grants;
    await change(widened.id, { grants: [one("pay", { accept: [changed[0].digest] })] });
    expect(await asks(widened.id)).toEqual([]);

    // Nor is it forgotten while the server does not list it.
    const { body: gone } = await create({ grants: [one("refund")] });
    await list([tool("pay")]);
    await change(gone.id, { grants: [all()] });
    await list([tool("pay"), tool("refund", { description: "Refunds everything" })]);
    expect(await asks(gone.id)).toEqual(["refund"]);
  });

  test("is what a server lists first, where it had listed nothing yet", async () => {
    const fresh = await insertServer(web.db, acme, { name: "Fresh" });
    const { body } = await create({ grants: [{ serverId: fresh.id, tool: "pay" }] });
    expect(await names(body.id)).toEqual([]);
    await list([tool("pay")], fresh.id);
    expect((await granted(body.id)).map(({ changed }) => changed)).toEqual([false]);
    await list([tool("pay", { description: "Another" })], fresh.id);
    expect((await granted(body.id)).map(({ changed }) => changed)).toEqual([true]);
  });

  test("is what a server lists first, not what it says when the agent comes", async ({ onTestFinished }) => {
    const { recordTools } = await import("@/lib/servers/tool-changes.ts");
    const fresh = await insertServer(web.db, acme, { name: "Fresh" });
    // The engine looks at servers too.
    const engine = createDatabase(web.database.engineUrl);
    onTestFinished(() => engine.close());
    const first = async (tools: object[]) => {
      await list(tools, fresh.id);
      await engine.withOrganization(acme, (tx) => recordTools(tx, fresh.id, tools as never));
    };
    const { body: single } = await create({ grants: [{ serverId: fresh.id, tool: "pay" }] });
    const { body: whole } = await create({ grants: [{ serverId: fresh.id }] });
    const { body: other } = await create({ grants: [all()] });
    await first([tool("pay"), tool("refund")]);
    await first([tool("pay", { description: "Another" }), tool("refund"), tool("wipe")]);
    const asks = async (id: string) =>
      (await granted(id)).filter(({ changed }) => changed).map(({ tool }) => tool.name);
    expect(await asks(single.id)).toEqual(["pay"]);
    expect(await asks(whole.id)).toEqual(["pay", "wipe"]);
    expect(await asks(other.id)).toEqual([]);
  });

  test("is kept as it was granted, however often the tool changes since, so that an admin sees what changed", async () => {
    const { recordTools } = await import("@/lib/servers/tool-changes.ts");
    const says = async (pays: number) => {
      const tools = [tool("pay", { description: `Pays ${pays}` })];
      await list(tools);
      await web.db.withOrganization(acme, (tx) => recordTools(tx, server.id, tools as never));
    };
    await says(0);
    const { body } = await create({ grants: [all()] });
    for (let pays = 1; pays <= 24; pays++) await says(pays);
    const versions = async (query: string) =>
      (
        await web.call("GET", `/api/v1/servers/${server.id}/tool-versions?tool=pay${query}`, {
          cookie: ada.cookie,
        })
      ).body.items.map(({ description }: { description: string }) => description);
    const [{ changed }] = (await read(body.id)).grants;
    expect(await versions(`&digest=${changed[0].grantedDigest}`)).toEqual(["Pays 0"]);
    expect(await versions(`&digest=${changed[0].digest}`)).toEqual(["Pays 24"]);
    // Of those that nobody was granted or used, the oldest are not.
    const kept = await versions("");
    expect([kept.includes("Pays 1"), kept.includes("Pays 23")]).toEqual([false, true]);
  });

  test("is refused where it is not there, or is named twice", async () => {
    const errors = async (grants: object[]) => (await create({ grants })).body.errors;
    expect(await errors([{ serverId: server.id, tool: "fly" }])).toEqual([
      { field: "grants.0.tool", message: "The server has no such tool" },
    ]);
    expect(await errors([all(), all()])).toEqual([{ field: "grants.1", message: "This is granted twice" }]);
    const other = await web.organization(`other-${made}`);
    const foreign = await insertServer(web.db, other, { tools: [tool("pay")] });
    expect(await errors([{ serverId: foreign.id }])).toEqual([
      { field: "grants.0.serverId", message: "There is no such server" },
    ]);
    expect((await create({ holdMs: 210_001 })).status).toBe(422);
    expect((await create({ role: "admin" })).status).toBe(422);
  });
});
