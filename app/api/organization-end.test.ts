/** The export of an organization's data, and its deletion. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase, type Database, storable } from "@/lib/base/db/db.ts";
import { uuidv7 } from "@/lib/base/ids.ts";
import { addMember } from "@/lib/people/members/member-writes.ts";
import { deleteWhenDue } from "@/lib/people/organizations/delete.ts";
import { PARTS } from "@/lib/people/organizations/exported-columns.ts";
import { COMMAND_LINE } from "@/lib/people/organizations/organization-writes.ts";
import { setQuota } from "@/lib/people/organizations/quota.ts";
import { ANY_SIGN_IN } from "@/lib/people/organizations/sign-in/sign-in-schema.ts";
import { insertRecipe, insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { LEFT_OUT } from "@/test/guards/left-out-columns.ts";
import { IDP_CERTIFICATE } from "@/test/saml/certificate.ts";
import { webForFile } from "@/test/web.ts";

const CANARY = "canary-that-nobody-may-see";

const web = webForFile();
let engine: Database;
let tenantTables: string[];

beforeAll(async () => {
  engine = createDatabase(web.database.engineUrl, { connections: 4 });
  const tables = await sql(`SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'organization_id' ORDER BY 1`);
  tenantTables = tables.map((row) => row.name);
});
afterAll(async () => {
  await engine.close();
});

const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);

/** An organization with at least one row in every table, and no open task. */
async function furnished(slug: string) {
  const id = await web.organization(slug);
  const owner = await web.member(id, "Olga", "owner");
  const viewer = await web.member(id, "Vic", "viewer");
  const call = (method: "POST" | "PUT", path: string, body: object) =>
    web.call(method, `/api/v1${path}`, { cookie: owner.cookie, body });
  await call("POST", "/api-keys", { name: "key", role: "viewer" });
  const bot = { name: "Bot", role: "viewer", ownerId: owner.memberId };
  const { body: account } = await call("POST", "/service-accounts", bot);
  await call("POST", "/api-keys", { name: "bot's", role: "viewer", serviceAccountId: account.id });
  await call("POST", "/invitations", { email: `guest@${slug}.example`, role: "viewer" });
  await web.call("PATCH", "/api/v1/organization", { cookie: owner.cookie, body: { fourEyes: true } });
  await web.call("PATCH", "/api/v1/organization", { cookie: owner.cookie, body: { fourEyes: false } });
  await web.db.withOrganization(id, (tx) => setQuota(tx, { openTasks: 100 }));
  await call("PUT", "/organization/sign-in", { ...ANY_SIGN_IN, sessionMs: 3600_000 });
  await call("POST", "/organization/domains", { domain: `${slug}.example` });
  await call("POST", "/views", { page: "inbox", name: "Mine", query: {} });
  const server = await insertServer(web.db, id, { tools: [{ name: "pay" }] });
  await insertRecipe(web.db, id, server.id, "Pay");
  const { body: agent } = await call("POST", "/agent-credentials", { name: "Coder" });
  await web.db.withOrganization(id, (tx) =>
    tx.agentGrant.create({
      data: {
        organizationId: id,
        id: uuidv7(),
        agentId: agent.id,
        serverId: server.id,
        digests: { pay: "0" },
      },
    }),
  );
  await sql(
    `INSERT INTO agent_sign_in (organization_id, id, agent_id, client_id, session_id)
      SELECT $1, $2, $3, 'client', s.id FROM session s WHERE s.user_id = $4 LIMIT 1`,
    [id, uuidv7(), agent.id, owner.userId],
  );
  await sql(
    `INSERT INTO push_device (organization_id, id, user_id, session_id, sealed_subscription, endpoint_digest)
      SELECT $1, $2, $3, s.id, $4, sha256('an endpoint') FROM session s WHERE s.user_id = $3 LIMIT 1`,
    [id, uuidv7(), owner.userId, CANARY],
  );
  await sql(
    `INSERT INTO slack_app (organization_id, id, team_id, team_name, bot_name, client_id, sealed_client_secret, sealed_bot_token,
      sealed_signing_secret) VALUES ($1, $3, 'T1', 'Team', 'intray', '1.2', $2, $2, $2)`,
    [id, CANARY, uuidv7()],
  );
  await sql(
    `INSERT INTO slack_account (organization_id, user_id, slack_user_id, slack_name) VALUES ($1, $2, 'U1', 'Ola')`,
    [id, owner.userId],
  );
  await sql(
    `INSERT INTO slack_message (organization_id, id, user_id, matter, is_request, digest) VALUES ($1, $2, $3, $2, false, $4)`,
    [id, uuidv7(), owner.userId, CANARY],
  );
  await sql(
    `INSERT INTO slack_press (organization_id, id, trigger_digest, slack_user_id, sealed_press)
      VALUES ($1, $2, sha256('a trigger'), 'U1', $3)`,
    [id, uuidv7(), CANARY],
  );
  await sql(
    `INSERT INTO teams_app (organization_id, id, app_id, tenant_id, sealed_client_secret) VALUES ($1, $3, 'app', 'tenant', $2)`,
    [id, CANARY, uuidv7()],
  );
  await sql(`INSERT INTO teams_account (organization_id, user_id, oid, name) VALUES ($1, $2, 'oid', 'Ola')`, [
    id,
    owner.userId,
  ]);
  await sql(
    `INSERT INTO teams_conversation (organization_id, oid, conversation, service_url) VALUES ($1, 'oid', $2, $2)`,
    [id, CANARY],
  );
  await sql(
    `INSERT INTO teams_message (organization_id, id, user_id, matter, is_request, digest) VALUES ($1, $2, $3, $2, false, $4)`,
    [id, uuidv7(), owner.userId, CANARY],
  );
  await sql(
    `INSERT INTO teams_press (organization_id, id, activity_digest, oid, sealed_press)
      VALUES ($1, $2, sha256('an activity'), 'oid', $3)`,
    [id, uuidv7(), CANARY],
  );
  const task = await insertTask(web.db, id, server, { arguments: { note: "two\nlines", big: 12 } });
  await sql(
    `INSERT INTO agent_call (organization_id, task_id, agent_id, name, digest)
      VALUES ($1, $2, $3, 'erp__pay', sha256('a call'))`,
    [id, task, agent.id],
  );
  await sql(
    `INSERT INTO call_rule_version (organization_id, version, rules, made_by) VALUES ($1, 1, '[]', '{}')`,
    [id],
  );
  await sql(
    `INSERT INTO policy_version (organization_id, version, policy, people, made_by) VALUES ($1, 1, '{}', '{}', '{}')`,
    [id],
  );
  await sql(
    `INSERT INTO policy_proposal (organization_id, id, base_version, policy, people, proposed_by, proposer)
      VALUES ($1, $2, 1, '{}', '{}', '{}', $1)`,
    [id, uuidv7()],
  );
  await sql("INSERT INTO automatic_switch (organization_id) VALUES ($1)", [id]);
  const group = uuidv7();
  await sql(
    `INSERT INTO organization_group (organization_id, id, name, changed_by) VALUES ($1, $2, 'Finance', '{}')`,
    [id, group],
  );
  await sql(
    `INSERT INTO organization_group_member (organization_id, group_id, member_id) VALUES ($1, $2, $3)`,
    [id, group, viewer.memberId],
  );
  await sql(
    `INSERT INTO away (organization_id, user_id, starts_at, ends_at, delegate, set_by)
      VALUES ($1, $2, now(), now() + interval '1 day', $3, $2)`,
    [id, owner.userId, viewer.userId],
  );
  await sql(
    `INSERT INTO working_calendar (organization_id, version, changed_at, changed_by) VALUES ($1, 1, now(), '{}')`,
    [id],
  );
  await sql(
    `INSERT INTO aap_instance (organization_id, id, made_by, idempotency_key, request_digest)
      SELECT organization_id, id, '{}', 'once', sha256('a program') FROM api_key WHERE organization_id = $1 LIMIT 1`,
    [id],
  );
  const [answered, open] = [await insertRequest(web.db, id, task), await insertRequest(web.db, id, task)];
  await call("PUT", `/input-requests/${open.id}/draft`, { content: {}, comment: "half" });
  await call("POST", `/input-requests/${open.id}/claim`, {});
  await call("POST", `/input-requests/${open.id}/comments`, { text: "Who is that?" });
  await call("PUT", `/input-requests/${open.id}/snooze`, { until: new Date(Date.now() + 3600_000) });
  await call("POST", `/input-requests/${answered.id}/answer`, {
    action: "decline",
    questionHash: answered.questionHash,
  });
  await web.db.withOrganization(id, async (tx) => {
    const of = { organizationId: id, taskId: task };
    await tx.taskWatch.create({ data: of });
    await tx.acknowledgement.create({ data: { ...of, userId: owner.userId, note: "Asked the bank" } });
    const its = { organizationId: id, inputRequestId: answered.id };
    await tx.approvalUse.create({ data: { ...its, usedBy: {} } });
    await tx.$executeRaw`INSERT INTO vote (organization_id, id, input_request_id, stage, question_hash, content_digest, action,
        rejects, person, cast_by, completes, answer_id)
      SELECT ${id}::uuid, ${uuidv7()}::uuid, ${answered.id}::uuid, 0, 'q', 'c', 'decline', true, ${owner.userId}::uuid, '{}', true, a.id
      FROM answer a WHERE a.input_request_id = ${answered.id}::uuid`;
    await tx.$executeRaw`INSERT INTO standing_approval (organization_id, id, answer_id, input_request_id, task_id, agent_id, server_id, tool,
        user_id, made_by, expires_at)
      SELECT ${id}::uuid, ${uuidv7()}::uuid, a.id, a.input_request_id, ${task}::uuid, ${uuidv7()}::uuid, ${server.id}::uuid, 't',
        ${owner.userId}::uuid, '{}', now() + interval '1 h'
      FROM answer a WHERE a.input_request_id = ${answered.id}::uuid`;
    await tx.$executeRaw`INSERT INTO automatic_decision (organization_id, input_request_id) VALUES (${id}::uuid, ${answered.id}::uuid)`;
    await tx.requestTimer.create({
      data: { ...its, kind: "expire", after: "1d", startsAt: new Date(), dueAt: new Date() },
    });
    const callback = { url: `https://ci.example/${CANARY}`, sealedSecret: CANARY };
    await tx.requestCallback.create({ data: { ...its, taskId: task, ...callback } });
    const ask = { ...of, id: uuidv7(), inputRequestId: answered.id, key: "k", sessionDigest: null };
    await tx.ask.create({ data: ask });
    const found = { id: uuidv7(), connectionId: server.connectionId, handleDigest: Buffer.from(CANARY) };
    await tx.foundTask.create({ data: { ...of, ...found, sealedHandle: CANARY, status: "working" } });
    const heard = { id: uuidv7(), connectionId: server.connectionId, sessionDigest: Buffer.from(CANARY) };
    const asked = { rpcId: 1, kind: "elicitation", params: { message: "Which task am I of?" } };
    await tx.streamMessage.create({ data: { organizationId: id, ...heard, ...asked } });
    const kept = { ...heard, id: uuidv7(), rpcId: 2, inputRequestId: answered.id };
    await tx.elicitationTask.create({ data: { ...of, ...kept } });
    await tx.protocolMessage.create({
      data: { ...of, direction: "out", method: "tools/call", body: storable({ a: 1 }) },
    });
    await tx.connection.updateMany({
      where: { organizationId: id },
      data: { sealedCredentials: CANARY, logTail: CANARY },
    });
    const raceId = uuidv7();
    await tx.race.create({ data: { organizationId: id, id: raceId, requestedBy: storable(owner.userId) } });
    await tx.task.updateMany({
      where: { organizationId: id },
      data: { raceId, sealedHandle: CANARY, sealedSession: CANARY },
    });
    const figure = { hours: 1, at: new Date(), serverId: server.id, measure: "started", amount: 1n };
    await tx.statistic.create({ data: { organizationId: id, ...figure } });
    const decided = { hours: 1, at: new Date(), rule: "All", stage: "", measure: "clock:1", amount: 1n };
    await tx.ruleStatistic.create({ data: { organizationId: id, ...decided } });
    const passed = { hours: 1, at: new Date(), way: "rule", amount: 1n };
    await tx.agentCallStatistic.create({ data: { organizationId: id, ...passed } });
    await tx.statisticSample.create({ data: { organizationId: id, sampledAt: new Date() } });
    await tx.$executeRaw`INSERT INTO change (organization_id, topic, entity_id) VALUES (${id}::uuid, 'task', ${task}::uuid)`;
  });
  const bulk = [id, uuidv7(), task];
  await sql(
    "INSERT INTO bulk_operation (organization_id, id, action, actor, items) VALUES ($1, $2, 'cancel', '{}', 1)",
    bulk.slice(0, 2),
  );
  await sql(
    "INSERT INTO bulk_item (organization_id, operation_id, position, task_id) VALUES ($1, $2, 0, $3)",
    bulk,
  );
  await oauthOf(id, server, owner.userId);
  await insertNotice(id, task, owner);
  await sql("INSERT INTO event_follower (organization_id, follower, seq) VALUES ($1, 'somebody', 1)", [id]);
  await sql("INSERT INTO organization_key (organization_id, kid, sealed_key) VALUES ($1, $1, 'none')", [id]);
  await sql("UPDATE organization_key SET retired_at = now() WHERE organization_id = $1", [id]);
  await sql(
    "INSERT INTO saml_maker (organization_id, user_id, maker, provider_id) VALUES ($1, $2, $3, gen_random_uuid())",
    [id, viewer.userId, owner.userId],
  );
  await sql("INSERT INTO content_sealing (organization_id, changed_by) VALUES ($1, '{}')", [id]);
  await healthOf(id, server.id);
  const away = await web.member(id, "Away", "viewer");
  const suspended = await web.call("POST", `/api/v1/members/${away.memberId}/suspend`, {
    cookie: owner.cookie,
  });
  expect(suspended.status).toBe(200);
  await directoryOf(id, slug, owner.cookie);
  return { id, slug, owner, viewer, task };
}

/** A connection with a finished sign-in, and a sign-in under way. */
async function oauthOf(
  id: string,
  server: { id: string; connectionId: string },
  userId: string,
): Promise<void> {
  const client = uuidv7();
  await sql(
    `INSERT INTO oauth_client (organization_id, id, server_id, issuer, client_id, sealed_secret, registered)
      VALUES ($1, $2, $3, 'https://as.example', 'intray', $4, 'dynamic')`,
    [id, client, server.id, CANARY],
  );
  await sql(
    `INSERT INTO oauth_flow (organization_id, id, state_hash, user_id, session_id, server_id, shared, oauth_client_id,
        sealed_verifier, issuer, metadata, resource, redirect_uri, expires_at)
      VALUES ($1, $2, $3, $4, $2, $5, true, $6, $7, 'https://as.example', '{}', 'https://mcp.example', 'x', now())`,
    [id, uuidv7(), Buffer.from(id), userId, server.id, client, CANARY],
  );
  await sql(
    `INSERT INTO oauth_grant (organization_id, connection_id, state, sealed_tokens, issuer, metadata, resource, client_id,
        renews, connected_by)
      VALUES ($1, $2, 'connected', $3, 'https://as.example', '{}', 'https://mcp.example', 'intray', true, $4)`,
    [id, server.connectionId, CANARY, userId],
  );
}

/** Counted calls, and a stored definition of a tool. */
async function healthOf(id: string, serverId: string): Promise<void> {
  await sql(
    `INSERT INTO server_stat (organization_id, server_id, minutes, at, calls, failures, latency)
      VALUES ($1, $2, 60, now(), 1, '{}', '{1}')`,
    [id, serverId],
  );
  await sql(
    `INSERT INTO server_tool_version (organization_id, server_id, tool, digest, described)
      VALUES ($1, $2, 'pay', 'x', '{}')`,
    [id, serverId],
  );
}

/** A directory with a group, a refused call, and somebody whom it suspended. */
async function directoryOf(id: string, slug: string, cookie: string): Promise<void> {
  const { body } = await web.call("POST", "/api/v1/directory/token", { cookie, body: {} });
  const scim = (method: "POST" | "DELETE", path: string, given?: object) =>
    web.call(method, `/api/scim/v2${path}`, { key: body.secret, ...(given && { body: given }) });
  const { memberId } = await web.member(id, `Gone ${slug}`, "viewer");
  await scim("POST", "/Groups", { displayName: "Group", members: [{ value: memberId }] });
  await scim("POST", "/Users", { userName: "no address" });
  const away = await web.member(id, `Away ${slug}`, "viewer");
  expect((await scim("DELETE", `/Users/${away.memberId}`)).status).toBe(204);
}

/** Notifications, mail and webhooks. */
async function insertNotice(
  id: string,
  taskId: string,
  { userId, cookie }: { userId: string; cookie: string },
) {
  const call = (method: "POST" | "PATCH", path: string, body: object) =>
    web.call(method, `/api/v1${path}`, { cookie, body });
  const digest = { days: "all", hour: 8, zone: "Europe/Vienna" };
  await call("PATCH", "/me/notifications", { kinds: { done: { app: true, email: true } }, digest });
  await call("POST", "/me/calendar-feed", {});
  const url = `https://hooks.test.example/${CANARY}`;
  const webhook = (await call("POST", "/webhooks", { url, events: ["task.completed"] })).body;
  await call("POST", `/webhooks/${webhook.id}/test`, {});
  await call("POST", "/audit-streams", { kind: "webhook", url });
  const idp = { entityId: "https://idp.test.example", ssoUrl: "https://idp.test.example/sso" };
  const saml = await call("POST", "/saml-providers", { name: "SSO", ...idp, certificates: IDP_CERTIFICATE });
  await sql(
    `INSERT INTO saml_request (organization_id, id, provider_id, browser_hash, purpose, callback)
      VALUES ($1, '_1', $2, '\\x01', 'sign_in', '/')`,
    [id, saml.body.id],
  );
  await sql(
    `INSERT INTO saml_response (organization_id, provider_id, assertion_id, ticket_hash, browser_hash, purpose, callback, claims)
      VALUES ($1, $2, '_2', sha256($3), '\\x01', 'sign_in', '/', '{}')`,
    [id, saml.body.id, Buffer.from(id)],
  );
  await web.db.withOrganization(id, async (tx) => {
    const of = { organizationId: id, userId };
    const mail = { ...of, id: uuidv7(), notBefore: new Date() };
    await tx.mail.create({ data: mail });
    const told = { kind: "done", cause: "task.completed", subject: taskId, taskId, inApp: true };
    await tx.notice.create({ data: { ...of, ...told, id: uuidv7(), mailId: mail.id } });
  });
}

type Furnished = Awaited<ReturnType<typeof furnished>>;

/** Nothing runs any more. */
const end = ({ id }: Furnished) =>
  sql(
    "UPDATE task SET watched = false, state = 'completed', finished_at = now() WHERE organization_id = $1",
    [id],
  );

const exported = async ({ owner }: Furnished) =>
  (await web.open("GET", "/api/v1/organization/export", { cookie: owner.cookie })).text();

const remove = ({ owner, slug }: Furnished, typed = slug) =>
  web.call("DELETE", "/api/v1/organization", { cookie: owner.cookie, body: { slug: typed } });

/** Asks for the deletion, and has the engine do it once the three days are over. */
async function removed(each: Furnished) {
  const answer = await remove(each);
  await sql(
    "UPDATE organization SET deletion_requested_at = deletion_requested_at - interval '73 hours' WHERE id = $1",
    [each.id],
  );
  return { status: answer.status, gone: await deleteWhenDue(each.id, engine) };
}

async function rowsOf(id: string): Promise<Record<string, number>> {
  const counts = await Promise.all(
    tenantTables.map((table) =>
      sql(`SELECT count(*)::integer AS count FROM "${table}" WHERE organization_id = $1`, [id]),
    ),
  );
  return Object.fromEntries(tenantTables.map((table, at) => [table, counts[at]?.[0].count]));
}

describe("an export", () => {
  test("has every row of every part, and no secret", async () => {
    const acme = await furnished("acme-export");
    const other = await furnished("globex-export");
    const text = await exported(acme);
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toEqual({ kind: "end", lines: lines.length - 1 });
    const rows = await rowsOf(acme.id);
    for (const { kind, table } of PARTS.filter((part) => part.table !== "organization")) {
      // The line that tells of the export is written when all others were read.
      const counted = (rows[table] ?? 0) - (table === "event" ? 1 : 0);
      expect([table, lines.filter((line) => line.kind === kind).length]).toEqual([table, counted]);
      expect(counted, table).toBeGreaterThan(0);
    }
    const task = lines.find((line) => line.kind === "task");
    expect(task).toMatchObject({ id: acme.task, arguments: { note: "two\nlines" } });
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(Buffer.from(CANARY).toString("hex"));
    for (const foreign of [other.id, other.task, "globex-export"]) expect(text).not.toContain(foreign);
  });

  test("reads more than one batch of a table, each row once", async () => {
    const acme = await furnished("acme-batches");
    await sql(
      `INSERT INTO protocol_message (organization_id, task_id, direction, method)
        SELECT $1, $2, 'in', 'm' || n FROM generate_series(1, 2500) n`,
      [acme.id, acme.task],
    );
    const lines = (await exported(acme))
      .split("\n")
      .filter((line) => line.includes('"kind":"protocol_message"'));
    expect(new Set(lines).size).toBe(2501);
    expect(lines).toHaveLength(2501);
  });

  test("is an owner's", async () => {
    const acme = await web.organization("acme-admins");
    const key = await web.key(acme, "admin");
    expect((await web.call("GET", "/api/v1/organization/export", { key })).status).toBe(403);
  });

  test("has thought of every column of every table", async () => {
    const columns = await sql(
      `SELECT table_name AS table, column_name AS column FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name = ANY($1)`,
      [[...tenantTables, "organization"]],
    );
    const undecided = columns.filter(({ table, column }) => {
      const part = PARTS.find((each) => each.table === table);
      const out = LEFT_OUT[table] ?? {};
      const taken = [
        ...(part?.columns.split(/\s+/) ?? []),
        ...Object.keys(part?.made ?? {}),
        "organization_id",
      ];
      return !("*" in out) && !taken.includes(column) && !(column in out);
    });
    expect(
      undecided,
      "put each into PARTS (lib/people/organizations/exported-columns.ts) or LEFT_OUT (test/guards/left-out-columns.ts)",
    ).toEqual([]);
  });
});

describe("a deletion", () => {
  test("takes all rows of the organization, none of another's, and the accounts that are in none without it", async () => {
    const acme = await furnished("acme-doomed");
    const globex = await furnished("globex-stays");
    const [{ email }] = await sql(`SELECT email FROM "user" WHERE id = $1`, [acme.viewer.userId]);
    const both = { email, name: "Vic", role: "viewer" as const };
    await web.db.withOrganization(globex.id, (tx) => addMember(tx, COMMAND_LINE, both));
    await end(acme);
    await exported(acme);
    // No text is left of open tasks, as none is open; there may be some all the same.
    await sql("INSERT INTO open_task_text SELECT * FROM ended_task_text WHERE organization_id = $1", [
      acme.id,
    ]);
    const before = await rowsOf(acme.id);
    for (const [table, count] of Object.entries(before)) expect([table, count]).not.toEqual([table, 0]);
    const others = await rowsOf(globex.id);

    expect(await removed(acme)).toEqual({ status: 202, gone: true });
    expect(await rowsOf(acme.id)).toEqual(Object.fromEntries(tenantTables.map((table) => [table, 0])));
    expect(await sql("SELECT 1 FROM organization WHERE id = $1", [acme.id])).toEqual([]);
    expect(await rowsOf(globex.id)).toEqual(others);
    expect(await sql(`SELECT 1 FROM "user" WHERE id = $1`, [acme.owner.userId])).toEqual([]);
    expect(await sql("SELECT 1 FROM session WHERE user_id = $1", [acme.owner.userId])).toEqual([]);
    expect((await web.call("GET", "/api/v1/me", { cookie: acme.owner.cookie })).status).toBe(401);
    const vic = await web.call("GET", "/api/v1/me", { cookie: acme.viewer.cookie });
    expect(vic.body.organization.id).toBe(globex.id);
  });

  test("of the last organization opens neither /setup nor an ended demonstration again", async () => {
    const { setUp } = await import("@/lib/people/organizations/setup.ts");
    const setup = () => sql("SELECT gate.setup_possible() AS possible, gate.setup_done() AS done");
    const acme = await furnished("acme-last");
    await sql("UPDATE organization SET set_up = true WHERE id = $1", [acme.id]);
    await end(acme);
    await exported(acme);
    expect((await removed(acme)).gone).toBe(true);
    await sql("UPDATE organization SET demo = true");
    expect(await setup()).toEqual([{ possible: false, done: true }]);
    const person = {
      organizationName: "Mine",
      name: "Mallory",
      email: "m@evil.example",
      password: "correct horse",
    };
    const { database } = await import("@/lib/web/database.ts");
    await expect(setUp(await database(), person)).rejects.toMatchObject({ code: "already_set_up" });
    await sql("UPDATE organization SET demo = false");
  });

  test("is refused before a whole export, an hour after it, and with another slug; it waits while a task is open", async () => {
    const acme = await furnished("acme-refused");
    const rows = await rowsOf(acme.id);
    const refusal = async (typed?: string) => (await remove(acme, typed)).body.code;
    expect(await refusal()).toBe("export_first");
    const half = (
      await web.open("GET", "/api/v1/organization/export", { cookie: acme.owner.cookie })
    ).body?.getReader();
    await half?.read();
    await half?.cancel();
    expect(await refusal()).toBe("export_first");
    await exported(acme);
    expect(await refusal("globex-stays")).toBe("invalid_input");
    await sql("UPDATE organization SET exported_at = now() - interval '61 minutes' WHERE id = $1", [acme.id]);
    expect(await refusal()).toBe("export_first");
    // Two exports began, one broke off, and one ended.
    expect(await rowsOf(acme.id)).toMatchObject({ ...rows, event: rows.event! + 4 });
    await exported(acme);
    expect(await removed(acme)).toEqual({ status: 202, gone: false });
    await end(acme);
    expect(await deleteWhenDue(acme.id, engine)).toBe(true);
  });

  test("is an owner's", async () => {
    const acme = await furnished("acme-kept");
    const key = await web.key(acme.id, "admin");
    const answer = await web.call("DELETE", "/api/v1/organization", { key, body: { slug: acme.slug } });
    expect(answer.status).toBe(403);
  });

  test("of two at once happens once, and a task that starts meanwhile either stops it or is not there", async () => {
    const acme = await furnished("acme-race");
    await end(acme);
    await exported(acme);
    await remove(acme);
    await sql("UPDATE organization SET deletion_requested_at = now() - interval '73 hours' WHERE id = $1", [
      acme.id,
    ]);
    const server = await insertServer(web.db, acme.id);
    const start = insertTask(web.db, acme.id, server).then(
      () => "started",
      () => "refused",
    );
    const [one, two, started] = await Promise.all([
      deleteWhenDue(acme.id, engine),
      deleteWhenDue(acme.id, engine),
      start,
    ]);
    const gone = (await sql("SELECT 1 FROM organization WHERE id = $1", [acme.id])).length === 0;
    expect([one, two].filter(Boolean)).toHaveLength(gone ? 1 : 0);
    expect(started).toBe(gone ? "refused" : "started");
    if (gone) expect((await rowsOf(acme.id)).task).toBe(0);
  });

  test("reaches every table: each goes with the organization, or with what goes with it", async () => {
    const keys = await sql(`SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent
      FROM pg_constraint WHERE contype = 'f' AND confdeltype = 'c' AND connamespace = 'public'::regnamespace`);
    const reached = new Set(["organization", "change"]);
    for (let size = 0; size !== reached.size; ) {
      size = reached.size;
      for (const { child, parent } of keys) if (reached.has(parent)) reached.add(child);
    }
    expect(tenantTables.filter((table) => !reached.has(table))).toEqual([]);
  });
});
